"""What holds for people not met yet."""

from __future__ import annotations

from typing import Any

from .. import _core, _tables


class Bound:
    """How far groups may differ among new people, with a stated confidence.

    Attributes
    ----------
    value : float or None
        The largest difference is at most this (for four-fifths: the smallest ratio is at least
        this); None if there is no bound, and then ``reason`` says why.
    reason : str
        Why there is none.
    confidence : float
        How often such bounds hold, at least.
    is_ratio : bool
        The value is a ratio, else a difference.
    kind : str or None
        The argument behind it: "same-rate", "any" or "dkw".
    observed : float or None
        The same figure on these rows.
    shown : float or None
        The other side: they show, with the same confidence, that the largest difference is at
        least this (the smallest ratio at most this); 0 (1) where nothing is shown.
    strata, small : list of dict
        The bound of each stratum with the pair of groups that it comes from, and groups that are
        too small to learn much from.
    """

    def __init__(self, record: dict[str, Any], lines: list[str]) -> None:
        self.is_ratio = "ratio_at_least" in record
        self.value: float | None = record.get("ratio_at_least", record.get("difference_at_most"))
        self.reason: str = record.get("none", "")
        self.confidence: float = record["confidence"]
        self.kind: str | None = record.get("kind")
        self.shown: float | None = record.get("ratio_at_most", record.get("difference_at_least"))
        self.observed: float | None = record.get("observed")
        self.strata: list[dict[str, Any]] = record.get("strata", [])
        self.small: list[dict[str, Any]] = record.get("small", [])
        self._record = record
        self._lines = lines

    @classmethod
    def _of(cls, bound: _core.ConfidenceBound, within: list[str]) -> Bound:
        lines = [line.replace("--within", "within") for line in bound.words()]
        return cls(bound.record(within), lines)

    @classmethod
    def _none(cls, reason: str, confidence: float) -> Bound:
        line = f"No bound for new people: {reason}."
        return cls({"confidence": confidence, "none": reason}, [line])

    def to_dict(self) -> dict[str, Any]:
        """Return it as the tool's JSON has it."""
        return self._record

    def __bool__(self) -> bool:
        """Whether there is one."""
        return self.value is not None

    def __eq__(self, other: object) -> bool:
        """Whether all figures are the same."""
        return isinstance(other, Bound) and self._record == other._record

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        """Say it in words."""
        return "\n".join(self._lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _tables.html_lines(str(self))
