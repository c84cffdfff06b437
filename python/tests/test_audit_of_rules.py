"""Audits of rules: everything that the rule was fitted with, unless told otherwise."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import People

import evenhand

ACROSS = {"intersection": 1, "marginal": 2, "both": 3}


@pytest.mark.parametrize("across", ACROSS)
def test_groups_are_compared_as_they_were_fitted(people: People, across: str) -> None:
    data = people.columns()
    fit = evenhand.fit(
        "score", ["sex", "race"], criterion="statistical-parity", across=across, data=data
    )
    for audit in (fit.after, evenhand.audit(data=data, rule=fit)):
        assert audit.largest_difference is not None
        assert audit.largest_difference < 1e-9
        assert len(audit.views) == ACROSS[across]
    assert len(fit.before.views) == ACROSS[across]
    if across == "marginal":
        crossed = evenhand.audit(data=data, rule=fit, across="intersection")
        assert crossed.largest_difference is not None
        assert crossed.largest_difference > 1e-3
        assert "race=a" in repr(fit)


def test_columns_are_those_of_the_fit(people: People) -> None:
    data = people.columns()
    fit = evenhand.fit(
        "score", "sex", within="race", weight="weight", criterion="statistical-parity", data=data
    )
    audit = evenhand.audit(data=data, rule=fit.rule)
    assert audit.largest_difference == pytest.approx(0, abs=1e-9)
    assert audit.overall["weight"] == people.weight.sum()
    del data["weight"]
    assert evenhand.audit(data=data, rule=fit.rule).overall["weight"] == len(people.score)


def test_tallies_are_audited_by_the_roles_of_the_rule(people: People) -> None:
    data = people.columns()
    tally = evenhand.Tally("score", ["sex", "race"], label="label", data=data)
    fit = evenhand.fit(
        "score", "sex", within="race", label="label", criterion="equalized-odds", data=data
    )
    assert (
        evenhand.audit(tally, rule=fit).to_dict() == evenhand.audit(data=data, rule=fit).to_dict()
    )
    named = evenhand.audit(tally, np.array(["sex", "race"]), within=[], rule=fit)
    assert named.sensitive == ["sex", "race"]


def test_other_columns_than_those_of_the_rule(people: People) -> None:
    """As the tool does: the rule decides by its own attributes, whoever is compared."""
    data = people.columns()
    fit = evenhand.fit("score", "sex", criterion="statistical-parity", tolerance=0.05, data=data)
    decided = fit.rule.probability("score", data=data)
    by_race = evenhand.audit(data=data, rule=fit, sensitive="race")
    assert (by_race.sensitive, by_race.within) == (["race"], [])
    for group in by_race.groups:
        mine = np.asarray(people.race) == group["group"]["race"]
        assert group["selection_rate"] == pytest.approx(decided[mine].mean())
    by_sex = evenhand.audit(data=data, rule=fit, sensitive="race", within="sex")
    assert (by_sex.sensitive, by_sex.within) == (["race"], ["sex"])
    with pytest.raises(ValueError, match="the rule needs the attribute 'sex'"):
        evenhand.audit(people.score, {"race": people.race}, rule=fit)
