"""Scores, labels and weights: columns of numbers, in place if the memory allows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .frames import ArrowColumn, foreign, is_pandas, refuse_table
from .texts import is_missing


def numbers(value: Any, name: str, *, floats: bool = False) -> _core.Numbers:
    """Scores, labels or weights as the library takes them, in place if the memory allows.

    Parameters
    ----------
    value : column
        Numbers of any type, or booleans.
    name : str
        What messages call it.
    floats : bool
        Make floating-point numbers of whole ones.
    """
    try:
        return _numbers(value, name, floats)
    except TypeError as error:
        if name != "label":
            raise
        raise TypeError(f"{error}; for texts, compare them: label=(y == 'yes')") from None


def _numbers(value: Any, name: str, floats: bool) -> _core.Numbers:
    column = ArrowColumn(arrow) if (arrow := foreign(value)) is not None else value
    if isinstance(column, ArrowColumn):
        refuse_table(column, name)
        out = column.data.numbers(column.index, name)
        return _core.numbers(out.to_numpy(), name) if floats and out.is_whole else out
    array = _pandas_numbers(value, name) if is_pandas(value) else plain_array(value, name)
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be one column, not an array of the shape {array.shape}"
            + _of_two(array.shape)
        )
    if isinstance(array, np.ma.MaskedArray):
        array = np.ma.filled(array.astype(np.float64), np.nan)
    if array.dtype == object:
        array = _numbers_in_objects(array, name)
    kind = array.dtype.kind
    if array.size == 0 and kind not in "biuf":
        array, kind = np.zeros(0), "f"
    if kind not in "biuf":
        raise TypeError(f"{name} must be numbers, not {array.dtype}")
    wanted: npt.DTypeLike = array.dtype.newbyteorder("=")
    if (kind == "f" and array.dtype.itemsize not in (4, 8)) or (kind in "biu" and floats):
        wanted = np.float32 if array.dtype.itemsize == 2 and kind == "f" else np.float64
    return _core.numbers(np.ascontiguousarray(array, dtype=wanted), name)


def _of_two(shape: tuple[int, ...]) -> str:
    """Return advice if it may be what ``predict_proba`` gives."""
    two = len(shape) == 2 and shape[1] == 2
    return "; of predict_proba, take the favourable class: [:, 1]" if two else ""


def plain_array(value: Any, name: str) -> npt.NDArray[Any]:
    """Make an array of a list or of anything else that NumPy reads as a column."""
    if isinstance(value, np.ndarray):
        return value
    try:
        array: npt.NDArray[Any] = np.asanyarray(value)
    except ValueError:  # lists of different lengths
        raise ValueError(
            f"{name} must be one column, not a {type(value).__name__} of lists"
        ) from None
    if array.ndim == 0:
        raise TypeError(
            f"{name} must be a column, not {_kind_of(value)}: give an array, a Series or a list"
        )
    return array


def _kind_of(value: Any) -> str:
    return "None" if value is None else f"a value of the type {type(value).__name__}"


def _pandas_numbers(value: Any, name: str) -> npt.NDArray[Any]:
    if value.ndim != 1:
        raise ValueError(f"{name} must be one column, not a frame" + _of_two(value.shape))
    if isinstance(value.dtype, np.dtype):
        return np.asarray(value)
    if value.dtype.name == "category":
        return np.asarray(value)
    if value.dtype.name.startswith("decimal"):  # of Arrow
        return np.asarray(value.to_numpy(dtype=object))
    if value.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be numbers, not {value.dtype}")
    array: npt.NDArray[Any] = value.to_numpy(dtype=np.float64, na_value=np.nan)
    return array


def _numbers_in_objects(array: npt.NDArray[Any], name: str) -> npt.NDArray[np.float64]:
    out = np.empty(len(array))
    for row, value in enumerate(array):
        if is_missing(value):
            out[row] = np.nan
        elif isinstance(value, (str, bytes)) or not hasattr(type(value), "__float__"):
            raise TypeError(f"{name} must be numbers, but row {row} is {value!r}")
        else:
            try:
                out[row] = float(value)
            except OverflowError:
                raise ValueError(f"{name} has a number that is too large, in row {row}") from None
    return out
