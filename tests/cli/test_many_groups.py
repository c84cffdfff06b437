"""A sensitive column that tells people apart is refused; a group of one outcome is named."""

from __future__ import annotations

import pytest

from conftest import Tool

PARITY = ("--score", "score", "--criterion", "statistical-parity")


def rows(values: int, each: int) -> str:
    """Write as many people for each of as many groups."""
    people = range(values * each)
    return "score,g\n" + "".join(f"{7 * i % 100 / 100},g{i % values}\n" for i in people)


@pytest.mark.parametrize("command", ["fit", "frontier"])
def test_a_group_for_each_person_is_refused(tool: Tool, command: str) -> None:
    """Unless it is allowed."""
    tool.write("data.csv", rows(80, 3))
    given = (command, "data.csv", "--sensitive", "g", *PARITY)
    tool(*given).fails(2, "g has 80 values with 3.0 rows each", "--allow-many-groups")
    tool(*given, "--allow-many-groups").ok()


def test_many_groups_of_many_people_are_groups(tool: Tool) -> None:
    """Ten rows each are enough."""
    tool.write("data.csv", rows(80, 10))
    tool("fit", "data.csv", "--sensitive", "g", *PARITY).ok()


def test_a_tally_is_refused_as_its_rows_are(tool: Tool) -> None:
    """Its metadata know how many there were."""
    tool.write("data.csv", rows(80, 3))
    tool("tally", "data.csv", "--sensitive", "g", "--score", "score", "-o", "tally.parquet").ok()
    given = ("fit", "--tally", "tally.parquet", "--criterion", "statistical-parity")
    tool(*given).fails(2, "--allow-many-groups")
    tool(*given, "--allow-many-groups").ok()


def test_a_group_without_favourable_outcomes_is_named(tool: Tool) -> None:
    """Nobody in it is selected, whatever the score: that is said, in JSON too."""
    lines = [f"{i % 20 / 20},{g},{int(i % 20 > 9 and g != 'c')}" for g in "abc" for i in range(40)]
    tool.write("data.csv", "score,g,label\n" + "\n".join(lines) + "\n")
    given = ("fit", "data.csv", "--score", "score", "--label", "label", "--sensitive", "g")
    given = (*given, "--criterion", "equal-opportunity")
    expected = "g=c has no favourable outcomes"
    assert expected in tool(*given).ok().out
    assert any(expected in note for note in tool(*given, "--json").ok().json()["notes"])
