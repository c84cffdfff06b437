"""JSON is read as it is written: nothing is guessed, rounded or rewritten."""

from __future__ import annotations

import gzip
import json

import pytest

from bad_input import PARITY, refuses
from conftest import Sql, Tool

RULE = """{"evenhand": 1, "rule": {"attributes": ["g"], "scale": "probability", "favorable": "high",
  "otherwise": 0.5, "cells": [{"values": ["1.50"], "start": 0.5, "steps": [[0.9, 1]]},
  {"values": ["A"], "start": 0.5, "steps": [[0.9, 1]]}]}, "fit": {"columns": {"score": "p"}}}"""
FORMS = ["array", "lines", "pretty"]


def written(rows: list[str], form: str) -> str:
    """Return objects as an array, one in a line, or one after the other."""
    if form == "array":
        return "[" + ",\n ".join(rows) + "]"
    return ("\n" if form == "lines" else "\n\n").join(rows) + "\n"


@pytest.mark.parametrize("form", FORMS)
def test_fractions_after_many_whole_numbers(tool: Tool, form: str) -> None:
    """The first rows say nothing about the others."""
    rows = ['{"p": 0, "g": "A", "w": 1}'] * 25_000
    rows += ['{"p": 0.4, "g": "A", "w": 0.5}', '{"p": 0.6, "g": "B", "w": 1e-1}']
    tool.write("a.json", written(rows, form))
    tool("tally", "a.json", "--score", "p", "--sensitive", "g", "--weight", "w", "-o",
         "t.parquet").ok()
    audit = tool("audit", "a.json", "--score", "p", "--sensitive", "g", "--weight", "w",
                 "--json").ok().json()
    assert audit["before"]["overall"]["weight"] == pytest.approx(25_000.6)


@pytest.mark.parametrize("form", FORMS)
def test_ids_and_groups_are_the_text_in_the_file(tool: Tool, sql: Sql, form: str) -> None:
    """So JSON and CSV of the same texts get the same decisions, coin by coin."""
    ids = ["6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "12345678901234567890", "12345678901234567891",
           "2020-01-01T00:00:00+02:00", "1.0", "1", "1e3", "true", "007", 'quote " and \\ é \U0001f642']
    groups = ["A", "1.50"]
    bare = {"12345678901234567890", "12345678901234567891", "1.0", "1", "1e3", "true"}
    rows, lines = [], ["p,g,id"]
    for i, who in enumerate(ids * 20):
        g = groups[i % 2]
        one = f"{who}" if who in bare else f"{who}-{i}"
        token = one if who in bare else json.dumps(one, ensure_ascii=i % 3 == 0)
        group = "1.50" if g == "1.50" and i % 4 == 1 else json.dumps(g)
        rows.append(f'{{"p": 0.3, "g": {group} , "id":{token}}}')
        quoted = one.replace('"', '""')
        lines.append(f'0.3,{g},"{quoted}"')
    tool.write("rule.json", RULE)
    tool.write("key", "k" * 32)
    tool.path("key").chmod(0o600)
    tool.write("a.csv", "\n".join(lines) + "\n")
    tool.write("a.json", written(rows, form))
    tool.write("a.json.gz", gzip.compress(written(rows, form).encode()))
    coins = ("--rule", "rule.json", "--id", "id", "--key-file", "key")
    wanted = tool("apply", "a.csv", *coins).ok().out
    for name in ("a.json", "a.json.gz"):
        assert tool("apply", name, *coins).ok().out == wanted
    assert 20 < wanted.count(",0.5,1\n") < 180


def test_json_stays_json(tool: Tool) -> None:
    """Numbers, truth values, null and nested values come out as they went in."""
    rows = [{"p": 0.4, "g": "A", "n": {"deep": [1, {"x": None}]}, "t": True, "big": 2**70},
            {"g": "A", "p": 1, "s": 'a "b"\n\u00e9', "t": None}]
    tool.write("rule.json", RULE)
    tool.write("a.json", json.dumps(rows))
    tool("apply", "a.json", "--rule", "rule.json", "-o", "out.json").ok()
    out = json.loads(tool.path("out.json").read_text())
    names = ["p", "g", "n", "t", "big", "s"]
    assert [list(row) for row in out] == [[*names, "probability", "decision"]] * 2
    for found, row in zip(out, rows, strict=True):
        assert {name: found[name] for name in names} == {name: row.get(name) for name in names}
    csv = tool("apply", "a.json", "--rule", "rule.json").ok().out
    assert csv.splitlines()[0] == "p,g,n,t,big,s,probability,decision"
    assert '0.4,A,"{""deep"": [1, {""x"": null}]}",true,1180591620717411303424,,0.5,' in csv


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[{"p": 0.5, "g": "A", "g": "B"}]', ("two columns called g",)),
        ('[{"p": 0.5, "g": "A"}, {"P": 0.5, "g": "A"}]', ("two columns called",)),
        ('[{"p": 0.5, "g": "A"}, 5]', ("object",)),
        ('[{"p": 0.5, "g": "A"}, [1]]', ("object",)),
        ('[{"p": [0.5], "g": "A"}]', ("row 1", "not a number")),
        ('[{"p": "half", "g": "A"}]', ("row 1", "half", "not a number")),
        ('[{"p": NaN, "g": "A"}]', ("row 1",)),
        ('[{"p": 0.5, "g": "A"}', ("a.json",)),
        ('{"p": 0.5, "g": "A"}{"p": 0.5', ("a.json",)),
        ('[{"p": 0.5, "g": "A"}] more', ("a.json",)),
        ('[{"p": 0.5, "g": "\\ud800"}]', ("a.json",)),
    ],
)
def test_json_that_cannot_be_meant(tool: Tool, text: str, says: tuple[str, ...]) -> None:
    """What has no one meaning is refused."""
    tool.write("a.json", text)
    refuses(tool, "fit", "a.json", "--score", "p", "--sensitive", "g", *PARITY, "-o", "out.json",
            says=says)


def test_missing_members_are_missing_values(tool: Tool) -> None:
    """null, and a member that is not there."""
    tool.write("a.json", '[{"p": 0.5, "g": "A"}, {"p": 0.5, "g": null}, {"p": 0.1}]')
    rows = ("a.json", "--score", "p", "--sensitive", "g", *PARITY)
    tool("fit", *rows).fails(2, "2 in g")
    cells = tool("fit", *rows, "--null", "none", "-o", "-").ok().json()["rule"]["cells"]
    assert [cell["values"] for cell in cells] == [["A"], ["none"]]
