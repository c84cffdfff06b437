"""Rules fitted with --calibrate: fair and best on raw scores, and measured on other rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from calibration_figures import GROUPS, MARGIN, RAW, cells, figures, same, sigmoid
from conftest import Sql, Tool
from recompute import applied, columns, largest_difference


@pytest.mark.parametrize("by", ["cell", "all"])
@pytest.mark.parametrize("method", ["platt", "isotonic"])
@pytest.mark.parametrize("gamma", [0, 0.05])
def test_a_rule_takes_raw_scores_and_is_fair(
    tool: Tool, people: Path, sql: Sql, method: str, by: str, gamma: float
) -> None:
    """Parity where it is applied, to margins that are no probabilities."""
    query = MARGIN.format(people)
    tool("fit", "--sql", query, *RAW, *GROUPS, "--within", "race", "--calibrate", method,
         "--calibrate-by", by, "--gamma", gamma, "-o", "rule.json").ok()
    applied(tool, "--sql", query)
    assert largest_difference(sql, "race") < 1e-9


def test_a_rule_with_a_calibrator_beats_all_that_thresholds_could_do(
    tool: Tool, people: Path
) -> None:
    """Its objective is the best over a grid of pairs of thresholds that are as fair."""
    query = MARGIN.format(people)
    x, sex = columns(query, "margin", "sex")
    fit = tool("fit", "--sql", query, *RAW, *GROUPS, "--calibrate", "platt", "-o", "rule.json",
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
    tool("fit", "--sql", half.format(0), "--score", "score", "--label", "y", *GROUPS, "--calibrate",
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
    tool("fit", people, "--score", "score", "--label", "y", *GROUPS, "--calibrate", "isotonic",
         "-o", "rule.json").ok()
    ran = tool("calibrate", people, "--rule", "rule.json")
    assert "without --calibrate" not in ran.err


def test_people_of_a_new_group_have_the_curve_of_all(tool: Tool, people: Path) -> None:
    """The calibrator knows nothing of them."""
    tool("fit", people, "--score", "score", "--label", "y", *GROUPS, "--calibrate", "platt", "-o",
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
        tool("fit", people, "--score", "score", "--label", "y", *GROUPS, "--calibrate", method,
             "--calibrate-by", by, "-o", "rule.json").ok()
        shown = tool("show", "rule.json").ok().out
        line = next(line for line in shown.splitlines() if line.startswith("Calibrated: "))
        assert method in line
        assert by in line
        curves = shown[shown.index(line) : shown.index("Criterion: ")]
        assert ("everybody: " in curves) == (by == "all")
        assert ("sex=M: " in curves) == (by == "cell")


def test_low_scores_that_are_good_can_be_raw(tool: Tool, people: Path, sql: Sql) -> None:
    """A risk on no known scale; nobody with a lower risk is treated worse."""
    query = f"SELECT *, 50 - 7 * logit AS danger, 1 - y AS harm FROM '{people}'"
    tool("fit", "--sql", query, "--score", "danger", "--scale", "raw", "--favorable", "low",
         "--label", "harm", *GROUPS, "--calibrate", "platt", "-o", "rule.json").ok()
    applied(tool, "--sql", query)
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
    asked = ("--sql", query, *RAW, *GROUPS, "--calibrate", "platt")
    told = tool("frontier", *asked, "--at", "0,0.05", "--json").ok().json()
    points = told["points"] if isinstance(told, dict) else told
    for point in points:
        fit = tool("fit", *asked, "--tolerance", point["tolerance"], "--json").ok().json()
        assert point["objective"] == pytest.approx(fit["primal"], rel=1e-9)
