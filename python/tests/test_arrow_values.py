"""Decimals, dates, times and bytes of Arrow tables: the texts and numbers of everybody else."""

from __future__ import annotations

import ctypes
import datetime
import decimal
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from kinds import kind_of, tally
from test_arrow import Producer

import evenhand

BERLIN = datetime.timezone(datetime.timedelta(hours=1))


def values_of(column: Any, **options: Any) -> list[str]:
    score = np.linspace(0, 1, len(column))
    return [cell["g"] for cell in tally(score, {"g": column}, **options).cells]


def texts_of_duckdb(column: pa.Array) -> list[str]:
    with duckdb.connect() as connection:
        connection.register("people", pa.table({"g": column}))
        connection.execute("SET TimeZone = 'UTC'")
        rows = connection.sql("SELECT DISTINCT CAST(g AS VARCHAR) FROM people").fetchall()
    return sorted(text for (text,) in rows)


DAYS = [datetime.date(2020, 2, 29), datetime.date(1969, 12, 31), datetime.date(1, 1, 1)]
TIMES = [datetime.time(12), datetime.time(0, 0, 1, 500000), datetime.time(23, 59, 59, 1)]
MOMENTS = [
    datetime.datetime(2020, 2, 29, 12),
    datetime.datetime(1969, 12, 31, 23, 59, 59, 500000),
    datetime.datetime(1900, 3, 1, 0, 0, 0, 1),
]
NUMBERS = [decimal.Decimal(text) for text in ("0.50", "-12.05", "0.00", "99999999.99")]
BEYOND = [decimal.Decimal(text) for text in ("-123456789012345678901234567890.5", "0.1")]


@pytest.mark.parametrize(
    "column",
    [
        pa.array(DAYS),
        pa.array(DAYS, pa.date64()),
        pa.array(TIMES),
        pa.array([time.replace(microsecond=0) for time in TIMES], pa.time32("s")),
        pa.array([datetime.time(1, 2, 3, 40000)], pa.time32("ms")),
        pa.array(MOMENTS),
        pa.array([moment.replace(microsecond=0) for moment in MOMENTS], pa.timestamp("s")),
        pa.array(MOMENTS[:2], pa.timestamp("ms")),
        pa.array([-1, 0, 10, 1100], pa.timestamp("ns")),
        pa.array(MOMENTS, pa.timestamp("us", "UTC")),
        pa.array(MOMENTS, pa.timestamp("us", "Europe/Berlin")),
        pa.array([2932897, -719529, -1000000], pa.date32()),
        pa.array(NUMBERS, pa.decimal128(10, 2)),
        pa.array(NUMBERS[:3], pa.decimal32(9, 2)),
        pa.array(NUMBERS, pa.decimal64(12, 2)),
        pa.array(BEYOND, pa.decimal128(35, 1)),
        pa.array([decimal.Decimal("0.5"), decimal.Decimal("-0.25")], pa.decimal128(2, 2)),
        pa.array([b"a", b"b"]),
        pa.chunked_array([DAYS[:2], DAYS[1:]]),
        pa.array(DAYS * 2).dictionary_encode(),
        pa.array(MOMENTS * 2)[2:5],
    ],
    ids=lambda column: str(column.type),
)
def test_texts_of_attributes_are_those_of_duckdb(column: Any) -> None:
    assert values_of(column) == texts_of_duckdb(column)


def test_texts_that_duckdb_has_not() -> None:
    large = decimal.Decimal("-" + "123456789" * 8)
    assert values_of(pa.array([large], pa.decimal256(74, 0))) == [str(large)]
    small = pa.array([decimal.Decimal("0." + "0" * 69 + "7")], pa.decimal256(76, 70))
    assert values_of(small) == ["0." + "0" * 69 + "7"]
    assert values_of(pa.array([decimal.Decimal(1200)], pa.decimal128(4, -2))) == ["1200"]
    assert values_of(pa.array([0, 12], pa.decimal128(4, 0)).view(pa.decimal128(4, -2))) == [
        "0",
        "1200",
    ]


@pytest.mark.parametrize(
    ("values", "arrow"),
    [
        (DAYS, pa.date32()),
        (TIMES, pa.time64("us")),
        (TIMES, pa.time64("ns")),
        (MOMENTS, pa.timestamp("us")),
        ([moment.replace(tzinfo=BERLIN) for moment in MOMENTS], pa.timestamp("us", "+01:00")),
        (NUMBERS, pa.decimal128(10, 2)),
        ([decimal.Decimal("0.0000001")], pa.decimal128(9, 7)),
        ([b"a", "é".encode(), b"z"], pa.binary()),
        ([b"a", "é".encode(), b"z"], pa.large_binary()),
        ([b"a", "é".encode() * 9], pa.binary_view()),
        ([b"ab", b"cd"], pa.binary(2)),
    ],
    ids=str,
)
def test_every_library_has_the_same_texts(values: list[Any], arrow: pa.DataType) -> None:
    expected = values_of(values)
    column = pa.array(values, arrow)
    assert values_of(column) == expected
    assert values_of(pd.Series(values, dtype=object)) == expected
    assert values_of(np.array([*values, None], object)[:-1]) == expected
    if arrow != pa.binary_view():
        assert values_of(pd.Series(column.to_pandas())) == expected
        assert values_of(pd.Series(values, dtype=pd.ArrowDtype(arrow))) == expected
    assert values_of(pl.Series(values)) == expected
    with_gap = pa.array([None, *values], arrow)
    assert values_of(with_gap, null="~") == sorted([*expected, "~"])
    score, groups = [0.9] * len(values), ["a"] * len(values)
    rule = evenhand.fit([0.9, 0.9], ["a", "a"], require="rate <= 0.5").rule
    for ids in (column, column.dictionary_encode() if "view" not in str(arrow) else column):
        found = rule.decide(score, groups, id=ids, key="k")
        assert list(found) == list(rule.decide(score, groups, id=values, key="k"))


@pytest.mark.parametrize(
    "column",
    [
        pa.array([decimal.Decimal("0.25"), decimal.Decimal("0.7")]),
        pa.array([decimal.Decimal("0.25"), decimal.Decimal("0.7")], pa.decimal256(70, 60)),
        pa.array([decimal.Decimal("0.25"), decimal.Decimal("0.7")], pa.decimal32(5, 4)),
        pa.array([decimal.Decimal("0.25"), decimal.Decimal("0.7")], pa.decimal64(15, 14)),
        pa.chunked_array([[decimal.Decimal("0.25")], [decimal.Decimal("0.70")]]),
        pl.Series([decimal.Decimal("0.25"), decimal.Decimal("0.7")]),
        pd.Series([decimal.Decimal("0.25"), decimal.Decimal("0.7")],
                  dtype=pd.ArrowDtype(pa.decimal128(5, 3))),
    ],
    ids=kind_of,
)  # fmt: skip
def test_decimals_are_scores_and_weights(column: Any) -> None:
    assert tally(column, ["a", "b"]) == tally([0.25, 0.7], ["a", "b"])
    weighted = tally([0.25, 0.7], ["a", "b"], weight=column)
    assert weighted == tally([0.25, 0.7], ["a", "b"], weight=[0.25, 0.7])


def test_decimals_are_the_nearest_numbers() -> None:
    texts = ["0.1", "0.30000000000000004441", "0.12345678901234567890123456789", "0.99999999999"]
    values = [decimal.Decimal(text) for text in texts]
    column = pa.array(values, pa.decimal128(38, 30))
    found = evenhand._inputs.numbers(column, "score").to_numpy()
    assert list(found) == [float(text) for text in texts]
    huge = pa.array([decimal.Decimal(10) ** 60, -(decimal.Decimal(3) ** 120)], pa.decimal256(76, 0))
    found = evenhand._inputs.numbers(huge, "score").to_numpy()
    assert list(found) == [1e60, -float(3**120)]


def test_missing_decimals_and_labels() -> None:
    column = pa.array([decimal.Decimal(1), None, decimal.Decimal(0)])
    with pytest.raises(ValueError, match="label has a missing value, in row 1"):
        tally([0.1, 0.2, 0.3], ["a", "b", "a"], label=column)
    found = tally([0.1, 0.2, 0.3], ["a", "b", "a"], label=column, null="exclude")
    assert found == tally([0.1, 0.3], ["a", "a"], label=[1, 0])


def test_sums_of_duckdb_are_counts() -> None:
    counts = duckdb.sql("SELECT 0.25 AS score, 'a' AS g, sum(2) AS n UNION ALL SELECT 0.5, 'b', 1")
    assert not evenhand.Tally.counted("score", "n", "g", data=counts).weighted


def test_literals_of_duckdb() -> None:
    data = duckdb.sql("SELECT 0.5 p, 'a' s UNION ALL SELECT 0.6, 'b'")
    found = evenhand.fit("p", "s", criterion="statistical-parity", data=data)
    assert found.rule == evenhand.fit([0.5, 0.6], {"s": ["a", "b"]},
                                      criterion="statistical-parity").rule  # fmt: skip


def test_rules_are_the_tools(tool: Callable[..., str], tmp_path: Path) -> None:
    table = pa.table(
        {
            "p": pa.array([decimal.Decimal(i) / 100 for i in range(1, 91, 30)]),
            "day": DAYS,
            "time": TIMES,
            "moment": MOMENTS,
            "part": pa.array(NUMBERS[:3], pa.decimal128(10, 2)),
        }
    )
    pa.parquet.write_table(table, tmp_path / "people.parquet")
    for name in ("day", "time", "moment", "part"):
        tool("fit", "people.parquet", "--score", "p", "--sensitive", name,
             "--criterion", "statistical-parity", "-o", f"{name}.json")  # fmt: skip
        found = evenhand.fit("p", name, data=table, criterion="statistical-parity")
        assert json.loads((tmp_path / f"{name}.json").read_text()) == json.loads(
            found.rule.to_json()
        ) | {"fit": json.loads((tmp_path / f"{name}.json").read_text())["fit"]}


@pytest.mark.parametrize(
    ("column", "name"),
    [
        (pa.array([[1], [2]]), "list"),
        (pa.array([[1], [2]], pa.large_list(pa.int8())), "large list"),
        (pa.array([[1], [2]], pa.list_(pa.int8(), 1)), "fixed-size list"),
        (pa.array([[(1, 2)], []], pa.map_(pa.int8(), pa.int8())), "map"),
        (pa.array([datetime.timedelta(1)] * 2), "duration"),
        (pa.array([(1, 2, 3)] * 2, pa.month_day_nano_interval()), "interval"),
        (pa.array([0.5, 0.5]).dictionary_encode(), "dictionary of double"),
        (pl.Series([[1], [2]]), "large list"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_types_without_a_text_are_named(column: Any, name: str) -> None:
    with pytest.raises(TypeError, match=f"g: .*Arrow type {name} .*make texts of them first"):
        tally([0.1, 0.2], {"g": column})
    rule = evenhand.fit([0.9, 0.9], ["a", "a"], require="rate <= 0.5").rule
    with pytest.raises(TypeError, match=f"id: .*Arrow type {name} .*make texts of them first"):
        rule.decide([0.1, 0.2], ["a", "a"], id=column, key="k")
    with pytest.raises(TypeError, match=f"score must be numbers, .*{name}; convert it first"):
        tally(column, ["a", "b"])


def test_other_types_are_named() -> None:
    runs = pa.RunEndEncodedArray.from_arrays([1, 2], ["a", "b"])
    with pytest.raises(TypeError, match="g: .*run-end encoded.*decode them first"):
        tally([0.1, 0.2], {"g": runs})
    with pytest.raises(TypeError, match="score must be.*run-end encoded; decode it first"):
        tally(runs, ["a", "b"])
    for column, name in ((pa.array(["a", "b"]), "string"), (pa.array(DAYS[:2]), "date")):
        with pytest.raises(TypeError, match=f"score must be numbers, .* {name}; convert it first"):
            tally(column, ["a", "b"])
    nested = pa.table({"p": [0.1, 0.2], "s": pa.array([{"x": 1}, {"x": 2}])})
    with pytest.raises(TypeError, match="s: .*Arrow type struct"):
        tally("p", "s", data=nested)


@pytest.mark.parametrize("format", [b"d:", b"d:5", b"d:5,x", b"d:5,2,17", b"d:9,99999", b"tsx:"])
def test_types_that_nobody_knows(format: bytes) -> None:
    values = (ctypes.c_int64 * 4)(1, 2, 3, 4)
    with pytest.raises(TypeError, match="g: values of the Arrow type"):
        tally([0.1, 0.2], {"g": Producer(format, [None, values], length=2)})


def test_times_with_a_zone_of_their_own() -> None:
    time = datetime.time(12, 30, 0, 500000, BERLIN)
    assert values_of([time]) == ["12:30:00.500000+01:00"]


def test_bytes_that_are_no_texts() -> None:
    for column in (pa.array([b"a", b"\xff"]), pa.array([b"a", b"\xff"], pa.binary(1))):
        with pytest.raises(ValueError, match="g: b'.xff' is not UTF-8"):
            tally([0.1, 0.2], {"g": column})
