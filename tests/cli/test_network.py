"""No command ever opens a connection, whatever it is asked to read."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import PROJECT, TOOL, Tool
from needed import unavailable

PARITY = ["--criterion", "statistical-parity"]
WHO = ["--score", "score", "--sensitive", "sex"]


@pytest.fixture(scope="session")
def strace() -> str:
    """Find strace, or install it; skip only where it cannot be had."""
    if shutil.which("strace") is None:
        subprocess.run([str(PROJECT / "tools/setup.sh"), "strace"], check=False)
    found = shutil.which("strace")
    if found is None:
        unavailable("strace cannot be had here")
    works = subprocess.run([found, "-f", "true"], capture_output=True, check=False)
    if works.returncode != 0:
        pytest.skip("strace may not be used here")
    return found


def traced(strace: str, tool: Tool, *arguments: object) -> tuple[int, str]:
    """Run the tool, and return its status and its calls about sockets."""
    log = tool.path("strace.log")
    done = subprocess.run(
        [strace, "-f", "-qq", "-e", "trace=network", "-o", str(log), TOOL, *map(str, arguments)],
        cwd=tool.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(tool.folder)},
        timeout=60,
        check=False,
    )
    return done.returncode, log.read_text()


def silent(strace: str, tool: Tool, status: int, *arguments: object) -> None:
    """Assert the status of a run, and that it made no socket."""
    got, log = traced(strace, tool, *arguments)
    assert got == status
    calls = [line for line in log.splitlines() if "(" in line and "SIG" not in line]
    assert not [line for line in calls if "AF_INET" in line]
    assert not calls, calls


def test_the_watcher_sees_a_connection(strace: str, tool: Tool) -> None:
    """What these tests look for would be found."""
    log = tool.path("strace.log")
    code = "import socket; socket.socket().connect_ex(('127.0.0.1', 9))"
    subprocess.run(
        [
            strace,
            "-f",
            "-qq",
            "-e",
            "trace=network",
            "-o",
            str(log),
            shutil.which("python3") or "python3",
            "-c",
            code,
        ],
        check=True,
    )
    assert "AF_INET" in log.read_text()


def test_ordinary_work_is_silent(strace: str, tool: Tool, people: Path) -> None:
    """All commands, one after the other, make no socket."""
    tool.write("key", b"secret")
    for call in (
        ["demo"],
        ["--version"],
        ["--help"],
        ["fit", people, *WHO, *PARITY, "-o", "rule.json"],
        ["apply", people, "--rule", "rule.json", "--id", "id", "--key-file", "key", "-o", "a.csv"],
        ["apply", people, "--rule", "rule.json", "-o", "a.parquet"],
        ["show", "rule.json"],
        ["audit", people, "--rule", "rule.json", "--json"],
        ["frontier", people, *WHO, *PARITY],
        ["tally", people, *WHO, "-o", "t.parquet"],
        ["merge", "t.parquet", "t.parquet", "--allow-repeated", "-o", "m.parquet"],
        ["fit", "--tally", "m.parquet", *PARITY],
        ["audit", "--sql", f"SELECT * FROM '{people}'", *WHO],
    ):
        silent(strace, tool, 0, *call)


@pytest.mark.parametrize(
    "data",
    [
        "https://example.com/a.csv",
        "http://127.0.0.1:9/a.csv",
        "s3://bucket/a.parquet",
        "gs://bucket/a.parquet",
        "hf://datasets/a/b.csv",
        "https://example.com/*.parquet",
        "az://a/b.csv",
        "book.xlsx",
        "db.sqlite",
        "a.db",
        "a.avro",
        "shapes.shp",
    ],
)
def test_data_that_would_tempt(strace: str, tool: Tool, data: str) -> None:
    """Data elsewhere, or of kinds that want an extension, is refused without a try."""
    if "://" not in data:
        tool.write(data, b"PK\x03\x04")
    silent(strace, tool, 2, "fit", data, *WHO, *PARITY, "-o", "rule.json")
    silent(strace, tool, 2, "show", data)
    silent(strace, tool, 2, "fit", "--tally", data, *PARITY)
    assert not tool.path("rule.json").exists()


@pytest.mark.parametrize(
    "query",
    [
        "INSTALL httpfs",
        "LOAD spatial",
        "FORCE INSTALL httpfs FROM community",
        "UPDATE EXTENSIONS",
        "SELECT * FROM 'https://example.com/a.csv'",
        "SELECT * FROM read_parquet('s3://bucket/a.parquet')",
        "SELECT * FROM read_csv(['http://127.0.0.1:9/a.csv'])",
        "SELECT * FROM read_text('https://example.com')",
        "SELECT * FROM glob('s3://bucket/*')",
        "SELECT * FROM 'hf://datasets/a/b.csv'",
        "SELECT * FROM 'book.xlsx'",
        "SELECT * FROM read_xlsx('book.xlsx')",
        "SELECT * FROM st_read('shapes.shp')",
        "SELECT * FROM sqlite_scan('db.sqlite', 't')",
        "SELECT * FROM postgres_scan('host=127.0.0.1', 'a', 'b')",
        "SELECT * FROM mysql_query('a', 'b')",
        "SELECT * FROM delta_scan('s3://bucket/t')",
        "SELECT * FROM iceberg_scan('https://example.com/t')",
        "SELECT * FROM read_csv('a.csv', encoding = 'latin-9')",
        "SELECT '2020-01-01 00:00:00 Europe/Berlin'::TIMESTAMPTZ::TEXT AS sex, 'x' AS score",
        "SELECT 1; INSTALL httpfs",
        "ATTACH 'https://example.com/a.db'",
        "CREATE SECRET (TYPE s3)",
    ],
)
def test_sql_that_would_tempt(strace: str, tool: Tool, query: str) -> None:
    """SQL that wants the network or an extension is refused without a try."""
    tool.write("a.csv", "score,sex\n0.2,F\n0.8,M\n")
    silent(strace, tool, 2, "tally", "--sql", query, *WHO, "-o", "tally.parquet")
    assert tool.files() == {"a.csv", "strace.log"}
