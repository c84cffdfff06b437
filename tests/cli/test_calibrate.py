"""Calibration: `evenhand calibrate`, `audit --calibration`, and rules fitted with --calibrate."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from conftest import Tool

Sql = Callable[..., list[tuple[Any, ...]]]
PARITY = ("--sensitive", "sex", "--criterion", "statistical-parity")
MARGIN = "SELECT *, 3 * logit + 1 AS margin FROM '{}'"
RAW = ("--score", "margin", "--scale", "raw", "--label", "y")
EPSILON = 2.0**-52


def columns(query: str, *names: str) -> list[np.ndarray]:
    """Read columns of a query's result."""
    table = duckdb.connect(":memory:").execute(query).fetchnumpy()
    return [np.asarray(table[name]) for name in names]


def sigmoid(z: np.ndarray) -> np.ndarray:
    """Compute the probability of a logit."""
    return 1 / (1 + np.exp(-z))


def figures(p: np.ndarray, y: np.ndarray, n: np.ndarray, bins: int = 15) -> dict[str, Any]:
    """Compute what a report should say, from rows."""
    edges = np.arange(1, bins) / bins
    place = np.searchsorted(edges, p, side="right")
    table = []
    for k in range(bins):
        inside = place == k
        if not (n[inside].sum() > 0):
            continue
        weight = n[inside].sum()
        table.append({"from": k / bins, "to": (k + 1) / bins, "weight": weight,
                      "mean_p": (n * p)[inside].sum() / weight,
                      "observed": (n * y)[inside].sum() / weight})
    kept = np.clip(p, EPSILON, 1 - EPSILON)
    total = n.sum()
    return {
        "weight": total,
        "ece": sum(b["weight"] * abs(b["mean_p"] - b["observed"]) for b in table) / total,
        "brier": (n * (p - y) ** 2).sum() / total,
        "log_loss": -(n * np.where(y == 1, np.log(kept), np.log1p(-kept))).sum() / total,
        "bins": table,
    }


def same(found: dict[str, Any], wanted: dict[str, Any], error: float = 1e-9) -> None:
    """Assert that a report says what was computed."""
    for key in ("weight", "ece", "brier", "log_loss"):
        assert found[key] == pytest.approx(wanted[key], abs=error), key
    assert len(found["bins"]) == len(wanted["bins"])
    for key in ("from", "to", "weight", "mean_p", "observed"):
        one = np.array([b[key] for b in found["bins"]])
        other = np.array([b[key] for b in wanted["bins"]])
        assert np.abs(one - other).max() <= error, key


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


def cells(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Find a report's figures by sex."""
    return {cell["cell"]["sex"]: cell for cell in report["cells"]}


# --- What is measured.


@pytest.mark.parametrize("bins", [None, 1, 7, 100, 1000])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_figure_is_what_the_rows_say(
    tool: Tool, people: Path, bins: int | None, weighted: bool
) -> None:
    """Expected calibration error, Brier score, log loss and bins: overall and by group."""
    score, y, sex, w = columns(f"SELECT * FROM '{people}'", "score", "y", "sex", "w")
    n = w.astype(float) if weighted else np.ones(len(w))
    asked = [*(["--weight", "w"] if weighted else []), *(["--bins", bins] if bins else [])]
    found = tool("calibrate", people, "--score", "score", "--label", "y", "--sensitive", "sex",
                 *asked, "--json").ok().json()
    assert found["rows"] == 5000
    assert "after" not in found
    assert "calibrator" not in found
    same(found["before"]["overall"], figures(score, y, n, bins or 15))
    for group, told in cells(found["before"]).items():
        inside = sex == group
        same(told, figures(score[inside], y[inside], n[inside], bins or 15))


@pytest.mark.parametrize(("score", "scale"), [("f", "signed"), ("logit", "logit")])
def test_scales_are_read_before_they_are_measured(
    tool: Tool, people: Path, score: str, scale: str
) -> None:
    """The same people, the same figures."""
    p, y = columns(f"SELECT * FROM '{people}'", "score", "y")
    found = tool("calibrate", people, "--score", score, "--scale", scale, "--label", "y",
                 "--bins", 1, "--json").ok().json()
    same(found["before"]["overall"], figures(p, y, np.ones(5000), 1))


def test_low_scores_that_are_good_measure_the_favourable_outcome(tool: Tool, people: Path) -> None:
    """A risk of 0.2 says that the favourable outcome, the label 0, has 0.8."""
    query = f"SELECT *, 1 - y AS harm FROM '{people}'"
    risk, harm = columns(query, "risk", "harm")
    found = tool("calibrate", "--sql", query, "--score", "risk", "--favorable", "low", "--label",
                 "harm", "--bins", 1, "--calibrate", "platt", "--json").ok().json()
    same(found["before"]["overall"], figures(1 - risk, 1 - harm, np.ones(5000), 1))
    curve = found["calibrator"]["all"]
    assert curve["slope"] > 0
    p = sigmoid(curve["slope"] * -risk + curve["offset"])
    same(found["after"]["overall"], figures(p, 1 - harm, np.ones(5000), 1))


def test_the_text_says_what_the_json_says(tool: Tool, people: Path) -> None:
    """The three measures, before and after, and as many lines as there are bins."""
    asked = ("calibrate", people, "--score", "score", "--label", "y", "--sensitive", "sex",
             "--calibrate", "platt", "--bins", 4)
    text = tool(*asked).ok().out
    found = tool(*asked, "--json").ok().json()
    for name, key in (("expected calibration error", "ece"), ("Brier score", "brier"),
                      ("log loss", "log_loss")):
        row = next(line for line in text.splitlines() if line.strip().startswith(name))
        told = [float(word) for word in row.split()[-2:]]
        wanted = [found[when]["overall"][key] for when in ("before", "after")]
        assert told == pytest.approx(wanted, rel=1e-3)
    bins = sum(len(found[when]["overall"]["bins"]) for when in ("before", "after"))
    assert len(re.findall(r"^ +[\d.]+ to [\d.]+ ", text, re.MULTILINE)) == bins
    assert "sex=F" in text


def test_a_tally_measures_the_same_as_its_rows(tool: Tool, people: Path) -> None:
    """Labels and weights are in it."""
    asked = ("--score", "score", "--sensitive", "sex", "--label", "y", "--weight", "w")
    tool("tally", people, *asked, "-o", "t.parquet").ok()
    for method in ("none", "platt", "isotonic", "temperature"):
        rows = tool("calibrate", people, *asked, "--calibrate", method, "--json").ok().json()
        tally = tool("calibrate", "--tally", "t.parquet", "--calibrate", method,
                     "--json").ok().json()
        for key in ("data", "rows"):
            rows.pop(key, None)
            tally.pop(key, None)
        assert rows == tally


@pytest.mark.parametrize("rule", [False, True])
def test_an_audit_measures_the_same(tool: Tool, people: Path, rule: bool) -> None:
    """`audit --calibration` says what `calibrate` says, of scores and of a rule."""
    asked: tuple[object, ...] = ("--score", "score", "--sensitive", "sex", "--label", "y")
    if rule:
        tool("fit", people, *asked, "--criterion", "statistical-parity", "--calibrate", "platt",
             "-o", "rule.json").ok()
        asked = ("--rule", "rule.json")
    audit = tool("audit", people, *asked, "--calibration", "--bins", 5, "--json").ok().json()
    calibrate = tool("calibrate", people, *asked, "--bins", 5, "--json").ok().json()
    for when in ("before", "after"):
        assert audit["calibration"].get(when) == calibrate.get(when)
    assert ("after" in audit["calibration"]) == rule
    text = tool("audit", people, *asked, "--calibration", "--bins", 5).ok().out
    assert "Brier score" in text
    without = tool("audit", people, *asked).ok().out
    assert "Brier score" not in without
    assert "calibration" not in tool("audit", people, *asked, "--json").ok().json()


# --- The curves.


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


def least(function: Callable[[float], float], low: float, high: float) -> float:
    """Find where a function with one minimum has it, by golden section."""
    ratio = (5**0.5 - 1) / 2
    while high - low > 1e-9:
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, b) if function(a) < function(b) else (a, high)
    return (low + high) / 2


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
        tool("fit", "--sql", MARGIN.format(people) + f" ORDER BY {order}", *RAW, *PARITY,
             "--calibrate", "platt", "--threads", threads, "-o", "rule.json").ok()
        made.add(tool.path("rule.json").read_bytes())
    assert len(made) == 1


# --- Rules with a calibrator.


@pytest.mark.parametrize("by", ["cell", "all"])
@pytest.mark.parametrize("method", ["platt", "isotonic"])
@pytest.mark.parametrize("gamma", [0, 0.05])
def test_a_rule_takes_raw_scores_and_is_fair(
    tool: Tool, people: Path, sql: Sql, method: str, by: str, gamma: float
) -> None:
    """Parity where it is applied, to margins that are no probabilities."""
    query = MARGIN.format(people)
    tool("fit", "--sql", query, *RAW, *PARITY, "--within", "race", "--calibrate", method,
         "--calibrate-by", by, "--gamma", gamma, "-o", "rule.json").ok()
    tool("apply", "--sql", query, "--rule", "rule.json", "-q", "-o", "out.parquet").ok()
    assert sql("""SELECT max(d) FROM (SELECT max(r) - min(r) AS d FROM (
                    SELECT race, sex, avg(probability) AS r FROM 'out.parquet' GROUP BY ALL)
                  GROUP BY race)""")[0][0] < 1e-9


def test_a_rule_with_a_calibrator_beats_all_that_thresholds_could_do(
    tool: Tool, people: Path
) -> None:
    """Its objective is the best over a grid of pairs of thresholds that are as fair."""
    query = MARGIN.format(people)
    x, sex = columns(query, "margin", "sex")
    fit = tool("fit", "--sql", query, *RAW, *PARITY, "--calibrate", "platt", "-o", "rule.json",
               "--json").ok().json()
    assert fit["status"] == "optimal"
    found = tool("calibrate", "--sql", query, "--rule", "rule.json", "--json").ok().json()
    best = -np.inf
    ordered = {}
    for curve in found["calibrator"]["each"]:
        group = curve["cell"].removeprefix("sex=")
        h = 2 * sigmoid(curve["slope"] * x[sex == group] + curve["offset"]) - 1
        ordered[group] = np.concatenate([[0], np.cumsum(np.sort(h)[::-1])])
    for rate in np.linspace(0, 1, 2001):
        total = sum(np.interp(rate * (len(sums) - 1), np.arange(len(sums)), sums)
                    for sums in ordered.values())
        best = max(best, total)
    assert best <= fit["primal"] + 1e-6
    assert best == pytest.approx(fit["primal"], rel=1e-4)


@pytest.mark.parametrize(
    ("method", "by"),
    [(method, by) for method in ("platt", "temperature", "isotonic") for by in ("cell", "all")
     if (method, by) != ("isotonic", "cell")],  # which keeps no curve
)
def test_a_rules_calibrator_is_measured_on_other_rows(
    tool: Tool, people: Path, method: str, by: str
) -> None:
    """Fitted on one half, measured on the other: what the curve says there, not a new fit."""
    half = f"SELECT * FROM '{people}' WHERE hash(id) % 2 = {{}}"
    tool("fit", "--sql", half.format(0), "--score", "score", "--label", "y", *PARITY, "--calibrate",
         method, "--calibrate-by", by, "-o", "rule.json").ok()
    fitted = tool("calibrate", "--sql", half.format(0), "--score", "score", "--label", "y",
                  "--sensitive", "sex", "--calibrate", method, "--calibrate-by", by,
                  "--json").ok().json()
    same_rows = tool("calibrate", "--sql", half.format(0), "--rule", "rule.json",
                     "--json").ok().json()
    assert same_rows["calibrator"] == fitted["calibrator"]
    assert same_rows["after"] == fitted["after"]
    other = tool("calibrate", "--sql", half.format(1), "--rule", "rule.json", "--json").ok().json()
    assert other["calibrator"] == fitted["calibrator"]
    score, y, sex = columns(half.format(1), "score", "y", "sex")
    if method == "platt":
        curve = {"F": other["calibrator"]["all"], "M": other["calibrator"]["all"]}
        for one in other["calibrator"].get("each", []):
            curve[one["cell"].removeprefix("sex=")] = one
        p = np.zeros(len(score))
        for group, c in curve.items():
            p[sex == group] = sigmoid(c["slope"] * score[sex == group] + c["offset"])
        same(other["after"]["overall"], figures(p, y, np.ones(len(p))), 1e-8)
    same(other["before"]["overall"], figures(score, y, np.ones(len(y))))


def test_no_rule_is_said_to_be_fitted_without_calibration_that_was_not(
    tool: Tool, people: Path
) -> None:
    """Isotonic by cell keeps no curve on a scale of probabilities; that is no reason to lie."""
    tool("fit", people, "--score", "score", "--label", "y", *PARITY, "--calibrate", "isotonic",
         "-o", "rule.json").ok()
    ran = tool("calibrate", people, "--rule", "rule.json")
    assert "without --calibrate" not in ran.err


def test_people_of_a_new_group_have_the_curve_of_all(tool: Tool, people: Path) -> None:
    """The calibrator knows nothing of them."""
    tool("fit", people, "--score", "score", "--label", "y", *PARITY, "--calibrate", "platt", "-o",
         "rule.json").ok()
    query = f"SELECT * REPLACE ('X' AS sex) FROM '{people}'"
    score, y = columns(query, "score", "y")
    found = tool("calibrate", "--sql", query, "--rule", "rule.json", "--json").ok().json()
    curve = found["calibrator"]["all"]
    p = sigmoid(curve["slope"] * score + curve["offset"])
    same(cells(found["after"])["X"], figures(p, y, np.ones(5000)), 1e-8)


def test_show_says_how_a_rule_is_calibrated(tool: Tool, people: Path) -> None:
    """Method, whether by cell, and the curve."""
    for method, by in (("platt", "cell"), ("temperature", "all"), ("isotonic", "all")):
        tool("fit", people, "--score", "score", "--label", "y", *PARITY, "--calibrate", method,
             "--calibrate-by", by, "-o", "rule.json").ok()
        shown = tool("show", "rule.json").ok().out
        line = next(line for line in shown.splitlines() if line.startswith("Calibrated: "))
        assert method in line
        assert by in line
        curves = shown[shown.index(line) :]
        assert ("everybody: " in curves) == (by == "all")
        assert ("sex=M: " in curves) == (by == "cell")


def test_low_scores_that_are_good_can_be_raw(tool: Tool, people: Path, sql: Sql) -> None:
    """A risk on no known scale; nobody with a lower risk is treated worse."""
    query = f"SELECT *, 50 - 7 * logit AS danger, 1 - y AS harm FROM '{people}'"
    tool("fit", "--sql", query, "--score", "danger", "--scale", "raw", "--favorable", "low",
         "--label", "harm", *PARITY, "--calibrate", "platt", "-o", "rule.json").ok()
    tool("apply", "--sql", query, "--rule", "rule.json", "-q", "-o", "out.parquet").ok()
    rates = dict(sql("SELECT sex, avg(probability) FROM 'out.parquet' GROUP BY sex"))
    assert rates["F"] == pytest.approx(rates["M"], abs=1e-9)
    assert sql("""SELECT count(*) FROM (SELECT probability - lag(probability) OVER (
                    PARTITION BY sex ORDER BY danger, probability DESC) AS d FROM 'out.parquet')
                  WHERE d > 0""") == [(0,)]


@pytest.mark.parametrize("criterion", ["equalized-odds", "equal-opportunity"])
@pytest.mark.parametrize("method", [("platt",), ("temperature",),
                                    ("isotonic", "--calibrate-by", "all")])
def test_criteria_of_label_rates_refuse_curves(
    tool: Tool, people: Path, criterion: str, method: tuple[str, ...]
) -> None:
    """Their benefits come from the labels themselves."""
    tool("fit", people, "--score", "score", "--label", "y", "--sensitive", "sex", "--criterion",
         criterion, "--calibrate", *method, "-o", "rule.json").fails(2, criterion)
    assert tool.files() == set()


def test_the_frontier_is_of_calibrated_scores_too(tool: Tool, people: Path) -> None:
    """At each tolerance the objective of the fit."""
    query = MARGIN.format(people)
    asked = ("--sql", query, *RAW, *PARITY, "--calibrate", "platt")
    told = tool("frontier", *asked, "--at", "0,0.05", "--json").ok().json()
    points = told["points"] if isinstance(told, dict) else told
    for point in points:
        fit = tool("fit", *asked, "--tolerance", point["tolerance"], "--json").ok().json()
        assert point["objective"] == pytest.approx(fit["primal"], rel=1e-9)


# --- What is refused.


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["DATA", "--score", "score"], ["--label"]),
        (["DATA", "--label", "y"], ["--score"]),
        (["DATA", "--score", "score", "--label", "y", "--calibrate", "beta"], ["beta", "isotonic"]),
        (["DATA", "--score", "score", "--label", "y", "--calibrate-by", "row"], ["row", "cell"]),
        (["DATA", "--score", "score", "--label", "y", "--bins", "0"], ["bins", "10,000"]),
        (["DATA", "--score", "score", "--label", "y", "--bins", "10001"], ["bins", "10,000"]),
        (["DATA", "--score", "score", "--label", "y", "--bins", "-1"], ["--bins", "-1"]),
        (["DATA", "--score", "score", "--label", "y", "--bins", "2.5"], ["--bins", "2.5"]),
        (["DATA", "--score", "logit", "--scale", "raw", "--label", "y"], ["raw"]),
        (["DATA", "--score", "logit", "--scale", "raw", "--label", "y", "--calibrate",
          "temperature"], ["raw", "platt"]),
        (["DATA", "--score", "score", "--label", "w"], ["label", "0", "1"]),
        (["DATA", "--score", "logit", "--label", "y"], ["score", "--scale"]),
        (["DATA", "--score", "score", "--label", "nope"], ["nope"]),
        (["DATA", "--score", "score", "--label", "y", "--rule", "none.json"], ["none.json"]),
        (["DATA", "--score", "score", "--label", "y", "--criterion", "x"], ["--criterion"]),
        (["--score", "score", "--label", "y"], ["DATA"]),
        (["DATA", "--score", "risk", "--label", "y", "--calibrate", "platt"],
         ["favourable", "isotonic"]),
        (["DATA", "--score", "risk", "--label", "y", "--calibrate", "temperature"],
         ["favourable", "isotonic"]),
    ],
)
def test_what_cannot_be_calibrated_is_refused(
    tool: Tool, people: Path, arguments: list[str], parts: list[str]
) -> None:
    """One line that says why."""
    tool("calibrate", *(people if a == "DATA" else a for a in arguments)).fails(2, *parts)
    assert tool.files() == set()


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--score", "logit", "--scale", "raw", "--label", "y"], ["raw", "calibrate"]),
        (["--score", "logit", "--scale", "raw", "--calibrate", "platt"], ["--label"]),
        (["--score", "score", "--calibrate", "isotonic"], ["--label"]),
        (["--score", "score", "--label", "y", "--calibrate", "beta"], ["beta"]),
        (["--score", "score", "--label", "y", "--calibrate-by", "row"], ["row"]),
        (["--score", "risk", "--label", "y", "--calibrate", "platt"], ["favourable", "isotonic"]),
        (["--score", "score", "--gamma", "automatic"], ["--gamma", "automatic"]),
        (["--score", "score", "--gamma", "-1"], ["-1"]),
        (["--score", "score", "--gamma", "nan"], ["gamma"]),
        (["--score", "score", "--gamma", "0,1"], ["--gamma", "0,1"]),
    ],
)
def test_fits_that_cannot_be_calibrated_leave_no_rule(
    tool: Tool, people: Path, arguments: list[str], parts: list[str]
) -> None:
    """One line that says why."""
    tool("fit", people, *PARITY, *arguments, "-o", "rule.json").fails(2, *parts)
    assert tool.files() == set()


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--score", "score", "--calibration"], ["--label"]),
        (["--score", "score", "--label", "y", "--bins", "4"], ["--bins", "--calibration"]),
        (["--decision", "y", "--calibration"], ["--decision", "--calibration"]),
        (["--score", "score", "--label", "y", "--calibration", "--bins", "0"], ["bins"]),
        (["--score", "logit", "--scale", "raw", "--label", "y", "--calibration"], ["raw"]),
    ],
)
def test_audits_without_anything_to_measure_are_refused(
    tool: Tool, people: Path, arguments: list[str], parts: list[str]
) -> None:
    """With what to do."""
    tool("audit", people, "--sensitive", "sex", *arguments).fails(2, *parts)


@pytest.mark.parametrize("y", [0, 1])
@pytest.mark.parametrize("method", ["platt", "temperature"])
def test_one_outcome_makes_no_curve(tool: Tool, people: Path, method: str, y: int) -> None:
    """But for isotonic, whose curve is flat. In one cell: the cell is named."""
    where = f"SELECT * FROM '{people}' WHERE y = {y}"
    asked = ("--score", "score", "--label", "y", "--calibrate")
    tool("calibrate", "--sql", where, *asked, method).fails(2, "isotonic")
    flat = tool("calibrate", "--sql", where, *asked, "isotonic", "--json").ok().json()
    assert flat["after"]["overall"]["brier"] == 0
    tool("calibrate", "--sql", f"{where} OR sex = 'F'", *asked, method, "--sensitive",
         "sex").fails(2, "sex=M", "isotonic")
    tool("calibrate", "--sql", f"{where} OR sex = 'F'", *asked, method, "--sensitive", "sex",
         "--calibrate-by", "all").ok()


def test_one_score_makes_no_curve(tool: Tool, people: Path) -> None:
    """There is no slope to find."""
    query = f"SELECT 0.4 AS s, y FROM '{people}'"
    tool("calibrate", "--sql", query, "--score", "s", "--label", "y", "--calibrate",
         "platt").fails(2, "score", "isotonic")
    found = tool("calibrate", "--sql", query, "--score", "s", "--label", "y", "--calibrate",
                 "isotonic", "--json").ok().json()
    assert found["after"]["overall"]["ece"] == pytest.approx(0, abs=1e-12)


def test_outcomes_that_scores_separate_have_no_temperature(tool: Tool, people: Path) -> None:
    """It would be 0; Platt's targets are smoothed, and serve."""
    query = f"SELECT score, (score > 0.5)::INTEGER AS sure FROM '{people}'"
    asked = ("--sql", query, "--score", "score", "--label", "sure", "--calibrate")
    tool("calibrate", *asked, "temperature").fails(2, "platt")
    tool("calibrate", *asked, "platt").ok()


def test_probabilities_of_0_and_1_have_figures(tool: Tool) -> None:
    """The logarithm of 0 is not infinite here, and the last bin holds 1."""
    tool.write("p.csv", "p,y\n0,0\n0,1\n1,1\n1,0\n0.5,1\n")
    p, y = np.array([0, 0, 1, 1, 0.5]), np.array([0, 1, 1, 0, 1])
    found = tool("calibrate", "p.csv", "--score", "p", "--label", "y", "--json").ok().json()
    same(found["before"]["overall"], figures(p, y, np.ones(5)))
    tool("calibrate", "p.csv", "--score", "p", "--label", "y", "--calibrate", "isotonic").ok()


def test_a_rule_and_a_method_are_one_too_many(tool: Tool, people: Path) -> None:
    """Either measure the rule's, or fit one."""
    tool("fit", people, "--score", "score", "--label", "y", *PARITY, "--calibrate", "platt", "-o",
         "rule.json").ok()
    tool("calibrate", people, "--rule", "rule.json", "--calibrate", "platt").fails(2, "--rule",
                                                                                 "--calibrate")
    tool("fit", people, "--score", "score", *PARITY, "-o", "plain.json").ok()
    tool("calibrate", people, "--rule", "plain.json", "--label", "y").fails(2, "plain.json",
                                                                          "no curve",
                                                                          "--calibrate")


def test_a_rule_of_other_rows_needs_their_labels(tool: Tool, people: Path) -> None:
    """The label's column is that of the rule, if it is there."""
    tool("fit", people, "--score", "score", "--label", "y", *PARITY, "--calibrate", "platt", "-o",
         "rule.json").ok()
    bare = f"SELECT * EXCLUDE y, y AS truth FROM '{people}'"
    tool("calibrate", "--sql", bare, "--rule", "rule.json").fails(2, "label")
    told = tool("calibrate", "--sql", bare, "--rule", "rule.json", "--label", "truth", "--json")
    wanted = tool("calibrate", people, "--rule", "rule.json", "--json").ok().json()
    assert told.ok().json()["after"] == wanted["after"]


def test_missing_labels_are_an_error_or_left_out(tool: Tool, people: Path) -> None:
    """Not 0."""
    query = f"SELECT * REPLACE (CASE WHEN hash(id) % 3 > 0 THEN y END AS y) FROM '{people}'"
    asked = ("--score", "score", "--label", "y")
    tool("calibrate", "--sql", query, *asked).fails(2, "missing", "y")
    found = tool("calibrate", "--sql", query, *asked, "--null", "exclude", "--json").ok().json()
    score, y = columns(f"SELECT * FROM ({query}) WHERE y IS NOT NULL", "score", "y")
    assert found["rows"] == len(y)
    assert found["excluded"] == 5000 - len(y)
    same(found["before"]["overall"], figures(score, y, np.ones(len(y))))


def test_groups_may_be_called_anything(tool: Tool, people: Path) -> None:
    """No control character reaches the terminal."""
    query = f"""SELECT * REPLACE (CASE sex WHEN 'F' THEN chr(27) || '[31m"; DROP' || chr(10)
                || 'é,=1+1' ELSE sex END AS sex) FROM '{people}'"""
    asked = ("--sql", query, "--score", "score", "--label", "y", "--sensitive", "sex",
             "--calibrate", "platt")
    text = tool("calibrate", *asked).ok().out
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)
    found = tool("calibrate", *asked, "--json").ok().json()
    assert {cell["cell"]["sex"] for cell in found["after"]["cells"]} == {
        '\x1b[31m"; DROP\né,=1+1', "M"}
    tool("fit", *asked, "--criterion", "statistical-parity", "-o", "rule.json").ok()
    shown = tool("show", "rule.json").ok().out
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", shown)
    again = tool("calibrate", "--sql", query, "--rule", "rule.json", "--json").ok().json()
    assert again["after"] == found["after"]
