"""The rule as a scikit-learn classifier."""

from .classifier import FairThresholdClassifier
from .ids import row_ids

__all__ = ["FairThresholdClassifier", "row_ids"]
