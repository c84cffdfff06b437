"""Texts of attributes and ids that NumPy, pandas or a frame would blur."""

from __future__ import annotations

import enum
import io
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from kinds import kind_of, tally

import evenhand
from evenhand import _inputs


class Sex(str, enum.Enum):
    """Texts of their own."""

    F = "F"
    M = "M"


class Site(enum.Enum):
    """Texts and numbers."""

    NORTH = "north"
    THIRD = 3


def values_of(column: Any, **options: Any) -> list[str]:
    score = np.linspace(0, 1, len(column))
    return [cell["sensitive"] for cell in tally(score, {"sensitive": column}, **options).cells]


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        ([Sex.F, Sex.M], ["F", "M"]),
        (np.array([Sex.F, Sex.M], dtype=object), ["F", "M"]),
        (pd.Series([Sex.F, Sex.M]), ["F", "M"]),
        ([Site.NORTH, Site.THIRD], ["3", "north"]),
        (["a\0", "a"], ["a", "a\0"]),
        ([True, 1], ["1", "true"]),
        ([True, 1.5], ["1.5", "true"]),
        (("a", "a\0"), ["a", "a\0"]),
        ([1, "a", "a\0"], ["1", "a", "a\0"]),
        (["é".encode(), "e"], ["e", "é"]),
        ([b"a", b"b"], ["a", "b"]),
        (np.array([b"a", "b"], dtype=object), ["a", "b"]),
        (pd.cut(pd.Series([1, 9]), [0, 5, 10]), ["(0, 5]", "(5, 10]"]),
        (pd.cut(pd.Series([1, 9]), [0, 5, 10]).astype(object), ["(0, 5]", "(5, 10]"]),
        (pd.Series(pd.period_range("2020-01", periods=2, freq="M")), ["2020-01", "2020-02"]),
    ],
    ids=str,
)
def test_texts_stay_what_they_are(column: Any, texts: list[str]) -> None:
    assert values_of(column) == texts


def test_ids_stay_what_they_are() -> None:
    rule = evenhand.fit([0.9, 0.9], ["a", "a"], require="rate <= 0.5").rule
    score, groups = [0.9] * 40, ["a"] * 40
    names = [f"person {i:02}" for i in range(40)]
    people = enum.Enum("people", {name: name for name in names}, type=str)
    listed = [people[name] for name in names]
    plain_ones = rule.decide(score, groups, id=names, key="k")
    assert set(plain_ones) == {0, 1}
    assert list(rule.decide(score, groups, id=listed, key="k")) == list(plain_ones)
    ended = [name + "\0" for name in names]
    assert list(rule.decide(score, groups, id=ended, key="k")) != list(plain_ones)


def test_nanoseconds_are_told_apart_as_by_duckdb() -> None:
    times = np.array([0, 1, 10, 1000, 1100, 123400000], dtype="M8[ns]")
    expected = [
        duckdb.sql(f"SELECT CAST(make_timestamp_ns({int(time)}) AS VARCHAR)").fetchall()[0][0]
        for time in times.astype(np.int64)
    ]
    for column in (times, list(times), pd.Series(times), list(pd.to_datetime(times))):
        assert values_of(column) == sorted(expected), kind_of(column)
    assert len(values_of(np.array([0, 1, 1000, 1001], dtype="M8[ps]"))) == 4


def test_values_without_a_text_name_their_column() -> None:
    for column in ([{}, {}], [object(), "a"], pd.Series([1j, 2j], dtype=object)):
        with pytest.raises(TypeError, match="sensitive: a value of the type"):
            values_of(column)
    with pytest.raises(ValueError, match="sensitive: b'.xff' is not UTF-8"):
        values_of([b"\xff", b"a"])


def test_what_pandas_makes_of_a_csv_file() -> None:
    text = "flag,gap,part,code,day\nFalse,1,1,007,2020-01-31\nTrue,,2.50,008,2020-02-01\n"
    guessed = pd.read_csv(io.StringIO(text), parse_dates=["day"])
    as_texts = pd.read_csv(io.StringIO(text), dtype=str)
    for name, texts, guesses in (
        ("flag", ["False", "True"], ["false", "true"]),
        ("gap", ["1", "none"], ["1.0", "none"]),
        ("part", ["1", "2.50"], ["1.0", "2.5"]),
        ("code", ["007", "008"], ["7", "8"]),
        ("day", ["2020-01-31", "2020-02-01"], ["2020-01-31 00:00:00", "2020-02-01 00:00:00"]),
    ):
        assert values_of(as_texts[name], null="none") == texts
        assert values_of(guessed[name], null="none") == guesses


def awkward_texts() -> list[str | None]:
    """Return texts of every length that differ in one place, some missing, and none in order."""
    rng = np.random.default_rng(8)
    texts: list[str | None] = [None, "", "\0", "\0\0", "é", "日本語", "a\0"]
    for length in range(1, 40):
        plain = "abcdefghij" * 4
        for place in {0, length // 2, length - 1, min(8, length - 1), max(0, length - 9)}:
            texts.append(plain[:place] + "#" + plain[place + 1 : length])
        texts.append(plain[:length])
    return [texts[i] for i in rng.integers(0, len(texts), 3000)]


@pytest.mark.parametrize("rows", [3000, 1, 2, 0])
@pytest.mark.parametrize(
    "make",
    [
        lambda texts: np.array(texts, object),
        lambda texts: pd.Series(texts, dtype=object),
        lambda texts: pd.Series(texts, dtype="str"),
        lambda texts: pd.Series(texts, dtype="string[python]"),
        lambda texts: pd.Series(texts, dtype="string[pyarrow]"),
        lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.large_string())),
        lambda texts: pl.Series(texts, dtype=pl.String),
        lambda texts: pa.array(texts, pa.string()),
        lambda texts: pa.array(["before", *texts, "after"], pa.large_string())[1:-1],
        lambda texts: pa.array(["before", *texts, "after"], pa.string_view())[1:-1],
        lambda texts: pa.chunked_array([texts[:7], texts[7:]], pa.string()),
        lambda texts: pa.array(texts, pa.string()).dictionary_encode(),
    ],
)
def test_texts_are_told_apart_by_all_their_bytes(make: Any, rows: int) -> None:
    """Every library's column of texts has the very texts that were put in."""
    texts = awkward_texts()[:rows]
    attribute = _inputs.attribute(make(texts), "sensitive")
    assert attribute.to_list() == texts
    assert attribute.missing == texts.count(None)


@pytest.mark.parametrize(
    "make",
    [
        pa.array,
        lambda texts: pa.array(texts, pa.large_string()),
        lambda texts: pl.Series(texts, dtype=pl.String),
    ],
)
def test_threads_share_a_long_column(make: Any) -> None:
    """Each codes some rows; numbers are those of the whole column's order all the same."""
    words = [None, "", "late"] + ["x" * length + str(length) for length in range(0, 40, 3)]
    picked = np.random.default_rng(1).integers(0, len(words), 300_000)
    texts = [words[i] for i in picked]
    texts[-2:] = ["at the end alone", "at the end alone, and longer than thirty-two bytes"]
    attribute = _inputs.attribute(make(texts), "sensitive")
    assert attribute.to_list() == texts
    assert attribute.missing == texts.count(None)
