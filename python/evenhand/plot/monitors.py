"""The picture of a monitor."""

from __future__ import annotations

import math
from typing import Any

from .._monitor import Monitor
from .shared import AFTER, BEFORE, axes, printable, titled


def plot_monitor(monitor: Monitor, ax: Any = None) -> Any:
    """Draw the evidence of a monitor against time.

    Parameters
    ----------
    monitor : Monitor
        With at least one batch.
    ax : matplotlib.axes.Axes, optional
        Where, and what is returned; a new figure by default.

    Examples
    --------
    >>> import evenhand
    >>> watch = evenhand.Monitor(tolerance=0.1, sensitive="sex", decision="yes")
    >>> for month in ("2025-01", "2025-02"):
    ...     watch = watch.add({"sex": ["F", "M"] * 50, "yes": [0, 1] * 50}, name=month)
    >>> evenhand.plot_monitor(watch).get_ylabel()
    'evidence'
    """
    if not isinstance(monitor, Monitor):
        raise TypeError(f"monitor must be a Monitor, not {type(monitor).__name__}")
    looks = monitor.looks
    if not looks:
        raise ValueError("the monitor has seen no batch yet")
    found = monitor.to_dict()
    ax = axes(ax)
    places = range(len(looks))
    evidence = [math.exp(max(-700.0, min(700.0, look["log_evidence"]))) for look in looks]
    raised = 1 / (1 - found["confidence"])
    ax.set_yscale("log")
    ax.plot(places, evidence, color=AFTER, linewidth=1.8, marker="o", markersize=5)
    ax.axhline(raised, color=BEFORE, linestyle=(0, (5, 2)), linewidth=1.5)
    ax.annotate(
        f"alarm from {raised:.3g}", (0, raised), xytext=(2, 4), textcoords="offset points",
        color=BEFORE,
    )  # fmt: skip
    alarmed = [(place, evidence[place]) for place in places if looks[place]["alarm"]]
    if alarmed:
        ax.plot(*zip(*alarmed, strict=True), color=BEFORE, marker="o", markersize=9,
                markerfacecolor="none", markeredgewidth=1.8, linestyle="none")  # fmt: skip
    low, high = min(0.1, *evidence), max(raised * 5, *evidence)
    ax.set_ylim(low / 2, high * 2)
    shown = list(places)[:: max(1, len(looks) // 12)]
    names = [printable(looks[place]["batch"]) for place in shown]
    turned = 30 if len(looks) > 6 else 0
    ax.set_xticks(shown, names, rotation=turned, parse_math=False, usetex=False)
    ax.set_xlabel("batch")
    ax.set_ylabel("evidence")
    titled(ax, f"evidence that groups differ by more than {100 * found['tolerance']:g} %")
    return ax
