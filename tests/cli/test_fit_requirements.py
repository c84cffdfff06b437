"""`evenhand fit --require`: requirements hold, and those that clash are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Sql, Tool
from fitting import PARITY
from recompute import applied, cell_rates, largest_difference

IMPOSSIBLE = (*PARITY, "--require", "rate <= 0.1", "--require", "rate[sex=F] >= 0.3")


def test_a_requirement_may_stand_alone(tool: Tool, people: Path, sql: Sql) -> None:
    """No criterion is needed to have a capacity."""
    fit = tool("fit", people, "--score", "score", "--sensitive", "sex", "--require",
               "rate <= 0.1", "--json", "-o", "rule.json").ok().json()
    assert fit["criterion"]["name"] == "requirements"
    applied(tool, people)
    assert sql("SELECT avg(probability) FROM 'out.parquet'")[0][0] == pytest.approx(0.1, abs=1e-12)


def test_a_requirement_about_everybody_needs_no_groups(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """Without a sensitive column there is one cell: everybody."""
    tool("fit", people, "--score", "score", "--require", "rate <= 0.1", "-o", "rule.json").ok()
    applied(tool, people)
    assert sql("SELECT avg(probability) FROM 'out.parquet'")[0][0] == pytest.approx(0.1, abs=1e-12)


def test_repeated_requirements_all_hold(tool: Tool, people: Path, sql: Sql) -> None:
    """Each --require counts, in any number."""
    tool("fit", people, "--score", "score", "--label", "y", "--sensitive", "sex",
         "--require", "rate <= 0.3", "--require", "tpr[sex=F] >= 0.9 * tpr[sex=M]",
         "--require", "fpr <= 0.05", "-o", "rule.json").ok()
    applied(tool, people)
    rate = sql("SELECT avg(probability) FROM 'out.parquet'")[0][0]
    tpr = dict(cell_rates(sql, "sex", "y = 1"))
    fpr = sql("SELECT avg(probability) FROM 'out.parquet' WHERE y = 0")[0][0]
    assert rate <= 0.3 + 1e-12
    assert tpr["F"] >= 0.9 * tpr["M"] - 1e-12
    assert fpr <= 0.05 + 1e-12


def test_a_requirement_adds_to_a_criterion(tool: Tool, people: Path, sql: Sql) -> None:
    """Parity and a capacity at once."""
    fit = tool("fit", people, *PARITY, "--within", "race", "--require", "rate <= 0.2", "--json",
               "-o", "rule.json").ok().json()
    assert fit["criterion"]["require"] == ["rate <= 0.2"]
    applied(tool, people)
    assert largest_difference(sql, "race") < 1e-12
    rate = sql("SELECT avg(probability) FROM 'out.parquet'")[0][0]
    assert rate == pytest.approx(0.2, abs=1e-12)


def test_requirements_that_clash_end_with_3_and_leave_no_rule(tool: Tool, people: Path) -> None:
    """What cannot be is said in one line that names the clash; nothing is left behind."""
    tool("fit", people, *IMPOSSIBLE, "-o", "rule.json").fails(
        3, "rate <= 0.1", "rate[sex=F] >= 0.3"
    )
    assert tool.files() == set()


def test_requirements_that_clash_leave_the_old_rule(tool: Tool, people: Path) -> None:
    """The rule of yesterday stays when that of today cannot be."""
    tool.write("rule.json", "yesterday")
    tool("fit", people, *IMPOSSIBLE, "-o", "rule.json").fails(3)
    assert tool.path("rule.json").read_text() == "yesterday"
    assert tool.files() == {"rule.json"}


def test_requirements_that_clash_have_details_as_json(tool: Tool, people: Path) -> None:
    """Programs get the clash and the slack that would do, and the slack does."""
    ran = tool("fit", people, *IMPOSSIBLE, "--json", "-o", "rule.json")
    assert ran.status == 3
    assert len(ran.err.splitlines()) == 1
    details = ran.json()
    assert details["status"] == "infeasible"
    assert {"rate <= 0.1", "rate[sex=F] >= 0.3"} <= set(details["clash"])
    slack = details["common_slack"]
    assert slack > 0
    assert details["total_violation"] > 0
    assert tool.files() == set()
    tool("fit", people, *PARITY, "--tolerance", slack + 1e-9, "--require",
         f"rate <= {0.1 + slack + 1e-9}", "--require",
         f"rate[sex=F] >= {0.3 - slack - 1e-9}").ok()


def test_requirements_alone_that_clash_end_with_3(tool: Tool, people: Path) -> None:
    """Also without a criterion."""
    tool("fit", people, "--score", "score", "--require", "rate <= 0.1", "--require",
         "rate >= 0.3", "-o", "rule.json").fails(3, "rate <= 0.1", "rate >= 0.3")
    assert tool.files() == set()


def test_requirements_of_other_measures_hold_on_the_rows(tool: Tool, people: Path, sql: Sql) -> None:
    """Accuracy, people, shares, distances and one requirement for each group."""
    tool("fit", people, "--score", "score", "--label", "y", "--sensitive", "sex",
         "--require", "for each sex: accuracy >= 0.6", "--require", "selected[sex=M] <= 400",
         "--require", "abs(tpr[sex=F] - tpr[sex=M]) <= 0.1", "-o", "rule.json").ok()
    applied(tool, people)
    for sex, accuracy, selected in sql(
        "SELECT sex, avg(CASE WHEN y = 1 THEN probability ELSE 1 - probability END),"
        " sum(probability) FROM 'out.parquet' GROUP BY sex"
    ):
        assert accuracy >= 0.6 - 1e-9
        assert sex != "M" or selected <= 400 + 1e-9
    assert largest_difference(sql, "true", "y = 1") <= 0.1 + 1e-9


def test_no_worse_keeps_every_group_at_its_base_decisions(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """No group's rate falls below the share of its scores above one half."""
    tool("fit", people, *PARITY, "--tolerance", "0.5", "--no-worse", "rate", "-o", "rule.json").ok()
    applied(tool, people)
    for _, before, after in sql(
        "SELECT sex, avg((score > 0.5)::INT), avg(probability) FROM 'out.parquet' GROUP BY sex"
    ):
        assert after >= before - 1e-9


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("precision[sex=F] >= precision[sex=M]", "must stand alone against a constant"),
        ("auc >= 0.8", "one of rate, tpr, fpr"),
        ("for each sx: rate >= 0.1", "there is no attribute sx; did you mean 'sex'?"),
    ],
)
def test_what_no_requirement_can_say_is_one_line(
    tool: Tool, people: Path, text: str, part: str
) -> None:
    """Exit status 2, and never another quantity in place of the one asked for."""
    tool("fit", people, *PARITY, "--require", text).fails(2, part)


def test_base_needs_base_decisions(tool: Tool, people: Path) -> None:
    """Raw scores have none unless a threshold says so."""
    tool("fit", people, *PARITY, "--label", "y", "--scale", "raw", "--require",
         "tpr >= base(tpr)").fails(2, "base")
