"""Messages that say what to do, and ids that cannot be told apart from others."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from applicants import fair, numbers
from kinds import kind_of

import evenhand

SCORE, SEX = [0.1, 0.4, 0.6, 0.9], ["F", "F", "M", "M"]
FIT = evenhand.fit(SCORE, {"sex": SEX}, criterion="statistical-parity", gamma=0.5)

FLOATS = [
    [1.0, 2.0, 3.0, 4.0],
    [1, 2.0, 3, 4],
    np.array([1.0, 2.0, 3.0, 4.0]),
    np.array([1.0, 2, 3, "4"], dtype=object),
    np.arange(4, dtype=np.float32),
    pd.Series([1, 2, None, 4]),
    pd.Series([1.0, 2, 3, 4], dtype="Float64"),
    pd.Series([1.0, 2, 3, 4], dtype="category"),
    pd.Series([1.0, 2, 3, 4], dtype=pd.ArrowDtype(pa.float64())),
    pl.Series([1.0, 2.0, 3.0, 4.0]),
    pa.array([1.0, 2.0, 3.0, 4.0]),
]


@pytest.mark.parametrize("ids", FLOATS, ids=kind_of)
def test_floats_are_no_ids(ids: Any) -> None:
    with pytest.raises(TypeError, match="id must be whole numbers or texts, not .*Int64"):
        FIT.rule.decide(SCORE, SEX, id=ids, key="k")


def test_whole_numbers_are_the_same_ids_in_any_container() -> None:
    expected = FIT.rule.decide(SCORE, SEX, id=["1", "2", "3", "4"], key="k").tolist()
    whole = [1, 2, 3, 4]
    for ids in (
        whole,
        np.array(whole, dtype=np.uint8),
        pd.Series(whole, dtype="Int64"),
        pd.Series([1.0, 2.0, 3.0, 4.0]).astype("Int64"),
        pl.Series(whole),
        pa.array(whole),
        [Decimal(one) for one in whole],
    ):
        assert FIT.rule.decide(SCORE, SEX, id=ids, key="k").tolist() == expected


def test_predict_refuses_them_too(applicants: Any) -> None:
    frame, y = applicants
    people = numbers(frame)
    model = fair().fit(people, y, sensitive_features=frame.sex)
    with pytest.raises(TypeError, match="id must be whole numbers or texts, not float64"):
        model.predict(people, sensitive_features=frame.sex, id=np.arange(len(y)) * 1.0)


@pytest.mark.parametrize(
    "label",
    [["no", "yes", "no", "yes"], pd.Series(["no", "yes"] * 2), pl.Series(["no", "yes"] * 2)],
)
def test_texts_as_labels(label: Any) -> None:
    with pytest.raises(
        TypeError, match=r"label must be numbers.*compare them: label=\(y == 'yes'\)"
    ):
        evenhand.Tally(SCORE, SEX, label=label)


def test_both_columns_of_predict_proba() -> None:
    both = np.column_stack([1 - np.array(SCORE), SCORE])
    for given in (both, pd.DataFrame(both)):
        with pytest.raises(ValueError, match=r"take the favourable class: \[:, 1\]"):
            evenhand.Tally(given, SEX)


def test_percentages() -> None:
    with pytest.raises(ValueError, match="divide percentages by 100, or choose another scale"):
        evenhand.Tally([10, 40, 60, 90], SEX)
    with pytest.raises(ValueError, match="scale; choose another scale"):
        evenhand.Tally([0.1, 0.4, 0.6, -1], SEX)


def test_frames_that_have_no_rows_yet() -> None:
    lazy = pl.LazyFrame({"p": SCORE, "sex": SEX})
    with pytest.raises(TypeError, match=r"collect\(\)"):
        evenhand.Tally("p", "sex", data=lazy)
    with pytest.raises(TypeError, match=r"collect\(\)"):
        evenhand.Tally(SCORE, lazy.select("sex"))


def test_groups_that_the_rule_has_not_seen() -> None:
    for call in (FIT.rule.probability, lambda *a: FIT.rule.decide(*a, seed=0)):
        with pytest.raises(IndexError, match=r"sex=X .*unseen='score' or unseen='reject'"):
            call([0.5], ["X"])


def test_scores_that_are_decisions() -> None:
    decided = [0, 1] * 20
    with pytest.warns(UserWarning, match="every score is 0 or 1"):
        evenhand.fit(decided, SEX * 10, criterion="statistical-parity")
