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
    """Nobody in it is selected, whatever the score: a warning says so."""
    score = np.tile(np.arange(40) % 20 / 20, 3)
    group = np.repeat(["a", "b", "c"], 40)
    label = (score >= 0.5) & (group != "c")
    with pytest.warns(UserWarning, match="c has no favourable outcomes.*nobody"):
        evenhand.fit(score, group, label=label, criterion="equal-opportunity")
