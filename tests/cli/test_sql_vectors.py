"""`evenhand sql apply` gives the bits of `tests/vectors` on DuckDB and PostgreSQL."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import duckdb
import postgres_server as pg
import pyarrow as pa
import pytest
from conftest import Tool
from test_apply_vectors import NAMES, Vectors, bits_of


@pytest.fixture(scope="module")
def postgres() -> Iterator[pg.Postgres]:
    """Start a server for the tests of this file."""
    with pg.running() as server:
        yield server


def statement(tool: Tool, vectors: Vectors, unseen: str, dialect: str, table: str = "t") -> str:
    """Ask the tool for the statement."""
    return tool("sql", "apply", table, "--dialect", dialect, "--rule", vectors.path, "--score", "the score", "--id",
                "the person", "--unseen", unseen).ok().out


def prefix(how: dict[str, str]) -> str:
    """Return K; for vectors with a seed, any."""
    secret = bytes.fromhex(how["secret"]) if how["coin"] == "key" else b"any"
    return hashlib.sha256(secret).hexdigest()


def numbered(vectors: Vectors, rows: list[Any]) -> dict[str, list[Any]]:
    """Make columns, with the number of the row."""
    return {**vectors.columns(rows), "the row": list(range(len(rows)))}


def check(how: dict[str, str], rows: list[Any], found: list[Any]) -> None:
    """Compare probabilities and, by key, decisions with the vectors."""
    assert [bits_of(float(q)) for _, q, _ in found] == [row["q_bits"] for row, _ in rows]
    if how["coin"] == "key":
        assert [str(d) for _, _, d in found] == [row["decision"] for row, _ in rows]


@pytest.mark.parametrize("name", NAMES)
def test_duckdb_gives_the_vectors(tool: Tool, name: str) -> None:
    """Steps, ramps, levels, all scales, hostile names: probability and decision."""
    vectors = Vectors(name)
    connection = duckdb.connect(":memory:")
    texts: dict[str, str] = {}
    for how, rows in vectors.calls():
        if how["unseen"] not in texts:
            texts[how["unseen"]] = statement(tool, vectors, how["unseen"], "duckdb")
        connection.execute("SET VARIABLE evenhand_key = $1", [prefix(how)])
        connection.register("t", pa.table(numbered(vectors, rows)))
        found = connection.execute(
            f'SELECT "the row", probability, decision FROM ({texts[how["unseen"]]}) ORDER BY 1').fetchall()
        check(how, rows, found)


def test_postgresql_gives_the_vectors(tool: Tool, postgres: pg.Postgres) -> None:
    """The same from a real server, all in one session."""
    script, expected = "", []
    for name in NAMES:
        vectors = Vectors(name)
        texts: dict[str, str] = {}
        for how, rows in vectors.calls():
            if how["unseen"] not in texts:
                texts[how["unseen"]] = statement(tool, vectors, how["unseen"], "postgresql")
            script += pg.table("t", numbered(vectors, rows))
            script += f"SET evenhand.key = '{prefix(how)}';\n"
            script += f"SELECT \"the row\", probability, decision FROM ({texts[how['unseen']]}) q ORDER BY 1;\n"
            script += "DROP TABLE t;\n"
            expected.append((how, rows))
    found = postgres.rows(script)
    for how, rows in expected:
        check(how, rows, found[: len(rows)])
        del found[: len(rows)]
    assert not found


@pytest.mark.parametrize("word", ["unseen", "invalid"])
def test_engines_raise_an_error_of_their_own_for_rows_that_have_no_answer(
    tool: Tool, postgres: pg.Postgres, word: str
) -> None:
    """It names the group that the rule has never seen, or says that the score is not valid."""
    for name in ("hostile", "level-0-low", "logit-high", "ramps", "signed-low", "steps-few"):
        vectors = Vectors(name)
        for how, values in [row for row in vectors.rows if row[0]["q_bits"] == word][:2]:
            rows = [(how, values)]
            said = "never seen" if word == "unseen" else "is not valid on the"
            connection = duckdb.connect(":memory:")
            connection.execute("SET VARIABLE evenhand_key = $1", [prefix(how)])
            connection.register("t", pa.table(numbered(vectors, rows)))
            for column in ("probability", "decision"):
                with pytest.raises(duckdb.Error, match=said) as raised:
                    connection.execute(
                        f"SELECT {column} FROM ({statement(tool, vectors, how['unseen'], 'duckdb')})").fetchall()
                if word == "unseen":
                    assert values[0] in str(raised.value)
            error = postgres.error(pg.table("t", numbered(vectors, rows))
                                   + statement(tool, vectors, how["unseen"], "postgresql"), prefix(how))
            assert said in error
            if word == "unseen" and "\n" not in values[0] and len(values[0]) < 100:
                assert values[0] in error
