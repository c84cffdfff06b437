"""Options: of the right type, or an error that names them."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core


def number(value: Any, name: str) -> float:
    """Return a number.

    Raises
    ------
    TypeError
        For anything else: texts, arrays, None.
    """
    if isinstance(value, (str, bytes)) or getattr(value, "ndim", 0) != 0:
        raise TypeError(f"{name} must be a number, not {_shown(value)}")
    try:
        return float(value)
    except TypeError:
        raise TypeError(f"{name} must be a number, not {_shown(value)}") from None
    except OverflowError:
        raise ValueError(f"{name} is too large a number") from None


def optional_number(value: Any, name: str) -> float | None:
    """Return a number, or None."""
    return None if value is None else number(value, name)


def whole(value: Any, name: str, low: int, high: int) -> int:
    """Return a whole number from ``low`` to ``high``.

    Raises
    ------
    TypeError
        For anything else than whole numbers.
    ValueError
        For others than these.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be a whole number, not {_shown(value)}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}, not {value}")
    return int(value)


def optional_whole(value: Any, name: str, low: int, high: int) -> int | None:
    """Return a whole number from ``low`` to ``high``, or None."""
    return None if value is None else whole(value, name, low, high)


def threads(value: Any) -> int:
    """Return a number of threads, 0 for as many as there are cores."""
    return whole(value, "threads", 0, 65535)


def text(value: Any, name: str) -> str:
    """Return a text.

    Raises
    ------
    TypeError
        For anything else.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, not {_shown(value)}")
    return str.__str__(value)


def choice(value: Any, name: str) -> str:
    """Return one of the names that the option knows.

    Raises
    ------
    TypeError
        For anything else than a text.
    ValueError
        For another name.
    """
    known = list(_core.choices()[name.replace("_", "-")])
    if text(value, name) not in known:
        raise ValueError(
            f"there is no {name} {value!r}: choose {', '.join(known[:-1])} or {known[-1]}"
        )
    return str.__str__(value)


def _shown(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, (str, bytes, bool, int, float)):
        return repr(value)
    return f"a value of the type {type(value).__name__}"
