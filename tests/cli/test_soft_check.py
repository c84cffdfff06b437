"""`evenhand fit --soft --check-with`: columns that are not what they claim to be are found out."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Sql, Tool

SOFT = ("--score", "score", "--soft", "p_f", "--check-with", "sex")


@pytest.fixture
def rows(tool: Tool, people: Path, sql: Sql) -> str:
    """People with a column that says nothing: everybody is as likely to be a woman."""
    sql(
        f"COPY (SELECT *, 0.5 + (row_number() OVER ()) % 2 / 1000 AS p_f FROM '{people}')"
        f" TO '{tool.folder}/soft.parquet'"
    )
    return "soft.parquet"


def test_the_true_difference_is_that_of_the_rows(tool: Tool, rows: str, sql: Sql) -> None:
    """Recomputed from the decisions of the rule."""
    fit = tool("fit", rows, *SOFT, "--json", "-o", "rule.json").ok().json()
    tool("apply", rows, "--rule", "rule.json", "--seed", "1", "-o", "out.parquet").ok()
    (women,) = sql(f"SELECT avg(probability) FROM '{tool.folder}/out.parquet' WHERE sex = 'F'")[0]
    (others,) = sql(f"SELECT avg(probability) FROM '{tool.folder}/out.parquet' WHERE sex <> 'F'")[0]
    assert fit["check"]["largest_difference"] == pytest.approx(abs(women - others), abs=1e-12)
    assert len(fit["check"]["columns"][0]["off_by_tenth"]) == 10


def test_the_assumption_is_said(tool: Tool, rows: str) -> None:
    """Beside every figure of soft groups."""
    for command in (("fit", rows, *SOFT), ("audit", rows, *SOFT[:4])):
        assert "hold only if the columns are calibrated given everything" in tool(*command).ok().out


def test_a_column_of_no_group_is_refused(tool: Tool, rows: str) -> None:
    """Which value it stands for must be clear."""
    tool("fit", rows, "--score", "score", "--soft", "y", "--check-with", "sex").fails(2, "must end with one of")
    tool("fit", rows, "--score", "score", "--check-with", "sex").fails(2, "--check-with needs --soft")
