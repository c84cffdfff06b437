"""`evenhand frontier`: what a stricter criterion costs, and that fit agrees."""

from __future__ import annotations

import csv
import io
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import Tool
from recompute import with_nulls

PARITY = ("--score", "score", "--sensitive", "sex", "--criterion", "statistical-parity")


def points(tool: Tool, *arguments: object) -> list[dict[str, Any]]:
    """Return the points as JSON."""
    return tool("frontier", *arguments, "--json").ok().json()["points"]


@pytest.mark.parametrize(
    ("criterion", "parameter", "at"),
    [
        ("statistical-parity", "tolerance", [0, 0.01, 0.05, 0.1]),
        ("equal-opportunity", "tolerance", [0, 0.05]),
        ("equalized-odds", "tolerance", [0, 0.03]),
        ("equal-rates", "tolerance", [0, 0.05]),
        ("four-fifths", "ratio", [1, 0.9, 0.8]),
    ],
)
def test_a_point_is_what_fit_finds_there(
    tool: Tool, people: Path, criterion: str, parameter: str, at: list[float]
) -> None:
    """The frontier shows nothing that fit would not give."""
    options = (people, "--score", "score", "--sensitive", "sex", "--label", "y", "--criterion",
               criterion)
    found = points(tool, *options, "--at", ",".join(map(str, at)))
    assert [point[parameter] for point in found] == at
    for point in found:
        fit = tool("fit", *options, f"--{parameter}", point[parameter], "--json").ok().json()
        assert point["objective"] == pytest.approx(fit["primal"], rel=1e-9)
        after = fit["after"]["overall"]
        assert point["selection_rate"] == pytest.approx(after["selection_rate"], abs=1e-9)
        assert point["accuracy"] == pytest.approx(after["accuracy"], abs=1e-9)
        assert point["violation"] < 1e-9
        assert point["gap"] < 1e-9


def test_more_tolerance_is_never_worse(tool: Tool, people: Path) -> None:
    """The objective does not fall, at less and less gain, and ends at the scores alone."""
    found = points(tool, people, *PARITY)
    tolerances = [point["tolerance"] for point in found]
    assert tolerances == sorted(tolerances)
    assert tolerances[0] == 0
    assert len(tolerances) >= 5
    objectives = [point["objective"] for point in found]
    assert objectives == sorted(objectives)
    assert objectives[0] < objectives[-1]
    gains = [
        (b["objective"] - a["objective"]) / (b["tolerance"] - a["tolerance"])
        for a, b in pairwise(found)
    ]
    assert all(later <= earlier + 1e-6 for earlier, later in pairwise(gains))
    fit = tool("fit", people, *PARITY, "--tolerance", 1, "--json").ok().json()
    assert objectives[-1] == pytest.approx(fit["base"], rel=1e-9)


def test_a_smaller_ratio_is_never_worse(tool: Tool, people: Path) -> None:
    """Four-fifths has a frontier of ratios."""
    query = f"SELECT * REPLACE (if(sex = 'F', .8, 1) * score AS score) FROM '{people}'"
    found = points(tool, "--sql", query, "--score", "score", "--sensitive", "sex", "--criterion",
                   "four-fifths")
    ratios = [point["ratio"] for point in found]
    assert ratios == sorted(ratios, reverse=True)
    objectives = [point["objective"] for point in found]
    assert objectives == sorted(objectives)
    assert objectives[0] < objectives[-1]


def test_points_come_in_the_order_asked_for(tool: Tool, people: Path) -> None:
    """--at keeps its order."""
    found = points(tool, people, *PARITY, "--at", "0.1,0,0.025")
    assert [point["tolerance"] for point in found] == [0.1, 0, 0.025]


def test_between_breakpoints_the_objective_is_a_straight_line(tool: Tool, people: Path) -> None:
    """All places where the slope changes are there, and the slope falls."""
    query = f"SELECT * REPLACE (round(score, 2) AS score) FROM '{people}'"
    found = points(tool, "--sql", query, *PARITY, "--breakpoints")
    tolerances = [point["tolerance"] for point in found]
    assert tolerances[0] == 0
    assert tolerances[-1] == 1
    assert tolerances == sorted(set(tolerances))
    assert len(found) > 3
    middles = [(a + b) / 2 for a, b in pairwise(tolerances)]
    between = points(tool, "--sql", query, *PARITY, "--at", ",".join(map(repr, middles)))
    for left, middle, right in zip(found, between, found[1:]):
        mean = (left["objective"] + right["objective"]) / 2
        assert middle["objective"] == pytest.approx(mean, rel=1e-9)


def test_table_csv_and_json_say_the_same(tool: Tool, people: Path) -> None:
    """For people, for spreadsheets and for programs; on standard output or in a file."""
    options = (people, *PARITY, "--label", "y", "--at", "0,0.05")
    table = tool("frontier", *options).ok().out
    as_csv = tool("frontier", *options, "--csv").ok().out
    as_json = tool("frontier", *options, "--json").ok().out
    rows = list(csv.DictReader(io.StringIO(as_csv)))
    found = json.loads(as_json)["points"]
    assert len(rows) == len(found) == 2
    for row, point in zip(rows, found):
        for name, text in row.items():
            assert float(text) == point[name], name
        assert f"{100 * point['accuracy']:.2f} %" in table
        assert f"{100 * point['selection_rate']:.2f} %" in table
    for name, text in (("f.csv", as_csv), ("f.json", as_json), ("f.txt", table), ("f", table),
                       ("f.CSV", as_csv)):
        ran = tool("frontier", *options, "-o", name).ok()
        assert ran.out == ""
        assert tool.path(name).read_text() == text, name
    tool("frontier", *options, "--csv", "-o", "csv.txt").ok()
    assert tool.path("csv.txt").read_text() == as_csv
    assert tool("frontier", *options, "-o", "-").ok().out == table
    assert tool("frontier", *options, "--csv", "-o", "-").ok().out == as_csv
    tool("frontier", *options, "--csv", "--json").fails(2, "--csv", "--json")
    tool("frontier", *options, "--breakpoints").fails(2, "--at or --breakpoints")


def test_a_file_holds_what_its_name_says(tool: Tool, people: Path) -> None:
    """An ending that a frontier cannot have is refused, with those that it can have."""
    for name in ("f.csv.gz", "f.parquet", "f.tsv", "f.ndjson", "f.doc"):
        tool("frontier", people, *PARITY, "--at", "0", "-o", name).fails(2, name, ".csv", ".json",
                                                                         ".txt")
    for name, flag in (("f.csv", "--json"), ("f.json", "--csv")):
        tool("frontier", people, *PARITY, flag, "-o", name).fails(2, name, "contradicts")
    assert tool.files() == set()


def test_requirements_hold_along_the_frontier(tool: Tool, people: Path) -> None:
    """A capacity stays a capacity at every tolerance."""
    found = points(tool, people, *PARITY, "--require", "rate <= 0.2", "--at", "0,0.1")
    assert all(point["selection_rate"] == pytest.approx(0.2, abs=1e-9) for point in found)


def test_requirements_that_clash_end_with_3(tool: Tool, people: Path) -> None:
    """As in fit: no rule meets them, and no file is left."""
    tool("frontier", people, *PARITY, "--require", "rate <= 0.1", "--require",
         "rate[sex=F] >= 0.6", "--at", "0,0.1", "-o", "f.csv").fails(3)
    assert tool.files() == set()


def test_a_tolerance_is_not_ignored(tool: Tool, people: Path) -> None:
    """--tolerance and --ratio make a point, or are refused; they do not vanish."""
    for criterion, parameter, value in (("statistical-parity", "tolerance", 0.0375),
                                        ("four-fifths", "ratio", 0.875)):
        ran = tool("frontier", people, "--score", "score", "--sensitive", "sex", "--criterion",
                   criterion, f"--{parameter}", value, "--json")
        if ran.status == 2:
            assert "--at" in ran.err
        else:
            assert value in [point[parameter] for point in ran.ok().json()["points"]]


def test_options_of_fit_mean_the_same_here(tool: Tool, people: Path) -> None:
    """Each option moves the point exactly as it moves the fit."""
    for options in (["--within", "race"], ["--weight", "w"], ["--gamma", 0.1],
                    ["--cost-fn", 3], ["--cost-fp", 2], ["--calibrate", "isotonic"],
                    ["--resolution", 5], ["--base-threshold", 0.7]):
        data = (people, *PARITY, "--label", "y", *options)
        point = points(tool, *data, "--at", "0.02")[0]
        fit = tool("fit", *data, "--tolerance", 0.02, "--json").ok().json()
        assert point["objective"] == pytest.approx(fit["primal"], rel=1e-8), options
        assert point["cost"] == pytest.approx(fit["after"]["overall"]["cost"], abs=1e-9), options
    for options in (["--score", "f", "--scale", "signed"], ["--score", "logit", "--scale", "logit"],
                    ["--score", "risk", "--favorable", "low"]):
        data = (people, *options, "--sensitive", "sex,race", "--across", "marginal",
                "--criterion", "statistical-parity")
        point = points(tool, *data, "--at", "0.02")[0]
        fit = tool("fit", *data, "--tolerance", 0.02, "--json").ok().json()
        assert point["objective"] == pytest.approx(fit["primal"], rel=1e-8), options
    equal = (people, "--score", "score", "--sensitive", "sex", "--criterion", "equal-rates",
             "--rho", "0.3")
    assert points(tool, *equal, "--at", "0")[0]["selection_rate"] == pytest.approx(0.3, abs=1e-9)


def test_missing_values_can_be_left_out(tool: Tool, people: Path) -> None:
    """As in fit."""
    query = with_nulls(people)
    tool("frontier", "--sql", query, *PARITY).fails(2, "50 in sex")
    rest = f"SELECT * FROM ({query}) WHERE sex IS NOT NULL"
    assert points(tool, "--sql", query, *PARITY, "--null", "exclude") == points(
        tool, "--sql", rest, *PARITY
    )


def test_a_tally_is_as_good_as_its_rows(tool: Tool, people: Path) -> None:
    """The same points."""
    tool("tally", people, "--score", "score", "--sensitive", "sex", "-o", "t.parquet").ok()
    criterion = ("--criterion", "statistical-parity", "--at", "0,0.05")
    assert points(tool, "--tally", "t.parquet", *criterion) == points(
        tool, people, "--score", "score", "--sensitive", "sex", *criterion
    )


def test_accuracy_without_labels_is_called_expected(tool: Tool, people: Path) -> None:
    """In words and in JSON."""
    words = "expected, if the scores are calibrated"
    assert words in tool("frontier", people, *PARITY).ok().out
    assert words not in tool("frontier", people, *PARITY, "--label", "y").ok().out
    for label, expected in (([], True), (["--label", "y"], False)):
        found = tool("frontier", people, *PARITY, *label, "--json").ok().json()
        assert found["expected"] is expected


def test_with_costs_the_table_shows_costs(tool: Tool, people: Path) -> None:
    """Accuracy is not what is maximised then."""
    header = tool("frontier", people, *PARITY, "--cost-fn", 3).ok().out.splitlines()[2].split()
    assert "cost" in header
    assert "accuracy" not in header
