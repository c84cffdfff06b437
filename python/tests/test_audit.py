"""Audits, frontiers, calibration and theory."""

from __future__ import annotations

import gc
import json
import math
import pickle
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import People

import evenhand
from evenhand import Tally, theory


def test_figures_are_those_of_the_rows(people: People) -> None:
    audit = evenhand.audit(people.score, {"sex": people.sex}, label=people.label)
    decided = people.score > 0.5
    for group in audit.groups:
        mine = people.sex == group["group"]["sex"]
        assert group["weight"] == mine.sum()
        assert group["selection_rate"] == pytest.approx(decided[mine].mean())
        good = mine & (people.label == 1)
        assert group["true_positive_rate"] == pytest.approx(decided[good].mean())
        low, high = group["selection_rate_interval"]
        assert low < group["selection_rate"] < high
    rates = [group["selection_rate"] for group in audit.groups]
    assert audit.largest_difference == pytest.approx(abs(rates[0] - rates[1]))
    assert audit.smallest_ratio == pytest.approx(min(rates) / max(rates))
    assert not audit.expected
    assert evenhand.audit(people.score, people.sex).expected


def test_frames_records_and_words(people: People) -> None:
    audit = evenhand.audit(people.score, {"sex": people.sex}, within={"race": people.race})
    frame = audit.to_frame()
    assert len(frame) == 6
    assert {"sex", "race", "selection_rate", "weight"} <= set(frame.columns)
    low, high = frame["selection_rate_low"], frame["selection_rate_high"]
    assert ((low < frame["selection_rate"]) & (frame["selection_rate"] < high)).all()
    assert "sex=F, race=a" in repr(audit)
    assert audit.selection_rate == audit.overall["selection_rate"]


def test_the_headline_says_what_it_is_about(people: People) -> None:
    groups = {"sex": people.sex}
    audit = evenhand.audit(people.score, groups, within={"race": people.race})
    between = audit.largest_difference_between
    assert between is not None
    assert audit.largest_difference == between["high"]["value"] - between["low"]["value"]
    stratum = between["stratum"]["race"]
    rates = [
        (people.score[(people.sex == sex) & (people.race == stratum)] > 0.5).mean()
        for sex in np.unique(people.sex)
    ]
    assert audit.largest_difference == pytest.approx(max(rates) - min(rates))
    for shown in (repr(audit), audit._repr_html_()):
        assert "largest difference" in shown
        assert f"within race={stratum}" in shown
    ratio = evenhand.audit(people.score, groups, criterion="four-fifths")
    assert ratio.headline.startswith(f"smallest ratio {ratio.smallest_ratio:.3f}")
    assert ratio.headline in repr(ratio)


def test_requirements_are_checked_on_new_rows(people: People) -> None:
    half = np.arange(len(people.score)) % 2 == 0
    data = people.columns()
    first, second = ({k: v[rows] for k, v in data.items()} for rows in (half, ~half))
    fit = evenhand.fit(
        "score", "sex", criterion="statistical-parity", require="rate <= 0.3", data=first
    )
    assert [one["holds"] for one in fit.after.requirements] == [True]
    audit = evenhand.audit(data=second, rule=fit)
    q = fit.rule.probability("score", data=second)
    assert audit.requirements[0]["value"] == pytest.approx(q.mean())
    assert audit.requirements[0]["holds"] == (q.mean() <= 0.3 + 1e-9)
    assert "rate <= 0.3" in repr(audit)
    other = evenhand.audit(data=second, rule=fit, require=["rate[sex=X] >= 0"])
    assert other.requirements[0]["value"] is None
    assert "sex=X" in other.requirements[0]["why_not"]


def test_groups_that_the_rule_does_not_know(people: People) -> None:
    rule = evenhand.fit(people.score, {"sex": people.sex}, criterion="statistical-parity").rule
    scores, sex = [0.1, 0.9, 0.2, 0.7], ["F", "X", "X", "M"]
    for unseen in ("score", "reject"):
        audit = evenhand.audit(scores, {"sex": sex}, rule=rule, unseen=unseen)
        q = rule.probability(scores, {"sex": sex}, unseen=unseen)
        assert audit.selection_rate == pytest.approx(q.mean())
        assert audit.unseen == [{"cell": {"sex": "X"}, "weight": 2.0}]


def test_small_groups_are_not_compared() -> None:
    scores, groups = [0.9, 0.1, 0.9, 0.1, 0.1], ["a", "a", "b", "b", "c"]
    assert evenhand.audit(scores, groups).largest_difference == 0.5
    audit = evenhand.audit(scores, groups, min_group=2)
    assert audit.largest_difference == 0
    assert len(audit.groups) == 3


def test_audits_are_saved_as_json(people: People, tmp_path: Path) -> None:
    fit = evenhand.fit(people.score, people.sex, criterion="statistical-parity")
    fit.after.save(tmp_path / "audit.json")
    found = json.loads((tmp_path / "audit.json").read_text())
    assert found == fit.after.to_dict() == fit.before.to_dict()
    assert found["largest_difference"] == fit.after.largest_difference
    assert found["before"]["groups"] == fit.before.groups
    assert found["after"]["cells"] == fit.after.cells


def test_a_wider_confidence_widens_intervals(people: People) -> None:
    narrow = evenhand.audit(people.score, people.sex, confidence=0.5)
    wide = evenhand.audit(people.score, people.sex, confidence=0.99)
    for a, b in zip(narrow.groups, wide.groups, strict=True):
        assert b["selection_rate_interval"][0] < a["selection_rate_interval"][0]


def test_calibration_of_scores(people: People) -> None:
    audit = evenhand.audit(people.score, people.sex, label=people.label, calibration_bins=5)
    assert audit.calibration is not None
    assert len(audit.calibration["overall"]["bins"]) <= 5
    assert audit.to_dict()["before"]["calibration"] == audit.calibration


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"rule": 3}, TypeError, "rule must be a Rule"),
        ({"confidence": 2}, ValueError, "confidence"),
        ({"criterion": "equalized-odds"}, ValueError, "needs labels"),
        ({"reference": "X"}, ValueError, "reference X is not one of the groups; there are F, M"),
        ({"unseen": "x"}, ValueError, "no unseen 'x': choose error, score or reject"),
        ({"min_group": -1}, ValueError, "smallest group"),
        ({"require": "rate <="}, ValueError, "expected a number"),
        ({"across": "x"}, ValueError, "no across"),
        ({"calibration_bins": 5}, ValueError, "label"),
        ({"decision": [0, 1]}, ValueError, "either score or decision"),
        ({"sensitive": None}, ValueError, "sensitive is missing"),
        ({"score": None}, ValueError, "score is missing"),
        ({"score": None, "decision": [0, 2]}, ValueError, "row 1: the decision 2 is neither"),
        ({"score": None, "decision": [0, np.nan]}, ValueError, "decision has a missing value"),
        (
            {"score": None, "sensitive": None, "decision": Tally([0.5], ["a"])},
            ValueError,
            "this tally is of scores",
        ),
    ],
    ids=str,
)
def test_audits_that_are_wrong(options: dict[str, Any], error: Any, message: str) -> None:
    given = {"score": [0.1, 0.9], "sensitive": {"sex": ["F", "M"]}, **options}
    with pytest.raises(error, match=message):
        evenhand.audit(given.pop("score"), given.pop("sensitive"), **given)


def test_a_rule_that_has_never_seen_a_group(people: People) -> None:
    rule = evenhand.fit(people.score, {"sex": people.sex}, criterion="statistical-parity").rule
    with pytest.raises(IndexError, match="never seen sex=X"):
        evenhand.audit([0.1, 0.9], {"sex": ["F", "X"]}, rule=rule)
    with pytest.raises(ValueError, match="needs the attribute 'sex'"):
        evenhand.audit([0.1, 0.9], {"gender": ["F", "M"]}, rule=rule)


def test_a_reference_may_be_a_number() -> None:
    audit = evenhand.audit([0.2, 0.8, 0.9], [1, 2, 3], reference=2)
    assert [one["difference"] for one in audit.against_reference] == [-1.0, 0.0]
    assert audit.largest_difference == 1


def test_a_harm_is_audited_as_one() -> None:
    audit = evenhand.audit(sensitive=["a", "a"], decision=[1, 0], label=[0, 1], favorable="low")
    assert audit.accuracy == 1


def test_the_frontier_never_falls(people: People) -> None:
    found = evenhand.frontier(people.score, people.sex, criterion="statistical-parity")
    objectives = [point["objective"] for point in found]
    assert objectives == sorted(objectives)
    assert len(found) == 8
    assert found[0]["tolerance"] == 0
    assert found[:2] == list(found)[:2]
    assert list(found.to_frame()["tolerance"]) == [point["tolerance"] for point in found]
    assert "tolerance" in repr(found)
    assert "<table>" in found._repr_html_()
    assert found.expected
    at = evenhand.frontier(
        people.score, people.sex, criterion="statistical-parity", at=np.array([0.0, 0.01])
    )
    assert list(at) == list(found)[:2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"at": [0.1], "breakpoints": True}, "either at or breakpoints"),
        ({"criterion": "equalized-odds"}, "needs labels"),
        ({"criterion": "four-fifths", "breakpoints": True}, "tolerance"),
        ({"at": [2]}, "tolerance"),
        ({"criterion": None}, "say what is fair"),
    ],
    ids=str,
)
def test_frontiers_that_are_wrong(options: dict[str, Any], message: str) -> None:
    given = {"criterion": "statistical-parity", **options}
    with pytest.raises(ValueError, match=message):
        evenhand.frontier([0.1, 0.9], ["F", "M"], **given)


@pytest.mark.parametrize("method", ["isotonic", "platt", "temperature"])
@pytest.mark.parametrize("by", ["cell", "all"])
def test_calibrators(method: str, by: str, people: People) -> None:
    found = evenhand.calibrate(
        people.score, {"sex": people.sex}, label=people.label, method=method, by=by
    )
    assert (found.method, found.by) == (method, by)
    p = found.probability(people.score, people.sex)
    order = np.lexsort((people.score, people.sex))
    rising = np.diff(p[order])[np.diff(people.score[order]) > 0]
    assert np.all(rising >= 0)
    assert found.after()["overall"]["log_loss"] <= found.before()["overall"]["log_loss"] + 1e-9
    copy = pickle.loads(pickle.dumps(found))
    assert copy == found
    assert np.array_equal(copy.probability(people.score, people.sex), p)
    assert repr(found) == f"Calibrator({method}, by {by})"
    if by == "cell":
        frame = {"score": people.score, "sex": people.sex}
        assert np.array_equal(found.probability("score", data=frame), p)
    with pytest.raises(ValueError, match="row 0: the score is not valid"):
        found.probability([3.0], {"sex": ["F"]})


def test_calibrators_that_are_wrong(people: People) -> None:
    with pytest.raises(ValueError, match="label"):
        evenhand.calibrate(people.score, people.sex)
    with pytest.raises(ValueError, match="choose a method"):
        evenhand.calibrate(people.score, people.sex, label=people.label, method="none")
    with pytest.raises(ValueError, match="x"):
        evenhand.calibrate(people.score, people.sex, label=people.label, by="x")


def test_theory() -> None:
    found = theory.impossibility([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.2], weight=[1, 1, 2, 1])
    assert found.value >= found.bound - 1e-12
    assert found.witness.shape == (4,)
    with pytest.raises(ValueError, match="row 1: the decision 2"):
        theory.impossibility([0, 2], [0.5, 0.5])
    with pytest.raises(ValueError, match="membership has a missing value"):
        theory.impossibility([0, 1], [0.5, np.nan])
    risk = theory.excess_risk(1e12, 0.01, strata=3)
    expected = 0.02 + 8 * 102 / 1e4 + 4 * math.sqrt((9 + 2 * math.log(40)) / 1e12)
    assert risk.printed.value == pytest.approx(expected)
    assert not risk.printed.vacuous
    error = theory.sgd_error(100, 1.0)
    assert error.learning_rate == pytest.approx(0.2)
    at = theory.sgd_error_at(100, 1.0, learning_rate=error.learning_rate, box=2.0)
    assert at == pytest.approx(error.corrected)
    with pytest.raises(ValueError, match="b is 0, or rho: a rate from 0 to 1, not 7"):
        theory.sgd_error(100, 1.0, b=7)
    assert theory.gamma_schedule(Tally([0.5] * 64, ["a"] * 64)) == 0.5
    with pytest.raises(ValueError, match="row"):
        theory.gamma_schedule(0)


# --- Options of types that make no sense.


@pytest.mark.parametrize(
    ("options", "error", "name"),
    [
        ({"tolerance": "0.1"}, TypeError, "tolerance must be a number, not '0.1'"),
        ({"ratio": [0.8]}, TypeError, "ratio must be a number"),
        ({"rho": [0.8]}, TypeError, "rho must be a number"),
        ({"across": 1}, TypeError, "across must be a text"),
        ({"require": [1]}, TypeError, "require must be a text"),
        ({"threads": -1}, ValueError, "threads must be .* not -1"),
        ({"threads": 10**12}, ValueError, "threads must be"),
        ({"threads": 1.5}, TypeError, "threads must be a whole number, not 1.5"),
        ({"scale": 1}, TypeError, "scale must be a text"),
        ({"favorable": 1}, TypeError, "favorable must be a text"),
        ({"gamma": np.zeros(2)}, TypeError, "gamma must be a number"),
        ({"cost_fp": None}, TypeError, "cost_fp must be a number, not None"),
        ({"cost_fn": "1"}, TypeError, "cost_fn must be a number"),
        ({"base_threshold": "1"}, TypeError, "base_threshold must be a number"),
        ({"calibrate": 1}, TypeError, "calibrate must be a text"),
        ({"calibrate_by": 1}, TypeError, "calibrate_by must be a text"),
        ({"solver": "sgd", "learning_rate": "1"}, TypeError, "learning_rate must be a number"),
        ({"solver": "sgd", "steps": "1"}, TypeError, "steps must be a whole number"),
        ({"solver": "sgd", "epochs": "1"}, TypeError, "epochs must be a number"),
        ({"solver": "sgd", "seed": -1}, ValueError, "seed must be"),
        ({"solver": "sgd", "record_every": -1}, ValueError, "record_every must be"),
        ({"solver": "sgd", "projection": 1}, TypeError, "projection must be a text"),
    ],
    ids=lambda value: next(reversed(value)) if isinstance(value, dict) else "",
)
def test_options_of_the_wrong_type(options: dict[str, Any], error: Any, name: str) -> None:
    with pytest.raises(error, match=name) as raised:
        evenhand.fit([0.1, 0.9], ["a", "b"], **{"criterion": "statistical-parity", **options})
    assert "\n" not in str(raised.value)


def test_other_options_of_the_wrong_type() -> None:
    tally = evenhand.Tally([0.1, 0.9], ["a", "b"], label=[0, 1])
    for call in (
        lambda: evenhand.theory.gamma_schedule(np.ones(3)),  # type: ignore[arg-type]
        lambda: evenhand.theory.excess_risk("10", 0.1),  # type: ignore[arg-type]
        lambda: evenhand.theory.sgd_error(10, None),  # type: ignore[arg-type]
        lambda: evenhand.audit(tally, confidence="0.9"),  # type: ignore[arg-type]
        lambda: evenhand.audit(tally, calibration_bins="9"),  # type: ignore[arg-type]
        lambda: evenhand.calibrate(tally, method=1),  # type: ignore[arg-type]
        lambda: evenhand.calibrate(tally).before("9"),  # type: ignore[arg-type]
        lambda: evenhand.audit(tally, calibrator=5),  # type: ignore[arg-type]
        lambda: tally.pool_rare("9"),  # type: ignore[arg-type]
        lambda: evenhand.frontier(tally, criterion="equal-rates", at="0.1"),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match="must be a"):
            call()
    for names in (3, [3]):
        with pytest.raises(TypeError, match="names of"):
            tally.project(names)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="names of"):
            evenhand.audit(tally, names)


def test_a_frontier_at_one_number() -> None:
    points = evenhand.frontier([0.1, 0.9], ["a", "b"], criterion="statistical-parity", at=0.1)
    assert [point["tolerance"] for point in points] == [0.1]


def test_a_fit_is_audited_by_its_rule(people: People) -> None:
    fit = evenhand.fit(people.score, people.sex, criterion="statistical-parity")
    one = evenhand.audit(people.score, people.sex, rule=fit)
    assert one.to_dict() == evenhand.audit(people.score, people.sex, rule=fit.rule).to_dict()


def test_an_audit_is_gone_when_nobody_needs_it(people: People) -> None:
    groups = {"sex": people.sex, "race": people.race}
    audit = evenhand.audit(people.score, groups, across="both")
    assert [view.sensitive for view in audit.views] == [["sex", "race"], ["sex"], ["race"]]
    assert audit.views[0] is audit
    gone = weakref.ref(audit)
    gc.disable()
    try:
        del audit
        assert gone() is None
    finally:
        gc.enable()


def test_a_gap_is_shown_as_none_below_zero(people: People) -> None:
    fit = evenhand.fit(people.score, people.sex, criterion="statistical-parity")
    assert "within 0 of the best fair rule" in repr(fit)


def test_decisions_may_come_as_a_tally() -> None:
    """Counts of decisions, made elsewhere, say what their rows say."""
    rng = np.random.default_rng(4)
    decision = rng.integers(0, 2, 300).astype(float)
    label = rng.integers(0, 2, 300)
    sex = rng.choice(["F", "M"], 300)
    by_rows = evenhand.audit(decision=decision, sensitive={"sex": sex}, label=label)
    counted = evenhand.audit(decision=Tally(decision, {"sex": sex}, label=label))
    assert counted.to_json() == by_rows.to_json()
