"""A sensitive column that tells people apart, not groups, is refused unless it is allowed."""

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
