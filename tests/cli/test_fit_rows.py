"""Where `evenhand fit` takes rows from: files, pipes and SQL, and rows without a value."""

from __future__ import annotations

import json
import resource
import time
from pathlib import Path

import pytest

from conftest import Sql, Tool
from fitting import FULL, PARITY, fitted
from recompute import applied, left_out, with_nulls


@pytest.fixture
def expected(tool: Tool, people: Path) -> str:
    """Fit on the Parquet file, as all other ways must."""
    return fitted(tool, people, *FULL)


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("data.csv", "FORMAT csv"),
        ("data.tsv", "FORMAT csv, DELIMITER '\t'"),
        ("data.csv.gz", "FORMAT csv, COMPRESSION gzip"),
        ("data.csv.zst", "FORMAT csv, COMPRESSION zstd"),
        ("data.json", "FORMAT json, ARRAY true"),
        ("data.ndjson", "FORMAT json"),
        ("data.json.gz", "FORMAT json, COMPRESSION gzip"),
        ("data.pq", "FORMAT parquet"),
    ],
)
def test_the_same_rows_in_any_format_give_the_same_rule(
    tool: Tool, people: Path, sql: Sql, expected: str, name: str, how: str
) -> None:
    """A double is the same double through CSV, JSON and Parquet."""
    sql(f"COPY (SELECT * FROM '{people}') TO '{tool.path(name)}' ({how})")
    assert fitted(tool, name, *FULL) == expected
    assert fitted(tool, name, "--score", "logit", "--scale", "logit", "--sensitive", "sex",
                  "--criterion", "statistical-parity") == (
        fitted(tool, people, "--score", "logit", "--scale", "logit", "--sensitive", "sex",
               "--criterion", "statistical-parity"))


@pytest.mark.parametrize(
    "how", ["FORMAT csv", "FORMAT json", "FORMAT parquet", "FORMAT csv, COMPRESSION gzip"]
)
def test_standard_input_is_data_too(
    tool: Tool, people: Path, sql: Sql, expected: str, how: str
) -> None:
    """A pipe may carry CSV, JSON or Parquet, and is recognized."""
    path = tool.path("piped")
    sql(f"COPY (SELECT * FROM '{people}') TO '{path}' ({how})")
    assert fitted(tool, "-", *FULL, stdin=path.read_bytes()) == expected


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_format_says_what_a_name_does_not(
    tool: Tool, people: Path, sql: Sql, expected: str, kind: str
) -> None:
    """A name that says something else, or nothing, does not matter if --format is given."""
    other = {"csv": "data.json", "json": "data.csv", "parquet": "data.txt"}[kind]
    for name in (other, "data", "data.2025"):
        sql(f"COPY (SELECT * FROM '{people}') TO '{tool.path(name)}' (FORMAT {kind})")
        assert fitted(tool, name, *FULL, "--format", kind) == expected, name


def test_a_glob_is_all_its_files(tool: Tool, people: Path, sql: Sql, expected: str) -> None:
    """Several files are read as one."""
    for i in range(3):
        sql(f"""COPY (SELECT * FROM '{people}' WHERE hash(id) % 3 = {i})
                TO '{tool.path(f"part-{i}.csv")}'""")
    assert fitted(tool, "part-*.csv", *FULL) == expected


def test_sql_chooses_rows(tool: Tool, people: Path) -> None:
    """--sql takes the place of DATA, and may end in a comment."""
    some = f"SELECT * FROM '{people}' WHERE region = 'north' -- only these"
    fit = tool("fit", "--sql", some, *PARITY, "--json").ok().json()
    north = tool("fit", people, *PARITY, "--within", "region", "--json").ok().json()
    stratum = next(s for s in north["before"]["strata"] if s["stratum"] == {"region": "north"})
    assert fit["rows"] == stratum["weight"]


@pytest.mark.parametrize("options", [["--threads", 1], ["--threads", 2], ["--memory", "300MB"]])
def test_cores_and_memory_do_not_change_the_rule(
    tool: Tool, people: Path, expected: str, options: list[object]
) -> None:
    """The same rows give the same bytes, however they are read."""
    assert fitted(tool, people, *FULL, *options) == expected


def test_the_order_of_rows_does_not_change_the_rule(
    tool: Tool, people: Path, expected: str
) -> None:
    """A shuffled file is the same file."""
    assert fitted(tool, "--sql", f"SELECT * FROM '{people}' ORDER BY hash(id)", *FULL) == expected


def test_values_of_any_type_become_names_of_cells(tool: Tool, people: Path) -> None:
    """Integers, truth values and dates are groups too, by their texts."""
    query = f"""SELECT id, score, (hash(id) % 2)::INTEGER AS number, sex = 'F' AS woman,
                DATE '2000-01-01' + (hash(id) % 3)::INTEGER AS born FROM '{people}'"""
    fitted(tool, "--sql", query, "--score", "score", "--sensitive", "number,woman", "--within",
           "born", "--criterion", "statistical-parity")
    rule = json.loads(tool.path("fitted.json").read_text())["rule"]
    seen = [set(column) for column in zip(*(cell["values"] for cell in rule["cells"]))]
    assert seen == [{"0", "1"}, {"false", "true"}, {"2000-01-01", "2000-01-02", "2000-01-03"}]
    applied(tool, "--sql", query, rule="fitted.json")


def test_labels_may_be_truth_values(tool: Tool, people: Path, sql: Sql, expected: str) -> None:
    """True is 1, in Parquet and as text in CSV."""
    query = f"SELECT * REPLACE (y = 1 AS y) FROM '{people}'"
    assert fitted(tool, "--sql", query, *FULL) == expected
    sql(f"COPY ({query}) TO '{tool.path('truth.csv')}'")
    assert fitted(tool, "truth.csv", *FULL) == expected


# --- Missing values.


def test_missing_values_are_counted_and_refused_by_default(tool: Tool, people: Path) -> None:
    """Nobody is left out in silence."""
    query = with_nulls(people)
    for null in ([], ["--null", "error"]):
        tool("fit", "--sql", query, *PARITY, *null, "-o", "rule.json").fails(2, "50 in sex")
    assert tool.files() == set()


def test_missing_values_can_be_left_out_and_are_counted(tool: Tool, people: Path) -> None:
    """To exclude them is to fit on the rest, and to say how many."""
    query = with_nulls(people)
    rest = fitted(tool, "--sql", f"SELECT * FROM ({query}) WHERE sex IS NOT NULL", *PARITY)
    assert fitted(tool, "--sql", query, *PARITY, "--null", "exclude") == rest
    left_out(tool, "fit", "--sql", query, *PARITY)


def test_missing_values_can_be_a_group_of_their_own(tool: Tool, people: Path, sql: Sql) -> None:
    """With a name they are a group like others, also where the rule is applied."""
    query = with_nulls(people)
    tool("fit", "--sql", query, *PARITY, "--null", "unknown", "-o", "rule.json").ok()
    rule = json.loads(tool.path("rule.json").read_text())["rule"]
    assert [cell["values"] for cell in rule["cells"]] == [["F"], ["M"], ["unknown"]]
    applied(tool, "--sql", query)
    rates = sql("SELECT sex, avg(probability) FROM 'out.parquet' GROUP BY sex")
    assert {row[0] for row in rates} == {"F", "M", None}
    assert max(row[1] for row in rates) - min(row[1] for row in rates) < 1e-12


def test_one_thread_is_one_thread(tool: Tool) -> None:
    """Reading, sorting and hashing: the work takes no less time than it takes of a core."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    rows = "SELECT hash(range) / 18446744073709551616e0 AS score, range % 3 AS sex FROM range(2000000)"
    tool("fit", "--sql", rows, *PARITY, "--threads", 1).ok()
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    assert cpu <= 1.15 * wall
