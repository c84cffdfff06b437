"""Every kind of column gives what plain arrays give, or a clear error."""

from __future__ import annotations

import datetime
import decimal
import enum
import io
from typing import Any

import duckdb
import hypothesis.extra.numpy as hnp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import People
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse

import evenhand
from evenhand import Tally

FLOATS = ["float16", "float32", "float64", "longdouble", ">f4", ">f8"]
INTEGERS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", ">i4"]


def tally(score: Any, sensitive: Any, **options: Any) -> Tally:
    return Tally(score, sensitive, **options)


def kind_of(column: Any) -> str:
    return f"{type(column).__module__}.{type(column).__name__}"


def plain(values: Any) -> np.ndarray[Any, Any]:
    return np.array([float(value) for value in values])


# --- Scores, labels and weights.


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


# --- Attributes.

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


# --- Several columns, their names, and frames.


def several(people: People) -> dict[str, Any]:
    return {
        "dict": {"sex": people.sex, "race": people.race},
        "pandas": pd.DataFrame({"sex": people.sex, "race": people.race}),
        "polars": pl.DataFrame({"sex": people.sex, "race": people.race}),
        "arrow": pa.table({"sex": people.sex, "race": people.race}),
        "batch": pa.record_batch({"sex": people.sex, "race": people.race}),
        "series": [pd.Series(people.sex, name="sex"), pd.Series(people.race, name="race")],
    }


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars", "arrow", "batch", "series"])
def test_several_columns(people: People, kind: str) -> None:
    given_columns = several(people)
    expected = tally(people.score, given_columns["dict"])
    found = tally(people.score, given_columns[kind])
    assert found == expected
    assert found.sensitive == ["sex", "race"]


def test_columns_without_names_are_numbered(people: People) -> None:
    both = np.column_stack([people.sex, people.race])
    for columns in (both, np.asfortranarray(both), [people.sex, people.race]):
        found = tally(people.score, columns, within=people.sex)
        assert found.attributes == ["sensitive_1", "sensitive_2", "within"]
    assert tally(people.score, people.sex).attributes == ["sensitive"]
    assert tally(people.score, both[:, :1]).attributes == ["sensitive"]
    assert tally(people.score, pd.Series(people.sex, name="sex")).attributes == ["sex"]
    assert tally(people.score, pl.Series("sex", people.sex)).attributes == ["sex"]
    assert tally(people.score, pd.Series(people.sex, name=3)).attributes == ["sensitive"]


@pytest.mark.parametrize(
    "make",
    [dict, pd.DataFrame, pl.DataFrame, pa.table, lambda c: pa.record_batch(c)],
    ids=["dict", "pandas", "polars", "table", "batch"],
)
def test_columns_by_name(people: People, make: Any) -> None:
    frame = make(people.columns())
    found = tally("score", "sex", within=["race"], label="label", weight="weight", data=frame)
    expected = tally(
        people.score,
        {"sex": people.sex},
        within={"race": people.race},
        label=people.label,
        weight=people.weight,
    )
    assert found == expected
    with pytest.raises(ValueError, match="no column 'scor'; did you mean 'score'"):
        tally("scor", "sex", data=frame)


def test_a_duckdb_relation_is_a_frame(people: People) -> None:
    with duckdb.connect() as connection:
        connection.register("people", pa.table(people.columns()))
        relation = connection.sql("SELECT sex, score FROM people WHERE race = 'a'")
        found = tally("score", "sex", data=relation)
    keep = people.race == "a"
    assert found == tally(people.score[keep], {"sex": people.sex[keep]})


def test_a_structured_array_is_a_frame() -> None:
    rows = np.array([(0.25, "F"), (0.75, "M")], [("score", "f8"), ("sex", "U1")])
    assert tally("score", "sex", data=rows) == tally([0.25, 0.75], {"sex": ["F", "M"]})


def test_names_need_a_frame() -> None:
    with pytest.raises(TypeError, match="score='p' is a column's name: give data="):
        tally("p", ["a"])
    with pytest.raises(TypeError, match="data must be a frame"):
        tally("p", "sex", data=[1, 2])


def test_the_same_column_twice(people: People) -> None:
    with pytest.raises(ValueError, match="the column 'sex' is given twice"):
        tally(people.score, {"sex": people.sex}, within={"sex": people.race})


@pytest.mark.parametrize("short", ["sensitive", "within", "label", "weight"])
def test_columns_of_different_lengths(short: str) -> None:
    columns: dict[str, Any] = {
        "sensitive": ["a", "b", "a"],
        "within": ["x", "x", "y"],
        "label": [0, 1, 0],
        "weight": [1.0, 2.0, 1.0],
    }
    columns[short] = columns[short][:2]
    with pytest.raises(ValueError, match=f"score has 3 rows, {short} has 2"):
        Tally([0.1, 0.2, 0.3], columns.pop("sensitive"), **columns)


@pytest.mark.parametrize(
    "empty", [[], np.array([]), pd.Series([], dtype=float), pa.array([], pa.float64())], ids=kind_of
)
def test_no_rows(empty: Any) -> None:
    with pytest.raises(ValueError, match="there are no rows"):
        tally(empty, [])


# --- Texts that NumPy, pandas or a frame would blur.


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


@pytest.mark.parametrize(
    "data",
    [
        pd.DataFrame([[0.1, 0.2, "a"], [0.3, 0.4, "b"]], columns=["s", "s", "g"]),
        pa.Table.from_arrays([pa.array([0.1, 0.3]), pa.array([0.2, 0.4]), pa.array(["a", "b"])],
                             names=["s", "s", "g"]),
        {0: [0.1, 0.3], "0": [0.2, 0.4], "g": ["a", "b"]},
    ],
    ids=["pandas", "arrow", "dict"],
)  # fmt: skip
def test_a_name_that_two_columns_have(data: Any) -> None:
    name = "0" if isinstance(data, dict) else "s"
    with pytest.raises(ValueError, match=f"more than one column '{name}'"):
        tally(name, "g", data=data)
    assert tally([0.1, 0.2], "g", data=data).total == 2


# --- What is no column.


@pytest.mark.parametrize(
    "value",
    [None, 0.5, (i for i in [0.1, 0.2]), {0.1, 0.2}, sparse.csr_matrix([[0.1], [0.2]])],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_column(value: Any) -> None:
    kind = "None" if value is None else type(value).__name__
    with pytest.raises(TypeError, match=f"score must be a column, not .*{kind}"):
        tally(value, ["a", "b"])
    if value is not None:
        with pytest.raises(TypeError, match=f"sensitive must be a column, not .*{kind}"):
            tally([0.1, 0.2], value)


def test_numbers_beyond_all_bounds() -> None:
    with pytest.raises(ValueError, match="score has a number that is too large, in row 1"):
        tally([0, 10**400], ["a", "b"])


def test_names_without_a_frame() -> None:
    for sensitive in (["sex", "race"], ("sex", "race", "age", "job")):
        with pytest.raises(ValueError, match="sensitive has .; if its texts are names.*data="):
            tally([0.1, 0.2, 0.3], sensitive)
    rule = evenhand.fit([0.1, 0.2], ["a", "b"], criterion="equal-rates").rule
    with pytest.raises(ValueError, match="if its texts are names.*data="):
        rule.probability([0.1, 0.2, 0.3], ["a", "b"])


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
