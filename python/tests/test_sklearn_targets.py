"""FairThresholdClassifier: classes, weights, and targets that cannot be."""
# ruff: noqa: N806  scikit-learn calls it X

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from applicants import ROWS, fair, numbers
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

pytestmark = pytest.mark.usefixtures("one_thread")


def test_classes_of_any_kind(applicants: Any) -> None:
    frame, y = applicants
    X, sex = numbers(frame), frame.sex
    plain = fair(gamma=0.4).fit(X, y, sensitive_features=sex)
    decided = plain.predict(X, sensitive_features=sex)
    for negative, positive in (("no", "yes"), (-1, 1), (False, True), (2.0, 3.0)):
        labels = np.where(y == 1, positive, negative)
        model = fair(gamma=0.4, pos_label=positive).fit(X, labels, sensitive_features=sex)
        assert model.classes_.tolist() == [negative, positive]
        assert model.rule_ == plain.rule_
        assert np.array_equal(model.predict(X, sensitive_features=sex) == positive, decided == 1)
        assert model.audit(X, labels, sensitive_features=sex).accuracy is not None
    texts = pd.Series(np.where(y == 1, "yes", "no"), dtype="string")
    assert fair(gamma=0.4, pos_label=max).fit(X, texts, sensitive_features=sex).rule_ == plain.rule_


def test_pos_label_says_which_class_is_favourable(applicants: Any) -> None:
    frame, y = applicants
    X, sex = numbers(frame), frame.sex
    labels = np.where(y == 1, "accept", "reject")
    model = fair(pos_label="accept").fit(X, labels, sensitive_features=sex)
    plain = fair().fit(X, y, sensitive_features=sex)
    assert model.pos_label_ == "accept"
    one = model.predict_proba(X, sensitive_features=sex)
    other = plain.predict_proba(X, sensitive_features=sex)
    assert np.allclose(one[:, 0], other[:, 1], atol=1e-9)
    share = np.mean((model.predict(X, sensitive_features=sex) == "accept") == (y == 1))
    assert share == model.score(X, labels, sensitive_features=sex)
    for unclear in (labels, np.where(y == 1, 1, 2), np.where(y == 1, 1, -1)):
        with pytest.raises(ValueError, match="give pos_label, the favourable one of the classes"):
            fair().fit(X, unclear, sensitive_features=sex)
    assert fair().fit(X, y == 1, sensitive_features=sex).pos_label_
    raw = fair(LinearSVC(random_state=0), pos_label="accept")
    raw.fit(X, labels, sensitive_features=sex)
    assert np.mean(raw.predict(X, sensitive_features=sex) == labels) > 0.6


def test_weights_count_like_repeated_rows(applicants: Any) -> None:
    frame, y = applicants
    X, sex = numbers(frame), frame.sex.to_numpy()
    weight = np.random.default_rng(2).integers(1, 4, ROWS)
    rows = np.repeat(np.arange(ROWS), weight)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    weighted = fair(tree, cv=None).fit(X, y, sensitive_features=sex, sample_weight=weight)
    repeated = fair(tree, cv=None).fit(X[rows], y[rows], sensitive_features=sex[rows])
    assert weighted.fit_.objective == pytest.approx(repeated.fit_.objective, abs=1e-9)
    assert np.allclose(
        weighted.predict_proba(X, sensitive_features=sex),
        repeated.predict_proba(X, sensitive_features=sex),
        atol=1e-9,
    )
    # The inner classifier has them too.
    tree.fit(X, y, sample_weight=weight)
    assert np.array_equal(weighted.estimator_.predict_proba(X), tree.predict_proba(X))


def test_weights_that_the_classifier_cannot_take_are_said(applicants: Any) -> None:
    frame, y = applicants
    X, weight = numbers(frame), np.ones(ROWS)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    with pytest.warns(UserWarning, match="Pipeline.fit takes no sample_weight"):
        fair(pipeline).fit(X, y, sensitive_features=frame.sex, sample_weight=weight)
    fair(pipeline).fit(  # both have it
        X,
        y,
        sensitive_features=frame.sex,
        sample_weight=weight,
        logisticregression__sample_weight=weight,
    )


def test_targets_that_are_wrong(applicants: Any) -> None:
    frame, y = applicants
    X, sex = numbers(frame), frame.sex
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        fair().fit(X, np.arange(ROWS) % 3, sensitive_features=sex)
    with pytest.raises(ValueError, match="y must have two classes, not one class: \\[0\\]"):
        fair().fit(X, 0 * y, sensitive_features=sex)
    rare = np.where(np.arange(ROWS) == 5, "rare", "usual")
    with pytest.raises(ValueError, match="one row only of the class 'rare'"):
        fair(pos_label="rare").fit(X, rare, sensitive_features=sex)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        fair().fit(X, y[:-1], sensitive_features=sex)
    with pytest.raises(ValueError, match="sample_weight leaves rows of one class only"):
        fair().fit(X, y, sensitive_features=sex, sample_weight=y)
    weight = np.where(np.arange(ROWS) == 4, -0.5, 1.0)
    with pytest.raises(ValueError, match="must not be negative, but that of row 4 is -0.5"):
        fair().fit(X, y, sensitive_features=sex, sample_weight=weight)
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        fair().fit(X, y, sensitive_features=sex, sample_weight=-np.ones(ROWS))
    order = np.argsort(y)
    tree = DecisionTreeClassifier(max_depth=2)  # which is content with one class
    with pytest.raises(ValueError, match="a fold without the other one"):
        fair(tree, cv=KFold(2)).fit(X[order], y[order], sensitive_features=sex[order])
    model = fair().fit(X, y, sensitive_features=sex)
    with pytest.raises(ValueError, match="y has the class 7, which fit has not seen"):
        model.audit(X, 7 * y, sensitive_features=sex)
