"""Rows as the library takes them, and what is known of where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .. import _core, _inputs

HINT = "null='exclude' leaves such rows out"
ALSO = ", null='unknown' or another name makes groups of them"


@dataclass(frozen=True)
class Rows:
    """Columns of the same length, without missing values unless these are refused later."""

    score: _core.Numbers
    attributes: list[_core.Attribute]
    label: _core.Numbers | None
    weight: _core.Numbers | None
    soft: list[_core.Numbers]
    sensitive: list[str]
    within: list[str]
    source: _core.TallySource

    @classmethod
    def read(
        cls, score: Any, sensitive: Any, within: Any = None, label: Any = None, weight: Any = None,
        data: Any = None, null: str = "error", *,
        soft: Any = None, also: Sequence[str] = (),
    ) -> Rows:  # fmt: skip
        """Read the columns, and do with missing values what ``null`` says.

        Attributes that are ``also`` needed are read from ``data``, without a role.

        Raises
        ------
        ValueError
            For columns of different lengths, missing values, and if there are no rows.
        """
        null = _inputs.null_policy(null)
        frame = _inputs.frame_of(data)
        groups = _inputs.columns(sensitive, frame, "sensitive")
        strata = _inputs.columns(within, frame, "within")
        numbers = {
            "score": _inputs.numbers(_inputs.resolved(score, frame, "score"), "score", floats=True)
        }
        for name, value in (("label", label), ("weight", weight)):
            if value is not None:
                numbers[name] = _inputs.numbers(_inputs.resolved(value, frame, name), name)
        columns = [
            _inputs.numbers(column.values, column.name)
            for column in _inputs.columns(soft, frame, "soft")
        ]
        known = [column.name for column in groups + strata]
        others = [
            name for name in also if name not in known and frame is not None and name in frame
        ]
        named = groups + strata + _inputs.columns(others or None, frame, "attributes")
        attributes = _inputs.attributes(named, null)
        everything: list[tuple[str, Any]] = [("score", numbers["score"])]
        everything += [(one.name, one) for one in columns]
        everything += [(one.name, one) for one in attributes]
        everything += [(name, one) for name, one in numbers.items() if name != "score"]
        _inputs.same_length(everything, [] if frame else named)
        rows, excluded = len(numbers["score"]), 0
        if null != "exclude":
            counted: list[Any] = [*numbers.values(), *columns, *attributes]
            more = "" if null != "error" or not any(a.missing for a in attributes) else ALSO
            _inputs.refuse_missing(counted, HINT + more)
        if null == "exclude":
            kept, attributes, excluded = _core.complete_rows(
                [*numbers.values(), *columns], attributes, rows
            )
            numbers = dict(zip(numbers, kept, strict=False))
            columns = kept[len(numbers) :]
        if rows == excluded:
            raise ValueError("there are no rows" + (" without missing values" if excluded else ""))
        return cls(
            score=numbers["score"],
            attributes=attributes,
            label=numbers.get("label"),
            weight=numbers.get("weight"),
            soft=columns,
            sensitive=[column.name for column in groups],
            within=[column.name for column in strata],
            source=_core.TallySource(
                sensitive=[column.name for column in groups],
                within=[column.name for column in strata],
                score=_inputs.name_of(score, frame) or "",
                label=_inputs.name_of(label, frame) or "",
                weight=_inputs.name_of(weight, frame) or "",
                null=null,
                rows=rows - excluded,
                excluded=excluded,
            ),
        )
