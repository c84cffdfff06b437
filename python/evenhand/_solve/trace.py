"""The course of a run of stochastic gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from .. import _core, _tables

Point = tuple[int, float, float, list[float], list[float]]


class Trace(Sequence[dict[str, Any]]):
    """Points of a run, dictionaries with the names of the tool's JSON.

    Each has ``step``, ``epoch``, ``dual`` (the objective that is minimised, at the means),
    ``violation`` (of the rule that the means would make), and ``mean`` and ``last``, a number for
    each multiplier.

    Attributes
    ----------
    names : list of str
        The multipliers' cells.
    rows : float
        Steps of an epoch.
    """

    def __init__(self, names: list[str], rows: float, points: list[Point]) -> None:
        self.names = names
        self.rows = rows
        self._points = points

    def _point(self, point: Point) -> dict[str, Any]:
        step, dual, violation, mean, last = point
        return {
            "step": step,
            "epoch": step / self.rows,
            "dual": dual,
            "violation": violation,
            "mean": mean,
            "last": last,
        }

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        """Return one point, or some."""
        if isinstance(index, slice):
            return [self._point(point) for point in self._points[index]]
        return self._point(self._points[index])

    def __len__(self) -> int:
        """Count the points."""
        return len(self._points)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Go through the points."""
        return map(self._point, self._points)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same points, bit for bit."""
        return isinstance(other, Trace) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record for each point: the columns of :meth:`to_csv`."""
        out = []
        for point in self:
            flat = {key: point[key] for key in ("step", "epoch", "dual", "violation")}
            for kind in ("mean", "last"):
                for name, value in zip(self.names, point[kind], strict=True):
                    flat[f"{kind} of {name}"] = value
            out.append(flat)
        return out

    def to_csv(self) -> str:
        """Return the text of the file that the tool's ``--trace`` writes."""
        return _core.trace_csv(self.names, self.rows, self._points)

    def to_dict(self) -> dict[str, Any]:
        """Return it as the tool's ``--trace`` writes it to a .json file."""
        return {"rows": self.rows, "multipliers": self.names, "points": list(self)}

    def to_frame(self) -> Any:
        """Return :meth:`records` as a pandas frame, or a polars one if pandas is missing."""
        return _tables.to_frame(self.records())

    def __repr__(self) -> str:
        """Say what it has."""
        return f"Trace({len(self)} points of {len(self.names)} multipliers)"
