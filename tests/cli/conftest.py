"""The tool as a user meets it: arguments in; standard output, standard error, exit status out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

TOOL = os.environ.get("EVENHAND", str(Path(__file__).parents[2] / "build/release/bin/evenhand"))
LOCALE = os.environ.get("EVENHAND_TEST_LOCALE", "C.UTF-8")
PROJECT = Path(__file__).parents[2]
sys.path.append(str(PROJECT / "tests"))  # for what all tests in Python share
Sql = Callable[..., list[tuple[Any, ...]]]  # the fixture `sql`


@dataclass
class Ran:
    """What one run of the tool gave."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        """Return standard output, read as JSON."""
        return json.loads(self.out)

    def ok(self) -> Ran:
        """Assert that all went well, and return itself."""
        assert self.status == 0, self.err
        return self

    def fails(self, status: int, *parts: str) -> Ran:
        """Assert the exit status, and one line on standard error that has all these parts."""
        assert self.status == status, (self.status, self.out, self.err)
        lines = self.err.splitlines()
        assert len(lines) == 1 and lines[0].startswith("evenhand: "), self.err
        for part in parts:
            assert part in lines[0], (part, lines[0])
        assert self.out == ""
        return self


class Tool:
    """Runs `evenhand` in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        """Run in `folder`."""
        self.folder = folder

    def __call__(
        self,
        *arguments: object,
        stdin: bytes | None = None,
        env: dict[str, str] | None = None,
        timeout: float = 120,
    ) -> Ran:
        """Run it with these arguments."""
        environment = {**os.environ, "LC_ALL": LOCALE, **(env or {})}
        done = subprocess.run(
            [TOOL, *map(str, arguments)],
            cwd=self.folder,
            input=stdin if stdin is not None else b"",
            capture_output=True,
            env=environment,
            timeout=timeout,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def path(self, name: str) -> Path:
        """Name a file in its folder."""
        return self.folder / name

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file into its folder."""
        path = self.path(name)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def coins(self, key: bytes = b"a key") -> tuple[str, ...]:
        """Write a key; return the options by which coins stay with people."""
        self.write("key", key).chmod(0o600)
        return ("--id", "id", "--key-file", "key")

    def files(self) -> set[str]:
        """List everything in its folder, hidden files too."""
        return {str(p.relative_to(self.folder)) for p in self.folder.rglob("*")}


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    """Run the tool in an empty folder."""
    return Tool(tmp_path)


@pytest.fixture
def sql(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sql:
    """Run plain SQL on files in the tool's folder: what the tool says, recomputed."""
    monkeypatch.chdir(tmp_path)  # where names are looked up first

    def run(query: str, *parameters: object) -> list[tuple[Any, ...]]:
        connection = duckdb.connect(":memory:")
        return connection.execute(query, list(parameters)).fetchall()

    return run


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a Parquet file of 5,000 people: id, sex, race, region, score, y, w, logit, f, risk."""
    path = tmp_path_factory.mktemp("data") / "people.parquet"
    connection = duckdb.connect(":memory:")
    connection.execute("SELECT setseed(0.5)")
    connection.execute(
        f"""
        COPY (
          SELECT id, sex, race, region, score, (u < score)::INTEGER AS y, w,
                 ln(score / (1 - score)) AS logit, 2 * score - 1 AS f, 1 - score AS risk
          FROM (
            SELECT 'p' || i AS id,
                   CASE WHEN hash(i * 3 + 1) % 100 < 45 THEN 'F' ELSE 'M' END AS sex,
                   ['Asian', 'Black', 'White'][(1 + hash(i * 7 + 2) % 3)::INTEGER] AS race,
                   ['north', 'south'][(1 + hash(i * 11 + 3) % 2)::INTEGER] AS region,
                   round(0.02 + 0.9 * (hash(i * 13 + 4) % 1000003) / 1000003.0
                     * CASE WHEN hash(i * 3 + 1) % 100 < 45 THEN 0.8 ELSE 1 END, 3) AS score,
                   (hash(i * 17 + 5) % 1000003) / 1000003.0 AS u,
                   1 + hash(i * 19 + 6) % 4 AS w
            FROM range(5000) AS t(i)
          )
        ) TO '{path}' (FORMAT parquet)
        """
    )
    return path


@pytest.fixture
def inputs(tool: Tool) -> Tool:
    """Put good data, a rule and a tally into the tool's folder."""
    from bad_input import GOOD, ROWS, RULE, write_tally

    tool.write("data.csv", ROWS)
    tool.write("rule.json", json.dumps(RULE))
    write_tally(tool.path("t.parquet"), GOOD)
    return tool


@pytest.fixture(scope="session")
def soft(people: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a Parquet file of the same people with pf, pa, pb and pc = 1 - pa - pb."""
    path = tmp_path_factory.mktemp("soft") / "soft.parquet"
    duckdb.connect(":memory:").execute(
        f"""COPY (SELECT *, 1 - pa - pb AS pc, (sex = 'F')::INTEGER AS f01 FROM (
              SELECT *, round(CASE sex WHEN 'F' THEN 0.55 ELSE 0.3 END
                              + 0.4 * ((hash(id) % 1000) / 1000.0 - 0.5), 3)::DOUBLE AS pf,
                     (0.1 + 0.5 * score * (hash(id || 'a') % 1000) / 1000.0)::DOUBLE AS pa,
                     (0.4 * (hash(id || 'b') % 1000) / 1000.0)::DOUBLE AS pb FROM '{people}'))
            TO '{path}' (FORMAT parquet)"""
    )
    return path


@pytest.fixture
def ruled(tool: Tool, people: Path) -> str:
    """Fit a rule within race and apply it into out.parquet."""
    tool("fit", people, "--score", "score", "--sensitive", "sex", "--within", "race", "--label", "y",
         "--criterion", "statistical-parity", "-o", "rule.json").ok()
    tool("apply", people, "--rule", "rule.json", "-q", "-o", "out.parquet").ok()
    return "rule.json"
