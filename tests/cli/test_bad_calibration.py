"""What cannot be calibrated: one line that says why, and nothing left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration_figures import GROUPS
from conftest import Tool


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
    tool("fit", people, *GROUPS, *arguments, "-o", "rule.json").fails(2, *parts)
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


def test_a_rule_and_a_method_are_one_too_many(tool: Tool, people: Path) -> None:
    """Either measure the rule's, or fit one."""
    tool("fit", people, "--score", "score", "--label", "y", *GROUPS, "--calibrate", "platt", "-o",
         "rule.json").ok()
    tool("calibrate", people, "--rule", "rule.json", "--calibrate", "platt").fails(2, "--rule",
                                                                                 "--calibrate")
    tool("fit", people, "--score", "score", *GROUPS, "-o", "plain.json").ok()
    tool("calibrate", people, "--rule", "plain.json", "--label", "y").fails(2, "plain.json",
                                                                          "no curve",
                                                                          "--calibrate")


def test_a_rule_of_other_rows_needs_their_labels(tool: Tool, people: Path) -> None:
    """The label's column is that of the rule, if it is there."""
    tool("fit", people, "--score", "score", "--label", "y", *GROUPS, "--calibrate", "platt", "-o",
         "rule.json").ok()
    bare = f"SELECT * EXCLUDE y, y AS truth FROM '{people}'"
    tool("calibrate", "--sql", bare, "--rule", "rule.json").fails(2, "label")
    told = tool("calibrate", "--sql", bare, "--rule", "rule.json", "--label", "truth", "--json")
    wanted = tool("calibrate", people, "--rule", "rule.json", "--json").ok().json()
    assert told.ok().json()["after"] == wanted["after"]
