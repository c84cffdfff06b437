"""Rules, rows and engines for tests of SQL, Spark and ONNX."""

from __future__ import annotations

import hashlib
import json
import math
import random
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand import Rule

NAMES = [
    "sex", 'a"b', "it's", "a;b", "a\nb", "a\tb", "a\\b\\", "`x`", "עברית", "👩🏽‍🚀", "e\u0301", "é",
    'x"; DROP TABLE t; --', "/* a", " a ", "{} {0} %s $1 ? :a @a", "${spark.master}", "*", "t",
    "evenhand_rows", "evenhand_key", "\u2028", "select", "A.b", "0", "%(x)s", "ß", "\x01",
]  # fmt: skip
VALUES = [
    *NAMES,
    "",
    " ",
    "F",
    "f",
    "NULL",
    "\r\n",
    "x" * 300,
    "日本",
    "\ufeff",
    "1e5",
    "ﬁ",
    "\x7f",
]
IDS = [
    "ann",
    "ΑΒΓ",
    "ид",
    "身分証",
    "🪪",
    "a\nb",
    "'",
    '"',
    "\\",
    "x" * 200,
    "é",
    "e\u0301",
    "0",
    " ",
]
TINY = 5e-324
EXTREME = [0.0, -0.0, TINY, 1e-310, 2.2250738585072014e-308, 1e-17, 0.25, 0.5, 1 - 2**-53, 1.0]
HUGE = [1.7976931348623157e308, 1e300, 709.78, 36.7, 1e16]


def bits(values: Any) -> list[str]:
    """Return the bits of doubles."""
    return [struct.pack(">d", float(value)).hex() for value in values]


@dataclass
class Case:
    """A rule with rows, and what the library says about them."""

    rule: Rule
    unseen: str
    columns: dict[str, list[Any]]
    probability: list[str]
    decision: list[int]


def _score(rng: random.Random, scale: str, favorable: str) -> float:
    if scale == "probability":
        return rng.choice([*EXTREME, rng.random(), rng.random(), rng.randrange(17) / 16])
    if scale == "signed":
        score = rng.choice([*EXTREME, rng.random(), rng.randrange(17) / 16])
    else:
        score = rng.choice([*EXTREME, *HUGE, rng.gauss(0, 3), rng.gauss(0, 3)])
    return score if rng.random() < 0.5 else -score


def _points(rng: random.Random, scale: str, favorable: str, steps: bool) -> list[list[float]]:
    turned = {
        (-1 if favorable == "low" else 1) * _score(rng, scale, favorable) + 0.0
        for _ in range(rng.choice([1, 2, 3, 8]) if rng.random() < 0.9 else 40)
    }
    chances = sorted(rng.choice([0.0, 1.0, TINY, rng.random(), 1 - 2**-53]) for _ in turned)
    return [[s, q] for s, q in zip(sorted(turned), chances, strict=True)]


def random_case(seed: int) -> Case:
    """Make a rule of any shape, hostile in its names, and ask the library about some rows."""
    rng = random.Random(seed)
    scale = rng.choice(["probability", "probability", "signed", "logit", "raw"])
    favorable = rng.choice(["high", "low"])
    attributes = rng.sample(NAMES, rng.choice([0, 1, 1, 2, 3]))
    # Engines do not tell names apart that differ in case only.
    attributes = list({name.lower(): name for name in attributes}.values())
    values = [rng.sample(VALUES, 3) for _ in attributes]
    cells: dict[tuple[str, ...], dict[str, Any]] = {}
    for _ in range(1 if not attributes else rng.choice([1, 3, 6])):
        cell = tuple(rng.choice(options) for options in values)
        if rng.random() < 0.5:
            points = _points(rng, scale, favorable, True)
            start = min(rng.choice([0.0, 0.0, 0.25]), points[0][1])
            cells[cell] = {"start": start, "steps": points}
        else:
            cells[cell] = {"ramp": _points(rng, scale, favorable, False)}
    parts: dict[str, Any] = {
        "attributes": attributes,
        "scale": scale,
        "favorable": favorable,
        "otherwise": rng.choice([None, 0.5, -0.5, 0.0]),
    }
    if rng.random() < 0.4:
        parts["level"] = rng.choice([-1000, -3, 0, 1, 4, 16, 52])
    parts["cells"] = [
        {"values": list(cell), **cells[cell]}
        for cell in sorted(cells, key=lambda c: [v.encode() for v in c])
    ]
    rule = Rule.from_json(json.dumps({"evenhand": 1, "rule": parts}))
    unseen = rng.choice(["score", "reject"])
    rows = 40
    groups = [[rng.choice([*options, "other"]) for _ in range(rows)] for options in values]
    score = [_score(rng, scale, favorable) for _ in range(rows)]
    person = [rng.choice(IDS) + str(rng.randrange(1000)) for _ in range(rows)]
    named = dict(zip(attributes, groups, strict=True))
    asked = {"score": np.array(score), "sensitive": named or None, "unseen": unseen}
    return Case(
        rule,
        unseen,
        {"the score": score, "the person": person, "the row": list(range(rows)), **named},
        bits(rule.probability(**asked)),
        [int(d) for d in rule.decide(**asked, id=person, key="a key")],
    )


def edge_case() -> Case:
    """Ask about people whose coin is the very probability, or the double just below it.

    Half of them have a step of that probability, the others are on a ramp at that score.
    """
    k = hashlib.sha256(b"a key").hexdigest()
    person, chance, expected = [], [], []
    for i in range(10):
        digest = hashlib.sha256(f"{k}\x1fp{i}".encode()).hexdigest()
        coin = int(digest[:13], 16) / 2**52
        chance += [coin, math.nextafter(coin, 1)]
        person += [f"p{i}"] * 2
        expected += [0, 1]
    cells = [
        {"values": [f"{i:02}"], "start": 0.0, "steps": [[0.0, q]]} for i, q in enumerate(chance)
    ]
    ramp = {"values": ["ramp"], "ramp": [[0.0, 0.0], [1.0, 1.0]]}
    parts = {
        "attributes": ["g"],
        "scale": "probability",
        "favorable": "high",
        "otherwise": None,
        "cells": [*cells, ramp],
    }
    columns = {
        "the score": chance * 2,
        "the person": person * 2,
        "the row": list(range(2 * len(chance))),
        "g": [*[f"{i:02}" for i in range(len(chance))], *["ramp"] * len(chance)],
    }
    rule = Rule.from_json(json.dumps({"evenhand": 1, "rule": parts}))
    return Case(rule, "reject", columns, bits(chance * 2), expected * 2)
