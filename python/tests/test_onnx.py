"""Rules as ONNX models give the same bits of probability in onnxruntime."""

from __future__ import annotations

import csv
import sys
from typing import Any

import numpy as np
import onnxruntime
import pytest
from test_vectors import NAMES, double, table
from warehouse import bits, random_case

import evenhand
from evenhand import Rule

from conftest import PROJECT  # isort: skip


def run(rule: Rule, unseen: str, score: Any, groups: dict[str, list[str]]) -> Any:
    model = rule.to_onnx(score="the score", unseen=unseen)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    given: dict[str, Any] = {"the score": np.asarray(score, dtype=np.float64)}
    given |= {name: np.array(groups[name], dtype=object) for name in rule.attributes}
    wanted = {one.name for one in session.get_inputs()}
    (out,) = session.run(["probability"], {k: v for k, v in given.items() if k in wanted})
    return out


def test_random_rules() -> None:
    for seed in range(200):
        case = random_case(seed)
        found = run(case.rule, case.unseen, case.columns["the score"], case.columns)
        assert bits(found) == case.probability, (seed, case.rule.to_json())


@pytest.mark.parametrize("name", NAMES)
def test_vectors(name: str) -> None:
    rule = evenhand.load(PROJECT / f"tests/vectors/{name}.rule.json")
    assert isinstance(rule, Rule)
    for unseen in ("error", "score", "reject"):
        rows = [row for row in table(name) if row["unseen"] == unseen]
        if not rows:
            continue
        groups = {one: [row[one] for row in rows] for one in rule.attributes}
        found = run(rule, unseen, [double(row["score_bits"]) for row in rows], groups)
        for row, q in zip(rows, found, strict=True):
            if row["q_bits"] in ("unseen", "invalid"):
                assert np.isnan(q), row
            else:
                assert bits([q]) == [row["q_bits"]], row


@pytest.mark.parametrize(
    "options",
    [
        {"criterion": "equalized-odds", "tolerance": 0.02},
        {"criterion": "equalized-odds", "gamma": 0.1},
        {"criterion": "statistical-parity", "calibrate": "platt"},
        {"criterion": "statistical-parity", "tolerance": 0.05, "blind": True},
    ],
)
def test_adult(options: dict[str, Any]) -> None:
    with (PROJECT / "data/adult-scores.csv").open() as file:
        rows = list(csv.DictReader(file))
    score, sex = [float(row["score"]) for row in rows], [row["sex"] for row in rows]
    label = [int(row["high_income"]) for row in rows]
    rule = evenhand.fit(score, {"sex": sex}, label=label, **options).rule
    groups = {} if "blind" in options else {"sex": sex}
    wanted = rule.probability(score, groups or None)
    assert len(wanted) == 16281
    assert bits(run(rule, "error", score, groups)) == bits(wanted)


def test_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"evenhand\[onnx\]"):
        random_case(0).rule.to_onnx()


def test_names_must_differ() -> None:
    rule = evenhand.fit([0.1, 0.9], {"sex": ["F", "M"]}, criterion="statistical-parity").rule
    with pytest.raises(ValueError, match="different names"):
        rule.to_onnx(score="sex")
