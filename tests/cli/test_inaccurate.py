"""A rule without a proof: exit status 6, and written only with --accept-inaccurate."""

from __future__ import annotations

import random

from conftest import Tool

# A ramp narrower than rounding: between two neighbouring numbers q jumps, and rates do not meet.
NARROW = ("--score", "p", "--label", "y", "--sensitive", "g", "--criterion", "equalized-odds",
          "--gamma", "1e-12")  # fmt: skip


def people(tool: Tool) -> None:
    """Write two thousand people in four groups."""
    draw = random.Random(1)
    lines = ["g,p,y"]
    for row in range(2000):
        p = draw.random() ** (0.5 + row % 4 / 4)
        lines.append(f"g{row % 4},{p},{int(draw.random() < p)}")
    tool.write("people.csv", "\n".join(lines) + "\n")


def test_a_rule_without_a_proof_is_not_written(tool: Tool) -> None:
    """One line says by how much it misses, and how to have it anyway."""
    people(tool)
    before = tool.files()
    ran = tool("fit", "people.csv", *NARROW, "-o", "rule.json")
    ran.fails(6, "could not be proven optimal", "gap ", "violation ", "--accept-inaccurate")
    assert tool.files() == before


def test_it_is_written_where_that_is_accepted(tool: Tool) -> None:
    """The exit status stays 6, and the record says inaccurate."""
    people(tool)
    ran = tool("fit", "people.csv", *NARROW, "--accept-inaccurate", "--json", "-o", "rule.json")
    assert ran.status == 6
    assert ran.json()["status"] == "inaccurate"
    assert '"inaccurate"' in tool.path("rule.json").read_text()
    tool("show", "rule.json").ok()


def test_a_ramp_that_rounding_can_tell_is_proven(tool: Tool) -> None:
    """The same people with a wider one."""
    people(tool)
    wide = (*NARROW[:-1], "0.01")
    assert tool("fit", "people.csv", *wide, "--json").ok().json()["status"] == "optimal"
