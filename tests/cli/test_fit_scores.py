"""How `evenhand fit` reads scores: scales, which end is good, weights and resolution."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Sql, Tool
from fitting import PARITY, fitted
from recompute import applied, cell_rates, largest_difference


def test_low_scores_can_be_the_favourable_ones(tool: Tool, people: Path, sql: Sql) -> None:
    """With a risk, no score gets less than a higher one, and label 0 is good."""
    query = f"SELECT *, 1 - y AS harm FROM '{people}'"
    tool("fit", "--sql", query, "--score", "risk", "--label", "harm", "--favorable", "low",
         "--sensitive", "sex", "--criterion", "equal-opportunity", "-o", "rule.json").ok()
    applied(tool, "--sql", query)
    rates = [row[-1] for row in cell_rates(sql, "sex", "harm = 0")]
    assert abs(rates[0] - rates[1]) < 1e-12
    rising = sql(
        """SELECT count(*) FROM (SELECT probability - lag(probability) OVER (PARTITION BY sex
           ORDER BY risk) AS step FROM 'out.parquet') WHERE step > 0"""
    )[0][0]
    assert rising == 0
    assert sql("SELECT count(DISTINCT probability) FROM 'out.parquet'")[0][0] > 1


def test_a_risk_turned_around_gives_the_same_decisions(tool: Tool, people: Path) -> None:
    """The rule for 1 - score with low ones favourable is as good as that for the score."""
    high = tool("fit", people, *PARITY, "--json").ok().json()["after"]["overall"]
    low = tool("fit", people, "--score", "risk", "--favorable", "low", "--sensitive", "sex",
               "--criterion", "statistical-parity", "--json").ok().json()["after"]["overall"]
    for figure in ("accuracy", "selection_rate"):
        assert low[figure] == pytest.approx(high[figure], abs=1e-9)


@pytest.mark.parametrize(("scale", "column"), [("signed", "f"), ("logit", "logit")])
def test_scales_say_the_same_thing(
    tool: Tool, people: Path, sql: Sql, scale: str, column: str
) -> None:
    """A score as a margin or as log odds gives a rule as good as its probability."""
    expected = tool("fit", people, *PARITY, "--json").ok().json()
    fit = tool("fit", people, "--score", column, "--scale", scale, "--sensitive", "sex",
               "--criterion", "statistical-parity", "--json", "-o", "rule.json").ok().json()
    assert fit["scale"] == scale
    for when in ("before", "after"):
        for figure in ("accuracy", "selection_rate"):
            assert fit[when]["overall"][figure] == pytest.approx(
                expected[when]["overall"][figure], abs=1e-9
            )
    applied(tool, people)
    assert largest_difference(sql) < 1e-12
    assert json.loads(tool.path("rule.json").read_text())["rule"]["scale"] == scale


def test_a_weight_counts_as_that_many_rows(tool: Tool, people: Path, sql: Sql) -> None:
    """A row of weight three is three rows."""
    repeated = f"SELECT p.* FROM '{people}' p, range(4) t(i) WHERE i < w"
    weighted = fitted(tool, people, *PARITY, "--weight", "w")
    assert weighted == fitted(tool, "--sql", repeated, *PARITY)
    applied(tool, people, rule="fitted.json")
    rates = sql("SELECT sum(w * probability) / sum(w) FROM 'out.parquet' GROUP BY sex")
    assert abs(rates[0][0] - rates[1][0]) < 1e-12
    assert weighted != fitted(tool, people, *PARITY)


def test_a_resolution_in_bits_cuts_scores_and_stays_fair(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """With few bits the rule is coarser, and exactly fair on the same rows."""
    for gamma in (0, 0.3):
        fitted(tool, people, *PARITY, "--resolution", "4", "--gamma", gamma)
        applied(tool, people, rule="fitted.json")
        assert largest_difference(sql) < 1e-9
        assert sql(
            """SELECT max(c) FROM (SELECT sex, floor(score * 16), count(DISTINCT probability) AS c
               FROM 'out.parquet' GROUP BY ALL)"""
        ) == [(1,)]


def test_auto_resolution_is_exact_for_few_scores_and_bounded_for_many(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """Up to 65,536 different scores in a cell nothing is lost, and beyond it stays fair."""
    exact = fitted(tool, people, *PARITY, "--resolution", "exact")
    assert fitted(tool, people, *PARITY, "--resolution", "auto") == exact
    assert fitted(tool, people, *PARITY) == exact
    many = """SELECT i AS id, CASE WHEN i % 30 = 0 THEN 'a' ELSE 'b' END AS sex,
              (hash(i) % 100000007) / 100000007 * CASE WHEN i % 30 = 0 THEN 0.7 ELSE 1 END AS score
              FROM range(70000) t(i)"""
    fitted(tool, "--sql", many, *PARITY, "--resolution", "auto")
    rule = json.loads(tool.path("fitted.json").read_text())["rule"]
    steps = [score for cell in rule["cells"] for score, _ in cell["steps"]]
    assert steps
    assert all((score * 2**20).is_integer() for score in steps)
    applied(tool, "--sql", many, rule="fitted.json")
    assert largest_difference(sql) < 1e-12
