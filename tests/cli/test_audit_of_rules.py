"""`evenhand audit --rule`: everything that the rule was fitted with, unless told otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Tool

PARITY = ["--criterion", "statistical-parity"]


@pytest.mark.parametrize("across", ["marginal", "both", "intersection"])
def test_groups_are_compared_as_they_were_fitted(tool: Tool, people: Path, across: str) -> None:
    """A rule that is fair for each column on its own passes its own audit."""
    tool("fit", people, "--score", "score", "--sensitive", "sex,race", *PARITY, "--across", across,
         "-o", "rule.json").ok()
    audit = tool("audit", people, "--rule", "rule.json", "--json", "--fail-above", 1e-9).ok().json()
    assert len(audit.get("views", [audit])) == {"marginal": 2, "both": 3, "intersection": 1}[across]
    stricter = tool("audit", people, "--rule", "rule.json", "--across", "intersection",
                    "--fail-above", 1e-9)
    assert stricter.status == (4 if across == "marginal" else 0)


def test_weights_are_those_of_the_fit(tool: Tool, people: Path) -> None:
    """The weighted rates are equal, and those are audited; without the column, each row counts 1."""
    tool("fit", people, "--score", "score", "--sensitive", "sex", "--weight", "w", *PARITY, "-o",
         "rule.json").ok()
    audit = tool("audit", people, "--rule", "rule.json", "--json", "--fail-above", 1e-9).ok().json()
    assert audit["before"]["overall"]["weight"] > 5000
    assert "by effective sizes" in tool("audit", people, "--rule", "rule.json").ok().out
    without = tool("audit", "--sql", f"SELECT * EXCLUDE (w) FROM '{people}'", "--rule",
                   "rule.json", "--json").ok().json()
    assert without["before"]["overall"]["weight"] == 5000
    assert 0 < without["largest_difference"] < 0.1


def test_a_tally_is_audited_as_its_rows_are(tool: Tool, people: Path) -> None:
    """By the roles of the rule, whatever those of the tally."""
    tool("tally", people, "--score", "score", "--sensitive", "sex,race", "--label", "y", "-o",
         "tally.parquet").ok()
    tool("fit", people, "--score", "score", "--sensitive", "sex", "--within", "race", "--label",
         "y", "--criterion", "equalized-odds", "-o", "rule.json").ok()
    rows = tool("audit", people, "--rule", "rule.json", "--json").ok().json()
    counted = tool("audit", "--tally", "tally.parquet", "--rule", "rule.json", "--json",
                   "--fail-above", 1e-9).ok().json()
    for part in ("sensitive", "within", "before", "after", "largest_difference"):
        assert counted[part] == rows[part], part


def test_the_title_says_within(tool: Tool, people: Path) -> None:
    """What groups and strata are made of."""
    out = tool("audit", people, "--score", "score", "--sensitive", "sex", "--within",
               "race").ok().out
    assert "groups of sex within race" in out.splitlines()[0]
