"""The best rule, against a linear program over every nondecreasing rule, solved by HiGHS."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import linprog

import evenhand

Floats = npt.NDArray[np.float64]
CRITERIA = {
    "statistical-parity": ["selection"],
    "equal-opportunity": ["true"],
    "false-positive-parity": ["false"],
    "equalized-odds": ["true", "false"],
}


def problem(seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(12, 60))
    groups = rng.choice(["a", "b", "c"][: int(rng.integers(2, 4))], rows)
    groups[:4] = ["a", "b", "a", "b"]
    score = rng.integers(0, 9, rows) / 8
    label = (rng.random(rows) < 0.3 + 0.4 * score).astype(int)
    label[:4] = [0, 0, 1, 1]
    return {"score": score, "groups": groups, "label": label}


def benefits(cell: npt.NDArray[np.intp], score: Floats, label: Floats, pooled: bool) -> Floats:
    """Twice the probability, less one: by the score, or by pooled labels of the cell's scores."""
    if not pooled:
        return 2 * score - 1
    out = np.zeros(len(score))
    for c in np.unique(cell):
        values = np.unique(score[cell == c])
        n = np.array([np.sum((cell == c) & (score == v)) for v in values], float)
        n1 = np.array([np.sum(label[(cell == c) & (score == v)]) for v in values], float)
        blocks: list[list[float]] = []
        for weight, ones in zip(n, n1, strict=True):
            blocks.append([weight, ones, 1])
            while (
                len(blocks) > 1 and blocks[-2][1] / blocks[-2][0] >= blocks[-1][1] / blocks[-1][0]
            ):
                last = blocks.pop()
                blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
        p = np.concatenate([np.full(int(count), ones / weight) for weight, ones, count in blocks])
        for v, one in zip(values, p, strict=True):
            out[(cell == c) & (score == v)] = 2 * one - 1
    return out


def best(h: Floats, cell: Any, score: Floats, shares: list[Floats], tolerance: float) -> float:
    """Maximise sum h q over q nondecreasing in the score of a cell, with rates that are close.

    A row's variable is that of its cell and score; each of `shares` has the rates of the cells as
    rows.
    """
    keys = sorted(set(zip(cell.tolist(), score.tolist(), strict=True)))
    at = np.array([keys.index(key) for key in zip(cell.tolist(), score.tolist(), strict=True)])
    columns = len(keys)
    gather = np.zeros((columns, len(h)))
    gather[at, np.arange(len(h))] = 1
    rows, bounds = [], []
    for i in range(columns - 1):
        if keys[i][0] == keys[i + 1][0]:  # nondecreasing
            row = np.zeros(columns)
            row[i], row[i + 1] = 1, -1
            rows.append(row)
            bounds.append(0.0)
    for rates in shares:
        for a in rates:
            for b in rates:
                if a is not b:
                    rows.append(gather @ (a - b))
                    bounds.append(tolerance)
    found = linprog(-(gather @ h), A_ub=np.array(rows), b_ub=bounds, bounds=(0, 1), method="highs")
    assert found.status == 0
    return float(-found.fun)


def shares_of(cell: Any, label: Floats, kind: str) -> Floats:
    counted = {"selection": np.ones(len(label)), "true": label, "false": 1 - label}[kind]
    out = []
    for c in np.unique(cell):
        mine = counted * (cell == c)
        if mine.sum() > 0:
            out.append(mine / mine.sum())
    return np.array(out)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("tolerance", [0.0, 0.1])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_no_nondecreasing_rule_does_better(criterion: str, tolerance: float, seed: int) -> None:
    rows = problem(seed)
    fit = evenhand.fit(
        rows["score"],
        rows["groups"],
        label=rows["label"],
        criterion=criterion,
        tolerance=tolerance,
        calibrate="isotonic",
    )
    cell = np.unique(rows["groups"], return_inverse=True)[1]
    label = rows["label"].astype(float)
    # Rates of labels are compared by the labels themselves, and so is what a decision is worth.
    by_label = criterion != "statistical-parity"
    h = 2 * label - 1 if by_label else benefits(cell, rows["score"], label, pooled=True)
    shares = [shares_of(cell, label, kind) for kind in CRITERIA[criterion]]
    expected = best(h, cell, rows["score"], shares, tolerance)
    assert fit.status == "optimal"
    assert fit.objective == pytest.approx(expected, abs=1e-7)
    q = fit.rule.probability(rows["score"], rows["groups"])
    assert h @ q == pytest.approx(expected, abs=1e-7)
    for rates in shares:
        found = rates @ q
        assert found.max() - found.min() <= tolerance + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_scores_as_probabilities_and_one_common_rate(seed: int) -> None:
    rows = problem(seed)
    cell = np.unique(rows["groups"], return_inverse=True)[1]
    shares = shares_of(cell, rows["label"].astype(float), "selection")
    h = benefits(cell, rows["score"], rows["label"], pooled=False)
    expected = best(h, cell, rows["score"], [shares], 0.0)
    for criterion in ("statistical-parity", "equal-rates"):
        fit = evenhand.fit(rows["score"], rows["groups"], criterion=criterion)
        assert fit.objective == pytest.approx(expected, abs=1e-7)
    ratio = evenhand.fit(rows["score"], rows["groups"], criterion="four-fifths", ratio=1.0)
    assert ratio.objective == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_a_larger_tolerance_never_costs_accuracy(seed: int) -> None:
    rows = problem(seed)
    found = [
        evenhand.fit(
            rows["score"],
            rows["groups"],
            label=rows["label"],
            criterion="equalized-odds",
            tolerance=tolerance,
        ).objective
        for tolerance in (0.0, 0.05, 0.1, 0.5, 1.0)
    ]
    assert all(b >= a - 1e-9 for a, b in itertools.pairwise(found))
