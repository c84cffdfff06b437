"""Rules that are damaged, or none."""

from __future__ import annotations

import json

import pytest

from bad_input import DEEP, ROWS, RULE, refuses
from conftest import Tool


def edited(**change: object) -> str:
    """Return the rule with other members."""
    return json.dumps({**RULE, "rule": {**RULE["rule"], **change}})


BAD_RULES: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "newer version": (json.dumps({**RULE, "evenhand": 2}).encode(), ("version 2", "update")),
    "truncated": (json.dumps(RULE).encode()[:200], ("not a valid rule",)),
    "unknown member": (json.dumps({**RULE, "x": 1}).encode(), ("not a valid rule", "x")),
    "unknown scale": (edited(scale="x").encode(), ("not a valid rule", "scale")),
    "probability above 1": (
        edited(cells=[{"values": ["A"], "start": 0, "steps": [[0.5, 7]]}]).encode(),
        ("not a valid rule", "group=A", "probability"),
    ),
    "falling probability": (
        edited(cells=[{"values": ["A"], "start": 1, "steps": [[0.5, 0]]}]).encode(),
        ("not a valid rule", "group=A"),
    ),
    "same cell twice": (
        edited(cells=[{"values": ["A"], "start": 1, "steps": []}] * 2).encode(),
        ("not a valid rule", "group=A"),
    ),
    "no cells": (edited(cells="none").encode(), ("not a valid rule", "cells")),
    "lists nested deep": (b"[" * DEEP, ("not a valid rule", "deep")),
    "objects nested deep in fit": (
        json.dumps({**RULE, "fit": None})[: -len("null}")].encode()
        + b'{"a":' * DEEP
        + b"1"
        + b"}" * DEEP
        + b"}",
        ("not a valid rule", "deep"),
    ),
    "empty": (b"", ("empty",)),
    "not JSON": (b"hello\n", ("not a valid rule",)),
    "not UTF-8": (b'{"evenhand": 1, "rule": "\xff"}', ("not a valid rule",)),
    "a number": (b"1", ("not a valid rule",)),
}


@pytest.mark.parametrize("command", ["show", "apply", "audit"])
@pytest.mark.parametrize("case", BAD_RULES)
def test_damaged_rule(tool: Tool, command: str, case: str) -> None:
    """A rule that is not exactly a rule is refused by its name."""
    text, says = BAD_RULES[case]
    tool.write("data.csv", ROWS)
    tool.write("bad.json", text)
    calls: dict[str, list[object]] = {
        "show": ["show", "bad.json"],
        "apply": ["apply", "data.csv", "--rule", "bad.json", "-o", "out.csv"],
        "audit": ["audit", "data.csv", "--rule", "bad.json"],
    }
    refuses(tool, *calls[command], says=("bad.json", *says))


@pytest.mark.parametrize("command", ["show", "apply", "audit"])
@pytest.mark.parametrize("where", ["absent.json", "folder"])
def test_rule_that_is_no_file(tool: Tool, command: str, where: str) -> None:
    """A rule that is not there, or a folder, is named."""
    tool.write("data.csv", ROWS)
    tool.path("folder").mkdir()
    calls: dict[str, list[object]] = {
        "show": ["show", where],
        "apply": ["apply", "data.csv", "--rule", where, "-o", "out.csv"],
        "audit": ["audit", "data.csv", "--rule", where],
    }
    refuses(tool, *calls[command], says=(where, "folder" if where == "folder" else "o such file"))
