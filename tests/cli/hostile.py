"""Names and values as an attacker would choose them."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from conftest import Ran

SCORES = [0.1, 0.8, 0.35, 0.6, 0.9, 0.45, 0.2, 0.7]
PARITY = ["--criterion", "statistical-parity"]
TEXTS = {
    "double quote": 'a"b',
    "only a double quote": '"',
    "single quote": "it's",
    "semicolon": "a;b",
    "newline": "a\nb",
    "carriage return": "a\rb",
    "tab": "a\tb",
    "backslash": "a\\b\\",
    "backslash n": "a\\nb",
    "ANSI escape": "\x1b[31mred\x1b[0m\x1b]0;title\x07",
    "bell, backspace, delete": "\x07\x08\x7f",
    "C1 control": "\x9b31mred",
    "Hebrew": "עברית",
    "emoji": "👩🏽‍🚀",
    "combining marks": "e\u0301",
    "SQL": 'x"; DROP TABLE t; --',
    "SQL in single quotes": "x'; DROP TABLE t; --",
    "comment": "/* a",
    "comma": "a,b",
    "quoted comma": '"a","b"',
    "spaces around": " a ",
    "equals and brackets": "a=b[c]",
    "format": "{} {0} %s %n $1 ?",
    "JSON": '{"a": [1]}',
    "HTML": "<script>alert(1)</script>",
    "very long": "x" * 10_000,
    "star": "*",
    "line separator": "a\u2028b",
}
ROWS = "p,g\n" + "".join(f"{score},{'AB'[i % 2]}\n" for i, score in enumerate(SCORES))


def write(path: Path, name: str, values: list[str], score: str = "p") -> None:
    """Write eight rows as Parquet: a score, a group by this name, a label."""
    groups = [values[i % len(values)] for i in range(len(SCORES))]
    table = pa.table([pa.array(SCORES), pa.array(groups), pa.array([0, 1] * 4)], [score, name, "y"])
    pq.write_table(table, path)


def harmless(*runs: Ran) -> None:
    """Assert that nothing was said that a terminal would obey."""
    for run in runs:
        for text in (run.out, run.err):
            bad = {c for c in text if unicodedata.category(c) == "Cc" and c != "\n"}
            assert not bad, (bad, text[:300])


def rule_with(fit: object, attribute: str = "g", value: str = "A") -> str:
    """Write a rule by hand."""
    cells = [{"values": [value], "start": 0, "steps": [[0.5, 1]]}]
    rule = {
        "attributes": [attribute],
        "scale": "probability",
        "favorable": "high",
        "otherwise": 0.5,
        "cells": cells,
    }
    return json.dumps({"evenhand": 1, "rule": rule, "fit": fit})
