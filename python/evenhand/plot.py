"""Pictures of rules, frontiers and audits, with matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ._audit.audit import Audit
from ._rule.rule import Rule
from ._solve.frontier import Frontier
from ._tables import values_in_words

__all__ = ["plot_audit", "plot_frontier", "plot_rule"]

# Okabe and Ito's colours, apart for all kinds of colour vision; the yellow is too light for lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
# With seven colours and five styles, 35 lines differ; styles alone tell five apart in greyscale.
STYLES: tuple[Any, ...] = (
    "solid",
    (0, (5, 2)),
    (0, (1, 1.2)),
    (0, (6, 2, 1, 2)),
    (0, (3, 1.5, 1, 1.5, 1, 1.5)),
)
BEFORE, AFTER = COLOURS[1], COLOURS[0]
RATES = (
    "selection_rate",
    "true_positive_rate",
    "false_positive_rate",
    "precision",
    "accuracy",
    "cost",
)
_INSIDE = 8  # so many names fit into a legend inside the picture
_LONGEST = 48  # characters of a name


def plot_rule(rule: Any, ax: Any = None) -> Any:
    """Draw the probability of a positive decision against the score, a line for each cell.

    Parameters
    ----------
    rule : Rule, Fit or FairThresholdClassifier
        Whose rule.
    ax : matplotlib.axes.Axes, optional
        Where; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import evenhand
    >>> fit = evenhand.fit(
    ...     [0.2, 0.4, 0.6, 0.8], {"sex": ["F", "F", "M", "M"]}, criterion="statistical-parity"
    ... )
    >>> ax = evenhand.plot_rule(fit)
    >>> [line.get_text() for line in ax.get_legend().get_texts()]
    ['sex=F', 'sex=M']
    """
    if hasattr(rule, "__sklearn_is_fitted__"):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(rule)
    for name in ("rule_", "rule"):
        rule = getattr(rule, name, rule)
    if not isinstance(rule, Rule):
        raise TypeError(f"rule must be a Rule or a Fit, not {type(rule).__name__}")
    ax = _axes(ax)
    responses = rule.thresholds
    low, high = _span(rule.scale, responses)
    worst, best = (low, high) if rule.favorable == "high" else (high, low)
    lines = []
    for index, response in enumerate(responses):
        x, y = _course(response, worst, best)
        (line,) = ax.plot(
            x,
            y,
            color=COLOURS[index % len(COLOURS)],
            linestyle=STYLES[index % len(STYLES)],
            # All lines share 0 and 1: solid ones are wider and below, so that all are seen.
            linewidth=2.6 if index % len(STYLES) == 0 else 1.8,
            solid_joinstyle="miter",
            zorder=2 + (index % len(STYLES)) / 10,
        )
        lines.append(line)
    ax.set_xlim(low, high)
    ax.set_ylim(-0.03, 1.03)
    note = "" if rule.favorable == "high" else ", low is favourable"
    ax.set_xlabel(f"score ({rule.scale}{note})")
    ax.set_ylabel("probability of a positive decision")
    if rule.attributes:
        _legend(ax, lines, [values_in_words(response["cell"]) for response in responses])
    return ax


def _span(scale: str, responses: Sequence[dict[str, Any]]) -> tuple[float, float]:
    """Return the scores to show: the whole scale if it has ends, else where something changes."""
    if scale in ("probability", "signed"):
        return (0.0, 1.0) if scale == "probability" else (-1.0, 1.0)
    scores = [score for one in responses for score, _ in one.get("steps", one.get("ramp", []))]
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    margin = (high - low) / 4 or 1.0
    return low - margin, high + margin


def _course(response: dict[str, Any], worst: float, best: float) -> tuple[list[float], list[float]]:
    """Return the corners of a line, from the worst score to the best."""
    if "ramp" in response:
        points = response["ramp"]
        x = [worst, *(score for score, _ in points), best]
        y = [points[0][1], *(probability for _, probability in points), points[-1][1]]
        return x, y
    x, y = [worst], [response["start"]]
    for score, probability in response["steps"]:
        x += [score, score]
        y += [y[-1], probability]
    return [*x, best], [*y, y[-1]]


def plot_frontier(
    frontier: Frontier, ax: Any = None, *, value: str = "accuracy", label: str | None = None
) -> Any:
    """Draw what a stricter criterion costs.

    Parameters
    ----------
    frontier : Frontier
        Of :func:`evenhand.frontier`.
    ax : matplotlib.axes.Axes, optional
        Where; a new figure by default. Frontiers in one picture have lines of their own.
    value : str
        What is shown against the tolerance or ratio: "accuracy", "cost", "objective",
        "selection_rate", "lottery_share" or another figure of the points.
    label : str, optional
        The line's name in the legend.

    Returns
    -------
    matplotlib.axes.Axes

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
    ax = _axes(ax)
    drawn = len(ax.get_lines())
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
    ax.set_xlabel(frontier.parameter)
    expected = frontier.expected and value in ("accuracy", "cost", "precision")
    ax.set_ylabel(("expected " if expected else "") + value.replace("_", " "))
    _percent(ax.yaxis, value not in ("cost", "objective", "slope", "gap", "weight"))
    named = [one for one in ax.get_lines() if getattr(one, "_evenhand_name", None)]
    if named:
        _legend(ax, named, [one._evenhand_name for one in named])
    return ax


def plot_audit(audit: Audit, ax: Any = None, *, rate: str = "selection_rate") -> Any:
    """Draw a rate of each group with its interval, before and after the rule.

    Parameters
    ----------
    audit : Audit
        Of :func:`evenhand.audit`; that of a rule shows the decisions before it too.
    ax : matplotlib.axes.Axes, optional
        Where; a new figure by default.
    rate : str
        "selection_rate", "true_positive_rate", "false_positive_rate", with intervals;
        "precision", "accuracy" or "cost" without.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import evenhand
    >>> audit = evenhand.audit([0.2, 0.4, 0.6, 0.8], {"sex": ["F", "F", "M", "M"]})
    >>> ax = evenhand.plot_audit(audit)
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['sex=F', 'sex=M']
    """
    if not isinstance(audit, Audit):
        raise TypeError(f"audit must be an Audit, not {type(audit).__name__}")
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
    ax = _axes(ax, height=max(2.4, 0.5 * len(names) + 1.4))
    drawn = []
    for side, (_, one, colour, marker) in enumerate(sides):
        groups = [group for stratum in one.strata for group in stratum["groups"]]
        known = [(place, group) for place, group in enumerate(groups) if group[rate] is not None]
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
        for place, group in enumerate(groups):
            if group[rate] is None and side == len(sides) - 1:
                ax.annotate("no such rows", (0, place), xytext=(4, 0), va="center",
                            textcoords="offset points", color="0.4")  # fmt: skip
    _tick_names(ax, names)
    _percent(ax.xaxis, rate != "cost")
    if rate == "cost":
        ax.set_xlim(left=0)
    else:
        ax.set_xlim(0, 1)
    expected = audit.expected and rate in ("precision", "accuracy", "cost")
    ax.set_xlabel(("expected " if expected else "") + rate.replace("_", " "))
    if len(sides) > 1:
        _legend(ax, drawn, [name for name, *_ in sides], above=True)
    return ax


def _bars(known: Iterable[tuple[int, dict[str, Any]]], rate: str) -> Any:
    ends = [(group[rate], *group.get(f"{rate}_interval", (group[rate],) * 2)) for _, group in known]
    return [
        [max(0.0, value - low) for value, low, _ in ends],
        [max(0.0, high - value) for value, _, high in ends],
    ]


# --- What all pictures share.


def _axes(ax: Any, height: float | None = None) -> Any:
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError("pictures need matplotlib: pip install 'evenhand[plot]'") from None
        size = None if height is None else (6.4, min(height, 40.0))
        _, ax = pyplot.subplots(figsize=size, layout="constrained")
    ax.grid(True, color="0.9", linewidth=0.8)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def _percent(axis: Any, wanted: bool) -> None:
    if wanted:
        from matplotlib.ticker import PercentFormatter

        axis.set_major_formatter(PercentFormatter(1.0, symbol=" %", is_latex=False))


def _printable(name: str) -> str:
    shown = "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in name)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"


def _as_it_is(texts: Sequence[Any], names: Sequence[str]) -> None:
    """Show names from data: a dollar sign starts no formula."""
    for text, name in zip(texts, names, strict=True):
        text.set_usetex(False)
        text.set_parse_math(False)
        text.set_text(_printable(name))


def _legend(ax: Any, handles: Sequence[Any], names: Sequence[str], above: bool = False) -> None:
    # Numbers first: a legend would leave out names that start with an underscore.
    numbers = [str(index) for index in range(len(names))]
    if above:
        legend = ax.legend(
            handles, numbers, loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False
        )
    elif len(names) <= _INSIDE:
        legend = ax.legend(handles, numbers, handlelength=3)
    else:
        legend = ax.legend(
            handles,
            numbers,
            loc="upper left",
            bbox_to_anchor=(1, 1),
            handlelength=3,
            ncols=1 + (len(names) - 1) // 20,
            fontsize="small",
            frameon=False,
        )
    _as_it_is(legend.get_texts(), names)


def _tick_names(ax: Any, names: Sequence[str]) -> None:
    shown = [_printable(name) for name in names]
    ax.set_yticks(range(len(names)), shown, parse_math=False, usetex=False)
    ax.tick_params(axis="y", length=0)
    ax.grid(False, axis="y")
    ax.set_ylim(len(names) - 0.5, -0.5)
