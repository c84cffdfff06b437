"""The columns of a role, found by name or by their order, and what all of them must be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import _core
from .frames import (
    ArrowColumn,
    Frame,
    NamedColumn,
    foreign,
    is_pandas_frame,
    name_of,
    named_columns,
    resolved,
)


def columns(value: Any, frame: Frame | None, role: str) -> list[NamedColumn]:
    """Return the columns in what was given for a role such as "sensitive"."""
    if value is None:
        return []
    named = value if frame is None else frame.name_of(value)
    if isinstance(named, str):
        return [NamedColumn(named, resolved(named, frame, role), True)]
    structured = isinstance(value, np.ndarray) and value.dtype.names
    if isinstance(value, Mapping) or is_pandas_frame(value) or structured:
        return [NamedColumn(name, column, True) for name, column in named_columns(value)]
    if isinstance(value, (list, tuple)):
        return _columns_in_list(value, frame, role)
    if isinstance(value, np.ndarray) and value.ndim == 2:
        return _numbered([value[:, i] for i in range(value.shape[1])], role)
    arrow = foreign(value)
    if arrow is not None:
        if arrow.is_table:
            return [
                NamedColumn(name, ArrowColumn(arrow, i), True) for i, name in enumerate(arrow.names)
            ]
        return [_unnamed(value, role, ArrowColumn(arrow))]
    return [_unnamed(value, role, value)]


def _unnamed(value: Any, otherwise: str, column: Any) -> NamedColumn:
    name = name_of(value)
    return NamedColumn(name or otherwise, column, False, own=name is not None)


def _columns_in_list(value: Sequence[Any], frame: Frame | None, role: str) -> list[NamedColumn]:
    if value and frame is not None and all(isinstance(one, str) for one in value):
        return [NamedColumn(name, resolved(name, frame, role), True) for name in value]
    if value and frame is not None and frame.are_labels(value):
        return [NamedColumn(str(one), resolved(one, frame, role), True) for one in value]
    if value and not isinstance(value[0], (str, bytes)) and hasattr(value[0], "__len__"):
        return _numbered(list(value), role)
    return [NamedColumn(role, value, False)]


def _numbered(values: list[Any], role: str) -> list[NamedColumn]:
    names = [role] if len(values) == 1 else [f"{role}_{i + 1}" for i in range(len(values))]
    return [_unnamed(column, name, column) for name, column in zip(names, values, strict=True)]


def _is_default(name: str) -> bool:
    """Whether columns without a name are called so."""
    role, _, number = name.partition("_")
    return role in ("sensitive", "within", "soft") and (not number or number.isdigit())


def _counted(count: int) -> str:
    return f"{count} attribute" + ("" if count == 1 else "s")


def in_order(named: list[NamedColumn], wanted: Sequence[str], whose: str) -> list[NamedColumn]:
    """Return the columns in the order of the attributes ``wanted``, under these names.

    Columns of a frame or dict are found by name. Others are taken in their order; a Series with
    another name than the attribute's is an error.
    """
    names = [column.name for column in named]
    if any(column.explicit for column in named) or set(names) == set(wanted):
        missing = [name for name in wanted if name not in names]
        if missing:
            raise ValueError(
                f"{whose} needs the attribute {missing[0]!r}, which is not among those given: "
                + ", ".join(map(repr, names))
            )
        return [named[names.index(name)] for name in wanted]
    if len(named) != len(wanted):
        raise ValueError(
            f"{whose} needs {_counted(len(wanted))} ({', '.join(map(repr, wanted))}), "
            f"not {_counted(len(named))}"
        )
    for column, place in zip(named, wanted, strict=True):
        renamed = column.own and not _is_default(column.name) and not _is_default(place)
        if column.name != place and (column.name in wanted or renamed):
            raise ValueError(f"the column {column.name!r} is given where {whose} expects {place!r}")
    return [
        NamedColumn(place, column.values, True) for place, column in zip(wanted, named, strict=True)
    ]


NAMES_HINT = "; if its texts are names of columns, give data=, the frame that has them"


def same_length(columns: Sequence[tuple[str, Any]], named: Sequence[NamedColumn] = ()) -> None:
    """Refuse columns of different lengths; ``named`` are those that may be lists of names."""
    texts = {
        one.name
        for one in named
        if isinstance(one.values, (list, tuple)) and all(isinstance(v, str) for v in one.values)
    }
    first, *others = columns
    for name, column in others:
        if len(column) != len(first[1]):
            raise ValueError(
                f"columns differ in length: {first[0]} has {len(first[1])} rows, "
                f"{name} has {len(column)}" + (NAMES_HINT if name in texts else "")
            )


def null_policy(null: str) -> str:
    """Return what becomes of missing values, if it makes sense."""
    if not isinstance(null, str):
        raise TypeError(f"null must be a text, not {type(null).__name__}")
    if not null:
        raise ValueError("null is 'error', 'exclude', or a name for missing groups")
    return null


class MissingError(ValueError):
    """Values are missing: how many in which columns (``found``), and what to do about it."""

    def __init__(self, found: str, hint: str) -> None:
        super().__init__(found, hint)
        self.found = found

    def __str__(self) -> str:
        """Say both."""
        return "; ".join(self.args)


def refuse_missing(columns: Sequence[_core.Numbers | _core.Attribute], hint: str) -> None:
    """Refuse missing values: the error counts them in every column.

    Raises
    ------
    MissingError
        That says what to do about it: ``hint``.
    """
    found = []
    for column in columns:
        try:
            column.refuse_missing()
        except ValueError as error:
            found.append(str(error))
    if found:
        raise MissingError("; ".join(found), hint)
