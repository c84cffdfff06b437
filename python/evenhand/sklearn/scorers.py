"""Scorers for searches that reward fair decisions as well as right ones."""
# ruff: noqa: N803  scikit-learn calls it X

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FairScorer:
    """Accuracy on rows that were held out, less what groups differ by there.

    Give it to ``scoring=`` of a search or of cross-validation over a
    :class:`FairThresholdClassifier` whose constructor names columns of X.

    Parameters
    ----------
    penalty : float
        What a difference of 1 between groups costs, in accuracy.
    tolerance : float
        The difference that costs nothing.

    Examples
    --------
    >>> from evenhand.sklearn import FairScorer
    >>> FairScorer(penalty=2.0, tolerance=0.05)
    FairScorer(penalty=2.0, tolerance=0.05)
    """

    penalty: float = 1.0
    tolerance: float = 0.0

    def __call__(self, estimator: Any, X: Any, y: Any, **columns: Any) -> float:
        """Return the figure for these rows; ``columns`` are those of :meth:`audit`."""
        audit = estimator.audit(X, y, **columns)
        excess = max(0.0, audit.largest_difference - self.tolerance)
        return float(audit.accuracy - self.penalty * excess)
