"""FairThresholdClassifier: groups that fit has not seen, and groups that are missing."""
# ruff: noqa: N806  scikit-learn calls it X

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from applicants import ROWS, fair, numbers
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

pytestmark = pytest.mark.usefixtures("one_thread")


def test_groups_that_fit_has_not_seen(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    model = fair().fit(X, y, sensitive_features=frame.sex)
    with pytest.raises(IndexError, match="X"):
        model.predict(X[:2], sensitive_features=["F", "X"])
    rejected = clone(model).set_params(unseen="reject").fit(X, y, sensitive_features=frame.sex)
    assert np.array_equal(rejected.predict(X, sensitive_features=["X"] * ROWS), np.zeros(ROWS))
    by_score = clone(model).set_params(unseen="score").fit(X, y, sensitive_features=frame.sex)
    own = by_score.estimator_.predict(X)
    assert np.array_equal(by_score.predict(X, sensitive_features=["X"] * ROWS), own)


@pytest.mark.parametrize("unseen", ["score", "reject"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"gamma": 0.3},
        {"resolution": 4},
        {"calibrate": "isotonic"},
        {"calibrate": "platt", "calibrate_by": "all"},
        {"cost_fp": 3.0},
    ],
)
@pytest.mark.parametrize("svm", [False, True])
def test_audits_show_what_is_decided_for_groups_that_fit_has_not_seen(
    applicants: Any, unseen: str, options: dict[str, Any], svm: bool
) -> None:
    frame, y = applicants
    X, sex = numbers(frame), frame.sex.to_numpy()
    estimator = LinearSVC(random_state=0) if svm else LogisticRegression()
    model = fair(estimator, unseen=unseen, **options).fit(X, y, sensitive_features=sex)
    with pytest.raises(IndexError, match="has never seen"):
        clone(model).set_params(unseen="error").fit(X, y, sensitive_features=sex).audit(
            X, y, sensitive_features=["X"] * ROWS
        )
    others = np.where(np.arange(ROWS) % 3 == 0, "X", np.where(np.arange(ROWS) % 7, sex, None))
    probability = model.predict_proba(X, sensitive_features=others)[:, 1]
    for labels in (y, None):
        audit = model.audit(X, labels, sensitive_features=others)
        found = {next(iter(one["group"].values())): one["selection_rate"] for one in audit.groups}
        assert len(found) == 4
        for name, rate in found.items():
            rows = others == (None if "?" in name else name)
            assert rate == pytest.approx(probability[rows].mean(), abs=1e-9)
    if unseen == "reject":
        assert found["X"] == 0


def test_missing_groups_can_have_a_name(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    gaps = frame.sex.where(np.arange(ROWS) % 3 > 0)
    model = fair(null="unknown").fit(X, y, sensitive_features=gaps)
    assert [cell["sex"] for cell in model.rule_.cells] == ["F", "M", "unknown"]
    decided = model.predict(X, sensitive_features=gaps)
    named = gaps.fillna("unknown")
    assert np.array_equal(decided, model.predict(X, sensitive_features=named))
    assert fair().fit(X, y, sensitive_features=named).rule_ == model.rule_
    assert len(model.audit(X, y, sensitive_features=gaps).groups) == 3
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(decided, copy.predict(X, sensitive_features=gaps))
    codes = (frame.sex == "F").astype(float).where(np.arange(ROWS) % 3 > 0)
    by_code = fair(null="unknown").fit(X, y, sensitive_features=codes)
    assert [cell["sex"] for cell in by_code.rule_.cells] == ["0", "1", "unknown"]
