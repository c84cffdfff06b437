"""Each kind of rule under each criterion, against HiGHS: linear programs, integer without coins.

A problem has a few cells with a few scores, ties, tiny cells, weights and unequal costs. Its rule
is a vector with an entry for each cell (blind: for all of them) and score; with coins it rises with
the score, without coins it is one of the thresholds, chosen by binary variables.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from rates import COMPARED, Floats
from scipy.optimize import Bounds, LinearConstraint, milp

import evenhand

# A rule without coins may have nothing better to say than no to everybody.
pytestmark = pytest.mark.filterwarnings("ignore:the best rule without coins")

TRIALS = 200 if os.environ.get("EVENHAND_FULL_ORACLES") else 20
KINDS: dict[str, dict[str, Any]] = {
    "fewest": {},
    "least-chance": {"lottery": "least-chance"},
    "none": {"lottery": "none"},
    "blind": {"blind": True},
    "blind without coins": {"blind": True, "lottery": "none"},
}


@dataclass
class Problem:
    """Rows, and what is asked of a rule about them."""

    score: Floats
    sex: npt.NDArray[np.str_]
    label: npt.NDArray[np.int64]
    weight: Floats
    cost_fp: float
    cost_fn: float
    parameter: float

    @classmethod
    def draw(cls, seed: int, ratio: bool) -> Problem:
        rng = np.random.default_rng(seed)
        rows = int(rng.integers(10, 40))
        groups = np.array(["a", "b", "c"])[: int(rng.integers(2, 4))]
        sex = rng.choice(groups, rows, p=rng.dirichlet(np.ones(len(groups)) * 2))
        sex[: 2 * len(groups)] = np.tile(groups, 2)
        score = rng.integers(0, 7, rows) / 6
        label = (rng.random(rows) < 0.2 + 0.6 * score).astype(np.int64)
        label[: 2 * len(groups)] = np.repeat([0, 1], len(groups))
        weight = rng.integers(1, 4, rows) * (rng.choice([1.0, 0.5]))
        costs = rng.choice([1.0, 1.0, 2.5], 2)
        parameter = rng.choice([0.7, 0.8, 0.95, 1.0] if ratio else [0.0, 0.02, 0.1, 0.3])
        return cls(score, sex, label, weight, *costs, float(parameter))

    def benefit(self, by_labels: bool) -> Floats:
        """Of a positive decision about each row; labels are pooled by the rule's rising."""
        p = self.label if by_labels else self.score
        return self.weight * (self.cost_fn * p - self.cost_fp * (1 - p))

    def rates(self, kind: str) -> list[Floats]:
        """For each group, how much each row adds to its rate."""
        given = {
            "everybody": self.label >= 0,
            "favorable": self.label == 1,
            "unfavorable": self.label == 0,
        }
        masks = [given[kind] & (self.sex == group) for group in np.unique(self.sex)]
        return [mask * self.weight / np.sum(self.weight[mask]) for mask in masks]


def best(problem: Problem, criterion: str, *, blind: bool, coins: bool) -> float:
    """Return the largest objective, by HiGHS."""
    names = np.zeros(len(problem.sex)) if blind else np.unique(problem.sex, return_inverse=True)[1]
    steps = []  # the indicator of "this cell, from this score on", a rule's building block
    for cell in np.unique(names):
        inside = names == cell
        steps.append([inside & (problem.score >= s) for s in np.unique(problem.score[inside])])
    blocks = np.array([step for cell in steps for step in cell], dtype=float)
    by_labels = "everybody" not in COMPARED[criterion]
    objective = blocks @ problem.benefit(by_labels)
    count, ends = len(blocks), np.cumsum([len(cell) for cell in steps])
    # Weights of the blocks of a cell add up to at most 1; with one block at most, no coins.
    rows = [np.zeros(count) for _ in steps]
    for row, end, cell in zip(rows, ends, steps, strict=True):
        row[end - len(cell) : end] = 1
    constraints, lows, highs = list(rows), [0.0] * len(rows), [1.0] * len(rows)
    kinds = COMPARED[criterion]
    extra = len(kinds)  # the common rate of each
    ratio = criterion == "four-fifths"
    wide = [np.concatenate([row, np.zeros(extra)]) for row in constraints]
    for i, kind in enumerate(kinds):
        for share in problem.rates(kind):
            row = np.concatenate([blocks @ share, np.zeros(extra)])
            row[count + i] = -1
            wide.append(row)  # rate - lowest
            lows.append(0.0)
            highs.append(np.inf if ratio else problem.parameter)
            if ratio:  # the common rate is the largest: ratio * highest <= rate <= highest
                lows[-1], highs[-1] = -np.inf, 0.0
                other = row.copy()
                other[count + i] = -problem.parameter
                wide.append(other)
                lows.append(0.0)
                highs.append(np.inf)
    found = milp(
        -np.concatenate([objective, np.zeros(extra)]),
        constraints=LinearConstraint(np.array(wide), lows, highs),
        integrality=[0 if coins else 1] * count + [0] * extra,
        bounds=Bounds(0.0, 1.0),
        options={"mip_rel_gap": 0},
    )
    assert found.status == 0, found.message
    return float(-found.fun)


@pytest.mark.parametrize("criterion", COMPARED)
@pytest.mark.parametrize("kind", KINDS)
def test_no_rule_of_its_kind_does_better(kind: str, criterion: str) -> None:
    ratio = criterion == "four-fifths"
    options = KINDS[kind]
    for seed in range(TRIALS):
        problem = Problem.draw(seed, ratio)
        fit = evenhand.fit(
            problem.score,
            {"sex": problem.sex},
            criterion=criterion,
            label=problem.label,
            weight=problem.weight,
            cost_fp=problem.cost_fp,
            cost_fn=problem.cost_fn,
            **({"ratio": problem.parameter} if ratio else {"tolerance": problem.parameter}),
            **options,
        )
        coins = options.get("lottery") != "none"
        expected = best(problem, criterion, blind="blind" in options, coins=coins)
        scale = 1e-7 * max(1.0, fit.magnitude)
        assert fit.objective == pytest.approx(expected, abs=scale), (seed, fit.status)
        assert fit.status == "optimal" or (not coins and fit.status == "feasible")
        assert fit.violation <= 1e-9
        where = {} if "blind" in options else {"sensitive": problem.sex}
        q = fit.rule.probability(problem.score, **where)
        if not coins:
            assert set(q.tolist()) <= {0.0, 1.0}
        _check_rates(problem, criterion, q)


def _check_rates(problem: Problem, criterion: str, q: Floats) -> None:
    for kind in COMPARED[criterion]:
        rates = [float(share @ q) for share in problem.rates(kind)]
        if criterion == "four-fifths":
            assert min(rates) >= problem.parameter * max(rates) - 1e-9
        else:
            assert max(rates) - min(rates) <= problem.parameter + 1e-9


def test_blind_rules_see_strata_under_requirements_alone() -> None:
    problem = Problem.draw(3, False)
    region = {"region": np.where(np.arange(len(problem.score)) % 2, "n", "s")}
    fits = [
        evenhand.fit(
            problem.score, {"sex": problem.sex}, within=region, blind=True,
            require="rate[region=n] <= 0.3", **more,
        )
        for more in ({}, {"criterion": "statistical-parity", "tolerance": 1.0})
    ]  # fmt: skip
    assert fits[0].objective == pytest.approx(fits[1].objective)
    assert fits[0].rule.attributes == ["region"]
    assert fits[0].verify().passed


def test_a_share_of_coins_is_kept() -> None:
    for seed in range(TRIALS):
        problem = Problem.draw(seed, False)
        options: dict[str, Any] = {
            "criterion": "statistical-parity",
            "weight": problem.weight,
            "tolerance": problem.parameter,
        }
        free = evenhand.fit(problem.score, problem.sex, **options)
        few = evenhand.fit(problem.score, problem.sex, max_lottery=0.1, **options)
        none = evenhand.fit(problem.score, problem.sex, lottery="none", **options)
        margin = 1e-9 * max(1.0, free.magnitude)
        assert none.objective - margin <= few.objective <= free.objective + margin
        for cell in few.cells:
            # One score may always have a coin.
            assert cell["lottery_share"] <= 1
        assert few.violation <= 1e-9
