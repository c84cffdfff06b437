"""Rows as the library takes them, and what is known of where they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import _core, _inputs

HINT = "null='exclude' leaves such rows out"
ALSO = ", null='unknown' or another name makes groups of them"


@dataclass(frozen=True)
class Source:
    """What is known of where a tally comes from; it goes into the record of a fit."""

    score: str | None = None
    label: str | None = None
    weight: str | None = None
    null: str | None = None
    rows: int | None = None
    excluded: int = 0
    min_count: float = 0.0

    def merged(self, other: Source) -> Source:
        """Keep what both agree on."""

        def common(a: str | None, b: str | None) -> str | None:
            return a if a == b else None

        both = self.rows is not None and other.rows is not None
        return Source(
            score=common(self.score, other.score),
            label=common(self.label, other.label),
            weight=common(self.weight, other.weight),
            null=common(self.null, other.null),
            rows=self.rows + other.rows if both else None,  # type: ignore[operator]
            excluded=self.excluded + other.excluded,
            min_count=min(self.min_count, other.min_count),
        )


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
    source: Source

    @classmethod
    def read(
        cls,
        score: Any,
        sensitive: Any,
        *,
        within: Any,
        label: Any,
        weight: Any,
        data: Any,
        null: str,
        soft: Any = None,
    ) -> Rows:
        """Read the columns, and do with missing values what ``null`` says.

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
        attributes = _inputs.attributes(groups + strata, null)
        everything: list[tuple[str, Any]] = [("score", numbers["score"])]
        everything += [(one.name, one) for one in columns]
        everything += [(one.name, one) for one in attributes]
        everything += [(name, one) for name, one in numbers.items() if name != "score"]
        _inputs.same_length(everything, [] if frame else groups + strata)
        rows, excluded = len(numbers["score"]), 0
        if null != "exclude":
            counted: list[Any] = [*numbers.values(), *columns, *attributes]
            named = "" if null != "error" or not any(a.missing for a in attributes) else ALSO
            _inputs.refuse_missing(counted, HINT + named)
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
            source=Source(
                score=_inputs.name_of(score, frame),
                label=_inputs.name_of(label, frame),
                weight=_inputs.name_of(weight, frame),
                null=null,
                rows=rows - excluded,
                excluded=excluded,
            ),
        )
