"""Groups that are missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .._inputs import MissingError
from .._rule.rule import Rule

IN_FIT = (
    "null='unknown' or another name in the constructor makes groups of them, in fit and predict; "
    "or take such rows away before fit"
)
LATER = (
    "unseen='score' or 'reject' in the constructor decides about them, or null='unknown' if fit "
    "has such rows too"
)


@contextmanager
def advice(hint: str) -> Iterator[None]:
    """Say of missing values what the classifier can do about them, which is not all that fit can.

    Raises
    ------
    ValueError
        That counts them, and ends with the hint.
    """
    try:
        yield
    except MissingError as error:
        raise ValueError(f"{error.found}; {hint}") from None


def name_of_missing(rule: Rule, unseen: str) -> str:
    """Return what an audit does with missing groups: as predict, a group that is not known."""
    if rule.null == "error" and unseen != "error":
        return "?" * (1 + max(map(len, rule._values()), default=0))
    return rule.null
