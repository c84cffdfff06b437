"""What fit and frontier check and look up before and after they solve."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from .. import _core, _options
from .._calibrate import Calibrator
from .._tally.tally import Tally
from .errors import InfeasibleError


def warn_of_decisions(tally: Tally) -> None:
    """Say it if scores tell no more than decisions do; a handful may be so by chance."""
    if tally.total < 20 or tally.scale != "probability":
        return
    if _core.only_zero_and_one(tally._core):
        warnings.warn(
            "every score is 0 or 1, as decisions are: a rule can do more with probabilities, such "
            "as predict_proba(X)[:, 1]",
            UserWarning,
            stacklevel=3,
        )


def refuse_many_groups(tally: Tally) -> None:
    """Refuse a sensitive column that seems to tell people apart, not groups."""
    doubt = _core.doubt_about_groups(tally._core, tally.sensitive, tally._rows())
    if doubt:
        raise ValueError(
            f"{doubt}: is it the right column? allow_many_groups=True if these are groups"
        )


def objective(
    cost_fp: Any,
    cost_fn: Any,
    base_threshold: Any,
    calibrate: str | Calibrator,
    calibrate_by: Any,
    threads: Any,
) -> _core.SolveOptions:
    """Return what is best, as the library takes it."""
    options = _core.SolveOptions()
    options.cost_fp = _options.number(cost_fp, "cost_fp")
    options.cost_fn = _options.number(cost_fn, "cost_fn")
    options.base_threshold = _options.optional_number(base_threshold, "base_threshold")
    if isinstance(calibrate, Calibrator):
        options.calibrator = calibrate._core
    else:
        options.calibrate = _options.text(calibrate, "calibrate")
    options.calibrate_by = _options.text(calibrate_by, "calibrate_by")
    options.threads = _options.threads(threads)
    return options


def put_coins(
    options: _core.SolveOptions, lottery: Any, max_lottery: Any, *, beside: str | None
) -> None:
    """Say who is decided by a coin; ``beside`` is what that cannot be combined with, if wanted."""
    options.lottery = _options.choice(lottery, "lottery")
    options.max_lottery = _options.optional_number(max_lottery, "max_lottery")
    if beside and lottery != "fewest":
        raise ValueError(f"lottery={lottery!r} cannot be combined with {beside}")
    if max_lottery is None:
        return
    if beside:
        raise ValueError(f"max_lottery cannot be combined with {beside}")
    if not 0 <= options.max_lottery <= 1:  # type: ignore[operator]
        raise ValueError(f"max_lottery is a share of each group, from 0 to 1, not {max_lottery}")
    if lottery != "fewest":
        raise ValueError(f"max_lottery cannot be combined with lottery={lottery!r}")


@dataclass(frozen=True)
class NewPeople:
    """What is asked for people not met yet: a bound, or a certificate."""

    confidence: float = 0.95
    bound: str | None = None
    certify: float | None = None
    partial: bool = False

    @classmethod
    def of(
        cls, confidence: Any, bound: Any, certify: Any, partial: Any, *, solver: str, blind: bool
    ) -> NewPeople:
        """Check what was given.

        Raises
        ------
        ValueError
            For what cannot be, and what cannot be combined.
        """
        for name, value in (("confidence", confidence), ("certify", certify)):
            if value is not None and not 0 < _options.number(value, name) < 1:
                raise ValueError(f"{name} lies between 0 and 1, for example 0.95, not {value}")
        kind = None if bound is None else _options.text(bound, "bound")
        if certify is None:
            if partial:
                raise ValueError("certify_partial needs certify, for example certify=0.95")
            return cls(0.95 if confidence is None else float(confidence), kind)
        for given, name, why in (
            (solver != "exact", "solver='sgd'", "a certificate needs the exact optimum"),
            (confidence is not None, "confidence", "certify already sets the confidence"),
            (bound is not None, "bound", "certified rules are bounded by same-rate"),
            (blind, "blind", "the rules of a certificate look at groups"),
        ):
            if given:
                raise ValueError(f"certify cannot be combined with {name}: {why}")
        return cls(float(certify), None, float(certify), bool(partial))


@dataclass(frozen=True)
class Stochastic:
    """The options of ``solver="sgd"``, as a user gave them."""

    projection: Any = "corrected"
    learning_rate: Any = None
    epochs: Any = None
    steps: Any = None
    seed: Any = None
    stream: Any = False
    record_every: Any = None

    def check(self, solver: str, from_tally: bool) -> None:
        """Refuse what is wrong whatever the rows, as the tool does."""
        _options.choice(solver, "solver")
        if solver == "exact":
            for name, usual in vars(type(self)).items():
                if name in self.__dataclass_fields__ and getattr(self, name) != usual:
                    raise ValueError(f"{name} is for solver='sgd'")
            return
        epochs = _options.optional_number(self.epochs, "epochs")
        steps = _options.optional_whole(self.steps, "steps", -(2**63), 2**63 - 1)
        if epochs is not None and steps is not None:
            raise ValueError("give either epochs or steps, not both")
        if steps is not None and steps < 1:
            raise ValueError("steps takes a whole number above 0")
        if epochs is not None and not 0 < epochs <= 1e9:
            raise ValueError("epochs takes a number above 0, up to 1e9")
        if not self.stream:
            return
        if from_tally:
            raise ValueError("stream needs rows: give columns, not a tally")
        if steps is not None:
            raise ValueError("stream takes whole passes: give epochs, not steps")
        if self.seed is not None:
            raise ValueError("stream takes rows in their order: there is nothing to seed")
        if epochs is not None and epochs != int(epochs):
            raise ValueError("stream takes whole passes: give epochs a whole number")

    def options(self, solving: _core.SolveOptions, rows: float | None) -> _core.SgdOptions:
        """Return them as the library takes them; ``rows`` are those of an epoch, if known."""
        out = _core.SgdOptions(solving)
        out.projection = _options.text(self.projection, "projection")
        out.learning_rate = _options.optional_number(self.learning_rate, "learning_rate")
        if self.epochs is not None:
            out.epochs = _options.number(self.epochs, "epochs")
        out.rows = rows
        out.steps = _options.optional_whole(self.steps, "steps", 0, 2**63 - 1)
        out.seed = _options.optional_whole(self.seed, "seed", 0, 2**64 - 1) or 0
        out.record_every = _options.optional_whole(self.record_every, "record_every", 0, 2**64 - 1)
        return out


def gamma_of(gamma: float | str | None, rows: float | None, tally: Tally | None) -> float | None:
    """Return the width of randomization; None for the usual one."""
    if gamma is None:
        return None
    if isinstance(gamma, str) and gamma == "auto":
        if rows or tally is None:
            return _core.gamma_schedule(rows or 0.0)
        return _core.gamma_schedule_of(tally._core)
    if isinstance(gamma, str):
        raise ValueError(f"gamma is a number or 'auto', not {gamma!r}")
    return _options.number(gamma, "gamma")


def refuse_infeasible(solution: _core.Solution | _core.SgdResult, tally: Tally) -> None:
    """Raise if there is no rule."""
    if solution.infeasible:
        raise InfeasibleError.from_record(solution.record(tally._core)["infeasibility"])
