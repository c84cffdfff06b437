"""Hostile names and values go through unharmed, and nothing gets out that was not asked for."""

from __future__ import annotations

import json
import time
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import Tool
from hostile import PARITY, SCORES, TEXTS, harmless, write

NAMES = {
    **TEXTS,
    **{
        word: word
        for word in (
            "evenhand_",
            "evenhand__",
            "evenhand_tally",
            "evenhand_tally_",
            "evenhand_decide",
            "r_",
            "r",
            "v",
            "d",
            "rowid",
            "select",
            "group",
            "file_row_number",
            "filename",
            "column0",
            "score_",
            "N",
            "Score",
            "SCORE_1",
            "null",
            "count",
            "-x",
        )
    },
}
VALUES = {**TEXTS, "empty": "", "NUL": "a\0b", "null": "NULL", "nan": "nan", "true": "true"}


def quoted(name: str) -> str:
    """Write a name where several may be given with commas."""
    return '"' + name.replace('"', '""') + '"'


def probability(cell: dict[str, Any], score: float) -> float:
    """Decide as docs/formats.md says."""
    result = cell["start"]
    for at, q in cell["steps"]:
        if score >= at:
            result = q
    return float(result)


def goes_through(tool: Tool, name: str, values: list[str], who: str) -> None:
    """Assert that all commands treat this column and these values as any other."""
    write(tool.path("data.parquet"), name, values)
    rows = ["data.parquet", "--score", "p", "--sensitive", who]
    fit = tool("fit", *rows, *PARITY, "-o", "rule.json").ok()
    rule = json.loads(tool.path("rule.json").read_text())
    assert rule["rule"]["attributes"] == [name]
    cells = {cell["values"][0]: cell for cell in rule["rule"]["cells"]}
    assert set(cells) == set(values)
    assert rule["fit"]["columns"]["sensitive"] == [name]

    apply = tool("apply", "data.parquet", "--rule", "rule.json", "-o", "out.parquet").ok()
    before = pq.read_table(tool.path("data.parquet"))
    after = pq.read_table(tool.path("out.parquet"))
    assert after.column_names == [*before.column_names, "probability", "decision"]
    for column in before.column_names:
        assert after[column].to_pylist() == before[column].to_pylist()
    assert after["probability"].to_pylist() == [
        probability(cells[value], score)
        for value, score in zip(before[name].to_pylist(), SCORES, strict=True)
    ]

    show = tool("show", "rule.json").ok()
    audit = tool("audit", "data.parquet", "--rule", "rule.json").ok()
    frontier = tool("frontier", *rows, *PARITY).ok()
    assert tool("audit", *rows, "--json").ok().json()["sensitive"] == [name]
    if name.lower() in ("score", "n", "n1"):  # a tally has columns of these names
        tool("tally", *rows, "-o", "tally.parquet").fails(2, name, "rename it")
        harmless(fit, apply, show, audit, frontier)
        return
    tally = tool("tally", *rows, "-o", "tally.parquet").ok()
    assert pq.read_table(tool.path("tally.parquet"))[name].to_pylist().count(values[0]) > 0
    merge = tool("merge", "tally.parquet", "tally.parquet", "--allow-repeated",
                 "-o", "both.parquet").ok()
    again = tool("fit", "--tally", "both.parquet", *PARITY, "-o", "again.json").ok()
    assert json.loads(tool.path("again.json").read_text())["rule"] == rule["rule"]
    harmless(fit, apply, show, audit, frontier, tally, merge, again)


@pytest.mark.parametrize("case", NAMES)
def test_column_by_any_name(tool: Tool, case: str) -> None:
    """A group's column may have any name: the rule keeps it, and every command finds it."""
    goes_through(tool, NAMES[case], ["A", "B"], quoted(NAMES[case]))


@pytest.mark.parametrize("case", VALUES)
def test_group_by_any_name(tool: Tool, case: str) -> None:
    """A group may have any name: it arrives in the rule and is decided by it."""
    goes_through(tool, "g", [VALUES[case], "plain"], "g")


@pytest.mark.parametrize(
    "case", [case for case in NAMES if case not in TEXTS or case in ("SQL", "comma")]
)
def test_score_by_any_name(tool: Tool, case: str) -> None:
    """A score's column may have any name."""
    name = NAMES[case]
    write(tool.path("data.parquet"), "g", ["A", "B"], score=name)
    option = f"--score={name}"
    tool("fit", "data.parquet", option, "--sensitive", "g", *PARITY, "-o", "rule.json").ok()
    tool("apply", "data.parquet", "--rule", "rule.json", "-o", "out.parquet").ok()
    assert pq.read_table(tool.path("out.parquet"))[name].to_pylist() == SCORES
    harmless(tool("audit", "data.parquet", option, "--sensitive", "g").ok())


@pytest.mark.parametrize("case", TEXTS)
def test_other_names_of_the_users(tool: Tool, case: str) -> None:
    """Names for new columns and for missing groups may be anything, too."""
    name = TEXTS[case]
    table = pa.table({"p": SCORES, "g": ["A", None] * 4, "id": list("abcdefgh")})
    pq.write_table(table, tool.path("data.parquet"))
    rows = ["data.parquet", "--score", "p", "--sensitive", "g", f"--null={name}"]
    fit = tool("fit", *rows, *PARITY, "-o", "rule.json").ok()
    rule = json.loads(tool.path("rule.json").read_text())["rule"]
    assert {cell["values"][0] for cell in rule["cells"]} == {"A", name}
    apply = tool(
        "apply",
        "data.parquet",
        "--rule",
        "rule.json",
        f"--probability-name={name}",
        f"--decision-name={name}2",
        "-o",
        "out.parquet",
    ).ok()
    assert pq.read_table(tool.path("out.parquet")).column_names[3:] == [name, name + "2"]
    audit = tool("audit", *rows, f"--reference={quoted(name) if ',' in name else name}")
    assert audit.status in (0, 2)
    harmless(fit, apply, audit)


@pytest.mark.parametrize("case", VALUES)
def test_unknown_group_by_any_name(tool: Tool, case: str) -> None:
    """A message that names what somebody else wrote is one harmless line."""
    write(tool.path("known.parquet"), "g", ["A", "B"])
    tool(
        "fit", "known.parquet", "--score", "p", "--sensitive", "g", *PARITY, "-o", "rule.json"
    ).ok()
    write(tool.path("data.parquet"), "g", [VALUES[case], "A"])
    for command in (
        ["apply", "data.parquet", "--rule", "rule.json", "-o", "out.csv"],
        ["audit", "data.parquet", "--rule", "rule.json"],
    ):
        run = tool(*command).fails(2, "never seen")
        harmless(run)
        assert len(run.err) < 2000
        assert not tool.path("out.csv").exists()


@pytest.mark.parametrize("case", TEXTS)
def test_suggested_column_by_any_name(tool: Tool, case: str) -> None:
    """A message that lists or suggests hostile columns is one harmless line."""
    write(tool.path("data.parquet"), TEXTS[case], ["A", "B"])
    for typo in (TEXTS[case] + "x", "nothing like it"):
        run = tool("fit", "data.parquet", "--score", "p", f"--sensitive={quoted(typo)}", *PARITY)
        run.fails(2, "no column")
        harmless(run)
        assert len(run.err) < 2000


def test_direction_overrides_do_not_reach_the_terminal(tool: Tool) -> None:
    """Characters that reverse what follows cannot forge a line of a table."""
    write(tool.path("data.parquet"), "g", ["A\u202e)% 0.0", "B\u2066"])
    rows = ["data.parquet", "--score", "p", "--sensitive", "g"]
    runs = [
        tool("fit", *rows, *PARITY, "-o", "rule.json").ok(),
        tool("show", "rule.json").ok(),
        tool("audit", *rows).ok(),
        tool("frontier", *rows, *PARITY).ok(),
    ]
    for run in runs:
        assert not set(run.out + run.err) & set(
            "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
        )


@pytest.mark.parametrize(
    "values", [["a", "A"], ["a", "a "], ["é", "e\u0301"], ["1", "1.0"], ["", " "], ["ß", "ss"]]
)
def test_groups_that_look_alike_stay_apart(tool: Tool, values: list[str]) -> None:
    """Groups are told apart by their bytes."""
    goes_through(tool, "g", values, "g")


def test_columns_equal_but_for_case(tool: Tool) -> None:
    """The column that is named exactly is taken, or none; never another one in silence."""
    table = pa.table([SCORES, ["X", "Y"] * 4, ["A", "B", "C", "C"] * 2], ["p", "G", "g"])
    pq.write_table(table, tool.path("data.parquet"))
    for name, values in (("G", {"X", "Y"}), ("g", {"A", "B", "C"})):
        run = tool("fit", "data.parquet", "--score", "p", "--sensitive", name, *PARITY, "-o", "-")
        if run.status == 0:
            assert {cell["values"][0] for cell in run.json()["rule"]["cells"]} == values
        else:
            run.fails(2, name)


def test_several_thousand_groups(tool: Tool) -> None:
    """Five thousand groups are no more than a longer table."""
    duckdb.sql(
        "COPY (SELECT (hash(i) % 1000) / 1000 AS p, 'group ' || i % 5000 AS g FROM range(50000) "
        f"t(i)) TO '{tool.path('data.parquet')}'"
    )
    rows = ["data.parquet", "--score", "p", "--sensitive", "g"]
    start = time.monotonic()
    tool("fit", *rows, *PARITY, "-o", "rule.json").ok()
    tool("apply", "data.parquet", "--rule", "rule.json", "-o", "out.parquet").ok()
    decisions = tool("show", "rule.json").ok().out.split("\n\n")[0]
    assert decisions.count("\n  ") == 5000
    audit = tool("audit", "data.parquet", "--rule", "rule.json", "--json").ok().json()
    assert audit["largest_difference"] < 1e-9
    tool("tally", *rows, "-o", "tally.parquet").ok()
    assert time.monotonic() - start < 30
