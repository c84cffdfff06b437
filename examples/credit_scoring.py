"""Credit scoring with scikit-learn: of those who would repay, women and men get credit alike.

A pipeline learns from past loans who repays. Those who would repay should have the same chance of
credit whatever their sex: equal opportunity. The applicants are made up, with a fixed seed, and
women's incomes understate how well they repay, so that one threshold for all would fail them.

    pip install '.[sklearn]' pandas
    python examples/credit_scoring.py
"""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from evenhand import Audit, FairThresholdClassifier

NUMBERS = ["income", "debt", "years_employed"]
CATEGORIES = ["housing"]


def applicants(count: int, seed: int) -> tuple[pd.DataFrame, pd.Series]:
    """Make up applicants, and whether they repaid."""
    rng = np.random.default_rng(seed)
    woman = rng.random(count) < 0.45
    means = rng.normal(size=count)  # how well off they are, which nobody sees
    people = pd.DataFrame(
        {
            "sex": np.where(woman, "woman", "man"),
            "income": np.exp(10.2 + 0.4 * means - 0.25 * woman + 0.2 * rng.normal(size=count)),
            "debt": np.exp(8.5 - 0.3 * means + 0.5 * rng.normal(size=count)),
            "years_employed": np.clip(
                8 + 3 * means - 2 * woman + 4 * rng.normal(size=count), 0, 40
            ),
            "housing": rng.choice(["owner", "tenant", "family"], count, p=[0.4, 0.5, 0.1]),
        }
    )
    repaid = pd.Series((means + 0.7 * rng.normal(size=count) > -0.2).astype(int), name="repaid")
    return people, repaid


def show(title: str, audit: Audit) -> None:
    """Print what decisions mean for women and men."""
    print(f"{title}: {audit.accuracy:.1%} of decisions are right")
    for group in audit.groups:
        print(
            f"  {group['group']['sex']:6} credit for {group['true_positive_rate']:.1%} of those "
            f"who would repay, and for {group['false_positive_rate']:.1%} of the others"
        )


def main(folder: Path) -> None:
    """Fit, compare before and after on applicants that no step has seen, and decide."""
    # Of secret bytes, made once and kept: head -c 32 /dev/urandom > key
    key_file = folder / "key"
    key_file.write_bytes(b"a secret of the bank")
    key_file.chmod(0o600)
    people, repaid = applicants(20_000, seed=7)
    train, test, y_train, y_test = train_test_split(people, repaid, test_size=0.5, random_state=0)

    features = ColumnTransformer(
        [("numbers", StandardScaler(), NUMBERS), ("categories", OneHotEncoder(), CATEGORIES)]
    )
    model = make_pipeline(features, LogisticRegression())
    credit = FairThresholdClassifier(
        model,
        criterion="equal-opportunity",
        sensitive_features="sex",  # a column of X, so that predict(X) needs nothing else
        drop_attributes=True,  # the model does not see it
        key_file=key_file,  # for the coins; the secret is not in the model
    )
    credit.fit(train, y_train)
    print(f"{credit.fit_.status}: no fair rule is more accurate on the scores of held-out folds\n")

    after = credit.audit(test, y_test)
    assert after.before is not None  # as a rule was audited
    show("One threshold for all", after.before)
    show("The fair rule", after)
    print("\nThe rule, on the model's probability of being repaid:")
    for line in credit.rule_.describe().splitlines():
        print(f"  {line}")

    decisions = pd.Series(credit.predict(test), index=test.index)
    alone = credit.predict(test.iloc[[0]])[0]
    same = (credit.predict(test[::-1])[::-1] == decisions).all() and alone == decisions.iloc[0]
    print(f"\n{decisions.sum():,} of {len(test):,} new applicants get credit.")
    print(f"The same answer for the same applicant, alone or in any order: {same}")
    who = test.iloc[0]
    score = credit.estimator_.predict_proba(test.iloc[[0]])[0, 1]
    print(f"The first of them: {credit.rule_.explain(score, sex=who['sex'])}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder))
