"""`evenhand fit --trace`: how the stochastic fit went, and what it must not overwrite."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from conftest import Sql, Tool
from recompute import columns
from stochastic import GAMMA, SGD, xi

COMMAS_AND_MORE = 'a,"b"\nc'


def read_trace(path: Path) -> tuple[list[str], np.ndarray]:
    """Read a trace in CSV: its header and its numbers."""
    lines = list(csv.reader(io.StringIO(path.read_text())))
    return lines[0], np.array([[float(x) for x in line] for line in lines[1:]])


@pytest.mark.parametrize("stream", [(), ("--stream", "--epochs", 2)])
def test_traces_in_csv_and_json_say_the_same(
    tool: Tool, people: Path, stream: tuple[object, ...]
) -> None:
    """The same points, and the columns that the documents name."""
    for name in ("t.csv", "t.json"):
        tool("fit", people, *SGD, "--within", "race", *stream, "--trace", name).ok()
    header, points = read_trace(tool.path("t.csv"))
    told = json.loads(tool.path("t.json").read_text())
    names = told["multipliers"]
    assert len(names) == 3
    both = [f"{which} of {name}" for name in names for which in ("mean", "last")]
    assert header[:4] == ["step", "epoch", "dual", "violation"]
    assert sorted(header[4:]) == sorted(both)
    assert len(points) == len(told["points"])
    for line, point in zip(points, told["points"]):
        at = dict(zip(header, line))
        for key in ("step", "epoch", "dual", "violation"):
            assert at[key] == point[key]
        for i, name in enumerate(names):
            assert at[f"mean of {name}"] == point["mean"][i]
            assert at[f"last of {name}"] == point["last"][i]


@pytest.mark.parametrize("weighted", [(), ("--weight", "w")])
@pytest.mark.parametrize("stream", [(), ("--stream",)])
def test_the_trace_runs_from_zero_to_the_result_and_descends(
    tool: Tool, people: Path, stream: tuple[str, ...], weighted: tuple[str, ...]
) -> None:
    """Its last point is what was found, after as many epochs as were asked for."""
    fit = tool("fit", people, *SGD, *stream, *weighted, "--epochs", 3, "--trace", "t.csv",
               "--json").ok().json()
    header, points = read_trace(tool.path("t.csv"))
    assert header == ["step", "epoch", "dual", "violation", "mean of sex=F", "last of sex=F"]
    first, last = points[0], points[-1]
    (mu,) = fit["sgd"]["multipliers"]
    assert first[[0, 1, 4, 5]].tolist() == [0, 0, 0, 0]
    assert (np.diff(points[:, 0]) > 0).all()
    assert last[[0, 2, 3, 4, 5]].tolist() == [fit["sgd"]["steps"], fit["dual"], fit["violation"],
                                             mu["mean"], mu["last"]]
    assert last[2] < first[2]
    assert last[3] < first[3]
    assert 100 <= len(points) <= 102
    assert last[1] == pytest.approx(3)


def test_every_point_of_a_trace_is_true(tool: Tool, people: Path) -> None:
    """Dual objective and violation, recomputed from the rows and the means."""
    score, sex = columns(f"SELECT * FROM '{people}'", "score", "sex")
    tool("fit", people, *SGD, "--epochs", 2, "--record-every", 2500, "--trace", "t.csv").ok()
    share = (sex == "F").mean()
    w = np.where(sex == "F", 1 - share, -share)
    for _, _, dual, violation, mean, _ in read_trace(tool.path("t.csv"))[1]:
        z = 2 * score - 1 - w * mean
        q = np.clip(z / GAMMA, 0, 1)
        assert dual == pytest.approx(xi(z).sum(), rel=1e-10)
        assert violation == pytest.approx(abs(q[sex == "F"].mean() - q[sex == "M"].mean()),
                                          abs=1e-9)


@pytest.mark.parametrize(("every", "steps"), [(1000, 5000), (1500, 5000), (7000, 5000), (1, 40)])
def test_points_are_as_far_apart_as_asked(
    tool: Tool, people: Path, every: int, steps: int
) -> None:
    """At 0, at every multiple, and at the end."""
    tool("fit", people, *SGD, "--steps", steps, "--record-every", every, "--trace", "t.csv").ok()
    found = read_trace(tool.path("t.csv"))[1]
    assert found[:, 0].tolist() == sorted({*range(0, steps + 1, every), steps})
    assert found[:, 1].tolist() == pytest.approx((found[:, 0] / 5000).tolist())


def test_points_of_a_stream_are_as_far_apart_as_asked(tool: Tool, people: Path) -> None:
    """The same in a stream."""
    tool("fit", people, *SGD, "--stream", "--record-every", 1500, "--trace", "t.csv").ok()
    assert read_trace(tool.path("t.csv"))[1][:, 0].tolist() == [0, 1500, 3000, 4500, 5000]


def test_a_trace_does_not_change_what_is_found(tool: Tool, people: Path) -> None:
    """Looking is free."""
    for name, more in (("a.json", ()), ("b.json", ("--trace", "t.json", "--record-every", 77))):
        tool("fit", people, *SGD, "--epochs", 1, *more, "-o", name).ok()
    assert tool.path("a.json").read_bytes() == tool.path("b.json").read_bytes()


def test_names_of_groups_are_quoted_in_a_trace(tool: Tool, people: Path) -> None:
    """Commas, quotes and line ends come back from any CSV reader."""
    query = f"""SELECT * REPLACE (CASE sex WHEN 'F' THEN '{COMMAS_AND_MORE}' ELSE sex END AS sex)
                FROM '{people}'"""
    for name in ("t.csv", "t.json"):
        tool("fit", "--sql", query, *SGD, "--epochs", 1, "--trace", name).ok()
    header, points = read_trace(tool.path("t.csv"))
    (cell,) = json.loads(tool.path("t.json").read_text())["multipliers"]
    assert header[4:] == [f"mean of {cell}", f"last of {cell}"]
    assert points.shape[1] == 6


# --- Files that must not be lost.


def test_a_trace_does_not_overwrite_the_data(tool: Tool, people: Path, sql: Sql) -> None:
    """As no rule may."""
    sql(f"COPY (FROM '{people}') TO '{tool.path('p.csv')}'")
    before = tool.path("p.csv").read_bytes()
    tool.path("link.csv").symlink_to("p.csv")
    for name in ("p.csv", "./p.csv", "link.csv"):
        ran = tool("fit", "p.csv", *SGD, "--epochs", 1, "--trace", name)
        assert tool.path("p.csv").read_bytes() == before, name
        ran.fails(2, "p.csv" if name != "link.csv" else name, "input")


def test_a_trace_does_not_overwrite_the_rule(tool: Tool, people: Path) -> None:
    """Whatever the way in which the same file is named."""
    names = ["./rule.json", str(tool.path("rule.json")), "link.json"]
    for name in names:
        tool.path("link.json").unlink(missing_ok=True)
        tool.write("rule.json", "old")
        tool.path("link.json").symlink_to("rule.json")
        ran = tool("fit", people, *SGD, "--epochs", 1, "-o", "rule.json", "--trace", name)
        assert tool.path("rule.json").read_text() == "old", name
        ran.fails(2, "rule", "trace")


def test_a_trace_replaces_an_older_one_only_when_all_went_well(tool: Tool, people: Path) -> None:
    """A failed run leaves the old one."""
    tool.write("t.csv", "old")
    tool("fit", people, "--score", "logit", *SGD[2:], "--trace", "t.csv").fails(2, "score")
    assert tool.path("t.csv").read_text() == "old"
    tool("fit", people, *SGD, "--epochs", 1, "--trace", "t.csv").ok()
    assert tool.path("t.csv").read_text().startswith("step,epoch")
    assert tool.files() == {"t.csv"}


def test_the_rule_can_go_to_standard_output_beside_a_trace(tool: Tool, people: Path) -> None:
    """Nothing else is printed then."""
    ran = tool("fit", people, *SGD, "--epochs", 1, "--trace", "t.json", "-o", "-").ok()
    tool("fit", people, *SGD, "--epochs", 1, "-o", "rule.json").ok()
    assert ran.out == tool.path("rule.json").read_text()
    assert json.loads(tool.path("t.json").read_text())["points"]
