"""Means over splits of what experiment.py measured, and the tables made of them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import experiment
import numpy as np
from adult import Floats
from measures import Record

NAMES = {
    "random_forest": "random forest",
    "knn": "k-NN",
    "mlp": "MLP",
    "logistic_regression": "logistic regression",
    "svm": "SVM",
}
RULE_NAMES = {"base": "base", "parity": "parity", "conditional": "conditional parity"}
RULES = experiment.RULES
PAPER_MODELS = ("random_forest", "knn", "mlp")  # those of its Figure 2
PAPER_ERRORS = {  # percent, before and after conditional parity
    "random_forest": {"train": (32, 32), "test": (34, 35)},
    "knn": {"train": (30, 30), "test": (39, 38)},
    "mlp": {"train": (34, 35), "test": (34, 36)},
}
FITTED_ON = "calibration"


@dataclass(frozen=True)
class Table:
    """Rows of texts under a header; the first column has names, others are numbers."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int = 1  # columns of text before the numbers


class Results:
    """All runs, by model."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = list(records)
        self.models = list(dict.fromkeys(record["model"] for record in records))
        self.seeds = sorted({record["seed"] for record in records})

    def of(self, model: str) -> list[Record]:
        """Return the runs of a model, in the order of the splits."""
        return [record for record in self.records if record["model"] == model]

    def values(self, model: str, value: Callable[[Record], float]) -> Floats:
        """Return a number of each split."""
        return np.array([value(record) for record in self.of(model)], np.float64)

    def mean(self, model: str, value: Callable[[Record], float]) -> float:
        """Return the mean over splits."""
        return float(self.values(model, value).mean())

    @property
    def of_the_paper(self) -> list[str]:
        """The paper's three classifiers; if none of them was run, all that were."""
        return [model for model in PAPER_MODELS if model in self.models] or self.models

    @property
    def others(self) -> list[str]:
        """The classifiers that the paper only mentions."""
        return [model for model in self.models if model not in self.of_the_paper]

    @property
    def first(self) -> str:
        """The one that the paper's text is about: its random forest."""
        return self.of_the_paper[0]

    @property
    def races(self) -> list[str]:
        """The strata, in the order of the alphabet."""
        return sorted(self.records[0]["rules"][FITTED_ON]["base"]["test"]["bias"])

    def error(self, model: str, rule: str, part: str, fitted_on: str = FITTED_ON) -> Floats:
        """Return the error of each split."""
        return self.values(model, lambda r: r["rules"][fitted_on][rule][part]["error"])

    def descents(
        self, model: str, rule: str, rate: str, fitted_on: str = FITTED_ON
    ) -> list[Record]:
        """Return the run of SGD of each split."""
        wanted = {"rule": rule, "rate": rate, "fitted_on": fitted_on}
        return [
            run
            for record in self.of(model)
            for run in record["descents"]
            if wanted.items() <= run.items()
        ]

    def bias(
        self, model: str, rule: str, part: str, race: str, fitted_on: str = FITTED_ON
    ) -> Floats:
        """Return the covariance of women and decisions in a stratum, for each split."""
        return self.values(model, lambda r: r["rules"][fitted_on][rule][part]["bias"][race])

    def chance(self, model: str, rule: str, part: str, race: str) -> float:
        """Return the |bias| that chance alone would show, the mean of all splits."""
        found = self.values(model, lambda r: r["rules"][FITTED_ON][rule][part]["chance"][race])
        return float(found.mean())


def percent(values: Floats, digits: int = 1) -> str:
    """Say mean and standard deviation, both in percent."""
    mean = f"{100 * values.mean():.{digits}f}"
    if len(values) < 2:
        return f"{mean} %"
    return f"{mean} ± {100 * values.std(ddof=1):.{digits}f} %"


def points(values: Floats) -> str:
    """Say a mean difference of percentages with its sign."""
    return f"{100 * values.mean():+.1f}".replace("-", "−")


def number(value: float, digits: int) -> str:
    """Write a number with a real minus."""
    return f"{value:.{digits}f}".replace("-", "−")


def joined(words: Iterable[str]) -> str:
    """Join in the way of English."""
    *most, last = list(words)
    return f"{', '.join(most)} and {last}" if most else last


# --- Tables.


def errors(results: Results, fitted_on: str = FITTED_ON) -> Table:
    """Figure 2, top row: errors before and after, beside the paper's."""
    header = ["", "rows", *(RULE_NAMES[rule] for rule in RULES)]
    header += ["paper: base", "paper: conditional"]
    rows = []
    for model in results.models:
        for part in ("train", "test"):
            paper = PAPER_ERRORS.get(model, {}).get(part)
            rows.append(
                [NAMES[model], part]
                + [percent(results.error(model, rule, part, fitted_on)) for rule in RULES]
                + ([f"{one} %" for one in paper] if paper else ["", ""])
            )
    return Table(
        "Error rates, mean and standard deviation over splits (Figure 2, top).", header, rows, 2
    )


def women(results: Results) -> Table:
    """Women's share of the people and of the positive decisions."""

    def share(model: str, rule: str) -> Floats:
        return results.values(
            model, lambda r: r["rules"][FITTED_ON][rule]["test"]["women_among_positives"] or 0.0
        )

    rows = [
        [
            NAMES[model],
            percent(
                results.values(model, lambda r: r["rules"][FITTED_ON]["base"]["test"]["women"])
            ),
            *(percent(share(model, rule)) for rule in RULES),
        ]
        for model in results.models
    ]
    header = ["", "of the people", *(f"of positives, {RULE_NAMES[rule]}" for rule in RULES)]
    return Table("Women's share of test rows, and of those predicted positive.", header, rows)


def biases(results: Results, part: str) -> Table:
    """The bars of Figure 2, bottom row, for one part of the data."""
    rows = []
    for model in results.models:
        for race in results.races:
            counted = [run["rules"][FITTED_ON]["base"][part]["people"] for run in results.of(model)]
            people = np.mean([one[race] for one in counted])
            rows.append(
                [NAMES[model], race, f"{people:.0f}"]
                + [_bar(np.abs(results.bias(model, rule, part, race))) for rule in RULES]
                + [f"{1000 * results.chance(model, 'base', part, race):.1f}"]
            )
    header = ["", "stratum", "people", *(RULE_NAMES[rule] for rule in RULES), "by chance"]
    what = "the rows of the fit" if part == FITTED_ON else f"{part} rows"
    caption = (
        f"Bias in each racial stratum on {what}, times 1000. By chance: what decisions that have "
        "nothing to do with sex would show, on average."
    )
    return Table(caption, header, rows, 2)


def _bar(values: Floats) -> str:
    """Say mean and deviation in thousandths; nothing but rounding is 0."""
    if values.max() <= 1e-9:
        return "0"
    if len(values) < 2:
        return f"{1000 * values.mean():.1f}"
    return f"{1000 * values.mean():.1f} ± {1000 * values.std(ddof=1):.1f}"


RATE_NAMES = {"figure_1b": "Figure 1b", "proposition_4": "Proposition 4"}


def descents(results: Results) -> Table:
    """Both solvers: what SGD leaves after 25 epochs."""
    rows = []
    for model in results.models:
        runs = [record["descents"] for record in results.of(model)]
        for index, one in enumerate(runs[0]):
            same = [run[index] for run in runs]
            exact = results.error(model, one["rule"], "test", one["fitted_on"])
            rows.append(
                [
                    NAMES[model],
                    RULE_NAMES[one["rule"]],
                    RATE_NAMES[one["rate"]],
                    one["fitted_on"],
                    percent(np.array([run["violation"] for run in same])),
                    f"{max(run['excess'] for run in same):.1e}",
                    f"{one['bound']:.1e}",
                    percent(np.array([run["test_error"] for run in same])),
                    percent(exact),
                ]
            )
    header = [
        "",
        "rule",
        "learning rate of",
        "rows",
        "rates still differ by",
        "largest excess",
        "bound",
        "test error, SGD",
        "test error, exact",
    ]
    return Table(
        "SGD after 25 epochs beside the exact optimum, whose rates differ by 0. The excess is that "
        "of the dual objective for each person; the bound is Proposition 4's in the wider box.",
        header,
        rows,
        4,
    )


METHOD_NAMES = {"fairlearn": "Fairlearn"}
CRITERION_NAMES = {
    "statistical-parity": "statistical parity",
    "four-fifths": "four-fifths",
    "equal-opportunity": "equal opportunity",
    "equalized-odds": "equalized odds",
}


def criterion_name(outcome: Record) -> str:
    """Say what was asked for."""
    return CRITERION_NAMES[outcome["criterion"]] + (" in each race" if outcome["inside"] else "")


def beyond(results: Results) -> Table:
    """Other criteria, both solvers, and the peers, on the same scores."""
    first = results.of(results.models[0])[0]["beyond"]
    order = list(dict.fromkeys(criterion_name(one) for one in first))
    rows = []
    in_order = sorted(enumerate(first), key=lambda pair: order.index(criterion_name(pair[1])))
    for index, one in in_order:
        outcomes = [[run["beyond"][index] for run in results.of(m)] for m in results.models]
        fitting, test = (
            np.array([[one[part]["difference"] for one in runs] for runs in outcomes])
            for part in ("calibration", "test")
        )
        rows.append(
            [criterion_name(one), METHOD_NAMES.get(one["method"], one["method"])]
            + [percent(np.array([one["test"]["error"] for one in runs])) for runs in outcomes]
            + [_largest(fitting), f"{100 * test.mean():.1f} %"]
        )
    header = [
        "criterion",
        "by",
        *(NAMES[model] for model in results.models),
        "largest difference, fit",
        "mean difference, test",
    ]
    return Table(
        "Test error of rules fitted on the calibration rows, and how far the compared rates of "
        "women and men differ.",
        header,
        rows,
        2,
    )


def _largest(values: Floats) -> str:
    return "0" if values.max() <= 1e-9 else f"{100 * values.max():.2f} %"


def frontier(results: Results) -> Table:
    """What a stricter parity costs on the rows of the fit and on others."""
    model = results.first
    runs = [record["frontier"] for record in results.of(model)]
    rows = []
    for index, one in enumerate(runs[0]):
        rows.append(
            [f"{one['tolerance']:g}"]
            + [
                percent(np.array([run[index][key] for run in runs]))
                for key in ("fitting_error", "test_error", "test_difference")
            ]
        )
    header = ["tolerance", "error, rows of the fit", "error, test rows", "difference, test rows"]
    return Table(f"The frontier of statistical parity, {NAMES[model]}.", header, rows)


def times(results: Results) -> Table:
    """Time of each step."""
    steps = ("training", "scoring", "parity", "conditional", "sgd")
    rows = [
        [NAMES[model]]
        + [_seconds([run["times"][step] for run in results.of(model)]) for step in steps]
        for model in results.models
    ]
    header = [
        "",
        "training",
        "scoring everybody",
        "parity, exact",
        "conditional parity, exact",
        "parity, SGD",
    ]
    return Table("Time of each step, median over splits.", header, rows)


def peer_times(results: Results) -> Table:
    """Time of each fit beyond the paper."""
    first = results.of(results.models[0])[0]["beyond"]
    rows = [
        [criterion_name(one), METHOD_NAMES.get(one["method"], one["method"])]
        + [
            _seconds([run["beyond"][index]["seconds"] for run in results.of(model)])
            for model in results.models
        ]
        for index, one in enumerate(first)
    ]
    header = ["criterion", "by", *(NAMES[model] for model in results.models)]
    return Table("Time of each fit on the calibration rows, median.", header, rows, 2)


def _seconds(values: Sequence[float]) -> str:
    median = float(np.median(values))
    return f"{median:.1f} s" if median >= 1 else f"{1000 * median:.1f} ms"
