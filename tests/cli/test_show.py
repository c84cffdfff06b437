"""`evenhand show`: a rule in words that say what it does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import PROJECT, Tool

FIT = ("--score", "score", "--sensitive", "sex", "--within", "race", "--criterion",
       "statistical-parity")


def numbers(text: str) -> list[float]:
    """Find all numbers in a text."""
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text)]


def test_every_cell_has_a_line_with_its_thresholds_and_lots(tool: Tool, people: Path) -> None:
    """Who gets a positive decision, from which score on, and in how many of 100 cases."""
    tool("fit", people, *FIT, "-o", "rule.json").ok()
    lines = tool("show", "rule.json").ok().out.splitlines()
    rule = json.loads(tool.path("rule.json").read_text())["rule"]
    assert len(rule["cells"]) == 6
    for cell in rule["cells"]:
        name = f"sex={cell['values'][0]}, race={cell['values'][1]}"
        line = next(line for line in lines if name in line)
        said = numbers(line.split(":", 1)[1])
        for score, q in cell["steps"]:
            assert any(abs(score - number) < 1e-4 for number in said), line
            if 0 < q < 1:
                assert "of 100 cases" in line
                assert round(100 * q) in said
        if all(q in (0, 1) for _, q in cell["steps"]):
            assert "cases" not in line


def test_it_says_how_the_rule_was_found(tool: Tool, people: Path) -> None:
    """Criterion, number of rows, status and lottery share."""
    fit = tool("fit", people, *FIT, "--json", "-o", "rule.json").ok().json()
    out = tool("show", "rule.json").ok().out
    for part in ("statistical-parity", "5,000 rows", "optimal",
                 f"lottery share {100 * fit['lottery_share']:.2f} %"):
        assert part in out, part


@pytest.mark.parametrize(
    ("options", "scale"),
    [(["--score", "f", "--scale", "signed"], "signed"),
     (["--score", "logit", "--scale", "logit"], "logit")],
)
def test_scores_are_in_the_users_scale(
    tool: Tool, people: Path, options: list[str], scale: str
) -> None:
    """Thresholds are shown as the user's scores are, and the scale is named."""
    tool("fit", people, *options, "--sensitive", "sex", "--criterion", "statistical-parity", "-o",
         "rule.json").ok()
    out = tool("show", "rule.json").ok().out
    assert scale in out
    rule = json.loads(tool.path("rule.json").read_text())["rule"]
    for cell in rule["cells"]:
        line = next(line for line in out.splitlines() if f"sex={cell['values'][0]}" in line)
        last = cell["steps"][-1][0]
        assert any(abs(last - n) < 1e-3 for n in numbers(line.split(":", 1)[1])), line


def test_low_favourable_scores_are_shown_as_such(tool: Tool, people: Path) -> None:
    """A risk is good up to a threshold, which is shown in the user's own sign."""
    tool("fit", people, "--score", "risk", "--favorable", "low", "--sensitive", "sex",
         "--criterion", "statistical-parity", "-o", "rule.json").ok()
    out = tool("show", "rule.json").ok().out
    assert "low" in out
    rule = json.loads(tool.path("rule.json").read_text())["rule"]
    for cell in rule["cells"]:
        line = next(line for line in out.splitlines() if f"sex={cell['values'][0]}" in line)
        threshold = -cell["steps"][-1][0]
        assert any(abs(threshold - n) < 1e-4 for n in numbers(line.split(":", 1)[1])), line
        assert "yes from" not in line


def test_ramps_are_shown(tool: Tool, people: Path) -> None:
    """With a width of randomization the share rises with the score."""
    tool("fit", people, *FIT, "--gamma", 0.3, "-o", "rule.json").ok()
    rule = json.loads(tool.path("rule.json").read_text())["rule"]
    out = tool("show", "rule.json").ok().out
    for cell in rule["cells"]:
        assert "ramp" in cell
        name = f"sex={cell['values'][0]}, race={cell['values'][1]}"
        line = next(line for line in out.splitlines() if name in line)
        said = numbers(line.split(":", 1)[1])
        assert any(abs(cell["ramp"][-1][0] - number) < 1e-3 for number in said), line


@pytest.mark.parametrize("path", sorted((PROJECT / "tests/vectors").glob("*.rule.json")),
                         ids=lambda path: path.name.removesuffix(".rule.json"))
def test_rules_without_a_record_are_shown_too(tool: Tool, path: Path) -> None:
    """A rule alone is enough, whatever its cells are called; one line for each."""
    ran = tool("show", path).ok()
    cells = json.loads(path.read_text())["rule"]["cells"]
    head, _, tail = ran.out.partition("\nScores: ")
    assert len(head.strip("\n").split("\n")) == 1 + len(cells)
    assert "Criterion:" not in tail
    assert ran.err == ""
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", ran.out)


def test_requirements_are_shown(tool: Tool, people: Path) -> None:
    """What was required is part of how the rule was found."""
    tool("fit", people, *FIT, "--require", "rate <= 0.2", "-o", "rule.json").ok()
    out = tool("show", "rule.json").ok().out
    assert "statistical-parity" in out
    assert "rate <= 0.2" in out


def test_the_groups_and_the_tolerance_are_shown(tool: Tool, people: Path) -> None:
    """Fair between whom, inside what, and how closely, is what a reader of a rule asks first."""
    tool("fit", people, *FIT, "--tolerance", "0.0125", "-o", "rule.json").ok()
    found = tool("show", "rule.json").ok().out.split("\nScores: ")[1]
    for part in ("sex", "race", "0.0125"):
        assert part in found, part
