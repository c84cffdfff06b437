"""The half of fit for soft attributes."""

from __future__ import annotations

from typing import Any

from .. import _core, _criteria, _options
from .._inputs.rows import Rows
from .._tally.tally import Tally
from .found import SoftFit
from .settings import objective


def refuse_beside_soft(**given: Any) -> None:
    """Refuse what soft attributes go without."""
    if given["sensitive"] is not None:
        raise ValueError("give either sensitive or soft, not both")
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"soft goes without {name}")


def fit_soft(
    score: Any,
    soft: Any,
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
    null: str,
    threads: int,
) -> SoftFit:
    """Find the most accurate rule for attributes that are known as probabilities."""
    if isinstance(score, Tally):
        raise TypeError("soft attributes need rows, not a tally")
    _criteria.refuse_beside_soft(criterion)
    rows = Rows.read(
        score, None, within=within, label=label, weight=weight, data=data, null=null, soft=soft
    )
    if isinstance(gamma, str) and gamma == "auto":
        gamma = _core.gamma_schedule(float(len(rows.score)))
    if isinstance(gamma, str):
        raise ValueError(f"gamma is a number or 'auto', not {gamma!r}")
    scale = _options.text(scale or "probability", "scale")
    favorable = _options.text(favorable or "high", "favorable")
    cost_fp, cost_fn, _ = objective(cost_fp, cost_fn, None)
    solution = _core.solve_soft(
        rows.score,
        rows.soft,
        rows.attributes,
        rows.weight,
        scale,
        favorable,
        cost_fp,
        cost_fn,
        0.0 if gamma is None else _options.number(gamma, "gamma"),
        bool(exhaustive),
        _options.threads(threads),
    )
    return SoftFit(
        solution, rows, scale=scale, favorable=favorable, cost_fp=cost_fp, cost_fn=cost_fn
    )
