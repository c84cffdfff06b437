"""Stopped at any moment: promptly, with the old file or the new one, never half."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from conftest import TOOL, Tool

PARITY = ["--criterion", "statistical-parity"]
WHO = ["--score", "p", "--sensitive", "g"]
RULE = json.dumps(
    {
        "evenhand": 1,
        "rule": {
            "attributes": ["g"],
            "scale": "probability",
            "favorable": "high",
            "otherwise": 0.5,
            "cells": [{"values": [v], "start": 0.25, "steps": [[0.5, 1]]} for v in ("A", "B", "C")],
        },
        "fit": {"columns": {"score": "p"}},
    }
)
ENDLESS = (
    "SELECT (i % 1000003) / 1000003 AS p, ['A', 'B', 'C'][1 + i % 3] AS g, "
    "i % 2 AS y FROM range(100000000000) t(i)"
)
OLD = b"old bytes"
PROMPTLY = 2.0
CALLS: dict[str, list[str]] = {
    "fit": [*WHO, *PARITY, "-o", "out.json"],
    "audit": [*WHO],
    "frontier": [*WHO, *PARITY, "-o", "out.csv"],
    "tally": [*WHO, "--resolution", "16", "-o", "out.parquet"],
    "apply": ["--rule", "rule.json", "-o", "out.parquet"],
    "apply to CSV": ["--rule", "rule.json", "-o", "out.csv"],
    "apply to a pipe": ["--rule", "rule.json"],
}


@pytest.fixture(scope="session")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a Parquet file of 2 million rows."""
    path = tmp_path_factory.mktemp("data") / "rows.parquet"
    duckdb.sql(f"COPY (FROM ({ENDLESS}) LIMIT 2000000) TO '{path}'")
    return path


class Started:
    """A run of the tool that can be stopped, in a folder that already has its output."""

    def __init__(self, tool: Tool, *arguments: object, keep_old: bool = True) -> None:
        """Start it."""
        self.tool = tool
        tool.path("tmp").mkdir(exist_ok=True)
        if not tool.path("rule.json").exists():  # never under another run's hands
            tool.write("rule.json", RULE)
        call = list(map(str, arguments))
        self.output = tool.path(call[call.index("-o") + 1]) if "-o" in call else None
        if self.output and keep_old:
            self.output.write_bytes(OLD)
        self.before = tool.files()
        self.process = subprocess.Popen(
            [TOOL, *call],
            cwd=tool.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(tool.path("tmp"))},
        )

    def stop(self, number: int) -> tuple[int, float]:
        """Send a signal; return the exit status as a shell sees it, and how long it took."""
        start = time.monotonic()
        self.process.send_signal(number)
        try:
            self.process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            pytest.fail(f"still running 5 s after signal {number}")
        status = self.process.returncode
        return (128 - status if status < 0 else status), time.monotonic() - start

    def left_no_trace(self) -> None:
        """Assert that nothing is there that was not, and that the old output is."""
        assert self.tool.files() == self.before
        if self.output:
            assert self.output.read_bytes() == OLD

    def left_old_or_new(self, rows: int) -> None:
        """Assert so of a run that may have finished its output before the signal came."""
        assert self.tool.files() == self.before
        assert self.output
        if self.output.read_bytes() == OLD:
            return
        if self.output.suffix == ".json":
            assert json.loads(self.output.read_text())["fit"]["rows"] == rows
            return
        columns = pq.read_table(self.output)
        counted = columns["n"].to_pylist() if "n" in columns.column_names else [len(columns)]
        assert sum(counted) == rows


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("command", CALLS)
def test_stopped_while_reading(tool: Tool, command: str, number: int) -> None:
    """A signal ends the work promptly, with its own status and without a trace."""
    run = Started(tool, command.split(maxsplit=1)[0], "--sql", ENDLESS, *CALLS[command])
    time.sleep(0.4)
    assert run.process.poll() is None, run.process.communicate()
    status, seconds = run.stop(number)
    assert status == 128 + number
    assert seconds < PROMPTLY
    run.left_no_trace()


@pytest.mark.parametrize("command", ["fit", "apply"])
def test_stopped_while_it_starts(tool: Tool, command: str) -> None:
    """So it is while files are found and made, whichever step the signal meets."""
    tool.write("data.csv", "p,g,y\n0.2,A,0\n0.7,B,1\n0.4,C,1\n")
    for step in range(60):
        run = Started(tool, command, "data.csv", *CALLS[command])
        time.sleep(step / 2000)
        status, _ = run.stop(signal.SIGTERM)
        assert status in (0, 128 + signal.SIGTERM)
        run.left_old_or_new(rows=3)


@pytest.mark.parametrize("command", ["fit", "tally", "apply"])
def test_stopped_while_reading_a_file(tool: Tool, rows: Path, command: str) -> None:
    """So it is with files, at any moment."""
    for delay in (0.01, 0.03, 0.06, 0.1):
        run = Started(tool, command, rows, *CALLS[command])
        time.sleep(delay)
        status, seconds = run.stop(signal.SIGINT)
        assert seconds < PROMPTLY
        assert status in (0, 130)
        run.left_old_or_new(rows=2_000_000)


def test_stopped_while_waiting_for_standard_input(tool: Tool) -> None:
    """A run that waits for rows can be stopped."""
    run = Started(tool, "fit", "-", *CALLS["fit"])
    assert run.process.stdin
    run.process.stdin.write(b"p,g\n0.5,A\n")
    run.process.stdin.flush()
    time.sleep(0.3)
    start = time.monotonic()
    run.process.send_signal(signal.SIGINT)
    status = run.process.wait(timeout=20)  # standard input stays open
    run.process.communicate()
    assert status in (130, -signal.SIGINT)
    assert time.monotonic() - start < PROMPTLY
    run.left_no_trace()


def solving(tool: Tool, command: str) -> Started:
    """Start a run that has read everything and thinks for long."""
    query = (
        "SELECT (hash(i) % 1000003) / 1000003 AS p, 'g' || i % 20000 AS g, "
        "(hash(i + 7) % 2)::INT AS y FROM range(400000) t(i)"
    )
    tool("tally", "--sql", query, *WHO, "--label", "y", "-o", "big.parquet").ok()
    strictness = "--at" if command == "frontier" else "--tolerance"
    criterion = ["--criterion", "equalized-odds", strictness, "0.01"]
    run = Started(tool, command, "--tally", "big.parquet", *criterion, *CALLS[command][-2:])
    time.sleep(1.5)
    assert run.process.poll() is None, "solving is too fast for this test: make it harder"
    return run


@pytest.mark.parametrize("command", ["fit", "frontier"])
def test_stopped_while_solving(tool: Tool, command: str) -> None:
    """A signal ends the work after the last row is read, too."""
    run = solving(tool, command)
    status, seconds = run.stop(signal.SIGINT)
    assert status == 130
    assert seconds < PROMPTLY
    run.left_no_trace()


def test_stopped_twice_while_solving(tool: Tool) -> None:
    """An impatient second Ctrl-C leaves no trace either."""
    run = solving(tool, "fit")
    run.process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    status, seconds = run.stop(signal.SIGINT)
    assert status == 130
    assert seconds < PROMPTLY
    run.left_no_trace()


def test_two_signals_leave_no_trace(tool: Tool) -> None:
    """Pressing Ctrl-C twice leaves no more behind than once."""
    for pause in (0.0, 0.001, 0.01):
        run = Started(tool, "apply", "--sql", ENDLESS, *CALLS["apply"])
        time.sleep(0.4)
        run.process.send_signal(signal.SIGINT)
        time.sleep(pause)
        status, seconds = run.stop(signal.SIGINT)
        assert status == 130
        assert seconds < PROMPTLY
        run.left_no_trace()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_run_says_so_in_at_most_one_line(tool: Tool, number: int) -> None:
    """Nothing but a line on standard error, and no result."""
    run = Started(tool, "audit", "--sql", ENDLESS, *WHO)
    time.sleep(0.3)
    run.process.send_signal(number)
    out, err = run.process.communicate(timeout=20)
    assert out == b""
    assert err.count(b"\n") <= 1


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_killed_at_random_moments(tool: Tool, rows: Path, name: str) -> None:
    """Killed without mercy, apply leaves the old bytes or a complete new file."""
    data = tool.path("data.parquet")
    duckdb.sql(f"COPY (FROM '{rows}' LIMIT 150000) TO '{data}'")
    tool.write("rule.json", RULE)
    start = time.monotonic()
    tool("apply", data, "--rule", "rule.json", "-o", name).ok()
    lasts = time.monotonic() - start
    new = tool.path(name).read_bytes()
    chance = random.Random(7)
    seen = set()
    moments = [chance.uniform(0, 1.1 * lasts) for _ in range(14)]
    moments += [chance.uniform(0.7 * lasts, 1.2 * lasts) for _ in range(10)]
    for moment in moments:
        run = Started(tool, "apply", data, "--rule", "rule.json", "-o", name)
        time.sleep(moment)
        run.stop(signal.SIGKILL)
        found = tool.path(name).read_bytes()
        if found != OLD and name.endswith(".parquet"):  # its bytes may differ in order
            assert pq.read_table(tool.path(name)).num_rows == 150_000
        elif found != OLD:
            assert len(found) == len(new)
        seen.add(found == OLD)
    assert True in seen  # or no run was killed in time


def test_left_over_file_does_not_stop_the_next_run(tool: Tool) -> None:
    """What a killed run left does not stop a later one with its number, as in a container."""
    tool.write("data.csv", "p,g\n0.2,A\n0.7,B\n")
    for command, call in CALLS.items():
        if "-o" in call and command in ("fit", "tally"):
            script = 'touch ".evenhand-$$.tmp"; exec "$@"'
            run = subprocess.run(
                ["sh", "-c", script, "sh", TOOL, command, "data.csv", *call],
                cwd=tool.folder,
                capture_output=True,
                check=False,
            )
            assert run.returncode == 0, run.stderr
            assert tool.path(call[-1]).exists()


def test_closed_pipe(tool: Tool, rows: Path) -> None:
    """A reader that has seen enough ends the run, without a hang or a crash."""
    tool.write("rule.json", RULE)
    data = str(tool.path("data.parquet"))
    duckdb.sql(f"COPY (FROM '{rows}' LIMIT 150000) TO '{data}'")
    for call in (
        ["apply", data, "--rule", "rule.json"],
        ["show", "rule.json"],
        ["audit", data, *WHO, "--json"],
        ["--help"],
    ):
        for errors in (subprocess.PIPE, subprocess.STDOUT):
            run = subprocess.Popen(
                [TOOL, *call], cwd=tool.folder, stdout=subprocess.PIPE, stderr=errors
            )
            assert run.stdout
            if call[0] == "apply":
                assert run.stdout.readline().startswith(b"p,g")
            run.stdout.close()
            status = run.wait(timeout=30)
            if run.stderr:
                assert run.stderr.read().count(b"\n") <= 1
                run.stderr.close()
            assert status in (0, 1, 141, -signal.SIGPIPE), status


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_runs_at_the_same_time(tool: Tool, rows: Path, name: str) -> None:
    """Several runs with one output leave one complete file, and nothing else."""
    data = tool.path("data.parquet")
    duckdb.sql(f"COPY (FROM '{rows}' LIMIT 100000) TO '{data}'")
    runs = [
        Started(
            tool, "apply", data, "--rule", "rule.json", "--seed", seed, "-o", name, keep_old=False
        )
        for seed in range(4)
    ]
    for run in runs:
        _, err = run.process.communicate(timeout=60)
        assert run.process.returncode == 0, err
    assert duckdb.sql(f"SELECT count(*), count(decision) FROM '{tool.path(name)}'").fetchall() == [
        (100_000, 100_000)
    ]
    assert tool.files() == {"data.parquet", "rule.json", "tmp", name}


def test_closed_standard_streams(tool: Tool) -> None:
    """Started without standard streams, the tool neither crashes nor spoils a file."""
    tool.write("data.csv", "p,g\n0.2,A\n0.7,B\n")
    tool.write("rule.json", RULE)
    expected = tool("apply", "data.csv", "--rule", "rule.json").ok().out
    for closed in (">&-", "2>&-", "<&-", ">&- 2>&-", ">&- 2>&- <&-"):
        for call in (
            "apply data.csv --rule rule.json -o out.csv",
            f"fit data.csv {' '.join(WHO)} {' '.join(PARITY)} -o out.json",
        ):
            script = f'"$0" {call} {closed}'
            run = subprocess.run(
                ["sh", "-c", script, TOOL],
                cwd=tool.folder,
                capture_output=True,
                timeout=20,
                check=False,
            )
            assert run.returncode in (0, 1), (closed, call, run)
        assert tool.path("out.csv").read_text() == expected
        assert json.loads(tool.path("out.json").read_text())["evenhand"] == 1
        tool.path("out.csv").unlink()
        tool.path("out.json").unlink()


def test_result_that_nobody_takes_is_an_error(tool: Tool) -> None:
    """With standard output closed, a run that was to print decisions does not claim success."""
    tool.write("data.csv", "p,g\n0.2,A\n0.7,B\n")
    tool.write("rule.json", RULE)
    for call in ("apply data.csv --rule rule.json", "show rule.json"):
        run = subprocess.run(
            ["sh", "-c", f'"$0" {call} >&-', TOOL],
            cwd=tool.folder,
            capture_output=True,
            timeout=20,
            check=False,
        )
        assert run.returncode == 1, call
        assert run.stderr.count(b"\n") == 1
