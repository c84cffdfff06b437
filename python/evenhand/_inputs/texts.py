"""Values of attributes as texts: the very ones that the tool (DuckDB) makes of them."""

from __future__ import annotations

import datetime
import decimal
import enum
import math
import uuid
from typing import Any

import numpy as np
import numpy.typing as npt


def is_missing(value: Any) -> bool:
    """Whether it is None, NaN, NaT or pandas' NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return isinstance(value, (float, np.floating, decimal.Decimal)) and math.isnan(value)


def text_of(value: Any) -> str | None:
    """One value as text; None if it is missing.

    Raises
    ------
    TypeError
        For values that have no obvious text.
    """
    if is_missing(value):
        return None
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return _float_text(value)
    if isinstance(value, enum.Enum):
        return text_of(value.value)
    if isinstance(value, np.datetime64):
        return _datetime_text(value)
    if isinstance(value, datetime.datetime):
        if value.utcoffset() is None:
            return _without_zeros(value.replace(tzinfo=None).isoformat(sep=" "))
        moment = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return _without_zeros(moment.isoformat(sep=" ")) + "+00"
    if isinstance(value, datetime.time):
        return _without_zeros(value.isoformat()) if value.tzinfo is None else value.isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return format(value or abs(value), "f")  # zero has one text, whatever its sign
    if isinstance(value, uuid.UUID):
        return str(value)
    if _is_pandas_span(value):
        return str(value)
    raise TypeError(
        f"a value of the type {type(value).__name__} cannot name a group; make a text of it first"
    )


def _without_zeros(time: str) -> str:
    """Cut the zeros off the end of the fraction of a second."""
    return time.rstrip("0") if "." in time else time


def _is_pandas_span(value: Any) -> bool:
    """Whether it is what ``pandas.cut`` makes, or a month or another period."""
    kind = type(value)
    return kind.__module__.partition(".")[0] == "pandas" and kind.__name__ in ("Interval", "Period")


def _datetime_text(value: np.datetime64) -> str | None:
    unit = np.datetime_data(value.dtype)[0]
    if unit in ("Y", "M", "W", "D"):
        return text_of(value.astype("datetime64[D]").item())
    whole = value.astype("datetime64[us]")
    if unit in ("ns", "ps", "fs", "as") and whole != value:
        return str(np.datetime_as_string(value)).replace("T", " ").rstrip("0")
    return text_of(whole.item())


def _float_text(value: float | np.floating[Any]) -> str:
    value = value + 0  # zero has one text, whatever its sign
    if not isinstance(value, (np.float32, np.float16)):
        return repr(float(value))
    single = np.float32(value)
    size = abs(float(single))
    if size == 0 or 1e-4 <= size < 1e16:
        return np.format_float_positional(single, unique=True, trim="0")
    if math.isinf(size):
        return repr(float(single))
    return np.format_float_scientific(single, unique=True, trim="-", exp_digits=2)


def coded(array: npt.NDArray[Any]) -> tuple[npt.NDArray[np.intp], list[str]]:
    """Codes of an array of floats or dates, -1 for what is missing, and the texts of the codes."""
    values, codes = np.unique(array, return_inverse=True)
    texts = [text_of(value) for value in values]
    known = np.array([text is not None for text in texts], dtype=bool)
    renumbered = np.where(known, np.cumsum(known) - 1, -1).astype(np.intp)
    codes = renumbered[codes.reshape(-1)] if len(values) else codes.astype(np.intp)
    return codes, [text for text in texts if text is not None]
