"""`evenhand sql tally` and `audit`: engines count what the tool counts, bit for bit."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import postgres_server as pg
import pyarrow.parquet as pq
import pytest
from conftest import Tool

BY = ("--sensitive", "sex", "--within", "race")
CASES: dict[str, tuple[str, ...]] = {
    "exact": ("--score", "score", *BY),
    "labels": ("--score", "score", *BY, "--label", "y"),
    "weights": ("--score", "score", *BY, "--label", "y", "--weight", "w"),
    "bits": ("--score", "score", "--sensitive", "sex", "--label", "y", "--resolution", "4"),
    "coarse": ("--score", "logit", "--sensitive", "sex", "--scale", "logit", "--resolution", "-1"),
    "low": ("--score", "risk", *BY, "--label", "y", "--favorable", "low", "--resolution", "5"),
    "logit": ("--score", "logit", *BY, "--scale", "logit", "--favorable", "low", "--label", "y"),
    "signed": ("--score", "f", *BY, "--scale", "signed", "--resolution", "3"),
    "excluded": ("--score", "gaps", "--sensitive", "holes", "--label", "y", "--null", "exclude"),
    "named": ("--score", "score", "--sensitive", "holes", "--null", "it's \\ missing"),
    "nobody": ("--score", "score"),
}
READ = ("--scale", "--favorable", "--resolution", "--sensitive", "--within")


def reading(options: tuple[str, ...]) -> list[str]:
    """Keep the options that say how a plain tally is read."""
    pairs = zip(options[::2], options[1::2], strict=True)
    return [word for pair in pairs if pair[0] in READ for word in pair]


@pytest.fixture(scope="module")
def holed(people: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the same people with groups and scores that are missing now and then."""
    path = tmp_path_factory.mktemp("holed") / "people.parquet"
    duckdb.connect().execute(
        f"""COPY (SELECT *, CASE WHEN hash(id) % 7 > 0 THEN race END AS holes,
                  CASE WHEN hash(id) % 11 > 0 THEN score END AS gaps FROM '{people}') TO '{path}' (FORMAT parquet)""")
    return path


@pytest.fixture(scope="module")
def postgres(holed: Path) -> Iterator[pg.Postgres]:
    """Start a server that has these people."""
    made = pg.table("people", pq.read_table(holed).to_pydict()).replace("CREATE TEMP", "CREATE")
    with pg.running() as server:
        assert server.psql(made).returncode == 0
        yield server


def fingerprint(path: Path) -> str:
    """Return the one in a tally's metadata."""
    return json.loads(pq.read_metadata(path).metadata[b"evenhand"])["fingerprint"]


def from_postgres(server: pg.Postgres, text: str) -> bytes:
    """Run a statement; its result as CSV."""
    done = server.psql(text)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.mark.parametrize("case", CASES)
def test_tallies_of_engines_are_those_of_the_tool(
    tool: Tool, holed: Path, postgres: pg.Postgres, case: str
) -> None:
    """CSV and Parquet from DuckDB, CSV from PostgreSQL through a pipe: the same fingerprint."""
    options = CASES[case]
    read = reading(options)
    tool("tally", holed, *options, "-o", "rows.parquet").ok()
    expected = fingerprint(tool.path("rows.parquet"))
    text = tool("sql", "tally", "people", "--dialect", "duckdb", *options).ok().out
    connection = duckdb.connect()
    connection.execute(f"CREATE VIEW people AS SELECT * FROM '{holed}'")
    for name in ("sql.csv", "sql.parquet"):
        connection.execute(f"COPY ({text}) TO '{tool.path(name)}'")
        tool("tally", "--tally", name, *read, "-o", "sql-tally.parquet").ok()
        assert fingerprint(tool.path("sql-tally.parquet")) == expected, name
    text = tool("sql", "tally", "--table", "public.people", "--dialect", "postgresql", *options).ok().out
    tool("tally", "--tally", "-", *read, "-o", "sql-tally.parquet", stdin=from_postgres(postgres, text)).ok()
    assert fingerprint(tool.path("sql-tally.parquet")) == expected


@pytest.mark.parametrize("case", ["labels", "weights", "bits", "low"])
def test_a_fit_of_the_engines_tally_is_that_of_the_rows(
    tool: Tool, holed: Path, postgres: pg.Postgres, case: str
) -> None:
    """The same rule, bit for bit, from a pipe."""
    options = CASES[case]
    wanted = ("--criterion", "equal-opportunity", "--tolerance", "0.01")
    tool("fit", holed, *options, *wanted, "-o", "rows.json").ok()
    text = tool("sql", "tally", "people", "--dialect", "postgresql", *options).ok().out
    tool("fit", "--tally", "-", *reading(options), *wanted, "-o", "sql.json",
         stdin=from_postgres(postgres, text)).ok()
    rules = [json.loads(tool.path(name).read_text())["rule"] for name in ("rows.json", "sql.json")]
    assert json.dumps(rules[0]) == json.dumps(rules[1])


@pytest.mark.parametrize("case", ["labels", "low", "weights"])
def test_parts_are_merged_into_the_whole(tool: Tool, holed: Path, case: str) -> None:
    """Counted apart, by region, in two files."""
    options = CASES[case]
    tool("tally", holed, *options, "-o", "rows.parquet").ok()
    for region in ("north", "south"):
        text = tool("sql", "tally", "--sql", f"SELECT * FROM '{holed}' WHERE region = '{region}' -- a part",
                    "--dialect", "duckdb", *options).ok().out
        duckdb.connect().execute(f"COPY ({text}) TO '{tool.path(region + '.csv')}'")
    settings = [w for pair in zip(options[::2], options[1::2]) if pair[0] in READ[:3] for w in pair]
    tool("merge", "north.csv", "south.csv", *settings, "-o", "all.parquet").ok()
    tool("tally", "--tally", "all.parquet", *BY, "-o", "all.parquet.2").ok()
    one, other = (pq.read_table(tool.path(name)).to_pydict() for name in ("rows.parquet", "all.parquet"))
    assert {k: one[k] for k in one} == {k: other[k] for k in one}
    tool("tally", "--tally", "*th.csv", *reading(options), "-o", "glob.parquet").ok()
    assert fingerprint(tool.path("glob.parquet")) == fingerprint(tool.path("rows.parquet"))


@pytest.mark.parametrize(
    ("values", "options", "said"),
    [
        ("('F', 0.5, 1, 1.5)", ("--weight", "w"), "not a whole number"),
        ("('F', 0.5, 1, -1)", ("--weight", "w"), "not a whole number"),
        ("('F', 0.5, 2, 1)", ("--label", "y"), "neither 0 nor 1"),
        ("('F', 1.5, 1, 1)", (), "not valid on the probability scale"),
        ("('F', CAST('NaN' AS double precision), 1, 1)", (), "not valid"),
        ("('F', CAST('NaN' AS double precision), 1, 1)", ("--null", "exclude", "--scale", "logit"), "not valid"),
        ("('F', CAST('inf' AS double precision), 1, 1)", ("--scale", "raw"), "not valid"),
        ("('F', NULL, 1, 1)", (), "a value of p is missing"),
        ("('F', NULL, 1, 1)", ("--null", "unknown"), "a value of p is missing"),
        ("(NULL, 0.5, 1, 1)", (), "a value of g is missing"),
        ("('F', 0.5, NULL, 1)", ("--label", "y"), "a value of y is missing"),
    ],
)
def test_what_the_tool_refuses_engines_refuse_too(
    tool: Tool, postgres: pg.Postgres, values: str, options: tuple[str, ...], said: str
) -> None:
    """With an error of their own."""
    select = ("SELECT * FROM (VALUES (CAST('F' AS varchar), CAST(0.5 AS double precision), 1, CAST(1 AS double "
              f"precision)), {values}) AS t(g, p, y, w)")
    for dialect in ("duckdb", "postgresql"):
        text = tool("sql", "tally", "--sql", select, "--dialect", dialect, "--score", "p", "--sensitive", "g",
                    *options).ok().out
        if dialect == "postgresql":
            assert said in postgres.error(text)
        else:
            with pytest.raises(duckdb.Error, match=said):
                duckdb.connect().execute(text).fetchall()


@pytest.mark.parametrize("more", [(), ("--label", "y"), ("--label", "y", "--favorable", "low")])
def test_an_audit_of_counted_decisions_is_that_of_the_rows(
    tool: Tool, holed: Path, postgres: pg.Postgres, more: tuple[str, ...]
) -> None:
    """Whether a truth value or a number."""
    counted = [word for word in more if word not in ("--favorable", "low")]
    low = [word for word in more if word in ("--favorable", "low")]
    rows = f"SELECT *, CAST(score > 0.5 AS INTEGER) AS hired FROM '{holed}'"

    def figures(*options: object, stdin: bytes | None = None) -> Any:
        out = tool("audit", *options, "--json", stdin=stdin).ok().json()
        return {**out, "data": ""}

    expected = figures("--sql", rows, "--decision", "hired", *BY, *more)
    text = tool("sql", "audit", "--sql", "SELECT *, score > 0.5 AS hired FROM people", "--dialect", "postgresql",
                "--decision", "hired", *BY, *counted).ok().out
    counts = from_postgres(postgres, text)
    assert len(list(csv.reader(io.StringIO(counts.decode())))) <= 1 + 2 * 2 * 3
    assert figures("--tally", "-", *BY, *low, stdin=counts) == expected
    assert figures("--tally", "-", "--decision", "decision", *BY, *low, stdin=counts) == expected
    tool("fit", "--tally", "-", *BY, "--criterion", "statistical-parity", "-o", "r.json", stdin=counts).fails(
        2, "score")


def test_a_tally_of_decisions_has_only_decisions(tool: Tool) -> None:
    """Anything else is refused with its row."""
    tool.write("c.csv", "g,decision,n\nA,0,3\nB,0.5,3\n")
    tool("audit", "--tally", "c.csv", "--sensitive", "g").fails(2, "row 2", "neither 0 nor 1")


def test_statements_that_cannot_be_are_refused(tool: Tool) -> None:
    """One line each, before anything runs."""
    tally = ("sql", "tally", "t", "--dialect", "duckdb", "--score", "p")
    tool("sql").fails(2, "no statement given")
    tool("sql", "aply").fails(2, "there is no sql aply", "apply")
    tool("sql", "tally", "t", "--score", "p").fails(2, "--dialect is missing", "postgresql")
    tool("sql", "tally", "t", "--score", "p", "--dialect", "oracle").fails(2, "oracle", "duckdb")
    tool("sql", "tally", "--score", "p", "--dialect", "duckdb").fails(2, "say where the rows are")
    tool(*tally, "--sql", "SELECT 1").fails(2, "either a table or --sql")
    tool("sql", "tally", "t", "--dialect", "duckdb").fails(2, "--score is missing")
    tool(*tally, "--resolution", "auto").fails(2, "auto depends on all rows")
    tool(*tally, "--sensitive", "Score").fails(2, "called like another column")
    tool(*tally, "--sensitive", "a,a").fails(2, "given twice")
    tool("sql", "tally", "a..b", "--dialect", "duckdb", "--score", "p").fails(2, "table's name is empty")
    tool("sql", "tally", "t", "--dialect", "postgresql", "--score", "p" * 64).fails(2, "63 bytes")
    tool("sql", "audit", "t", "--dialect", "duckdb").fails(2, "--decision is missing")
