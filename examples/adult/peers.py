"""The same problems given to Fairlearn and to error-parity."""

import warnings
from typing import Any

import numpy as np
from adult import Floats, Labels, Texts
from error_parity import RelaxedThresholdOptimizer
from fairlearn.postprocessing import ThresholdOptimizer
from sklearn.base import BaseEstimator, ClassifierMixin

PEERS = ("fairlearn", "error-parity")

CONSTRAINTS = {
    "statistical-parity": "demographic_parity",
    "equal-opportunity": "true_positive_rate_parity",
    "equalized-odds": "equalized_odds",
}

DRAWS = 50  # of error-parity's coins; Fairlearn tells its probabilities


class _Scores(ClassifierMixin, BaseEstimator):
    """A model whose input is its score already."""

    def __init__(self) -> None:
        self.classes_ = np.array([0, 1])

    def fit(self, X: Floats, y: Labels) -> "_Scores":
        """Learn nothing."""
        return self

    def predict(self, X: Floats) -> Floats:
        """Return the only column."""
        return np.asarray(X)[:, 0]


class Peer:
    """A rule by another library, fitted on probabilities, groups and labels."""

    def __init__(self, name: str, criterion: str, p: Floats, sex: Texts, y: Labels) -> None:
        self._name = name
        constraint = CONSTRAINTS[criterion]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if name == "fairlearn":
                self._rule: Any = ThresholdOptimizer(
                    estimator=_Scores(),
                    constraints=constraint,
                    prefit=True,
                    predict_method="predict",
                )
                self._rule.fit(p[:, None], y, sensitive_features=sex)
            else:
                self._rule = RelaxedThresholdOptimizer(
                    predictor=np.ravel, constraint=constraint, tolerance=0.0
                )
                self._rule.fit(p[:, None], y, group=_codes(sex))

    def probability(self, p: Floats, sex: Texts) -> Floats:
        """Return the probability of a positive decision; error-parity's is a mean of draws."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if self._name == "fairlearn":
                both = self._rule._pmf_predict(p[:, None], sensitive_features=sex)
                return np.asarray(np.clip(np.asarray(both)[:, 1], 0, 1), np.float64)
            state = np.random.get_state()
            np.random.seed(0)  # some of its coins are the global generator's
            try:
                codes = _codes(sex)
                draws = [self._rule(p[:, None], group=codes) for _ in range(DRAWS)]
            finally:
                np.random.set_state(state)
            return np.asarray(np.mean(draws, axis=0), np.float64)


def _codes(sex: Texts) -> Labels:
    return np.asarray(sex == "Male", np.int64)
