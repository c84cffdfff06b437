"""`evenhand fit --soft` with other criteria than exact parity."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Sql, Tool

PROBABILITY = "CASE sex WHEN 'F' THEN 0.85 ELSE 0.1 END - 0.05 * score"


@pytest.fixture
def soft(people: Path) -> tuple[str, ...]:
    """Return the data, with a column that knows more or less who is a woman."""
    query = (f"SELECT *, {PROBABILITY} AS p_f, 0.9 * ({PROBABILITY}) AS good_f, "
             f"0.1 + 0.9 * ({PROBABILITY}) AS bad_f FROM '{people}'")
    return ("--sql", query)


RATES = {
    "statistical-parity": ("1",),
    "equal-opportunity": ("score",),
    "false-positive-parity": ("(1 - score)",),
    "equalized-odds": ("score", "(1 - score)"),
}


@pytest.mark.parametrize("criterion", RATES)
def test_decided_rows_keep_the_tolerance(
    tool: Tool, soft: tuple[str, ...], sql: Sql, criterion: str
) -> None:
    """Recomputed from what apply writes, by SQL; a larger tolerance costs less."""
    primal = []
    for tolerance in (0, 0.02, 0.05):
        fit = tool("fit", *soft, "--score", "score", "--soft", "p_f", "--criterion", criterion,
                   "--tolerance", tolerance, "-o", "rule.json", "--json").ok().json()
        assert fit["status"] == "optimal" and fit["violation"] < 1e-9
        assert fit["criterion"]["name"] == "soft-" + criterion
        tool("apply", *soft, "--rule", "rule.json", *tool.coins(), "-o", "out.parquet").ok()
        for factor in RATES[criterion]:
            rate, others = sql(
                f"SELECT sum({factor} * p_f * probability) / sum({factor} * p_f), "
                f"sum({factor} * (1 - p_f) * probability) / sum({factor} * (1 - p_f)) "
                "FROM 'out.parquet'")[0]
            assert abs(rate - others) <= tolerance + 1e-7
        primal.append(fit["primal"])
        audit = tool("audit", *soft, "--rule", "rule.json", "--json").ok().json()
        assert audit["largest_difference"] <= tolerance + 1e-7
    assert primal == sorted(primal) and primal[0] < primal[-1]


def test_a_ratio_is_kept(tool: Tool, soft: tuple[str, ...]) -> None:
    """Four fifths, or what --ratio says."""
    for ratio in (0.8, 0.95):
        tool("fit", *soft, "--score", "score", "--soft", "p_f", "--criterion", "four-fifths",
             "--ratio", ratio, "-o", "rule.json").ok()
        audit = tool("audit", *soft, "--rule", "rule.json", "--fail-below", ratio, "--json")
        assert audit.ok().json()["smallest_ratio"] == pytest.approx(ratio, abs=1e-6)


def test_columns_may_be_given_the_outcome(tool: Tool, soft: tuple[str, ...], sql: Sql) -> None:
    """The rule and its audit use each column for the rates of its outcome."""
    columns = ("--soft-favorable", "good_f", "--soft-unfavorable", "bad_f")
    fit = tool("fit", *soft, "--score", "score", *columns, "--criterion", "equalized-odds",
               "--tolerance", 0.01, "-o", "rule.json", "--json").ok().json()
    assert fit["status"] == "optimal"
    tool("apply", *soft, "--rule", "rule.json", *tool.coins(), "-o", "out.parquet").ok()
    for factor, g in (("score", "good_f"), ("(1 - score)", "bad_f")):
        rate, others = sql(
            f"SELECT sum({factor} * {g} * probability) / sum({factor} * {g}), "
            f"sum({factor} * (1 - {g}) * probability) / sum({factor} * (1 - {g})) "
            "FROM 'out.parquet'")[0]
        assert abs(rate - others) <= 0.01 + 1e-7
    audit = tool("audit", *soft, "--rule", "rule.json").ok().out
    assert "good_f" in audit and "bad_f" in audit and "and the outcome" in audit
    tool("explain", "--rule", "rule.json", "--score", 0.3, "--soft", "good_f=0.5", "--soft",
         "bad_f=0.5").ok()


def test_the_assumption_and_the_true_difference_are_said(
    tool: Tool, soft: tuple[str, ...]
) -> None:
    """Of rates given the outcome more is assumed; with labels the truth is printed."""
    out = tool("fit", *soft, "--score", "score", "--label", "y", "--soft", "p_f", "--check-with",
               "sex", "--criterion", "equal-opportunity", "--tolerance", 0.05).ok().out
    assert "group and outcome are independent" in out
    assert "true difference, true pos.: " in out
    assert "equal-opportunity for those who belong, by p_f, tolerance 0.05" in out


def test_what_does_not_go_together(tool: Tool, soft: tuple[str, ...]) -> None:
    """One line each."""
    fit = ("fit", *soft, "--score", "score", "--soft", "p_f")
    tool(*fit, "--criterion", "equal-rates").fails(2, "equal-rates", "--soft")
    tool(*fit, "--ratio", 0.8).fails(2, "--ratio")
    tool(*fit, "--criterion", "four-fifths", "--tolerance", 0.1).fails(2, "--tolerance")
    tool(*fit, "--tolerance", 1.5).fails(2, "tolerance", "1.5")
    tool(*fit, "--tolerance", 0.1, "--gamma", 0.1).fails(2, "gamma 0")
    tool(*fit, "--require", "rate <= 0.1").fails(2, "--require")
    tool(*fit, "--soft-favorable", "good_f").fails(2, "not both")
    given = ("fit", *soft, "--score", "score", "--soft-favorable", "good_f")
    tool(*given).fails(2, "no outcome")
    tool(*given, "--criterion", "equalized-odds").fails(2, "unfavourable")
    tool(*given, "--criterion", "equal-opportunity", "--check-with", "sex").fails(2, "--check-with")
    tool("audit", *soft, "--decision", "y", "--soft", "p_f", "--criterion",
         "equal-opportunity").fails(2, "labels")
