"""Criteria and requirements that make no sense."""

from __future__ import annotations

import pytest

from bad_input import OUTPUTS, ROWS, WHO, arguments, refuses
from conftest import Tool


@pytest.mark.parametrize("command", ["fit", "frontier"])
@pytest.mark.parametrize(
    ("text", "character", "says"),
    [
        ("rate[group=C] <= 0.1", 12, "C"),
        ("rate[gruop=A] <= 0.1", 6, "did you mean 'group'?"),
        ("rate <=", 8, "number"),
        ("rate < 0.1", 6, "'<='"),
        ("rat <= 0.1", 1, "one of rate, tpr, fpr"),
        ("rate <= 0.1 x", 13, ""),
        ("rate[group=A <= 0.1", 14, "']'"),
        ("", 1, ""),
    ],
)
def test_requirement_that_makes_no_sense(
    tool: Tool, command: str, text: str, character: int, says: str
) -> None:
    """A requirement that names no cell or does not parse is shown with the character."""
    tool.write("data.csv", ROWS)
    refuses(
        tool,
        *arguments(command, "data.csv", "--require", text),
        says=(f"character {character} ", says),
    )


def test_requirement_alone_that_makes_no_sense(tool: Tool) -> None:
    """A requirement that stands alone is shown with the character, too."""
    tool.write("data.csv", ROWS)
    refuses(
        tool,
        "fit",
        "data.csv",
        *WHO,
        "--require",
        "rate[group=C] <= 0.1",
        "-o",
        "out.json",
        says=("character 12 ", "C"),
    )


@pytest.mark.parametrize("command", ["fit", "frontier"])
def test_requirements_that_cannot_be_met(tool: Tool, command: str) -> None:
    """Requirements that clash end with status 3, and are named."""
    tool.write("data.csv", ROWS)
    refuses(
        tool,
        *arguments(command, "data.csv", "--require", "rate >= 0.9", "--require", "rate <= 0.1"),
        says=("rate >= 0.9", "rate <= 0.1"),
        status=3,
    )


@pytest.mark.parametrize("command", ["fit", "frontier"])
@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--criterion", "fairness"], ("no criterion fairness", "statistical-parity")),
        (["--criterion", "statistical-partiy"], ("did you mean 'statistical-parity'?",)),
        (["--criterion", "predictive-equality"], ("equal-rates", "false-positive-parity")),
        (["--criterion", "statistical-parity", "--tolerance", "1.5"], ("tolerance", "1.5")),
        (["--criterion", "statistical-parity", "--tolerance", "-0.1"], ("tolerance", "-0.1")),
        (["--criterion", "statistical-parity", "--tolerance", "nan"], ("tolerance", "nan")),
        (["--criterion", "statistical-parity", "--tolerance", "0,1"], ("--tolerance", "0,1")),
        (["--criterion", "statistical-parity", "--ratio", "0.8"], ("ratio",)),
        (["--criterion", "statistical-parity", "--rho", "0.8"], ("rho",)),
        (["--criterion", "four-fifths", "--tolerance", "0.1"], ("tolerance", "ratio")),
        (["--criterion", "four-fifths", "--ratio", "1.5"], ("ratio", "1.5")),
        (["--criterion", "equal-rates", "--rho", "2"], ("rho", "2")),
        (["--criterion", "statistical-parity", "--gamma", "-1"], ("gamma", "-1")),
        (["--criterion", "statistical-parity", "--cost-fp", "-1"], ("cost", "-1")),
        (["--criterion", "statistical-parity", "--base-threshold", "7"], ("threshold", "7")),
        (["--criterion", "statistical-parity", "--calibrate", "isotonic"], ("label",)),
        (["--criterion", "statistical-parity", "--across", "all"], ("across", "marginal")),
        ([], ("--criterion", "--require")),
    ],
    ids=lambda value: " ".join(value[1:]) if isinstance(value, list) else "",
)
def test_criterion_that_makes_no_sense(
    tool: Tool, command: str, options: list[str], says: tuple[str, ...]
) -> None:
    """What is wrong with a criterion or its parameters is said."""
    tool.write("data.csv", ROWS)
    if command == "frontier" and {"--tolerance", "--ratio"} & set(options):
        says = ("--at",)  # it chooses tolerances itself
    refuses(tool, command, "data.csv", *WHO, *options, "-o", OUTPUTS[command], says=says)


@pytest.mark.parametrize("command", ["fit", "frontier"])
@pytest.mark.parametrize("name", ["equal-opportunity", "false-positive-parity", "equalized-odds"])
def test_criterion_without_its_labels(tool: Tool, command: str, name: str) -> None:
    """A criterion that compares errors needs labels, and says how to give them."""
    tool.write("data.csv", ROWS)
    refuses(
        tool,
        command,
        "data.csv",
        *WHO,
        "--criterion",
        name,
        "-o",
        OUTPUTS[command],
        says=(name, "labels", "--label"),
    )
