"""FairThresholdClassifier inside scikit-learn: pipelines, searches, metadata, clones."""
# ruff: noqa: N803, N806  scikit-learn calls it X

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import sklearn
from applicants import ROWS, drawing, fair, numbers, numeric_pipeline
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

pytestmark = pytest.mark.usefixtures("one_thread")


def test_a_frozen_classifier_is_not_fitted_again(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    inner = LogisticRegression().fit(X[:100], y[:100])
    before = inner.coef_.copy()
    model = fair(FrozenEstimator(inner)).fit(X[100:], y[100:], sensitive_features=frame.sex[100:])
    assert model.estimator_.estimator is inner
    assert np.array_equal(inner.coef_, before)
    prefit = fair(inner, cv="prefit").fit(X[100:], y[100:], sensitive_features=frame.sex[100:])
    assert prefit.estimator_ is inner
    assert prefit.rule_ == model.rule_
    assert clone(model).fit(X, y, sensitive_features=frame.sex).estimator_.estimator is inner
    with pytest.raises(ValueError, match="nothing takes 'epochs'"):
        clone(model).fit(X, y, sensitive_features=frame.sex, epochs=3)
    with pytest.raises(NotFittedError, match="FrozenEstimator"):
        clone(prefit).fit(X, y, sensitive_features=frame.sex)
    with pytest.raises(NotFittedError):
        fair(cv="prefit").fit(X, y, sensitive_features=frame.sex)
    with pytest.raises(ValueError, match="y has the class 2, which the fitted estimator"):
        clone(model).fit(X, 2 * y, sensitive_features=frame.sex)


def test_cross_validation_and_search_by_columns_of_x(applicants: Any) -> None:
    frame, y = applicants
    model = fair(numeric_pipeline(), sensitive_features="sex", cv=3)
    scores = cross_validate(model, frame, y, cv=3, scoring=["accuracy", "roc_auc"])
    assert scores["test_accuracy"].min() > 0.5
    grid = {"tolerance": [0, 0.1], "estimator__logisticregression__C": [0.1, 1]}
    search = GridSearchCV(model, grid, cv=2).fit(frame, y)
    assert search.best_score_ > 0.5
    assert search.predict(frame).shape == (ROWS,)
    outer = make_pipeline(
        StandardScaler().set_output(transform="pandas"), fair(sensitive_features="debt", cv=3)
    )
    outer.fit(frame[["income", "debt"]], y)
    assert outer.predict(frame[["income", "debt"]]).shape == (ROWS,)


def test_a_pipeline_passes_columns_without_routing(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    pipeline = make_pipeline(StandardScaler(), fair())
    pipeline.fit(X, y, fairthresholdclassifier__sensitive_features=frame.sex)
    assert pipeline.predict(X, sensitive_features=frame.sex).shape == (ROWS,)


def test_searches_without_routing_say_what_is_missing(applicants: Any) -> None:
    frame, y = applicants
    search = GridSearchCV(fair(), {"tolerance": [0.1]}, cv=2, error_score="raise")
    with pytest.raises(ValueError, match="enable metadata routing"):
        search.fit(numbers(frame), y, sensitive_features=frame.sex)


def test_metadata_is_routed(applicants: Any) -> None:
    frame, y = applicants
    X, weight = numbers(frame), np.random.default_rng(0).integers(1, 3, ROWS).astype(float)
    groups = np.arange(ROWS) % 4
    with sklearn.config_context(enable_metadata_routing=True):
        model = fair(LogisticRegression().set_fit_request(sample_weight=True), cv=GroupKFold(2))
        # Straight: nothing of one's own need be requested.
        straight = clone(model).fit(
            X, y, sensitive_features=frame.sex, sample_weight=weight, groups=groups
        )
        model.set_fit_request(sensitive_features=True, sample_weight=True)
        model.set_predict_request(sensitive_features=True)
        model.set_predict_proba_request(sensitive_features=True)
        model.set_score_request(sensitive_features=True, sample_weight=True)
        given = {"sensitive_features": frame.sex, "sample_weight": weight, "groups": groups}
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, model).fit(X, y, **given)
        decided = pipeline.predict(X, sensitive_features=frame.sex)
        assert decided.shape == (ROWS,)
        scores = cross_validate(model, X, y, params=given, cv=GroupKFold(2), error_score="raise")
        assert scores["test_score"].min() > 0.5
        search = GridSearchCV(model, {"tolerance": [0, 0.1]}, cv=2, error_score="raise")
        search.fit(X, y, **given)
        assert search.best_score_ > 0.5
        by_hand = LogisticRegression().fit(X, y, sample_weight=weight)
        assert np.array_equal(straight.estimator_.coef_, by_hand.coef_)
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):
            fair().fit(X, y, sensitive_features=frame.sex, sample_weight=weight)


def test_the_inner_classifier_may_ask_for_sensitive_features_too(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    with sklearn.config_context(enable_metadata_routing=True):
        seen = Nosy().set_fit_request(sensitive_features=True)
        model = fair(seen, cv=2).fit(X, y, sensitive_features=frame.sex.to_numpy())
    assert model.estimator_.seen_ == ROWS


class Nosy(LogisticRegression):  # type: ignore[misc]
    """Looks at the groups."""

    def fit(self, X: Any, y: Any, sensitive_features: Any = None) -> Any:
        self.seen_ = len(sensitive_features)
        return super().fit(X, y)


def test_pickles_and_clones_decide_alike(applicants: Any) -> None:
    frame, y = applicants
    model = drawing(frame, y)
    frame = frame[["sex", "income", "debt"]]
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.predict(frame), model.predict(frame))
    assert copy.rule_ == model.rule_
    assert clone(model).fit(frame, y).rule_ == model.rule_
    assert not hasattr(clone(model), "rule_")
    assert clone(model).get_params(deep=False).keys() == model.get_params(deep=False).keys()
    assert model.set_params(estimator__C=3.0).estimator.C == 3.0


def test_it_shows_itself_in_notebooks(applicants: Any) -> None:
    frame, y = applicants
    model = drawing(frame, y)
    assert "FairThresholdClassifier" in model._repr_html_()
    assert "LogisticRegression" in model._repr_html_()
    assert "criterion='statistical-parity'" in repr(model)


def test_attributes_of_fit(applicants: Any) -> None:
    frame, y = applicants
    model = fair(numeric_pipeline(), sensitive_features="sex").fit(frame, y)
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == list(frame.columns)
    dropped = drawing(frame, y)
    assert dropped.n_features_in_ == 3
    assert dropped.estimator_.feature_names_in_.tolist() == ["income", "debt"]


def test_the_rule_records_how_it_came_to_be(applicants: Any) -> None:
    """Parameters that are not the default, estimators by their classes, versions; never the key."""
    frame, y = applicants
    X = numbers(frame)
    options: dict[str, Any] = {"criterion": "equalized-odds", "tolerance": 0.05, "cv": 3}
    model = fair(LogisticRegression(C=0.5), key=b"secret", n_jobs=1, stamp=True, **options)
    source = model.fit(X, y, sensitive_features=frame.sex).rule_.record["source"]
    assert source["command"] == (
        "evenhand.FairThresholdClassifier(LogisticRegression, criterion='equalized-odds', "
        "tolerance=0.05, cv=3).fit(X, y)"
    )
    assert source["versions"]["scikit-learn"] == sklearn.__version__
    assert "time" in source
    assert "secret" not in model.rule_.to_json()
    plain = fair(LogisticRegression(C=0.5), source=False, **options)
    record = plain.fit(X, y, sensitive_features=frame.sex).fit_.to_dict()
    assert "source" not in record
    assert record == {key: one for key, one in model.rule_.record.items() if key != "source"}
    soft = fair(sensitive_features=None, group_estimator=LogisticRegression(), tolerance=0.1)
    command = soft.fit(X, y, sensitive_features=frame.sex).rule_.record["source"]["command"]
    assert "group_estimator=LogisticRegression" in command
    with pytest.raises(TypeError, match="source must be"):
        fair(source=[3]).fit(X, y, sensitive_features=frame.sex)
