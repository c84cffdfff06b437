"""What probabilities of a positive decision mean: accuracy, and how far groups are from alike.

Written apart from the library, from the definitions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# Fairlearn's name of a criterion: ours, and the labels of the rows that its rates are about.
CRITERIA: dict[str, tuple[str, tuple[tuple[int, ...], ...]]] = {
    "demographic_parity": ("statistical-parity", ((0, 1),)),
    "true_positive_rate_parity": ("equal-opportunity", ((1,),)),
    "false_positive_rate_parity": ("false-positive-parity", ((0,),)),
    "equalized_odds": ("equalized-odds", ((1,), (0,))),
}

# Whose decisions a criterion compares: everybody's, or of those with one of the outcomes.
COMPARED = {
    "statistical-parity": ["everybody"],
    "equal-opportunity": ["favorable"],
    "false-positive-parity": ["unfavorable"],
    "equalized-odds": ["favorable", "unfavorable"],
    "equal-rates": ["everybody"],
    "four-fifths": ["everybody"],
}


def accuracy(q: Floats, label: Any) -> float:
    """Return the share of right decisions to expect of these probabilities."""
    return float(np.mean(np.where(np.asarray(label) == 1, q, 1 - q)))


def violation(name: str, q: Floats, label: Any, code: npt.NDArray[np.intp]) -> float:
    """Return the largest difference between two groups in a rate of the criterion."""
    worst = 0.0
    for labels in CRITERIA[name][1]:
        counted = np.isin(label, labels)
        people = np.bincount(code[counted], minlength=code.max() + 1)
        rates = np.bincount(code[counted], q[counted], minlength=code.max() + 1) / people
        worst = max(worst, float(np.ptp(rates)))
    return worst
