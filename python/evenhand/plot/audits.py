"""The picture of an audit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._audit.audit import Audit
from .._solve.found import Fit
from .._tables import values_in_words
from .shared import AFTER, BEFORE, axes, legend, name_of, percent, places_of, tick_names, titled

RATES = (
    "selection_rate",
    "true_positive_rate",
    "false_positive_rate",
    "precision",
    "accuracy",
    "cost",
)


def plot_audit(
    audit: Audit | Fit, ax: Any = None, *, rate: str | None = None, tolerance: float | None = None
) -> Any:
    """Draw a rate of each group with its interval, before and after the rule.

    Parameters
    ----------
    audit : Audit or Fit
        Of :func:`evenhand.audit`; that of a rule shows the decisions before it too. Of a fit, its
        rows before and after.
    ax : matplotlib.axes.Axes, optional
        Where, and what is returned; a new figure by default.
    rate : str, optional
        The one that the criterion compares by default; else "selection_rate",
        "true_positive_rate" or "false_positive_rate", with intervals, "precision", "accuracy" or
        "cost", without.
    tolerance : float, optional
        How far apart rates may be: a band of that width, in each stratum; that of a fit by default.

    Examples
    --------
    >>> import evenhand
    >>> audit = evenhand.audit([0.2, 0.4, 0.6, 0.8], {"sex": ["F", "F", "M", "M"]})
    >>> ax = evenhand.plot_audit(audit)
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['sex=F', 'sex=M']
    """
    title = None
    if isinstance(audit, Fit):
        title = name_of(audit.criterion)
        tolerance = audit.criterion.get("tolerance") if tolerance is None else tolerance
        audit = audit.after
    if not isinstance(audit, Audit):
        raise TypeError(f"audit must be an Audit or a Fit, not {type(audit).__name__}")
    own = rate is None or rate in audit.rates
    rate = audit.rates[0] if rate is None else rate
    if rate not in RATES:
        raise ValueError(f"there is no rate {rate!r}: use one of {', '.join(RATES)}")
    sides = [("after", audit, AFTER, "o")]
    if audit.before is not None:
        sides.insert(0, ("before", audit.before, BEFORE, "D"))
    names = [
        values_in_words({**group["group"], **stratum["stratum"]})
        for stratum in audit.strata
        for group in stratum["groups"]
    ]
    shift = 0.15 if len(sides) > 1 else 0.0
    places = places_of([i for i, one in enumerate(audit.strata) for _ in one["groups"]])
    ax = axes(ax, height=max(2.4, 0.5 * places[-1] + 2.0))
    if tolerance and own:
        _band(ax, audit, rate, tolerance, places)
    drawn = []
    for side, (_, one, colour, marker) in enumerate(sides):
        groups = [group for stratum in one.strata for group in stratum["groups"]]
        known = [
            (place, group)
            for place, group in zip(places, groups, strict=True)
            if group[rate] is not None
        ]
        drawn.append(
            ax.errorbar(
                [group[rate] for _, group in known],
                [place + (shift if side else -shift) for place, _ in known],
                xerr=_bars(known, rate),
                color=colour,
                fmt=marker,
                markersize=6,
                # Filled after, hollow before: told apart without colours.
                markerfacecolor="white" if side < len(sides) - 1 else colour,
                elinewidth=1.4,
                capsize=3,
            )
        )
        for place, group in zip(places, groups, strict=True):
            if group[rate] is None and side == len(sides) - 1:
                ax.annotate(
                    "no such rows",
                    (0, place),
                    xytext=(4, 0),
                    va="center",
                    xycoords=("axes fraction", "data"),
                    textcoords="offset points",
                    color="0.4",
                )
    tick_names(ax, places, names)
    percent(ax.xaxis, rate != "cost")
    low, high = ax.get_xlim()
    ax.set_xlim(max(0.0, low), high if rate == "cost" else min(1.0, high))
    expected = audit.expected and rate in ("precision", "accuracy", "cost")
    ax.set_xlabel(("expected " if expected else "") + rate.replace("_", " "))
    if len(sides) > 1:
        legend(ax, drawn, [name for name, *_ in sides], above=True)
    titled(ax, title or f"{rate.replace('_', ' ')} by group", above=len(sides) > 1)
    return ax


def _band(ax: Any, audit: Audit, rate: str, tolerance: float, places: list[float]) -> None:
    """Shade as much as rates of a stratum may differ, around the middle of those there are."""
    start = 0
    for stratum in audit.strata:
        count = len(stratum["groups"])
        rates = [group[rate] for group in stratum["groups"] if group[rate] is not None]
        if rates:
            middle = (min(rates) + max(rates)) / 2
            bottom, top = places[start] - 0.45, places[start + count - 1] + 0.45
            ax.fill_betweenx([bottom, top], middle - tolerance / 2, middle + tolerance / 2,
                             color=AFTER, alpha=0.12, linewidth=0)  # fmt: skip
        start += count


def _bars(known: Iterable[tuple[float, dict[str, Any]]], rate: str) -> Any:
    ends = [(group[rate], *group.get(f"{rate}_interval", (group[rate],) * 2)) for _, group in known]
    return [
        [max(0.0, value - low) for value, low, _ in ends],
        [max(0.0, high - value) for value, _, high in ends],
    ]
