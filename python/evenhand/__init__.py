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

from typing import TYPE_CHECKING

from . import sql, theory
from ._audit.audit import Audit
from ._audit.auditing import audit
from ._audit.compare import Comparison, compare
from ._audit.soft_audit import SoftAudit, audit_soft
from ._audit.soft_compare import SoftComparison
from ._calibrate import Calibrator, calibrate
from ._core import version as __version__
from ._monitor import Monitor
from ._report import Report
from ._rule.explanation import Explanation
from ._rule.load import load
from ._rule.rule import Rule
from ._rule.soft_rule import SoftRule
from ._solve.bootstrap import Bootstrap
from ._solve.bound import Bound
from ._solve.errors import InfeasibleError, TooFewRowsError
from ._solve.fit import fit
from ._solve.found import Fit
from ._solve.frontier import Frontier, frontier
from ._solve.plan import Plan, plan
from ._solve.soft import SoftFit, fit_soft
from ._solve.trace import Trace
from ._tally.tally import Tally
from ._verify import Verification, verify

if TYPE_CHECKING:
    from .plot import (
        plot_audit,
        plot_frontier,
        plot_monitor,
        plot_reliability,
        plot_roc,
        plot_rule,
    )
    from .sklearn import FairThresholdClassifier

__all__ = [
    "Audit",
    "Bootstrap",
    "Bound",
    "Calibrator",
    "Comparison",
    "Explanation",
    "FairThresholdClassifier",
    "Fit",
    "Frontier",
    "InfeasibleError",
    "Monitor",
    "Plan",
    "Report",
    "Rule",
    "SoftAudit",
    "SoftComparison",
    "SoftFit",
    "SoftRule",
    "Tally",
    "TooFewRowsError",
    "Trace",
    "Verification",
    "__version__",
    "audit",
    "audit_soft",
    "calibrate",
    "compare",
    "fit",
    "fit_soft",
    "frontier",
    "load",
    "plan",
    "plot_audit",
    "plot_frontier",
    "plot_monitor",
    "plot_reliability",
    "plot_roc",
    "plot_rule",
    "sql",
    "theory",
    "verify",
]

if not TYPE_CHECKING:  # what type checkers know from above is imported when it is first asked for

    def __getattr__(name: str) -> object:
        import importlib

        if name == "FairThresholdClassifier":
            try:
                return importlib.import_module("evenhand.sklearn").FairThresholdClassifier
            except ModuleNotFoundError as error:
                if (error.name or "").partition(".")[0] != "sklearn":
                    raise
                raise ImportError(
                    "FairThresholdClassifier needs scikit-learn 1.6 or later: "
                    "pip install 'evenhand[sklearn]'"
                ) from error
        if name == "spark":
            return importlib.import_module("evenhand.spark")
        if name.startswith("plot_") and name in __all__:
            return getattr(importlib.import_module("evenhand.plot"), name)
        raise AttributeError(f"module 'evenhand' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})

    def _has_scikit_learn() -> bool:
        """Whether there is one that is new enough, without importing it."""
        import sys
        from importlib.util import find_spec
        from pathlib import Path

        if "sklearn" in sys.modules and sys.modules["sklearn"] is None:
            return False
        spec = find_spec("sklearn")
        folders = (spec and spec.submodule_search_locations) or ()
        return any((Path(folder) / "frozen").is_dir() for folder in folders)

    # So that "from evenhand import *" works without it.
    if not _has_scikit_learn():
        __all__.remove("FairThresholdClassifier")
