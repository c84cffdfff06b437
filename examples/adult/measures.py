"""What decisions mean for women and men: errors, shares, and the paper's bias in each stratum."""

from typing import Any

import numpy as np
from adult import Floats, Labels, Texts

import evenhand

Record = dict[str, Any]

# The largest difference between women and men in the rates that a criterion compares.
RATES = {
    "statistical-parity": ("selection_rate",),
    "four-fifths": ("selection_rate",),
    "equal-opportunity": ("true_positive_rate",),
    "equalized-odds": ("true_positive_rate", "false_positive_rate"),
}


def figures(audit: evenhand.Audit) -> Record:
    """Summarise an audit of sex inside race.

    `bias` is the covariance of being a woman and being selected, by stratum; the paper's bars are
    its absolute value. Below 0, women are selected less often than men. `chance` is the absolute
    value to expect of decisions that have nothing to do with sex.
    """
    women = next(group for group in audit.groups if group["group"]["sex"] == "Female")
    selected = audit.overall["selection_rate"] * audit.overall["weight"]
    among = women["selection_rate"] * women["weight"] / selected if selected else None
    return {
        "error": 1 - audit.overall["accuracy"],
        "selected": audit.overall["selection_rate"],
        "women": women["weight"] / audit.overall["weight"],
        "women_among_positives": among,
        "bias_overall": women["covariance"],
        "bias": {stratum["stratum"]["race"]: _covariance(stratum) for stratum in audit.strata},
        "chance": {stratum["stratum"]["race"]: _by_chance(stratum) for stratum in audit.strata},
        "people": {stratum["stratum"]["race"]: stratum["weight"] for stratum in audit.strata},
    }


def _covariance(stratum: Record) -> float:
    """Return that of women and decisions; with one sex alone there is none."""
    groups = stratum["groups"]
    if len(groups) < 2:
        return 0.0
    return float(next(g["covariance"] for g in groups if g["group"]["sex"] == "Female"))


def _by_chance(stratum: Record) -> float:
    """Return the mean of |covariance| if as many people were selected without regard to sex.

    The covariance then has the mean 0 and the variance w (1 - w) r (1 - r) / n, with w the share of
    women and r the share of those selected, and is nearly normal.
    """
    people, selected = stratum["weight"], stratum["selection_rate"]
    women = sum(g["weight"] for g in stratum["groups"] if g["group"]["sex"] == "Female") / people
    variance = women * (1 - women) * selected * (1 - selected) / people
    return float(np.sqrt(2 / np.pi * variance))


def difference(audit: evenhand.Audit, criterion: str, *, inside: bool = False) -> float:
    """Return the largest difference between women and men, over all or inside strata."""
    pools = audit.strata if inside else [audit.overall]
    return max(
        pool[f"{rate}_between_groups"]["difference"] or 0.0
        for rate in RATES[criterion]
        for pool in pools
    )


def of_probabilities(q: Floats, sex: Texts, race: Texts, y: Labels) -> evenhand.Audit:
    """Audit decisions that are positive with the probabilities q: what to expect of the coins.

    Every row counts twice, as selected with the weight q and as not selected with 1 - q.
    """
    weight = np.concatenate([q, 1 - q])
    kept = weight > 0
    return evenhand.audit(
        decision=np.repeat([1, 0], len(q))[kept],
        sensitive={"sex": np.tile(sex, 2)[kept]},
        within={"race": np.tile(race, 2)[kept]},
        label=np.tile(y, 2)[kept],
        weight=weight[kept],
        threads=1,
    )
