"""Audit decisions that were already made: who gets what, how sure that is, and if it passes.

The decisions are those of a model that says yes from a score of 1/2 on, about the 16,281 people in
data/adult-scores.csv. An audit needs nothing of the model: decisions, groups, and what really
happened, if that is known.

    pip install evenhand pandas
    python examples/audit_existing_model.py

Exits with 1 if the decisions do not pass.
"""

import sys
from pathlib import Path

import pandas as pd

import evenhand

DATA = Path(__file__).parents[1] / "data" / "adult-scores.csv"
FOUR_FIFTHS = 0.8  # the share of the reference group's rate that raises no question in US law


def main() -> int:
    """Audit, print and judge."""
    people = pd.read_csv(DATA)
    people["decision"] = (people["score"] >= 0.5).astype(int)

    audit = evenhand.audit(
        decision="decision",
        sensitive="race",
        label="high_income",
        data=people,
        reference="White",
        confidence=0.95,
    )
    print(f"{len(people):,} decisions, {audit.accuracy:.1%} of them right\n")
    print("Who gets a yes, with the 95 % interval of a sample of this size:")
    for group in audit.groups:
        low, high = group["selection_rate_interval"]
        print(
            f"  {group['group']['race']:20} {group['weight']:7,.0f} people"
            f"  {group['selection_rate']:6.1%}  ({low:.1%} to {high:.1%})"
        )

    print("\nAgainst the reference group, White:")
    failed = []
    for one in audit.against_reference:
        passes = one["ratio"] >= FOUR_FIFTHS
        print(f"  {one['cell']:25} {one['ratio']:6.1%}  {'pass' if passes else 'FAIL'}")
        if not passes:
            failed.append(one["cell"])

    # Of those who did earn that much, who got a yes?
    odds = evenhand.audit(
        decision="decision",
        sensitive="sex",
        label="high_income",
        data=people,
        criterion="equalized-odds",
    )
    print("\nRates of error, by sex:")
    for group in odds.groups:
        print(
            f"  {group['group']['sex']:8} finds {group['true_positive_rate']:.1%} of those with a "
            f"high income, and wrongly says yes to {group['false_positive_rate']:.1%} of the others"
        )
    print(f"  the largest difference is {100 * odds.largest_difference:.1f} points")

    if failed:
        print(f"\nFAIL: below four fifths of the reference: {', '.join(failed)}")
        print("evenhand.fit(..., criterion='four-fifths') finds the best decisions that pass.")
        return 1
    print("\nPASS: every group has at least four fifths of the reference group's rate")
    return 0


if __name__ == "__main__":
    sys.exit(main())
