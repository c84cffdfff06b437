"""Tallies of columns of every kind."""

from __future__ import annotations

from typing import Any

from evenhand import Tally

INTEGERS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", ">i4"]


def tally(score: Any, sensitive: Any, **options: Any) -> Tally:
    return Tally(score, sensitive, **options)


def kind_of(column: Any) -> str:
    return f"{type(column).__module__}.{type(column).__name__}"
