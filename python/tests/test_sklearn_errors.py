"""FairThresholdClassifier: what is wrong is said."""
# ruff: noqa: N806  scikit-learn calls it X

from __future__ import annotations

from typing import Any

import pytest
from applicants import digit_groups, fair, numbers
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron
from sklearn.svm import LinearSVC

import evenhand

pytestmark = pytest.mark.usefixtures("one_thread")


def test_the_criterion_is_needed(applicants: Any) -> None:
    frame, y = applicants
    with pytest.raises(ValueError, match="say what is fair"):
        fair(criterion=None).fit(numbers(frame), y, sensitive_features=frame.sex)


def test_missing_sensitive_features_are_named(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    with pytest.raises(ValueError, match="sensitive_features is missing: statistical-parity"):
        fair().fit(X, y)
    model = fair().fit(X, y, sensitive_features=frame.sex, control_features=frame.region)
    with pytest.raises(ValueError, match="sensitive_features is missing: .* fitted with 'sex'"):
        model.predict(X)
    with pytest.raises(ValueError, match="control_features is missing: .* with 'region'"):
        model.predict_proba(X, sensitive_features=frame.sex)
    plain = fair().fit(X, y, sensitive_features=frame.sex)
    with pytest.raises(ValueError, match="control_features is given, but fit had none"):
        plain.predict(X, sensitive_features=frame.sex, control_features=frame.region)


def test_missing_groups_come_with_advice_that_works(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    sex = frame.sex.astype(object).where(frame.index != frame.index[3], None)
    with pytest.raises(ValueError, match="sex has a missing value, in row 3; null='unknown'") as e:
        fair().fit(X, y, sensitive_features=sex)
    assert "exclude" not in str(e.value)
    model = fair(null="unknown").fit(X, y, sensitive_features=sex)
    assert {"sex": "unknown"} in model.rule_.cells
    strict = fair().fit(X, y, sensitive_features=frame.sex)
    for ask in (strict.predict, strict.predict_proba, strict.audit):
        with pytest.raises(ValueError, match="sex has a missing value, in row 3; unseen=") as e:
            ask(X, sensitive_features=sex)
        assert "exclude" not in str(e.value)
    strict.set_params(unseen="reject").predict(X, sensitive_features=sex)


def test_not_fitted(applicants: Any) -> None:
    frame, _ = applicants
    for method in ("predict", "predict_proba"):
        with pytest.raises(NotFittedError):
            getattr(fair(), method)(numbers(frame), sensitive_features=frame.sex)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"null": "exclude"}, "null='exclude' is not possible: everybody gets a decision"),
        ({"null": ""}, "null is"),
        ({"response_method": "predict"}, "there is no response_method 'predict'"),
        ({"unseen": "guess"}, "there is no unseen 'guess'"),
        ({"cv": "refit"}, "there is no cv 'refit'"),
        ({"pos_label": 5}, r"pos_label=5 is not a class of y: \[0, 1\]"),
        ({"solver": "guess"}, "there is no solver 'guess'"),
        ({"criterion": "fairness"}, "fairness"),
        ({"sensitive_features": digit_groups, "drop_attributes": True}, "not a function"),
        ({"sensitive_features": "sex"}, "names|which has none"),
        ({"sensitive_features": 7}, "there is no column 7, X has 2"),
    ],
)
def test_options_that_are_wrong(applicants: Any, options: dict[str, Any], message: str) -> None:
    frame, y = applicants
    given = {} if "sensitive_features" in options else {"sensitive_features": frame.sex}
    with pytest.raises(ValueError, match=message):
        fair(**options).fit(numbers(frame), y, **given)


def test_classifiers_without_scores(applicants: Any) -> None:
    frame, y = applicants
    X, sex = numbers(frame), frame.sex
    with pytest.raises(AttributeError, match="LinearSVC has no predict_proba"):
        fair(LinearSVC(), response_method="predict_proba").fit(X, y, sensitive_features=sex)
    with pytest.raises(AttributeError, match="has no predict_proba nor decision_function"):
        fair(Mute()).fit(X, y, sensitive_features=sex)


class Mute(Perceptron):  # type: ignore[misc]
    """Has no scores."""

    @property
    def decision_function(self) -> Any:
        raise AttributeError("none")


def test_requirements_that_clash_are_named(applicants: Any) -> None:
    frame, y = applicants
    with pytest.raises(evenhand.InfeasibleError) as caught:
        fair(criterion=None, require=["rate <= 0.1", "rate >= 0.2"]).fit(numbers(frame), y)
    assert caught.value.clash == ["rate <= 0.1", "rate >= 0.2"]
