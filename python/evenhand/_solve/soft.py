"""fit_soft: rules where groups are known by probabilities only."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from .. import _core, _criteria, _inputs, _options, _tables
from .._audit.soft_audit import audit_rows
from .._inputs import Column, Columns
from .._inputs.rows import Rows
from .._inputs.soft_columns import Roles, soft_columns
from .._report import Report
from .._rule.soft_rule import SoftRule
from .._tally.tally import Tally
from .bound import Bound
from .found import Found
from .provenance import Source, provenance
from .settings import gamma_of


class SoftFit(Found):
    """A rule for soft groups, with its proof.

    Made by :func:`evenhand.fit_soft`.

    Attributes
    ----------
    rule : SoftRule
        What decides: by the score and the columns, without anybody's group.
    criterion : str
        Its name.
    status, primal, dual, gap, violation, magnitude, base, lottery_share
        As of :class:`Fit`.
    strata : list of dict
        For each stratum and column, the expected rates of those who belong and of the others.
    before, after : SoftAudit
        The audit of decisions by the score alone, and of the rule, on the rows of the fit.
    check : dict or None
        The columns against the true groups, of a fit with ``check_with``: how far each is ``off``
        by tenths of the score, whether they are ``calibrated``, and the true
        ``largest_difference``, with labels also that of each rate given the outcome.
    bound : Bound
        There is none for new people, and ``bound.reason`` says why.
    excluded : int
        The number of rows that were left out for a missing value.
    """

    def __init__(
        self, solution: _core.SoftSolution, rows: Rows, truth: _core.Attribute | None = None,
        made: _core.FitSource | None = None, *,
        criterion: str, roles: Roles,
        **reading: Any,
    ) -> None:  # fmt: skip
        record = solution.record()
        self.criterion = criterion
        reading = {**reading, "criterion": criterion, "roles": roles}
        self.excluded = rows.source.excluded
        self._take_proof(record)
        self.strata: list[dict[str, Any]] = record["strata"]
        self.rule: SoftRule = SoftRule._of(solution.rule, null=rows.source.null or None)
        self.after = audit_rows(rows, rule=self.rule, **reading)
        assert self.after.before is not None
        self.before = self.after.before
        self._proof: str = solution.proof_in_words()
        self._strictness = "".join(
            f", {name} {record[name]:.6g}" for name in ("tolerance", "ratio") if record.get(name)
        )
        self._by_cost = (reading["cost_fp"], reading["cost_fn"]) != (1.0, 1.0)
        self._promised = None
        if rows.label is not None:
            self._promised = audit_rows(
                dataclasses.replace(rows, label=None), rule=self.rule, **reading
            )
        self.check: dict[str, Any] | None = None
        self._check_lines: list[str] = []
        if truth is not None:
            self.check, self._check_lines = _core.check_soft(
                solution.rule,
                rows.score,
                rows.soft,
                rows.attributes,
                truth,
                rows.weight,
                rows.label,
                criterion,
            )
        record_text: str = solution.fit_record(
            rows.source,
            roles,
            rows.label is not None,
            self.before._summary(),
            self.after._summary(),
        )
        none = json.loads(record_text)["bound"]
        self.bound: Bound = Bound._none(none["none"], none["confidence"])
        self.rule._record = made.put_into(record_text) if made is not None else record_text

    def to_dict(self) -> dict[str, Any]:
        """Return the record of this fit, with the names of the rule's file."""
        return self.rule.record

    def report(self, **options: Any) -> Report:
        """Report on the rule and the rows of the fit: :meth:`SoftAudit.report`."""
        return self.after.report(**options)

    def _head(self) -> list[str]:
        out = [
            f"{self.criterion} for those who belong, by {', '.join(self.after.columns)}"
            + self._strictness,
            self._proof,
        ]
        if self.excluded:
            out.insert(1, f"{self.excluded:,} rows left out for a missing value")
        out += _tables.before_and_after(self.before, self.after, self._by_cost)
        if self._promised is not None and self._promised.before is not None:
            audits = (self._promised.before, self._promised)
            (line,) = _tables.before_and_after(*audits, self._by_cost)
            best = "minimised" if self._by_cost else "maximised"
            out.append(f"{best}, as the scores promise: {line.partition(' (')[0]}")
        return [*out, f"lottery share {_tables.percent(self.lottery_share)}"]

    def _table(self) -> tuple[list[str], list[list[str]]]:
        header, before = self.before._table()
        rows = zip(before, self.after._table()[1], strict=True)
        return (
            [*header[:-1], "after", header[-1], "after"],
            [[*one[:-1], two[-2], one[-1], two[-1]] for one, two in rows],
        )

    def _foot(self) -> str:
        return "\n".join([self.after._assumption, *self._check_lines, str(self.bound)])

    def __repr__(self) -> str:
        """Show the proof, accuracy and each column, before and after, with what they assume."""
        head = "\n".join(self._head())
        return "\n\n".join([head, _tables.text_table(*self._table()), self._foot()])

    def _repr_html_(self) -> str:
        head = _tables.html_table(["fit"], [[line] for line in self._head()])
        return head + _tables.html_table(*self._table()) + _tables.html_lines(self._foot())


def fit_soft(
    score: Column, soft: Columns = None, *,
    criterion: str | None = None,
    tolerance: float | None = None, ratio: float | None = None,
    soft_favorable: Columns = None, soft_unfavorable: Columns = None,
    within: Columns = None, label: Column = None, weight: Column = None, data: Any = None,
    exhaustive: bool = False, check_with: Column = None,
    scale: str | None = None, favorable: str | None = None,
    gamma: float | str | None = None,
    cost_fp: float = 1.0, cost_fn: float = 1.0,
    null: str = "error", threads: int = 0,
    source: Source = True, stamp: bool = False,
) -> SoftFit:  # fmt: skip
    """Find the most accurate rule where groups are known by probabilities only.

    The criterion compares those who belong to a group with those who do not, in expectation, for
    each of the columns.

    Parameters
    ----------
    score : column
        The model's scores; a tally does not have what this needs.
    soft : columns
        The probability that somebody belongs to a group, in [0, 1]: a column for each group.
    criterion : str, optional
        "statistical-parity" by default; any other but "equal-rates". True- and false-positive
        rates take outcomes from the scores, and assume that group and outcome are independent
        among people with the same score and columns.
    tolerance : float, optional
        How far the rates may differ, 0 by default.
    ratio : float, optional
        For four-fifths, 0.8 by default.
    soft_favorable, soft_unfavorable : columns, optional
        Instead of ``soft``, for true- and false-positive rates: the probability of belonging given
        the favourable outcome, and given the other one, for the same groups in the same order.
    exhaustive : bool
        The columns are all the groups there are, and add up to 1.
    check_with : column, optional
        The true group of those whose group is known, missing for the others: measures whether the
        columns mean what they say; see :attr:`SoftFit.check`. The name of each column ends with
        its group: ``p_female`` for ``female``.
    within, label, weight, data, scale, favorable, gamma, cost_fp, cost_fn, null, threads
        As for :func:`evenhand.fit`.
    source, stamp
        As for :func:`evenhand.fit`.

    Returns
    -------
    SoftFit
        The rule with its proof, and both audits.

    Examples
    --------
    >>> import evenhand
    >>> fit = evenhand.fit_soft([0.2, 0.4, 0.6, 0.8], {"p_f": [0.75, 0.75, 0.25, 0.25]})
    >>> fit.status
    'optimal'
    """
    made = provenance(fit_soft, locals(), source, stamp)
    if isinstance(score, Tally):
        raise TypeError("soft groups need rows, not a tally")
    if soft is None and soft_favorable is None and soft_unfavorable is None:
        raise ValueError("soft is missing: give columns with the probability of belonging")
    name = _criteria.soft_name(criterion, tolerance, ratio)
    strictness: dict[str, Any] = {
        "criterion": name,
        "tolerance": 0.0 if tolerance is None else _options.number(tolerance, "tolerance"),
        "ratio": 0.8 if ratio is None else _options.number(ratio, "ratio"),
    }
    truth = None
    frame = _inputs.frame_of(data)
    columns, roles = soft_columns(soft, soft_favorable, soft_unfavorable, frame)
    if check_with is not None:
        if null == "exclude":
            raise ValueError("check_with cannot be combined with null='exclude'")
        if soft is None:
            raise ValueError("check_with measures the columns of soft; there are none")
        column = _inputs.name_of(check_with, frame) or "check_with"
        truth = _inputs.attribute(_inputs.resolved(check_with, frame, "check_with"), column)
    rows = Rows.read(score, None, within, label, weight, data, null, soft=columns)
    reading: dict[str, Any] = {
        "scale": _options.text(scale or "probability", "scale"),
        "favorable": _options.text(favorable or "high", "favorable"),
        "cost_fp": _options.number(cost_fp, "cost_fp"),
        "cost_fn": _options.number(cost_fn, "cost_fn"),
    }
    solution = _core.solve_soft(
        rows.score,
        rows.soft,
        rows.attributes,
        rows.weight,
        **reading,
        gamma=gamma_of(gamma, float(len(rows.score)), None) or 0.0,
        exhaustive=bool(exhaustive),
        threads=_options.threads(threads),
        **strictness,
        roles=roles,
    )
    fit = SoftFit(solution, rows, truth, made, criterion=name, roles=roles, **reading)
    given = {"score": score, "within": within, "label": label, "weight": weight}
    settings = {name: reading[name] for name in ("cost_fp", "cost_fn")}
    settings |= {"criterion": None, "null": null}
    fit.after._given = fit.rule, given, (soft, soft_favorable, soft_unfavorable), data, settings
    return fit
