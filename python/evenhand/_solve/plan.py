"""plan: how many people it takes to show that a rule is fair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import _core, _criteria, _options, _tables
from .._calibrate import Calibrator
from .._inputs import Column, Columns
from .._tally.as_tally import Given, as_tally
from .._tally.tally import Tally
from .settings import objective


class Plan:
    """How many people are needed.

    Made by :func:`evenhand.plan`.

    Attributes
    ----------
    fitted, fresh : int
        People needed to bound a rule that is fitted on them, and one that they are new to: in all
        if the plan was made from data, else in each group.
    per_group : bool
        The figures are those of each group.
    rows : int or None
        People in the data.
    at_hand : float or None
        The bound that a rule fitted on the data has.
    tolerance, ratio : float or None
        What is to be shown.
    confidence, power : float
        How sure.
    kind : str
        The bound of a fitted rule: "same-rate", "any" or "dkw".
    """

    def __init__(
        self, found: dict[str, float], options: _core.PlanOptions, rows: float | None
    ) -> None:
        self.tolerance = options.tolerance
        self.ratio = options.ratio
        self.confidence = options.confidence
        self.power = options.power
        self.kind = options.kind
        self.per_group = rows is None
        self.rows = None if rows is None else int(rows)
        self.fitted = math.ceil(found["fitted"] * (rows or 1))
        self.fresh = math.ceil(found["fresh"] * (rows or 1))
        self.at_hand = None if rows is None else found["at_hand"]

    def to_dict(self) -> dict[str, Any]:
        """Return it as the tool's JSON has it."""
        goal = {"tolerance": self.tolerance} if self.ratio is None else {"ratio": self.ratio}
        unit = "rows_per_group" if self.per_group else "rows"
        out: dict[str, Any] = {
            **goal,
            "confidence": self.confidence,
            "power": self.power,
            "bound": self.kind,
            f"{unit}_fitted": self.fitted,
            f"{unit}_fresh": self.fresh,
        }
        if not self.per_group:
            out |= {"rows": self.rows, "bound_at_hand": self.at_hand}
        return out

    def __eq__(self, other: object) -> bool:
        """Whether all figures are the same."""
        return isinstance(other, Plan) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Say it as the tool does."""
        if self.ratio is None:
            goal = f"the largest difference is at most {100 * (self.tolerance or 0):.6g} %"
        else:
            goal = f"the smallest ratio is at least {self.ratio:.6g}"
        chance = f"for a rule they are new to, with a chance of {100 * self.power:.6g} %"
        table = _tables.text_table(
            ["", "people in each group" if self.per_group else "people like these"],
            [["for a rule fitted on them", f"{self.fitted:,}"], [chance, f"{self.fresh:,}"]],
        )
        out = f"To show that {goal} ({100 * self.confidence:.6g} % confidence)\n\n{table}"
        if self.at_hand is None:
            return out
        bound = f"{self.at_hand:.3g}" if self.ratio else _tables.percent(self.at_hand, 1)
        return f"{out}\n\nThere are {self.rows:,}: a rule fitted on them has a bound of {bound}."

    def _repr_html_(self) -> str:
        return _tables.html_lines(repr(self))


def plan(
    score: Column | Tally = None, sensitive: Columns = None, *,
    tolerance: float | None = None, ratio: float | None = None,
    rate: float | None = None, groups: int | None = None, strata: int | None = None,
    criterion: str | None = None,
    confidence: float = 0.95,
    power: float = 0.8, actual: float | None = None, bound: str = "same-rate",
    within: Columns = None, label: Column = None,
    data: Any = None,
    require: str | Sequence[str] = (),
    scale: str | None = None, favorable: str | None = None, resolution: str | int | None = None,
    calibrate: str | Calibrator = "none",
    null: str = "error", threads: int = 0,
) -> Plan:  # fmt: skip
    """Say how many people it takes to show that groups hardly differ.

    From data, which has sizes and rates, or from numbers: ``rate``, ``groups`` and ``strata``.

    Parameters
    ----------
    score, sensitive, within, label, data, criterion, scale, favorable, resolution, calibrate
        As for :func:`evenhand.fit`: rows like those to come.
    tolerance : float, optional
        Show that the largest difference is at most this; or give ``ratio``.
    ratio : float, optional
        Show that the smallest ratio is at least this.
    rate : float, optional
        Without data: the rate that the groups have in common.
    groups, strata : int, optional
        Without data: groups that are compared, 2 by default, and strata, 1 by default.
    confidence : float
        Of the bound, 0.95 by default.
    power : float
        How likely new rows are to show it, 0.8 by default.
    actual : float, optional
        The true difference, or ratio, that new rows are drawn with; 0, or 1, by default.
    bound : {"same-rate", "any", "dkw"}
        The bound of a fitted rule.
    require, null, threads
        As for :func:`evenhand.fit`.

    Returns
    -------
    Plan

    Examples
    --------
    >>> import evenhand
    >>> plan = evenhand.plan(tolerance=0.05, rate=0.2)
    >>> plan.fitted > plan.fresh > 1000
    True
    """
    options = _core.PlanOptions()
    options.tolerance = _options.optional_number(tolerance, "tolerance")
    options.ratio = _options.optional_number(ratio, "ratio")
    if tolerance is None and ratio is None:
        raise ValueError("say what to show: tolerance=0.05, or ratio=0.8")
    options.confidence = _options.number(confidence, "confidence")
    options.power = _options.number(power, "power")
    options.actual = _options.optional_number(actual, "actual")
    options.kind = _options.text(bound, "bound")
    if score is None:
        if rate is None:
            raise ValueError("give the selection rate: rate=0.2, or give scores and a criterion")
        numbers = (
            _options.number(rate, "rate"),
            _options.whole(2 if groups is None else groups, "groups", 0, 2**31 - 1),
            _options.whole(1 if strata is None else strata, "strata", 0, 2**31 - 1),
        )
        return Plan(_core.plan(_core.planned_by_numbers(*numbers), options), options, None)
    for name, value in (("rate", rate), ("groups", groups), ("strata", strata)):
        if value is not None:
            raise ValueError(f"{name} is for plans without data")
    solving = objective(1.0, 1.0, None, calibrate, "cell", threads)
    given = Given(within, label, None, data, scale, favorable, resolution, null, solving.threads)
    tally = as_tally(score, sensitive, given, needed=True)
    built = _criteria.build(criterion, tally.sensitive, tally.within, require=require)
    _criteria.check_labels(built, tally.labelled)
    found = _core.planned_by_fit(tally._core, built, solving)
    return Plan(_core.plan(found, options), options, tally.total)
