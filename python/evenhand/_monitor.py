"""Monitor: whether a rule is still fair, batch after batch."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core, _files, _inputs, _options, _tables
from ._audit import decisions as _decisions
from ._audit.recorded import first
from ._inputs import Columns
from ._rule.rule import Rule
from ._tally.as_tally import Given, as_tally
from ._tally.tally import Tally

if TYPE_CHECKING:
    from ._solve.found import Fit


class Monitor:
    """Watch whether the rates of groups are still within a tolerance.

    Evidence against it grows from batch to batch. It is valid however often one looks: while the
    difference stays within the tolerance, an alarm is ever raised with a probability of at most
    ``1 - confidence``.

    Parameters
    ----------
    rule : Rule or Fit, optional
        What decides. Without a rule, ``decision`` names a column of decisions.
    tolerance : float
        How far the rates of groups may differ.
    confidence : float
        1 minus the chance of a false alarm, ever.
    period : str, optional
        The column that says which batch a row belongs to, in the order of its values; without it,
        :meth:`add` takes the name of the batch.
    score, sensitive, within, decision : names of columns, optional
        Those of the rule by default.
    criterion : str, optional
        Watch the rates of this criterion: by default the rule's, or selection rates.
    label : str, optional
        The column of outcomes, for a criterion of label rates; the rule's by default.
    null : str, optional
        Missing values, as for :func:`evenhand.fit`; by default as the rule was fitted.
    state : str or path, optional
        A file: continue from it if it exists, and keep the state in it after each batch. The tool's
        ``--state`` is the same file.

    Attributes
    ----------
    looks : list of dict
        What was known after each batch, with the names of the tool's JSON.
    alarm : bool
        Whether there has been one.

    Examples
    --------
    >>> import evenhand
    >>> watch = evenhand.Monitor(tolerance=0.1, sensitive="sex", decision="yes")
    >>> january = {"sex": ["F", "M"] * 50, "yes": [0, 1] * 50}
    >>> watch.add(january, name="2025-01").add(january, name="2025-02").alarm
    True
    """

    def __init__(
        self, rule: Rule | Fit | None = None, *,
        tolerance: float,
        confidence: float = 0.95, period: str | None = None, score: str | None = None,
        sensitive: Columns = None,
        within: Columns = None,
        decision: str | None = None,
        criterion: str | None = None,
        label: str | None = None,
        null: str | None = None, state: _files.PathLike | None = None,
    ) -> None:  # fmt: skip
        found = getattr(rule, "rule_", getattr(rule, "rule", rule))
        if found is not None and not isinstance(found, Rule):
            raise TypeError(f"rule must be a Rule or a Fit, not {type(rule).__name__}")
        if (found is None) == (decision is None):
            raise ValueError("give either the rule to monitor, or decision, a column's name")
        self._rule: Rule | None = found
        known = {} if found is None else found.record.get("columns", {})
        self._score = first(score, known.get("score") or None)
        self._sensitive = first(sensitive, known.get("sensitive") or None)
        self._within = first(within, known.get("within") or None)
        self._decision = None if decision is None else _options.text(decision, "decision")
        of_rule = {} if found is None else found.record.get("criterion", {})
        self._criterion: str = first(criterion, of_rule.get("name"), "")
        self._label = None
        if _core.Monitor.needs_labels(_options.text(self._criterion, "criterion")):
            self._label = first(label, known.get("label") or None)
        self._period = None if period is None else _options.text(period, "period")
        self._null = first(null, None if found is None else found.null, "error")
        self._state = state
        numbers = _options.number(tolerance, "tolerance"), _options.number(confidence, "confidence")
        self._core = _core.Monitor(
            *numbers, None if found is None else found._core, decision or "", self._criterion
        )
        if state is not None and Path(state).exists():
            try:
                self._core = self._core.continued(_files.read_text(state))
            except ValueError as error:
                raise ValueError(f"{os.fspath(state)}: {error}") from None

    @property
    def looks(self) -> list[dict[str, Any]]:
        """What was known after each batch."""
        looks: list[dict[str, Any]] = self._core.record()["batches"]
        return looks

    @property
    def alarm(self) -> bool:
        """Whether there has been an alarm."""
        return self._core.alarm

    def add(self, batch: Any, *, name: str | None = None) -> Monitor:
        """Look at a batch.

        Parameters
        ----------
        batch : frame, dict of columns or Tally
            The people of the batch; with ``period``, of one or more batches.
        name : str, optional
            Of the batch, unless ``period`` names a column. Batches come in the order of their
            names: "2025-01", "2025-02".

        Returns
        -------
        Monitor
            Itself.

        Raises
        ------
        ValueError
            For a batch that was seen before, or comes before the last one.
        """
        if (name is None) == (self._period is None):
            raise ValueError(
                "name the batch: name='2025-01', or the column that does, period= of the Monitor"
            )
        tally = self._tally(batch)
        within = [one for one in tally.within if one != self._period]
        rule = None if self._rule is None else self._rule._core
        named = "" if name is None else _options.text(name, "name")
        self._core.add(
            tally._core, tally.sensitive, within, rule, self._criterion, self._period or "", named
        )
        if self._state is not None:
            self.save(self._state)
        return self

    def _tally(self, batch: Any) -> Tally:
        also = [] if self._rule is None else self._rule.attributes
        if isinstance(batch, Tally):
            within = first(self._within, batch.within) or []
            if self._period:
                within = [*([within] if isinstance(within, str) else within), self._period]
            given = Given(within=within or None)
            return as_tally(batch, self._sensitive, given, needed=True, also=also)
        frame = _inputs.frame_of(batch)
        strata = _inputs.columns(self._within, frame, "within")
        if self._period is not None:
            strata += _inputs.columns(self._period, frame, "period")
        groups = _inputs.columns(self._sensitive, frame, "sensitive")
        if self._rule is not None:
            known = {column.name for column in (*groups, *strata)}
            missing = [one for one in self._rule.attributes if one not in known]
            groups += _inputs.columns(missing, frame, "sensitive") if missing else []
        if not groups:
            raise ValueError("sensitive is missing: say who belongs to which group")
        columns, within = ({c.name: c.values for c in of} for of in (groups, strata))
        if self._rule is None:
            score = _decisions.made(self._decision, frame, self._null)
            reading: tuple[str | None, str | None] = (None, None)
        else:
            if self._score is None:
                raise ValueError("score is missing: give the name of its column")
            score = _inputs.resolved(self._score, frame, "score")
            reading = (self._rule.scale, self._rule.favorable)
        label = _inputs.resolved(self._label, frame, "label")
        given = Given(within or None, label, None, None, *reading, None, self._null)
        return as_tally(score, columns, given, needed=True)

    def to_json(self) -> str:
        """Return the state, to continue from."""
        return self._core.to_json()

    def save(self, path: _files.PathLike) -> None:
        """Write the state into a file, to continue from with ``state=``."""
        _files.write_text(path, self.to_json())

    def to_dict(self) -> dict[str, Any]:
        """Return what the tool's ``monitor --json`` prints."""
        return self._core.record()

    def to_frame(self) -> Any:
        """Return :attr:`looks` as a pandas frame, or a polars one if pandas is missing."""
        return _tables.to_frame(self.looks)

    def plot(self, ax: Any = None) -> Any:
        """Draw the evidence against time: :func:`evenhand.plot_monitor`."""
        from .plot import plot_monitor

        return plot_monitor(self, ax)

    def _table(self) -> tuple[list[str], list[list[str]]]:
        header = ["batch", "people", "difference", "evidence", "at most", "mean score"]
        return [*header, "shares moved"], [
            [
                look["batch"],
                f"{look['rows']:,.10g}",
                _tables.percent(look["difference"], 1),
                f"{math.exp(min(700.0, look['log_evidence'])):.3g}",
                _tables.percent(look["difference_at_most"], 1),
                "-" if look["mean_score"] is None else f"{look['mean_score']:.4g}",
                _tables.percent(look["largest_share_change"], 1),
            ]
            for look in self.looks
        ]

    def _verdict(self) -> str:
        of = self._core.record()
        tolerance = f"{100 * of['tolerance']:.6g} %"
        if not self.alarm:
            return f"No alarm: these batches do not show a difference above {tolerance}."
        times = f"{1 / (1 - of['confidence']):.3g}"
        return (
            f"The difference has been above {tolerance} in at least one batch (at most 1 false "
            f"alarm in {times}, however often you look)."
        )

    def __repr__(self) -> str:
        """Show a line for each batch, and the verdict."""
        return _tables.text_table(*self._table()) + "\n\n" + self._verdict()

    def _repr_html_(self) -> str:
        return _tables.html_table(*self._table()) + _tables.html_lines(self._verdict())
