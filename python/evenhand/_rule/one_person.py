"""One person instead of columns: a score, and the attributes by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any


def is_one(score: Any, data: Any) -> bool:
    """Whether this is one person's score; with ``data``, a number is the label of a column."""
    return data is None and isinstance(score, Real)


def refuse_columns(person: Mapping[str, Any], sensitive: Any, within: Any, data: Any) -> None:
    """Refuse columns beside the attributes of one person."""
    if not (sensitive is None and within is None and data is None):
        raise TypeError(
            "attributes by keyword are one person's: give no columns beside them"
            if person
            else "one score is one person's: give attributes by name, or columns for all"
        )


def check_names(score: Any, person: Mapping[str, Any], wanted: Sequence[str], what: str) -> None:
    """Refuse several scores, and attributes that are not those of the rule."""
    unknown = [name for name in person if name not in wanted]
    missing = [name for name in wanted if name not in person]
    if unknown or missing:
        raise ValueError(
            f"the rule's {what} are {list(wanted)}"
            + (f"; there is no {unknown[0]!r}" if unknown else f"; {missing[0]!r} is missing")
        )
    if getattr(score, "__len__", None) is not None:
        raise TypeError("attributes by keyword are one person's: give one score")
