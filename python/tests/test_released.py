"""Files that released versions wrote are read, and decide as they did (docs/stable.md)."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from conftest import PROJECT

import evenhand

RELEASES = sorted(path for path in (PROJECT / "tests/released").iterdir() if path.is_dir())
RULES = [rule for release in RELEASES for rule in sorted(release.glob("*.rule.json"))]


def columns(path: Path) -> dict[str, list[str]]:
    """Read a CSV file as lists of texts."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


def test_there_are_some() -> None:
    assert len(RULES) >= 8


@pytest.mark.parametrize("rule", RULES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_rules_decide_as_they_did(rule: Path) -> None:
    loaded = evenhand.load(rule)
    decided = rule.with_name(rule.name.replace(".rule.json", ".decided.csv"))
    if not decided.exists():
        assert isinstance(loaded, evenhand.SoftRule)
        return
    people, before = columns(rule.parent / "people.csv"), columns(decided)
    groups = {name: people[name] for name in loaded.attributes}
    score = np.array(people["score"], dtype=float)
    probability = loaded.probability(score, groups)
    assert probability.tolist() == [float(each) for each in before["probability"]]
    key = (rule.parent / "key").read_bytes()
    decisions = loaded.decide(score, groups, id=people["person"], key=key)
    assert decisions.tolist() == [int(each) for each in before["decision"]]


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.name)
def test_tallies_count_as_they_did(release: Path) -> None:
    pytest.importorskip("pyarrow")
    people = columns(release / "people.csv")
    tally = evenhand.Tally.load(release / "labelled.parquet")
    today = evenhand.Tally(
        np.array(people["score"], dtype=float),
        {"sex": people["sex"]},
        label=np.array(people["high_income"], dtype=int),
    )
    assert tally == today
