"""Bad input is part of the product: one line that helps, the right status, nothing left behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb

from conftest import Ran, Tool

ROWS = """score,group,region,y,w,id
0.1,A,north,0,1,a
0.8,A,south,1,2,b
0.35,B,north,0,1,c
0.6,B,south,1,1,d
0.9,B,north,1,1,e
"""
RULE: dict[str, Any] = {
    "evenhand": 1,
    "rule": {
        "attributes": ["group"],
        "scale": "probability",
        "favorable": "high",
        "otherwise": 0.5,
        "cells": [
            {"values": ["A"], "start": 0, "steps": [[0.5, 1]]},
            {"values": ["B"], "start": 0.5, "steps": [[0.75, 1]]},
        ],
    },
    "fit": {"columns": {"score": "score", "sensitive": ["group"], "within": []}},
}
WHO = ["--score", "score", "--sensitive", "group"]
PARITY = ["--criterion", "statistical-parity"]
READERS = ["fit", "apply", "audit", "frontier", "tally"]
COUNTERS = ["fit", "audit", "frontier", "tally"]  # all that take labels and weights
OUTPUTS = {"fit": "out.json", "apply": "out.csv", "frontier": "out.csv", "tally": "out.parquet"}
# Words of the parts that the tool is made of, which its users cannot do anything with.
FOREIGN = [
    "DuckDB",
    "duckdb",
    "INSTALL",
    "autoload",
    "ignore_errors",
    "all_varchar",
    "sniff",
    "LINE 1",
    "LINE 2",
    "filesystem error",
    "json.exception",
    "std::",
    "basic_string",
    "stoull",
    "Enum",
    "null_padding",
    "terminate called",
    "/proc/self/fd",
    "evenhand_tally",
    "Binder",
    "syntax_error",
]


def arguments(command: str, data: object, *more: object) -> list[object]:
    """Return the arguments of an ordinary run of a command on this data."""
    out: list[object] = [command, data]
    if command == "apply":
        out += ["--rule", "rule.json"]
    else:
        out += WHO
    if command in ("fit", "frontier"):
        out += PARITY
    if command in OUTPUTS:
        out += ["-o", OUTPUTS[command]]
    return [*out, *more]


def content(folder: Path) -> dict[str, bytes | None]:
    """Return everything in a folder, hidden files too, with its bytes."""
    return {
        str(p.relative_to(folder)): p.read_bytes() if p.is_file() and not p.is_symlink() else None
        for p in folder.rglob("*")
    }


def refuses(
    tool: Tool, *call: object, says: tuple[str, ...], status: int = 2, stdin: bytes | None = None
) -> Ran:
    """Assert one helpful line, this status, no trace, and the old bytes of an old output."""
    temporary = tool.path("tmp")
    temporary.mkdir(exist_ok=True)
    if "rule.json" in call and not tool.path("rule.json").exists():
        tool.write("rule.json", json.dumps(RULE))
    for i, word in enumerate(call[:-1]):
        output = tool.path(str(call[i + 1]))
        if word == "-o" and output.parent.is_dir() and not output.exists():
            output.write_bytes(b"old bytes")
    before = content(tool.folder)
    run = tool(*call, stdin=stdin, env={"TMPDIR": str(temporary)}).fails(status, *says)
    assert content(tool.folder) == before
    for word in FOREIGN:
        assert word not in run.err, (word, run.err)
    return run


def with_row(row: str) -> str:
    """Return five good rows and this one, which is row 6."""
    return ROWS + row + "\n"


DEEP = 100_000
GOOD = (
    "SELECT * FROM (VALUES ('A', 0.2::DOUBLE, 3, 1), ('B', 0.7::DOUBLE, 2, 2)) t(g, score, n, n1)"
)


def write_tally(path: Path, query: str, metadata: str | None = None) -> None:
    """Write a tally as some other engine might."""
    connection = duckdb.connect(":memory:")
    quoted = "" if metadata is None else metadata.replace("'", "''")
    options = "" if metadata is None else f", KV_METADATA {{evenhand: '{quoted}'}}"
    connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet{options})")


def tally_call(command: str, name: str) -> list[object]:
    """Return a run of a command on a tally."""
    if command == "merge":
        return ["merge", name, name, "--allow-repeated", "-o", "out.parquet"]
    more = PARITY if command in ("fit", "frontier") else []
    return [command, "--tally", name, "--sensitive", "g", *more]
