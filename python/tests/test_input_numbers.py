"""Scores, labels and weights of every kind give what plain arrays give, or a clear error."""

from __future__ import annotations

import decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinds import INTEGERS, kind_of, tally

import evenhand

FLOATS = ["float16", "float32", "float64", "longdouble", ">f4", ">f8"]


def plain(values: Any) -> np.ndarray[Any, Any]:
    return np.array([float(value) for value in values])


@given(
    dtype=st.sampled_from(FLOATS),
    values=st.lists(st.floats(0, 1, width=16), min_size=1, max_size=40),
    step=st.sampled_from([1, 2, -1, -3]),
)
def test_scores_of_any_float_type_and_layout(dtype: str, values: list[float], step: int) -> None:
    spread = np.zeros(len(values) * abs(step), dtype)
    view = spread[::step][: len(values)]
    view[:] = values
    groups = ["a"] * len(values)
    assert tally(view, groups) == tally(plain(view), groups)


@given(dtype=st.sampled_from(INTEGERS), values=st.lists(st.integers(0, 1), min_size=1, max_size=40))
def test_labels_scores_and_weights_of_any_whole_type(dtype: str, values: list[int]) -> None:
    array = np.array(values, dtype)
    groups = ["a"] * len(values)
    weight = array.astype(dtype) | np.array(1).astype(dtype)
    assert tally(array, groups, label=array, weight=weight) == tally(
        plain(values), groups, label=plain(values), weight=np.ones(len(values))
    )


@given(
    values=st.lists(
        st.one_of(st.floats(0, 1), st.just(float("nan")), st.none()), min_size=1, max_size=30
    ),
    kind=st.sampled_from(["numpy", "object", "list", "pandas", "Float64", "polars", "arrow", "ma"]),
)
def test_missing_scores_are_counted_wherever_they_are(
    values: list[float | None], kind: str
) -> None:
    column: Any = values
    floats = [np.nan if value is None else value for value in values]
    if kind == "numpy":
        column = np.array(floats)
    elif kind == "object":
        column = np.array(values, object)
    elif kind == "pandas":
        column = pd.Series(floats)
    elif kind == "Float64":
        column = pd.Series(values, dtype="Float64")
    elif kind == "polars":
        column = pl.Series(values, dtype=pl.Float64)
    elif kind == "arrow":
        column = pa.array(values, pa.float64())
    elif kind == "ma":
        column = np.ma.masked_array(np.nan_to_num(floats), mask=np.isnan(floats))
    groups = ["a"] * len(values)
    missing = [row for row, value in enumerate(floats) if np.isnan(value)]
    if not missing:
        assert tally(column, groups) == tally(np.array(floats), groups)
        return
    with pytest.raises(ValueError, match="score has .* missing value") as error:
        tally(column, groups)
    count = "a missing value, in" if len(missing) == 1 else f"{len(missing)} missing values, "
    assert count in str(error.value)
    assert f"row {missing[0]}; null=" in str(error.value)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([0.25, 0.75]),
        pd.Series([0.25, 0.75], dtype="float32"),
        pd.Series([0.25, 0.75], dtype="Float32"),
        pd.Series([0.25, 0.75], dtype="double[pyarrow]"),
        pd.Series([0.25, 0.75], dtype="category"),
        pd.Series([0.5, 0.25, 0.75])[1:],
        pd.Index([0.25, 0.75]),
        pl.Series([0.25, 0.75]),
        pl.Series([0.25, 0.75], dtype=pl.Float32),
        pl.concat([pl.Series([0.25]), pl.Series([0.75])], rechunk=False),
        pa.array([0.25, 0.75]),
        pa.array([0.25, 0.75], pa.float16()),
        pa.array([0.5, 0.25, 0.75])[1:],
        pa.chunked_array([[0.25], [0.75]]),
        [0.25, 0.75],
        (0.25, 0.75),
        np.array([0.25, 0.75], object),
        [decimal.Decimal("0.25"), decimal.Decimal("0.75")],
        memoryview(np.array([0.25, 0.75])),
        range(2),
    ],
    ids=kind_of,
)
def test_scores_of_every_library(column: Any) -> None:
    expected = [0.0, 1.0] if isinstance(column, range) else [0.25, 0.75]
    assert tally(column, ["a", "b"]) == tally(np.array(expected), ["a", "b"])


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([True, False]),
        pd.Series([1, 0], dtype="Int64"),
        pd.Series([True, False], dtype="boolean"),
        pd.Series([1, 0], dtype="int8[pyarrow]"),
        pl.Series([True, False]),
        pl.Series([1, 0], dtype=pl.UInt16),
        pa.array([True, False]),
        pa.array([False, True, False])[1:],
        pa.array([1, 0], pa.uint8()),
        pa.chunked_array([[1], [0]]),
        [True, False],
    ],
    ids=kind_of,
)
def test_labels_of_every_library(column: Any) -> None:
    expected = tally([0.25, 0.75], ["a", "b"], label=np.array([1, 0]))
    assert tally([0.25, 0.75], ["a", "b"], label=column) == expected


@pytest.mark.parametrize(
    "column",
    [
        ["0.5", "0.7"],
        np.array(["0.5", "0.7"], object),
        np.array([0.5, 0.7], complex),
        np.array(["2020-01-01", "2020-01-02"], "datetime64[D]"),
        pd.Series(["0.5", "0.7"]),
        pl.Series(["0.5", "0.7"]),
        pa.array(["0.5", "0.7"]),
        pa.array(["0.5", "0.7"]).dictionary_encode(),
        pa.array([b"a", b"b"]),
        [object(), object()],
    ],
    ids=kind_of,
)
def test_scores_that_are_no_numbers(column: Any) -> None:
    with pytest.raises(TypeError, match="score must be numbers"):
        tally(column, ["a", "b"])


@pytest.mark.parametrize(
    "column",
    [np.zeros((2, 2)), np.zeros((2, 1)), np.array(0.5), pd.DataFrame({"a": [0.5, 0.5]})],
    ids=lambda column: str(column.shape),
)
def test_scores_of_another_shape(column: Any) -> None:
    with pytest.raises(ValueError, match="score must be one column"):
        tally(column, ["a", "b"])


def test_contiguous_floats_are_read_in_place() -> None:
    array = np.linspace(0, 1, 1000)
    numbers = evenhand._inputs.numbers(array, "score", floats=True)
    array[0] = 0.125  # seen through the view: nothing was copied
    assert numbers.to_numpy()[0] == 0.125
    arrow = pa.array(np.linspace(0, 1, 1000).tolist())
    view = evenhand._inputs.numbers(arrow, "score", floats=True)
    np.frombuffer(arrow.buffers()[1], np.float64)[0] = 0.125
    assert view.to_numpy()[0] == 0.125


def test_numbers_beyond_all_bounds() -> None:
    with pytest.raises(ValueError, match="score has a number that is too large, in row 1"):
        tally([0, 10**400], ["a", "b"])
