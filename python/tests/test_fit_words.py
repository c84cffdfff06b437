"""What fits say: the same as the tool."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import People

import evenhand


def lines_of(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if line.strip()}


@pytest.mark.parametrize(
    ("options", "flags"),
    [
        ({"criterion": "statistical-parity"}, []),
        ({"criterion": "statistical-parity", "tolerance": 0.02}, ["--tolerance", 0.02]),
        ({"criterion": "equalized-odds", "tolerance": 0.1}, ["--tolerance", 0.1]),
        ({"criterion": "four-fifths", "require": "rate <= 0.4"}, ["--require", "rate <= 0.4"]),
        ({"criterion": "statistical-parity", "lottery": "none", "tolerance": 0.1},
         ["--lottery", "none", "--tolerance", 0.1]),
        ({"criterion": "statistical-parity", "blind": True, "tolerance": 0.1},
         ["--blind", "--tolerance", 0.1]),
        ({"criterion": "equal-opportunity", "confidence": 0.8}, ["--confidence", 0.8]),
    ],
)  # fmt: skip
def test_sentences_are_those_of_the_tool(
    people: People,
    tmp_path: Path,
    tool: Callable[..., str],
    options: dict[str, Any],
    flags: list[Any],
) -> None:
    frame = pd.DataFrame(people.columns())
    frame.to_csv(tmp_path / "people.csv", index=False)
    fit = evenhand.fit("score", "sex", within="race", label="label", data=frame, **options)
    printed = tool(
        "fit", "people.csv", "--score", "score", "--sensitive", "sex", "--within", "race",
        "--label", "label", "--criterion", options["criterion"], *flags,
    )  # fmt: skip
    said = lines_of(printed)
    for line in [*fit._head()[:2], *fit._foot()]:
        assert line.strip() in {one.replace("--within", "within") for one in said}, line


def test_both_accuracies_are_there_where_labels_only_measure(people: People) -> None:
    shared: dict[str, Any] = {"criterion": "statistical-parity", "label": people.label}
    trusting = evenhand.fit(people.score, people.sex, **shared)
    assert "the accuracy that the scores promise" in repr(trusting)
    assert "promise" not in repr(
        evenhand.fit(people.score, people.sex, calibrate="isotonic", **shared)
    )
    assert "promise" not in repr(evenhand.fit(people.score, people.sex, criterion="equal-rates"))
    points = evenhand.frontier(people.score, people.sex, **shared)
    promised = [point["promised_accuracy"] for point in points]
    # A larger tolerance never costs what is maximised.
    assert np.all(np.diff(promised) >= -1e-12)
    assert "promised" in repr(points)
    base = (people.score > 0.5).astype(float)
    expected = np.mean(base * people.score + (1 - base) * (1 - people.score))
    text = re.search(r"promise, ([0-9.]+) % ->", repr(trusting))
    assert text is not None
    assert float(text[1]) == pytest.approx(100 * expected, abs=0.006)


def test_cost_stands_where_costs_differ(people: People) -> None:
    fit = evenhand.fit(
        people.score, people.sex, criterion="statistical-parity", cost_fp=3.0, label=people.label
    )
    assert "cost of a decision" in repr(fit)
    assert "the cost that the scores promise" in repr(fit)
    assert "cost" in repr(evenhand.frontier(
        people.score, people.sex, criterion="statistical-parity", cost_fp=3.0
    ))  # fmt: skip


def test_cells_that_are_not_compared_are_named_with_the_reason() -> None:
    score = [0.2, 0.8, 0.4, 0.6, 0.5]
    fit = evenhand.fit(
        score, {"sex": ["F", "M", "F", "M", "F"]}, within={"town": ["a", "a", "b", "b", "c"]},
        criterion="statistical-parity",
    )  # fmt: skip
    assert "sex=F, town=c is not compared: " in repr(fit)


def test_soft_columns_are_checked_against_true_groups(people: People) -> None:
    right = np.where(people.sex == "F", 0.9, 0.3)
    women = people.sex == "F"
    fit = evenhand.fit_soft(people.score, {"p_F": right}, check_with=people.sex)
    assert fit.check is not None
    assert "not calibrated" in repr(fit)  # 0.9 is none of the shares
    q = fit.rule.probability(people.score, right)
    true = abs(q[women].mean() - q[~women].mean())
    assert fit.check["largest_difference"] == pytest.approx(true)
    some = people.sex.astype(object).copy()
    some[::2] = None
    partly = evenhand.fit_soft(people.score, {"p_F": right}, check_with=some)
    assert partly.check is not None
    assert partly.check["rows"] == len(some) // 2
    exact = evenhand.fit_soft(people.score, {"p_F": women.astype(float)}, check_with=people.sex)
    assert exact.check is not None
    assert exact.check["calibrated"]
    with pytest.raises(ValueError, match="name"):
        evenhand.fit_soft(people.score, {"p_x": right}, check_with=people.sex)


def test_soft_figures_say_what_they_assume(people: People) -> None:
    fit = evenhand.fit_soft(people.score, {"p": people.score}, label=people.label)
    assumption = "only if the columns are calibrated"
    assert assumption in repr(fit)
    assert assumption in fit._repr_html_()
    assert assumption in repr(fit.after)
    assert "as the scores promise" in repr(fit)
