"""Rules and tallies that somebody else wrote."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pyarrow.parquet as pq
import pytest

from conftest import Tool
from hostile import PARITY, ROWS, TEXTS, harmless, rule_with


# --- Rules that somebody else wrote.


HOSTILE_FITS: dict[str, object] = {
    "escapes": {
        "criterion": {"name": "\x1b[2Jcleared"},
        "status": "\x1b]0;title\x07\n\nForged: yes",
    },
    "C1 control": {"criterion": {"name": "\x9b2J"}, "status": "\x9b2J"},
    "wrong types": {"criterion": {"name": 1}, "status": [], "weight": "many", "gap": {}},
    "a list as criterion": {"criterion": [1], "columns": [1], "weight": None},
    "numbers in columns": {"columns": {"score": 1, "sensitive": 2, "null": 3, "label": []}},
    "huge numbers": {"weight": 1e308, "status": "optimal", "gap": -1e308, "lottery_share": 1e300},
    "negative numbers": {"weight": -5, "status": "optimal", "violation": -1, "lottery_share": -1},
    "long texts": {"criterion": {"name": "x" * 100_000}, "status": "y" * 100_000},
    "nothing": {},
}


@pytest.mark.parametrize("case", HOSTILE_FITS)
def test_record_of_a_fit_is_only_shown(tool: Tool, case: str) -> None:
    """Whatever the record of a fit says, show is harmless, and the rule decides all the same."""
    tool.write("rule.json", rule_with(HOSTILE_FITS[case]))
    show = tool("show", "rule.json").ok()
    harmless(show)
    assert "g=A" in show.out
    assert len(show.out) < 3000
    assert not any(line.startswith("Forged") for line in show.out.splitlines())
    tool.write("data.csv", "p,g\n0.2,A\n0.7,A\n")
    out = tool("apply", "data.csv", "--rule", "rule.json", "--score", "p").ok().out
    assert [line.split(",")[-1] for line in out.splitlines()] == ["decision", "0", "1"]


@pytest.mark.parametrize("letter", ["x", "é", "\x1b"])
def test_long_names_in_a_rule_are_shortened(tool: Tool, letter: str) -> None:
    """A name of ten thousand characters does not fill the screen, nor hide the threshold."""
    long = letter * 10_000
    criterion = {"name": "statistical-parity", "sensitive": [long], "require": [long]}
    tool.write("rule.json", rule_with({"criterion": criterion}, attribute=long, value=long))
    show = tool("show", "rule.json").ok()
    harmless(show)
    assert max(map(len, show.out.splitlines())) < 3000
    assert "...: yes from 0.5\n" in show.out.replace('"', "")
    tool.write("data.csv", f"p,{'q' * 10_000}\n0.2,0.5\n0.7,0.4\n0.4,0.1\n")
    tool("fit", "data.csv", "--score", "p", "--soft", "q" * 10_000, "-o", "soft.json").ok()
    show = tool("show", "soft.json").ok()
    assert max(map(len, show.out.splitlines())) < 400
    assert "qqq..." in show.out


@pytest.mark.parametrize("column", ['p"; DROP TABLE t; --', "read_text('/etc/passwd')", "*", "1"])
def test_columns_in_a_rule_are_only_names(tool: Tool, column: str) -> None:
    """What a rule says about columns is never taken for SQL."""
    tool.write("data.csv", ROWS)
    tool.write("rule.json", rule_with({"columns": {"score": column}}))
    tool("apply", "data.csv", "--rule", "rule.json").fails(2, "no column")
    tool.write("rule.json", rule_with({"columns": {"score": "p"}}, attribute=column))
    tool("apply", "data.csv", "--rule", "rule.json").fails(2, "no column")


@pytest.mark.parametrize("null", ["'); DROP TABLE t; --", "it's", "A"])
def test_name_for_missing_groups_in_a_rule_is_only_a_name(tool: Tool, null: str) -> None:
    """What a rule says about missing groups is never taken for SQL."""
    tool.write("data.csv", "p,g\n0.2,A\n0.7,\n")
    tool.write("rule.json", rule_with({"columns": {"score": "p", "null": null}}, value=null))
    run = tool("apply", "data.csv", "--rule", "rule.json", "--unseen", "reject").ok()
    assert run.out.splitlines()[2].endswith(",1")


# --- Tallies that somebody else wrote.


def some_texts() -> Iterable[str]:
    """Return some of the hostile texts."""
    return (TEXTS[case] for case in ("ANSI escape", "C1 control", "SQL", "newline", "format"))


def test_metadata_of_a_tally_are_only_names(tool: Tool) -> None:
    """What a tally says about itself is shown harmlessly."""
    tool.write("data.csv", ROWS)
    tool("tally", "data.csv", "--score", "p", "--sensitive", "g", "-o", "good.parquet").ok()
    table = pq.read_table(tool.path("good.parquet"))
    metadata = json.loads(table.schema.metadata[b"evenhand"])
    del metadata["fingerprint"], metadata["checksum"]  # as of version 0.1
    for text in some_texts():
        for change in (
            {"score": text, "label": text},
            {"scale": text},
            {"sensitive": [text]},
            {"resolution": text},
            {"version": text},
        ):
            value = json.dumps({**metadata, **change})
            bad = table.replace_schema_metadata({"evenhand": value})
            pq.write_table(bad, tool.path("bad.parquet"))
            run = tool("fit", "--tally", "bad.parquet", *PARITY, "-o", "rule.json")
            assert run.status in (0, 2), run.err
            harmless(run)
