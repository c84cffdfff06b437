"""Pictures of the scores themselves, by group: ROC curves and reliability."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from .._solve.found import Fit
from .._tables import values_in_words
from .._tally.tally import Tally
from .shared import COLOURS, STYLES, axes, legend, percent, titled

Floats = npt.NDArray[np.float64]


def plot_roc(tally: Tally | Fit, ax: Any = None) -> Any:
    """Draw the ROC curve of each cell: true against false positives, at every threshold.

    Parameters
    ----------
    tally : Tally or Fit
        With labels.
    ax : matplotlib.axes.Axes, optional
        Where, and what is returned; a new figure by default.

    Examples
    --------
    >>> import evenhand
    >>> tally = evenhand.Tally([0.2, 0.4, 0.6, 0.8], ["F", "F", "M", "M"], label=[0, 1, 0, 1])
    >>> ax = evenhand.plot_roc(tally)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('false positive rate', 'true positive rate')
    """
    tally = _labelled(tally)
    ax = axes(ax)
    ax.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    lines, names = [], []
    for index, name, _, n, n1 in _cells(tally):
        order = slice(None, None, -1 if tally.favorable == "high" else 1)
        positives, negatives = np.cumsum(n1[order]), np.cumsum((n - n1)[order])
        if positives[-1] == 0 or negatives[-1] == 0:
            name += " (one outcome only)"
            curve: tuple[Any, Any] = ([], [])
        else:
            curve = (
                np.concatenate([[0], negatives / negatives[-1]]),
                np.concatenate([[0], positives / positives[-1]]),
            )
        lines += ax.plot(*curve, **_look(index))
        names.append(name)
    _square(ax, "false positive rate", "true positive rate")
    legend(ax, lines, names)
    titled(ax, "ROC by group")
    return ax


def plot_reliability(tally: Tally | Fit, ax: Any = None, *, bins: int = 10) -> Any:
    """Draw how often the outcome was positive against the score that promised it.

    Parameters
    ----------
    tally : Tally or Fit
        With labels, of scores that are probabilities.
    ax : matplotlib.axes.Axes, optional
        Where, and what is returned; a new figure by default.
    bins : int
        Into how many parts of about as many people the scores of a cell are cut.

    Examples
    --------
    >>> import evenhand
    >>> tally = evenhand.Tally([0.2, 0.4, 0.6, 0.8], ["F", "F", "M", "M"], label=[0, 1, 0, 1])
    >>> ax = evenhand.plot_reliability(tally, bins=2)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('mean score', 'share of positive outcomes')
    """
    tally = _labelled(tally)
    if tally.scale != "probability":
        raise ValueError(f"plot_reliability needs probabilities, not the scale {tally.scale}")
    ax = axes(ax)
    ax.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    lines, names = [], []
    for index, name, score, n, n1 in _cells(tally):
        part = np.minimum((np.cumsum(n) - n / 2) / n.sum() * bins, bins - 1).astype(int)
        weight, mean, share = (np.bincount(part, one, bins) for one in (n, n * score, n1))
        some = weight > 0
        lines += ax.plot(
            mean[some] / weight[some],
            share[some] / weight[some],
            marker="osD^v"[index % 5],
            markersize=4,
            **_look(index),
        )
        names.append(name)
    _square(ax, "mean score", "share of positive outcomes")
    legend(ax, lines, names)
    titled(ax, "reliability of the scores by group")
    return ax


def _labelled(tally: Any) -> Tally:
    tally = tally.tally if isinstance(tally, Fit) else tally
    if not isinstance(tally, Tally):
        raise TypeError(f"tally must be a Tally or a Fit, not {type(tally).__name__}")
    if not tally.labelled:
        raise ValueError("there are no labels: give label= where the rows are counted")
    return tally


def _cells(tally: Tally) -> Iterator[tuple[int, str, Floats, Floats, Floats]]:
    """Return each cell's number, name and entries, in ascending order of scores."""
    for index, cell in enumerate(tally.cells):
        found = tally.entries(index)
        order = np.argsort(found["score"], kind="stable")
        score, n, n1 = (found[name][order] for name in ("score", "n", "n1"))
        yield index, values_in_words(cell), score, n, n1


def _look(index: int) -> dict[str, Any]:
    return {
        "color": COLOURS[index % len(COLOURS)],
        "linestyle": STYLES[index % len(STYLES)],
        "linewidth": 1.6,
    }


def _square(ax: Any, across: str, up: str) -> None:
    """Make both axes shares."""
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    ax.set_aspect("equal")
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    for axis in (ax.xaxis, ax.yaxis):
        percent(axis, True)
