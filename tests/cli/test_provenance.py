"""What a rule's record says of its own making: under `fit.source`, and nowhere else."""

from __future__ import annotations

import json
import re
from typing import Any

from conftest import Tool
from test_verify import people

FIT = ("--score", "p", "--sensitive", "region", "--criterion", "statistical-parity")


def fit(tool: Tool, *options: str) -> dict[str, Any]:
    """Fit a rule; return its record."""
    tool("fit", *options, *FIT, "-o", "rule.json").ok()
    record: dict[str, Any] = json.loads(tool.path("rule.json").read_text())["fit"]
    return record


def test_command_files_and_versions_are_recorded(tool: Tool) -> None:
    """Files by their own names and sizes; no folder, and no option that changes nothing."""
    (tool.folder / "deep").mkdir()
    tool.write("deep/people.csv", people())
    record = fit(tool, "deep/people.csv", "--threads", "1", "--require", "rate <= 0.9")
    source = record["source"]
    assert source["command"] == (
        "evenhand fit people.csv --require 'rate <= 0.9' --score p --sensitive region "
        "--criterion statistical-parity"
    )
    assert source["files"] == [
        {"name": "people.csv", "bytes": tool.path("deep/people.csv").stat().st_size}
    ]
    assert "DuckDB" in source["versions"]
    assert "time" not in source
    assert "deep" not in json.dumps(record)


def test_sql_streams_and_time(tool: Tool) -> None:
    """The SELECT as it was, a stream without a size, a time only if asked for."""
    tool.write("people.csv", people())
    select = "SELECT * FROM 'people.csv' WHERE p < 2"
    record = fit(tool, "--sql", select, "--stamp")
    assert record["source"]["sql"] == select
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", record["source"]["time"])
    tool("fit", "-", *FIT, "-o", "rule.json", stdin=people().encode()).ok()
    files = json.loads(tool.path("rule.json").read_text())["fit"]["source"]["files"]
    assert files == [{"name": "(stream)"}]


def test_all_else_is_the_same_without_it(tool: Tool) -> None:
    """--no-source leaves it out, and two fits of the same rule differ in nothing else."""
    tool.write("people.csv", people())
    tool.write("copy.csv", people())
    full = fit(tool, "people.csv")
    del full["source"]
    assert fit(tool, "copy.csv", "--no-source") == full
    tool("fit", "people.csv", *FIT, "--no-source", "-o", "a.json").ok()
    tool("fit", "copy.csv", *FIT, "--no-source", "-o", "b.json").ok()
    assert tool.path("a.json").read_bytes() == tool.path("b.json").read_bytes()


def test_hostile_words_stay_text(tool: Tool) -> None:
    """Quotes, tags and bytes that are no UTF-8."""
    tool.write("<img src=x> 'a'.csv", people())
    source = fit(tool, "<img src=x> 'a'.csv")["source"]
    assert source["files"][0]["name"] == "<img src=x> 'a'.csv"
    assert "'<img src=x> '\\''a'\\''.csv'" in source["command"]
    tool("show", "rule.json").ok()
