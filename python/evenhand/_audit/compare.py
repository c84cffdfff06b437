"""compare: several rules about the same people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import _core, _criteria, _options, _tables
from .._inputs import Column, Columns
from .._report import Report, report_of
from .._rule.rule import Rule
from .._rule.soft_rule import SoftRule
from .._tally.as_tally import Given, squares_of, tally_and_rows
from .._tally.tally import Tally
from . import recorded as _recorded
from .audit import RATES, scope_of
from .compared import Compared
from .soft_compare import SoftComparison, SoftPeople

if TYPE_CHECKING:
    from .._solve.found import Fit
    from .._solve.soft import SoftFit


class Comparison(Compared):
    """Several rules side by side, and who is decided differently.

    Made by :func:`evenhand.compare`.

    Attributes
    ----------
    names : list of str
        Of the rules.
    expected : bool
        There were no labels: accuracy and cost are what to expect if the scores are calibrated.
    rules : list of dict
        The audit of each rule, with the names of the tool's JSON.
    before : dict
        The audit of the decisions by the score alone.
    """

    def __init__(self, record: dict[str, Any], reporting: Callable[..., Report]) -> None:
        super().__init__(record, reporting)
        self.expected: bool = self.before["views"][0]["expected"]

    def records(self) -> list[dict[str, Any]]:
        """Return one record for the score alone and one for each rule.

        Beside figures of everybody, they have the largest difference and the smallest ratio, the
        rates of each group (``"selection_rate, sex=F"``), whether each requirement holds, and how
        many people the rule decides unlike the first one.
        """
        out = []
        for rule in ({"name": "score alone", "needs_group": False, **self.before}, *self.rules):
            overall = rule["views"][0]["overall"]
            line: dict[str, Any] = {"rule": rule["name"]}
            known = ("accuracy", "cost", *RATES)
            line |= {name: overall[name] for name in known if name in overall}
            for name in ("largest_difference", "smallest_ratio"):
                line[name] = rule[name]
            line["lottery_share"] = rule["views"][0]["lottery_share"]
            line["needs_group"] = rule["needs_group"]
            changed = rule.get("changed", {})
            line["to_yes"], line["to_no"] = changed.get("to_yes"), changed.get("to_no")
            for one in rule.get("requirements", []):
                line[one["requirement"] if "requirement" in one else one["text"]] = one["holds"]
            line |= self._rates(rule)
            out.append(line)
        return out

    @staticmethod
    def _rates(rule: dict[str, Any]) -> dict[str, Any]:
        return {
            f"{rate}, {_tables.values_in_words({**group['group'], **stratum['stratum']})}": value
            for view in rule["views"]
            for stratum in view["strata"]
            for group in stratum["groups"]
            for rate in rule["compared"]
            if (value := group.get(rate)) is not None
        }

    def changes(self) -> list[dict[str, Any]]:
        """Return whom each rule decides unlike the first: one record for each rule and cell."""
        return [
            {"rule": rule["name"], **change["cell"]}
            | {name: change[name] for name in ("weight", "to_yes", "to_no")}
            for rule in self.rules[1:]
            for change in rule["changes"]
        ]


def _named(rules: Any) -> dict[str, Rule | SoftRule]:
    if isinstance(rules, Mapping):
        named = {str(name): rule for name, rule in rules.items()}
    else:
        given = list(rules) if isinstance(rules, Sequence) else [rules]
        named = {f"rule {i + 1}": rule for i, rule in enumerate(given)}
    if not named:
        raise ValueError("there are no rules to compare")
    out: dict[str, Rule | SoftRule] = {}
    for name, rule in named.items():
        found = getattr(rule, "rule_", getattr(rule, "rule", rule))  # of a classifier or a Fit
        if not isinstance(found, (Rule, SoftRule)):
            raise TypeError(f"{name} must be a Rule or a Fit, not {type(rule).__name__}")
        out[name] = found
    return out


def compare(
    rules: Mapping[str, Rule | Fit | SoftRule | SoftFit]
    | Sequence[Rule | Fit | SoftRule | SoftFit],
    score: Column | Tally = None,
    sensitive: Columns = None,
    *,
    within: Columns = None,
    label: Column = None,
    weight: Column = None,
    data: Any = None,
    criterion: str | None = None,
    across: str | None = None,
    require: str | Sequence[str] = (),
    unseen: str = "error",
    min_group: float = 0.0,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    base_threshold: float | None = None,
    null: str | None = None,
    threads: int = 0,
    soft: Columns = None,
    soft_favorable: Columns = None,
    soft_unfavorable: Columns = None,
) -> Comparison | SoftComparison:
    """Put several rules side by side, about the same people.

    Parameters
    ----------
    rules : dict or list of Rule, Fit, SoftRule or SoftFit
        What to compare; a dict gives them names. The first is the one that others are compared
        with: who is decided differently.
    score, sensitive, within, label, weight, data, criterion, across, require, unseen, min_group
        As for :func:`evenhand.audit`; those of the first rule by default. The rules must agree on
        the scale of scores.
    cost_fp, cost_fn, base_threshold, null, threads
        As for :func:`evenhand.audit`.
    soft, soft_favorable, soft_unfavorable : columns, optional
        As for :func:`evenhand.audit_soft`, where a rule is for soft groups: those of the first such
        rule by default. All rules are then compared by these columns; rules for known groups need
        their groups too, and ``across``, ``require``, ``unseen``, ``min_group`` and
        ``base_threshold`` do not apply.

    Returns
    -------
    Comparison, or SoftComparison if a rule is for soft groups

    Examples
    --------
    >>> import evenhand
    >>> score, sex = [0.2, 0.4, 0.6, 0.8], {"sex": ["F", "F", "M", "M"]}
    >>> rules = {
    ...     name: evenhand.fit(score, sex, criterion="statistical-parity", blind=blind)
    ...     for name, blind in (("by group", False), ("blind", True))
    ... }
    >>> found = evenhand.compare(rules, score, sex)
    >>> [(line["rule"], line["needs_group"]) for line in found.records()]
    [('score alone', False), ('by group', True), ('blind', False)]
    """
    named = _named(rules)
    first = next(iter(named.values()))
    record = first.record
    known = record.get("criterion", {})
    columns = _recorded.columns_of(
        record, data, score=score, sensitive=sensitive, within=within, label=label, weight=weight
    )
    if columns["score"] is None:
        raise ValueError("score is missing: give the model's scores")
    belonging = (soft, soft_favorable, soft_unfavorable)
    if any(isinstance(rule, SoftRule) for rule in named.values()):
        beside = {"across": across, "require": require, "base_threshold": base_threshold}
        beside |= {"unseen": unseen != "error", "min_group": min_group != 0}
        for name, value in beside.items():
            if value:
                raise ValueError(f"rules for soft groups cannot be combined with {name}")
        for rule in list(named.values())[1:]:  # as the tool does: until groups are named
            more = _recorded.columns_of(rule.record, data, **columns)
            named_groups = columns["sensitive"] is not None
            columns = {**columns, "label": more["label"]} if named_groups else more
        people = SoftPeople.read(
            named.items(), columns, belonging, data,
            criterion=criterion, cost_fp=cost_fp, cost_fn=cost_fn, null=null,
        )  # fmt: skip
        return people.comparison()
    if any(one is not None for one in belonging):
        raise ValueError("these are rules for known groups: compare them without soft columns")
    known_rules = [rule for rule in named.values() if isinstance(rule, Rule)]
    rows = not isinstance(score, Tally)
    policy = _recorded.first(null, first.null if rows else None, "error")
    roles = (columns["within"], columns["label"], columns["weight"], data)
    reading = (first.scale, first.favorable, None)
    also = [name for rule in known_rules for name in rule.attributes]
    given = Given(*roles, *reading, policy, _options.threads(threads))
    tally, read = tally_and_rows(
        columns["score"], columns["sensitive"], given, needed=True, also=also
    )
    if criterion is None and known.get("name") != "requirements":
        criterion = known.get("name")
    built = None
    if criterion:
        built = _criteria.build(criterion, tally.sensitive, tally.within)
        if not tally.labelled and any(rate != RATES[0] for rate in built.rates):
            built = None
    asked = require or known.get("require", ())
    scope = scope_of(
        tally,
        across=across or known.get("across") or "intersection",
        rates=built.rates if built else (),
        is_ratio=built is not None and built.is_ratio,
        all_cells=built is not None and built.all_cells,
        reference=None,
        require=[asked] if isinstance(asked, str) else asked,
    )
    options = _core.audit_options(
        cost_fp=_options.number(_recorded.first(cost_fp, record.get("cost_fp"), 1.0), "cost_fp"),
        cost_fn=_options.number(_recorded.first(cost_fn, record.get("cost_fn"), 1.0), "cost_fn"),
        base_threshold=_options.optional_number(
            _recorded.first(base_threshold, record.get("base_threshold")), "base_threshold"
        ),
        confidence=0.95,
        calibrator=None,
        calibration_bins=0,
        unseen=_options.text(unseen, "unseen"),
        decisions=False,
        min_group=_options.number(min_group, "min_group"),
        squares=squares_of(read, tally),
    )
    found = _core.side_by_side(
        tally._core,
        scope,
        [rule._core for rule in known_rules],
        list(named),
        options,
        tally._source,
        [rule._record_text() for rule in known_rules],
        tally._rows() or 0,
        tally.excluded,
    )
    (called, subject), *others = zip(named, known_rules, strict=True)
    judged = built if criterion != known.get("name") else None
    reporting = partial(
        report_of, tally, [subject], options, judged, rule_name=called, others=dict(others)
    )
    return Comparison(found, reporting)
