"""The picture of a rule."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from .._rule.rule import Rule
from .._tables import values_in_words
from .shared import COLOURS, axes, legend, name_of, places_of, tick_names, titled

NO, COIN, YES = "#E4E4E4", COLOURS[5], COLOURS[0]
_PIECES = 48  # of a ramp, which the eye takes for one


def plot_rule(rule: Any, ax: Any = None) -> Any:
    """Draw a strip for each cell along the score: no, a coin, yes.

    Where a coin decides, the strip is the darker the likelier a yes.

    Parameters
    ----------
    rule : Rule, Fit or FairThresholdClassifier
        Whose rule. That of a fit is shown where its rows have scores.
    ax : matplotlib.axes.Axes, optional
        Where, and what is returned; a new figure by default.

    Examples
    --------
    >>> import evenhand
    >>> fit = evenhand.fit(
    ...     [0.2, 0.4, 0.6, 0.8], {"sex": ["F", "F", "M", "M"]}, criterion="statistical-parity"
    ... )
    >>> ax = evenhand.plot_rule(fit)
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['sex=F', 'sex=M']
    """
    if hasattr(rule, "__sklearn_is_fitted__"):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(rule)
        rule = rule.fit_
    tally = getattr(rule, "tally", None)
    rule = getattr(rule, "rule", rule)
    if not isinstance(rule, Rule):
        raise TypeError(f"rule must be a Rule or a Fit, not {type(rule).__name__}")
    columns = rule.record.get("columns", {})
    within = columns.get("within", []) if isinstance(columns, dict) else []
    responses = sorted(
        rule.thresholds,
        key=lambda one: [one["cell"][name] for name in within if name in one["cell"]],
    )
    strata = [tuple(one["cell"].get(name) for name in within) for one in responses]
    places = places_of(strata)
    ax = axes(ax, height=max(2.2, 0.42 * places[-1] + 2.0))
    low, high = _limits(rule.scale, responses, tally)
    worst, best = (low, high) if rule.favorable == "high" else (high, low)
    for place, response in zip(places, responses, strict=True):
        for start, end, probability in _pieces(response, worst, best):
            left, right = max(low, min(start, end)), min(high, max(start, end))
            if left < right:
                ax.barh(place, right - left, left=left, height=0.62, linewidth=0,
                        **_look(probability))  # fmt: skip
    ax.set_xlim(low, high)
    note = "" if rule.favorable == "high" else ", low is favourable"
    ax.set_xlabel(f"score ({rule.scale}{note})")
    tick_names(ax, places, [values_in_words(response["cell"]) for response in responses])
    from matplotlib.patches import Patch

    patches = [Patch(**_look(probability)) for probability in (0.0, 0.5, 1.0)]
    legend(ax, patches, ["no", "coin", "yes"], above=True)
    criterion = rule.record.get("criterion")
    titled(ax, name_of(criterion) if isinstance(criterion, dict) else None, above=True)
    return ax


def _look(probability: float) -> dict[str, Any]:
    if probability in (0.0, 1.0):
        return {"color": YES if probability else NO}
    return {"color": COIN, "alpha": 0.25 + 0.75 * probability}


def _limits(scale: str, responses: Sequence[dict[str, Any]], tally: Any) -> tuple[float, float]:
    """Return the scores to show: those of the rows, else the scale, or where something changes."""
    scores = [score for one in responses for score, _ in one.get("steps", one.get("ramp", []))]
    if tally is not None:
        scores += tally._core.all_entries()[1].tolist()
    elif scale in ("probability", "signed"):
        return (0.0, 1.0) if scale == "probability" else (-1.0, 1.0)
    finite = [score for score in scores if abs(score) < float("inf")]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    margin = (high - low) / (20 if tally is not None else 4) or 0.5
    low, high = low - margin, high + margin
    if scale in ("probability", "signed"):
        return max(low, 0.0 if scale == "probability" else -1.0), min(high, 1.0)
    return low, high


def _pieces(
    response: dict[str, Any], worst: float, best: float
) -> Iterator[tuple[float, float, float]]:
    """Return where a probability begins and ends, from the worst score to the best."""
    if "ramp" not in response:
        points = [(worst, response["start"]), *response["steps"]]
        ends = [score for score, _ in points[1:]] + [best]
        yield from ((one, end, q) for (one, q), end in zip(points, ends, strict=True))
        return
    ramp = response["ramp"]
    yield worst, ramp[0][0], ramp[0][1]
    for (one, first), (two, second) in itertools.pairwise(ramp):
        if first == second:
            yield one, two, first
            continue
        for piece in range(_PIECES):
            middle = first + (second - first) * (piece + 0.5) / _PIECES
            step = (two - one) / _PIECES
            yield one + piece * step, one + (piece + 1) * step, middle
    yield ramp[-1][0], best, ramp[-1][1]
