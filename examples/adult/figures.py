"""The figures: the paper's colours, with hatching and line styles so that grey copies work too."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt
import numpy as np
from experiment import BINS, EPOCHS, RULES
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from results import FITTED_ON, NAMES, RULE_NAMES, Results

COLOURS = {"base": "#1f77b4", "parity": "#ff7f0e", "conditional": "#2ca02c"}
HATCHES = {"base": "", "parity": "////", "conditional": "xxxx"}
SEXES = {"Female": "#8c2d82", "Male": "#2a9d8f"}
RACES = {
    "Amer-Indian-Eskimo": "Amer-Indian\nEskimo",
    "Asian-Pac-Islander": "Asian-Pac\nIslander",
}
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "evenhand",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.edgecolor": "#555555",
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#e3e3e3",
    "hatch.linewidth": 0.7,
    "hatch.color": "white",
    "legend.frameon": False,
    "figure.facecolor": "white",
}


def all_figures(results: Results) -> dict[str, tuple[str, str]]:
    """Return SVG and caption by name."""
    makers: dict[str, Callable[[Results], tuple[Figure, str]]] = {
        "bias": bias,
        "errors": errors,
        "histograms": histograms,
        "bias-test": bias_test,
        "bias-fit": bias_fit,
        "descent": descent,
        "frontier": frontier,
    }
    drawn = {}
    for name, maker in makers.items():
        with _style():
            figure, caption = maker(results)
            drawn[name] = (_svg(figure), caption)
    return drawn


@contextmanager
def _style() -> Iterator[None]:
    with mpl.rc_context(STYLE):
        yield


def _svg(figure: Figure) -> str:
    """Return the same text for the same figure, without date or version."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    plt.close(figure)
    lines = out.getvalue().splitlines()
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _panels(count: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    figure, axes = plt.subplots(1, count, figsize=(width, height), sharey=True, squeeze=False)
    return figure, list(axes[0])


def _bars_of_rule(axes: Axes, places: Any, offset: int, heights: Any, rule: str) -> None:
    axes.bar(
        places + 0.27 * (offset - 1),
        heights,
        0.25,
        label=RULE_NAMES[rule],
        color=COLOURS[rule],
        hatch=HATCHES[rule],
        edgecolor="white",
        linewidth=0.5,
    )


def _bars(axes: Axes, results: Results, model: str, part: str) -> None:
    """Draw base, parity and conditional parity in each stratum, with the splits' deviation."""
    places = np.arange(len(results.races))
    for offset, rule in enumerate(RULES):
        values = np.array([np.abs(results.bias(model, rule, part, race)) for race in results.races])
        spread = values.std(axis=1, ddof=1) if values.shape[1] > 1 else np.zeros(len(values))
        _bars_of_rule(axes, places, offset, values.mean(axis=1), rule)
        shown = values.mean(axis=1) > 1e-9
        axes.errorbar(
            places[shown] + 0.27 * (offset - 1),
            values.mean(axis=1)[shown],
            [np.minimum(spread, values.mean(axis=1))[shown], spread[shown]],
            fmt="none",
            ecolor="#333333",
            elinewidth=0.9,
            capsize=1.5,
        )
        for place in places[~shown]:
            where = place + 0.27 * (offset - 1)
            axes.text(where, 0, "0", color=COLOURS[rule], ha="center", va="bottom", fontsize=8)
    axes.hlines(
        [results.chance(model, "base", part, race) for race in results.races],
        places - 0.45,
        places + 0.45,
        colors="#333333",
        linestyles=(0, (3, 1.5)),
        linewidth=1.2,
        label="by chance",
        zorder=3,
    )
    axes.set_xticks(places, [RACES.get(race, race) for race in results.races])
    axes.tick_params(axis="x", length=0)


def bias(results: Results) -> tuple[Figure, str]:
    """Draw the picture of the README: one model, rows of the fit and test rows."""
    figure, panels = _panels(2, 10, 3.3)
    model = results.first
    for axes, part, title in (
        (panels[0], FITTED_ON, "people the rules were fitted on"),
        (panels[1], "test", "other people"),
    ):
        _bars(axes, results, model, part)
        axes.set_title(title, loc="left")
        axes.tick_params(axis="x", labelsize=8.5)
    panels[0].set_ylabel("bias between women and men")
    panels[1].legend(loc="upper right")
    figure.tight_layout()
    return figure, (
        f"Bias between women and men in each racial stratum of Adult, {NAMES[model]}: the model's "
        "own decisions, parity over everybody, and parity in each stratum; mean and deviation of "
        f"{len(results.seeds)} splits. Dashes: what decisions that have nothing to do with sex "
        "would show by chance."
    )


def _headroom(axes: Axes, factor: float) -> None:
    axes.set_ylim(0, axes.get_ylim()[1] * factor)


def bias_test(results: Results) -> tuple[Figure, str]:
    """Draw Figure 2's bottom row on test rows."""
    return _all_bars(results, "test"), (
        "Figure 2, bottom, on test rows: |X|⁻¹ |Σ (1_S − ρ) q| in each racial stratum. Whiskers: "
        "standard deviation over splits. Dashes: what decisions that have nothing to do with sex "
        "would show by chance, on average."
    )


def bias_fit(results: Results) -> tuple[Figure, str]:
    """Draw it on the rows of the fit."""
    return _all_bars(results, FITTED_ON), (
        "The same on the rows that the rules were fitted on, where conditional parity leaves no "
        "bias."
    )


def _grid(
    count: int, height: float, *, sharex: bool = False, sharey: bool = False
) -> tuple[Figure, Any]:
    """Make two columns of axes, of that height each."""
    rows = (count + 1) // 2
    size = (10, height * rows)
    return plt.subplots(
        rows, min(count, 2), figsize=size, sharex=sharex, sharey=sharey, squeeze=False
    )


def _all_bars(results: Results, part: str) -> Figure:
    count = len(results.models)
    figure, grid = _grid(count, 2.7, sharey=True)
    flat = list(grid.ravel())
    for axes, model in zip(flat, results.models, strict=False):
        _bars(axes, results, model, part)
        axes.set_title(NAMES[model], loc="left")
        axes.tick_params(axis="x", labelsize=8)
    for axes in grid[:, 0]:
        axes.set_ylabel("bias")
    _legend(flat, count, 8)
    figure.tight_layout()
    return figure


def _legend(flat: list[Axes], count: int, size: int) -> None:
    """Draw it where no model is, or inside the first of them."""
    handles = flat[0].get_legend_handles_labels()
    for axes in flat[count:]:
        axes.axis("off")
        axes.legend(*handles, loc="center", fontsize=12)
    if len(flat) == count:
        flat[0].legend(loc="upper right", fontsize=size)


def errors(results: Results) -> tuple[Figure, str]:
    """Draw test errors before and after."""
    figure, (axes,) = _panels(1, 8, 3)
    places = np.arange(len(results.models))
    for offset, rule in enumerate(RULES):
        values = np.array([results.error(model, rule, "test") for model in results.models])
        spread = values.std(axis=1, ddof=1) if values.shape[1] > 1 else np.zeros(len(values))
        _bars_of_rule(axes, places, offset, 100 * values.mean(axis=1), rule)
        axes.errorbar(
            places + 0.27 * (offset - 1),
            100 * values.mean(axis=1),
            100 * spread,
            fmt="none",
            ecolor="#333333",
            elinewidth=0.9,
            capsize=1.5,
        )
    axes.set_xticks(places, [NAMES[model] for model in results.models])
    axes.tick_params(axis="x", length=0)
    axes.set_ylabel("test error, %")
    _headroom(axes, 1.2)
    axes.set_yticks(range(0, int(axes.get_ylim()[1]) + 1, 5))
    axes.legend(loc="upper right", ncols=3)
    figure.tight_layout()
    return figure, "Test error before and after; whiskers: standard deviation over splits."


def histograms(results: Results) -> tuple[Figure, str]:
    """Draw Figure 2's middle row."""
    count = len(results.models)
    figure, grid = _grid(count, 2.3, sharex=True)
    edges = np.linspace(-1, 1, BINS + 1)
    flat = list(grid.ravel())
    for axes, model in zip(flat, results.models, strict=False):
        for sex, colour in SEXES.items():
            counts = np.sum([run["histogram"][sex] for run in results.of(model)], axis=0)
            style = "-" if sex == "Female" else (0, (4, 1.5))
            axes.stairs(
                100 * counts / counts.sum(),
                edges,
                color=colour,
                linewidth=1.6,
                linestyle=style,
                label={"Female": "women", "Male": "men"}[sex],
            )
        axes.axvline(0, color="#999999", linewidth=0.8, linestyle=":")
        axes.set_yscale("log")
        axes.set_ylim(0.05, 100)
        axes.set_yticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
        axes.minorticks_off()
        axes.set_title(NAMES[model], loc="left")
        axes.tick_params(axis="x", labelbottom=True)
    for axes in grid[:, 0]:
        axes.set_ylabel("% of the group")
    for axes in flat[max(0, count - 2) : count]:
        axes.set_xlabel("score f = 2p − 1")
    _legend(flat, count, 9)
    figure.tight_layout()
    return figure, (
        "Figure 2, middle: scores of women and men on test rows, as shares of each group "
        "(logarithmic). Right of the dotted line the model says yes."
    )


def descent(results: Results) -> tuple[Figure, str]:
    """Draw Figure 1b with both learning rates, beside the optimum."""
    figure, panels = _panels(2, 10, 3.2)
    titles = {"figure_1b": "Figure 1b's learning rate", "proposition_4": "Proposition 4's"}
    model = results.first
    for axes, (rate, title) in zip(panels, titles.items(), strict=True):
        for index, run in enumerate(results.descents(model, "parity", rate)):
            labels = (
                ("last iterate", "averaged, as in the paper", "exact optimum")
                if index == 0
                else (None, None, None)
            )
            axes.plot(
                run["epochs"],
                [one[0] for one in run["last"]],
                color="#bbbbbb",
                linewidth=0.7,
                label=labels[0],
            )
            axes.plot(
                run["epochs"],
                [one[0] for one in run["trace"]],
                color=COLOURS["parity"],
                linewidth=1.5,
                label=labels[1],
            )
            axes.axhline(
                run["exact"]["all"],
                color=COLOURS["conditional"],
                linewidth=1,
                linestyle="--",
                label=labels[2],
            )
        axes.set_title(title, loc="left")
        axes.set_xlabel("epochs")
        axes.set_xlim(0, EPOCHS)
    panels[0].set_ylabel("multiplier")
    panels[1].legend(loc="upper right")
    figure.tight_layout()
    return figure, (
        f"Figure 1b: the multiplier of statistical parity, {NAMES[model]}, one line for each split."
    )


def frontier(results: Results) -> tuple[Figure, str]:
    """Draw error against the tolerance, on rows of the fit and on test rows."""
    figure, panels = _panels(2, 10, 3.2)
    styles = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1))]
    markers = "osD^v"
    for axes, key, title in (
        (panels[0], "fitting_error", "rows of the fit"),
        (panels[1], "test_error", "test rows"),
    ):
        for model, style, marker in zip(results.models, styles, markers, strict=False):
            runs = [record["frontier"] for record in results.of(model)]
            axes.plot(
                [one["tolerance"] for one in runs[0]],
                100 * np.mean([[one[key] for one in run] for run in runs], axis=0),
                linestyle=style,
                marker=marker,
                markersize=4,
                linewidth=1.4,
                label=NAMES[model],
            )
        axes.set_title(title, loc="left")
        axes.set_xlabel("tolerated difference of the rates")
    panels[0].set_ylabel("error, %")
    panels[1].legend(loc="upper right", fontsize=9)
    figure.tight_layout()
    return figure, "What statistical parity costs, by how far rates may differ; means of splits."
