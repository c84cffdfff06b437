"""Columns of pandas whose labels are no texts: numbers, and tuples of several levels."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from kinds import tally

import evenhand

TEXT = "0.25,F,1,x\n0.5,M,0,x\n0.75,F,1,y\n0.875,M,1,y\n0.5,M,1,y\n"
FRAME = pd.read_csv(io.StringIO(TEXT), header=None)
NAMED = FRAME.set_axis(["0", "1", "2", "3"], axis=1)


def test_numbers_are_columns_of_a_frame_without_a_header() -> None:
    expected = tally("0", "1", within="3", label="2", weight="2", data=NAMED)
    assert tally(0, 1, within=3, label=2, weight=2, data=FRAME) == expected
    assert tally(np.int64(0), np.int64(1), within=[3], label=2, weight=2, data=FRAME) == expected
    assert tally(0, [1, 3], data=FRAME) == tally("0", ["1", "3"], data=NAMED)
    assert tally("0", "1", data=FRAME) == tally("0", "1", data=NAMED)


def test_rules_find_their_columns_again() -> None:
    found = evenhand.fit(0, 1, data=FRAME, criterion="equal-rates")
    assert found.rule == evenhand.fit("0", "1", data=NAMED, criterion="equal-rates").rule
    assert found.rule.record["columns"]["score"] == "0"
    expected = found.rule.probability(FRAME[0], FRAME[1])
    for options in ({}, {"score": 0}, {"score": 0, "sensitive": 1}):
        assert list(found.rule.probability(data=FRAME, **options)) == list(expected)
    decided = found.rule.decide(data=FRAME, id=3, key="k")
    assert list(decided) == list(found.rule.decide(FRAME[0], FRAME[1], id=FRAME[3], key="k"))


def test_lists_of_values_stay_values() -> None:
    values = [0, 1, 0, 1, 1]
    assert tally(0, values, data=FRAME) == tally(FRAME[0], values)
    assert tally(0, [0, 1, 2, 3, 1], data=FRAME) == tally(FRAME[0], [0, 1, 2, 3, 1])
    assert tally(values, 1, data=FRAME) == tally(values, {"1": FRAME[1]})


def test_numbers_that_are_no_columns() -> None:
    with pytest.raises(ValueError, match="data has no column 7"):
        tally(7, 1, data=FRAME)
    for value in (7, True):
        with pytest.raises(TypeError, match="score must be a column, not a value of the type"):
            tally(value, "1", data=NAMED)
    with pytest.raises(TypeError, match="score must be a column, not a value of the type"):
        tally(True, 1, data=FRAME)
    with pytest.raises(TypeError, match="score must be a column, not a value of the type"):
        tally(0, 1, data={0: FRAME[0], 1: FRAME[1]})


def test_tuples_are_columns_of_several_levels() -> None:
    levels = pd.MultiIndex.from_tuples([("m", "p"), ("who", "sex"), ("y", ""), ("who", "age")])
    frame = FRAME.set_axis(levels, axis=1)
    score, sex = ("m", "p"), ("who", "sex")
    expected = tally(FRAME[0], {"('who', 'sex')": FRAME[1]}, label=FRAME[2])
    assert tally(score, sex, label=("y", ""), data=frame) == expected
    both = tally(score, [sex, ("who", "age")], data=frame)
    assert both.attributes == ["('who', 'sex')", "('who', 'age')"]
    rule = evenhand.fit(score, sex, data=frame, criterion="equal-rates").rule
    assert list(rule.probability(data=frame)) == list(rule.probability(FRAME[0], FRAME[1]))
    with pytest.raises(ValueError, match="data has no column 'who'"):
        tally(score, "who", data=frame)
