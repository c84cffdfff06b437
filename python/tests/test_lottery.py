"""Coins: few, none, and what is said about them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from conftest import People

import evenhand


def parity(people: People, **options: Any) -> evenhand.Fit:
    given = {"criterion": "statistical-parity", **options}
    return evenhand.fit(people.score, {"sex": people.sex}, **given)


def test_the_fewest_coins_are_the_default(people: People) -> None:
    assert parity(people) == parity(people, lottery="fewest")
    assert parity(people).lottery_share <= parity(people, lottery="least-chance").lottery_share


def test_coins_never_cost_anything(people: People) -> None:
    least = parity(people, lottery="least-chance")
    assert least.objective == pytest.approx(parity(people).objective)


def test_without_coins_everybody_has_a_yes_or_a_no(people: People) -> None:
    fit = parity(people, lottery="none", tolerance=0.02)
    q = fit.rule.probability(people.score, people.sex)
    assert set(np.unique(q)) <= {0.0, 1.0}
    assert fit.lottery_share == 0
    assert "coins decide" not in repr(fit)


def test_a_fit_says_whom_coins_decide_and_what_none_would_cost() -> None:
    score = np.round(np.linspace(0.05, 0.95, 40), 1)
    sex = np.tile(["F", "M", "M", "M"], 10)
    text = repr(evenhand.fit(score, {"sex": sex}, criterion="statistical-parity"))
    assert "coins decide" in text
    assert "no coin:" in text


def test_a_rule_that_says_the_same_to_everybody_is_pointed_out() -> None:
    with pytest.warns(UserWarning, match="without coins says (yes|no) to everybody"):
        evenhand.fit(
            [0.2, 0.9, 0.3, 0.6, 0.1], ["F", "F", "M", "M", "M"], lottery="none",
            criterion="statistical-parity",
        )  # fmt: skip


def test_too_few_coins_for_a_requirement_is_infeasible() -> None:
    score, sex = [0.5] * 8, ["F", "M"] * 4
    with pytest.raises(evenhand.InfeasibleError, match="so few coins") as error:
        evenhand.fit(score, sex, require="rate = 0.25", lottery="none")
    assert error.value.certificate == []
    assert "allow coins" in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lottery": "some"}, "there is no lottery 'some': choose fewest, least-chance or none"),
        ({"max_lottery": 1.5}, "max_lottery is a share of each group, from 0 to 1, not 1.5"),
        ({"max_lottery": float("nan")}, "from 0 to 1, not nan"),
        ({"max_lottery": 0.1, "lottery": "none"}, "max_lottery cannot be combined with lottery="),
        ({"lottery": "none", "solver": "sgd"}, "lottery='none' cannot be combined with solver"),
        ({"max_lottery": 0.1, "solver": "sgd"}, "max_lottery cannot be combined with solver"),
        ({"lottery": "none", "gamma": 0.1}, "gamma"),
        ({"max_lottery": 0.1, "gamma": 0.1}, "gamma"),
        ({"lottery": "none", "certify": 0.9, "tolerance": 0.1}, "combined with certify"),
    ],
)
def test_bad_options(people: People, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parity(people, **options)


def test_the_record_has_the_kind(people: People) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert parity(people, lottery="none").to_dict()["lottery"] == "none"
        assert parity(people, max_lottery=0.25).to_dict()["max_lottery"] == 0.25
