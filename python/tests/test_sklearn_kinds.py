"""Classifiers whose rules look at no group, toss no coins, or promise something for new people."""
# ruff: noqa: N806  scikit-learn calls it X

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

import evenhand
from evenhand import FairThresholdClassifier

pytestmark = pytest.mark.usefixtures("one_thread")


def data(rows: int = 1500) -> tuple[pd.DataFrame, Any, Any]:
    rng = np.random.default_rng(0)
    sex = rng.choice(["F", "M"], rows)
    hint = (sex == "M") + rng.normal(0, 0.7, rows)
    skill = rng.normal(0, 1, rows) + 0.4 * (sex == "M")
    y = (skill + rng.normal(0, 0.7, rows) > 0.3).astype(int)
    return pd.DataFrame({"skill": skill, "hint": hint}), y, sex


def classifier(**options: Any) -> FairThresholdClassifier:
    given = {"criterion": "statistical-parity", "cv": 3, **options}
    return FairThresholdClassifier(given.pop("estimator", LogisticRegression()), **given)


def test_a_blind_classifier_predicts_without_groups() -> None:
    X, y, sex = data()
    model = classifier(blind=True, tolerance=0.05).fit(X, y, sensitive_features=sex)
    assert model.predict(X).shape == y.shape
    assert model.predict_proba(X).shape == (len(y), 2)
    assert model.rule_.attributes == []
    assert model.fit_.after.largest_difference <= 0.05 + 1e-9
    audit = model.audit(X, y, sensitive_features=sex)
    assert audit.sensitive == ["sensitive"]
    with pytest.raises(ValueError, match="the rule is blind"):
        model.predict(X, sensitive_features=sex)


def test_a_classifier_without_coins() -> None:
    X, y, sex = data()
    model = classifier(lottery="none", tolerance=0.05).fit(X, y, sensitive_features=sex)
    chance = model.predict_proba(X, sensitive_features=sex)
    assert set(np.unique(chance)) == {0.0, 1.0}


def test_cross_fitting_promises_nothing() -> None:
    X, y, sex = data()
    model = classifier(tolerance=0.05).fit(X, y, sensitive_features=sex)
    assert model.fit_.bound.value is None
    reason = "the scores come from other models than the final one"
    assert model.fit_.bound.reason == reason
    assert f"none: {reason}" in repr(model.fit_) or reason in repr(model.fit_)
    with pytest.raises(
        ValueError, match="certify is not possible: the scores come from other models"
    ):
        classifier(tolerance=0.2, certify=0.9).fit(X, y, sensitive_features=sex)


def test_rows_held_out_for_the_rule_bound_it() -> None:
    X, y, sex = data(4000)
    model = classifier(calibration_size=0.5, tolerance=0.25, certify=0.9)
    model.fit(X, y, sensitive_features=sex)
    assert model.fit_.tally.total == 2000
    assert model.fit_.bound.value is not None
    assert model.fit_.bound.value <= 0.25
    assert model.fit_.certificate is not None
    plain = classifier(calibration_size=1000).fit(X, y, sensitive_features=sex)
    assert plain.fit_.tally.total == 1000
    assert plain.fit_.bound.value is not None


def test_a_fitted_model_bounds_its_rule() -> None:
    X, y, sex = data(3000)
    fitted = LogisticRegression().fit(X[:1500], y[:1500])
    model = classifier(estimator=FrozenEstimator(fitted))
    model.fit(X[1500:], y[1500:], sensitive_features=sex[1500:])
    assert model.fit_.bound.value is not None
    with pytest.raises(ValueError, match="calibration_size"):
        classifier(estimator=FrozenEstimator(fitted), calibration_size=0.5).fit(
            X, y, sensitive_features=sex
        )


def test_a_classifier_of_the_group_stands_in_for_it() -> None:
    X, y, sex = data(3000)
    model = classifier(group_estimator=LogisticRegression()).fit(X, y, sensitive_features=sex)
    assert isinstance(model.fit_, evenhand.SoftFit)
    assert model.rule_.columns == ["p_F"]
    assert model.predict(X).shape == y.shape
    # Where the columns mean what they say, true groups come close together.
    q = model.predict_proba(X)[:, 1]
    before = model.estimator_.predict(X)
    gap = abs(q[sex == "M"].mean() - q[sex == "F"].mean())
    assert gap < 0.5 * abs(before[sex == "M"].mean() - before[sex == "F"].mean())
    audit = model.audit(X, y)
    assert isinstance(audit, evenhand.SoftAudit)
    assert audit.largest_difference < 0.05
    with pytest.raises(ValueError, match="stands in for the groups"):
        model.predict(X, sensitive_features=sex)


def test_a_classifier_of_the_group_sees_the_outcome_for_error_rates() -> None:
    """Where group and outcome depend on each other given the score, rates of known groups meet."""
    rng = np.random.default_rng(8)
    rows = 6000
    sex = rng.choice(["F", "M"], rows)
    X = rng.normal(size=(rows, 2)) + 0.8 * (sex == "M")[:, None]
    # The model sees one column alone; the other one, and the group, say more about the outcome.
    y = (X[:, 0] + 0.8 * (sex == "M") + rng.normal(size=rows) > 1).astype(int)
    options: dict[str, Any] = {"criterion": "equal-opportunity", "tolerance": 0.01}
    model = classifier(group_estimator=LogisticRegression(), **options)
    model.fit(X, y, sensitive_features=sex)
    assert set(model.rule_.columns) <= {"p_F if yes", "p_F if no", "p_M if yes", "p_M if no"}

    def gap(q: Any) -> float:
        women, men = (q[(sex == one) & (y == 1)].mean() for one in "FM")
        return abs(float(women - men))

    found = gap(model.predict_proba(X)[:, 1])
    assert found < 0.4 * gap(model.estimator_.predict(X))
    # By columns of everybody, and an assumption that does not hold, they do not come as close.
    groups = LogisticRegression().fit(np.column_stack([X, model._score(X)]), sex)
    p = groups.predict_proba(np.column_stack([X, model._score(X)]))
    assuming = evenhand.fit_soft(model._score(X), {"p_F": p[:, 0]}, **options)
    assert found < gap(assuming.rule.probability(model._score(X), {"p_F": p[:, 0]}))
    audit = model.audit(X, y)
    assert audit.largest_difference < 0.05


def test_a_classifier_of_the_group_serves_other_criteria() -> None:
    X, y, sex = data()
    group = LogisticRegression()
    model = classifier(group_estimator=group, criterion="equalized-odds", tolerance=0.1)
    model.fit(X, y, sensitive_features=sex)
    assert model.fit_.violation <= 1e-9
    assert model.predict(X).shape == y.shape
    with pytest.raises(ValueError, match="cannot be combined with blind"):
        classifier(group_estimator=group, blind=True).fit(X, y, sensitive_features=sex)
