"""Audits of rules: everything that the rule was fitted with, unless told otherwise."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import TOOL, People

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


LIMITS = {
    "fail_above": "--fail-above",
    "fail_below": "--fail-below",
    "fail_if_shown_above": "--fail-if-shown-above",
    "fail_unless_shown_below": "--fail-unless-shown-below",
    "fail_if_shown_ratio_below": "--fail-if-shown-ratio-below",
    "fail_unless_shown_ratio_above": "--fail-unless-shown-ratio-above",
}


@pytest.mark.usefixtures("tool")
def test_limits_as_the_tool_has_them(people: People, tmp_path: Path) -> None:
    """Every sentence that the tool says, and an empty list where it exits with 0."""
    frame = pd.DataFrame(people.columns())
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    audit = evenhand.audit("score", "sex", data=frame)
    for value in (0.0, 0.1, 0.5, 0.9, 1.0):
        for name, option in LIMITS.items():
            said = audit.check(**{name: value})
            asked = [TOOL, "audit", path, "--score", "score", "--sensitive", "sex"]
            done = subprocess.run([*asked, option, str(value)], capture_output=True, check=False)
            assert done.returncode == (4 if said else 0)
            assert [f"evenhand: {one}" for one in said] == done.stderr.decode().splitlines()
    assert audit.bound is not None
    assert audit.bound.value is not None
    assert audit.check(fail_unless_shown_below=audit.bound.value) == []
    assert len(audit.check(fail_above=0, fail_below=1, fail_unless_shown_below=0)) == 3


def test_limits_that_cannot_be(people: People) -> None:
    fit = evenhand.fit(people.score, people.sex, criterion="statistical-parity")
    audit = evenhand.audit(people.score, people.sex, rule=fit)
    with pytest.raises(ValueError, match="give a limit"):
        audit.check()
    for name in LIMITS:
        for value in (-0.1, 1.5, float("nan")):
            with pytest.raises(ValueError, match=f"{name} takes a number from 0 to 1"):
                audit.check(**{name: value})
        with pytest.raises(TypeError, match=f"{name} must be a number"):
            audit.check(**{name: "0.1"})  # type: ignore[arg-type]
    assert audit.before is not None
    assert audit.before.check(fail_above=1) == []
    with pytest.raises(ValueError, match="no bounds for new people"):
        audit.before.check(fail_if_shown_above=0.1)
    with pytest.raises(ValueError, match="no two groups"):
        evenhand.audit(people.score, ["all"] * len(people.score)).check(fail_above=0.1)
