"""The other libraries that post-process scores, with their rules as probabilities of each row.

Both draw lots. What a rule promises is about its probabilities, so these are read from the fitted
objects, and decisions are never sampled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from error_parity import RelaxedThresholdOptimizer
from error_parity.classifiers import (
    BinaryClassifier,
    BinaryClassifierAtROCDiagonal,
    RandomizedClassifier,
)
from fairlearn.postprocessing import ThresholdOptimizer
from sklearn.base import BaseEstimator, ClassifierMixin

Floats = npt.NDArray[np.float64]


class GivenScores(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted model whose probabilities are the only column of X."""

    def fit(self, X: Any, y: Any) -> GivenScores:  # noqa: N803
        """Learn nothing."""
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the scores."""
        p = np.asarray(X)[:, 0]
        return np.stack([1 - p, p], axis=1)


def fit_fairlearn(
    name: str, score: Floats, label: Any, group: Any, tolerance: float = 0.0, grid: int = 1000
) -> ThresholdOptimizer:
    """Fit Fairlearn's rule."""
    X = score[:, None]  # noqa: N806
    model = GivenScores().fit(X, label)
    return ThresholdOptimizer(
        estimator=model,
        constraints=name,
        prefit=True,
        predict_method="predict_proba",
        grid_size=grid,
        tol=tolerance or None,
    ).fit(X, label, sensitive_features=group)


def fairlearn_probability(fitted: ThresholdOptimizer, score: Floats, group: Any) -> Floats:
    """Return the probability of a positive decision for each row."""
    q: Floats = fitted._pmf_predict(score[:, None], sensitive_features=group)[:, 1]
    return q


def _first_column(rows: Floats) -> Floats:
    return rows[:, 0]


def fit_error_parity(
    name: str,
    score: Floats,
    label: Any,
    code: npt.NDArray[np.intp],
    tolerance: float = 0.0,
    ticks: int | None = 1000,
) -> RelaxedThresholdOptimizer:
    """Fit error-parity's rule; groups are codes from 0. It solves by ECOS."""
    return RelaxedThresholdOptimizer(
        predictor=_first_column, constraint=name, tolerance=tolerance, max_roc_ticks=ticks
    ).fit(score[:, None], label, group=code)


def error_parity_probability(
    fitted: RelaxedThresholdOptimizer, score: Floats, code: npt.NDArray[np.intp]
) -> Floats:
    """Return the probability of a positive decision for each row."""
    q = np.full(len(score), np.nan)
    for group, classifier in fitted._realized_classifier.group_to_clf.items():
        q[code == group] = _expected(classifier, score[code == group])
    return q


def _expected(classifier: Any, score: Floats) -> Floats:
    if isinstance(classifier, BinaryClassifier):
        return np.asarray(score >= classifier.threshold, dtype=float)
    if isinstance(classifier, BinaryClassifierAtROCDiagonal):
        return np.full(len(score), float(classifier.target_fpr))
    if isinstance(classifier, RandomizedClassifier):
        parts = [_expected(part, score) for part in classifier.classifiers]
        mixed: Floats = np.asarray(classifier.probabilities) @ np.stack(parts)
        return mixed
    # A function that ignores the score: positive with the probability that it has closed over.
    names = classifier.__code__.co_freevars
    assert names == ("fpr_rand",), names
    return np.full(len(score), float(classifier.__closure__[0].cell_contents))
