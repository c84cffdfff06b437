"""Columns of X and of attributes, in any container that scikit-learn takes."""
# ruff: noqa: N803, N806  scikit-learn calls it X

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing

from .. import _inputs
from .._inputs import NamedColumn

Attributes = dict[str, Any]
"""Columns by name."""


DEFAULT_NAMES = {"sensitive_features": "sensitive", "control_features": "within"}
"""What columns without a name are called."""


def _names(data: Any) -> list[Any] | None:
    """Return the names of a frame's columns, None for what has none."""
    if hasattr(data, "column_names"):  # Arrow
        return list(data.column_names)
    if getattr(data, "ndim", 2) == 2 and hasattr(data, "columns"):  # pandas, polars
        return list(data.columns)
    return None


def width_of(X: Any) -> int:
    """Count the columns; texts or other single values make one."""
    names = _names(X)
    if names is not None:
        return len(names)
    if not hasattr(X, "shape"):
        X = _array(X)
    return int(X.shape[1]) if len(X.shape) > 1 else 1


def refuse_flat(X: Any) -> None:
    """Refuse numbers without columns; texts are rows of their own."""
    if isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.kind in "biufc":
        raise ValueError(
            f"Expected 2D array, got 1D array instead: {X!r}. Reshape your data with "
            "X.reshape(1, -1) if it is one row, or X.reshape(-1, 1) if it is one column"
        )


def column_at(X: Any, index: int) -> Any:
    """Return a column by its position: an array, or a list where that would change values."""
    if hasattr(X, "iloc"):
        column = X.iloc[:, index]
        return column.to_numpy() if isinstance(column.dtype, np.dtype) else column
    if hasattr(X, "to_series"):  # polars
        column = X.to_series(index)
        whole = column.dtype.is_numeric() and not column.null_count()
        return column.to_numpy() if whole else column
    if hasattr(X, "column_names"):
        return X.column(index).to_pylist()
    if hasattr(X, "tocsr"):
        return X.tocsr()[:, [index]].toarray().reshape(-1)
    array = X if hasattr(X, "shape") else _array(X)
    return array[:, index] if array.ndim > 1 else array


def _array(rows: Any) -> npt.NDArray[Any]:
    """Make an array of lists, without turning numbers into texts where there are both."""
    array = np.asarray(rows)
    return array if array.dtype.kind in "biuf" else np.asarray(rows, dtype=object)


# --- Attributes that are columns of X.


def from_features(
    X: Any, which: Any, names_in: Sequence[str] | None, role: str
) -> list[NamedColumn]:
    """Return the columns of X that a constructor's parameter names.

    Parameters
    ----------
    X : array-like or frame
        The rows.
    which : str, int, list of these, or callable
        Names or positions; or a function of X that returns columns.
    names_in : sequence of str or None
        The columns' names as they were in fit.
    role : str
        The parameter, for messages.
    """
    if callable(which):
        return given(which(X), role, (X.shape[0] if hasattr(X, "shape") else len(X)))
    return [
        NamedColumn(_label(X, index, names_in), column_at(X, index), True)
        for index in positions(X, which, names_in, role)
    ]


def positions(X: Any, which: Any, names_in: Sequence[str] | None, role: str) -> list[int]:
    """Return where the columns of X are that a constructor's parameter names."""
    several = isinstance(which, (list, tuple)) or (
        isinstance(which, np.ndarray) and which.ndim == 1
    )
    wanted = list(which) if several else [which]
    return [_position(X, one, names_in, role) for one in wanted]


def _position(X: Any, one: Any, names_in: Sequence[str] | None, role: str) -> int:
    names = _names(X)
    if isinstance(one, (int, np.integer)) and not isinstance(one, bool):
        width = width_of(X)
        if not -width <= one < width:
            raise ValueError(f"{role}: there is no column {one}, X has {width}")
        return int(one) % width
    if not isinstance(one, str):
        raise TypeError(
            f"{role} in the constructor names columns of X: a name, an index, a list of these or "
            f"a function of X, not {type(one).__name__}; arrays go to fit and predict"
        )
    known = names if names is not None else None if names_in is None else list(names_in)
    if known is None:
        raise ValueError(
            f"{role}={one!r} is a column's name, but X is a {type(X).__name__}, which has none: "
            f"give X as a frame, the column's index, or {role}= to fit and predict. After "
            "transformers of a pipeline, set_output(transform='pandas') keeps names; or make the "
            "pipeline this classifier's estimator"
        )
    if one not in known:
        raise ValueError(f"{role}: X has no column {one!r}{_inputs.did_you_mean(one, known)}")
    return known.index(one)


def _label(X: Any, index: int, names_in: Sequence[str] | None) -> str:
    names = _names(X) or names_in
    return str(names[index]) if names is not None else f"x{index}"


def without(X: Any, dropped: Sequence[int]) -> Any:
    """Return X without these columns."""
    keep = [i for i in range(width_of(X)) if i not in set(dropped)]
    if not hasattr(X, "shape"):
        X = _array(X)
    return _safe_indexing(X, keep, axis=1)


# --- Attributes that come beside X.


def refuse_reordered(X: Any, value: Any, role: str) -> None:
    """Refuse columns with the index of X in another order: rows go by position."""
    index = _index(X)
    if index is None:
        return
    if isinstance(value, Mapping):
        value = list(value.values())
    several = isinstance(value, (list, tuple)) and not (value and isinstance(value[0], str))
    for column in value if several else [value]:
        own = _index(column)
        if own is None or len(own) != len(index) or own.equals(index):
            continue
        if Counter(own) == Counter(index):
            raise ValueError(
                f"{role} has the index of X in another order, but rows are matched by position: "
                f"give {role}.loc[X.index], or without an index (to_numpy()) if the order is right"
            )


def _index(data: Any) -> Any:
    """Return the index of a pandas frame or series, None for what has none."""
    return data.index if hasattr(data, "iloc") and hasattr(data, "index") else None


def given(value: Any, role: str, rows: int) -> list[NamedColumn]:
    """Return the columns in what was given for a role, each of the same length as X."""
    if isinstance(value, str):
        raise TypeError(
            f"{role}={value!r}: names of columns of X go to the constructor, "
            f"FairThresholdClassifier(..., {role}={value!r})"
        )
    if not (hasattr(value, "__len__") or hasattr(value, "__arrow_c_stream__")):
        raise TypeError(f"{role} must be columns, not {type(value).__name__}")
    columns = [
        replace(column, values=_inputs.plain(column.values, column.name))
        for column in _inputs.columns(value, None, DEFAULT_NAMES[role])
    ]
    for column in columns:
        length = len(column.values)
        if length != rows:
            hint = ""
            if isinstance(column.values, (list, tuple)) and all(
                isinstance(one, str) for one in column.values
            ):
                hint = f" (names of columns of X go to the constructor: {role}=...)"
            raise ValueError(f"X has {rows} rows, but {role} has {length}{hint}")
    return columns


def unnamed(value: Any, known: Sequence[str], rows: int) -> Attributes:
    """Return the columns of strata that are given as such; none if they are named."""
    several = value if isinstance(value, (list, tuple)) else [value]
    texts = all(isinstance(one, str) for one in several)
    if value is None or (texts and (len(several) != rows or set(several) <= set(known))):
        return {}
    columns = canonical(given(value, "control_features", rows))
    for name in columns:
        if name in known:
            raise ValueError(f"within has a column {name!r}, which fit knows: give its name")
    return columns


def canonical(columns: Sequence[NamedColumn]) -> Attributes:
    """Return columns by name; whole numbers are whole whatever their type.

    An array of floats has 1.0 where a frame has 1: both are the group "1".
    """
    out: Attributes = {}
    for column in columns:
        if column.name in out:
            raise ValueError(f"the column {column.name!r} is given twice")
        out[column.name] = _whole(column.values)
    return out


def _whole(column: Any) -> Any:
    dtype = getattr(column, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind == "f":
        values, codes = np.unique(np.asarray(column), return_inverse=True)
        plain = np.array([*map(_plain, values)], dtype=object)
        return plain[codes.reshape(-1)]
    if dtype is not None and str(dtype).lower().startswith(("float", "double")):
        values = column.tolist() if hasattr(column, "tolist") else column.to_list()
        return _objects(map(_plain, values), len(column))
    if isinstance(column, (list, tuple)) or (isinstance(dtype, np.dtype) and dtype.kind == "O"):
        return _objects(map(_plain, column), len(column))
    return column


def _objects(values: Any, length: int) -> npt.NDArray[np.object_]:
    out = np.empty(length, dtype=object)
    out[:] = list(values)
    return out


def _plain(value: Any) -> Any:
    """Make 1 of 1.0, and leave the rest."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return int(value)
    return value


def matched(
    columns: Sequence[NamedColumn], wanted: Sequence[tuple[str, bool]], role: str
) -> list[NamedColumn]:
    """Return the columns under the names that they had in fit.

    ``wanted`` has these names, and whether the columns of fit came with them; if they did not,
    columns are taken in their order.
    """
    if not any(named for _, named in wanted):
        columns = [replace(column, explicit=False) for column in columns]
    return _inputs.in_order(list(columns), [name for name, _ in wanted], role)


def taken(columns: Attributes, rows: npt.NDArray[np.intp]) -> Attributes:
    """Return some rows of all columns."""
    return {name: _safe_indexing(column, rows) for name, column in columns.items()}


Selector = str | int | Sequence[str | int] | Callable[[Any], Any] | None
"""What names columns of X."""
