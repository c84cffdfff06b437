"""compare, where a rule is for groups that are known by probabilities only."""

from __future__ import annotations

from typing import Any

from .. import _core, _criteria, _inputs, _options, _tables
from .._inputs.rows import Rows
from .._inputs.soft_columns import soft_columns
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

    def __init__(self, record: dict[str, Any], assumption: str) -> None:
        super().__init__(record)
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


def compare_soft(
    named: dict[str, Rule | SoftRule],
    columns: dict[str, Any],
    soft: tuple[Any, Any, Any],
    data: Any,
    *,
    criterion: str | None,
    cost_fp: float | None,
    cost_fn: float | None,
    null: str | None,
) -> SoftComparison:
    """Put rules side by side by columns with probabilities: those of the first rule with some."""
    if any(isinstance(one, Tally) for one in columns.values()):
        raise TypeError("soft groups need rows, not a tally")
    rules = list(named.values())
    first = rules[0]
    owner = next(rule for rule in rules if isinstance(rule, SoftRule))
    frame = _inputs.frame_of(data)
    for name, rule in named.items():
        if (rule.scale, rule.favorable) != (first.scale, first.favorable):
            raise ValueError(f"{name} reads scores otherwise than {next(iter(named))}")
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
    within = [column.name for column in strata]
    record = first.record
    # As far as it says which rates are compared, the criterion of any rule will do.
    known = record.get("criterion", {}).get("name", "").removeprefix("soft-")
    name = _criteria.soft_name(criterion)
    if criterion is None and known not in ("", "requirements"):
        name = known
    cost_fp = _options.number(_recorded.first(cost_fp, record.get("cost_fp"), 1.0), "cost_fp")
    cost_fn = _options.number(_recorded.first(cost_fn, record.get("cost_fn"), 1.0), "cost_fn")
    decisions = [_inputs.numbers(_decided(rule, rows), "probability") for rule in rules]

    def found(q: _core.Numbers | None) -> dict[str, Any]:
        return _core.audit_soft(
            rows.score,
            [column for column in rows.soft if column.name in audited],
            [attribute for attribute in rows.attributes if attribute.name in within],
            q,
            rows.weight,
            rows.label,
            first.scale,
            first.favorable,
            cost_fp,
            cost_fn,
            False,
            name,
            roles,
            None if q is None else decisions[0],
        )

    sides = [
        {"name": title, "needs_group": _needs_group(rule, within), **found(q)}
        for (title, rule), q in zip(named.items(), decisions, strict=True)
    ]
    beside: dict[str, Any] = {"rows": rows.source.rows}
    if rows.source.excluded:
        beside["excluded"] = rows.source.excluded
    beside |= {"soft": list(audited), "within": within, "before": found(None), "rules": sides}
    return SoftComparison(beside, _core.soft_assumption(name, not roles[0]))


def _decided(rule: Rule | SoftRule, rows: Rows) -> Any:
    known = {attribute.name: attribute for attribute in rows.attributes}
    attributes = [known[name] for name in rule.attributes]
    if isinstance(rule, SoftRule):
        columns = [column for column in rows.soft if column.name in rule.columns]
        return rule._core.probability(rows.score, columns, attributes, "error")
    return rule._core.probability(rows.score, attributes, "error")


def _needs_group(rule: Rule | SoftRule, within: list[str]) -> bool:
    """Whether a rule asks for a group: by its record, or for anything but strata."""
    if isinstance(rule, SoftRule):
        return False
    known = rule.record.get("columns", {}).get("sensitive")
    return any(name not in within if known is None else name in known for name in rule.attributes)
