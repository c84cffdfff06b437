"""A tally of whatever was given: rows, or a tally with other roles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import _core, _inputs
from .._inputs.rows import Rows
from .roles import refuse_other_settings, with_roles
from .tally import Tally


class Given(NamedTuple):
    """What a function was given beside scores and groups, in the order of its parameters."""

    within: Any = None
    label: Any = None
    weight: Any = None
    data: Any = None
    scale: str | None = None
    favorable: str | None = None
    resolution: str | int | None = None
    null: str = "error"
    threads: int = 0


def squares_of(rows: Rows | None, tally: Tally) -> _core.Tally | None:
    """Count the tally's rows with their weights squared, for effective sizes; None without."""
    if rows is None or rows.weight is None or tally._core.unit_weights:
        return None
    squared = _inputs.numbers(rows.weight.to_numpy() ** 2, "weight")
    return _core.tally_of_rows(
        rows.score, rows.attributes, rows.label, squared, tally.scale, tally.favorable, "exact", 0
    )


def as_tally(
    score: Any, sensitive: Any, given: Given, *, needed: bool, also: Sequence[str] = ()
) -> Tally:
    """Return the tally of rows; or a tally itself, with the roles that are asked for."""
    return tally_and_rows(score, sensitive, given, needed=needed, also=also)[0]


def tally_and_rows(
    score: Any, sensitive: Any, given: Given, *, needed: bool, also: Sequence[str] = ()
) -> tuple[Tally, Rows | None]:
    """Return the tally of rows with the rows; or a tally, with the roles that are asked for.

    Attributes that are ``also`` needed are counted too, or stay in a tally, with or without a role.
    """
    if isinstance(score, Tally):
        policy = None if given.null == "error" else given.null
        about_rows = (
            (given.label, "label"),
            (given.weight, "weight"),
            (given.data, "data"),
            (policy, "null"),
        )
        for value, name in about_rows:
            if value is not None:
                raise ValueError(f"{name} is about rows; a tally has counts instead")
        refuse_other_settings(score, given.scale, given.favorable, given.resolution)
        return with_roles(score, sensitive, given.within, needed=needed, also=also), None
    if sensitive is None and needed:
        raise ValueError("sensitive is missing: say who belongs to which group")
    rows = Rows.read(score, sensitive, *given[:4], given.null, also=also)
    tally = Tally.__new__(Tally)
    tally._count(
        rows,
        given.scale or "probability",
        given.favorable or "high",
        "exact" if given.resolution is None else given.resolution,
        given.threads,
    )
    return tally, rows
