"""`--memory` and `--resolution`: a fit in bounded memory, or a refusal that says how to get one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import TOOL, Tool

MEMORY = ("--memory", "60MB", "--threads", "2")
ROLES = ("--score", "score", "--sensitive", "sex", "--criterion", "statistical-parity")


def people(rows: int, score: str = "(hash(i) >> 11)::DOUBLE / 2**53") -> str:
    """Return SQL of people, whose scores all differ unless told otherwise."""
    return f"SELECT {score} AS score, ['F', 'M'][(1 + i % 2)::INT] AS sex FROM range({rows}) t(i)"


@pytest.mark.parametrize("command", ["fit", "tally", "audit", "frontier"])
def test_exact_scores_that_do_not_fit_are_refused(
    tool: Tool, tmp_path: Path, command: str
) -> None:
    """The message names the resolution to use; nothing is left behind."""
    spill = tmp_path / "spill"
    spill.mkdir()
    more = {"fit": [*ROLES[4:], "-o", "out"], "tally": ["-o", "out"], "frontier": ROLES[4:]}
    tool(command, "--sql", people(900_000), *ROLES[:4], *more.get(command, ()), *MEMORY,
         env={"TMPDIR": str(spill)}).fails(2, "--resolution 16", "--memory", "57.2 MiB")
    assert tool.files() == {"spill"}


@pytest.mark.parametrize("options", [["--resolution", "16"], ["--resolution", "auto"]])
def test_a_resolution_makes_them_fit(tool: Tool, options: list[str]) -> None:
    """What the message says is true."""
    tool("fit", "--sql", people(900_000), *ROLES, *MEMORY, *options, "-o", "rule.json").ok()


def test_scores_that_repeat_take_no_more_memory(tool: Tool) -> None:
    """Exact scores are refused for their number, not for that of the rows."""
    few = people(900_000, "(i % 1000) / 1000")
    tool("fit", "--sql", few, *ROLES, *MEMORY, "-o", "rule.json").ok()


def test_weighted_rows_are_told_what_helps_them(tool: Tool) -> None:
    """They are kept one by one, at any resolution."""
    weighted = f"SELECT *, 1 + score AS w FROM ({people(900_000)})"
    tool("fit", "--sql", weighted, *ROLES, "--weight", "w", "--resolution", 16, *MEMORY, "-o",
         "rule.json").fails(2, "weighted rows", "merge", "--memory")  # fmt: skip


def peak(tmp_path: Path, rows: int) -> int:
    """Return the most memory that a fit of so many rows ever had, in KiB."""
    arguments = [TOOL, "fit", "--sql", people(rows), *ROLES, "--resolution", "16", "-q", "-o",
                 str(tmp_path / "rule.json"), "--threads", "2"]  # fmt: skip
    nowhere = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawn(TOOL, arguments, os.environ, file_actions=nowhere)
    _, status, usage = os.wait4(child, 0)
    assert status == 0
    return usage.ru_maxrss


def test_memory_does_not_grow_with_rows(tmp_path: Path) -> None:
    """Six times the rows take the same memory, give or take what threads happen to hold."""
    assert peak(tmp_path, 1_800_000) < 1.5 * peak(tmp_path, 300_000)
