"""Calibrators that are measured on other rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import People

import evenhand
from evenhand import Tally


def test_the_calibrator_of_a_rule_is_measured_on_other_rows(
    tool: Callable[..., str], people: People, tmp_path: Path
) -> None:
    table = pa.table({**people.columns(), "truth": people.label})
    pq.write_table(table.slice(0, 300), tmp_path / "old.parquet")
    pq.write_table(table.slice(300), tmp_path / "new.parquet")
    tool("fit", "old.parquet", "--score", "score", "--sensitive", "sex", "--label", "label",
         "--criterion", "statistical-parity", "--calibrate", "platt",
         "-o", "rule.json")  # fmt: skip
    told = json.loads(
        tool("calibrate", "new.parquet", "--rule", "rule.json", "--label", "truth", "--json")
    )
    rule = evenhand.load(tmp_path / "rule.json")
    assert isinstance(rule, evenhand.Rule)
    calibrator = rule.calibrator
    assert calibrator is not None
    new = table.slice(300)
    found = calibrator.report("score", "sex", label="truth", data=new)
    assert found["overall"]["ece"] == pytest.approx(told["after"]["overall"]["ece"])
    assert calibrator.report("score", label="truth", data=new) == found
    assert calibrator.report(new["score"], new["sex"], label=new["truth"]) == found
    assert calibrator.report(Tally("score", "sex", label="truth", data=new)) == found
    fewer = calibrator.report("score", label="truth", data=new, bins=3)
    assert fewer != found
    with pytest.raises(ValueError, match="what really happened: give label="):
        calibrator.report("score", data=new)
    with pytest.raises(ValueError, match="label is about rows"):
        calibrator.report(Tally("score", "sex", label="truth", data=new), label="truth")


def test_rules_without_a_calibrator(people: People) -> None:
    rule = evenhand.fit(people.score, people.sex, criterion="equal-rates").rule
    assert rule.calibrator is None


def test_one_curve_for_all(people: People) -> None:
    calibrator = evenhand.calibrate(people.score, people.sex, label=people.label, by="all")
    expected = calibrator.after()
    assert calibrator.report(people.score, people.sex, label=people.label) == expected
    bare = calibrator.report(people.score, label=people.label)
    assert bare["overall"]["brier"] == pytest.approx(expected["overall"]["brier"])
