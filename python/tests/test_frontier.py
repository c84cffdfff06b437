"""Frontiers: where there is none, and copies."""

from __future__ import annotations

import pickle

import pytest
from conftest import People

import evenhand


def test_requirements_alone_have_no_frontier(people: People) -> None:
    message = "requirements alone have no tolerance, so there is no frontier"
    for require in ("rate <= 0.1", ["rate <= 0.1"]):
        with pytest.raises(ValueError, match=message):
            evenhand.frontier("score", "sex", require=require, data=people.columns())
    with pytest.raises(ValueError, match="say what is fair"):
        evenhand.frontier("score", "sex", data=people.columns())


def test_frontiers_are_equal_to_their_copies(people: People) -> None:
    found = evenhand.frontier(people.score, people.sex, criterion="equal-rates")
    assert pickle.loads(pickle.dumps(found)) == found
    assert found != evenhand.frontier(people.score, people.sex, criterion="equal-rates", at=0)
    assert found != list(found)
