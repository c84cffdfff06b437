"""Hospital triage with a capacity: 300 beds, and the same chance of one for those who need it.

A model gives each patient's risk of getting worse. There are beds for 300 of 5,000. Among patients
who will get worse, people with and without insurance should be found equally often (equal
opportunity). The patients are made up, with a fixed seed, and the model knows less about the
uninsured: they come with shorter records, and look healthier in them than they are.

    pip install evenhand pandas
    python examples/hospital_triage.py
"""

import numpy as np
import pandas as pd

import evenhand

BEDS = 300
KEPT_FREE = 0.1  # of the beds: tomorrow is never quite like the days that a rule was fitted on


def patients(count: int, seed: int) -> pd.DataFrame:
    """Make up patients, their risk as the model sees it, and who got worse."""
    rng = np.random.default_rng(seed)
    insured = rng.random(count) < 0.7
    severity = rng.normal(size=count) - 1.6
    known = severity + np.where(insured, 0.3, 1.0) * rng.normal(size=count)
    risk = 1 / (1 + np.exp(-(known - np.where(insured, 0.0, 1.2))))
    worse = rng.random(count) < 1 / (1 + np.exp(-1.7 * severity))
    return pd.DataFrame(
        {
            "patient": np.arange(count),
            "insurance": np.where(insured, "insured", "uninsured"),
            "ward": rng.choice(["medical", "surgical"], count, p=[0.6, 0.4]),
            "risk": risk,
            "worse": worse.astype(int),
        }
    )


def found(people: pd.DataFrame, bed: np.ndarray) -> dict[str, float]:
    """Return the share of those who got worse that had a bed, by insurance."""
    ill = people["worse"] == 1
    return pd.Series(bed[ill]).groupby(people["insurance"][ill].to_numpy()).mean().to_dict()


def main() -> None:
    """Compare the 300 highest risks with the best 300 that find both groups alike."""
    past, today = patients(20_000, seed=1), patients(5_000, seed=2)

    order = today["risk"].rank(method="first", ascending=False)
    highest = (order <= BEDS).to_numpy().astype(int)
    print(f"The {BEDS} highest risks find")
    for group, share in found(today, highest).items():
        print(f"  {share:.1%} of the {group} who get worse")

    capacity = (1 - KEPT_FREE) * BEDS / len(today)
    fit = evenhand.fit(
        "risk",
        "insurance",
        label="worse",
        criterion="equal-opportunity",
        require=[f"rate = {capacity}"],
        calibrate="isotonic",
        data=past,
    )
    print(f"\nThe best rule that finds both alike with beds for {capacity:.1%} ({fit.status}):")
    for line in fit.rule.describe().splitlines():
        print(f"  {line}")
    bed = fit.rule.decide(
        "risk", "insurance", data=today, id="patient", key="a secret of the hospital"
    )
    print(f"\nIt fills {bed.sum()} of {BEDS} beds today, and finds")
    for group, share in found(today, bed).items():
        print(f"  {share:.1%} of the {group} who get worse")

    # More beds for one ward than there are: the hospital is told what clashes.
    try:
        evenhand.fit(
            "risk",
            ["insurance", "ward"],
            label="worse",
            criterion="equal-opportunity",
            require=[f"rate = {capacity}", "rate[ward=surgical] >= 0.2"],
            calibrate="isotonic",
            data=past,
        )
    except evenhand.InfeasibleError as error:
        print(f"\nA bed for every fifth surgical patient as well is too much to ask:\n  {error}")


if __name__ == "__main__":
    main()
