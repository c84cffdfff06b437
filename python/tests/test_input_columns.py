"""Several columns, their names, frames, and what is no column."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import People
from kinds import kind_of, tally
from scipy import sparse

import evenhand
from evenhand import Tally


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


def test_names_without_a_frame() -> None:
    for sensitive in (["sex", "race"], ("sex", "race", "age", "job")):
        with pytest.raises(ValueError, match="sensitive has .; if its texts are names.*data="):
            tally([0.1, 0.2, 0.3], sensitive)
    rule = evenhand.fit([0.1, 0.2], ["a", "b"], criterion="equal-rates").rule
    with pytest.raises(ValueError, match="if its texts are names.*data="):
        rule.probability([0.1, 0.2, 0.3], ["a", "b"])
