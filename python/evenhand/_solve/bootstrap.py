"""Refits on rows drawn again: an honest picture of how much a fit depends on its rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _tables

Floats = npt.NDArray[np.float64]


class Bootstrap:
    """What came out when the rule was fitted again on rows drawn with replacement.

    Made by :meth:`evenhand.Fit.bootstrap`.

    Attributes
    ----------
    differences : numpy.ndarray
        For each refit, the largest difference (for four-fifths: the smallest ratio) of the compared
        rates among the people who were not drawn; NaN where these cannot be compared, or no rule
        met the requirements.
    accuracies : numpy.ndarray
        The accuracy among the same people, expected without labels; NaN if it is not known.
    changed : numpy.ndarray
        For each refit, the share of all people whom it decides unlike the fit itself, in
        expectation over coins that both share; NaN if it found no rule.
    is_ratio : bool
        ``differences`` are ratios.
    failed : int
        Refits without a rule.
    """

    def __init__(
        self, differences: Floats, accuracies: Floats, changed: Floats, is_ratio: bool
    ) -> None:
        self.differences = differences
        self.accuracies = accuracies
        self.changed = changed
        self.is_ratio = is_ratio
        self.failed = int(np.isnan(changed).sum())

    def __len__(self) -> int:
        """Count the refits."""
        return len(self.differences)

    def records(self) -> list[dict[str, float]]:
        """Return one record for each refit."""
        name = "smallest_ratio" if self.is_ratio else "largest_difference"
        columns = (self.differences, self.accuracies, self.changed)
        return [
            {name: float(one), "accuracy": float(two), "changed": float(three)}
            for one, two, three in zip(*columns, strict=True)
        ]

    def to_frame(self) -> Any:
        """Return :meth:`records` as a pandas frame, or a polars one if pandas is missing."""
        return _tables.to_frame(self.records())

    def __repr__(self) -> str:
        """Say the middle and the ends of what came out."""

        def spread(values: Floats, shown: Callable[[float], str]) -> str:
            known = values[~np.isnan(values)]
            if not len(known):
                return "not known"
            low, middle, high = map(shown, np.quantile(known, (0.05, 0.5, 0.95)))
            return f"{middle} ({low} to {high} in 90 of 100 refits)"

        what = "smallest ratio" if self.is_ratio else "largest difference"
        figure = "{:.3f}".format if self.is_ratio else _tables.percent
        lines = [
            f"{len(self)} refits on rows drawn with replacement, judged by those not drawn:",
            f"{what} {spread(self.differences, figure)}",
            f"accuracy {spread(self.accuracies, _tables.percent)}",
            f"decided unlike this fit {spread(self.changed, _tables.percent)}",
        ]
        if self.failed:
            lines.append(f"{self.failed} refits found no rule")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _tables.html_lines(repr(self))
