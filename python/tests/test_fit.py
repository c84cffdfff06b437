"""fit, its options, and what comes out."""

from __future__ import annotations

import gc
import json
import pickle
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import People

import evenhand
from evenhand import Fit, InfeasibleError, SoftFit, SoftRule, Tally


def parity(people: People, **options: Any) -> Fit:
    found: Fit = evenhand.fit(
        people.score, {"sex": people.sex}, criterion="statistical-parity", **options
    )
    return found


def test_the_guarantee_holds_for_applied_probabilities(people: People) -> None:
    fit = parity(people)
    q = fit.rule.probability(people.score, people.sex)
    rates = [q[people.sex == sex].mean() for sex in ("F", "M")]
    assert abs(rates[0] - rates[1]) < 1e-12
    assert fit.status == "optimal"
    assert fit.gap < 1e-9
    assert fit.violation < 1e-9
    assert fit.primal == fit.objective <= fit.dual + 1e-9
    assert fit.objective <= fit.base


@pytest.mark.parametrize("name", ["statistical_parity", "equal_rates", "four_fifths"])
def test_underscores_are_as_good_as_hyphens(people: People, name: str) -> None:
    fit = evenhand.fit(people.score, people.sex, criterion=name)
    assert fit.rule == evenhand.fit(people.score, people.sex, criterion=name.replace("_", "-")).rule
    assert fit.criterion["name"] == name.replace("_", "-")


def test_audits_before_and_after(people: People) -> None:
    fit = parity(people, label=people.label)
    assert not fit.after.expected
    assert fit.after.largest_difference == pytest.approx(0, abs=1e-12)
    assert fit.before.largest_difference > 0.05
    accuracy = np.mean((people.score > 0.5) == people.label)
    assert fit.before.accuracy == pytest.approx(accuracy)


def test_records_are_plain(people: People) -> None:
    fit = parity(people, within={"race": people.race})
    assert [cell["cell"] for cell in fit.cells] == fit.tally.cells == fit.rule.cells
    assert len(fit.strata) == 3
    assert all(len(stratum["compared"]) == 2 for stratum in fit.strata)
    json.dumps([fit.cells, fit.strata, fit.constraints, fit.criterion, fit.to_dict()])
    odds = evenhand.fit(people.score, people.sex, criterion="equalized-odds", label=people.label)
    assert odds.constraints
    assert {term["rate"] for c in odds.constraints for term in c["terms"]} <= {
        "true_positive_rate",
        "false_positive_rate",
    }


def test_a_tally_stands_for_its_rows(people: People) -> None:
    tally = Tally(people.score, {"sex": people.sex, "race": people.race})
    by_sex = evenhand.fit(tally, "sex", criterion="statistical-parity")
    assert by_sex.rule == parity(people).rule
    within = evenhand.fit(tally, "sex", within="race", criterion="statistical-parity")
    assert within.rule == parity(people, within={"race": people.race}).rule
    assert within.rule.attributes == ["sex", "race"]
    both = evenhand.fit(tally, criterion="statistical-parity")
    assert len(both.cells) == 6


def test_adding_to_a_tally_later_does_not_change_the_fit(people: People) -> None:
    tally = Tally(people.score, {"sex": people.sex})
    fit = evenhand.fit(tally, criterion="statistical-parity")
    tally.add([0.5], ["F"])
    assert fit.tally.total == len(people.score)
    assert fit.to_dict()["rows"] == len(people.score)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label": [0]}, "label is about rows"),
        ({"weight": [1]}, "weight is about rows"),
        ({"scale": "logit"}, "made with scale probability"),
        ({"favorable": "low"}, "made with favorable high"),
        ({"resolution": 16}, "made with resolution exact"),
    ],
)
def test_a_tally_cannot_be_changed(options: dict[str, Any], message: str) -> None:
    tally = Tally([0.1, 0.9], ["a", "b"])
    with pytest.raises(ValueError, match=message):
        evenhand.fit(tally, criterion="statistical-parity", **options)


def test_a_tally_needs_roles(tmp_path: Path) -> None:
    Tally([0.1, 0.9], {"sex": ["F", "M"]}).save(tmp_path / "x.tally")
    tally = Tally.load(tmp_path / "x.tally")
    with pytest.raises(ValueError, match="sensitive is missing"):
        evenhand.fit(tally, criterion="statistical-parity")
    with pytest.raises(IndexError, match="no attribute"):
        evenhand.fit(tally, "gender", criterion="statistical-parity")
    with pytest.raises(TypeError, match="names of its attributes"):
        evenhand.fit(tally, [1, 2], criterion="statistical-parity")
    assert evenhand.fit(tally, "sex", criterion="statistical-parity").status == "optimal"


def test_infeasible_requirements_carry_their_clash(people: People) -> None:
    with pytest.raises(
        InfeasibleError, match="rate >= 0.2, together .* relaxing every bound by 0.05"
    ) as caught:
        parity(people, require=["rate <= 0.1", "rate >= 0.2"])
    error = caught.value
    assert error.clash == ["rate <= 0.1", "rate >= 0.2"]
    assert error.common_slack == pytest.approx(0.05)
    assert error.total_violation == pytest.approx(0.1)
    assert error.certificate
    copy = pickle.loads(pickle.dumps(error))
    assert copy.clash == error.clash
    assert str(copy) == str(error)
    with pytest.raises(InfeasibleError):
        evenhand.frontier(
            people.score,
            people.sex,
            criterion="statistical-parity",
            require=["rate <= 0.1", "rate >= 0.2"],
        )


def test_one_requirement_may_be_a_text(people: People) -> None:
    fit = evenhand.fit(people.score, {"sex": people.sex}, require="rate[sex=F] <= 0.1")
    q = fit.rule.probability(people.score, people.sex)
    assert q[people.sex == "F"].mean() <= 0.1 + 1e-12
    assert "requirements" in repr(fit)


def test_requirements_without_attributes(people: People) -> None:
    fit = evenhand.fit(people.score, require="rate <= 0.1")
    assert fit.rule.attributes == []
    assert fit.rule.probability(people.score).mean() == pytest.approx(0.1)
    assert "optimal" in repr(fit)
    assert "optimal" in fit._repr_html_()
    assert fit.to_dict()["after"]["selection_rate"] == pytest.approx(0.1)


def test_sgd_comes_close(people: People) -> None:
    exact = parity(people, gamma=0.1)
    sgd = parity(people, gamma=0.1, solver="sgd", epochs=50, seed=3, record_every=1000)
    assert sgd.status == "approximate"
    assert sgd.steps == 50 * len(people.score)
    assert sgd.learning_rate > 0
    assert sgd.multipliers[0]["cell"] == {"sex": "F"}
    assert [point["step"] for point in sgd.trace][:3] == [0, 1000, 2000]
    assert sgd.dual >= exact.objective - 1e-9
    assert sgd.violation < 0.05
    assert "sgd" in json.loads(sgd.to_json())["fit"]
    again = parity(people, gamma=0.1, solver="sgd", epochs=50, seed=3, threads=1)
    assert again.rule == sgd.rule


def test_gamma_auto_is_the_schedule(people: People) -> None:
    width = evenhand.theory.gamma_schedule(len(people.score))
    assert parity(people, gamma="auto").rule == parity(people, gamma=width).rule


def test_a_calibrator_that_was_fitted_before(people: People) -> None:
    calibrator = evenhand.calibrate(people.score, {"sex": people.sex}, label=people.label)
    given = parity(people, label=people.label, calibrate=calibrator)
    fitted = parity(people, label=people.label, calibrate="isotonic")
    # Scores that were pooled are still told apart by a calibrator from elsewhere.
    assert given.objective == pytest.approx(fitted.objective)
    assert given.objective != pytest.approx(parity(people).objective)


def test_soft_attributes_of_zero_and_one_are_known_groups(people: People) -> None:
    women = (people.sex == "F").astype(float)
    soft = evenhand.fit_soft(people.score, soft={"woman": women}, gamma=0.1)
    named = {"criterion": "statistical_parity", "gamma": 0.1}
    assert evenhand.fit_soft(people.score, soft={"woman": women}, **named).rule == soft.rule
    hard = parity(people, gamma=0.1)
    assert isinstance(soft, SoftFit)
    assert soft.status == "optimal"
    assert soft.objective == pytest.approx(hard.objective)
    q = soft.rule.probability(people.score, women)
    assert np.allclose(q, hard.rule.probability(people.score, people.sex), atol=1e-7)


def test_soft_rules_have_files_coins_and_strata(people: People, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    belongs = rng.random((len(people.score), 2)) * people.score[:, None] / 2
    fit = evenhand.fit_soft(
        people.score, soft=belongs, within={"race": people.race}, weight=people.weight
    )
    assert fit.rule.columns == ["soft_1", "soft_2"]
    assert fit.rule.attributes == ["race"]
    assert len(fit.strata) == len(fit.rule.strata) == 3
    fit.save(tmp_path / "soft.json")
    loaded = evenhand.load(tmp_path / "soft.json")
    assert isinstance(loaded, SoftRule)
    assert loaded == fit.rule == pickle.loads(pickle.dumps(loaded))
    assert loaded.record == fit.to_dict()
    q = loaded.probability(people.score, belongs, people.race)
    frame = {
        "score": people.score,
        "race": people.race,
        "soft_2": belongs[:, 1],
        "soft_1": belongs[:, 0],
    }
    assert np.array_equal(loaded.probability("score", data=frame), q)
    ids = [str(i) for i in range(len(q))]
    by_key = loaded.decide(people.score, belongs, people.race, id=ids, key="k")
    by_seed = loaded.decide(people.score, belongs, people.race, seed=1)
    for decisions in (by_key, by_seed):
        assert np.array_equal(decisions[q == 0], np.zeros(np.sum(q == 0)))
        assert np.array_equal(decisions[q == 1], np.ones(np.sum(q == 1)))
    assert "soft_1" in loaded.explain()
    assert "soft_1" in repr(fit)
    with pytest.raises(IndexError, match="never seen"):
        loaded.probability([0.5], {"soft_1": [0.1], "soft_2": [0.2]}, {"race": ["x"]})


def test_fits_pickle(people: People) -> None:
    for fit in (
        parity(people),
        parity(people, solver="sgd", epochs=1),
        evenhand.fit_soft(people.score, soft=[people.score]),
    ):
        copy = pickle.loads(pickle.dumps(fit))
        assert copy == fit
        assert copy.after == fit.after
        assert copy.to_json() == fit.to_json()
        assert copy.rule == fit.rule
        assert repr(copy) == repr(fit)


@pytest.mark.parametrize("kind", ["rows", "soft"])
def test_the_rows_go_with_the_fit_and_the_rule_keeps_its_record(people: People, kind: str) -> None:
    if kind == "soft":
        women = np.array([0.9 if sex == "F" else 0.2 for sex in people.sex])
        fit: Any = evenhand.fit_soft(people.score, {"F": women})
    else:
        fit = evenhand.fit(people.score, people.sex, criterion="statistical-parity")
    rule, gone = fit.rule, weakref.ref(fit)
    gc.disable()
    try:
        del fit
        assert gone() is None
    finally:
        gc.enable()
    assert rule.record["status"] == "optimal"
    assert json.loads(rule.to_json())["fit"] == rule.record


def test_threads_do_not_change_the_result(people: People) -> None:
    assert parity(people, threads=1).to_json() == parity(people, threads=3).to_json()


def test_text_and_html(people: People) -> None:
    hostile = np.where(people.sex == "F", "<b>&", "M")
    fit = evenhand.fit(people.score, {"<i>": hostile}, criterion="statistical-parity")
    assert "<b>&" in repr(fit)
    page = fit._repr_html_() + fit.after._repr_html_()
    assert "&lt;b&gt;&amp;" in page
    assert "<b>" not in page
    assert "<i>" not in page


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, ValueError, "say what is fair: criterion="),
        ({"criterion": "parity"}, ValueError, "parity"),
        ({"criterion": "statistical-parity", "tolerance": 2}, ValueError, "tolerance"),
        ({"criterion": "statistical-parity", "ratio": 0.5}, ValueError, "ratio"),
        ({"criterion": "equal-rates", "rho": "x"}, ValueError, "rho is a number"),
        ({"criterion": "equalized-odds"}, ValueError, "needs labels, .*: give label="),
        ({"criterion": "statistical-parity", "across": "x"}, ValueError, "no across 'x'"),
        ({"criterion": "statistical-parity", "scale": "x"}, ValueError, "x"),
        ({"criterion": "statistical-parity", "favorable": "x"}, ValueError, "x"),
        ({"criterion": "statistical-parity", "resolution": "x"}, ValueError, "no resolution 'x'"),
        ({"criterion": "statistical-parity", "resolution": 99}, ValueError, "bits"),
        ({"criterion": "statistical-parity", "gamma": -1}, ValueError, "gamma"),
        ({"criterion": "statistical-parity", "gamma": "x"}, ValueError, "number or 'auto'"),
        ({"criterion": "statistical-parity", "cost_fp": -1}, ValueError, "cost"),
        ({"criterion": "statistical-parity", "calibrate": "x"}, ValueError, "x"),
        ({"criterion": "statistical-parity", "calibrate": "isotonic"}, ValueError, "label"),
        ({"criterion": "statistical-parity", "solver": "x"}, ValueError, "no solver 'x'"),
        ({"criterion": "statistical-parity", "solver": "sgd", "epochs": 0}, ValueError, "epochs"),
        ({"criterion": "statistical-parity", "label": [0, 2]}, ValueError, "row 1: the label 2"),
        (
            {"criterion": "statistical-parity", "weight": [-1, 1]},
            ValueError,
            "row 0: the weight -1",
        ),
        ({"criterion": "statistical-parity", "weight": [0, 0]}, ValueError, "zero"),
        ({"require": "rate <= "}, ValueError, "character"),
        ({"require": "rate[sex=X] <= 0.1"}, ValueError, "X"),
        ({"require": 3}, TypeError, "require must be"),
        ({"criterion": 3}, TypeError, "criterion must be"),
    ],
    ids=str,
)
def test_options_that_are_wrong(options: dict[str, Any], error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        evenhand.fit([0.1, 0.9], {"sex": ["F", "M"]}, **options)


@pytest.mark.parametrize(
    ("score", "message"),
    [
        ([0.1, 1.5], r"row 1: the score 1.5 is outside \[0, 1\]"),
        ([0.1, np.inf], "row 1: the score is infinite"),
        ([-0.1, 0.5], "row 0: the score -0.1"),
    ],
)
def test_scores_that_are_wrong(score: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evenhand.fit(score, ["F", "M"], criterion="statistical-parity")


def test_nobody_to_compare_with() -> None:
    with pytest.raises(ValueError, match="nothing to compare|compare"):
        evenhand.fit([0.1, 0.9], ["F", "F"], criterion="statistical-parity")
    with pytest.raises(ValueError, match="sensitive is missing"):
        evenhand.fit([0.1, 0.9], criterion="statistical-parity")
