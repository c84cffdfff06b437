"""The rule as a scikit-learn classifier."""

from .classifier import FairThresholdClassifier
from .ids import row_ids
from .scorers import FairScorer

__all__ = ["FairScorer", "FairThresholdClassifier", "row_ids"]
