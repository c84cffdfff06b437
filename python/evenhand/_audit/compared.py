"""Rules side by side, as records and tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _tables
from .._report import Report


class Compared:
    """What comparisons of rules for known and for soft groups have in common."""

    expected: bool

    def __init__(self, record: dict[str, Any], reporting: Callable[..., Report]) -> None:
        self._record = record
        self._reporting: Callable[..., Report] | None = reporting
        self.rules: list[dict[str, Any]] = record["rules"]
        self.before: dict[str, Any] = record["before"]
        self.names: list[str] = [rule["name"] for rule in self.rules]

    def records(self) -> list[dict[str, Any]]:
        """Return one record for the score alone and one for each rule."""
        raise NotImplementedError

    def changes(self) -> list[dict[str, Any]]:
        """Return whom each rule decides unlike the first."""
        raise NotImplementedError

    def report(self, **options: Any) -> Report:
        """Report on these rules: one page for those who sign off. The first is its subject.

        Parameters
        ----------
        **options
            ``name`` (what the report calls the data), ``title`` and ``date``; for known groups also
            ``categories``, ``smallest_category``, ``tolerances``, ``bins`` and ``threads``, as of
            :meth:`Audit.report`.

        Raises
        ------
        ValueError
            For a comparison that was pickled.
        """
        if self._reporting is None:
            raise ValueError("a comparison that was pickled has no rows: report before pickling")
        return self._reporting(**options)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle everything but the rows."""
        return {**self.__dict__, "_reporting": None}

    def to_dict(self) -> dict[str, Any]:
        """Return it as the tool's JSON has it."""
        return self._record

    def to_frame(self, *, changes: bool = False) -> Any:
        """Return :meth:`records`, or :meth:`changes`, as a pandas frame or a polars one."""
        return _tables.to_frame(self.changes() if changes else self.records())

    def _table(self) -> tuple[list[str], list[list[str]]]:
        lines = self.records()
        shown = {"cost": ".5g", "smallest_ratio": ".3f", "to_yes": ".1f", "to_no": ".1f"}

        def cell(name: str, value: Any) -> str:
            if value is None:
                return "-"
            if isinstance(value, bool):
                return "yes" if value else "no"
            return format(value, shown[name]) if name in shown else _tables.percent(value)

        names = [name for name in lines[-1] if name != "rule"]
        header = ["", *(line["rule"] for line in lines)]
        return header, [
            [name.replace("_", " ", 2), *(cell(name, line.get(name)) for line in lines)]
            for name in names
            if any(line.get(name) is not None for line in lines)
        ]

    def _note(self) -> str:
        if not self.expected:
            return ""
        return "accuracy and cost are expected, if the scores are calibrated"

    def __repr__(self) -> str:
        """Show a column for each rule."""
        return "\n\n".join(filter(None, (_tables.text_table(*self._table()), self._note())))

    def _repr_html_(self) -> str:
        note = self._note()
        return _tables.html_table(*self._table()) + (_tables.html_lines(note) if note else "")
