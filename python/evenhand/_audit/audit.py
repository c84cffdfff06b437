"""Audits: what decisions mean for each group."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from .. import _core, _files, _options, _tables
from .._calibrate import Calibrator
from .._report import Report, report_of
from .._rule.rule import Rule
from .._solve.bound import Bound
from .._tally.tally import Tally
from .limits import Checked

RATES = ("selection_rate", "true_positive_rate", "false_positive_rate")


class Audit(Checked):
    """Rates, differences and intervals of decisions, by group, stratum and cell.

    Made by :func:`evenhand.audit`; :attr:`evenhand.Fit.before` and ``after`` are some too. Records
    are dictionaries with the names of the tool's JSON.

    Attributes
    ----------
    expected : bool
        There were no labels: accuracy, precision and cost are what to expect if the scores are
        calibrated.
    overall : dict
        Figures of everybody, with ``..._between_groups`` for each rate.
    groups, strata, cells : list of dict
        Figures of each group, of each stratum (with its own ``groups``), and of each cell.
    calibration : dict or None
        How well scores are calibrated, if it was asked for.
    sensitive, within : list of str
        What groups and strata are made of.
    rates : list of str
        The rates that are compared.
    headline : str
        The largest difference, or the smallest ratio for four-fifths, with its rate, groups and
        stratum, over all views.
    largest_difference, smallest_ratio : float or None
        Over all views and rates that are compared; None if nothing can be.
    largest_difference_between, smallest_ratio_between : dict or None
        The rate, the stratum and the two groups that they are about.
    requirements : list of dict
        Each requirement with its ``value`` on these rows, and whether it ``holds``.
    lottery_share : float
        The share of people whom a coin decides.
    unseen : list of dict
        Cells that the rule does not know, decided by ``unseen``.
    before : Audit or None
        Of an audit of a rule: the same by the base decisions.
    excluded : int
        The number of rows that were left out for a missing value.
    against_reference : list of dict
        Each group against the ``reference``, if there is one.
    bound : Bound or None
        How far groups may differ among new people, by the last decisions (a rule's, if there is
        one); None for those :attr:`before`. It is a ratio for four-fifths.
    difference_bound, ratio_bound : Bound or None
        The same for the largest difference, and for the smallest ratio.
    fitted : bool
        The rule was fitted on these very rows, and is bounded as a fit.
    tests : dict or None
        Intervals and tests of differences and ratios: ``pairs``, ``over_strata`` and
        ``largest_difference``. None for rows that the rule was fitted on.
    """

    def __init__(
        self, record: dict[str, Any], view: int = 0, *,
        text: str, before: Audit | None = None, costs: tuple[float, float] = (1.0, 1.0),
        excluded: int = 0,
    ) -> None:  # fmt: skip
        figures = record["views"][view]
        self.expected: bool = figures["expected"]
        self.overall: dict[str, Any] = figures["overall"]
        self.groups: list[dict[str, Any]] = figures["groups"]
        self.strata: list[dict[str, Any]] = figures["strata"]
        self.cells: list[dict[str, Any]] = figures["cells"]
        self.calibration: dict[str, Any] | None = figures.get("calibration")
        self.lottery_share: float = figures["lottery_share"]
        self.against_reference: list[dict[str, Any]] = figures.get("against_reference", [])
        self.sensitive: list[str] = figures["sensitive"]
        self.within: list[str] = figures["within"]
        self.rates: list[str] = record["compared"]
        self.headline: str = record["headline"]
        self.largest_difference: float | None = record["largest_difference"]
        self.smallest_ratio: float | None = record["smallest_ratio"]
        self.largest_difference_between: dict[str, Any] | None = record[
            "largest_difference_between"
        ]
        self.smallest_ratio_between: dict[str, Any] | None = record["smallest_ratio_between"]
        self.requirements: list[dict[str, Any]] = record.get("requirements", [])
        self.unseen: list[dict[str, Any]] = record.get("unseen", [])
        self.before = before
        self.excluded = excluded
        self.bound: Bound | None = None
        self.difference_bound: Bound | None = None
        self.ratio_bound: Bound | None = None
        self.fitted = False
        self.tests: dict[str, Any] | None = None
        self._costs = costs
        self._text = text
        self._others: list[Audit] = []  # without itself: that would be a cycle
        self._about: tuple[Tally, Rule | None, dict[str, Any]] | None = None

    @property
    def views(self) -> list[Audit]:
        """One audit for each grouping that is compared (``across``), this one first."""
        return [self, *self._others]

    @property
    def accuracy(self) -> float | None:
        """The share of right decisions, or what to expect of it (``expected``)."""
        value: float | None = self.overall["accuracy"]
        return value

    @property
    def cost(self) -> float | None:
        """The mean cost of a decision, or what to expect of it (``expected``)."""
        value: float | None = self.overall["cost"]
        return value

    @property
    def selection_rate(self) -> float | None:
        """The share of positive decisions."""
        value: float | None = self.overall["selection_rate"]
        return value

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record for each group of each stratum, with the ends of intervals."""
        return [
            {**stratum["stratum"], **group["group"], **_flat(group)}
            for stratum in self.strata
            for group in stratum["groups"]
        ]

    def to_json(self) -> str:
        """Return the text that the tool's ``audit --json`` prints, without the data's name."""
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """Return :meth:`to_json` as a dictionary."""
        out: dict[str, Any] = json.loads(self._text)
        return out

    def save(self, path: _files.PathLike) -> None:
        """Write :meth:`to_json` into a file."""
        _files.write_text(path, self._text)

    def __eq__(self, other: object) -> bool:
        """Whether all figures are the same, and compared alike."""
        return isinstance(other, Audit) and self._identity() == other._identity()

    __hash__ = None  # type: ignore[assignment]

    def _identity(self) -> tuple[Any, ...]:
        return self._text, self.overall, self.sensitive, self.excluded, self.before is None

    def report(self, **options: Any) -> Report:
        """Report on the same people: one page for those who sign off.

        Parameters
        ----------
        **options
            ``name`` and ``rule_name`` (what the report calls data and rule), ``others`` (rules or
            fits to stand beside, a dict with their names), ``categories``, ``smallest_category``,
            ``tolerances``, ``bins``, ``title``, ``date`` and ``threads``, as of the tool's.

        Returns
        -------
        Report
        """
        assert self._about is not None
        tally, rule, settings = self._about
        rules = [] if rule is None else [rule]
        return report_of(tally, rules, core_options(settings), **options)

    def to_frame(self) -> Any:
        """Return :meth:`records` as a pandas frame, or a polars one if pandas is missing."""
        return _tables.to_frame(self.records())

    def _take_confidence(
        self, sure: _core.AuditConfidence, tests: _core.AuditTests | None, is_ratio: bool
    ) -> None:
        within = self.within
        self.difference_bound = Bound._of(sure.difference, within)
        self.ratio_bound = Bound._of(sure.ratio, within)
        self.bound = self.ratio_bound if is_ratio else self.difference_bound
        self.fitted = sure.fitted
        self.tests = None if tests is None else tests.record()

    def _table(self) -> tuple[list[str], list[list[str]]]:
        rates = [rate for rate in RATES if any(group[rate] is not None for group in self.groups)]
        header = ["group", "people", *(rate.replace("_", " ") for rate in rates), "accuracy"]
        rows = [
            [
                _tables.values_in_words({**group["group"], **stratum["stratum"]}),
                f"{group['weight']:,.10g}",
                *(_with_interval(group, rate) for rate in rates),
                _tables.percent(group["accuracy"]),
            ]
            for stratum in self.strata
            for group in stratum["groups"]
        ]
        return header, rows

    def _head(self) -> list[str]:
        sides = [self] if self.before is None else [self.before, self]
        note = " (expected, if the scores are calibrated)" if self.expected else ""
        figures = []
        if self.accuracy is not None and self._costs[0] == self._costs[1]:
            figures.append("accuracy " + _shown(side.accuracy for side in sides) + note)
        elif self.cost is not None:
            costs = " -> ".join(f"{side.cost:.5g}" for side in sides)
            figures.append(f"cost of a decision {costs}{note}")
        figures.append("selected " + _shown(side.selection_rate for side in sides))
        lines = [", ".join(figures)]
        if self.before is not None:
            lines.append(f"before: {self.before.headline}")
        lines.append(("" if self.before is None else "after: ") + self.headline)
        for one in self.requirements:
            value = one.get("why_not") or f"{one['value']:.6g}"
            lines.append(f"{one['text']}: {value}, {'holds' if one['holds'] else 'does not hold'}")
        if self.bound is not None:
            lines += str(self.bound).splitlines()[:1]
        if any("selection_rate_interval" in group for group in self.groups):
            lines.append(
                "in brackets: intervals for each rate on its own, for decisions not fitted on "
                "these rows"
            )
        return lines

    def __repr__(self) -> str:
        """Show the headline, and a line for each group."""
        return "\n".join(self._head()) + "\n\n" + _tables.text_table(*self._table())

    def _repr_html_(self) -> str:
        return _tables.html_lines(*self._head()) + _tables.html_table(*self._table())


def _shown(shares: Iterable[float | None]) -> str:
    return " -> ".join(map(_tables.percent, shares))


def _with_interval(group: dict[str, Any], rate: str) -> str:
    text = _tables.percent(group[rate])
    if f"{rate}_interval" not in group:
        return text
    low, high = group[f"{rate}_interval"]
    return f"{text} ({100 * low:.1f}-{100 * high:.1f})"


def _flat(group: dict[str, Any]) -> dict[str, Any]:
    """Make two columns of each interval, and leave out what else is no column."""
    out: dict[str, Any] = {}
    for key, value in group.items():
        if key.endswith("_interval"):
            name = key.removesuffix("_interval")
            out[f"{name}_low"], out[f"{name}_high"] = value
        elif key not in ("group", "compared"):
            out[key] = value
    return out


def scope_of(
    tally: Tally, *,
    across: str, rates: Sequence[str], is_ratio: bool, all_cells: bool,
    reference: Sequence[str] | None,
    require: Sequence[str],
) -> _core.AuditScope:  # fmt: skip
    """Return what is compared, as the library takes it."""
    return _core.audit_scope(
        sensitive=tally.sensitive,
        within=tally.within,
        across=_options.text(across, "across"),
        rates=list(rates) or list(RATES[:1]),
        is_ratio=is_ratio,
        all_cells=all_cells,
        reference=list(reference or []),
        require=[_options.text(one, "require") for one in require],
    )


def audit_tally(
    tally: Tally, *,
    rule: Rule | None = None,
    across: str = "intersection", rates: Sequence[str] = RATES[:1], is_ratio: bool = False,
    all_cells: bool = False,
    reference: Sequence[str] | None = None,
    require: Sequence[str] = (),
    cost_fp: float = 1.0, cost_fn: float = 1.0, base_threshold: float | None = None,
    confidence: float = 0.95, calibrator: Calibrator | None = None, calibration_bins: int = 0,
    unseen: str = "error", decisions: bool = False,
    min_group: float = 0.0,
    same_rows: bool = False, squares: _core.Tally | None = None,
) -> Audit:  # fmt: skip
    """Audit a tally by the base decisions or by a rule: the first view, which has the others.

    Weighted rows: ``squares`` counts the same rows with their weights squared.
    """
    scope = scope_of(
        tally,
        across=across,
        rates=rates,
        is_ratio=is_ratio,
        all_cells=all_cells,
        reference=reference,
        require=require,
    )
    costs = _options.number(cost_fp, "cost_fp"), _options.number(cost_fn, "cost_fn")
    settings: dict[str, Any] = {
        "cost_fp": costs[0],
        "cost_fn": costs[1],
        "base_threshold": _options.optional_number(base_threshold, "base_threshold"),
        "confidence": _options.number(confidence, "confidence"),
        "calibrator": calibrator,
        "calibration_bins": _options.whole(calibration_bins, "calibration_bins", 0, 2**31 - 1),
        "unseen": _options.text(unseen, "unseen"),
        "decisions": decisions,
        "min_group": _options.number(min_group, "min_group"),
    }
    options = core_options(settings, squares)
    before = _core.audit(tally._core, scope, None, options)
    after = None if rule is None else _core.audit(tally._core, scope, rule._core, options)
    last = before if after is None else after
    sure = _core.audit_confidence(
        last,
        tally._core,
        tally._source,
        "" if rule is None else rule._record_text(),
        same_rows,
        settings["confidence"],
    )
    tests = None if sure.fitted else _core.audit_tests(last, settings["confidence"])
    text = _core.audit_json(tally._rows() or 0, tally.excluded, before, after, sure, tests)
    bases = _views(before, text, costs, tally.excluded, None)
    found = bases if after is None else _views(after, text, costs, tally.excluded, bases)
    for view in bases:
        view._about = tally, None, settings
    for view in found:
        view._about = tally, rule, settings
        view._take_confidence(sure, tests, is_ratio)
    return found[0]


def core_options(
    settings: dict[str, Any], squares: _core.Tally | None = None
) -> _core.AuditOptions:
    """Return the options of an audit as the library has them."""
    calibrator: Calibrator | None = settings["calibrator"]
    given = {**settings, "calibrator": None if calibrator is None else calibrator._core}
    return _core.audit_options(**given, squares=squares)


def _views(
    report: _core.AuditReport,
    text: str,
    costs: tuple[float, float],
    excluded: int,
    before: list[Audit] | None,
) -> list[Audit]:
    record = report.record()
    views = [
        Audit(
            record,
            i,
            text=text,
            before=None if before is None else before[i],
            costs=costs,
            excluded=excluded,
        )
        for i in range(len(record["views"]))
    ]
    views[0]._others = views[1:]
    return views
