"""`evenhand audit` of groups that are known in probability only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import Sql, Tool
from recompute import applied

SCORES = ("--score", "score", "--soft", "pf")


def pairs(audit: dict[str, Any]) -> dict[tuple[str, ...], tuple[float, float, float]]:
    """List mean, rate and others by stratum and column."""
    return {
        (*stratum["stratum"].values(), pair["column"]): (
            pair["mean"], pair["rate"], pair["others"])
        for stratum in audit["strata"]
        for pair in stratum["columns"]
    }


def recomputed(
    sql: Sql, data: object, q: str, column: str, by: str = "", w: str = "1"
) -> dict[tuple[str, ...], tuple[float, float, float]]:
    """Compute the same by plain SQL."""
    rows = sql(
        f"""SELECT {by + "," if by else ""} sum({w} * {column}) / sum({w}),
                   sum({w} * {column} * {q}) / sum({w} * {column}),
                   sum({w} * (1 - {column}) * {q}) / sum({w} * (1 - {column}))
            FROM '{data}' {"GROUP BY " + by if by else ""}"""
    )
    return {(*row[:-3], column): row[-3:] for row in rows}


def same(found: dict[Any, Any], expected: dict[Any, Any]) -> None:
    """Assert that figures agree up to rounding."""
    assert found.keys() == expected.keys()
    for key, values in expected.items():
        assert found[key] == pytest.approx(values, abs=1e-12), key


@pytest.mark.parametrize("within", ["", "race"])
@pytest.mark.parametrize("weight", ["", "w"])
def test_rates_of_scores_are_those_of_plain_sql(
    tool: Tool, soft: Path, sql: Sql, within: str, weight: str
) -> None:
    """For each column and stratum, with weights and without."""
    asked = [*(["--within", within] if within else []), *(["--weight", weight] if weight else [])]
    audit = tool("audit", soft, "--score", "score", "--soft", "pf,pa", *asked, "--json").ok().json()
    expected = {}
    for column in ("pf", "pa"):
        expected |= recomputed(sql, soft, "(score > 0.5)::INT", column, within, weight or "1")
    same(pairs(audit["before"]), expected)
    assert audit["largest_difference"] == pytest.approx(
        max(abs(a - b) for _, a, b in expected.values()), abs=1e-12)
    assert audit["smallest_ratio"] == pytest.approx(
        min(min(a, b) / max(a, b) for _, a, b in expected.values()), abs=1e-12)
    assert audit["soft"] == ["pf", "pa"]
    assert audit["within"] == ([within] if within else [])
    assert audit["before"]["expected"] is True
    assert "after" not in audit


def test_labels_say_how_accurate_decisions_are(tool: Tool, soft: Path, sql: Sql) -> None:
    """And costs what they cost."""
    audit = tool("audit", soft, *SCORES, "--label", "y", "--cost-fn", 3, "--json").ok().json()
    # At these costs a decision pays from a probability of 1/4 on.
    ((accuracy, cost),) = sql(
        f"""SELECT avg(((score > 0.25)::INT = y)::INT),
                   avg(CASE WHEN score > 0.25 AND y = 0 THEN 1 WHEN score <= 0.25 AND y = 1 THEN 3
                       ELSE 0 END) FROM '{soft}'""")
    assert audit["before"]["accuracy"] == pytest.approx(accuracy, abs=1e-12)
    assert audit["before"]["cost"] == pytest.approx(cost, abs=1e-12)
    assert audit["before"]["expected"] is False


@pytest.mark.parametrize("within", ["", "race"])
def test_a_rule_is_audited_with_its_own_columns(
    tool: Tool, soft: Path, sql: Sql, within: str
) -> None:
    """Score, probabilities, strata, label, weight and costs come from the rule."""
    asked = [*SCORES, "--label", "y", "--weight", "w", "--cost-fp", 2]
    asked += ["--within", within] if within else []
    tool("fit", soft, *asked, "-o", "rule.json").ok()
    audit = tool("audit", soft, "--rule", "rule.json", "--json", "--fail-above", 1e-9).ok().json()
    applied(tool, soft)
    same(pairs(audit["after"]),
         recomputed(sql, "out.parquet", "probability", "pf", within, "w"))
    fit = json.loads(tool.path("rule.json").read_text())["fit"]
    for when in ("before", "after"):
        for figure in ("selection_rate", "accuracy", "cost", "largest_difference"):
            assert audit[when][figure] == fit[when][figure]
    text = tool("audit", soft, "--rule", "rule.json").ok().out
    assert "before and after a rule" in text
    assert "cost of a decision" in text


def test_a_rule_on_other_rows(tool: Tool, soft: Path, sql: Sql) -> None:
    """Fitted on some people and audited on others: labels and weights only if there are any."""
    north = f"SELECT * FROM '{soft}' WHERE region = 'north'"
    south = f"SELECT * EXCLUDE (y, w) FROM '{soft}' WHERE region = 'south'"
    tool("fit", "--sql", north, *SCORES, "--label", "y", "--weight", "w", "-o", "rule.json").ok()
    audit = tool("audit", "--sql", south, "--rule", "rule.json", "--json").ok().json()
    assert audit["after"]["expected"] is True
    applied(tool, "--sql", south)
    same(pairs(audit["after"]), recomputed(sql, "out.parquet", "probability", "pf"))
    assert 0 < audit["largest_difference"] < 0.2


def test_other_columns_and_strata_than_the_rules(tool: Tool, soft: Path, sql: Sql) -> None:
    """A rule that knows pf and race can be audited for pa by region."""
    tool("fit", soft, *SCORES, "--within", "race", "-o", "rule.json").ok()
    audit = tool("audit", soft, "--rule", "rule.json", "--soft", "pa", "--within", "region",
                 "--json").ok().json()
    applied(tool, soft)
    same(pairs(audit["after"]), recomputed(sql, "out.parquet", "probability", "pa", "region"))


def test_exhaustive_columns_without_the_last(tool: Tool, soft: Path) -> None:
    """The rule does without it, and so does its audit."""
    tool("fit", soft, "--score", "score", "--soft", "pa,pb,pc", "--exhaustive", "-o",
         "rule.json").ok()
    assert tool("audit", soft, "--rule", "rule.json", "--json").ok().json()["soft"] == [
        "pa", "pb", "pc"]
    without = tool("audit", "--sql", f"SELECT * EXCLUDE (pc) FROM '{soft}'", "--rule", "rule.json",
                   "--json").ok().json()
    assert without["soft"] == ["pa", "pb"]
    assert without["largest_difference"] < 1e-9


def test_decisions_that_were_made(tool: Tool, soft: Path, sql: Sql) -> None:
    """Accuracy needs labels; rates do not."""
    made = f"SELECT *, (score > 0.3)::INT AS hired FROM '{soft}'"
    asked = ["--sql", made, "--decision", "hired", "--soft", "pf"]
    audit = tool("audit", *asked, "--json").ok().json()
    same(pairs(audit["before"]), recomputed(sql, soft, "(score > 0.3)::INT", "pf"))
    assert audit["before"]["accuracy"] is None
    assert "accuracy" not in tool("audit", *asked).ok().out
    labelled = tool("audit", *asked, "--label", "y", "--json").ok().json()
    ((accuracy,),) = sql(f"SELECT avg(((score > 0.3)::INT = y)::INT) FROM '{soft}'")
    assert labelled["before"]["accuracy"] == pytest.approx(accuracy, abs=1e-12)


def test_known_groups_are_the_special_case(tool: Tool, soft: Path) -> None:
    """A column of 0 and 1 gives the audit of the groups."""
    as_column = tool("audit", soft, "--score", "score", "--soft", "f01", "--label", "y",
                     "--json").ok().json()
    as_group = tool("audit", soft, "--score", "score", "--sensitive", "sex", "--label", "y",
                    "--json").ok().json()
    for figure in ("largest_difference", "smallest_ratio"):
        assert as_column[figure] == pytest.approx(as_group[figure], abs=1e-12)
    assert as_column["before"]["accuracy"] == pytest.approx(
        as_group["before"]["overall"]["accuracy"], abs=1e-12)


@pytest.mark.parametrize("name", ["statistical-parity", "statistical_parity", "demographic_parity"])
def test_the_criterion_may_be_named(tool: Tool, soft: Path, name: str) -> None:
    """There is only one, by any of its names."""
    for command in ("audit", "fit"):
        tool(command, soft, *SCORES, "--criterion", name).ok()
        tool(command, soft, *SCORES, "--criterion", "parity").fails(2, "parity")


def test_the_order_of_rows_does_not_show(tool: Tool, soft: Path) -> None:
    """The same bytes in any order."""
    one, two = (
        tool("audit", "--sql", f"SELECT * FROM '{soft}' ORDER BY {order}", "--score", "score",
             "--soft", "pf", "--weight", "w", "--json").ok().out
        for order in ("id", "score, id DESC"))
    assert one == two


def test_limits_end_with_4(tool: Tool, soft: Path) -> None:
    """With the result printed, and a line that says why."""
    plain = tool("audit", soft, *SCORES, "--json").ok()
    for limit in (["--fail-above", "0.01"], ["--fail-below", "0.99"]):
        failed = tool("audit", soft, *SCORES, "--json", *limit)
        assert (failed.status, failed.out) == (4, plain.out)
        assert limit[1] in failed.err
    tool("audit", soft, *SCORES, "--fail-above", "0.9", "--fail-below", "0.1").ok()
    nobody = f"SELECT *, 0 AS zero FROM '{soft}'"
    run = tool("audit", "--sql", nobody, "--score", "score", "--soft", "zero", "--fail-above",
               "0.1")
    assert run.status == 2
    assert "compare" in run.err


def test_strata_that_the_rule_never_saw(tool: Tool, soft: Path) -> None:
    """Named and counted."""
    some = f"SELECT * FROM '{soft}' WHERE race != 'Asian'"
    tool("fit", "--sql", some, *SCORES, "--within", "race", "-o", "rule.json").ok()
    tool("audit", soft, "--rule", "rule.json").fails(2, "race=Asian", "rows")


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        *(
            (options.split(), options.split()[:1])
            for options in (
                "--sensitive sex", "--across marginal", "--reference M", "--confidence 0.9",
                "--base-threshold 0.4", "--calibration", "--resolution 8",
            )
        ),
        (("--criterion", "fairness"), ("fairness",)),
        (("--fail-above", "2"), ("--fail-above", "0 to 1")),
        (("--soft", "pff"), ("pff", "pf")),
        (("--soft", "score,w"), ("in w", "row", "0 to 1")),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(
    tool: Tool, soft: Path, options: Sequence[str], parts: Sequence[str]
) -> None:
    """In one line, with nothing printed."""
    asked = ["--score", "score", *(() if "--soft" in options else ("--soft", "pf"))]
    tool("audit", soft, *asked, *options).fails(2, *parts)


def test_rules_of_known_groups_are_audited_by_group(tool: Tool, soft: Path) -> None:
    """Not by probabilities."""
    tool("fit", soft, "--score", "score", "--sensitive", "sex", "--criterion",
         "statistical-parity", "-o", "rule.json").ok()
    run = tool("audit", soft, "--rule", "rule.json", "--soft", "pf")
    assert run.status == 2
    assert "--soft" in run.err


def test_missing_values(tool: Tool, soft: Path) -> None:
    """An error that counts them, or left out and said."""
    holes = f"SELECT * REPLACE (if(id LIKE 'p%9', NULL, pf) AS pf) FROM '{soft}'"
    tool("audit", "--sql", holes, *SCORES).fails(2, "pf", "500")
    text = tool("audit", "--sql", holes, *SCORES, "--null", "exclude").ok().out
    assert "500 rows left out" in text
