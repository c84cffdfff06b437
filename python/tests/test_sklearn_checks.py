"""FairThresholdClassifier: scikit-learn's own checks of its estimators."""

from __future__ import annotations

from typing import Any

import pytest
import sklearn
from applicants import digit_groups, fair
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

pytestmark = pytest.mark.usefixtures("one_thread")

CHECKED = [
    fair(criterion=None, require="rate <= 0.9", pos_label=max),
    fair(criterion=None, require=["rate <= 0.9", "rate >= 0.1"], cv=None, pos_label=max),
    fair(
        LinearSVC(random_state=0),
        criterion=None,
        require="rate <= 0.9",
        calibrate="isotonic",
        pos_label=max,
    ),
    fair(tolerance=0.2, sensitive_features=digit_groups, unseen="score", cv=3, pos_label=max),
    fair(sensitive_features=digit_groups, unseen="score", cv=None, pos_label=max),
]


def expected_failures(_: Any) -> dict[str, str]:
    if not sklearn.__version__.startswith("1.6."):
        return {}
    why = "scikit-learn 1.6 takes other classes for the rows that it repeats"
    return {f"check_sample_weight_equivalence_on_{kind}_data": why for kind in ("dense", "sparse")}


@pytest.mark.filterwarnings("ignore")  # of the checks' own data
@parametrize_with_checks(CHECKED, expected_failed_checks=expected_failures)
def test_scikit_learn_s_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)
