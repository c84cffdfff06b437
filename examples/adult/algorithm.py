"""How the paper's claims about its algorithm are judged."""

from dataclasses import dataclass

import numpy as np
from finding import Finding, verdict
from results import FITTED_ON, NAMES, Results, number

FEW_EPOCHS = 5
LIMIT = 0.05  # of the time that the model itself takes


def settled(epochs: list[float], trace: list[float], share: float = 0.1) -> float:
    """Return the epoch from which on all values are within a share of the last one."""
    values, last = np.array(trace), trace[-1]
    outside = np.flatnonzero(np.abs(values - last) > share * abs(last))
    return 0.0 if len(outside) == 0 else epochs[min(int(outside[-1]) + 1, len(epochs) - 1)]


@dataclass(frozen=True)
class _Course:
    """Means over splits of how SGD went."""

    epochs: float  # until it has settled
    multiplier: float
    share: float  # of the exact one

    @property
    def good(self) -> bool:
        return self.epochs <= FEW_EPOCHS and abs(self.share - 1) <= 0.1

    def __str__(self) -> str:
        return f"from epoch {self.epochs:.0f} on, {100 * self.share:.0f} % of the optimum"


def _course(results: Results, rate: str, fitted_on: str = FITTED_ON) -> _Course:
    found = [
        (
            settled(run["epochs"], [mean[0] for mean in run["trace"]]),
            run["mean"][0],
            run["mean"][0] / run["exact"]["all"],
        )
        for run in results.descents(results.first, "parity", rate, fitted_on)
    ]
    return _Course(*np.mean(found, axis=0).tolist())


def converges(results: Results) -> Finding:
    """Judge whether SGD settles within a few epochs."""
    own, training = (_course(results, "figure_1b", part) for part in (FITTED_ON, "train"))
    other = _course(results, "proposition_4")
    measured = (
        f"{NAMES[results.first]}, averaged multiplier, within 10 % of its last value: {own}; on "
        f"the training rows, which are more, {training}; with the learning rate of Proposition 4 "
        f"{other}"
    )
    return Finding(measured, verdict(own.good or training.good, other.good))


def multiplier(results: Results) -> Finding:
    """Judge where the multiplier ends."""
    mean = _course(results, "figure_1b").multiplier
    exact = results.mean(
        results.first, lambda r: r["fits"][FITTED_ON]["parity"]["multipliers"]["all"]
    )
    mean, exact = abs(mean), abs(exact)  # the paper does not say for which group it is positive
    measured = f"{number(mean, 2)} after 25 epochs; the optimum is at {number(exact, 2)}"
    return Finding(measured, verdict(abs(mean - 0.32) <= 0.05))


def cheap(results: Results) -> Finding:
    """Judge what solving costs beside training and scoring."""
    shares = [
        max(r["times"]["parity"], r["times"]["conditional"], r["times"]["sgd"])
        / (r["times"]["training"] + r["times"]["scoring"])
        for r in results.records
    ]
    below = float(np.median(shares)) <= LIMIT
    measured = (
        f"either solver takes {'less' if below else 'more'} than {100 * LIMIT:.0f} % of the time "
        "that training and scoring take, in the median run"
    )
    return Finding(measured, verdict(below))
