"""Columns with probabilities of belonging, of everybody or given the outcome."""

from __future__ import annotations

from typing import Any

from .frames import Frame
from .roles import columns

Roles = tuple[list[str], list[str], list[str]]  # everybody, favourable outcome, the other one


def soft_columns(
    soft: Any, favorable: Any, unfavorable: Any, frame: Frame | None
) -> tuple[dict[str, Any], Roles]:
    """Return all columns by name, and the names that each of the three parameters gives.

    Raises
    ------
    ValueError
        If two parameters give different columns of one name, without a frame to look them up in.
    """
    out: dict[str, Any] = {}
    names: list[list[str]] = []
    given = (("soft", soft), ("soft_favorable", favorable), ("soft_unfavorable", unfavorable))
    for role, value in given:
        found = columns(value, frame, role)
        for column in found:
            known = out.setdefault(column.name, column.values)
            if frame is None and known is not column.values:
                raise ValueError(f"two columns are called {column.name!r}: give them other names")
        names.append([column.name for column in found])
    return out, (names[0], names[1], names[2])
