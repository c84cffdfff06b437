"""The picture of a frontier."""

from __future__ import annotations

from typing import Any

from .._solve.frontier import Frontier
from .shared import COLOURS, STYLES, axes, legend, percent, titled


def plot_frontier(
    frontier: Frontier,
    ax: Any = None,
    *,
    value: str = "accuracy",
    label: str | None = None,
    chosen: float | None = None,
) -> Any:
    """Draw what a stricter criterion costs.

    Parameters
    ----------
    frontier : Frontier
        Of :func:`evenhand.frontier`.
    ax : matplotlib.axes.Axes, optional
        Where, and what is returned; a new figure by default. Frontiers in one picture have lines
        of their own.
    value : str
        What is shown against the tolerance or ratio: "accuracy", "cost", "objective",
        "selection_rate", "lottery_share" or another figure of the points.
    label : str, optional
        The line's name in the legend.
    chosen : float, optional
        The tolerance or ratio that was chosen: its point is marked.

    Examples
    --------
    >>> import evenhand
    >>> points = evenhand.frontier(
    ...     [0.2, 0.4, 0.6, 0.8], ["F", "F", "M", "M"], criterion="statistical-parity"
    ... )
    >>> ax = evenhand.plot_frontier(points)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('tolerance', 'expected accuracy')
    """
    if not isinstance(frontier, Frontier):
        raise TypeError(f"frontier must be a Frontier, not {type(frontier).__name__}")
    known = [key for key, one in frontier[0].items() if isinstance(one, (int, float))]
    if value not in known:
        raise ValueError(f"there is no value {value!r}: use one of {', '.join(known)}")
    ax = axes(ax)
    drawn = len([one for one in ax.get_lines() if hasattr(one, "_evenhand_name")])
    points = sorted(frontier, key=lambda point: float(point[frontier.parameter]))
    (line,) = ax.plot(
        [point[frontier.parameter] for point in points],
        [point[value] for point in points],
        color=COLOURS[drawn % len(COLOURS)],
        linestyle=STYLES[drawn % len(STYLES)],
        linewidth=1.8,
        marker="osD^v"[drawn % 5],
        markersize=5 if len(points) <= 40 else 0,
    )
    line._evenhand_name = label
    if chosen is not None:
        _mark(ax, points, frontier.parameter, chosen, value, line.get_color())
    ax.set_xlabel(frontier.parameter)
    expected = frontier.expected and value in ("accuracy", "cost", "precision")
    ax.set_ylabel(("expected " if expected else "") + value.replace("_", " "))
    percent(ax.yaxis, value not in ("cost", "objective", "slope", "gap", "weight"))
    named = [one for one in ax.get_lines() if getattr(one, "_evenhand_name", None)]
    if named:
        legend(ax, named, [one._evenhand_name for one in named])
    titled(ax, f"{value.replace('_', ' ')} against {frontier.parameter}")
    return ax


def _mark(
    ax: Any, points: list[dict[str, Any]], parameter: str, chosen: float, value: str, colour: str
) -> None:
    """Ring the point that was chosen, and say what it is worth."""
    found = [point for point in points if point[parameter] == chosen]
    if not found:
        known = ", ".join(f"{point[parameter]:g}" for point in points)
        raise ValueError(f"the frontier has no {parameter} {chosen:g}: chosen is one of {known}")
    place = (chosen, found[0][value])
    ax.plot(*place, marker="o", markersize=13, markerfacecolor="none", markeredgecolor=colour,
            markeredgewidth=1.8, linestyle="none", zorder=4)  # fmt: skip
    ax.annotate(f"chosen: {chosen:g}", place, xytext=(10, -14), textcoords="offset points",
                color=colour)  # fmt: skip
