"""Even-handed decisions from any model's scores.

Turns the scores of any model into the most accurate decisions that treat groups of people alike,
exactly, with a certificate.

Examples
--------
>>> import evenhand
>>> fit = evenhand.fit(
...     [0.2, 0.4, 0.6, 0.8], ["F", "F", "M", "M"], criterion="statistical-parity"
... )
>>> fit.status
'optimal'
"""

from __future__ import annotations

from typing import Any

from . import theory
from ._audit import Audit, audit
from ._calibrate import Calibrator, calibrate
from ._core import version as __version__
from ._errors import InfeasibleError
from ._fit import Fit, SoftFit, fit
from ._frontier import Frontier, frontier
from ._rule import Explanation, Rule, SoftRule, load
from ._tally import Tally
from ._trace import Trace

__all__ = [
    "Audit",
    "Calibrator",
    "Explanation",
    "Fit",
    "Frontier",
    "InfeasibleError",
    "Rule",
    "SoftFit",
    "SoftRule",
    "Tally",
    "Trace",
    "__version__",
    "audit",
    "calibrate",
    "fit",
    "frontier",
    "load",
    "theory",
]


def __getattr__(name: str) -> Any:
    """Import what needs scikit-learn or matplotlib when it is first asked for."""
    import importlib

    if name == "FairThresholdClassifier":
        return importlib.import_module("evenhand.sklearn").FairThresholdClassifier
    if name in ("plot_rule", "plot_frontier", "plot_audit"):
        return getattr(importlib.import_module("evenhand.plot"), name)
    raise AttributeError(f"module 'evenhand' has no attribute {name!r}")
