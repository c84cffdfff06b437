"""Hostile names and values go through unharmed, and nothing gets out that was not asked for."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import TOOL, Ran, Tool

SCORES = [0.1, 0.8, 0.35, 0.6, 0.9, 0.45, 0.2, 0.7]
PARITY = ["--criterion", "statistical-parity"]
TEXTS = {
    "double quote": 'a"b',
    "only a double quote": '"',
    "single quote": "it's",
    "semicolon": "a;b",
    "newline": "a\nb",
    "carriage return": "a\rb",
    "tab": "a\tb",
    "backslash": "a\\b\\",
    "backslash n": "a\\nb",
    "ANSI escape": "\x1b[31mred\x1b[0m\x1b]0;title\x07",
    "bell, backspace, delete": "\x07\x08\x7f",
    "C1 control": "\x9b31mred",
    "Hebrew": "עברית",
    "emoji": "👩🏽‍🚀",
    "combining marks": "e\u0301",
    "SQL": 'x"; DROP TABLE t; --',
    "SQL in single quotes": "x'; DROP TABLE t; --",
    "comment": "/* a",
    "comma": "a,b",
    "quoted comma": '"a","b"',
    "spaces around": " a ",
    "equals and brackets": "a=b[c]",
    "format": "{} {0} %s %n $1 ?",
    "JSON": '{"a": [1]}',
    "HTML": "<script>alert(1)</script>",
    "very long": "x" * 10_000,
    "star": "*",
    "line separator": "a\u2028b",
}
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


def write(path: Path, name: str, values: list[str], score: str = "p") -> None:
    """Write eight rows as Parquet: a score, a group by this name, a label."""
    groups = [values[i % len(values)] for i in range(len(SCORES))]
    table = pa.table([pa.array(SCORES), pa.array(groups), pa.array([0, 1] * 4)], [score, name, "y"])
    pq.write_table(table, path)


def probability(cell: dict[str, Any], score: float) -> float:
    """Decide as docs/formats.md says."""
    result = cell["start"]
    for at, q in cell["steps"]:
        if score >= at:
            result = q
    return float(result)


def harmless(*runs: Ran) -> None:
    """Assert that nothing was said that a terminal would obey."""
    for run in runs:
        for text in (run.out, run.err):
            bad = {c for c in text if unicodedata.category(c) == "Cc" and c != "\n"}
            assert not bad, (bad, text[:300])


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
    merge = tool("merge", "tally.parquet", "tally.parquet", "-o", "both.parquet").ok()
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
    assert tool("show", "rule.json").ok().out.count("\n  ") == 5000
    audit = tool("audit", "data.parquet", "--rule", "rule.json", "--json").ok().json()
    assert audit["largest_difference"] < 1e-9
    tool("tally", *rows, "-o", "tally.parquet").ok()
    assert time.monotonic() - start < 30


# --- Files.


FILES = [
    "a[1].csv",
    "it's.csv",
    "a b.csv",
    'a"b.csv',
    "./-x.csv",
    "new\nline.csv",
    "a*b.csv",
    "a?b.csv",
    "{a,b}.csv",
    "a;b.csv",
    "a\\b.csv",
    "$HOME.csv",
    "~.csv",
    "\x1b[31m.csv",
    "read_csv('x').csv",
    "année😀.csv",
    "a%20b.csv",
    "'); DROP TABLE t; --.csv",
]
ROWS = "p,g\n" + "".join(f"{score},{'AB'[i % 2]}\n" for i, score in enumerate(SCORES))


@pytest.mark.parametrize("name", FILES)
def test_file_by_any_name(tool: Tool, name: str) -> None:
    """A file may have any name, as input and as output; others beside it are not read."""
    tool.write(name, ROWS)
    for other in ("a1.csv", "aab.csv", "a.csv", "b.csv"):
        tool.write(other, "p,g\n0.5,WRONG\n")
    fit = tool("fit", name, "--score", "p", "--sensitive", "g", *PARITY, "-o", name + ".json").ok()
    rule = json.loads(tool.path(name + ".json").read_text())
    assert [cell["values"] for cell in rule["rule"]["cells"]] == [["A"], ["B"]]
    apply = tool("apply", name, "--rule", name + ".json", "-o", name + ".out.csv").ok()
    assert tool.path(name + ".out.csv").read_text().count("\n") == 1 + len(SCORES)
    tally = tool("tally", name, "--score", "p", "--sensitive", "g", "-o", name + ".parquet").ok()
    show = tool("show", name + ".json").ok()
    again = tool("fit", "--tally", name + ".parquet", *PARITY).ok()
    harmless(fit, apply, tally, show, again)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_folder_named_like_a_column(tool: Tool, ending: str) -> None:
    """The name of a folder never replaces a value or adds a column."""
    folder = tool.path("g=WRONG/extra=1")
    folder.mkdir(parents=True)
    write(folder / "data.parquet", "g", ["A", "B"])
    if ending == "csv":
        duckdb.sql(
            f"COPY (SELECT p, g, y FROM read_parquet('{folder}/data.parquet', "
            f"hive_partitioning = false)) TO '{folder}/data.csv'"
        )
    data = f"g=WRONG/extra=1/data.{ending}"
    rule = tool("fit", data, "--score", "p", "--sensitive", "g", *PARITY, "-o", "-").ok().json()
    assert [cell["values"] for cell in rule["rule"]["cells"]] == [["A"], ["B"]]
    tool.write("rule.json", json.dumps(rule))
    out = tool("apply", data, "--rule", "rule.json").ok().out
    assert out.splitlines()[0] == "p,g,y,probability,decision"


# --- SQL of the user's.

FORBIDDEN = {
    "COPY": "COPY (SELECT 1) TO 'evil.csv'",
    "COPY after a closing bracket": "SELECT 1) TO 'evil.csv' --",
    "COPY as a second statement": (
        "SELECT 1); COPY (SELECT 1) TO 'evil.csv'; SELECT * FROM (SELECT 1"
    ),
    "COPY in query()": "SELECT * FROM query('COPY (SELECT 1) TO ''evil.csv''')",
    "EXPORT": "EXPORT DATABASE 'evil'",
    "ATTACH": "ATTACH 'evil.db'",
    "ATTACH as a second statement": "SELECT 1; ATTACH 'evil.db'",
    "INSTALL": "INSTALL httpfs",
    "LOAD": "LOAD spatial",
    "LOAD of a file": "LOAD './evil.duckdb_extension'",
    "PRAGMA": "PRAGMA enable_logging",
    "SET": "SET lock_configuration = false",
    "RESET": "RESET lock_configuration",
    "CREATE": "CREATE TABLE evil AS SELECT 1",
    "INSERT": "INSERT INTO evil VALUES (1)",
    "DROP": "DROP TABLE evil",
    "CALL": "CALL pragma_version()",
    "CHECKPOINT": "CHECKPOINT",
    "logging to a file": (
        "SELECT * FROM enable_logging(storage = 'file', storage_path = 'evil.csv')"
    ),
    "profiling to a file": "SET profiling_output = 'evil.json'",
    "comment that is not closed": "SELECT 1 /*",
}


@pytest.mark.parametrize("command", ["apply", "tally"])
@pytest.mark.parametrize("case", FORBIDDEN)
def test_sql_only_reads(tool: Tool, command: str, case: str) -> None:
    """SQL that writes, attaches, loads or sets is refused, and leaves nothing."""
    tool.write("data.csv", ROWS)
    rows = ["--score", "p", "--sensitive", "g"]
    tool.write("rule.json", rule_with({"columns": {"score": "p"}}))
    calls = {
        "apply": ["--rule", "rule.json", "-o", "out.csv"],
        "tally": [*rows, "-o", "out.parquet"],
    }
    before = tool.files()
    tool(command, "--sql", FORBIDDEN[case], *calls[command]).fails(2, "--sql")
    assert tool.files() == before


def test_sql_does_not_reach_the_tools_own_functions(tool: Tool) -> None:
    """The functions that the tool makes for itself are not for the user's SQL."""
    tool.write("data.csv", ROWS)
    for query in (
        "SELECT 0.5 AS p, evenhand_value_0('A') AS g",
        "FROM evenhand_tally_rows()",
        "SELECT evenhand_tally(0.5) AS p, 'A' AS g",
        "SELECT 0.5 AS p, 'A' AS g, evenhand_decide(0, 0.5, 1)",
    ):
        tool("fit", "data.csv", "--score", "p", "--sensitive", "g", *PARITY, "-o", "r.json").ok()
        run = tool("apply", "--sql", query, "--rule", "r.json", "-o", "out.csv")
        run.fails(2, "--sql")


# --- Rules that somebody else wrote.


def rule_with(fit: object, attribute: str = "g", value: str = "A") -> str:
    """Write a rule by hand."""
    cells = [{"values": [value], "start": 0, "steps": [[0.5, 1]]}]
    rule = {
        "attributes": [attribute],
        "scale": "probability",
        "favorable": "high",
        "otherwise": 0.5,
        "cells": cells,
    }
    return json.dumps({"evenhand": 1, "rule": rule, "fit": fit})


HOSTILE_FITS: dict[str, object] = {
    "escapes": {
        "criterion": {"name": "\x1b[2Jcleared"},
        "status": "\x1b]0;title\x07\n\nForged: yes",
    },
    "C1 control": {"criterion": {"name": "\x9b2J"}, "status": "\x9b2J"},
    "wrong types": {"criterion": {"name": 1}, "status": [], "weight": "many", "gap": {}},
    "a list as criterion": {"criterion": [1], "columns": [1], "weight": None},
    "numbers in columns": {"columns": {"score": 1, "sensitive": 2, "null": 3, "label": []}},
    "huge numbers": {"weight": 1e308, "status": "optimal", "gap": -1e308, "lottery_share": 1e300},
    "negative numbers": {"weight": -5, "status": "optimal", "violation": -1, "lottery_share": -1},
    "long texts": {"criterion": {"name": "x" * 100_000}, "status": "y" * 100_000},
    "nothing": {},
}


@pytest.mark.parametrize("case", HOSTILE_FITS)
def test_record_of_a_fit_is_only_shown(tool: Tool, case: str) -> None:
    """Whatever the record of a fit says, show is harmless, and the rule decides all the same."""
    tool.write("rule.json", rule_with(HOSTILE_FITS[case]))
    show = tool("show", "rule.json").ok()
    harmless(show)
    assert "g=A" in show.out
    assert len(show.out) < 3000
    assert not any(line.startswith("Forged") for line in show.out.splitlines())
    tool.write("data.csv", "p,g\n0.2,A\n0.7,A\n")
    out = tool("apply", "data.csv", "--rule", "rule.json", "--score", "p").ok().out
    assert [line.split(",")[-1] for line in out.splitlines()] == ["decision", "0", "1"]


@pytest.mark.parametrize("letter", ["x", "é", "\x1b"])
def test_long_names_in_a_rule_are_shortened(tool: Tool, letter: str) -> None:
    """A name of ten thousand characters does not fill the screen, nor hide the threshold."""
    long = letter * 10_000
    criterion = {"name": "statistical-parity", "sensitive": [long], "require": [long]}
    tool.write("rule.json", rule_with({"criterion": criterion}, attribute=long, value=long))
    show = tool("show", "rule.json").ok()
    harmless(show)
    assert max(map(len, show.out.splitlines())) < 3000
    assert "...: yes from 0.5\n" in show.out.replace('"', "")
    tool.write("data.csv", f"p,{'q' * 10_000}\n0.2,0.5\n0.7,0.4\n0.4,0.1\n")
    tool("fit", "data.csv", "--score", "p", "--soft", "q" * 10_000, "-o", "soft.json").ok()
    show = tool("show", "soft.json").ok()
    assert max(map(len, show.out.splitlines())) < 400
    assert "qqq..." in show.out


@pytest.mark.parametrize("column", ['p"; DROP TABLE t; --', "read_text('/etc/passwd')", "*", "1"])
def test_columns_in_a_rule_are_only_names(tool: Tool, column: str) -> None:
    """What a rule says about columns is never taken for SQL."""
    tool.write("data.csv", ROWS)
    tool.write("rule.json", rule_with({"columns": {"score": column}}))
    tool("apply", "data.csv", "--rule", "rule.json").fails(2, "no column")
    tool.write("rule.json", rule_with({"columns": {"score": "p"}}, attribute=column))
    tool("apply", "data.csv", "--rule", "rule.json").fails(2, "no column")


@pytest.mark.parametrize("null", ["'); DROP TABLE t; --", "it's", "A"])
def test_name_for_missing_groups_in_a_rule_is_only_a_name(tool: Tool, null: str) -> None:
    """What a rule says about missing groups is never taken for SQL."""
    tool.write("data.csv", "p,g\n0.2,A\n0.7,\n")
    tool.write("rule.json", rule_with({"columns": {"score": "p", "null": null}}, value=null))
    run = tool("apply", "data.csv", "--rule", "rule.json", "--unseen", "reject").ok()
    assert run.out.splitlines()[2].endswith(",1")


# --- Tallies that somebody else wrote.


def some_texts() -> Iterable[str]:
    """Return some of the hostile texts."""
    return (TEXTS[case] for case in ("ANSI escape", "C1 control", "SQL", "newline", "format"))


def test_metadata_of_a_tally_are_only_names(tool: Tool) -> None:
    """What a tally says about itself is shown harmlessly."""
    tool.write("data.csv", ROWS)
    tool("tally", "data.csv", "--score", "p", "--sensitive", "g", "-o", "good.parquet").ok()
    table = pq.read_table(tool.path("good.parquet"))
    metadata = json.loads(table.schema.metadata[b"evenhand"])
    for text in some_texts():
        for change in (
            {"score": text, "label": text},
            {"scale": text},
            {"sensitive": [text]},
            {"resolution": text},
            {"version": text},
        ):
            value = json.dumps({**metadata, **change})
            bad = table.replace_schema_metadata({"evenhand": value})
            pq.write_table(bad, tool.path("bad.parquet"))
            run = tool("fit", "--tally", "bad.parquet", *PARITY, "-o", "rule.json")
            assert run.status in (0, 2), run.err
            harmless(run)


# --- The temporary folder, which others share.


def test_what_others_keep_in_the_temporary_folder_stays(tool: Tool) -> None:
    """A folder that happens to have the name of a temporary one is not removed."""
    tool.write("data.csv", ROWS)
    tool.path("tmp").mkdir()
    script = 'mkdir "$TMPDIR/evenhand-$$"; echo x >"$TMPDIR/evenhand-$$/precious"; exec "$@"'
    call = [TOOL, "audit", "data.csv", "--score", "p", "--sensitive", "g"]
    subprocess.run(
        ["sh", "-c", script, "sh", *call],
        cwd=tool.folder,
        check=True,
        capture_output=True,
        env={**os.environ, "TMPDIR": str(tool.path("tmp"))},
    )
    assert [path.name for path in tool.path("tmp").rglob("precious")] == ["precious"]
    shutil.rmtree(tool.path("tmp"))
