"""Columns of any library, as the compiled half takes them."""

from .frames import Column, Columns, Frame, NamedColumn, did_you_mean, frame_of, name_of, resolved
from .groups import attribute, attributes, ids, plain
from .numeric import numbers
from .roles import MissingError, columns, in_order, null_policy, refuse_missing, same_length

__all__ = [
    "Column",
    "Columns",
    "Frame",
    "MissingError",
    "NamedColumn",
    "attribute",
    "attributes",
    "columns",
    "did_you_mean",
    "frame_of",
    "ids",
    "in_order",
    "name_of",
    "null_policy",
    "numbers",
    "plain",
    "refuse_missing",
    "resolved",
    "same_length",
]
