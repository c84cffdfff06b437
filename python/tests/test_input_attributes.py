"""Attributes of every kind give what texts give, or a clear error."""

from __future__ import annotations

import datetime
from typing import Any

import duckdb
import hypothesis.extra.numpy as hnp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kinds import INTEGERS, kind_of, tally

TEXTS = ["F", "M", "", "ü, 'x'", "a longer text, more than twelve bytes", "日本"]


def attribute_columns(values: list[str]) -> dict[str, Any]:
    """Return the same texts in every kind of column."""
    return {
        "list": values,
        "tuple": tuple(values),
        "U": np.array(values),
        ">U": np.array(values).astype(np.array(values).dtype.newbyteorder(">")),
        "strided": np.repeat(np.array(values), 2)[::2],
        "object": np.array(values, object),
        "copies": np.array(["".join(list(value)) for value in values], object),
        "bytes": np.array([value.encode() for value in values]),
        "pandas": pd.Series(values),
        "pandas object": pd.Series(values, dtype=object),
        "pandas string": pd.Series(values, dtype="string"),
        "pandas arrow": pd.Series(values, dtype=pd.ArrowDtype(pa.string())),
        "pandas category": pd.Series(values, dtype="category"),
        "categorical": pd.Categorical(values),
        "polars": pl.Series(values),
        "polars categorical": pl.Series(values, dtype=pl.Categorical),
        "polars enum": pl.Series(values, dtype=pl.Enum(sorted(set(values)))),
        "arrow": pa.array(values),
        "arrow large": pa.array(values, pa.large_string()),
        "arrow view": pa.array(values, pa.string_view()),
        "arrow dictionary": pa.array(values).dictionary_encode(),
        "arrow chunks": pa.chunked_array([[value] for value in values], pa.string()),
        "arrow chunks of dictionaries": pa.chunked_array(
            [pa.array([value]).dictionary_encode() for value in values]
        ),
        "arrow slice": pa.array(["?", *values, "?"])[1:-1],
        "masked": np.ma.masked_array(np.array(values, object)),
    }


@given(values=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=30))
def test_texts_of_every_library(values: list[str]) -> None:
    score = np.linspace(0, 1, len(values))
    expected = tally(score, {"g": np.array(values, object)})
    for kind, column in attribute_columns(values).items():
        assert tally(score, {"g": column}) == expected, kind


@given(values=st.lists(st.text(max_size=20), min_size=1, max_size=20))
def test_any_text_at_all(values: list[str]) -> None:
    score = np.linspace(0, 1, len(values))
    try:
        expected = tally(score, {"g": np.array(values, object)})
    except ValueError as error:
        assert "surrogates" in str(error)  # noqa: PT017
        return
    assert {cell["g"] for cell in expected.cells} == set(values)
    assert tally(score, {"g": pa.array(values)}) == expected
    if not any(value.endswith("\0") for value in values):  # NumPy's own texts drop these
        assert tally(score, {"g": np.array(values)}) == expected


@example(values=np.array([2**63, 0], np.uint64))  # a list of these, NumPy makes floats of
@given(
    values=hnp.arrays(
        st.sampled_from(INTEGERS), st.integers(1, 30), elements={"min_value": 0, "max_value": 1}
    )
    | hnp.arrays(st.sampled_from(["int64", "uint64", "int16", ">i8"]), st.integers(1, 30))
)
def test_whole_numbers_and_booleans_as_attributes(values: np.ndarray[Any, Any]) -> None:
    score = np.linspace(0, 1, len(values))
    words = {True: "true", False: "false"}
    texts = [words[bool(v)] if values.dtype == bool else str(int(v)) for v in values]
    expected = tally(score, {"g": texts})
    native = values.astype(values.dtype.newbyteorder("="))
    for column in (
        values,
        values.astype(object),
        values.tolist(),
        pd.Series(native),
        pd.Series(native).astype("category"),
        pl.Series(native),
        pa.array(native),
        pa.array(native).dictionary_encode(),
    ):
        assert tally(score, {"g": column}) == expected


@given(values=st.lists(st.floats(allow_nan=False).map(lambda x: x + 0.0), min_size=1, max_size=20))
def test_floats_as_attributes_are_the_texts_of_the_tool(values: list[float]) -> None:
    score = np.linspace(0, 1, len(values))
    with duckdb.connect() as connection:
        texts = [
            connection.execute("SELECT CAST(?::DOUBLE AS VARCHAR)", [value]).fetchone()[0]
            for value in values
        ]
        with np.errstate(over="ignore"):
            singles = np.array(values, np.float32) + np.float32(0)
        single_texts = [
            connection.execute("SELECT CAST(?::FLOAT AS VARCHAR)", [float(value)]).fetchone()[0]
            for value in singles
        ]
    expected = tally(score, {"g": texts})
    for column in (
        np.array(values),
        values,
        pd.Series(values),
        pl.Series(values),
        pa.array(values),
    ):
        assert tally(score, {"g": column}) == expected
    assert tally(score, {"g": singles}) == tally(score, {"g": single_texts})


def test_dates_as_attributes_are_the_texts_of_the_tool() -> None:
    days = ["2020-01-02", "2021-12-31"]
    dates = [datetime.date.fromisoformat(day) for day in days]
    assert tally([0.1, 0.2], {"g": dates}) == tally([0.1, 0.2], {"g": days})
    assert tally([0.1, 0.2], {"g": np.array(days, "datetime64[D]")}) == tally(
        [0.1, 0.2], {"g": days}
    )
    times = [datetime.datetime(2020, 1, 2, 3, 4, 5, 500000), datetime.datetime(2021, 1, 1)]
    with duckdb.connect() as connection:
        texts = [
            connection.execute("SELECT CAST(?::TIMESTAMP AS VARCHAR)", [time]).fetchone()[0]
            for time in times
        ]
    assert tally([0.1, 0.2], {"g": times}) == tally([0.1, 0.2], {"g": texts})


@given(
    values=st.lists(st.sampled_from(["a", "b", None]), min_size=1, max_size=20),
    kind=st.sampled_from(
        ["list", "object", "pandas", "category", "string", "polars", "arrow", "dictionary", "view"]
    ),
)
def test_missing_attributes_are_counted(values: list[str | None], kind: str) -> None:
    column: Any = {
        "list": lambda: values,
        "object": lambda: np.array(values, object),
        "pandas": lambda: pd.Series(values),
        "category": lambda: pd.Series(values, dtype="category"),
        "string": lambda: pd.Series(values, dtype="string"),
        "polars": lambda: pl.Series(values, dtype=pl.String),
        "arrow": lambda: pa.array(values, pa.string()),
        "dictionary": lambda: pa.array(values, pa.string()).dictionary_encode(),
        "view": lambda: pa.array(values, pa.string_view()),
    }[kind]()
    score = np.linspace(0, 1, len(values))
    missing = [row for row, value in enumerate(values) if value is None]
    if not missing:
        assert tally(score, {"g": column}) == tally(score, {"g": values})
        return
    with pytest.raises(ValueError, match="g has .* missing value") as error:
        tally(score, {"g": column})
    assert f"row {missing[0]}; null=" in str(error.value)
    if len(missing) > 1:
        assert f"{len(missing)} missing" in str(error.value)


@pytest.mark.parametrize(
    "values",
    [
        ["a", float("nan")],
        np.array([1.0, np.nan]),
        np.array(["2020-01-01", "NaT"], "datetime64[D]"),
        np.array(["a", pd.NA], object),
        np.array(["a", pd.NaT], object),
        pd.Series([1, None], dtype="Int64"),
        pl.Series([True, None]),
        pa.array([1, None]),
        pa.nulls(2),
        np.ma.masked_array(["a", "b"], mask=[False, True]),
    ],
    ids=kind_of,
)
def test_missing_attributes_of_other_kinds(values: Any) -> None:
    with pytest.raises(ValueError, match="g has .*missing value.*row"):
        tally([0.1, 0.2], {"g": values})


@pytest.mark.parametrize(
    "values",
    [
        [object(), object()],
        np.array([1j, 2j]),
        pa.array([[1], [2]]),
        [b"\xff", b"b"],
    ],
    ids=["object", "complex", "lists", "bytes"],
)
def test_attributes_of_no_use(values: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="g"):
        tally([0.1, 0.2], {"g": values})


def test_mixed_values_keep_their_own_texts() -> None:
    mixed = [1, "1", True, "true", 1.5]
    expected = tally(np.linspace(0, 1, 5), {"g": ["1", "1", "true", "true", "1.5"]})
    assert tally(np.linspace(0, 1, 5), {"g": mixed}) == expected
    assert tally(np.linspace(0, 1, 5), {"g": np.array(mixed, object)}) == expected
    assert tally(np.linspace(0, 1, 5), {"g": pd.Series(mixed, dtype=object)}) == expected
