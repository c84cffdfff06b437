"""One person at a time: the same answers, errors and coins as a column of one row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evenhand

RULE = """{"evenhand": 1, "rule": {"attributes": ["sex", "race"], "scale": "probability",
  "favorable": "high", "otherwise": 0.5, "cells": [
    {"values": ["", "1"], "start": 0.5, "steps": []},
    {"values": ["F", "Black"], "start": 0, "steps": [[0.25, 0.5], [0.75, 1]]},
    {"values": ["F", "true"], "start": 0, "steps": [[0.5, 0.25]]},
    {"values": ["é", "Wh\\u0000ite"], "start": 0.25, "steps": [[0.5, 0.75]]}]}}"""


@pytest.fixture
def rule() -> evenhand.Rule:
    """Return a rule with coins."""
    return evenhand.Rule.from_json(RULE)


PEOPLE: list[tuple[Any, Any, Any]] = [
    (0.3, "F", "Black"),
    (0.9, "F", "Black"),
    (1, "F", "Black"),
    (0, "é", "Wh\0ite"),
    (np.float64(0.3), "F", "Black"),
    (np.float32(0.5), np.str_("F"), "Black"),
    (True, "F", True),
    (0.5, "F", True),
    (0.5, "", 1),
]


@pytest.mark.parametrize(("score", "sex", "race"), PEOPLE)
def test_a_person_alone_is_a_column_of_one(
    rule: evenhand.Rule, score: Any, sex: Any, race: Any
) -> None:
    """Probability and decisions are those of columns, whatever the types of the values."""
    columns = {"sex": [sex], "race": [race]}
    q = rule.probability(score, sex=sex, race=race)
    assert type(q) is float
    assert q == rule.probability(score, race=race, sex=sex)
    assert q == rule.probability([score], columns)[0]
    for unseen in ("score", "reject"):
        assert rule.probability(score, unseen=unseen, sex=sex, race=race) == q
    for coins in [{"seed": seed} for seed in (0, 1, 2, 3, 2**64 - 1)]:
        one = rule.decide(score, sex=sex, race=race, **coins)
        assert type(one) is int
        assert one == rule.decide([score], columns, **coins)[0]
    for who in ("ann", "bob", "Zoë", 7, -7, 10**30):
        for key in ("a key", b"\x00\xff"):
            one = rule.decide(score, sex=sex, race=race, id=who, key=key)
            assert one == rule.decide([score], columns, id=[who], key=key)[0]


def test_key_files_are_read(rule: evenhand.Rule, tmp_path: Path) -> None:
    """They may say the same as a key."""
    file = tmp_path / "key"
    file.write_bytes(b"a key")
    file.chmod(0o600)
    person = {"sex": "F", "race": "Black"}
    for who in "abcdefgh":
        assert rule.decide(0.3, id=who, key_file=file, **person) == rule.decide(
            0.3, id=who, key="a key", **person
        )


PERSON = {"sex": "F", "race": "Black"}
WRONG: list[tuple[Callable[[evenhand.Rule], Any], type[Exception], str]] = [
    (lambda rule: rule.probability(0.3, sex="F"), ValueError, "'race' is missing"),
    (lambda rule: rule.probability(0.3, sex="F", age="7"), ValueError, "no 'age'"),
    (lambda rule: rule.probability(0.3, sex="F", race="X"), IndexError, "never seen"),
    (lambda rule: rule.probability(0.3, sex="F", race=None), ValueError, "missing"),
    (lambda rule: rule.probability(1.5, **PERSON), ValueError, "1.5"),
    (lambda rule: rule.probability(float("nan"), **PERSON), ValueError, "missing"),
    (lambda rule: rule.probability("0.3", **PERSON), TypeError, "score"),
    (lambda rule: rule.probability([0.3], **PERSON), TypeError, "one score"),
    (lambda rule: rule.probability(10**400, **PERSON), ValueError, "too large"),
    (lambda rule: rule.probability(0.3, unseen="maybe", **PERSON), ValueError, "maybe"),
    (lambda rule: rule.probability(0.3, ["F"], **PERSON), TypeError, "no columns"),
    (lambda rule: rule.decide(0.3, **PERSON), ValueError, "seed"),
    (lambda rule: rule.decide(0.9, **PERSON), ValueError, "seed"),
    (lambda rule: rule.decide(0.9, seed=-1, **PERSON), ValueError, "seed"),
    (lambda rule: rule.decide(0.9, seed=True, **PERSON), TypeError, "seed"),
    (lambda rule: rule.decide(0.9, seed=2**64, **PERSON), ValueError, "seed"),
    (lambda rule: rule.decide(0.9, id="ann", **PERSON), ValueError, "together"),
    (lambda rule: rule.decide(0.9, key="k", **PERSON), ValueError, "together"),
    (lambda rule: rule.decide(0.9, id="ann", key="k", seed=1, **PERSON), ValueError, "not both"),
    (lambda rule: rule.decide(0.9, id="ann", key="", **PERSON), ValueError, "empty"),
    (lambda rule: rule.decide(0.9, id="", key="k", **PERSON), ValueError, "id"),
    (lambda rule: rule.decide(0.9, id=7.5, key="k", **PERSON), TypeError, "whole numbers"),
    (lambda rule: rule.decide(0.9, id="ann", key=7, **PERSON), TypeError, "key"),
]


@pytest.mark.parametrize(("call", "error", "message"), WRONG)
def test_mistakes_are_named(
    rule: evenhand.Rule, call: Callable[[evenhand.Rule], Any], error: type[Exception], message: str
) -> None:
    """Also where nobody needs the coin."""
    with pytest.raises(error, match=message):
        call(rule)
