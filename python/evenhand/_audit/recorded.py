"""Columns that a rule's file names, for audits that do not name them again."""

from __future__ import annotations

from typing import Any, TypeVar

from .. import _inputs
from .._rule.rule_file import RuleFile
from .._tally.roles import names_in
from .._tally.tally import Tally

AnyRule = TypeVar("AnyRule", bound=RuleFile)


def first(*values: Any) -> Any:
    """Return the first that is not None: what was given, what a rule says, what is usual."""
    return next((value for value in values if value is not None), None)


def columns_of(record: dict[str, Any], data: Any, **given: Any) -> dict[str, Any]:
    """Complete the columns that were given by those of the record of a rule's fit.

    Labels and weights are taken if ``data`` has them. Nothing is taken without ``data``, where
    names mean nothing; of a tally, only the roles.
    """
    known = record.get("columns", {})
    if isinstance(given["score"], Tally):
        within = first(given["within"], known.get("within") or None)
        strata = names_in(within, "within")
        groups = [name for name in known.get("sensitive", []) if name not in strata]
        sensitive = first(given["sensitive"], groups or None)
        return {**given, "sensitive": sensitive, "within": within}
    frame = _inputs.frame_of(data)
    if frame is None:
        return given
    out = dict(given)
    for name, value in given.items():
        column = known.get(name)
        optional = name in ("label", "weight")
        if value is None and column and (not optional or column in frame):
            out[name] = column
    return out


def rule_to_audit(rule: Any, decision: Any, kind: type[AnyRule], names: str) -> AnyRule | None:
    """Return the rule of that kind, or that of a fit; None without one.

    Raises
    ------
    TypeError
        If it is something else.
    ValueError
        If there are decisions too.
    """
    found = getattr(rule, "rule", rule)
    if found is None:
        return None
    if not isinstance(found, kind):
        raise TypeError(f"rule must be {names}, not {type(found).__name__}")
    if decision is not None:
        raise ValueError("give either rule or decision, not both")
    return found
