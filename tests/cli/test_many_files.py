"""Several files as one table: globs, folders, partitions; never a value that is changed on the way."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bad_input import PARITY, RULE, refuses
from conftest import Tool

WHO = ["--score", "score", "--sensitive", "group"]


def put(tool: Tool, name: str, text: str) -> None:
    """Write a file into folders that are made for it."""
    path = tool.path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def rows_in(tool: Tool, *data: str) -> int:
    """Count the rows that `fit` reads."""
    return tool("fit", *data, *WHO, *PARITY, "-o", "-").ok().json()["fit"]["rows"]


def test_two_stars_are_any_depth_in_data_and_sql(tool: Tool) -> None:
    """One meaning everywhere."""
    for name in ("a.csv", "d/b.csv", "d/e/c.csv", "d/e/f/g.csv"):
        put(tool, name, "score,group\n0.2,A\n0.7,B\n")
    for pattern, files in (("**/*.csv", 4), ("d/**/*.csv", 3), ("*.csv", 1), ("d/*/*.csv", 1)):
        assert rows_in(tool, pattern) == 2 * files
        assert rows_in(tool, "--sql", f"FROM '{pattern}'") == 2 * files


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_folders_and_their_partitions(tool: Tool, kind: str) -> None:
    """A folder is all its files, and folders called year=2025 are a column, as text."""
    for year in ("2024", "2025"):
        for month in ("01", "a%20b", "__HIVE_DEFAULT_PARTITION__"):
            name = f"d/year={year}/month={month}/part.{kind}"
            put(tool, name, "score,group\n0.2,A\n0.7,B\n")
            if kind == "json":
                put(tool, name, '{"score": 0.2, "group": "A"}\n{"score": 0.7, "group": "B"}\n')
            elif kind == "parquet":
                pq.write_table(pa.table({"score": [0.2, 0.7], "group": ["A", "B"]}),
                               tool.path(name))
    put(tool, "d/_SUCCESS", "")
    put(tool, "d/.hidden.txt", "no data")
    for data in ("d", "d/", f"d/**/*.{kind}", f"d/*/*/*.{kind}"):
        cells = tool("fit", data, "--score", "score", "--sensitive", "group", "--within",
                     "year,month", "--null", "none", *PARITY, "-o", "-").ok().json()["rule"]["cells"]
        assert {tuple(cell["values"]) for cell in cells} == {
            (g, y, m) for g in "AB" for y in ("2024", "2025") for m in ("01", "a b", "none")}


def test_partitions_that_do_not_fit(tool: Tool) -> None:
    """A name that two things have, and folders that differ, are refused."""
    put(tool, "d/group=A/a.csv", "score,group\n0.2,A\n")
    refuses(tool, "fit", "d", *WHO, *PARITY, "-o", "out.json", says=("group", "folders"))
    put(tool, "e/x=1/a.csv", "score,group\n0.2,A\n")
    put(tool, "e/y=1/a.csv", "score,group\n0.2,A\n")
    refuses(tool, "fit", "e", *WHO, *PARITY, "-o", "out.json", says=("x=1/a.csv", "y=1/a.csv"))


def test_csv_files_may_differ_in_order_and_dialect_only(tool: Tool) -> None:
    """Each value stays under its name; a column that one file lacks is refused by both names."""
    tool.write("a.csv", "score,group,extra\n0.2,A,1\n")
    tool.write("b.csv", "group;extra;score\r\nB;2;0.7\r\n")
    tool.write("rule.json", json.dumps(RULE))
    out = tool("apply", "*.csv", "--rule", "rule.json").ok().out
    assert [line.rsplit(",", 2)[0] for line in out.splitlines()] == [
        "score,group,extra", "0.2,A,1", "0.7,B,2"]
    tool.write("c.csv", "score,group\n0.2,A\n")
    refuses(tool, "fit", "*.csv", *WHO, *PARITY, "-o", "out.json",
            says=("a.csv", "c.csv", "only a.csv has extra"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pa.array([2**60 + 1]), pa.array([0.5])),
        (pa.array([Decimal("1.10")], pa.decimal128(5, 2)),
         pa.array([Decimal("1.1")], pa.decimal128(5, 1))),
        (pa.array(["1"]), pa.array([1])),
        (pa.array([0.5], pa.float32()), pa.array([0.5])),
    ],
    ids=["integer and double", "decimals", "text and integer", "float and double"],
)
def test_parquet_files_with_other_types_are_refused(tool: Tool, one: Any, other: Any) -> None:
    """Both files, the column and both types are named."""
    for name, column in (("a", one), ("b", other)):
        pq.write_table(pa.table({"score": [0.5], "group": ["A"], "id": column}),
                       tool.path(f"{name}.parquet"))
    refuses(tool, "fit", "*.parquet", *WHO, *PARITY, "-o", "out.json",
            says=("a.parquet and b.parquet", "id"))


def test_whole_numbers_of_several_sizes_are_one_column(tool: Tool) -> None:
    """They fit a wider one exactly."""
    tool.write("rule.json", json.dumps(RULE))
    for name, column in (("a", pa.array([1], pa.int8())), ("b", pa.array([2**60 + 1])),
                         ("c", pa.array([2**64 - 1], pa.uint64()))):
        pq.write_table(pa.table({"score": [0.9], "group": ["A"], "id": column}),
                       tool.path(f"{name}.parquet"))
    out = tool("apply", "*.parquet", "--rule", "rule.json").ok().out
    assert [line.split(",")[2] for line in out.splitlines()[1:]] == [
        "1", str(2**60 + 1), str(2**64 - 1)]


def test_decimals_of_more_than_38_digits_are_refused(tool: Tool) -> None:
    """They would be rounded."""
    long = pa.array([Decimal("1" * 44)], pa.decimal256(50, 2))
    pq.write_table(pa.table({"score": [0.5], "group": ["A"], "id": long}), tool.path("a.parquet"))
    refuses(tool, "fit", "a.parquet", *WHO, *PARITY, "-o", "out.json", says=("id", "50 digits"))


def test_times_with_a_zone_are_utc_everywhere(tool: Tool) -> None:
    """As groups they have the same names on every machine."""
    times = pa.array([0, 3_600_000_000], pa.timestamp("us", tz="America/New_York"))
    pq.write_table(pa.table({"score": [0.5, 0.6], "group": times}), tool.path("a.parquet"))
    found = [tool("fit", "a.parquet", *WHO, *PARITY, "-o", "-", env={"TZ": zone}).ok().out
             for zone in ("UTC", "America/New_York", "Asia/Tokyo")]
    assert found[0] == found[1] == found[2]
    assert "1970-01-01 00:00:00+00" in found[0]


def test_coins_with_sql_need_an_id(tool: Tool) -> None:
    """The order of a SELECT's rows is not fixed, so that positions are nobody's."""
    tool.write("a.csv", "score,group,id\n0.2,B,x\n0.7,B,y\n")
    tool.write("key", "secret")
    query = ("apply", "--sql", "SELECT DISTINCT * FROM 'a.csv'", "--rule", "rule.json")
    refuses(tool, *query, "-o", "out.csv", says=("2 rows are decided by a coin", "--id"))
    refuses(tool, *query, "--seed", 3, "-o", "out.csv", says=("coin", "--id"))
    tool(*query, "--id", "id", "--key-file", "key").ok()
    tool("apply", "--sql", "SELECT * FROM 'a.csv' WHERE score > 0.75", "--rule", "rule.json").ok()
