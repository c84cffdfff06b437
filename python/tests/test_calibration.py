"""Calibration curves are those of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.calibration import CalibratedClassifierCV, _SigmoidCalibration
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

import evenhand

Floats = npt.NDArray[np.float64]


def rows(seed: int, count: int = 800) -> tuple[Floats, npt.NDArray[Any], Floats, Floats]:
    """Margins, groups whose margins mean different things, labels, and weights."""
    rng = np.random.default_rng(seed)
    group = rng.choice(["a", "b", "c"], count)
    score = rng.normal(0, 2, count)
    score[rng.random(count) < 0.3] = np.round(score[rng.random(count) < 0.3].mean(), 1)
    slope = np.select([group == "a", group == "b"], [1.0, 0.4], 2.0)
    label = (rng.random(count) < 1 / (1 + np.exp(0.3 - slope * score))).astype(float)
    return score, group, label, rng.integers(1, 6, count).astype(float)


def platt(score: Floats, label: Floats, weight: Floats | None, at: Floats) -> Floats:
    curve = _SigmoidCalibration().fit(score, label, sample_weight=weight)
    predicted: Floats = curve.predict(at)
    return predicted


def isotonic(score: Floats, label: Floats, weight: Floats | None, at: Floats) -> Floats:
    curve = IsotonicRegression(out_of_bounds="clip").fit(score, label, sample_weight=weight)
    predicted: Floats = curve.predict(at)
    return predicted


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("by", ["all", "cell"])
@pytest.mark.parametrize("method", ["platt", "isotonic"])
@pytest.mark.parametrize("seed", range(4))
def test_the_same_probabilities(method: str, by: str, weighted: bool, seed: int) -> None:
    score, group, label, weight = rows(seed)
    calibrator = evenhand.calibrate(
        score, group, label=label, weight=weight if weighted else None, method=method, by=by,
        scale="raw",
    )  # fmt: skip
    ours = calibrator.probability(score, group)
    theirs = platt if method == "platt" else isotonic
    pools = [np.full(len(score), True)] if by == "all" else [group == g for g in np.unique(group)]
    for pool in pools:
        expected = theirs(score[pool], label[pool], weight[pool] if weighted else None, score[pool])
        np.testing.assert_allclose(ours[pool], expected, rtol=0, atol=1e-6)


def test_the_calibrated_classifier() -> None:
    """The whole of scikit-learn's own way: a model that must not be refitted, and its margins."""
    rng = np.random.default_rng(1)
    features = rng.normal(size=(1500, 3))
    label = (features @ [1.0, -1.0, 0.5] + rng.logistic(size=1500) > 0).astype(int)
    model = LogisticRegression(C=0.01).fit(features[:500], label[:500])
    held = slice(500, 1000)
    calibrated = CalibratedClassifierCV(FrozenEstimator(model), method="sigmoid", cv=2)
    calibrated.fit(features[held], label[held])
    margin = model.decision_function(features)
    # It averages over folds, each fitted on half of the rows.
    ours = []
    for fold in calibrated.calibrated_classifiers_:
        curve = fold.calibrators[0]
        ours.append(1 / (1 + np.exp(curve.a_ * margin[1000:] + curve.b_)))
    np.testing.assert_allclose(
        calibrated.predict_proba(features[1000:])[:, 1], np.mean(ours, axis=0), atol=1e-12
    )
    ensemble = CalibratedClassifierCV(FrozenEstimator(model), method="sigmoid", ensemble=False)
    ensemble.fit(features[held], label[held])
    calibrator = evenhand.calibrate(
        margin[held], label=label[held], method="platt", by="all", scale="raw"
    )
    np.testing.assert_allclose(
        calibrator.probability(margin[1000:]),
        ensemble.predict_proba(features[1000:])[:, 1],
        rtol=0,
        atol=1e-6,
    )


def test_few_rows_and_one_outcome() -> None:
    score = np.array([-1.0, 0.0, 0.5, 2.0])
    for label in ([0, 0, 1, 1], [0, 1, 0, 1]):
        labels = np.array(label, dtype=float)
        calibrator = evenhand.calibrate(score, label=labels, method="platt", by="all", scale="raw")
        np.testing.assert_allclose(
            calibrator.probability(score), platt(score, labels, None, score), rtol=0, atol=1e-6
        )


def test_a_fit_uses_these_curves() -> None:
    score, group, label, _ = rows(9)
    fit = evenhand.fit(
        score, group, label=label, criterion="statistical-parity", calibrate="platt", scale="raw",
        calibrate_by="all",
    )  # fmt: skip
    p = platt(score, label, None, score)
    before = (p > 0.5).mean()
    assert fit.before.selection_rate == pytest.approx(before, abs=1e-12)
