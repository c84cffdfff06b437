"""frontier: what a stricter criterion costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

from .. import _core, _criteria, _options, _tables
from .._calibrate import Calibrator
from .._inputs import Column, Columns
from .._tally.as_tally import Given, as_tally
from .._tally.tally import Tally
from .errors import InfeasibleError
from .settings import gamma_of, objective, refuse_many_groups

TOLERANCES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)
RATIOS = (1.0, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5)


class Frontier(Sequence[dict[str, Any]]):
    """Points of the frontier, dictionaries with the names of the tool's JSON.

    Attributes
    ----------
    parameter : str
        What varies: "tolerance" or "ratio".
    expected : bool
        There were no labels: accuracy is what to expect if the scores are calibrated.
    by_cost : bool
        Costs differ: what matters is the mean cost of a decision, not accuracy.
    promised : bool
        There were labels, which measure accuracy, but the rules maximise what the scores promise:
        points have ``promised_accuracy`` and ``promised_cost`` too.
    notes : list of str
        Groups that lack outcomes of a kind, and are decided by those of others.
    """

    def __init__(
        self, points: list[dict[str, Any]], parameter: str, expected: bool, *,
        by_cost: bool = False, notes: Iterable[str] = (),
    ) -> None:  # fmt: skip
        self._points = points
        self.parameter = parameter
        self.expected = expected
        self.by_cost = by_cost
        self.notes = list(notes)
        self.promised = bool(points) and "promised_accuracy" in points[0]

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        """Return one point, or some."""
        return self._points[index]

    def __len__(self) -> int:
        """Count the points."""
        return len(self._points)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Go through the points."""
        return iter(self._points)

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        """Whether both have the same points."""
        return isinstance(other, Frontier) and vars(self) == vars(other)

    def to_dict(self) -> dict[str, Any]:
        """Return it as the tool's JSON has it."""
        out = {"expected": self.expected, "points": self._points}
        return {**out, "notes": self.notes} if self.notes else out

    def to_frame(self) -> Any:
        """Return a pandas frame, or a polars one if pandas is missing."""
        return _tables.to_frame(self._points)

    def _figure(self, point: dict[str, Any], prefix: str = "") -> str:
        value = point[prefix + ("cost" if self.by_cost else "accuracy")]
        if not self.by_cost:
            return _tables.percent(value)
        return "-" if value is None else f"{value:.6g}"

    def _table(self) -> tuple[list[str], list[list[str]]]:
        header = [self.parameter, "cost" if self.by_cost else "accuracy"]
        header += ["promised"] * self.promised + ["selected", "lottery share"]
        rows = [
            [
                f"{point[self.parameter]:.6g}",
                self._figure(point),
                *([self._figure(point, "promised_")] if self.promised else []),
                _tables.percent(point["selection_rate"]),
                _tables.percent(point["lottery_share"]),
            ]
            for point in self._points
        ]
        return header, rows

    def _note(self) -> str:
        what = "cost" if self.by_cost else "accuracy"
        if self.expected:
            return f"{what} is expected, if the scores are calibrated"
        if not self.promised:
            return ""
        best = "minimise" if self.by_cost else "maximise"
        whose = "with borrowed outcomes" if self.notes else "that the scores promise"
        lines = [f"the rules {best} the {what} {whose}; the labels measure the other"]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def __repr__(self) -> str:
        """Show a line for each point."""
        return "\n\n".join(filter(None, (_tables.text_table(*self._table()), self._note())))

    def _repr_html_(self) -> str:
        note = self._note()
        return _tables.html_table(*self._table()) + (_tables.html_lines(note) if note else "")


def _numbers_in(at: Any) -> list[float]:
    single = isinstance(at, (str, bytes)) or not isinstance(at, Iterable)
    single = single or getattr(at, "ndim", 1) == 0
    return [_options.number(one, "at") for one in ([at] if single else at)]


def frontier(
    score: Column | Tally, sensitive: Columns = None, *,
    criterion: str | None = None,
    at: float | Iterable[float] | None = None, breakpoints: bool = False,
    within: Columns = None, label: Column = None, weight: Column = None, data: Any = None,
    rho: float | str | None = None,
    require: str | Sequence[str] = (),
    across: str = "intersection", allow_many_groups: bool = False,
    scale: str | None = None, favorable: str | None = None, resolution: str | int | None = None,
    gamma: float | str | None = None,
    cost_fp: float = 1.0, cost_fn: float = 1.0, base_threshold: float | None = None,
    calibrate: str | Calibrator = "none", calibrate_by: str = "cell",
    null: str = "error", threads: int = 0,
) -> Frontier:  # fmt: skip
    """Show what a stricter criterion costs.

    Parameters
    ----------
    score, sensitive, criterion, within, label, weight, data, rho, require, across, scale
        As for :func:`evenhand.fit`.
    favorable, resolution, gamma, cost_fp, cost_fn, base_threshold, calibrate, calibrate_by
        As for :func:`evenhand.fit`.
    allow_many_groups, null, threads
        As for :func:`evenhand.fit`.
    at : float or iterable of float, optional
        Tolerances (for four-fifths: ratios).
    breakpoints : bool
        All tolerances where the slope changes, for criteria of one rate with a tolerance: between
        them accuracy is a straight line.

    Returns
    -------
    Frontier

    Examples
    --------
    >>> import evenhand
    >>> points = evenhand.frontier(
    ...     [0.2, 0.4, 0.6, 0.8], ["F", "F", "M", "M"],
    ...     criterion="statistical-parity", at=[0, 0.5, 1],
    ... )
    >>> [round(point["accuracy"], 3) for point in points]
    [0.6, 0.65, 0.7]
    """
    shared: dict[str, Any] = {"across": across, "rho": rho, "require": require}
    if not criterion and require:
        raise ValueError("requirements alone have no tolerance, so there is no frontier")
    _criteria.build(criterion, ["sensitive"], [], **shared)
    if breakpoints and at is not None:
        raise ValueError("give either at or breakpoints, not both")
    options = objective(cost_fp, cost_fn, base_threshold, calibrate, calibrate_by, threads)
    wanted = None if at is None else _numbers_in(at)
    given = Given(within, label, weight, data, scale, favorable, resolution, null, options.threads)
    tally = as_tally(score, sensitive, given, needed=True)
    if not allow_many_groups:
        refuse_many_groups(tally)
    built = _criteria.build(criterion, tally.sensitive, tally.within, **shared)
    _criteria.check_labels(built, tally.labelled)
    options.gamma = gamma_of(gamma, tally._rows(), tally) or 0.0
    parameter = "ratio" if built.is_ratio else "tolerance"
    usual = RATIOS if built.is_ratio else TOLERANCES
    parameters = list(usual) if wanted is None else wanted
    found = _core.frontier(tally._core, built, None if breakpoints else parameters, options)
    if isinstance(found, dict):
        raise InfeasibleError.from_record(found)
    by_cost = (options.cost_fp, options.cost_fn) != (1.0, 1.0)
    notes = _core.borrowing_in_words(tally._core, built)
    return Frontier(found, parameter, not tally.labelled, by_cost=by_cost, notes=notes)
