"""fit: the most accurate rule among all that are fair."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from .. import _core, _criteria
from .._calibrate import Calibrator
from .._criteria import documented
from .._inputs import Column, Columns
from .._tally.as_tally import Given, tally_and_rows
from .._tally.tally import Tally
from .errors import TooFewRowsError
from .found import Fit
from .provenance import Source, provenance
from .settings import (
    NewPeople,
    Stochastic,
    gamma_of,
    objective,
    put_coins,
    refuse_infeasible,
    refuse_many_groups,
    warn_of_decisions,
)


@documented
def fit(
    score: Column | Tally, sensitive: Columns = None, *,
    criterion: str | None = None,
    within: Columns = None, label: Column = None, weight: Column = None, data: Any = None,
    tolerance: float | None = None, ratio: float | None = None, rho: float | str | None = None,
    require: str | Sequence[str] = (), no_worse: str | Sequence[str] = (),
    blind: bool = False,
    lottery: str = "fewest", max_lottery: float | None = None,
    confidence: float | None = None, bound: str | None = None, certify: float | None = None,
    certify_partial: bool = False,
    across: str = "intersection", allow_many_groups: bool = False,
    scale: str | None = None, favorable: str | None = None, resolution: str | int | None = None,
    gamma: float | str | None = None,
    cost_fp: float = 1.0, cost_fn: float = 1.0, base_threshold: float | None = None,
    calibrate: str | Calibrator = "none", calibrate_by: str = "cell",
    solver: str = "exact", projection: str = "corrected", learning_rate: float | None = None,
    epochs: float | None = None, steps: int | None = None, seed: int | None = None,
    stream: bool = False, record_every: int | None = None,
    null: str = "error", threads: int = 0,
    source: Source = True, stamp: bool = False,
) -> Fit:  # fmt: skip
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
        What is fair; there is no default, but ``require`` may stand alone. Fairlearn's names are
        accepted too.

        {criteria}
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
    lottery : {"fewest", "least-chance", "none"}
        Who is decided by a coin: as few people as the best rates allow; more people, but with
        little chance in all; or nobody, which may cost accuracy.
    max_lottery : float, optional
        The largest share of each group that coins may decide, from 0 to 1; one score always may.
    confidence : float, optional
        Of :attr:`Fit.bound`, which says how far groups may differ among new people; 0.95 by
        default.
    bound : {"same-rate", "any", "dkw"}, optional
        The kind of that bound; "same-rate" by default where the criterion ties the rates.
    certify : float, optional
        Find the most accurate rule that keeps the tolerance among new people too, with this
        confidence.
    certify_partial : bool
        Certify the strata that have enough rows, and list the others.
    across : {"intersection", "marginal", "both"}
        Several sensitive columns: fair between their combinations, for each column on its own, or
        both.
    allow_many_groups : bool
        Accept a sensitive column with more than 50 values and fewer than 10 rows each on average.
    scale : {"probability", "signed", "logit", "raw"}, optional
        How a score is read; "probability" by default, or as the tally says.
    favorable : {"high", "low"}, optional
        Which scores deserve the favourable decision; "high" by default. With "low" (a risk) the
        label 1 is the harm.
    resolution : {"exact", "auto"} or int, optional
        How finely scores are told apart; "exact" by default.
    gamma : float or "auto", optional
        Width of randomization. 0 by default (0.01 for ``solver="sgd"``): coins decide only where
        the best rule needs them. "auto" is the paper's schedule, ``rows ** (-1/6)``.
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
    null : str
        Missing values: "error"; "exclude" leaves such rows out and counts them (``excluded``); any
        other text is the name of missing groups, and a missing score, label or weight is an error.
    threads : int
        0 for as many as there are cores. The result does not depend on it.
    source : bool, path or paths
        The rule's file records under ``fit.source`` how it came to be: this call (columns by name)
        and versions; with the path or paths of the files that the rows came from, also these, by
        name and size. False leaves it out: the file is then that of the tool with
        ``--no-source``, byte for byte.
    stamp : bool
        Add the time to ``source``.

    Returns
    -------
    Fit

    Raises
    ------
    InfeasibleError
        If no rule meets the requirements.
    TooFewRowsError
        If there are too few rows for ``certify``.
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
    made = provenance(fit, locals(), source, stamp)
    strictness: dict[str, Any] = {
        "across": across, "tolerance": tolerance, "ratio": ratio, "rho": rho,
        "require": require, "no_worse": no_worse,
    }  # fmt: skip
    # Errors in these show before rows are read.
    _criteria.build(criterion, ["sensitive"], [], **strictness)
    options = objective(cost_fp, cost_fn, base_threshold, calibrate, calibrate_by, threads)
    sgd = Stochastic(projection, learning_rate, epochs, steps, seed, stream, record_every)
    sgd.check(solver, isinstance(score, Tally))
    if blind and solver != "exact":
        raise ValueError("blind cannot be combined with solver='sgd'")
    options.blind = bool(blind)
    wanted = NewPeople.of(
        confidence, bound, certify, certify_partial, solver=solver, blind=options.blind
    )
    beside = "solver='sgd'" if solver == "sgd" else "certify" if wanted.certify else None
    put_coins(options, lottery, max_lottery, beside=beside)
    given = Given(within, label, weight, data, scale, favorable, resolution, null, options.threads)
    tally, rows = tally_and_rows(score, sensitive, given, needed=bool(criterion))
    warn_of_decisions(tally)
    if not allow_many_groups:
        refuse_many_groups(tally)
    built = _criteria.build(
        criterion, tally.sensitive, tally.within, blind=options.blind, **strictness
    )
    _criteria.check_labels(built, tally.labelled)
    usual = 0.0 if solver == "exact" else 0.01
    chosen = gamma_of(gamma, tally._rows(), tally)
    options.gamma = usual if chosen is None else chosen
    solution: _core.Solution | _core.SgdResult
    certified: _core.CertifiedFit | None = None
    if solver == "sgd":
        settings = sgd.options(options, tally._rows())
        if rows is not None and stream:
            passes = int(epochs or 1)
            solution = _core.solve_stream(
                tally._core, built, settings, passes, rows.score, rows.attributes, rows.weight
            )
        else:
            solution = _core.solve_sgd(tally._core, built, settings)
    elif wanted.certify is not None:
        certified = _core.certify(tally._core, built, options, wanted.certify, wanted.partial)
        solution = certified.solution
    else:
        solution = _core.solve(tally._core, built, options)
    refuse_infeasible(solution, tally)
    if certified is not None and certified.too_few:
        raise TooFewRowsError.from_record(
            certified.too_few_words(tally._core), certified.too_few_record(tally._core)
        )
    found = Fit(solution, tally, built, options, wanted, certified, made)
    for warning in found._warnings():
        warnings.warn(warning, stacklevel=2)
    return found
