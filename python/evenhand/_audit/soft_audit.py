"""Audits where groups are known by probabilities only."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core, _criteria, _files, _inputs, _options, _tables
from .._inputs import Column, Columns
from .._inputs.rows import Rows
from .._inputs.soft_columns import Roles, soft_columns
from .._report import Report, others_of
from .._rule.rule import Rule
from .._rule.soft_rule import SoftRule
from .._tables import percent
from .._tally.tally import Tally
from . import decisions as _decisions
from . import recorded as _recorded
from .limits import SoftChecked

if TYPE_CHECKING:
    from .._solve.soft import SoftFit


# A rule; columns, those with probabilities and data, as they were given; criterion, costs and null.
SoftGiven = tuple[SoftRule, dict[str, Any], tuple[Any, Any, Any], Any, dict[str, Any]]


class SoftAudit(SoftChecked):
    """Expected rates of those who belong to a group and of the others, by column and stratum.

    Made by :func:`evenhand.audit_soft`; :attr:`evenhand.SoftFit.before` and ``after`` are some
    too. Records are dictionaries with the names of the tool's JSON.

    Attributes
    ----------
    expected : bool
        There were no labels: accuracy and cost are what to expect if the scores are calibrated.
    weight, selection_rate : float
        Of everybody.
    accuracy, cost : float or None
        The share of right decisions, and the mean cost of one; None for decisions without labels.
    strata : list of dict
        For each stratum its ``columns``: the expected share of people who belong (``mean``), their
        selection rate (``rate``) and that of the ``others``; where the criterion compares others,
        further records say which rate they are ``of``.
    largest_difference, smallest_ratio : float or None
        Of the rates that are compared, between those who belong and the others; None if nothing
        can be compared.
    columns, within : list of str
        The columns with probabilities of belonging, and what strata are made of.
    before : SoftAudit or None
        Of an audit of a rule: the same by the score alone.
    excluded : int
        The number of rows that were left out for a missing value.
    """

    def __init__(
        self, record: dict[str, Any], columns: list[str], within: list[str], *,
        assumption: str, before: SoftAudit | None = None, excluded: int = 0,
    ) -> None:  # fmt: skip
        self.expected: bool = record["expected"]
        self.weight: float = record["weight"]
        self.selection_rate: float = record["selection_rate"]
        self.accuracy: float | None = record["accuracy"]
        self.cost: float | None = record["cost"]
        self.strata: list[dict[str, Any]] = record["strata"]
        self.largest_difference: float | None = record["largest_difference"]
        self.smallest_ratio: float | None = record["smallest_ratio"]
        self.columns = columns
        self.within = within
        self.before = before
        self.excluded = excluded
        self._assumption = assumption
        self._record = record
        self._given: SoftGiven | None = None

    def report(
        self,
        *,
        rule_name: str = "rule.json",
        others: Sequence[Any] | Mapping[str, Any] = (),
        sensitive: Columns = None,
        **options: Any,
    ) -> Report:
        """Report on the rule and these people: one page for those who sign off.

        Parameters
        ----------
        rule_name : str
            What the report calls the rule.
        others : list or dict of rules or fits
            To stand beside it, for soft groups or for known ones; a dict gives them names. They
            are compared by the same columns.
        sensitive : columns, optional
            The groups that others ask for, unless they are columns of ``data``.
        **options
            ``name`` (what the report calls the data), ``title`` and ``date``.

        Raises
        ------
        ValueError
            Without a rule, and for an audit that was pickled.
        """
        from .soft_compare import SoftPeople

        if self._given is None:
            raise ValueError("a report on soft groups needs a rule, and rows that were not pickled")
        rule, columns, soft, data, settings = self._given
        named = [(_options.text(rule_name, "rule_name"), rule), *others_of(others)]
        columns = {**columns, "sensitive": sensitive}
        return SoftPeople.read(named, columns, soft, data, **settings).report(**options)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle everything but the rows."""
        return {**self.__dict__, "_given": None}

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record for each column of each stratum."""
        return [
            {**stratum["stratum"], **column}
            for stratum in self.strata
            for column in stratum["columns"]
        ]

    def _summary(self) -> tuple[float, float, float, float | None]:
        """Return the figures of everybody, as they go into the record of a fit."""
        of = self._record
        return of["selection_rate"], of["accuracy"], of["cost"], of["largest_difference"]

    def to_dict(self) -> dict[str, Any]:
        """Return it as the tool's JSON has it."""
        return self._record

    def to_json(self) -> str:
        """Return :meth:`to_dict` as a text."""
        return json.dumps(self._record, indent=2) + "\n"

    def save(self, path: _files.PathLike) -> None:
        """Write :meth:`to_json` into a file."""
        _files.write_text(path, self.to_json())

    def to_frame(self) -> Any:
        """Return :meth:`records` as a pandas frame, or a polars one if pandas is missing."""
        return _tables.to_frame(self.records())

    def __eq__(self, other: object) -> bool:
        """Whether all figures are the same."""
        return isinstance(other, SoftAudit) and (self._record, self.before) == (
            other._record,
            other.before,
        )

    __hash__ = None  # type: ignore[assignment]

    def _table(self) -> tuple[list[str], list[list[str]]]:
        pairs = self.records()
        plain = all("of" not in pair for pair in pairs)
        header = [*self.within, "column", *([] if plain else ["rate"]), "belong"]
        header += ["selected" if plain else "those who do", "others"]
        rows = [
            [
                *(pair[name] for name in self.within),
                pair["column"],
                *([] if plain else [pair.get("of", "selection_rate").replace("_", " ")]),
                *(percent(pair[key]) for key in ("mean", "rate", "others")),
            ]
            for pair in pairs
        ]
        return header, rows

    def _head(self) -> str:
        note = " (expected, if the scores are calibrated)" if self.expected else ""
        accuracy = "" if self.accuracy is None else f"accuracy {percent(self.accuracy)}{note}, "
        return (
            f"{accuracy}selected {percent(self.selection_rate)}, "
            f"largest difference {percent(self.largest_difference)}"
        )

    def __repr__(self) -> str:
        """Show a line for each column."""
        table = _tables.text_table(*self._table())
        return "\n\n".join([self._head(), table, self._assumption])

    def _repr_html_(self) -> str:
        head, assumption = map(_tables.html_lines, (self._head(), self._assumption))
        return head + _tables.html_table(*self._table()) + assumption


def audit_rows(
    rows: Rows, *,
    rule: SoftRule | None = None, roles: Roles,
    criterion: str = "statistical-parity",
    within: list[str] | None = None, made: bool = False,
    scale: str, favorable: str,
    cost_fp: float, cost_fn: float,
) -> SoftAudit:  # fmt: skip
    """Audit the decisions by the score alone, those of a rule, or (``made``) the scores themselves.

    ``roles`` and ``within`` have the names of columns to be audited, where a rule needs others too;
    ``criterion`` compares the rates.
    """
    names = list(dict.fromkeys(roles[0] + roles[1] + roles[2]))
    strata = rows.within if within is None else within
    options = (
        rows.weight,
        rows.label,
        _options.text(scale, "scale"),
        _options.text(favorable, "favorable"),
        _options.number(cost_fp, "cost_fp"),
        _options.number(cost_fn, "cost_fn"),
    )

    def audited(q: _core.Numbers | None, before: SoftAudit | None) -> SoftAudit:
        record = _core.audit_soft(
            rows.score,
            [column for column in rows.soft if column.name in names],
            [attribute for attribute in rows.attributes if attribute.name in strata],
            q,
            *options,
            made,
            criterion,
            roles,
        )
        return SoftAudit(
            record,
            names,
            strata,
            assumption=_core.soft_assumption(criterion, not roles[0]),
            before=before,
            excluded=rows.source.excluded,
        )

    base = audited(None, None)
    if rule is None:
        return base
    q = rule._core.probability(
        rows.score,
        [column for column in rows.soft if column.name in rule.columns],
        [attribute for attribute in rows.attributes if attribute.name in rule.attributes],
        "error",
    )
    return audited(_inputs.numbers(q, "probability"), base)


def audit_soft(
    score: Column = None, soft: Columns = None, *,
    within: Columns = None, label: Column = None, weight: Column = None, data: Any = None,
    rule: SoftRule | SoftFit | None = None,
    decision: Column = None,
    criterion: str | None = None,
    soft_favorable: Columns = None, soft_unfavorable: Columns = None,
    scale: str | None = None, favorable: str | None = None,
    cost_fp: float | None = None, cost_fn: float | None = None,
    null: str | None = None,
) -> SoftAudit:  # fmt: skip
    """Audit scores, a rule or decisions where groups are known by probabilities only.

    Parameters
    ----------
    score : column
        The model's scores; not with ``decision``.
    soft : columns
        The probability that somebody belongs to a group: those who do are compared with those who
        do not, in expectation. The columns of the rule by default.
    rule : SoftRule or SoftFit, optional
        Audit its decisions; :attr:`SoftAudit.before` then has those by the score alone.
    criterion : str, optional
        Compare its rates: those of the rule's criterion by default, or else selection rates. Rates
        given the outcome take labels, or what the scores promise.
    soft_favorable, soft_unfavorable : columns, optional
        As for :func:`evenhand.fit_soft`.
    within, label, weight, data, decision, scale, favorable, cost_fp, cost_fn, null
        As for :func:`evenhand.audit`.

    Returns
    -------
    SoftAudit
        The rates of those who belong and of the others, expected, and their differences.

    Examples
    --------
    >>> import evenhand
    >>> audit = evenhand.audit_soft([0.2, 0.8], {"p_f": [0.75, 0.25]})
    >>> audit.largest_difference
    0.5
    """
    if isinstance(getattr(rule, "rule", rule), Rule):
        raise TypeError("this is a rule for known groups: use evenhand.audit")
    rule = _recorded.rule_to_audit(rule, decision, SoftRule, "a SoftRule or a SoftFit")
    if isinstance(score, Tally):
        raise TypeError("soft groups need rows, not a tally")
    frame = _inputs.frame_of(data)
    record: dict[str, Any] = {}
    policy = "error" if null is None else null
    if rule is not None:
        record = rule.record
        named = _recorded.columns_of(
            record, data, score=score, within=within, label=label, weight=weight
        )
        score, within, label, weight = named.values()
        scale, favorable = scale or rule.scale, favorable or rule.favorable
        policy = rule.null if null is None and rule.null else policy
        criterion = criterion or _criterion_in(record)
        unnamed = soft is None and soft_favorable is None and soft_unfavorable is None
        if unnamed and frame is not None:
            soft, soft_favorable, soft_unfavorable = fitted_columns(record, rule, frame)
    if decision is not None:
        if score is not None:
            raise ValueError("give either score or decision, not both")
        score, scale = _decisions.made(decision, frame, policy), None
    if score is None:
        raise ValueError("score is missing: give the model's scores, or decision=")
    audited, roles = soft_columns(soft, soft_favorable, soft_unfavorable, frame)
    strata = _inputs.columns(within, frame, "within")
    cells = {column.name: column.values for column in strata}
    needed = with_the_rules(cells, rule.attributes if rule else [], frame, "within")
    columns = with_the_rules(audited, rule.columns if rule else [], frame, "soft")
    rows = Rows.read(score, None, needed, label, weight, data, policy, soft=columns)
    costs = {
        "cost_fp": _recorded.first(cost_fp, record.get("cost_fp"), 1.0),
        "cost_fn": _recorded.first(cost_fn, record.get("cost_fn"), 1.0),
    }
    out = audit_rows(
        rows,
        rule=rule,
        roles=roles,
        criterion=_criteria.soft_name(criterion),
        within=[column.name for column in strata],
        made=decision is not None,
        scale=scale or "probability",
        favorable=favorable or "high",
        **costs,
    )
    if rule is not None:
        given = {"score": score, "within": within, "label": label, "weight": weight}
        settings = {**costs, "criterion": criterion, "null": policy}
        out._given = rule, given, (soft, soft_favorable, soft_unfavorable), data, settings
    return out


def _criterion_in(record: dict[str, Any]) -> str | None:
    name: str | None = record.get("criterion", {}).get("name")
    return name.removeprefix("soft-") if name and name.startswith("soft-") else None


def fitted_columns(
    record: dict[str, Any], rule: SoftRule, frame: _inputs.Frame
) -> tuple[list[str] | None, list[str] | None, list[str] | None]:
    """Return the columns of the fit, those of everybody as far as the frame has them."""
    known = record.get("columns", {})
    if known.get("soft_favorable") or known.get("soft_unfavorable"):
        return None, known.get("soft_favorable"), known.get("soft_unfavorable")
    soft = [name for name in known.get("soft", []) if name in frame]
    return soft + [name for name in rule.columns if name not in soft], None, None


def with_the_rules(
    given: dict[str, Any], needed: list[str], frame: _inputs.Frame | None, role: str
) -> dict[str, Any] | None:
    """Add what the rule needs beside the columns that are audited."""
    out = dict(given)
    for name in needed:
        if name not in out and frame is None:
            raise ValueError(f"the rule needs the column {name!r}: give it by its name in {role}")
        if name not in out and frame is not None:
            out[name] = frame.column(name)
    return out or None
