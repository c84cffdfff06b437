"""Frames and columns, whoever made them, and the columns' names.

Nothing here imports pandas, polars or pyarrow: they are known by what they are or can do.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core

Column = Any
"""A column: a NumPy array, pandas or polars Series, Arrow array, or a list."""

Columns = Any
"""One or more columns: the same, a frame, a dict of columns, a list of columns, a 2-D array."""


@dataclass(frozen=True)
class ArrowColumn:
    """A column of an Arrow table, or, with -1, an Arrow array itself."""

    data: _core.Arrow
    index: int = -1


@dataclass(frozen=True)
class NamedColumn:
    """A column with its name.

    ``explicit``: the caller gave the name, by a frame, a dict or ``data=``, and columns are found
    by it; ``own``: the column brought it along, as a Series does.
    """

    name: str
    values: Any
    explicit: bool
    own: bool = False


def is_pandas(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "pandas"


def is_pandas_frame(value: Any) -> bool:
    return is_pandas(value) and getattr(value, "ndim", 1) == 2


def arrow_in(value: Any) -> _core.Arrow | None:
    """Take what speaks the Arrow PyCapsule interface."""
    if hasattr(value, "__arrow_c_stream__"):
        return _core.arrow_from_stream(value.__arrow_c_stream__())
    if hasattr(value, "__arrow_c_array__"):
        return _core.arrow_from_array(*value.__arrow_c_array__())
    return None


def foreign(value: Any) -> _core.Arrow | None:
    if isinstance(value, (np.ndarray, ArrowColumn, list, tuple)) or is_pandas(value):
        return None
    _refuse_lazy(value)
    return arrow_in(value)


def refuse_table(column: ArrowColumn, name: str) -> None:
    if column.index < 0 and column.data.is_table:
        raise ValueError(f"{name} must be one column, not a table or a struct: take one of it")


class Frame:
    """Columns by name: a dict, a pandas frame, an Arrow table, a structured array."""

    def __init__(self, data: Any) -> None:
        named = named_columns(data)
        self._columns: dict[str, Any] = dict(named)
        labels = list(data.columns) if is_pandas_frame(data) else []
        self._labels = {label for label in labels if _is_label(label)}
        counts = Counter(name for name, _ in named)
        self._ambiguous = {name for name, count in counts.items() if count > 1}

    def __contains__(self, name: str) -> bool:
        """Whether there is such a column."""
        return name in self._columns

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return list(self._columns)

    def name_of(self, value: Any) -> str | None:
        """Return the name of the column that is meant: a text, or a label of a pandas frame.

        Raises
        ------
        ValueError
            For a number that is none of the frame's, if its labels are numbers.
        """
        if isinstance(value, str):
            return value
        if not self._labels or not _is_label(value):
            return None
        if value in self._labels:
            return str(value)
        if isinstance(value, tuple) or all(isinstance(one, tuple) for one in self._labels):
            return None
        raise ValueError(f"data has no column {value!r}")

    def are_labels(self, values: Sequence[Any]) -> bool:
        """Whether these are labels of columns rather than values of one."""
        rows = len(next(iter(self._columns.values()), ()))
        if len(values) > len(self._labels) or len(values) == rows:
            return False
        return all(_is_label(one) and one in self._labels for one in values) and (
            len(set(values)) == len(values)
        )

    def column(self, name: str) -> Any:
        """Return the column of that name.

        Raises
        ------
        ValueError
            That names the closest one if there is none; or if there are several.
        """
        if name in self._ambiguous:
            raise ValueError(f"data has more than one column {name!r}: rename or drop the others")
        if name in self._columns:
            return self._columns[name]
        raise ValueError(f"data has no column {name!r}{did_you_mean(name, self._columns)}")


def did_you_mean(name: str, known: Iterable[Any]) -> str:
    """Return the end of a message about a name that does not exist: the closest that does."""
    near = difflib.get_close_matches(name, map(str, known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _is_label(value: Any) -> bool:
    """Whether it may be the label of a column of pandas that is no text: a number, a tuple."""
    if isinstance(value, tuple):
        return all(isinstance(one, (str, int, np.integer)) for one in value)
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _refuse_lazy(data: Any) -> None:
    if type(data).__name__ == "LazyFrame":
        raise TypeError("a LazyFrame has no rows yet: give what its collect() returns")


def named_columns(data: Any) -> list[tuple[str, Any]]:
    """Return the columns of a frame, a dict, a structured array or an Arrow table."""
    _refuse_lazy(data)
    if isinstance(data, Mapping):
        return [(str(name), column) for name, column in data.items()]
    if is_pandas_frame(data):
        names = [str(name) for name in data.columns]
        return [(name, data.iloc[:, i]) for i, name in enumerate(names)]
    if isinstance(data, np.ndarray) and data.dtype.names:
        return [(name, data[name]) for name in data.dtype.names]
    arrow = None if is_pandas(data) else arrow_in(data)
    if arrow is not None and arrow.is_table:
        return [(name, ArrowColumn(arrow, i)) for i, name in enumerate(arrow.names)]
    raise TypeError(
        f"data must be a frame or a dict of columns, not {type(data).__name__}: "
        "pandas, polars, pyarrow or anything with __arrow_c_stream__"
    )


def frame_of(data: Any) -> Frame | None:
    """Open what was given as ``data``."""
    return None if data is None else Frame(data)


def resolved(value: Any, frame: Frame | None, role: str) -> Any:
    """Return the column: itself, or that of its name in ``data``."""
    if frame is not None:
        named = frame.name_of(value)
        return value if named is None else frame.column(named)
    if isinstance(value, str):
        raise TypeError(f"{role}={value!r} is a column's name: give data=, the frame that has it")
    return value


def name_of(value: Any, frame: Frame | None = None) -> str | None:
    """Return the name of a column in ``data``, or the one that it brings along, if it does."""
    named = value if isinstance(value, str) else None if frame is None else frame.name_of(value)
    if isinstance(named, str):
        return named
    name = getattr(value, "name", None)
    return name if isinstance(name, str) and name else None
