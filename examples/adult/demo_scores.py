"""Writes data/adult-scores.csv: a model's scores of the people it was not trained on.

The model is the logistic regression of adult.py, trained on the original training part; the scores
are those of the original test part. The same bytes come out every time.
"""

import argparse
import csv
from pathlib import Path

import adult
import numpy as np
from sklearn.metrics import roc_auc_score

MODEL = "logistic_regression"
SEED = 1  # of no effect on this model, which has nothing random
DECIMALS = 6


def write(path: Path, people: adult.Adult, rows: adult.Rows, score: adult.Floats) -> None:
    """One line for each person; `person` is the row of adult.csv.gz, from 1 after the header."""
    ages, educations = people.X["age"].to_numpy(), people.X["education"].to_numpy()
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["person", "sex", "race", "age", "education", "score", "high_income"])
        for row, p in zip(rows, score, strict=True):
            who = [people.sex[row], people.race[row], ages[row], educations[row]]
            out.writerow([row + 1, *who, f"{p:.{DECIMALS}f}", people.y[row]])


def calibration_error(score: adult.Floats, y: adult.Labels) -> float:
    """Mean distance between score and outcome over ten bins of the score, weighted by people."""
    bins = np.minimum((score * 10).astype(int), 9)
    return float(np.abs(np.bincount(bins, score - y)).sum() / len(y))


def describe(people: adult.Adult, rows: adult.Rows, score: adult.Floats) -> None:
    """Prints how good the scores are, and how unequal the decisions `score > 1/2` would be."""
    y, sex, race, positive = people.y[rows], people.sex[rows], people.race[rows], score > 0.5
    print(f"{len(rows)} people, {np.mean(sex == 'Female'):.2%} women")
    print(f"AUC {roc_auc_score(y, score):.4f}, accuracy at 1/2 {np.mean(positive == y):.2%}")
    print(f"mean score {score.mean():.4f}, mean label {y.mean():.4f}, ", end="")
    print(f"calibration error {calibration_error(score, y):.4f}")
    print(f"women among the positives: {np.mean(sex[positive] == 'Female'):.2%}\n")
    print(f"{'':20} people  positive  high income  mean score")
    for group in (sex, race):
        for value in np.unique(group):
            here = group == value
            rates = (
                f"{positive[here].mean():9.2%}  {y[here].mean():11.2%}  {score[here].mean():10.4f}"
            )
            print(f"{value:20} {here.sum():6} {rates}")


def main() -> None:
    """Trains, writes the file and prints its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = adult.DATA / "adult-scores.csv"
    parser.add_argument("output", nargs="?", type=Path, default=default)
    output = parser.parse_args().output

    people = adult.load()
    train = np.flatnonzero(people.part == "train")
    test = np.flatnonzero(people.part == "test")
    model = adult.models(SEED)[MODEL].fit(people.X.iloc[train], people.y[train])
    score = adult.scores(model, people.X.iloc[test]).round(DECIMALS)
    write(output, people, test, score)
    describe(people, test, score)


if __name__ == "__main__":
    main()
