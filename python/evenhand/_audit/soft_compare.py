"""compare, where a rule is for groups that are known by probabilities only."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .. import _core, _criteria, _inputs, _options, _tables
from .._inputs.rows import Rows
from .._inputs.soft_columns import Roles, soft_columns
from .._report import Report
from .._rule.rule import Rule
from .._rule.soft_rule import SoftRule
from .._tally.tally import Tally
from . import recorded as _recorded
from .compared import Compared
from .soft_audit import fitted_columns, with_the_rules


class SoftComparison(Compared):
    """Rules side by side where groups are known by probabilities only.

    Made by :func:`evenhand.compare` if a rule is a :class:`SoftRule`; rules for known groups may
    stand beside it.

    Attributes are those of :class:`Comparison`.
    """

    def __init__(
        self, record: dict[str, Any], assumption: str, reporting: Callable[..., Report]
    ) -> None:
        super().__init__(record, reporting)
        self.expected: bool = self.before["expected"]
        self._assumption = assumption

    def records(self) -> list[dict[str, Any]]:
        """Return one record for the score alone and one for each rule.

        Beside figures of everybody, they have the expected rates of those who belong
        (``"selection_rate, p_f"``) and of the others, and how many people the rule decides unlike
        the first one.
        """
        out = []
        alone = {"name": "score alone", "needs_group": False, "lottery_share": 0.0}
        for rule in ({**alone, **self.before}, *self.rules):
            line: dict[str, Any] = {"rule": rule["name"]}
            for name in ("accuracy", "cost", "selection_rate", "largest_difference",
                         "smallest_ratio", "lottery_share", "needs_group"):  # fmt: skip
                line[name] = rule[name]
            changed = rule.get("changed", {})
            line["to_yes"], line["to_no"] = changed.get("to_yes"), changed.get("to_no")
            for stratum in rule["strata"]:
                where = _tables.values_in_words(stratum["stratum"]) if stratum["stratum"] else ""
                for pair in stratum["columns"]:
                    name = f"{pair.get('of', 'selection_rate')}, {pair['column']}"
                    name += f", {where}" if where else ""
                    line[name], line[f"{name}, others"] = pair["rate"], pair["others"]
            out.append(line)
        return out

    def changes(self) -> list[dict[str, Any]]:
        """Return whom each rule decides unlike the first: one record for each rule and column."""
        return [
            {"rule": rule["name"]}
            | {name: change[name] for name in ("column", "weight", "to_yes", "to_no")}
            for rule in self.rules[1:]
            for change in rule["changes"]
        ]

    def _note(self) -> str:
        return "\n".join(filter(None, (super()._note(), self._assumption)))


@dataclass(frozen=True)
class SoftPeople:
    """Rows whose groups are known by probabilities only, and rules that decide about them."""

    rules: list[tuple[str, Rule | SoftRule]]
    rows: Rows
    roles: Roles
    within: list[str]
    asked: str | None  # the criterion, unless it is that of the first rule
    costs: tuple[float, float]

    @classmethod
    def read(
        cls, named: Iterable[tuple[str, Rule | SoftRule]], columns: dict[str, Any],
        soft: tuple[Any, Any, Any], data: Any, *,
        criterion: str | None,
        cost_fp: float | None, cost_fn: float | None,
        null: str | None,
    ) -> SoftPeople:  # fmt: skip
        """Read the columns: those of the first rule with some, and all that others ask for."""
        if any(isinstance(one, Tally) for one in columns.values()):
            raise TypeError("soft groups need rows, not a tally")
        named = list(named)
        rules = [rule for _, rule in named]
        first = rules[0]
        owner = next(rule for rule in rules if isinstance(rule, SoftRule))
        frame = _inputs.frame_of(data)
        for name, rule in named:
            if (rule.scale, rule.favorable) != (first.scale, first.favorable):
                raise ValueError(f"{name} reads scores otherwise than {named[0][0]}")
        if all(one is None for one in soft) and frame is not None:
            soft = fitted_columns(owner.record, owner, frame)
        audited, roles = soft_columns(*soft, frame)
        strata = _inputs.columns(columns["within"], frame, "within")
        cells = {column.name: column.values for column in strata}
        groups = _inputs.columns(columns["sensitive"], frame, "sensitive")
        cells |= {column.name: column.values for column in groups}
        attributes = [name for rule in rules for name in rule.attributes]
        probabilities = [n for rule in rules if isinstance(rule, SoftRule) for n in rule.columns]
        rows = Rows.read(
            columns["score"],
            None,
            with_the_rules(cells, attributes, frame, "sensitive or within"),
            columns["label"],
            columns["weight"],
            data,
            _recorded.first(null, owner.null, "error"),
            soft=with_the_rules(audited, probabilities, frame, "soft"),
        )
        record = first.record
        return cls(
            rules=named,
            rows=rows,
            roles=roles,
            within=[column.name for column in strata],
            asked=None if criterion is None else _criteria.soft_name(criterion),
            costs=(
                _options.number(_recorded.first(cost_fp, record.get("cost_fp"), 1.0), "cost_fp"),
                _options.number(_recorded.first(cost_fn, record.get("cost_fn"), 1.0), "cost_fn"),
            ),
        )

    @property
    def criterion(self) -> str:
        """The criterion whose rates are compared: as far as that goes, that of any rule will do."""
        return self.asked or _core.compared_by(self.rules[0][1].to_json())

    def _columns(self) -> list[_core.Numbers]:
        names = {name for part in self.roles for name in part}
        return [column for column in self.rows.soft if column.name in names]

    def _strata(self) -> list[_core.Attribute]:
        return [one for one in self.rows.attributes if one.name in self.within]

    def _decisions(self) -> list[_core.Numbers]:
        return [_inputs.numbers(_decided(rule, self.rows), "probability") for _, rule in self.rules]

    def comparison(self) -> SoftComparison:
        """Put the rules side by side."""
        rows, first = self.rows, self.rules[0][1]
        decisions = self._decisions()

        def found(q: _core.Numbers | None) -> dict[str, Any]:
            return _core.audit_soft(
                rows.score,
                self._columns(),
                self._strata(),
                q,
                rows.weight,
                rows.label,
                first.scale,
                first.favorable,
                *self.costs,
                False,
                self.criterion,
                self.roles,
                None if q is None else decisions[0],
            )

        sides = [
            {
                "name": title,
                "needs_group": _core.asks_for_group(rule.to_json(), self.within),
                **found(q),
            }
            for (title, rule), q in zip(self.rules, decisions, strict=True)
        ]
        beside: dict[str, Any] = {"rows": rows.source.rows}
        if rows.source.excluded:
            beside["excluded"] = rows.source.excluded
        columns = list(dict.fromkeys(name for part in self.roles for name in part))
        beside |= {"soft": columns, "within": self.within, "before": found(None), "rules": sides}
        assumption = _core.soft_assumption(self.criterion, not self.roles[0])
        return SoftComparison(beside, assumption, self.report)

    def report(
        self, *, name: str = "data", title: str = "", date: str = "", **others: Any
    ) -> Report:
        """Report on the rules; the first is the subject."""
        for option in others:
            raise TypeError(f"a report on soft groups takes name, title and date, not {option}")
        rows, first = self.rows, self.rules[0][1]
        return Report(
            _core.soft_report_figures(
                score=rows.score,
                columns=self._columns(),
                within=self._strata(),
                roles=self.roles,
                weight=rows.weight,
                label=rows.label,
                rules=[(called, rule.to_json()) for called, rule in self.rules],
                q=self._decisions(),
                criterion=self.asked,
                scale=first.scale,
                favorable=first.favorable,
                cost_fp=self.costs[0],
                cost_fn=self.costs[1],
                source=rows.source,
                name=_options.text(name, "name"),
                title=_options.text(title, "title"),
                date=_options.text(date, "date"),
            )
        )


def _decided(rule: Rule | SoftRule, rows: Rows) -> Any:
    known = {attribute.name: attribute for attribute in rows.attributes}
    attributes = [known[name] for name in rule.attributes]
    if isinstance(rule, SoftRule):
        columns = [column for column in rows.soft if column.name in rule.columns]
        return rule._core.probability(rows.score, columns, attributes, "error")
    return rule._core.probability(rows.score, attributes, "error")
