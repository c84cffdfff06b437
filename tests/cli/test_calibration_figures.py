"""`evenhand calibrate` and `audit --calibration`: what they measure is what the rows say."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from calibration_figures import cells, figures, same, sigmoid
from conftest import Tool
from recompute import columns


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


def test_probabilities_of_0_and_1_have_figures(tool: Tool) -> None:
    """The logarithm of 0 is not infinite here, and the last bin holds 1."""
    tool.write("p.csv", "p,y\n0,0\n0,1\n1,1\n1,0\n0.5,1\n")
    p, y = np.array([0, 0, 1, 1, 0.5]), np.array([0, 1, 1, 0, 1])
    found = tool("calibrate", "p.csv", "--score", "p", "--label", "y", "--json").ok().json()
    same(found["before"]["overall"], figures(p, y, np.ones(5)))
    tool("calibrate", "p.csv", "--score", "p", "--label", "y", "--calibrate", "isotonic").ok()


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
