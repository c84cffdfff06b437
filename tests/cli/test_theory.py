"""`evenhand theory`: the paper's theorems, against their formulas worked out again."""

from __future__ import annotations

import math
import re

import pytest
from conftest import Tool

CONTROL = r"[\x00-\x09\x0b-\x1f\x7f]"


# --- Theorem 3.


def excess(rows: float, gamma: float, strata: float, delta: float, error: float) -> list[float]:
    """Compute the bound, as printed and as corrected."""
    root, tail = rows ** (1 / 3), 2 * math.log(2 / delta)
    return [
        2 * gamma + 8 * (2 + 1 / gamma) / root
        + 4 * math.sqrt((3 * strata + tail) / rows) + error,
        2 * gamma + 8 * (1 + 1 / gamma) / root
        + 4 * math.sqrt((4 * strata * math.log(2) * root + tail) / rows) + error,
    ]


@pytest.mark.parametrize("rows", [1, 1e4, 1e6, 1e12, 3.5e15])
@pytest.mark.parametrize("gamma", [None, "auto", 0.01, 0.5])
@pytest.mark.parametrize("more", [(1, 0.05, 0), (100, 0.001, 0.25)])
def test_excess_risk_is_theorem_3(
    tool: Tool, rows: float, gamma: float | str | None, more: tuple[float, float, float]
) -> None:
    """Both forms, in JSON and in words; vacuous from 1 on and not below."""
    strata, delta, error = more
    asked = ["--rows", rows, *(["--gamma", gamma] if gamma else [])]
    if more != (1, 0.05, 0):
        asked += ["--strata", strata, "--delta", delta, "--regressor-error", error]
    width = gamma if isinstance(gamma, float) else rows ** (-1 / 6)
    wanted = excess(rows, width, strata, delta, error)
    found = tool("theory", "excess-risk", *asked, "--json").ok().json()
    assert found["gamma"] == pytest.approx(width, rel=1e-12)
    for key, value in (("rows", rows), ("strata", strata), ("delta", delta),
                       ("regressor_error", error)):
        assert found[key] == value
    text = tool("theory", "excess-risk", *asked).ok().out
    assert "the proof has a gap" in text
    assert found["proof_gap"] in text
    for key, title, value in (("printed", "as printed", wanted[0]),
                              ("corrected", "corrected", wanted[1])):
        assert found[key]["value"] == pytest.approx(value, rel=1e-12)
        assert found[key]["vacuous"] == (value >= 1)
        line = next(line for line in text.splitlines() if line.strip().startswith(title))
        assert float(line.strip()[len(title) :].split()[0]) == pytest.approx(value, rel=1e-5)
        assert ("vacuous" in line) == (value >= 1)


def test_a_bound_of_just_1_says_nothing(tool: Tool) -> None:
    """Just below it says something."""
    base = excess(1e15, 0.1, 1, 0.05, 0)[1]
    for error, vacuous in ((1 - base + 1e-9, True), (1 - base - 1e-9, False)):
        found = tool("theory", "excess-risk", "--rows", 1e15, "--gamma", 0.1, "--regressor-error",
                     repr(error), "--json").ok().json()
        assert found["corrected"]["vacuous"] == vacuous


# --- Proposition 4.


@pytest.mark.parametrize(("steps", "gamma", "strata", "b"), [
    (250_000, 0.01, 1, 0), (250_000, 0.01, 5, 0.5), (1, 2, 3, 0.3), (100, 0.01, 1, 1)])
def test_sgd_error_is_proposition_4(
    tool: Tool, steps: int, gamma: float, strata: int, b: float
) -> None:
    """Every number of it, and the general form at a learning rate of one's own."""
    rate = 0.0125
    root = math.sqrt(strata / steps)
    corrected = (1 + gamma) * (1 + b) * root
    wanted = {
        "learning_rate": (1 + gamma) / (1 + b) * root,
        "printed": 2 * (1 + gamma) / (1 + b) * root,
        "corrected": corrected,
        "wider_box": corrected * (1 + ((2 + gamma) / (1 + gamma)) ** 2) / 2,
        "wider_learning_rate": (2 + gamma) / (1 + b) * root,
        "wider_box_at_its_rate": (2 + gamma) * (1 + b) * root,
        "at_learning_rate": (1 + b) ** 2 * rate / 2
        + (2 + gamma) ** 2 * strata / (2 * steps * rate),
        "steps": steps, "gamma": gamma, "strata": strata, "b": b,
    }
    asked = ("theory", "sgd-error", "--steps", steps, "--gamma", gamma, "--strata", strata, "--b",
             b)
    found = tool(*asked, "--learning-rate", rate, "--json").ok().json()
    assert found.keys() == wanted.keys()
    for key, value in wanted.items():
        assert found[key] == pytest.approx(value, rel=1e-12), key
    without = tool(*asked, "--json").ok().json()
    assert without == {key: value for key, value in found.items() if key != "at_learning_rate"}
    text = tool(*asked, "--learning-rate", rate).ok().out
    for title, key in (("learning rate", "learning_rate"), ("as printed", "printed"),
                       ("corrected", "corrected"),
                       ("in the wider box", "wider_box"),
                       ("there, at its own rate", "wider_box_at_its_rate"),
                       ("at the given learning rate", "at_learning_rate")):
        line = next(line for line in text.splitlines() if line.strip().startswith(title))
        told = line.strip()[len(title) :].split()[0]
        assert float(told) == pytest.approx(wanted[key], rel=1e-5), title


@pytest.mark.parametrize("b", ["-0.5", "1.5", "7", "nan"])
def test_b_is_0_or_a_rate(tool: Tool, b: str) -> None:
    """Anything else is no constant of a dual objective."""
    tool("theory", "sgd-error", "--steps", 100, "--b", b).fails(2, "b is 0, or rho", b)


def test_the_general_form_has_its_least_at_the_wider_learning_rate(tool: Tool) -> None:
    """No other rate has a smaller bound in that box."""
    asked = ("theory", "sgd-error", "--steps", 5000, "--strata", 3, "--json")
    best = tool(*asked).ok().json()
    for factor in (0.9, 1, 1.1):
        rate = repr(best["wider_learning_rate"] * factor)
        at = tool(*asked, "--learning-rate", rate).ok().json()["at_learning_rate"]
        if factor == 1:
            assert at == pytest.approx(best["wider_box_at_its_rate"], rel=1e-12)
        else:
            assert at > best["wider_box_at_its_rate"]


# --- The schedule.


@pytest.mark.parametrize("rows", [1, 64, 16281, 1e6, 1e18])
def test_gamma_is_the_sixth_root(tool: Tool, rows: float) -> None:
    """A number alone on its line, for scripts, and the same in JSON."""
    out = tool("theory", "gamma", "--rows", rows).ok().out
    assert re.fullmatch(r"[0-9.e-]+\n", out)
    assert float(out) == pytest.approx(rows ** (-1 / 6), rel=1e-14)
    found = tool("theory", "gamma", "--rows", rows, "--json").ok().json()
    assert found == {"rows": rows, "gamma": float(out)}


# --- What is refused: one line, status 2, nothing left behind.


@pytest.mark.parametrize(
    ("calculator", "arguments", "parts"),
    [
        ("excess-risk", [], ["--rows"]),
        ("excess-risk", ["--rows", "0"], ["rows", "0"]),
        ("excess-risk", ["--rows", "0.5"], ["rows", "0.5"]),
        ("excess-risk", ["--rows", "-3"], ["rows", "-3"]),
        ("excess-risk", ["--rows", "nan"], ["rows"]),
        ("excess-risk", ["--rows", "inf"], ["rows"]),
        ("excess-risk", ["--rows", "many"], ["--rows", "many"]),
        ("excess-risk", ["--rows", "1,5"], ["--rows", "1,5"]),
        ("excess-risk", ["--rows"], ["--rows"]),
        ("excess-risk", ["--rows", "100", "--gamma", "0"], ["gamma", "0"]),
        ("excess-risk", ["--rows", "100", "--gamma", "-1"], ["gamma", "-1"]),
        ("excess-risk", ["--rows", "100", "--gamma", "nan"], ["gamma"]),
        ("excess-risk", ["--rows", "100", "--gamma", "wide"], ["--gamma", "wide"]),
        ("excess-risk", ["--rows", "100", "--strata", "0"], ["strata", "0"]),
        ("excess-risk", ["--rows", "100", "--strata", "inf"], ["strata"]),
        ("excess-risk", ["--rows", "100", "--delta", "0"], ["delta", "0"]),
        ("excess-risk", ["--rows", "100", "--delta", "1"], ["delta", "1"]),
        ("excess-risk", ["--rows", "100", "--delta", "nan"], ["delta"]),
        ("excess-risk", ["--rows", "100", "--regressor-error", "-1"], ["error", "-1"]),
        ("excess-risk", ["--rows", "100", "--regressor-error", "nan"], ["error"]),
        ("excess-risk", ["--rows", "100", "more"], ["more"]),
        ("excess-risk", ["--rows", "100", "--steps", "5"], ["--steps"]),
        ("sgd-error", [], ["--steps"]),
        ("sgd-error", ["--steps", "0"], ["steps", "0"]),
        ("sgd-error", ["--steps", "nan"], ["steps"]),
        ("sgd-error", ["--steps", "inf"], ["steps"]),
        ("sgd-error", ["--steps", "x"], ["--steps", "x"]),
        ("sgd-error", ["--steps", "9", "--gamma", "0"], ["gamma"]),
        ("sgd-error", ["--steps", "9", "--gamma", "auto"], ["--gamma", "auto"]),
        ("sgd-error", ["--steps", "9", "--strata", "0.5"], ["strata", "0.5"]),
        ("sgd-error", ["--steps", "9", "--b", "nan"], ["b "]),
        ("sgd-error", ["--steps", "9", "--b", "inf"], ["b "]),
        ("sgd-error", ["--steps", "9", "--learning-rate", "0"], ["learning rate", "0"]),
        ("sgd-error", ["--steps", "9", "--learning-rate", "nan"], ["learning rate"]),
        ("gamma", [], ["--rows"]),
        ("gamma", ["--rows", "0"], ["rows", "0"]),
        ("gamma", ["--rows", "nan"], ["rows"]),
        ("gamma", ["--rows", "x\x1b[31m\ny"], ["--rows"]),
        ("gamma", ["--rows", "5", "extra"], ["extra"]),
    ],
)
def test_calculators_refuse_what_is_out_of_range(
    tool: Tool, calculator: str, arguments: list[str], parts: list[str]
) -> None:
    """One line, without control characters."""
    ran = tool("theory", calculator, *arguments).fails(2, *parts)
    assert not re.search(CONTROL, ran.err.rstrip("\n"))
    assert tool.files() == set()


def test_theory_alone_says_what_there_is(tool: Tool) -> None:
    """All four calculators."""
    tool("theory").fails(2, "impossibility", "excess-risk", "sgd-error", "gamma")


def test_a_calculator_that_does_not_exist_is_named(tool: Tool) -> None:
    """As an unknown command is."""
    tool("theory", "relativity").fails(2, "relativity")


def test_numbers_beyond_doubles_are_no_nonsense_in_json(tool: Tool) -> None:
    """A bound that overflows is no number: null, as elsewhere, and vacuous."""
    found = tool("theory", "excess-risk", "--rows", 1000, "--gamma", "1e-320", "--json").ok().json()
    for key in ("printed", "corrected"):
        assert found[key] == {"value": None, "vacuous": True}
