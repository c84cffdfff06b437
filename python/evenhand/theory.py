"""The paper's theorems as calculators: as printed, and as corrected where that differs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core, _inputs, _options
from ._inputs import Column
from ._tally.tally import Tally

__all__ = [
    "ExcessRisk",
    "Impossibility",
    "RiskBound",
    "SgdError",
    "excess_risk",
    "gamma_schedule",
    "impossibility",
    "sgd_error",
    "sgd_error_at",
]


@dataclass(frozen=True)
class Impossibility:
    """Theorem 2: some split of the population has at least this covariance with the decisions.

    Attributes
    ----------
    bound : float
        ``deviation / 2 * min(selection_rate, 1 - selection_rate)``.
    value : float
        The mean absolute covariance under the split ``witness``; never below the bound.
    witness : numpy.ndarray
        1 for rows on one side of the split.
    selection_rate, mean_membership, deviation : float
        Means of the decisions, of the membership, and of its distance from its mean.
    """

    bound: float
    value: float
    witness: npt.NDArray[np.uint8]
    selection_rate: float
    mean_membership: float
    deviation: float


@dataclass(frozen=True)
class RiskBound:
    """A bound on an error; vacuous from 1 on."""

    value: float
    vacuous: bool


@dataclass(frozen=True)
class ExcessRisk:
    """Theorem 3: by how much the error exceeds that of the best fair rule, at most.

    Neither figure is proven; ``proof_gap`` says what the paper's proof leaves open.
    """

    printed: RiskBound
    corrected: RiskBound
    proof_gap: str = _core.THEOREM_3_GAP


@dataclass(frozen=True)
class SgdError:
    """Proposition 4: the expected excess of the dual objective after so many steps, at most."""

    learning_rate: float
    printed: float
    corrected: float
    wider_box: float
    wider_learning_rate: float
    wider_box_at_its_rate: float


def impossibility(decision: Column, membership: Column, *, weight: Column = None) -> Impossibility:
    """Find a split of the population that the decisions are unfair to.

    Parameters
    ----------
    decision : column
        0 or 1.
    membership : column
        ``P(S | x)`` in [0, 1], or S itself as 0 and 1.
    weight : column, optional
        How often a row counts.

    Examples
    --------
    >>> from evenhand import theory
    >>> theory.impossibility([0, 1, 0, 1], [0, 0, 1, 1]).bound
    0.125
    """
    record: dict[str, Any] = _core.impossibility(
        _inputs.numbers(decision, "decision"),
        _inputs.numbers(membership, "membership"),
        None if weight is None else _inputs.numbers(weight, "weight"),
    )
    return Impossibility(**record)


def excess_risk(
    rows: float,
    gamma: float | str = "auto",
    *,
    strata: float = 1,
    delta: float = 0.05,
    regressor_error: float = 0,
) -> ExcessRisk:
    """Bound the excess risk of a rule that was fitted on so many fresh rows.

    Parameters
    ----------
    rows : float
        Rows the rule is fitted on.
    gamma : float or "auto"
        Width of randomization; "auto" is :func:`gamma_schedule` of the rows.
    strata : float
        Strata that are fair each on its own.
    delta : float
        The bound fails with at most this probability.
    regressor_error : float
        Mean absolute error of the scores on the scale of -1 to 1.

    Examples
    --------
    >>> from evenhand import theory
    >>> theory.excess_risk(1000, 0.1).printed.vacuous
    True
    """
    if isinstance(gamma, str) and gamma != "auto":
        raise ValueError(f"gamma is a number or 'auto', not {gamma!r}")
    record = _core.excess_risk(
        _options.number(rows, "rows"),
        gamma_schedule(rows) if isinstance(gamma, str) else _options.number(gamma, "gamma"),
        _options.number(strata, "strata"),
        _options.number(delta, "delta"),
        _options.number(regressor_error, "regressor_error"),
    )
    return ExcessRisk(RiskBound(*record["printed"]), RiskBound(*record["corrected"]))


def sgd_error(steps: float, gamma: float = 0.01, *, strata: float = 1, b: float = 0) -> SgdError:
    """Bound the error of stochastic gradient descent after so many steps.

    Parameters
    ----------
    steps : float
        Steps in all.
    gamma : float
        Width of randomization.
    strata : float
        Multipliers: strata, if there are two groups.
    b : float
        The constant of the dual: 0, or rho for equal rates.

    Examples
    --------
    >>> from evenhand import theory
    >>> theory.sgd_error(10000, 1.0).learning_rate
    0.02
    """
    return SgdError(**_core.sgd_error(*_sgd_numbers(steps, gamma, strata, b)))


def _sgd_numbers(steps: Any, gamma: Any, strata: Any, b: Any) -> tuple[float, float, float, float]:
    return (
        _options.number(steps, "steps"),
        _options.number(gamma, "gamma"),
        _options.number(strata, "strata"),
        _options.number(b, "b"),
    )


def sgd_error_at(
    steps: float, gamma: float = 0.01, *,
    learning_rate: float, box: float, strata: float = 1, b: float = 0,
) -> float:  # fmt: skip
    """Bound the same for any learning rate and any box that contains the optimum."""
    return _core.sgd_error_at(
        *_sgd_numbers(steps, gamma, strata, b),
        _options.number(learning_rate, "learning_rate"),
        _options.number(box, "box"),
    )


def gamma_schedule(rows: float | Tally) -> float:
    """Return the paper's width of randomization for so many rows, ``rows ** (-1/6)``.

    Examples
    --------
    >>> from evenhand import theory
    >>> theory.gamma_schedule(64)
    0.5
    """
    if isinstance(rows, Tally):
        return _core.gamma_schedule_of(rows._core)
    return _core.gamma_schedule(_options.number(rows, "rows"))
