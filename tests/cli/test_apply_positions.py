"""Coins by position: the same bytes on any number of threads, whatever the rows come from."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest
from conftest import Sql, Tool

ROWS = 30_000
RULE = """{"evenhand": 1, "rule": {"attributes": ["sex"], "scale": "probability",
  "favorable": "high", "otherwise": 0.5, "cells": [
    {"values": ["F"], "start": 0, "steps": [[0.2, 0.5], [0.8, 1]]},
    {"values": ["M"], "start": 0, "steps": [[0.4, 0.25], [0.9, 1]]}]},
  "fit": {"columns": {"score": "score"}}}"""


def people(rows: int, first: int = 0) -> str:
    """Return SQL of people, who know their position."""
    return f"""SELECT i, ['F', 'M'][(1 + i % 2)::INTEGER] AS sex, (i * 37 % 1000) / 1000 AS score,
               'a text, "quoted" ' || i AS text FROM range({first}, {first + rows}) t(i)"""


@pytest.fixture
def rule(tool: Tool) -> Path:
    """Write a rule with coins for every other person."""
    return tool.write("rule.json", RULE)


def coin(seed: int, position: int) -> float:
    """Return the coin of a position, as the documents say it falls."""
    return int(hashlib.sha256(f"{seed}\x1f{position}".encode()).hexdigest()[:13], 16) / 2**52


def write(kind: str, tool: Tool, sql: Sql) -> list[object]:
    """Write the people as that kind of input; return what to give to the tool."""

    def copy(name: str, rows: int, first: int = 0, how: str = "") -> None:
        path = tool.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        sql(f"COPY ({people(rows, first)}) TO '{path}' {how}")

    if kind == "row groups":
        copy("in.parquet", ROWS, how="(ROW_GROUP_SIZE 2048)")
    elif kind == "one row group":
        copy("in.parquet", ROWS)
    elif kind == "files":  # of which the first is short, and one has no rows
        copy("in-1.parquet", 3)
        copy("in-2.parquet", 0)
        copy("in-3.parquet", 20_000, 3, "(ROW_GROUP_SIZE 4096)")
        copy("in-4.parquet", ROWS - 20_003, 20_003)
        return ["in-*.parquet"]
    elif kind == "folders":
        for number, first in enumerate(range(0, ROWS, 7_500)):
            copy(f"in/year=20{number}/a.parquet", 3_000, first)
            copy(f"in/year=20{number}/b.parquet", 4_500, first + 3_000)
        return ["in/*/*.parquet"]
    elif kind == "names of DuckDB":  # which hide its own count
        sql(f"COPY (SELECT *, 7 AS file_row_number, 7 AS filename FROM ({people(ROWS)})) "
            f"TO '{tool.path('in.parquet')}' (ROW_GROUP_SIZE 2048)")
    elif kind == "CSV files":
        copy("in-1.csv", 3)
        copy("in-2.csv", ROWS - 3, 3)
        return ["in-*.csv"]
    else:
        copy("in.csv", ROWS)
        if kind == "gzip":
            tool.write("in.csv.gz", gzip.compress(tool.path("in.csv").read_bytes()))
            return ["in.csv.gz"]
        if kind == "standard input":
            return ["-"]
        if kind == "JSON":
            copy("in.ndjson", ROWS)
            return ["in.ndjson"]
        return ["in.csv"]
    return ["in.parquet"]


KINDS = ("row groups", "one row group", "files", "folders", "names of DuckDB", "CSV", "CSV files",
         "gzip", "standard input", "JSON")  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_threads_do_not_show(tool: Tool, sql: Sql, rule: Path, kind: str) -> None:
    """Every format gives the same bytes on 1 and on 4 threads, and coins of the positions."""
    data = write(kind, tool, sql)
    stdin = tool.path("in.csv").read_bytes() if data == ["-"] else None
    for output in ("out.parquet", "out.csv", "out.ndjson"):
        made = set()
        for threads in (1, 4):
            tool("apply", *data, "--rule", rule, "--seed", 5, "--threads", threads, "-q", "-o",
                 output, stdin=stdin).ok()
            made.add(hashlib.sha256(tool.path(output).read_bytes()).hexdigest())
        assert len(made) == 1, output
        found = sql(f"SELECT i::BIGINT, probability, decision FROM '{tool.path(output)}'")
        assert [row[0] for row in found] == list(range(ROWS))
        tossed = [row for row in found if 0 < row[1] < 1]
        assert len(tossed) > ROWS / 4
        for position, q, decision in tossed[:: len(tossed) // 500] + tossed[-3:]:
            assert decision == int(coin(5, position) < q), (output, position)


def test_threads_do_not_show_in_large_files(tool: Tool, sql: Sql, rule: Path) -> None:
    """Several row groups come out, whose limits are not those of the input's."""
    sql(f"COPY ({people(400_000)}) TO '{tool.path('in.parquet')}' (ROW_GROUP_SIZE 20480)")
    for output in ("out.parquet", "out.csv"):
        made = set()
        for threads in (1, 2, 4):
            tool("apply", "in.parquet", "--rule", rule, "--seed", 5, "--threads", threads, "-q",
                 "-o", output).ok()
            made.add(hashlib.sha256(tool.path(output).read_bytes()).hexdigest())
        assert len(made) == 1, output


def test_columns_are_those_of_the_input(tool: Tool, sql: Sql, rule: Path) -> None:
    """Nothing is added but the two columns, also where a name of ours is taken."""
    sql(f"COPY (SELECT *, 1 AS evenhand_, 2 AS evenhand___position FROM ({people(10)})) "
        f"TO '{tool.path('in.parquet')}'")
    out = tool("apply", "in.parquet", "--rule", rule).ok().out
    assert out.splitlines()[0] == (
        "i,sex,score,text,evenhand_,evenhand___position,probability,decision"
    )


@pytest.mark.parametrize("kind", ["files", "folders"])
def test_a_log_has_positions_for_ids(tool: Tool, sql: Sql, rule: Path, kind: str) -> None:
    """The log names the very position whose coin decided."""
    data = write(kind, tool, sql)
    tool("apply", *data, "--rule", rule, "--seed", 5, "-q", "--threads", 4, "-o", "out.parquet",
         "--log", "log.parquet").ok()
    found = sql(f"SELECT id, coin FROM '{tool.path('log.parquet')}'")
    assert [row[0] for row in found] == [str(i) for i in range(ROWS)]
    for position, fell in found[::3000]:
        assert fell is None or fell == coin(5, int(position))


def test_sql_without_coins_needs_no_positions(tool: Tool, sql: Sql, rule: Path) -> None:
    """A SELECT has no order; where nobody needs a coin, that does not matter."""
    certain = f"SELECT * REPLACE (round(score) AS score) FROM ({people(ROWS)})"
    made = set()
    for threads in (1, 4):
        tool("apply", "--sql", certain, "--rule", rule, "--threads", threads, "-q", "-o",
             "out.parquet").ok()
        made.add(tool.path("out.parquet").read_bytes())
    assert len(made) == 1
    tool("apply", "--sql", people(ROWS), "--rule", rule, "-o", "none.csv").fails(2, "by a coin")
    assert not tool.path("none.csv").exists()
