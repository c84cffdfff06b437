"""fit: the most accurate rule among all that are fair."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, overload

from .. import _core, _criteria, _options
from .._calibrate import Calibrator
from .._inputs import Column, Columns
from .._tally.as_tally import tally_and_rows
from .._tally.tally import Tally
from .found import Fit, SoftFit
from .settings import (
    calibration_of,
    check_solver,
    gamma_of,
    objective,
    refuse_infeasible,
    warn_of_decisions,
)
from .soft import fit_soft, refuse_beside_soft


@overload
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
    no_worse: str | Sequence[str] = (),
    blind: bool = False,
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
    epochs: float | None = None,
    steps: int | None = None,
    seed: int | None = None,
    stream: bool = False,
    record_every: int | None = None,
    soft: None = None,
    null: str = "error",
    threads: int = 0,
) -> Fit: ...
@overload
def fit(
    score: Column,
    *,
    soft: Columns,
    exhaustive: bool = False,
    criterion: str | None = None,
    within: Columns = None,
    label: Column = None,
    weight: Column = None,
    data: Any = None,
    scale: str | None = None,
    favorable: str | None = None,
    gamma: float | str | None = None,
    cost_fp: float = 1.0,
    cost_fn: float = 1.0,
    null: str = "error",
    threads: int = 0,
) -> SoftFit: ...
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
    no_worse: str | Sequence[str] = (),
    blind: bool = False,
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
    epochs: float | None = None,
    steps: int | None = None,
    seed: int | None = None,
    stream: bool = False,
    record_every: int | None = None,
    soft: Columns = None,
    exhaustive: bool = False,
    null: str = "error",
    threads: int = 0,
) -> Fit | SoftFit:
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
    no_worse : {"rate", "tpr"} or a sequence of them
        No group's rate, or tpr, may fall below what base decisions give it.
    blind : bool
        One rule for all groups: they are used to find it, not to apply it, so that its
        ``probability`` and ``decide`` want no ``sensitive``.
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
    projection : {"corrected", "paper"}
        Of "sgd": keep multipliers in a box that holds the optimum, or in the paper's, which may
        not.
    learning_rate : float, optional
        Of "sgd": the size of a step; that of the paper's Proposition 4 by default.
    epochs : float, optional
        Of "sgd": steps, in multiples of the rows; 25 by default, with ``stream`` 1.
    steps : int, optional
        Of "sgd": instead of ``epochs``.
    seed : int, optional
        Of "sgd": of the rows drawn, 0 by default.
    stream : bool
        Of "sgd": take rows in their order, a pass for each epoch, instead of drawing them; an
        order that is not random misleads it.
    record_every : int, optional
        Of "sgd": steps between two points of :attr:`Fit.trace`, a hundredth of all by default; 0
        for no trace.
    soft : columns, optional
        Instead of ``sensitive``: columns with the probability of belonging to each group. The
        criterion is statistical parity, and the result a :class:`SoftFit`.
    exhaustive : bool
        Of ``soft``: the columns are all the groups there are.
    null : str
        Missing values: "error"; "exclude" leaves such rows out and counts them (``excluded``); any
        other text is the name of missing groups, and a missing score, label or weight is an error.
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
    sgd = {
        "learning_rate": learning_rate,
        "epochs": epochs,
        "steps": steps,
        "seed": seed,
        "record_every": record_every,
        "stream": stream or None,
        "projection": None if projection == "corrected" else projection,
    }
    if soft is not None:
        refuse_beside_soft(
            sensitive=sensitive, tolerance=tolerance, ratio=ratio, rho=rho,
            require=require or None, no_worse=no_worse or None, blind=blind or None,
            across=None if across == "intersection" else across,
            resolution=resolution, base_threshold=base_threshold,
            calibrate=None if calibrate == "none" else calibrate,
            solver=None if solver == "exact" else solver, **sgd,
        )  # fmt: skip
        return fit_soft(
            score, soft, criterion, within, label, weight, data, scale, favorable, gamma, cost_fp,
            cost_fn, exhaustive, null, threads,
        )  # fmt: skip
    if exhaustive:
        raise ValueError("exhaustive needs soft, the columns")
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
        no_worse=no_worse,
    )
    cost_fp, cost_fn, base_threshold = objective(cost_fp, cost_fn, base_threshold)
    calibrate_by = _options.text(calibrate_by, "calibrate_by")
    threads = _options.threads(threads)
    projection = _options.text(projection, "projection")
    learning_rate = _options.optional_number(learning_rate, "learning_rate")
    record_every = _options.optional_whole(record_every, "record_every", 0, 2**64 - 1)
    sgd["epochs"] = epochs = _options.optional_number(epochs, "epochs")
    steps = _options.optional_whole(steps, "steps", -(2**63), 2**63 - 1)
    seed = _options.optional_whole(seed, "seed", 0, 2**64 - 1)
    check_solver(solver, isinstance(score, Tally), sgd)
    if blind and solver != "exact":
        raise ValueError("blind is for solver='exact'")
    tally, rows = tally_and_rows(
        score,
        sensitive,
        within=within,
        label=label,
        weight=weight,
        data=data,
        scale=scale,
        favorable=favorable,
        resolution=resolution,
        null=null,
        threads=threads,
        needed=bool(criterion),
    )
    warn_of_decisions(tally)
    built = _criteria.build(
        criterion,
        tally.sensitive,
        tally.within,
        across=across,
        tolerance=tolerance,
        ratio=ratio,
        rho=rho,
        require=require,
        no_worse=no_worse,
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
        solution = _core.solve(tally._core, built, *common, threads, bool(blind))
    elif stream and rows is not None:
        solution = _core.solve_stream(
            tally._core, built, *common, projection, learning_rate, record_every, threads,
            int(epochs or 1), rows.score, rows.attributes, rows.weight,
        )  # fmt: skip
    else:
        solution = _core.solve_sgd(
            tally._core, built, *common, projection, learning_rate, record_every, threads,
            25 if epochs is None else epochs, steps, seed or 0, tally._rows(),
        )  # fmt: skip
    options = {"cost_fp": cost_fp, "cost_fn": cost_fn, "base_threshold": base_threshold}
    refuse_infeasible(solution, tally, built)
    for note in solution.notes:
        warnings.warn(note, stacklevel=2)
    found = Fit(solution, tally, built, options)
    if found.status == "inaccurate":
        warnings.warn(
            f"the rule has no proof: gap {found.gap:.3g}, violation {found.violation:.3g}",
            stacklevel=2,
        )
    if blind and isinstance(solution, _core.Solution):
        found.blind = _core.blind_in_words(tally._core, tally.sensitive, tally.within, solution)
    return found
