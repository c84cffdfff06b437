"""A sensitive column that tells people apart, not groups, is refused unless it is allowed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import evenhand

SCORE = np.random.default_rng(3).random(240)
GROUP = np.arange(240) % 80


@pytest.mark.parametrize("find", [evenhand.fit, evenhand.frontier])
def test_a_group_for_each_person_is_refused(find: Callable[..., object]) -> None:
    """As in swapped arguments, fit(y, s)."""
    with pytest.raises(ValueError, match=r"80 values with 3\.0 rows each.*allow_many_groups=True"):
        find(SCORE, GROUP, criterion="statistical-parity")
    find(SCORE, GROUP, criterion="statistical-parity", allow_many_groups=True)


def test_a_tally_of_such_a_column_is_refused_too() -> None:
    """It knows how many rows it has."""
    tally = evenhand.Tally(SCORE, GROUP)
    with pytest.raises(ValueError, match="allow_many_groups"):
        evenhand.fit(tally, criterion="statistical-parity")


def test_a_group_without_favourable_outcomes_is_named() -> None:
    """A warning says so; it is decided by the outcomes of the others."""
    score = np.tile(np.arange(40) % 20 / 20, 3)
    group = np.repeat(["a", "b", "c"], 40)
    label = (score >= 0.5) & (group != "c")
    with pytest.warns(UserWarning, match="c has no favourable outcomes.*the other groups"):
        fit = evenhand.fit(score, group, label=label, criterion="equal-opportunity")
    assert [cell["benefits"] for cell in fit.cells] == ["own", "own", "stratum"]
    assert fit.rule.probability([0.2, 0.9], ["c", "c"]).tolist() == [0, 1]
    assert "with borrowed outcomes" in repr(fit)
    points = evenhand.frontier(score, group, label=label, criterion="equal-opportunity")
    assert "c has no favourable outcomes" in points.notes[0]
    assert points.notes[0] in repr(points)
    assert points.to_dict()["notes"] == points.notes


def test_groups_that_differ_in_next_to_nothing_are_pointed_out() -> None:
    """Once, wherever the rows come in."""
    score = np.linspace(0, 1, 60)
    group = np.tile(["Male", "male", "nan"], 20)
    for find in (
        lambda: evenhand.fit(score, group, criterion="statistical-parity"),
        lambda: evenhand.audit(score, group),
        lambda: evenhand.Tally(score, group),
    ):
        with pytest.warns(UserWarning, match="'Male' and 'male' count as different") as found:
            find()
        assert sum("count as different" in str(one.message) for one in found) == 1
        assert any("'nan' looks like a missing value" in str(one.message) for one in found)
