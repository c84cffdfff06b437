"""fit: the most accurate rule among all that are fair."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from . import _core, _criteria, _files, _inputs, _tables
from ._audit import Audit, audit_tally, calibrator_in
from ._calibrate import Calibrator
from ._errors import InfeasibleError
from ._inputs import Column, Columns
from ._rule import Rule, SoftRule
from ._tally import Tally, as_tally


class Fit:
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
        "optimal": gap and violation are below 1e-9; "inaccurate": a rule without that proof;
        "approximate": found by stochastic gradients.
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
    multipliers, trace : list of dict
        Of ``solver="sgd"``: the multipliers, and the course of the run.
    steps, learning_rate : int, float
        Of ``solver="sgd"``, else None.
    """

    def __init__(
        self,
        solution: _core.Solution | _core.SgdResult,
        tally: Tally,
        criterion: _core.Criterion,
        options: dict[str, Any],
    ) -> None:
        record = solution.record(tally._core)
        self.rule: Rule = Rule._of(solution.rule)
        self.tally = tally
        self.criterion: dict[str, Any] = criterion.record()
        self.status: str = record["status"]
        self.primal: float = record["primal"]
        self.dual: float = record["dual"]
        self.gap: float = record["gap"]
        self.violation: float = record["violation"]
        self.magnitude: float = record["magnitude"]
        self.base: float = record["base"]
        self.lottery_share: float = record["lottery_share"]
        self.cells: list[dict[str, Any]] = record["cells"]
        self.strata: list[dict[str, Any]] = record["strata"]
        self.constraints: list[dict[str, Any]] = record["constraints"]
        self.multipliers: list[dict[str, Any]] = record.get("multipliers", [])
        self.trace: list[dict[str, Any]] = record.get("trace", [])
        self.steps: int | None = record.get("steps")
        self.learning_rate: float | None = record.get("learning_rate")
        self._criterion_names = criterion.rates, criterion.all_cells
        self._options = options
        self._solution: Any = solution
        self._own_record: str | None = None
        self._audits: tuple[Audit, Audit] | None = None

    @property
    def objective(self) -> float:
        """The objective of the rule, ``primal``."""
        return self.primal

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
            after = audit_tally(
                self.tally,
                rule=self.rule,
                cost_fp=self._options["cost_fp"],
                cost_fn=self._options["cost_fn"],
                base_threshold=self._options["base_threshold"],
                calibrator=calibrator_in(self.rule),
            )
            assert after.before is not None
            for audit in (after, after.before):
                audit.rates = self._criterion_names[0] or audit.rates
                audit._all_cells = self._criterion_names[1]
            self._audits = after.before, after
        return self._audits

    # --- The rule's file.

    def _solution_record(self) -> str:
        if self._own_record is None:
            self._own_record = _core.fit_record(self._solution.to_json())
        return self._own_record

    def _record(self) -> dict[str, Any]:
        record: dict[str, Any] = json.loads(self._solution_record())
        tally, source = self.tally, self.tally._source
        columns: dict[str, Any] = {}
        if source.score:
            columns["score"] = source.score
        columns["sensitive"] = tally.sensitive
        columns["within"] = tally.within
        for name in ("label", "weight", "null"):
            if getattr(source, name):
                columns[name] = getattr(source, name)
        record["columns"] = columns
        record["scale"] = tally.scale
        record["favorable"] = tally.favorable
        rows = source.rows
        if rows is None and not tally.weighted:
            rows = int(tally.total)
        if rows:
            record["rows"] = rows
        record["weight"] = tally.total
        if source.excluded:
            record["excluded"] = source.excluded
        record["labelled"] = tally.labelled
        record["before"] = _figures(self.before.overall)
        record["after"] = _figures(self.after.overall)
        return record

    def to_json(self) -> str:
        """Return the text of the rule's file: the rule, and the record of this fit."""
        return self.rule._core.to_json(json.dumps(self._record()))

    def to_dict(self) -> dict[str, Any]:
        """Return the record of this fit, with the names of the rule's file."""
        return self._record()

    def save(self, path: _files.PathLike) -> None:
        """Write the rule's file, the same that the tool writes and reads."""
        _files.write_text(path, self.to_json())

    def __getstate__(self) -> dict[str, Any]:
        """Pickle everything but the solver's own memory."""
        self._solution_record()
        return {**self.__dict__, "_solution": None}

    # --- For people.

    def _table(self) -> tuple[list[str], list[list[str]]]:
        rates = [rate for rate in self.before.rates if rate in self.before.overall]
        header = ["group", "people"]
        for rate in rates:
            header += [rate.replace("_", " "), "after"]
        rows = []
        for before, after in zip(self.before.strata, self.after.strata, strict=True):
            for one, two in zip(before["groups"], after["groups"], strict=True):
                row = [
                    _tables.values_in_words({**one["group"], **before["stratum"]}),
                    f"{one['weight']:,.10g}",
                ]
                for rate in rates:
                    row += [_tables.percent(one[rate]), _tables.percent(two[rate])]
                rows.append(row)
        return header, rows

    def _head(self) -> str:
        before, after = self.before, self.after
        note = " (expected, if the scores are calibrated)" if after.expected else ""
        return (
            f"{self.criterion['name']}: {self.status}, gap {self.gap:.1g}, "
            f"violation {self.violation:.1g}, lottery share {_tables.percent(self.lottery_share)}\n"
            f"accuracy {_tables.percent(before.accuracy)} -> "
            f"{_tables.percent(after.accuracy)}{note}"
        )

    def __repr__(self) -> str:
        """Show status, accuracy and each group, before and after."""
        if not self.tally.sensitive:
            return f"{self.criterion['name']}: {self.status}, gap {self.gap:.1g}"
        return self._head() + "\n\n" + _tables.text_table(*self._table())

    def _repr_html_(self) -> str:
        if not self.tally.sensitive:
            return _tables.html_table(["status"], [[repr(self)]])
        lines = [[line] for line in self._head().splitlines()]
        return _tables.html_table(["fit"], lines) + _tables.html_table(*self._table())


def _figures(overall: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value
        for key, value in overall.items()
        if key != "bias" and not key.endswith("_between_groups")
    }


class SoftFit:
    """A rule for soft attributes, with its proof.

    Made by :func:`evenhand.fit` with ``soft=``.

    Attributes
    ----------
    rule : SoftRule
        What decides.
    status, primal, dual, gap, violation, magnitude, base, lottery_share
        As of :class:`Fit`.
    strata : list of dict
        For each stratum and column, the expected selection rates of those who belong and of the
        others.
    """

    def __init__(self, solution: _core.SoftSolution) -> None:
        record = solution.record()
        self.rule: SoftRule = SoftRule._of(solution.rule)
        self.status: str = record["status"]
        self.primal: float = record["primal"]
        self.dual: float = record["dual"]
        self.gap: float = record["gap"]
        self.violation: float = record["violation"]
        self.magnitude: float = record["magnitude"]
        self.base: float = record["base"]
        self.lottery_share: float = record["lottery_share"]
        self.strata: list[dict[str, Any]] = record["strata"]
        self._json = solution.to_json()

    @property
    def objective(self) -> float:
        """The objective of the rule, ``primal``."""
        return self.primal

    def to_json(self) -> str:
        """Return the text of the rule's file: the rule, and the record of this fit."""
        return self._json

    def to_dict(self) -> dict[str, Any]:
        """Return the record of this fit, with the names of the rule's file."""
        record: dict[str, Any] = json.loads(_core.fit_record(self._json))
        return record

    def save(self, path: _files.PathLike) -> None:
        """Write the rule's file."""
        _files.write_text(path, self._json)

    def __repr__(self) -> str:
        """Show the status."""
        return (
            f"SoftFit({self.status}, gap {self.gap:.1g}, violation {self.violation:.1g}, "
            f"columns {self.rule.columns})"
        )


def fit(
    score: Column | Tally,
    sensitive: Columns = None,
    *,
    criterion: str | None = None,
    within: Columns = None,
    label: Column = None,
    weight: Column = None,
    data: Any = None,
    tolerance: float | None = None,
    ratio: float | None = None,
    rho: float | str | None = None,
    require: str | Sequence[str] = (),
    across: str = "intersection",
    scale: str | None = None,
    favorable: str | None = None,
    resolution: str | int | None = None,
    gamma: float | str | None = None,
    cost_fp: float = 1.0,
    cost_fn: float = 1.0,
    base_threshold: float | None = None,
    calibrate: str | Calibrator = "none",
    calibrate_by: str = "cell",
    solver: str = "exact",
    projection: str = "corrected",
    learning_rate: float | None = None,
    epochs: float = 25,
    steps: int | None = None,
    seed: int = 0,
    record_every: int | None = None,
    soft: Columns = None,
    exhaustive: bool = False,
    threads: int = 0,
) -> Any:
    """Find the most accurate rule among all that treat groups alike.

    Parameters
    ----------
    score : column or Tally
        The model's scores, in any column that NumPy, pandas, polars or Arrow know; the name of
        one in ``data``; or a :class:`Tally`, whose attributes then are named by ``sensitive`` and
        ``within``.
    sensitive : column or columns
        Who belongs to which group: texts, categories, whole numbers or booleans. Several as a
        frame, a dict, a list of columns, a 2-D array or a list of names.
    criterion : str, optional
        What is fair: "statistical-parity", "equal-opportunity", "false-positive-parity",
        "equalized-odds", "equal-rates" or "four-fifths"; Fairlearn's names will do. There is no
        default; ``require`` may stand alone.
    within : column or columns, optional
        Be fair inside each combination of these.
    label : column, optional
        What really happened, 0 or 1; some criteria need it.
    weight : column, optional
        How often a row counts.
    data : frame, optional
        Where columns that are given by name come from: pandas, polars, pyarrow, a dict, anything
        with ``__arrow_c_stream__``.
    tolerance : float, optional
        How far the groups' rates may differ, 0 by default.
    ratio : float, optional
        For four-fifths: the smallest rate is at least this share of the largest, 0.8 by default.
    rho : float or {"base", "best"}, optional
        For equal-rates: the common rate, "best" by default.
    require : str or sequence of str
        Requirements of your own: ``"rate <= 0.1"``, ``"tpr[sex=F] >= 0.9 * tpr[sex=M]"``.
    across : {"intersection", "marginal", "both"}
        Several sensitive columns: fair between their combinations, for each column on its own, or
        both.
    scale : {"probability", "signed", "logit", "raw"}, optional
        How a score is read; "probability" by default, or as the tally says.
    favorable : {"high", "low"}, optional
        Which scores deserve the favourable decision; "high" by default. With "low" (a risk) the
        label 1 is the harm.
    resolution : {"exact", "auto"} or int, optional
        How finely scores are told apart; "exact" by default.
    gamma : float or "auto", optional
        Width of randomization. 0 by default (0.01 for ``solver="sgd"``): lots are drawn only where
        the best rule has to. "auto" is the paper's schedule, ``rows ** (-1/6)``.
    cost_fp, cost_fn : float
        What a wrong positive and a wrong negative decision cost.
    base_threshold : float, optional
        Today's decisions are positive from this score on.
    calibrate : {"none", "isotonic", "platt", "temperature"} or Calibrator
        Where the probability of a score comes from: its scale, or the labels.
    calibrate_by : {"cell", "all"}
        A curve for each cell, or one for all.
    solver : {"exact", "sgd"}
        "sgd" is the paper's stochastic gradient method, to reproduce it.
    projection, learning_rate, epochs, steps, seed, record_every
        Of ``solver="sgd"``.
    soft : columns, optional
        Instead of ``sensitive``: columns with the probability of belonging to each group. The
        criterion is statistical parity, and the result a :class:`SoftFit`.
    exhaustive : bool
        Of ``soft``: the columns are all the groups there are.
    threads : int
        0 for as many as there are cores. The result does not depend on it.

    Returns
    -------
    Fit or SoftFit

    Raises
    ------
    InfeasibleError
        If no rule meets the requirements.
    ValueError
        For a bad value (naming its row), missing values (counting them), or options out of range.

    Examples
    --------
    >>> import evenhand
    >>> fit = evenhand.fit(
    ...     [0.2, 0.4, 0.6, 0.8], ["F", "F", "M", "M"], criterion="statistical-parity"
    ... )
    >>> fit.status, fit.violation
    ('optimal', 0.0)
    >>> fit.rule.probability([0.45], ["F"])
    array([1.])
    """
    if soft is not None:
        return _fit_soft(
            score, soft, sensitive, criterion, within, label, weight, data, scale, favorable,
            gamma, cost_fp, cost_fn, exhaustive, threads,
        )  # fmt: skip
    # What is wrong with these shows before rows are read.
    _criteria.build(
        criterion,
        ["sensitive"],
        [],
        across=across,
        tolerance=tolerance,
        ratio=ratio,
        rho=rho,
        require=require,
    )
    if solver not in ("exact", "sgd"):
        raise ValueError(f"there is no solver {solver!r}: use exact or sgd")
    tally = as_tally(
        score,
        sensitive,
        within=within,
        label=label,
        weight=weight,
        data=data,
        scale=scale,
        favorable=favorable,
        resolution=resolution,
        threads=threads,
        needed=bool(criterion),
    )
    built = _criteria.build(
        criterion,
        tally.sensitive,
        tally.within,
        across=across,
        tolerance=tolerance,
        ratio=ratio,
        rho=rho,
        require=require,
    )
    _criteria.check_labels(built, tally.labelled)
    method, calibrator = calibration_of(calibrate)
    common = (
        gamma_of(gamma, tally, 0.0 if solver == "exact" else 0.01),
        cost_fp,
        cost_fn,
        method,
        calibrate_by,
        calibrator,
        base_threshold,
    )
    solution: _core.Solution | _core.SgdResult
    if solver == "exact":
        solution = _core.solve(tally._core, built, *common, threads)
    else:
        solution = _core.solve_sgd(
            tally._core, built, *common, projection, learning_rate, epochs, steps, seed,
            record_every, threads,
        )  # fmt: skip
    options = {"cost_fp": cost_fp, "cost_fn": cost_fn, "base_threshold": base_threshold}
    refuse_infeasible(solution, tally, built)
    return Fit(solution, tally, built, options)


def gamma_of(gamma: float | str | None, tally: Tally, default: float) -> float:
    """Return the width of randomization."""
    if gamma is None:
        return default
    if gamma == "auto":
        return _core.gamma_schedule_of(tally._core)
    if isinstance(gamma, str):
        raise ValueError(f"gamma is a number or 'auto', not {gamma!r}")
    return float(gamma)


def calibration_of(calibrate: str | Calibrator) -> tuple[str, _core.Calibrator | None]:
    """Return the method, and a calibrator that was fitted before."""
    if isinstance(calibrate, Calibrator):
        return "none", calibrate._core
    return calibrate, None


def refuse_infeasible(
    solution: _core.Solution | _core.SgdResult, tally: Tally, criterion: _core.Criterion
) -> None:
    """Raise if there is no rule."""
    if solution.infeasible:
        record = solution.record(tally._core)["infeasibility"]
        raise InfeasibleError.from_record(criterion.name if criterion.rates else None, record)


def _fit_soft(
    score: Any,
    soft: Any,
    sensitive: Any,
    criterion: str | None,
    within: Any,
    label: Any,
    weight: Any,
    data: Any,
    scale: str | None,
    favorable: str | None,
    gamma: float | str | None,
    cost_fp: float,
    cost_fn: float,
    exhaustive: bool,
    threads: int,
) -> SoftFit:
    if sensitive is not None:
        raise ValueError("give either sensitive or soft, not both")
    if label is not None:
        raise ValueError("soft attributes take no labels")
    if isinstance(score, Tally):
        raise TypeError("soft attributes need rows, not a tally")
    if criterion not in (None, "statistical-parity", "demographic_parity"):
        raise ValueError(f"soft attributes know statistical-parity only, not {criterion}")
    frame = _inputs.frame_of(data)
    scores = _inputs.numbers(_inputs.resolved(score, frame, "score"), "score", floats=True)
    columns = [
        _inputs.numbers(column.values, column.name)
        for column in _inputs.columns(soft, frame, "soft")
    ]
    attributes = _inputs.attributes(_inputs.columns(within, frame, "within"))
    weights = (
        None
        if weight is None
        else _inputs.numbers(_inputs.resolved(weight, frame, "weight"), "weight")
    )
    _inputs.same_length(
        [("score", scores), *((c.name, c) for c in columns), *((a.name, a) for a in attributes)]
        + ([] if weights is None else [("weight", weights)])
    )
    if gamma == "auto":
        gamma = _core.gamma_schedule(float(len(scores)))
    if isinstance(gamma, str):
        raise ValueError(f"gamma is a number or 'auto', not {gamma!r}")
    return SoftFit(
        _core.solve_soft(
            scores,
            columns,
            attributes,
            weights,
            scale or "probability",
            favorable or "high",
            cost_fp,
            cost_fn,
            float(gamma or 0),
            exhaustive,
            threads,
        )
    )
