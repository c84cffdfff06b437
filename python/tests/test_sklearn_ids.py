"""FairThresholdClassifier: the same person has the same decision, by ids, keys and row_ids."""
# ruff: noqa: N806  scikit-learn calls it X

from __future__ import annotations

import hashlib
import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from applicants import drawing, fair, numbers
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from evenhand.sklearn import row_ids

pytestmark = pytest.mark.usefixtures("one_thread")


def test_ids_keep_decisions_with_people(applicants: Any, tmp_path: Path) -> None:
    frame, y = applicants
    frame = frame[["sex", "income", "debt"]]
    model = drawing(frame, y)
    ids = np.array([f"person {i}" for i in range(len(frame))])
    scores = model.estimator_.predict_proba(frame[["income", "debt"]])[:, 1]
    expected = model.rule_.decide(scores, frame[["sex"]], id=ids, key="secret")
    assert np.array_equal(model.predict(frame, id=ids, key="secret"), expected)
    assert np.array_equal(model.predict(frame, id=pl.Series(ids), key=b"secret"), expected)
    (tmp_path / "key").write_bytes(b"secret")
    (tmp_path / "key").chmod(0o600)
    for file in (tmp_path / "key", str(tmp_path / "key")):
        assert np.array_equal(model.predict(frame, id=ids, key_file=file), expected)
        keyed = clone(model).set_params(key_file=file).fit(frame, y)
        assert np.array_equal(keyed.predict(frame, id=list(ids)), expected)
        assert "secret" not in repr(keyed)
        assert b"secret" not in pickle.dumps(keyed)
        # What predict is given counts.
        other = keyed.predict(frame, id=ids, key="another")
        assert np.array_equal(other, model.predict(frame, id=ids, key="another"))
        assert keyed.score(frame, y, id=ids) == model.score(frame, y, id=ids, key_file=file)
    assert not np.array_equal(model.predict(frame, id=ids, key="another"), expected)
    assert model.score(frame, y, id=ids, key="secret") == np.mean(expected == y)


def test_keys_that_are_wrong(applicants: Any, tmp_path: Path) -> None:
    frame, y = applicants
    X, sex = numbers(frame), frame.sex
    lost = tmp_path / "lost"
    for options, error, message in (
        ({"key": lost}, TypeError, "key is the secret itself; .* key_file="),
        ({"key": 3}, TypeError, "key must be bytes or a text, not int"),
        ({"key_file": b"secret"}, TypeError, "key_file must be a path, not bytes"),
        ({"key": "a", "key_file": lost}, ValueError, "give either key or key_file, not both"),
    ):
        with pytest.raises(error, match=message):
            fair(**options).fit(X, y, sensitive_features=sex)
        with pytest.raises(error, match=message):
            fair().fit(X, y, sensitive_features=sex).predict(X, sensitive_features=sex, **options)
    model = fair(key_file=lost).fit(X, y, sensitive_features=sex)
    certain = np.flatnonzero(model.predict_proba(X, sensitive_features=sex)[:, 1] == 1)[:1]
    with pytest.raises(FileNotFoundError, match="lost"):
        model.predict(X[certain], sensitive_features=sex.iloc[certain])
    lost.write_bytes(b"found")
    lost.chmod(0o600)
    assert model.predict(X[certain], sensitive_features=sex.iloc[certain]) == 1


def test_the_default_key_is_the_documented_one(applicants: Any) -> None:
    frame, y = applicants
    frame = frame[["sex", "income", "debt"]]
    for random_state, number in ((None, 0), (0, 0), (7, 7)):
        model = drawing(frame, y, random_state=random_state)
        key = f"evenhand FairThresholdClassifier {number}".encode()
        assert np.array_equal(model.predict(frame), model.predict(frame, key=key))
        assert np.array_equal(model.predict(frame), model.predict(frame, id=row_ids(frame)))
    drawn = drawing(frame, y, random_state=np.random.RandomState(3))
    assert np.array_equal(drawn.predict(frame), drawn.predict(frame))


def test_row_ids_are_the_documented_bytes() -> None:
    row = [1, -0.0, "é", None, 2**60 + 1, True]
    number = [b"f" + struct.pack(">d", one) for one in (1.0, 0.0)]
    text = [b"t" + struct.pack(">Q", len(one)) + one for one in ("é".encode(), b"%d" % (2**60 + 1))]
    missing = b"n" + bytes(8)
    data = number[0] + number[1] + text[0] + missing + text[1] + number[0]
    assert row_ids([row])[0] == hashlib.sha256(data).hexdigest()


cells = st.one_of(
    st.integers(-(2**60), 2**60),
    st.floats(allow_nan=False, width=32),
    st.booleans(),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4),
)


@given(st.lists(st.tuples(cells, cells), min_size=2, max_size=4))
def test_row_ids_are_equal_exactly_for_equal_rows(rows: list[tuple[Any, Any]]) -> None:
    array = np.empty((len(rows), 2), dtype=object)
    array[:] = rows
    ids = row_ids(array)
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            assert (ids[i] == ids[j]) == (one == other)
    assert np.array_equal(row_ids(pd.DataFrame(array)), ids)
    assert np.array_equal(row_ids([list(row) for row in rows]), ids)


@given(
    st.lists(st.integers(-100, 100), min_size=1, max_size=5),
    st.sampled_from(["i1", "i2", "i8", "f4", "f8", ">f8", "<i4", "O", "g"]),
)
def test_row_ids_of_numbers_do_not_depend_on_their_type(values: list[int], dtype: str) -> None:
    array = np.array(values).reshape(-1, 1)
    ids = row_ids(array)
    assert np.array_equal(row_ids(array.astype(dtype)), ids)
    assert np.array_equal(row_ids(sparse.csr_matrix(array.astype(float))), ids)
    assert np.array_equal(row_ids(pl.DataFrame({"a": values})), ids)
    assert np.array_equal(row_ids(pd.DataFrame({"a": pd.array(values, dtype="Int64")})), ids)
    assert np.array_equal(row_ids(pa.table({"a": values})), ids)


def test_row_ids_of_what_is_missing_and_of_dates_do_not_depend_on_the_container() -> None:
    frame = pd.DataFrame(
        {
            "a": [1.0, np.nan],
            "b": ["x", None],
            "c": pd.array([1, None], dtype="Int64"),
            "d": pd.to_datetime(["2020-01-02 03:04:05.5", None]),
            "e": pd.Categorical(["u", None]),
        }
    )
    ids = row_ids(frame)
    assert np.array_equal(row_ids(pl.from_pandas(frame)), ids)
    assert np.array_equal(row_ids(frame.astype(object)), ids)
    assert ids[0] != ids[1]
    with pytest.raises(TypeError, match="cannot be part of a row's id; give id="):
        row_ids([[object()]])
    assert len(row_ids(["a text", "another"])) == 2
    assert len(row_ids(np.zeros((0, 3)))) == 0


def test_row_ids_of_many_rows_are_made_in_blocks() -> None:
    X = np.arange(600_000.0).reshape(-1, 4)
    X = np.vstack([X, X[:, ::-1], X])
    ids = row_ids(X)
    assert ids[149_999] == row_ids(X[149_999:150_000])[0]
    assert len(set(ids)) == 300_000
    assert np.array_equal(ids[:150_000], ids[-150_000:])
