"""`evenhand demo`: everything in a few seconds, and every command it prints works."""

from __future__ import annotations

import os
import re
import shlex
import time
from pathlib import Path

import pytest
from conftest import PROJECT, Ran, Sql, Tool



@pytest.fixture
def demo(tool: Tool) -> Ran:
    """Run it in an empty folder."""
    start = time.monotonic()
    ran = tool("demo").ok()
    assert time.monotonic() - start < 30
    return ran


def test_it_leaves_its_files_in_one_folder(tool: Tool, demo: Ran) -> None:
    """Nothing is written beside it."""
    assert demo.out
    names = {"adult-scores.csv", "decided.csv", "key", "rule.json"}
    assert tool.files() == {"evenhand-demo", *(f"evenhand-demo/{name}" for name in names)}
    data = tool.path("evenhand-demo/adult-scores.csv").read_bytes()
    shipped = [path.read_bytes() for path in (PROJECT / "data").rglob("adult-scores.csv")]
    assert shipped == [data]


def test_every_command_it_shows_does_what_it_showed(tool: Tool, demo: Ran) -> None:
    """Copied into a shell, the commands print the same."""
    _, *rest = re.split(r"^\$ evenhand (.*)$", demo.out, flags=re.MULTILINE)
    shown = dict(zip(rest[::2], rest[1::2]))
    assert [shlex.split(command)[0] for command in shown] == [
        "fit", "show", "apply", "audit", "frontier"
    ]
    for command, output in shown.items():
        ran = tool(*shlex.split(command)).ok()
        assert output.strip().startswith(ran.out.strip()), command


def test_what_to_try_next_works(tool: Tool, demo: Ran) -> None:
    """The last lines are commands that run."""
    last = demo.out.split("Try next:\n")[1].replace("\\\n", "")
    commands = [shlex.split(line)[1:] for line in last.splitlines() if line.strip()]
    assert len(commands) >= 2
    for command in commands:
        tool(*command).ok()


def test_its_decisions_are_as_fair_as_it_says(tool: Tool, sql: Sql, demo: Ran) -> None:
    """Women and men of each race have the same chance."""
    assert "optimal" in demo.out
    worst = sql(
        """SELECT max(d) FROM (SELECT race, max(r) - min(r) AS d FROM (SELECT race, sex,
           avg(probability) AS r FROM 'evenhand-demo/decided.csv' GROUP BY ALL) GROUP BY race)"""
    )[0][0]
    assert worst < 1e-12
    assert tool.path("evenhand-demo/rule.json").exists()


def test_it_runs_again_and_says_the_same(tool: Tool, demo: Ran) -> None:
    """A second run replaces the files and changes nothing."""
    before = tool.path("evenhand-demo/decided.csv").read_bytes()
    assert tool("demo").ok().out == demo.out
    assert tool.path("evenhand-demo/decided.csv").read_bytes() == before


@pytest.mark.parametrize("folder", ["elsewhere", "deep/er", "with a space", "it's $HOME; #1"])
def test_it_takes_another_folder(tool: Tool, folder: str) -> None:
    """-o names the folder, and the commands still work as they are shown."""
    ran = tool("demo", "-o", folder).ok()
    assert (tool.path(folder) / "rule.json").exists()
    command = re.search(r"^\$ evenhand (show .*)$", ran.out, re.MULTILINE)
    assert command
    arguments = shlex.split(command[1])
    assert arguments == ["show", os.path.join(folder, "rule.json")]
    tool(*arguments).ok()
    last = ran.out.split("Try next:\n")[1].replace("\\\n", "").splitlines()[0]
    assert shlex.split(last)[2] == os.path.join(folder, "adult-scores.csv")


def test_a_folder_that_cannot_be_made_is_an_error(tool: Tool) -> None:
    """One line, nothing left behind."""
    tool.write("taken", "a file")
    tool("demo", "--output", "taken").fails(2, "taken")
    assert Path(tool.path("taken")).read_text() == "a file"
