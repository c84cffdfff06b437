"""A tally of whatever was given: rows, or a tally with other roles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._inputs.rows import Rows
from .roles import refuse_other_settings, with_roles
from .tally import Tally


def as_tally(score: Any, sensitive: Any, **options: Any) -> Tally:
    """Return the tally of rows; or a tally itself, with the roles that are asked for.

    Options are those of :func:`tally_and_rows`.
    """
    return tally_and_rows(score, sensitive, **options)[0]


def tally_and_rows(
    score: Any,
    sensitive: Any,
    *,
    within: Any,
    label: Any,
    weight: Any,
    data: Any,
    scale: str | None,
    favorable: str | None,
    resolution: str | int | None,
    null: str,
    threads: int,
    needed: bool,
    also: Sequence[str] = (),
) -> tuple[Tally, Rows | None]:
    """Return the tally of rows with the rows; or a tally, with the roles that are asked for.

    Attributes that are ``also`` needed stay in a tally, with or without a role.
    """
    if isinstance(score, Tally):
        policy = None if null == "error" else null
        given = ((label, "label"), (weight, "weight"), (data, "data"), (policy, "null"))
        for value, name in given:
            if value is not None:
                raise ValueError(f"{name} is about rows; a tally has counts instead")
        refuse_other_settings(score, scale, favorable, resolution)
        return with_roles(score, sensitive, within, needed=needed, also=also), None
    if sensitive is None and needed:
        raise ValueError("sensitive is missing: say who belongs to which group")
    rows = Rows.read(
        score, sensitive, within=within, label=label, weight=weight, data=data, null=null
    )
    tally = Tally.__new__(Tally)
    tally._count(
        rows,
        scale or "probability",
        favorable or "high",
        "exact" if resolution is None else resolution,
        threads,
    )
    return tally, rows
