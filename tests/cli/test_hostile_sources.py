"""Hostile file names, SQL and temporary folders."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import duckdb
import pytest

from conftest import TOOL, Tool
from hostile import PARITY, ROWS, SCORES, harmless, rule_with, write


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


@pytest.mark.parametrize("name", ["libduckdb.so", "libz.so.1", "libcrypto.so.3"])
def test_no_library_comes_from_the_folder_of_the_data(tool: Tool, name: str) -> None:
    """It is no library: the tool would not start with it."""
    tool.write(name, "")
    tool("--version").ok()
