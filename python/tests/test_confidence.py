"""People not met yet: bounds, certificates, plans, refits."""

from __future__ import annotations

import os
import pickle
from typing import Any

import numpy as np
import pytest
from conftest import People, make_people
from scipy import stats
from scipy.optimize import brentq, minimize_scalar

import evenhand
from evenhand import _core

TRIALS = 200 if os.environ.get("EVENHAND_FULL_ORACLES") else 20


def parity(people: People, **options: Any) -> evenhand.Fit:
    given = {"criterion": "statistical-parity", **options}
    return evenhand.fit(people.score, {"sex": people.sex}, **given)


def test_every_fit_bounds_the_difference_among_new_people(people: People) -> None:
    fit = parity(people, tolerance=0.02)
    assert fit.bound.value is not None
    assert 0.02 < fit.bound.value < 1
    assert fit.bound.kind == "same-rate"
    assert "On new people like these" in repr(fit)
    assert parity(people, tolerance=0.02, confidence=0.5).bound.value < fit.bound.value
    wider = parity(people, tolerance=0.02, bound="dkw").bound
    assert wider.value is not None
    assert wider.value > fit.bound.value
    assert pickle.loads(pickle.dumps(fit)).bound == fit.bound


def test_where_there_is_no_bound_the_reason_is_given(people: People) -> None:
    bound = parity(people, weight=people.weight * 0.5).bound
    assert bound.value is None
    assert not bound
    assert bound.reason in str(bound)


def test_ratios_are_bounded_from_below(people: People) -> None:
    bound = evenhand.fit(people.score, people.sex, criterion="four-fifths").bound
    assert bound.is_ratio
    assert bound.value is not None
    assert 0 < bound.value < 0.8


def test_a_certified_rule_keeps_the_tolerance_with_confidence() -> None:
    people = make_people(4000)
    fit = parity(people, tolerance=0.15, certify=0.95)
    assert fit.bound.value is not None
    assert fit.bound.value <= 0.15
    assert fit.certificate is not None
    assert fit.certificate["confidence"] == 0.95
    assert fit.objective <= parity(people, tolerance=0.15).objective + 1e-9
    assert "Certified at 95 % confidence" in repr(fit)


def test_too_few_rows_to_certify(people: People) -> None:
    with pytest.raises(evenhand.TooFewRowsError, match="too few people") as error:
        parity(people, tolerance=0.01, certify=0.95)
    assert error.value.rows == len(people.score)
    assert error.value.rows_needed > error.value.rows
    assert error.value.smallest > 0.01
    again = pickle.loads(pickle.dumps(error.value))
    assert (str(again), again.rows_needed) == (str(error.value), error.value.rows_needed)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 1.0}, "confidence lies between 0 and 1, for example 0.95, not 1.0"),
        ({"certify": 0.0}, "certify lies between 0 and 1"),
        ({"bound": "wide"}, "same-rate"),
        ({"certify_partial": True}, "certify_partial needs certify"),
        ({"certify": 0.9}, "tolerance"),
        ({"certify": 0.9, "confidence": 0.9}, "certify cannot be combined with confidence"),
        ({"certify": 0.9, "bound": "any"}, "certify cannot be combined with bound"),
        ({"certify": 0.9, "solver": "sgd"}, "certify cannot be combined with solver"),
        ({"certify": 0.9, "blind": True, "tolerance": 0.1}, "combined with blind"),
        ({"certify": 0.9, "gamma": 0.1, "tolerance": 0.1}, "gamma|threshold"),
        ({"certify": 0.9, "tolerance": 0.1, "require": "rate <= 0.5"}, "requirement"),
    ],
)
def test_bad_options(people: People, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parity(people, **options)


def test_a_plan_from_numbers() -> None:
    plan = evenhand.plan(tolerance=0.05, rate=0.2)
    assert plan.per_group
    assert plan.fitted > plan.fresh
    assert evenhand.plan(tolerance=0.1, rate=0.2).fitted < plan.fitted
    assert evenhand.plan(tolerance=0.05, rate=0.2, groups=4).fitted > plan.fitted
    assert evenhand.plan(ratio=0.8, rate=0.2).to_dict()["ratio"] == 0.8
    assert "people in each group" in repr(plan)


def test_a_plan_from_rows_says_what_they_can_do(people: People) -> None:
    plan = evenhand.plan(people.score, people.sex, criterion="statistical-parity", tolerance=0.05)
    assert plan.rows == len(people.score)
    assert plan.at_hand == pytest.approx(parity(people).bound.value, abs=0.02)
    assert not plan.per_group


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rate": 0.2}, "say what to show"),
        ({"tolerance": 0.1}, "give the selection rate"),
        ({"tolerance": 0.1, "rate": 0.2, "groups": 1}, "at least 2 groups"),
        ({"tolerance": 0.1, "rate": 1.5}, "rate"),
        ({"tolerance": 0.0, "rate": 0.5}, "tolerance"),
    ],
)
def test_bad_plans(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evenhand.plan(**options)


def test_refits_are_judged_by_rows_that_were_not_drawn(people: People) -> None:
    fit = parity(people, label=people.label)
    found = fit.bootstrap(20)
    assert len(found) == 20
    assert found.failed == 0
    assert np.all((found.differences >= 0) & (found.differences <= 1))
    assert found.differences.mean() > fit.violation  # in these data it is 0
    assert np.all((found.accuracies > 0.5) & (found.accuracies <= 1))
    assert 0 < found.changed.mean() < 0.5
    assert "20 refits" in repr(found)
    one, many = fit.bootstrap(20, threads=1), fit.bootstrap(20, threads=4)
    assert np.array_equal(one.differences, many.differences)
    assert not np.array_equal(one.differences, fit.bootstrap(20, seed=1).differences)
    assert len(found.records()) == 20


def test_a_bootstrap_needs_rows_that_count_once(people: People) -> None:
    with pytest.raises(ValueError, match="weighted rows"):
        parity(people, weight=people.weight / 2).bootstrap(2)
    with pytest.raises(ValueError, match="from 1 to 100,000"):
        parity(people).bootstrap(0)
    with pytest.raises(ValueError, match="pickled"):
        pickle.loads(pickle.dumps(parity(people))).bootstrap(2)


# --- The intervals, against scipy.


def counts(rng: np.random.Generator) -> tuple[float, float]:
    rows = int(rng.integers(1, 400))
    return float(rng.integers(0, rows + 1)), float(rows)


def test_exact_limits_are_those_of_clopper_and_pearson() -> None:
    rng = np.random.default_rng(0)
    for _ in range(TRIALS):
        positive, rows = counts(rng)
        alpha = float(rng.uniform(0.001, 0.3))
        low, high = _core.exact_limits((positive, rows), alpha)
        both = stats.binomtest(int(positive), int(rows)).proportion_ci(1 - 2 * alpha, "exact")
        assert low == pytest.approx(both.low, abs=1e-10)
        assert high == pytest.approx(both.high, abs=1e-10)


def test_fresh_differences_join_the_limits_of_both() -> None:
    rng = np.random.default_rng(1)
    for _ in range(TRIALS):
        one, two = counts(rng), counts(rng)
        alpha = float(rng.uniform(0.001, 0.3))
        rates = [count[0] / count[1] for count in (one, two)]
        high = stats.beta.ppf(1 - alpha, one[0] + 1, one[1] - one[0]) if one[0] < one[1] else 1.0
        low = stats.beta.ppf(alpha, two[0], two[1] - two[0] + 1) if two[0] > 0 else 0.0
        expected = rates[0] - rates[1] + np.hypot(high - rates[0], rates[1] - low)
        found = _core.fresh_difference_at_most(one, two, alpha)
        assert found == pytest.approx(min(1.0, expected), abs=1e-9)
        half = [_core.exact_limits(count, alpha / 2) for count in (one, two)]
        strict = _core.fresh_difference_at_most(one, two, alpha, True)
        assert strict == pytest.approx(half[0][1] - half[1][0], abs=1e-9)


def test_the_distance_of_rates_is_a_tempered_divergence() -> None:
    rng = np.random.default_rng(2)
    k = 1 / 50
    for _ in range(TRIALS):
        observed, actual = rng.random(2)
        scale = 1 + 2 * k
        r, p = (observed + k) / scale, (actual + k) / scale
        expected = scale**2 * stats.entropy([r, 1 - r], [p, 1 - p])
        assert _core.rate_distance(observed, actual) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def furthest(rate: float, spend: float, sign: int) -> float:
    """Return the true rate in this direction whose distance from the observed one is ``spend``."""
    end = 1.0 if sign > 0 else 0.0
    if spend <= 0 or rate == end:
        return rate
    if _core.rate_distance(rate, end) <= spend:
        return end
    return float(brentq(lambda p: _core.rate_distance(rate, p) - spend, rate, end, xtol=1e-14))


def test_bounds_are_the_worst_that_the_allowance_leaves_by_direct_optimisation() -> None:
    rng = np.random.default_rng(3)
    for _ in range(TRIALS):
        over, under = rng.random(2)
        sizes = tuple(rng.integers(5, 500, 2).astype(float))
        allowance = _core.same_rate_allowance(float(rng.uniform(0.001, 0.2)))

        def rates(part: float, given: Any = (over, under, sizes, allowance)) -> tuple[float, float]:
            """Spend this part of the allowance on one rate and the rest on the other."""
            one, two, m, limits = given
            high = furthest(one, part * limits[0] / m[0], 1)
            return high, furthest(two, (1 - part) * limits[1] / m[1], -1)

        grid = np.linspace(0, 1, 101)
        for found, worth in (
            (
                _core.difference_at_most(over, under, sizes, allowance),
                lambda part, rates=rates: rates(part)[0] - rates(part)[1],
            ),
            (
                -_core.ratio_at_least(under, over, sizes, allowance),
                lambda part, rates=rates: -rates(part)[1] / rates(part)[0],
            ),
        ):
            start = grid[np.argmax([worth(part) for part in grid])]
            around = (max(0.0, start - 0.01), min(1.0, start + 0.01))
            refined = minimize_scalar(
                lambda part, worth=worth: -worth(part), bounds=around, method="bounded"
            )
            best = max(-refined.fun, worth(start))
            assert found == pytest.approx(best, abs=1e-6)


def hired() -> dict[str, list[Any]]:
    """Return decisions: 18 of 60 women, 150 of 300 men."""
    yes = [1] * 18 + [0] * 42 + [1] * 150 + [0] * 150
    return {"sex": ["F"] * 60 + ["M"] * 300, "hired": yes}


def test_audits_of_decisions_bound_and_test_differences() -> None:
    found = evenhand.audit(decision="hired", sensitive="sex", data=hired())
    assert found.bound is not None
    assert found.ratio_bound is not None
    assert found.tests is not None
    assert found.bound.value == pytest.approx(0.325727, abs=5.1e-7)
    assert found.ratio_bound.value == pytest.approx(0.372751, abs=5.1e-7)
    assert found.ratio_bound.is_ratio
    assert not found.bound.is_ratio
    assert found.bound.shown is not None
    assert 0 < found.bound.shown < found.bound.observed
    (pair,) = found.tests["pairs"]
    assert pair["difference_interval"] == pytest.approx([-0.317628, -0.062978], abs=5.1e-7)
    assert pair["fisher_p"] == pytest.approx(0.00465068, abs=5.1e-9)
    assert not found.fitted
    assert "at most 32.6 %" in repr(found)
    wide = evenhand.audit(decision="hired", sensitive="sex", data=hired(), confidence=0.99)
    assert wide.bound is not None
    assert wide.bound.value > found.bound.value
    with pytest.raises(ValueError, match="give rule="):
        evenhand.audit(decision="hired", sensitive="sex", data=hired(), same_rows=True)


def test_audits_know_the_rows_of_the_fit(people: People) -> None:
    columns = {"score": people.score, "sex": people.sex}
    fit = evenhand.fit("score", "sex", criterion="statistical-parity", data=columns)
    assert fit.after.fitted
    assert fit.after.tests is None
    assert fit.after.bound == fit.bound
    assert fit.to_dict()["bound"] == fit.bound.to_dict()
    assert fit.audit(data=columns).fitted
    half = {name: values[::2] for name, values in columns.items()}
    fresh = fit.audit(data=half)
    assert not fresh.fitted
    assert fresh.tests is not None
    assert fresh.bound
    assert fit.audit(data=half, same_rows=True).fitted
    strict = evenhand.fit(
        "score", "sex", criterion="statistical-parity", data=columns, confidence=0.99, bound="dkw"
    )
    assert strict.to_dict()["bound"] == strict.bound.to_dict()
    assert strict.to_dict()["bound"]["kind"] == "dkw"
    again = evenhand.Rule.from_json(strict.rule.to_json())
    assert again.record["bound"] == strict.bound.to_dict()


def test_weighted_rows_count_by_their_effective_size() -> None:
    plain = evenhand.audit(decision="hired", sensitive="sex", data=hired())
    rows = {**hired(), "w": [2.5] * 360}
    weighted = evenhand.audit(decision="hired", sensitive="sex", weight="w", data=rows)
    assert plain.bound is not None
    assert weighted.bound is not None
    assert weighted.bound.value == pytest.approx(plain.bound.value, rel=1e-9)
    rows["w"][0] = 20.0
    uneven = evenhand.audit(decision="hired", sensitive="sex", weight="w", data=rows)
    assert uneven.tests is not None
    assert uneven.tests["pairs"][0]["rows"] < 60
