"""Ids for rows that have none: a digest of the row's own values.

A cell of a row is one tag byte and its payload, and a row is its cells in the order of the columns:

- ``f`` and the eight bytes, big end first, of the float64 that equals a number or boolean; -0 is 0;
- ``t``, the length of the text in UTF-8 as eight bytes, big end first, and the text: strings, and
  what no float64 equals, such as whole numbers that are too large, dates and decimals;
- ``n`` and eight zero bytes for what is missing: None, NaN, NaT, NA.

Numbers that are equal are the same bytes whatever their type, and so is a row whatever holds it. No
two different rows of one width have the same bytes: every cell says where it ends.
"""
# ruff: noqa: N803, N806  scikit-learn calls it X

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing

from .._inputs.texts import is_missing, text_of
from .rows import column_at, width_of

_MISSING = b"n" + bytes(8)
_WHOLE = 2**53  # up to here every whole number is a float64
_BLOCK = 1 << 20  # cells that are encoded at a time


def row_ids(X: Any) -> npt.NDArray[np.object_]:
    """Return the id of each row: the SHA-256 of its values, as 64 hexadecimal digits.

    Rows with equal values have the same id, whatever the container, the types or the other rows.

    Parameters
    ----------
    X : array-like, frame or sparse matrix
        The rows.

    Returns
    -------
    numpy.ndarray
        Of texts.

    Raises
    ------
    TypeError
        For values that have no obvious text.

    Examples
    --------
    >>> from evenhand.sklearn import row_ids
    >>> row_ids([[1, "a"]])[0] == row_ids([[True, "a"]])[0] == row_ids([[1.0, "a"]])[0]
    True
    >>> row_ids([[1, "a"]])[0][:16]
    'f59cd1b2574bb2f5'
    """
    if hasattr(X, "tocsr"):
        X = X.tocsr()
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    step = max(1, _BLOCK // max(1, width_of(X)))
    out = np.empty(rows, dtype=object)
    for start in range(0, rows, step):
        block = X if step >= rows else _safe_indexing(X, np.arange(start, min(rows, start + step)))
        for row, data in enumerate(_encoded(block), start):
            out[row] = hashlib.sha256(data).hexdigest()
    return out


def _encoded(X: Any) -> list[bytes]:
    if hasattr(X, "toarray"):
        X = X.toarray()
    cells = [_cells(column_at(X, i)) for i in range(width_of(X))]
    if cells and all(isinstance(one, np.ndarray) for one in cells):
        data = np.concatenate(cells, axis=1)
        width = data.shape[1]
        every = data.tobytes()
        return [every[start : start + width] for start in range(0, len(every), width)]
    parts = [_split(one) if isinstance(one, np.ndarray) else one for one in cells]
    return [b"".join(row) for row in zip(*parts, strict=True)]


def _split(cells: npt.NDArray[np.uint8]) -> list[bytes]:
    every = cells.tobytes()
    return [every[start : start + 9] for start in range(0, len(every), 9)]


def _cells(column: Any) -> npt.NDArray[np.uint8] | list[bytes]:
    """Encode a column: nine bytes for each row where all are numbers, else a list."""
    array = column if isinstance(column, np.ndarray) else None
    if array is not None and not isinstance(array, np.ma.MaskedArray):
        kind, size = array.dtype.kind, array.dtype.itemsize
        small = kind == "b" or (kind in "iu" and (size < 8 or not len(array) or _within(array)))
        if small or (kind == "f" and size <= 8):
            return _number_cells(array.astype(np.float64))
    return [_cell(value) for value in _values(column)]


def _within(array: npt.NDArray[Any]) -> bool:
    return int(array.max()) <= _WHOLE and int(array.min()) >= -_WHOLE


def _number_cells(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
    missing = np.isnan(numbers)
    plain = np.where(missing, 0.0, numbers) + 0.0  # -0.0 + 0.0 is 0.0
    out = np.empty((len(numbers), 9), dtype=np.uint8)
    out[:, 0] = np.where(missing, ord("n"), ord("f"))
    out[:, 1:] = plain.astype(">f8").view(np.uint8).reshape(-1, 8)
    return out


def _values(column: Any) -> Any:
    if isinstance(column, np.ma.MaskedArray):
        return np.ma.filled(column.astype(object), None)
    if isinstance(column, np.ndarray):
        return column.astype(object) if column.dtype.kind not in "mM" else column
    for name in ("to_list", "to_pylist", "tolist"):  # polars and pandas, Arrow, others
        if hasattr(column, name):
            return getattr(column, name)()
    return column


def _cell(value: Any) -> bytes:
    if is_missing(value):
        return _MISSING
    if isinstance(value, bytes):
        return _text_cell(value)
    if not isinstance(value, str) and hasattr(type(value), "__float__"):
        try:
            number = float(value)
        except (OverflowError, TypeError, ValueError):
            number = None
        # Python compares whole numbers, fractions and decimals with floats exactly.
        if number is not None and number == (
            value.item() if isinstance(value, np.generic) else value
        ):
            return b"f" + np.array(number + 0.0, dtype=">f8").tobytes()
    try:
        text = text_of(value)
    except TypeError:
        raise TypeError(
            f"a value of the type {type(value).__name__} cannot be part of a row's id; give id="
        ) from None
    return _text_cell((text or "").encode())


def _text_cell(text: bytes) -> bytes:
    return b"t" + len(text).to_bytes(8, "big") + text
