"""What every command takes: --json and --quiet."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from conftest import TOOL, Tool
from test_help import COMMANDS

FIT = ("--score", "score", "--label", "y", "--sensitive", "g")
PARITY = (*FIT, "--criterion", "statistical-parity")
CALLS = {
    "demo": ("demo", "-o", "demo"),
    "fit": ("fit", "data.csv", *PARITY),
    "fit a file": ("fit", "data.csv", *PARITY, "-o", "found.json"),
    "apply": ("apply", "data.csv", "--rule", "rule.json", "--seed", "1", "-o", "out.csv"),
    "show": ("show", "rule.json"),
    "explain": ("explain", "--rule", "rule.json", "--score", "0.4", "--group", "g=a"),
    "audit": ("audit", "data.csv", *FIT),
    "report": ("report", "data.csv", "--rule", "rule.json"),
    "frontier": ("frontier", "data.csv", *PARITY),
    "calibrate": ("calibrate", "data.csv", *FIT),
    "tally": ("tally", "data.csv", *FIT, "-o", "out.parquet"),
    "merge": ("merge", "a.parquet", "b.parquet", "-o", "out.parquet"),
    "sql tally": ("sql", "tally", "t", *FIT, "--dialect", "duckdb", "-o", "out.sql"),
    "sql key": ("sql", "key", "--key-file", "key"),
    "plan": ("plan", "data.csv", *PARITY, "--tolerance", "0.1"),
    "monitor": ("monitor", "data.csv", "--rule", "rule.json", "--tolerance", "0.9", "--period", "m"),
    "verify": ("verify", "rule.json", "data.csv"),
    "theory": ("theory", "gamma", "--rows", "100"),
    "man": ("man",),
    "completion": ("completion", "bash"),
}
# They exist to print what programs read.
PRINT_ANYWAY = {"sql key", "man", "completion"}


@pytest.fixture
def ready(tool: Tool) -> Tool:
    """Make data, a rule, tallies and a key."""
    lines = [f"{(i + 5 * (i % 2)) % 51 / 51},{'ab'[i % 2]},{i % 3 % 2},1" for i in range(400)]
    tool.write("data.csv", "score,g,y,m\n" + "\n".join(lines) + "\n")
    tool.write("other.csv", "score,g,y,m\n" + "\n".join(lines[:100]) + "\n")
    tool.write("key", "secret")
    tool.path("key").chmod(0o600)
    tool("fit", "data.csv", *PARITY, "-o", "rule.json").ok()
    tool("tally", "data.csv", *FIT, "-o", "a.parquet").ok()
    tool("tally", "other.csv", *FIT, "-o", "b.parquet").ok()
    return tool


def test_every_command_is_tried() -> None:
    """A new one joins them."""
    assert {call[0] for call in CALLS.values()} == set(COMMANDS)


@pytest.mark.parametrize(("name", "flag"), [*((name, "-q") for name in CALLS), ("fit", "--quiet")])
def test_quiet_prints_nothing_for_people(ready: Tool, name: str, flag: str) -> None:
    """Neither on standard output nor on standard error."""
    ran = ready(*CALLS[name], flag).ok()
    assert ran.err == ""
    assert (ran.out == "") is (name not in PRINT_ANYWAY)


@pytest.mark.parametrize("name", CALLS)
def test_json_prints_json_and_nothing_else(ready: Tool, name: str) -> None:
    """Quiet or not, it is the same."""
    ran = ready(*CALLS[name], "--json").ok()
    found = json.loads(ran.out)
    assert isinstance(found, (dict, list))
    if name not in ("fit a file", "demo", "merge", "tally"):
        assert ready(*CALLS[name], "--json", "-q").ok().out == ran.out


def test_apply_says_what_it_decided(ready: Tool) -> None:
    """Its rows go to a file, or JSON would be among them."""
    found = ready(*CALLS["apply"], "--json").ok().json()
    assert found["rows"] == 400
    assert 0 < found["positive"] < 400
    assert found["seed"] == 1
    ready(*CALLS["apply"][:-2], "--json").fails(2, "--json", "-o")


def test_errors_are_said_however_quiet(ready: Tool) -> None:
    """One line."""
    ready("fit", "none.csv", *PARITY, "-q").fails(2, "none.csv")
    ready("audit", "data.csv", *FIT, "-q", "--fail-above", "0").fails(4, "largest difference")


@pytest.mark.parametrize(
    ("values", "part"),
    [
        (("Male", "male"), "'Male' and 'male' count as different groups"),
        (("F", "F ", "M"), "'F' and 'F ' count as different groups"),
        (("  x y", "X  Y"), "count as different groups"),
        (("Jos\u00e9", "Jose\u0301"), "count as different groups"),
        (("\u0418\u0416", "\u0438\u0436"), "count as different groups"),
        (("a", "nan"), "'nan' looks like a missing value"),
        (("a", "NULL"), "'NULL' looks like a missing value"),
        (("\u00c4", "\u00d6"), ""),
        (("Jos\u00e9", "Jos\u00e8"), ""),
        (("North", "South", "none", "NA"), ""),
    ],
)
def test_groups_that_differ_in_next_to_nothing_are_pointed_out(
    tool: Tool, values: tuple[str, ...], part: str
) -> None:
    """On one line of standard error, unless quiet; nothing else changes."""
    rows = [f'{i / 60},"{values[i % len(values)]}",{i % 2}' for i in range(60)]
    tool.write("data.csv", "score,g,y\n" + "\n".join(rows) + "\n")
    for call in (
        ("fit", "data.csv", *PARITY),
        ("audit", "data.csv", *FIT),
        ("tally", "data.csv", *FIT, "-o", "out.parquet"),
    ):
        warnings = [line for line in tool(*call).ok().err.splitlines() if "warning" in line]
        assert len(warnings) == (1 if part else 0), warnings
        assert not part or part in warnings[0]
        assert tool(*call, "-q").ok().err == ""


@pytest.mark.parametrize(
    ("key", "mode", "expected"),
    [("k", 0o600, ""), ("k\n", 0o600, "line break"), ("k", 0o644, "everybody"), ("k", 0o640, "")],
)
def test_a_doubtful_key_file_is_pointed_out(
    ready: Tool, key: str, mode: int, expected: str
) -> None:
    """The key is what the file has, line break and all."""
    ready.write("key", key)
    os.chmod(ready.path("key"), mode)
    ready.write("ids.csv", "score,g,id\n" + "".join(f"{i / 9},a,{i}\n" for i in range(9)))
    call = ("apply", "ids.csv", "--rule", "rule.json", "--id", "id", "--key-file", "key")
    lines = ready(*call).ok().err.splitlines()
    assert [line for line in lines if "warning" in line] == [
        line for line in lines if expected and expected in line
    ]
    assert ready(*call, "-q").ok().err == ""


@pytest.mark.parametrize("megabytes", [150, 180, 250, 400])
def test_memory_that_runs_out_is_an_error_and_leaves_nothing(ready: Tool, megabytes: int) -> None:
    """Exit status 1 with one line; the old file stays as it was.

    On one thread: DuckDB's allocator crashes where there is no room for a new thread's arena.
    """
    lines = [f"{i % 9973 / 9973},{'ab'[i % 2]},{i % 3 % 2}" for i in range(200_000)]
    ready.write("many.csv", "score,g,y\n" + "\n".join(lines) + "\n")
    before = sorted(os.listdir(ready.folder))
    old = ready.path("rule.json").read_bytes()
    call = (TOOL, "fit", "many.csv", *PARITY, "-o", "rule.json", "--threads", "1")
    limit = f'ulimit -v {1024 * megabytes}; exec "$@"'
    ran = subprocess.run(
        ["bash", "-c", limit, "bash", *call], cwd=ready.folder, capture_output=True, check=False
    )
    if ran.returncode != 0:
        assert ran.returncode == 1, ran.stderr
        assert len(ran.stderr.splitlines()) == 1
        assert ready.path("rule.json").read_bytes() == old
    assert sorted(os.listdir(ready.folder)) == before
