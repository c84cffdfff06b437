"""Groups without an outcome that the criterion divides by are named, and decided by others' outcomes."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from conftest import Tool

GIVEN = ("--score", "p", "--label", "y", "--sensitive", "g")
CRITERIA = {
    "equal-opportunity": 0,
    "false-positive-parity": 1,
    "equalized-odds": 0,
    "true_positive_rate_parity": 0,
}


def people(only: int, rows: int = 300, strata: str = "n") -> str:
    """Make groups a and b with both outcomes, and c whose outcomes are all `only`."""
    draw = random.Random(7)
    lines = ["p,y,g,region"]
    for i in range(rows):
        g = "abc"[i % 3]
        p = round(draw.random(), 2)
        y = only if g == "c" else int(draw.random() < p)
        lines.append(f"{p},{y},{g},{draw.choice(strata)}")
    return "\n".join(lines) + "\n"


def chances(tool: Tool, group: str) -> list[float]:
    """Ask the rule for the probability at a few scores."""
    tool.write("new.csv", "p,g\n" + "".join(f"{p / 20},{group}\n" for p in range(21)))
    tool("apply", "new.csv", "--rule", "rule.json", "--seed", "1", "-o", "out.csv").ok()
    lines = tool.path("out.csv").read_text().splitlines()
    at = lines[0].split(",").index("probability")
    return [float(line.split(",")[at]) for line in lines[1:]]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("lottery", ["fewest", "none"])
def test_such_a_group_is_named_and_not_decided_as_a_whole(
    tool: Tool, criterion: str, lottery: str
) -> None:
    """High scores are selected, low ones are not; the proof holds, and verify repeats it."""
    only = CRITERIA[criterion]
    tool.write("data.csv", people(only))
    given = ("fit", "data.csv", *GIVEN, "--criterion", criterion, "--lottery", lottery)
    given = (*given, "--tolerance", "0.02", "-o", "rule.json")
    text = tool(*given).ok().out
    expected = f"g=c has no {'un' if only else ''}favourable outcomes"
    assert expected in text
    assert "with borrowed outcomes" in text
    found = tool(*given, "--json").ok().json()
    assert any(expected in note for note in found["notes"])
    cells = {cell["cell"]: cell for cell in found["cells"]}
    assert cells["g=c"]["benefits"] == "stratum"
    assert "benefits" not in cells["g=a"]
    assert found["status"] == "optimal"
    chance = chances(tool, "c")
    assert chance[0] == 0
    assert chance[-1] == 1
    tool("verify", "rule.json", "data.csv").ok()


def test_one_person_is_enough(tool: Tool) -> None:
    """However small the group is, it is named."""
    tool.write("data.csv", people(0) + "0.9,0,single,n\n")
    found = (
        tool("fit", "data.csv", *GIVEN, "--criterion", "equal-opportunity", "--json").ok().json()
    )
    assert any("g=single" in note for note in found["notes"])


def test_a_stratum_without_such_outcomes_borrows_from_all(tool: Tool) -> None:
    """Its own stratum comes first."""
    lines = people(0, strata="ns").splitlines()
    for i, line in enumerate(lines):
        p, y, g, region = line.split(",")
        if region == "s":
            lines[i] = f"{p},0,{g},{region}"
    tool.write("data.csv", "\n".join(lines) + "\n")
    given = ("fit", "data.csv", *GIVEN, "--within", "region", "--criterion", "equal-opportunity")
    found: dict[str, Any] = tool(*given, "-o", "rule.json", "--json").ok().json()
    whose = {cell["cell"]: cell.get("benefits") for cell in found["cells"]}
    assert whose == {
        "g=a, region=n": None,
        "g=b, region=n": None,
        "g=c, region=n": "stratum",
        **{f"g={g}, region=s": "everybody" for g in "abc"},
    }
    assert sum("pooled outcomes of" in note for note in found["notes"]) == 2
    tool("verify", "rule.json", "data.csv").ok()


def test_verify_does_not_believe_that_others_borrow(tool: Tool) -> None:
    """Groups with outcomes of both kinds have nothing to borrow; the others must say so."""
    tool.write("data.csv", people(0))
    tool("fit", "data.csv", *GIVEN, "--criterion", "equal-opportunity", "-o", "rule.json").ok()
    rule = json.loads(tool.path("rule.json").read_text())
    for cell in rule["fit"]["cells"]:
        cell.pop("benefits", None)
    tool.write("rule.json", json.dumps(rule))
    assert tool("verify", "rule.json", "data.csv").status == 4


@pytest.mark.parametrize("options", [(), ("--breakpoints",)])
def test_the_frontier_says_it_too(tool: Tool, options: tuple[str, ...]) -> None:
    """With the figure that is maximised, which never falls with the tolerance."""
    tool.write("data.csv", people(0))
    given = ("frontier", "data.csv", *GIVEN, "--criterion", "equal-opportunity", *options)
    assert "g=c has no favourable outcomes" in tool(*given).ok().out
    found = tool(*given, "--json").ok().json()
    assert "g=c has no favourable outcomes" in found["notes"][0]
    promised = [point["promised_accuracy"] for point in found["points"]]
    assert all(a <= b + 1e-12 for a, b in zip(promised, promised[1:], strict=False))


def test_a_blind_rule_and_ramps_see_the_same_benefits(tool: Tool) -> None:
    """Verified as the others are."""
    tool.write("data.csv", people(0))
    for options in (("--blind",), ("--gamma", "0.2"), ("--certify", "0.9", "--tolerance", "0.4")):
        given = ("fit", "data.csv", *GIVEN, "--criterion", "equal-opportunity", *options)
        assert "g=c has no favourable outcomes" in tool(*given, "-o", "rule.json").ok().out
        tool("verify", "rule.json", "data.csv").ok()
