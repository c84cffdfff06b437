"""FairThresholdClassifier: the rule is fair and best on the scores that it is fitted on."""
# ruff: noqa: N806  scikit-learn calls it X

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from applicants import ROWS, fair, numbers
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit, cross_val_predict
from sklearn.svm import LinearSVC

import evenhand

pytestmark = pytest.mark.usefixtures("one_thread")


def rates(probability: Any, groups: Any) -> list[float]:
    return [float(probability[groups == group].mean()) for group in np.unique(groups)]


@pytest.mark.parametrize("tolerance", [0.0, 0.05])
def test_groups_have_the_same_rate_on_the_rows_of_the_fit(
    applicants: Any, tolerance: float
) -> None:
    frame, y = applicants
    X, sex = numbers(frame), frame.sex.to_numpy()
    model = fair(LogisticRegression().fit(X, y), cv="prefit", tolerance=tolerance)
    model.fit(X, y, sensitive_features=sex)
    probability = model.predict_proba(X, sensitive_features=sex)
    women, men = rates(probability[:, 1], sex)
    assert abs(women - men) <= tolerance + 1e-9
    assert model.fit_.status == "optimal"
    assert np.array_equal(probability.sum(axis=1), np.ones(len(X)))


def test_equalized_odds_inside_each_region(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    attributes = {
        "sensitive_features": frame.sex.to_numpy(),
        "control_features": frame.region.to_numpy(),
    }
    model = fair(LogisticRegression().fit(X, y), cv="prefit", criterion="equalized-odds")
    model.fit(X, y, **attributes)
    probability = model.predict_proba(X, **attributes)[:, 1]
    for region in ("north", "south"):
        for outcome in (0, 1):
            rows = (frame.region == region).to_numpy() & (y == outcome)
            women, men = rates(probability[rows], frame.sex.to_numpy()[rows])
            assert abs(women - men) < 1e-9


def test_a_larger_tolerance_never_costs_accuracy(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    objectives = [
        fair(tolerance=tolerance).fit(X, y, sensitive_features=frame.sex).fit_.objective
        for tolerance in (0, 0.05, 0.1, 0.5)
    ]
    assert objectives == sorted(objectives)


def test_the_rule_is_that_of_evenhand_fit_on_held_out_scores(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    model = fair(cv=3).fit(X, y, sensitive_features=frame[["sex"]])
    scores = cross_val_predict(LogisticRegression(), X, y, cv=3, method="predict_proba")[:, 1]
    same = evenhand.fit(scores, frame[["sex"]], criterion="statistical-parity", label=y)
    assert model.rule_ == same.rule
    # The classifier itself has seen all rows.
    assert np.array_equal(model.estimator_.coef_, LogisticRegression().fit(X, y).coef_)


def test_cv_none_trusts_the_scores_of_the_same_rows(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    prefit = fair(LogisticRegression().fit(X, y), cv="prefit")
    rules = [
        model.fit(X, y, sensitive_features=frame.sex).rule_
        for model in (fair(cv=None), fair(cv=False), prefit)
    ]
    assert rules[0] == rules[1] == rules[2]


def test_splitters_that_hold_rows_out_never_or_twice(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    for cv, weight in (
        (ShuffleSplit(1, test_size=0.25, random_state=0), 150),
        (RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0), 2 * ROWS),
        ([(np.arange(300), np.arange(300, ROWS))], 300),
        ([(np.arange(ROWS) < 300, np.arange(ROWS) >= 300)], 300),
    ):
        model = fair(cv=cv).fit(X, y, sensitive_features=frame.sex, sample_weight=np.ones(ROWS))
        assert model.fit_.tally.total == weight
        assert model.fit_.status == "optimal"


def test_folds_at_the_same_time_give_the_same_rule(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    alone = fair(cv=3).fit(X, y, sensitive_features=frame.sex)
    with joblib.parallel_config("threading"):
        together = fair(cv=3, n_jobs=2).fit(X, y, sensitive_features=frame.sex)
    assert together.rule_ == alone.rule_


def test_audit_shows_before_and_after(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    model = fair(LogisticRegression().fit(X, y), cv="prefit")
    model.fit(X, y, sensitive_features=frame.sex)
    audit = model.audit(X, y, sensitive_features=frame.sex)
    assert audit.before.largest_difference > 0.2
    assert audit.largest_difference < 1e-9
    own = LogisticRegression().fit(X, y)
    assert audit.before.accuracy == pytest.approx(own.score(X, y), abs=1e-12)
    assert model.audit(X, sensitive_features=frame.sex).expected
    doubled = model.audit(X, y, sensitive_features=frame.sex, sample_weight=np.full(ROWS, 2.0))
    assert doubled.overall["weight"] == 2 * ROWS


def test_decision_function_is_calibrated_by_labels(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    model = fair(LinearSVC(random_state=0)).fit(X, y, sensitive_features=frame.sex)
    assert model.response_method_ == "decision_function"
    assert model.rule_.scale == "raw"
    assert "statistical-parity" in repr(model.fit_)
    audit = model.audit(X, y, sensitive_features=frame.sex)
    # Before the rule, decisions are the classifier's own.
    assert audit.before.accuracy == pytest.approx(model.estimator_.score(X, y), abs=1e-12)
    with pytest.raises(ValueError, match="calibrate"):
        fair(LinearSVC(), calibrate="none").fit(X, y, sensitive_features=frame.sex)
    explicit = fair(response_method="decision_function").fit(X, y, sensitive_features=frame.sex)
    assert explicit.rule_.scale == "raw"


@pytest.mark.parametrize(
    "options",
    [
        {"criterion": "equal-opportunity"},
        {"criterion": "true_positive_rate_parity"},
        {"criterion": "false-positive-parity"},
        {"criterion": "false_positive_rate_parity"},
        {"criterion": "equalized-odds"},
        {"criterion": "equalized_odds"},
        {"criterion": None, "require": "tpr >= 0.5"},
        {"criterion": "statistical-parity", "require": ["rate >= 0.1", "fpr <= 0.5"]},
    ],
)
def test_error_rates_of_decision_functions_need_no_calibration(
    applicants: Any, options: dict[str, Any]
) -> None:
    frame, y = applicants
    X = numbers(frame)
    model = fair(LinearSVC(random_state=0), **options).fit(X, y, sensitive_features=frame.sex)
    assert model.fit_.status == "optimal"
    assert model.rule_.record["calibrate"] == "none"
    assert model.score(X, y, sensitive_features=frame.sex) > 0.6


def test_audits_within_other_features(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    groups = pd.DataFrame({"sex": frame.sex, "old": np.arange(len(y)) % 2})
    model = fair(LogisticRegression().fit(X, y), cv="prefit")
    model.fit(X, y, sensitive_features=groups)
    audit = model.audit(X, y, sensitive_features=groups, within="old")
    assert (audit.sensitive, audit.within) == (["sex"], ["old"])
    assert len(audit.strata) == 2
    assert audit.largest_difference < 1e-9


def test_audits_within_columns_that_fit_never_saw(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    region = pd.Series(np.arange(len(y)) % 3, name="region")
    model = fair(LogisticRegression().fit(X, y), cv="prefit").fit(
        X, y, sensitive_features=frame.sex
    )
    audit = model.audit(X, y, sensitive_features=frame.sex, within=region)
    assert (audit.sensitive, audit.within) == (["sex"], ["region"])
    probability = model.predict_proba(X, sensitive_features=frame.sex)[:, 1]
    for stratum in audit.strata:
        mine = region == int(stratum["stratum"]["region"])
        assert stratum["selection_rate"] == pytest.approx(probability[mine].mean())
    with pytest.raises(IndexError, match="no attribute old"):
        model.audit(X, y, sensitive_features=frame.sex, within="old")
