"""Attributes of a tally by name, and settings that must be its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .tally import Tally


def names_in(value: Any, role: str) -> list[str]:
    """Return attributes of a tally that were named."""
    if value is None:
        return []
    return names_of(value, f"with a tally, {role} takes names of its attributes")


def names_of(value: Any, message: str) -> list[str]:
    """Return one name or several as a list; anything else is an error."""
    names = [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
    if not all(isinstance(name, str) for name in names):
        raise TypeError(message)
    return names


def with_roles(
    tally: Tally, sensitive: Any, within: Any, *, needed: bool, also: Sequence[str] = ()
) -> Tally:
    """Return the tally over the attributes that have a role, those asked for or its own.

    Those that are ``also`` needed stay, as far as it has them. Groups are the tally's own but what
    strata are made of, if nobody says.

    Raises
    ------
    ValueError
        If nobody says who is compared, and that is ``needed``.
    """
    groups, strata = names_in(sensitive, "sensitive"), names_in(within, "within")
    core, source = tally._now()
    if groups or strata:
        groups = groups or [name for name in tally.sensitive if name not in strata]
        wanted = groups + strata
        wanted += [name for name in also if name in core.attributes and name not in wanted]
        if wanted != core.attributes:
            core, source = core.project(wanted), source.pinned(core)
    else:
        groups, strata = tally.sensitive, tally.within
    if needed and not groups:
        raise ValueError("sensitive is missing: say who belongs to which group")
    # A copy, since the caller may go on adding to theirs.
    return tally._of(core, source.with_roles(groups, strata))


def refuse_other_settings(
    tally: Tally,
    scale: str | None,
    favorable: str | None,
    resolution: str | int | None,
    *,
    whose: str = "the tally",
) -> None:
    """Refuse what a tally was not made with."""
    for asked, known, name in (
        (scale, tally.scale, "scale"),
        (favorable, tally.favorable, "favorable"),
        (None if resolution is None else str(resolution), tally.resolution, "resolution"),
    ):
        if asked is not None and asked != known:
            raise ValueError(f"{whose} was made with {name} {known}, which cannot be changed")
