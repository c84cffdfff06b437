"""What a fit found: the rule, its proof, and what it means for everybody."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import _core, _files, _options, _tables
from .._audit.audit import Audit, audit_tally
from .._report import Report
from .._rule.load import load
from .._rule.rule import Rule
from .._rule.rule_file import Decisions, Floats
from .._rule.soft_rule import SoftRule
from .._tally.tally import Tally
from .bootstrap import Bootstrap
from .bound import Bound
from .settings import NewPeople
from .trace import Trace

if TYPE_CHECKING:
    from .._verify import Verification


class Found:
    """What fits of both kinds have in common: the rule, its proof and its file."""

    rule: Rule | SoftRule

    def _take_proof(self, record: dict[str, Any]) -> None:
        self.status: str = record["status"]
        self.primal: float = record["primal"]
        self.dual: float = record["dual"]
        self.gap: float = record["gap"]
        self.violation: float = record["violation"]
        self.magnitude: float = record["magnitude"]
        self.base: float = record["base"]
        self.lottery_share: float = record["lottery_share"]

    @property
    def objective(self) -> float:
        """The objective of the rule, ``primal``."""
        return self.primal

    def to_json(self) -> str:
        """Return the text of the rule's file: the rule, and the record of this fit."""
        return self.rule.to_json()

    def save(self, path: _files.PathLike, *, accept_inaccurate: bool = False) -> None:
        """Write the rule's file, the same that the tool writes and reads.

        Raises
        ------
        ValueError
            If the proof of the fit failed (status "inaccurate") and that is not accepted.
        """
        if self.status == "inaccurate" and not accept_inaccurate:
            raise ValueError(
                f"the rule has no proof: gap {self.gap:.3g}, violation {self.violation:.3g}; "
                "accept_inaccurate=True saves it anyway"
            )
        self.rule.save(path)

    @staticmethod
    def load(path: _files.PathLike) -> Rule | SoftRule:
        """Read the rule that :meth:`save` wrote; the rows of the fit are not in its file."""
        return load(path)

    def __eq__(self, other: object) -> bool:
        """Whether the rules and the records of both fits are the same."""
        return isinstance(other, type(self)) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]


def _record_text(
    solution: _core.Solution | _core.SgdResult, tally: Tally, bound: Any,
    made: _core.FitSource | None,
) -> str:  # fmt: skip
    record: str = solution.fit_record(tally._core, tally._source, bound)
    return made.put_into(record) if made else record


class Fit(Found):
    """A rule with the proof that it is fair, and that none does better.

    Made by :func:`evenhand.fit`.

    Attributes
    ----------
    rule : Rule
        What decides.
    tally : Tally
        The rows that it was fitted on, counted.
    criterion : dict
        What is fair.
    status : str
        "optimal": gap and violation are below 1e-9; "feasible": with few coins or none, a rule
        whose gap is open; "inaccurate": a rule without that proof; "approximate": found by
        stochastic gradients.
    primal, dual : float
        The objective of the rule, and the most that any fair rule could have.
    gap : float
        Their difference, as a share of all that is at stake (``magnitude``).
    violation : float
        The largest violation of the criterion, in units of a rate.
    magnitude : float
        The sum of all benefits, whatever their sign.
    base : float
        The objective of the base decisions: what no criterion at all would give.
    lottery_share : float
        The share of people who are decided by a coin.
    cells, strata, constraints : list of dict
        What came out for each cell, each stratum and each constraint that was needed.
    multipliers : list of dict
        Of ``solver="sgd"``, else empty.
    trace : Trace
        Of ``solver="sgd"``: the course of the run.
    steps, learning_rate : int, float
        Of ``solver="sgd"``, else None.
    bound : Bound
        How far groups may differ among new people, with a stated confidence.
    certificate : dict or None
        Of a fit with ``certify``: its confidence, the figures of the plain fit beside it, and the
        strata that are not certified.
    blind : str or None
        What it costs that the rule looks at no group, of a fit with ``blind=True``.
    """

    def __init__(
        self, solution: _core.Solution | _core.SgdResult, tally: Tally, criterion: _core.Criterion,
        options: _core.SolveOptions, wanted: NewPeople, certified: _core.CertifiedFit | None = None,
        made: _core.FitSource | None = None,
    ) -> None:  # fmt: skip
        record = solution.record(tally._core)
        self.tally = tally
        self.criterion: dict[str, Any] = criterion.record()
        self._take_proof(record)
        self.cells: list[dict[str, Any]] = record["cells"]
        self.strata: list[dict[str, Any]] = record["strata"]
        self.constraints: list[dict[str, Any]] = record["constraints"]
        self.multipliers: list[dict[str, Any]] = record.get("multipliers", [])
        self.trace = Trace(*record.get("trace", ([], 1.0, [])))
        self.steps: int | None = record.get("steps")
        self.learning_rate: float | None = record.get("learning_rate")
        self._criterion_names = criterion.rates, criterion.all_cells
        self._options: dict[str, Any] = {
            "cost_fp": options.cost_fp,
            "cost_fn": options.cost_fn,
            "base_threshold": options.base_threshold,
        }
        self._notes: list[str] = solution.notes
        self._solution: Any = solution
        self._own_words: dict[str, Any] | None = None
        self.certificate: dict[str, Any] | None = None
        self._certificate_lines: list[str] = []
        if certified is not None:
            bound = certified.bound
            self.certificate = certified.record(tally._core)
            self._certificate_lines = certified.words(tally._core)
        else:
            exact = solution.solution if isinstance(solution, _core.SgdResult) else solution
            bound = _core.confidence_bound(tally._core, exact, wanted.confidence, wanted.bound)
        self.bound = Bound._of(bound, criterion.within)
        # Of what the rule needs, not of this fit, which holds the rule: rows go when the fit goes.
        self.rule: Rule = Rule._of(
            solution.rule,
            partial(_record_text, solution, tally, bound, made),
            null=tally._source.null or None,
        )
        self.blind: str | None = None
        if options.blind and isinstance(solution, _core.Solution):
            self.blind = _core.blind_in_words(tally._core, tally.sensitive, tally.within, solution)
        self._audits: tuple[Audit, Audit] | None = None

    @property
    def excluded(self) -> int:
        """The number of rows that were left out for a missing value."""
        return self.tally.excluded

    @property
    def before(self) -> Audit:
        """The audit of the base decisions on the rows of the fit."""
        return self._both()[0]

    @property
    def after(self) -> Audit:
        """The audit of the rule on the rows of the fit."""
        return self._both()[1]

    def _both(self) -> tuple[Audit, Audit]:
        if self._audits is None:
            rates, all_cells = self._criterion_names
            after = audit_tally(
                self.tally,
                rule=self.rule,
                across=self.criterion.get("across", "intersection"),
                rates=rates,
                is_ratio="ratio" in self.criterion,
                all_cells=all_cells,
                require=self.criterion.get("require", ()),
                cost_fp=self._options["cost_fp"],
                cost_fn=self._options["cost_fn"],
                base_threshold=self._options["base_threshold"],
                calibrator=self.rule.calibrator,
            )
            assert after.before is not None
            self._audits = after.before, after
        return self._audits

    # --- The rule at work.

    def probability(self, *columns: Any, **options: Any) -> Floats:
        """Return the probability of a positive decision: :meth:`Rule.probability`."""
        found: Floats = self.rule.probability(*columns, **options)
        return found

    def decide(self, *columns: Any, **options: Any) -> Decisions:
        """Decide for each row: :meth:`Rule.decide`."""
        decided: Decisions = self.rule.decide(*columns, **options)
        return decided

    def audit(self, *columns: Any, **options: Any) -> Audit:
        """Audit the rule on other rows: :func:`evenhand.audit` with ``rule=``."""
        from .._audit.auditing import audit

        found: Audit = audit(*columns, rule=self, **options)
        return found

    def report(self, **options: Any) -> Report:
        """Report on the rule and the rows of the fit: :meth:`Audit.report`."""
        return self.after.report(**options)

    def verify(self, *columns: Any, **options: Any) -> Verification:
        """Recompute what the record claims: :func:`evenhand.verify`, on the fit's own rows."""
        from .._verify import verify

        return verify(self, *columns, **options)

    def plot(self, ax: Any = None) -> Any:
        """Draw the rule: :func:`evenhand.plot_rule`."""
        from ..plot import plot_rule

        return plot_rule(self, ax)

    # --- The rule's file.

    def to_dict(self) -> dict[str, Any]:
        """Return the record of this fit, with the names of the rule's file."""
        record: dict[str, Any] = json.loads(self.rule._record_text())
        return record

    def __getstate__(self) -> dict[str, Any]:
        """Pickle everything but the solver's own memory."""
        self.rule._record_text()
        self._words()
        return {**self.__dict__, "_solution": None}

    # --- New people.

    def bootstrap(self, times: int = 200, *, seed: int = 0, threads: int = 0) -> Bootstrap:
        """Fit again on rows drawn with replacement, and judge by those that were not drawn.

        An honest picture of how much the fit depends on its rows, beside :attr:`bound`, which is a
        promise.

        Parameters
        ----------
        times : int
            How often.
        seed : int
            The same seed gives the same figures.
        threads : int
            0 for as many as there are cores. The result does not depend on it.

        Returns
        -------
        Bootstrap

        Raises
        ------
        ValueError
            For weighted rows, a fit of ``solver="sgd"``, and one that was pickled.
        """
        if self._solution is None:
            raise ValueError(
                "a fit that was pickled cannot be refitted: call bootstrap before pickling"
            )
        found = _core.bootstrap(
            self.tally._core,
            self._solution.solution if self.steps is not None else self._solution,
            _options.whole(times, "times", 0, 2**31 - 1),
            _options.whole(seed, "seed", 0, 2**64 - 1),
            _options.threads(threads),
        )
        return Bootstrap(*found, "ratio" in self.criterion)

    # --- Stochastic gradients.

    def trace_csv(self) -> str:
        """Return the text of the file that the tool's ``--trace`` writes."""
        return self.trace.to_csv()

    def compare(self) -> dict[str, float]:
        """Say how far ``solver="sgd"`` is from the exact optimum of the same problem.

        Returns
        -------
        dict
            The members of the tool's ``--compare``: ``exact_objective`` and ``exact_violation``;
            ``dual``, by how much the dual objective exceeds the optimum; ``primal``, by how much
            the rule's objective is below it (negative where unfairness pays); ``multiplier``, the
            largest difference of a cell's price; ``violation``, that of the rule.

        Raises
        ------
        ValueError
            For an exact fit, and one that was pickled.
        """
        if self.steps is None:
            raise ValueError("compare is for solver='sgd': this fit is exact")
        if self._solution is None:
            raise ValueError(
                "a fit that was pickled cannot be compared: call compare before pickling"
            )
        return _core.compare(self._solution, self.tally._core)

    # --- For people.

    def _words(self) -> dict[str, Any]:
        if self._own_words is None:
            self._own_words = self._solution.words(self.tally._core)
        return self._own_words

    def _warnings(self) -> list[str]:
        """Return what a user should be told at once."""
        out = list(self._notes)
        if self.status == "inaccurate":
            out.append(f"the rule has no proof: gap {self.gap:.3g}, violation {self.violation:.3g}")
        constant = self._solution.constant_in_words(self.tally._core)
        return [*out, constant] if constant else out

    def _table(self) -> tuple[list[str], list[list[str]]]:
        rates = [rate for rate in self.before.rates if rate in self.before.overall]
        header = ["group", "people"]
        for rate in rates:
            header += [rate.replace("_", " "), "after"]
        rows = []
        strata = zip(
            (stratum for view in self.before.views for stratum in view.strata),
            (stratum for view in self.after.views for stratum in view.strata),
            strict=True,
        )
        for before, after in strata:
            for one, two in zip(before["groups"], after["groups"], strict=True):
                row = [
                    _tables.values_in_words({**one["group"], **before["stratum"]}),
                    f"{one['weight']:,.10g}",
                ]
                for rate in rates:
                    row += [_tables.percent(one[rate]), _tables.percent(two[rate])]
                rows.append(row)
        return header, rows

    def _head(self) -> list[str]:
        words = self._words()
        by_cost = (self._options["cost_fp"], self._options["cost_fn"]) != (1.0, 1.0)
        out = [words["criterion"], words["proof"]]
        if self.excluded:
            out.insert(1, f"{self.excluded:,} rows left out for a missing value")
        out += _tables.before_and_after(self.before, self.after, by_cost)
        return [*out, words["promise"]] if words["promise"] else out

    def _foot(self) -> list[str]:
        words = self._words()
        out = [*words["not_compared"], *words["coins"]]
        out += [self.blind] if self.blind else []
        out += [f"note: {note}" for note in self._notes]
        return [*out, *self._certificate_lines, *str(self.bound).splitlines()]

    def __repr__(self) -> str:
        """Say what the tool says: criterion, proof, accuracy, each group, and new people."""
        parts = ["\n".join(self._head()), "\n".join(self._foot())]
        if self.tally.sensitive:
            parts.insert(1, _tables.text_table(*self._table()))
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        table = _tables.html_table(*self._table()) if self.tally.sensitive else ""
        head = _tables.html_table(["fit"], [[line] for line in self._head()])
        return head + table + _tables.html_lines("\n".join(self._foot()))
