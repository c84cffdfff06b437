"""What fit and frontier check and look up before and after they solve."""

from __future__ import annotations

import warnings
from typing import Any

from .. import _core, _options
from .._calibrate import Calibrator
from .._tally.tally import Tally
from .errors import InfeasibleError


def warn_of_decisions(tally: Tally) -> None:
    """Say it if scores tell no more than decisions do; a handful may be so by chance."""
    if tally.total < 20 or tally.scale != "probability":
        return
    _, scores, _, _ = tally._core.all_entries()
    if len(scores) <= 2 * len(tally._core.cells) and not (set(scores.tolist()) - {0.0, 1.0}):
        warnings.warn(
            "every score is 0 or 1, as decisions are: a rule can do more with probabilities, such "
            "as predict_proba(X)[:, 1]",
            UserWarning,
            stacklevel=3,
        )


def objective(cost_fp: Any, cost_fn: Any, base_threshold: Any) -> tuple[float, float, float | None]:
    """Return costs and threshold as numbers."""
    return (
        _options.number(cost_fp, "cost_fp"),
        _options.number(cost_fn, "cost_fn"),
        _options.optional_number(base_threshold, "base_threshold"),
    )


def check_solver(solver: str, from_tally: bool, given: dict[str, Any]) -> None:
    """Refuse what is wrong whatever the rows, as the tool does."""
    _options.choice(solver, "solver")
    if solver == "exact":
        for name, value in given.items():
            if value is not None:
                raise ValueError(f"{name} is for solver='sgd'")
        return
    epochs, steps = given["epochs"], given["steps"]
    if epochs is not None and steps is not None:
        raise ValueError("give either epochs or steps, not both")
    if steps is not None and steps < 1:
        raise ValueError("steps takes a whole number above 0")
    if epochs is not None and not 0 < epochs <= 1e9:
        raise ValueError("epochs takes a number above 0, up to 1e9")
    if given["stream"]:
        if from_tally:
            raise ValueError("stream needs rows: give columns, not a tally")
        if steps is not None:
            raise ValueError("stream takes whole passes: give epochs, not steps")
        if given["seed"] is not None:
            raise ValueError("stream takes rows in their order: there is nothing to seed")
        if epochs is not None and epochs != int(epochs):
            raise ValueError("stream takes whole passes: give epochs a whole number")


def gamma_of(gamma: float | str | None, tally: Tally, default: float) -> float:
    """Return the width of randomization."""
    if gamma is None:
        return default
    if isinstance(gamma, str) and gamma == "auto":
        rows = tally._rows()
        return _core.gamma_schedule(rows) if rows else _core.gamma_schedule_of(tally._core)
    if isinstance(gamma, str):
        raise ValueError(f"gamma is a number or 'auto', not {gamma!r}")
    return _options.number(gamma, "gamma")


def calibration_of(calibrate: str | Calibrator) -> tuple[str, _core.Calibrator | None]:
    """Return the method, and a calibrator that was fitted before."""
    if isinstance(calibrate, Calibrator):
        return "none", calibrate._core
    return _options.text(calibrate, "calibrate"), None


def refuse_infeasible(
    solution: _core.Solution | _core.SgdResult, tally: Tally, criterion: _core.Criterion
) -> None:
    """Raise if there is no rule."""
    if solution.infeasible:
        record = solution.record(tally._core)["infeasibility"]
        raise InfeasibleError.from_record(criterion.name if criterion.rates else None, record)
