"""Hiring under New York City's Local Law 144: impact ratios, and a rule that sees no group.

The law (NYC Admin. Code 20-870 ff., 6 RCNY 5-300 ff.) asks employers who screen candidates with an
automated tool for a yearly bias audit: for each sex, each race or ethnicity, and each combination,
the selection rate and its ratio to that of the group selected most. It sets no limit. Other law
forbids different cutoffs for different groups (42 U.S.C. 2000e-2(l)), so the rule below has one
cutoff for everybody. This is an example, not legal advice. The candidates are made up, with a fixed
seed.

    pip install evenhand pandas
    python examples/hiring_local_law_144.py
"""

import numpy as np
import pandas as pd

import evenhand

INTERVIEWS = 0.2  # the share of candidates that can be invited
SMALL = 0.02  # groups with a smaller share of candidates may be left out (6 RCNY 5-301)


def candidates(count: int, seed: int) -> pd.DataFrame:
    """Make up candidates, with the score that a screening tool gave them."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["Female", "Male"], count, p=[0.48, 0.52])
    race = rng.choice(
        ["Asian", "Black", "Hispanic", "White", "Two or more"],
        count,
        p=[0.2, 0.2, 0.24, 0.345, 0.015],
    )
    # The tool likes what some groups have had more chances to collect.
    shift = np.select([race == "White", race == "Asian"], [0.45, 0.3], 0.0) + 0.2 * (sex == "Male")
    suited = rng.normal(size=count)
    score = 1 / (1 + np.exp(-(suited + shift - 0.9 + 0.5 * rng.normal(size=count))))
    return pd.DataFrame({"sex": sex, "race": race, "score": score.round(4)})


def impact_ratios(people: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the table that the law asks for: selection rates, and ratios to the highest."""
    audit = evenhand.audit(decision="invited", sensitive=by, data=people)
    table = pd.DataFrame(
        {
            "group": [", ".join(one["group"].values()) for one in audit.groups],
            "candidates": [int(one["weight"]) for one in audit.groups],
            "rate": [one["selection_rate"] for one in audit.groups],
        }
    )
    compared = table["candidates"] >= SMALL * len(people)
    table["impact ratio"] = table["rate"] / table["rate"][compared].max()
    return table.assign(compared=compared)


def show(title: str, people: pd.DataFrame) -> float:
    """Print the law's tables; return the smallest impact ratio by sex and by race."""
    print(f"\n{title}: {people['invited'].mean():.1%} of candidates are invited")
    smallest = 1.0
    for by in (["sex"], ["race"], ["sex", "race"]):
        for row in impact_ratios(people, by).itertuples():
            group, count, rate, ratio, compared = row[1:]
            note = "" if compared else "  under 2 % of candidates"
            print(f"  {group:22} {count:6,} {rate:7.1%}  impact ratio {ratio:.2f}{note}")
            if compared and len(by) == 1:
                smallest = min(smallest, ratio)
    return smallest


def main() -> None:
    """Audit today's cutoff, then the best rule without groups whose ratios pass four fifths."""
    people = candidates(30_000, seed=144)
    cutoff = people["score"].quantile(1 - INTERVIEWS)
    today = people.assign(invited=(people["score"] > cutoff).astype(int))
    before = show("One cutoff at the 80th percentile", today)

    # Four fifths by sex and by race, for everybody by the same rule, with as many interviews.
    fit = evenhand.fit(
        "score",
        ["sex", "race"],
        criterion="four-fifths",
        ratio=0.83,  # a little more, as the lots of one round may fall to either side
        across="marginal",
        blind=True,
        require=f"rate = {INTERVIEWS}",
        data=people,
    )
    print(f"\nThe best rule that sees no group ({fit.status}):")
    for line in fit.rule.describe().splitlines():
        print(f"  {line}")
    invited = fit.rule.decide(people["score"], seed=144)
    fair = people.assign(invited=invited)
    after = show("That rule", fair)
    print(f"\nBy sex and by race, the smallest ratio rises from {before:.2f} to {after:.2f}.")
    paid = [float(one["score"][one["invited"] == 1].mean()) for one in (today, fair)]
    print(f"The mean score of those invited falls from {paid[0]:.2f} to {paid[1]:.2f}:")
    print("a rule that sees no group can only draw lots further down the list.")
    print("The remedy is a better score.")


if __name__ == "__main__":
    main()
