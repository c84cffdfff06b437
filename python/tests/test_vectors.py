"""The test vectors that every front end must give, bit for bit."""

from __future__ import annotations

import re
import struct
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from conftest import PROJECT

import evenhand
from evenhand import Rule

FOLDER = PROJECT / "tests/vectors"
NAMES = sorted(path.name.removesuffix(".rule.json") for path in FOLDER.glob("*.rule.json"))
PLAIN = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}


def text(field: str) -> str:
    return re.sub(r"\\.", lambda match: PLAIN[match[0]], field)


def double(bits: str) -> float:
    return float(struct.unpack(">d", bytes.fromhex(bits))[0])


def table(name: str) -> list[dict[str, str]]:
    content = (FOLDER / f"{name}.tsv").read_bytes().decode()
    header, *rows = [[text(f) for f in line.split("\t")] for line in content.split("\n")[:-1]]
    return [dict(zip(header, row, strict=True)) for row in rows]


def coins(row: dict[str, str]) -> dict[str, Any]:
    if row["coin"] == "key":
        return {"key": bytes.fromhex(row["secret"])}
    return {"seed": int(row["secret"])}


def test_there_are_vectors() -> None:
    assert len(NAMES) > 20


@pytest.mark.parametrize("name", NAMES)
def test_vectors(name: str) -> None:
    loaded = evenhand.load(FOLDER / f"{name}.rule.json")
    assert isinstance(loaded, Rule)
    rule: Rule = loaded
    assert Rule.from_json(rule.to_json()) == rule
    batches: dict[tuple[str, str, str], list[dict[str, str]]] = defaultdict(list)
    refused = 0
    for row in table(name):
        if row["decision"] != "-":
            batches[row["unseen"], row["coin"], row["secret"]].append(row)
            continue
        refused += 1
        groups = {attribute: [row[attribute]] for attribute in rule.attributes}
        error = IndexError if row["q_bits"] == "unseen" else ValueError
        with pytest.raises(error):
            rule.probability([double(row["score_bits"])], groups, unseen=row["unseen"])
    assert batches or refused
    for (unseen, coin, _), rows in batches.items():
        score = np.array([double(row["score_bits"]) for row in rows])
        groups = {attribute: [row[attribute] for row in rows] for attribute in rule.attributes}
        probability = rule.probability(score, groups, unseen=unseen)
        expected = np.array([int(row["q_bits"], 16) for row in rows], np.uint64)
        assert np.array_equal(probability.view(np.uint64), expected)
        who = {"id": [row["who"] for row in rows]} if coin == "key" else {}
        decisions = rule.decide(score, groups, unseen=unseen, **coins(rows[0]), **who)
        assert decisions.tolist() == [int(row["decision"]) for row in rows]
