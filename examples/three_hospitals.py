"""Three hospitals find one fair rule together, and none of them shows a patient's row to another.

Each has a model's score of every patient: the probability that a place in a care programme helps.
Places should go to women and men at the same rate. A hospital counts its patients by sex and score,
and sends these counts, a tally, to the others. Counts of neighbouring scores are pooled until none
tells of fewer than ten patients. The patients here are made up, with a fixed seed.

    pip install evenhand pandas
    python examples/three_hospitals.py
"""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import evenhand

MIN_COUNT = 10


def patients_of(hospital: str, count: int, share_of_women: float, seed: int) -> pd.DataFrame:
    """Make up a hospital's patients; their rows never leave it."""
    rng = np.random.default_rng(seed)
    sex = np.where(rng.random(count) < share_of_women, "woman", "man")
    score = rng.beta(2.0, np.where(sex == "woman", 3.2, 2.2)).round(4)
    return pd.DataFrame(
        {
            "patient": [f"{hospital}-{number}" for number in range(count)],
            "sex": sex,
            "score": score,
            "helped": (rng.random(count) < score).astype(int),
        }
    )


def counted(patients: pd.DataFrame) -> evenhand.Tally:
    """Count patients by sex and score."""
    return evenhand.Tally("score", "sex", label="helped", data=patients)


def largest_difference(rule: evenhand.Rule, patients: pd.DataFrame) -> float:
    """Return how far the rates of women and men are apart, on rows."""
    q = rule.probability("score", "sex", data=patients)
    rates = pd.Series(q).groupby(patients["sex"].to_numpy()).mean()
    return float(rates.max() - rates.min())


def fitted(tally: evenhand.Tally) -> evenhand.Fit:
    """Find the most accurate rule that gives places to women and men at the same rate."""
    return evenhand.fit(tally, sensitive="sex", criterion="statistical-parity")


def main() -> None:
    """Count, send, merge, fit, and compare with what a shared list of patients would give."""
    hospitals = {
        "north": patients_of("north", 12_000, 0.4, seed=1),
        "south": patients_of("south", 7_000, 0.6, seed=2),
        "coast": patients_of("coast", 3_000, 0.5, seed=3),
    }

    with tempfile.TemporaryDirectory() as post:
        print("Each hospital counts, and sends a file:")
        for name, patients in hospitals.items():
            tally = counted(patients).pool_rare(MIN_COUNT)
            tally.save(Path(post) / f"{name}.tally")
            entries = [tally.entries(cell)["n"] for cell in range(len(tally.cells))]
            print(
                f"  {name:6} {len(patients):6,} patients in {sum(map(len, entries)):5,} counts, "
                f"none below {min(n.min() for n in entries):.0f}"
            )
        north, south, coast = (
            evenhand.Tally.load(Path(post) / f"{name}.tally") for name in hospitals
        )

    together = north + south + coast
    print("\nMerged in any order the counts are the same:", together == coast + north + south)
    fit = fitted(together)
    print(f"One rule for all, fitted on {together.total:,.0f} patients ({fit.status}):")
    for line in fit.rule.describe().splitlines():
        print(f"  {line}")

    # Nobody could do the following without sharing rows. It shows what sharing would have changed.
    everybody = pd.concat(hospitals.values(), ignore_index=True)
    shared = fitted(counted(everybody))
    exact = counted(hospitals["north"]) + counted(hospitals["south"]) + counted(hospitals["coast"])
    print("\nWithout pooling, the merged counts give the rule of a shared list, bit for bit:")
    print(f"  {fitted(exact).rule == shared.rule}")

    def accuracy(rule: evenhand.Rule) -> float:
        q = rule.probability("score", "sex", data=everybody)
        return float(np.where(everybody["helped"] == 1, q, 1 - q).mean())

    print("Pooling to ten patients a count hardly changes what it does to them:")
    for name, rule in (("shared list", shared.rule), ("pooled counts", fit.rule)):
        apart = largest_difference(rule, everybody)
        print(f"  {name:14} accuracy {accuracy(rule):.2%}, rates differ by {apart:.4%}")

    decisions = fit.rule.decide(
        "score", "sex", data=everybody, id="patient", key="the hospitals' common secret"
    )
    print(f"\nPlaces for {decisions.sum():,} of {len(everybody):,} patients.")
    print("A patient who comes again, to any of the three, gets the same answer.")


if __name__ == "__main__":
    main()
