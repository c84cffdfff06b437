"""`--calibrate`: Platt's sigmoid, temperatures and isotonic curves are the best of their kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from calibration_figures import GROUPS, MARGIN, RAW, figures, same, sigmoid
from conftest import Tool
from recompute import columns


def pooled(x: np.ndarray, y: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pool adjacent violators: the distinct scores, and the share that each has in the end."""
    scores, place = np.unique(x, return_inverse=True)
    weight = np.bincount(place, weights=n)
    good = np.bincount(place, weights=n * y)
    blocks: list[list[float]] = []  # weight, good, scores
    for w, g in zip(weight, good):
        blocks.append([w, g, 1])
        while len(blocks) > 1 and blocks[-2][1] * blocks[-1][0] >= blocks[-1][1] * blocks[-2][0]:
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last)]
    return scores, np.concatenate([np.full(int(k), g / w) for w, g, k in blocks])


def least(function: Callable[[float], float], low: float, high: float) -> float:
    """Find where a function with one minimum has it, by golden section."""
    ratio = (5**0.5 - 1) / 2
    while high - low > 1e-9:
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, b) if function(a) < function(b) else (a, high)
    return (low + high) / 2


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("by", ["cell", "all"])
@pytest.mark.parametrize("score", ["score", "margin"])
def test_platts_sigmoid_has_the_largest_likelihood(
    tool: Tool, people: Path, weight: str | None, by: str, score: str
) -> None:
    """The gradient of the likelihood of Platt's smoothed targets vanishes; `after` is its p."""
    query = MARGIN.format(people)
    x, y, sex, w = columns(query, score, "y", "sex", "w")
    n = w.astype(float) if weight else np.ones(len(w))
    found = tool("calibrate", "--sql", query, "--score", score, "--scale",
                 "raw" if score == "margin" else "probability", "--label", "y", "--sensitive",
                 "sex", *(["--weight", weight] if weight else []), "--calibrate", "platt",
                 "--calibrate-by", by, "--json").ok().json()
    told = found["calibrator"]
    assert (told["method"], told["by"]) == ("platt", by)
    assert ("before" in found) == (score == "score")
    curves = [(np.ones(len(x), bool), told["all"])]
    for curve in told.get("each", []):
        curves.append((sex == curve["cell"].removeprefix("sex="), curve))
    assert len(curves) == (3 if by == "cell" else 1)
    p = np.zeros(len(x))
    for inside, curve in curves:
        assert curve["slope"] > 0
        m, z = n[inside], x[inside]
        good = (m * y[inside]).sum()
        bad = m.sum() - good
        target = np.where(y[inside] == 1, (good + 1) / (good + 2), 1 / (bad + 2))
        p[inside] = sigmoid(curve["slope"] * z + curve["offset"])
        rest = m * (target - p[inside])
        assert abs(rest.sum()) < 1e-8 * m.sum()
        assert abs((rest * z).sum()) < 1e-8 * (m * abs(z)).sum()
    same(found["after"]["overall"], figures(p, y, n), 1e-8)


@pytest.mark.parametrize("by", ["cell", "all"])
def test_the_temperature_has_the_largest_likelihood(tool: Tool, people: Path, by: str) -> None:
    """Found by a search that knows nothing of gradients."""
    query = f"SELECT *, 2.5 * logit AS sure FROM '{people}'"
    x, y, sex = columns(query, "sure", "y", "sex")
    found = tool("calibrate", "--sql", query, "--score", "sure", "--scale", "logit", "--label", "y",
                 "--sensitive", "sex", "--calibrate", "temperature", "--calibrate-by", by,
                 "--json").ok().json()
    curves = [(np.ones(len(x), bool), found["calibrator"]["all"])]
    for curve in found["calibrator"].get("each", []):
        curves.append((sex == curve["cell"].removeprefix("sex="), curve))
    p = np.zeros(len(x))
    for inside, curve in curves:
        sign = np.where(y[inside] == 1, -1.0, 1.0)
        wanted = least(lambda t: float(np.logaddexp(0, sign * x[inside] / t).sum()), 0.1, 20)
        assert curve["temperature"] == pytest.approx(wanted, abs=1e-5)
        assert 2 < curve["temperature"] < 3.2
        p[inside] = sigmoid(x[inside] / curve["temperature"])
    same(found["after"]["overall"], figures(p, y, np.ones(len(x))), 1e-8)
    assert found["after"]["overall"]["log_loss"] < found["before"]["overall"]["log_loss"]


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("by", ["cell", "all"])
def test_isotonic_curves_are_pooled_shares(
    tool: Tool, people: Path, weight: str | None, by: str
) -> None:
    """Pool adjacent violators, done anew; the curve in the rule goes through its values."""
    query = MARGIN.format(people)
    x, y, sex, w = columns(query, "margin", "y", "sex", "w")
    n = w.astype(float) if weight else np.ones(len(w))
    asked = ("--sql", query, *RAW, "--sensitive", "sex", "--calibrate", "isotonic",
             "--calibrate-by", by, *(["--weight", weight] if weight else []))
    tool("fit", *asked, "--criterion", "statistical-parity", "-o", "rule.json").ok()
    stored = json.loads(tool.path("rule.json").read_text())["rule"]["calibrator"]
    curves = [(np.ones(len(x), bool), stored["all"])]
    if by == "cell":
        curves += [(sex == group, curve) for group, curve in zip(("F", "M"), stored["cells"])]
    p = np.zeros(len(x))
    for inside, curve in curves:
        points = np.array(curve["ramp"])
        assert (np.diff(points[:, 0]) > 0).all()
        assert (np.diff(points[:, 1]) >= 0).all()
        scores, shares = pooled(x[inside], y[inside], n[inside])
        assert np.interp(scores, points[:, 0], points[:, 1]) == pytest.approx(shares, abs=1e-12)
        p[inside] = np.interp(x[inside], scores, shares)
    found = tool("calibrate", *asked, "--json").ok().json()
    # Sums of rows at an edge may fall on either side of it.
    for key in ("brier", "log_loss"):
        wanted = figures(p, y, n)[key]
        assert found["after"]["overall"][key] == pytest.approx(wanted, abs=1e-9)
    assert found["after"]["overall"]["ece"] < 1e-9 or by == "all"


def test_calibration_mends_scores_that_were_bent(tool: Tool, people: Path) -> None:
    """Where scores are the square of what they should be, every method does better than none."""
    query = f"SELECT *, score * score AS bent FROM '{people}'"
    for method in ("platt", "isotonic", "temperature"):
        found = tool("calibrate", "--sql", query, "--score", "bent", "--label", "y", "--calibrate",
                     method, "--json").ok().json()
        before, after = found["before"]["overall"], found["after"]["overall"]
        for key in ("ece", "brier", "log_loss"):
            assert after[key] < before[key], (method, key)


def test_curves_do_not_depend_on_order_or_threads(tool: Tool, people: Path) -> None:
    """The same bytes."""
    made = set()
    for order, threads in (("id", 1), ("hash(id)", 2), ("score DESC, id", 2)):
        tool("fit", "--sql", MARGIN.format(people) + f" ORDER BY {order}", *RAW, *GROUPS,
             "--calibrate", "platt", "--threads", threads, "--no-source", "-o", "rule.json").ok()
        made.add(tool.path("rule.json").read_bytes())
    assert len(made) == 1
