"""Criteria for soft groups, against HiGHS: a linear program with a variable for each row."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from conftest import People
from rates import COMPARED, Floats
from scipy.optimize import linprog

import evenhand

TRIALS = 200 if os.environ.get("EVENHAND_FULL_ORACLES") else 20
RATES = {name: rates for name, rates in COMPARED.items() if name != "equal-rates"}


def shares(people: dict[str, Any], rate: str) -> list[tuple[Floats, Floats]]:
    """For each column, what each row adds to the rate of those who belong and of the others."""
    p = people["score"]
    factor = {"everybody": np.ones_like(p), "favorable": p, "unfavorable": 1 - p}[rate]
    weight = people["weight"] * factor
    columns = people["given"][rate] if people["given"] else people["columns"]
    out = []
    for g in columns:
        belong, others = weight * g, weight * (1 - g)
        if belong.sum() > 0 and others.sum() > 0 and np.ptp(g[factor > 0]) > 0:
            out.append((belong / belong.sum(), others / others.sum()))
    return out


def draw(seed: int, criterion: str) -> dict[str, Any]:
    """Draw rows with ties, weights and unequal costs; sometimes columns given the outcome."""
    rng = np.random.default_rng(seed)
    rows, count = int(rng.integers(4, 40)), int(rng.integers(1, 4))
    columns = [rng.integers(0, 5, rows) / 4 for _ in range(count)]
    given = {}
    ratio = criterion == "four-fifths"
    if RATES[criterion] != ["everybody"] and seed % 3 == 0:
        given = {
            rate: [rng.integers(0, 5, rows) / 4 for _ in range(count)] for rate in RATES[criterion]
        }
    return {
        "score": rng.integers(0, 9, rows) / 8,
        "columns": columns,
        "given": given,
        "weight": rng.integers(1, 4, rows) * rng.choice([1.0, 0.5]),
        "costs": rng.choice([1.0, 1.0, 2.5], 2),
        "parameter": float(rng.choice([0.7, 0.8, 0.95, 1.0] if ratio else [0.0, 0.02, 0.1, 0.3])),
    }


def best(people: dict[str, Any], criterion: str) -> float:
    """Return the largest objective of any rule that sees each row."""
    p, (cost_fp, cost_fn) = people["score"], people["costs"]
    benefit = people["weight"] * (cost_fn * p - cost_fp * (1 - p))
    parameter = people["parameter"]
    rows, bounds = [], []
    for rate in RATES[criterion]:
        for belong, others in shares(people, rate):
            for one, two in ((belong, others), (others, belong)):
                ratio = criterion == "four-fifths"
                rows.append(parameter * one - two if ratio else one - two)
                bounds.append(0.0 if ratio else parameter)
    found = linprog(-benefit, A_ub=np.array(rows) if rows else None, b_ub=bounds or None,
                    bounds=(0, 1), method="highs")  # fmt: skip
    assert found.status == 0, found.message
    return float(-found.fun)


def options_of(people: dict[str, Any], criterion: str) -> dict[str, Any]:
    named = {f"p_{i}": column for i, column in enumerate(people["columns"])}
    columns: dict[str, Any] = {"soft": named}
    if people["given"]:
        columns = {
            f"soft_{rate}": {f"{rate}_{i}": column for i, column in enumerate(given)}
            for rate, given in people["given"].items()
        }
    strict = "ratio" if criterion == "four-fifths" else "tolerance"
    return {
        **columns,
        "criterion": criterion,
        strict: people["parameter"],
        "weight": people["weight"],
        "cost_fp": people["costs"][0],
        "cost_fn": people["costs"][1],
    }


@pytest.mark.parametrize("criterion", RATES)
def test_no_rule_that_sees_score_and_columns_does_better(criterion: str) -> None:
    compared = 0
    for seed in range(2 * TRIALS):
        people = draw(seed, criterion)
        if not all(shares(people, rate) for rate in RATES[criterion]):
            continue
        compared += 1
        options = options_of(people, criterion)
        fit = evenhand.fit_soft(people["score"], **options)
        scale = max(1.0, fit.magnitude)
        assert fit.status == "optimal", seed
        assert fit.objective == pytest.approx(best(people, criterion), abs=1e-7 * scale), seed
        given = [options[role] for role in options if role.startswith("soft")]
        columns = {name: values for group in given for name, values in group.items()}
        needed = {name: columns[name] for name in fit.rule.columns}
        q = fit.rule.probability(people["score"], needed)
        for rate in RATES[criterion]:
            for belong, others in shares(people, rate):
                low, high = sorted((float(belong @ q), float(others @ q)))
                if criterion == "four-fifths":
                    assert low >= people["parameter"] * high - 1e-9, seed
                else:
                    assert high - low <= people["parameter"] + 1e-9, seed
        if compared >= TRIALS:
            break
    assert compared >= TRIALS // 2


def test_tolerance_and_ratio_are_kept(people: People) -> None:
    women = {"woman": np.where(people.sex == "F", 0.8, 0.3)}
    exact = evenhand.fit_soft(people.score, women)
    loose = evenhand.fit_soft(people.score, women, tolerance=0.05)
    assert loose.after.largest_difference == pytest.approx(0.05, abs=1e-6)
    assert loose.objective >= exact.objective
    assert "by woman, tolerance 0.05" in repr(loose)
    fifths = evenhand.fit_soft(people.score, women, criterion="four-fifths", ratio=0.9)
    assert fifths.after.smallest_ratio is not None
    assert fifths.after.smallest_ratio >= 0.9 - 1e-9


def test_figures_are_those_of_the_criterion(people: People) -> None:
    """The audits of a fit, and of its rule, compare what the criterion does."""
    women = {"woman": np.where(people.sex == "F", 0.8, 0.3)}
    fit = evenhand.fit_soft(people.score, women, criterion="equalized_odds", tolerance=0.1)
    assert fit.criterion == "equalized-odds"
    assert fit.after.largest_difference is not None
    assert fit.after.largest_difference <= 0.1 + 1e-9
    assert [pair.get("of") for pair in fit.after.records()] == [
        None, "true_positive_rate", "false_positive_rate"
    ]  # fmt: skip
    assert "equalized-odds for those who belong" in repr(fit)
    assert "group and outcome are independent" in repr(fit)
    assert "true positive rate" in repr(fit)
    assert "those who do" in fit._repr_html_()
    audit = evenhand.audit_soft(people.score, women, rule=fit)
    assert audit == fit.after
    selected = evenhand.audit_soft(people.score, women, rule=fit, criterion="statistical-parity")
    assert [pair.get("of") for pair in selected.records()] == [None]


def test_columns_given_the_outcome(people: People) -> None:
    women = np.where(people.sex == "F", 0.8, 0.3)
    good, bad = 0.9 * women, 0.1 + 0.9 * women
    given: dict[str, Any] = {"soft_favorable": {"good": good}, "soft_unfavorable": {"bad": bad}}
    odds: dict[str, Any] = {"criterion": "equalized-odds", "tolerance": 0.01}
    fit = evenhand.fit_soft(people.score, **given, **odds)
    assert fit.rule.columns == ["good", "bad"]
    assert fit.to_dict()["columns"]["soft_unfavorable"] == ["bad"]
    assert "and the outcome" in repr(fit)
    frame = {"score": people.score, "good": good, "bad": bad}
    named = evenhand.fit_soft(
        "score", soft_favorable="good", soft_unfavorable="bad", data=frame, **odds
    )
    assert named.rule == fit.rule
    assert evenhand.audit_soft(data=frame, rule=named) == fit.after
    q = fit.rule.probability("score", data=frame)
    for factor, column in ((people.score, good), (1 - people.score, bad)):
        rate, others = (np.average(q, weights=factor * g) for g in (column, 1 - column))
        assert abs(rate - others) <= 0.01 + 1e-9


def test_the_check_has_true_differences_of_rates_given_the_outcome(people: People) -> None:
    women = people.sex == "F"
    fit = evenhand.fit_soft(
        people.score, {"p_F": np.where(women, 0.8, 0.3)}, label=people.label, check_with=people.sex,
        criterion="equal-opportunity", tolerance=0.05,
    )  # fmt: skip
    q = fit.rule.probability(people.score, {"p_F": np.where(women, 0.8, 0.3)})
    good = people.label == 1
    true = abs(q[good & women].mean() - q[good & ~women].mean())
    assert fit.check is not None
    assert fit.check["largest_difference_of_true_positive_rate"] == pytest.approx(true, abs=1e-12)
    assert "true difference, true pos.: " in repr(fit)


def test_bad_soft_criteria() -> None:
    columns = [[0.1, 0.2]]
    wrong: tuple[tuple[dict[str, Any], str], ...] = (
        ({"criterion": "equal-rates"}, "do not support equal-rates"),
        ({"criterion": "four-fifths", "tolerance": 0.1}, "takes no tolerance"),
        ({"ratio": 0.8}, "takes no ratio"),
        ({"tolerance": 1.5}, "tolerance"),
        ({"tolerance": -0.1}, "tolerance"),
        ({"criterion": "four-fifths", "ratio": 0.0}, "ratio"),
        ({"tolerance": 0.1, "gamma": 0.1}, "gamma 0"),
        ({"soft_favorable": columns}, "not both"),
        ({"soft": None, "soft_favorable": columns}, "no outcome"),
        (
            {"soft": None, "soft_favorable": columns, "criterion": "equalized-odds"},
            "unfavourable outcome",
        ),
        (
            {"soft": None, "soft_favorable": columns, "criterion": "equal-opportunity",
             "check_with": ["a", "b"]},
            "check_with measures the columns of soft",
        ),
        ({"soft": None}, "soft is missing"),
        (
            {"soft": None, "soft_favorable": {"p": [0.1, 0.2]}, "criterion": "equalized-odds",
             "soft_unfavorable": {"p": [0.3, 0.4]}},
            "two columns are called 'p'",
        ),
    )  # fmt: skip
    for options, message in wrong:
        with pytest.raises(ValueError, match=message):
            evenhand.fit_soft([0.1, 0.9], **{"soft": columns, **options})
    with pytest.raises(ValueError, match="labels"):
        evenhand.audit_soft(decision=[0, 1], soft=columns, criterion="equal-opportunity")
