"""What all pictures share: colours, names, limits."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence
from typing import Any

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
_INSIDE = 8  # so many names fit into a legend inside the picture
_LONGEST = 48  # characters of a name


def axes(ax: Any, height: float | None = None) -> Any:
    """Return axes to draw on, with what all pictures share."""
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


def percent(axis: Any, wanted: bool) -> None:
    """Write shares as percentages."""
    if wanted:
        from matplotlib.ticker import MaxNLocator, PercentFormatter

        axis.set_major_locator(MaxNLocator(6))
        axis.set_major_formatter(PercentFormatter(1.0, symbol=" %", is_latex=False))


def printable(name: str) -> str:
    """Return a name that fits, without what cannot be shown."""
    shown = "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in name)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"


def as_it_is(texts: Sequence[Any], names: Sequence[str]) -> None:
    """Show names from data: a dollar sign starts no formula."""
    for text, name in zip(texts, names, strict=True):
        text.set_usetex(False)
        text.set_parse_math(False)
        text.set_text(printable(name))


def legend(ax: Any, handles: Sequence[Any], names: Sequence[str], above: bool = False) -> None:
    """Name what is drawn."""
    # Numbers first: a legend would leave out names that start with an underscore.
    numbers = [str(index) for index in range(len(names))]
    if above:
        found = ax.legend(
            handles,
            numbers,
            loc="lower right",
            bbox_to_anchor=(1, 1),
            ncols=len(names),
            frameon=False,
        )
    elif len(names) <= _INSIDE:
        found = ax.legend(handles, numbers, handlelength=3)
    else:
        found = ax.legend(
            handles,
            numbers,
            loc="upper left",
            bbox_to_anchor=(1, 1),
            handlelength=3,
            ncols=1 + (len(names) - 1) // 20,
            fontsize="small",
            frameon=False,
        )
    as_it_is(found.get_texts(), names)


def places_of(strata: Sequence[Hashable]) -> list[float]:
    """Return where groups stand, one below the other, with a gap between strata."""
    places: list[float] = []
    for index, stratum in enumerate(strata):
        gap = 1.0 if index == 0 or stratum == strata[index - 1] else 1.5
        places.append(places[-1] + gap if places else 0.0)
    return places


def tick_names(ax: Any, places: Sequence[float], names: Sequence[str]) -> None:
    """Name the groups on the left, with a line between strata."""
    shown = [printable(name) for name in names]
    ax.set_yticks(places, shown, parse_math=False, usetex=False)
    ax.tick_params(axis="y", length=0)
    ax.grid(False, axis="y")
    ax.set_ylim(places[-1] + 0.6, -0.6)
    for one, two in itertools.pairwise(places):
        if two - one > 1:
            ax.axhline((one + two) / 2, color="0.75", linewidth=0.8)


def titled(ax: Any, title: str | None, above: bool = False) -> None:
    """Give the picture a title, unless it has one; ``above`` a legend above the picture."""
    if title and not ax.get_title(loc="left"):
        text = ax.set_title("-", loc="left", fontsize="medium", pad=24 if above else 6)
        as_it_is([text], [title])


def name_of(record: dict[str, Any]) -> str:
    """Return what a fit was for: the criterion with its tolerance or ratio."""
    name = str(record.get("name", ""))
    for parameter in ("tolerance", "ratio"):
        value = record.get(parameter)
        if isinstance(value, (int, float)) and value not in (0.0, 1.0):
            name += f", {parameter} {value:g}"
    return name
