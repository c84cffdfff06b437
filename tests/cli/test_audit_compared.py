"""`evenhand audit`: which rates and groups are compared, and the limits that a difference may have."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Sql, Tool
from recompute import figures

SCORES = ("--score", "score", "--sensitive", "sex")


# --- What is compared.


def test_a_criterion_says_which_rates_are_compared(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """Equalized odds look at both rates, and count the larger difference."""
    wanted = figures(sql, people, "(score > 0.5)::INTEGER", "sex")

    def difference(rate: str) -> float:
        return abs(wanted["F"][rate] - wanted["M"][rate])

    tpr, fpr = difference("true_positive_rate"), difference("false_positive_rate")
    for criterion, value in (("statistical-parity", difference("selection_rate")),
                             ("equal-opportunity", tpr), ("false-positive-parity", fpr),
                             ("equalized-odds", max(tpr, fpr))):
        audit = tool("audit", people, *SCORES, "--label", "y", "--criterion", criterion,
                     "--json").ok().json()
        assert audit["largest_difference"] == pytest.approx(value, abs=1e-12), criterion


def test_a_criterion_about_labels_needs_them(tool: Tool, people: Path) -> None:
    """To compare what cannot be known is an error."""
    tool("audit", people, *SCORES, "--criterion", "equalized-odds").fails(2, "--label")


def test_equal_rates_are_compared_across_strata(tool: Tool, people: Path, sql: Sql) -> None:
    """Equal rates mean one number for every cell, so strata are compared with each other too."""
    cells = figures(sql, people, "(score > 0.5)::INTEGER", "sex || race")
    rates = [cell["selection_rate"] for cell in cells.values()]
    audit = tool("audit", people, "--score", "score", "--sensitive", "race", "--within", "sex",
                 "--criterion", "equal-rates", "--json").ok().json()
    assert audit["largest_difference"] == pytest.approx(max(rates) - min(rates), abs=1e-12)


def test_a_rule_about_labels_is_audited_for_its_own_rates(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """What fit promised is what audit compares: the rule remembers its label column."""
    tool("fit", people, *SCORES, "--label", "y", "--criterion", "equal-opportunity", "-o",
         "rule.json").ok()
    tool("apply", people, "--rule", "rule.json", "-q", "-o", "out.parquet").ok()
    rates = sql("SELECT avg(probability) FROM 'out.parquet' WHERE y = 1 GROUP BY sex")
    assert abs(rates[0][0] - rates[1][0]) < 1e-12
    for label in (["--label", "y"], []):
        ran = tool("audit", people, "--rule", "rule.json", *label, "--fail-above", 0.001, "--json")
        assert ran.ok().json()["largest_difference"] < 1e-12, label


@pytest.mark.parametrize("across", ["intersection", "marginal", "both"])
def test_several_columns_are_compared_together_or_each_on_its_own(
    tool: Tool, people: Path, sql: Sql, across: str
) -> None:
    """Combinations, each column, or both."""
    d = "(score > 0.5)::INTEGER"
    worst = 0.0
    views = {"intersection": [["sex", "race"]], "marginal": [["sex"], ["race"]],
             "both": [["sex", "race"], ["sex"], ["race"]]}[across]
    for view in views:
        rates = [row["selection_rate"] for row in figures(sql, people, d, " || ".join(view))
                 .values()]
        worst = max(worst, max(rates) - min(rates))
    audit = tool("audit", people, "--score", "score", "--sensitive", "sex,race", "--across",
                 across, "--json").ok().json()
    assert audit["largest_difference"] == pytest.approx(worst, abs=1e-12)
    found = audit["views"] if len(views) > 1 else [audit]
    assert [view["sensitive"] for view in found] == views
    assert "audit of" in tool("audit", people, "--score", "score", "--sensitive", "sex,race",
                              "--across", across).ok().out


def test_a_marginal_rule_is_audited_for_each_column(tool: Tool, people: Path) -> None:
    """What fit promised for each column is what audit finds for each column."""
    tool("fit", people, "--score", "score", "--sensitive", "sex,race", "--across", "marginal",
         "--criterion", "statistical-parity", "-o", "rule.json").ok()
    audit = tool("audit", people, "--rule", "rule.json", "--across", "marginal",
                 "--json").ok().json()
    assert audit["largest_difference"] < 1e-9


def test_every_group_can_be_compared_with_one(tool: Tool, people: Path, sql: Sql) -> None:
    """Against the reference of the same stratum, with sign and ratio."""
    cells = figures(sql, people, "(score > 0.5)::INTEGER", "race || sex")
    audit = tool("audit", people, "--score", "score", "--sensitive", "race", "--within", "sex",
                 "--reference", "White", "--json").ok().json()
    compared = audit["against_reference"]
    assert len(compared) == 4
    worst = 0.0
    for one in compared:
        race, sex = (part.split("=")[1] for part in one["cell"].split(", "))
        value, reference = (cells[r + sex]["selection_rate"] for r in (race, "White"))
        assert one["difference"] == pytest.approx(value - reference, abs=1e-12)
        assert one["ratio"] == pytest.approx(value / reference, abs=1e-12)
        worst = max(worst, abs(value - reference))
    assert audit["largest_difference"] == pytest.approx(worst, abs=1e-12)
    out = tool("audit", people, "--score", "score", "--sensitive", "race", "--reference",
               "White").ok().out
    assert "race=Black" in out.split("against the reference")[1]
    tool("audit", people, "--score", "score", "--sensitive", "race", "--reference",
         "Whit").fails(2, "Whit", "White")


def test_a_reference_of_several_columns_has_a_value_for_each(tool: Tool, people: Path) -> None:
    """A group of two columns is written with a comma."""
    audit = tool("audit", people, "--score", "score", "--sensitive", "sex,race", "--reference",
                 "M,White", "--json").ok().json()
    assert len(audit["against_reference"]) == 5


# --- A limit.


def test_fail_above_ends_with_4_only_when_exceeded(tool: Tool, people: Path) -> None:
    """At the limit, up to rounding, is within it; the result is printed either way."""
    plain = tool("audit", people, *SCORES, "--json").ok()
    worst = plain.json()["largest_difference"]
    at = tool("audit", people, *SCORES, "--json", "--fail-above", repr(worst))
    assert (at.status, at.out, at.err) == (0, plain.out, "")
    below = worst - 1e-8
    above = tool("audit", people, *SCORES, "--json", "--fail-above", repr(below))
    assert above.status == 4
    assert above.out == plain.out
    assert above.err.startswith("evenhand: ")
    assert len(above.err.splitlines()) == 1
    assert tool("audit", people, *SCORES, "--fail-above", 0).status == 4
    assert tool("audit", people, *SCORES, "--fail-above", 1).status == 0


def test_fail_below_is_about_the_smallest_ratio(tool: Tool, people: Path) -> None:
    """Four fifths in a pipeline: 4 only if a ratio of rates is smaller."""
    smallest = tool("audit", people, *SCORES, "--json").ok().json()["smallest_ratio"]
    assert 0 < smallest < 1
    assert tool("audit", people, *SCORES, "--fail-below", repr(smallest)).status == 0
    failed = tool("audit", people, *SCORES, "--fail-below", repr(smallest + 1e-8))
    assert failed.status == 4
    assert "ratio" in failed.err
    tool("audit", people, *SCORES, "--fail-below", 2).fails(2, "--fail-below")


def test_one_group_alone_cannot_pass(tool: Tool) -> None:
    """Where nothing is compared, --fail-above is an error and no success."""
    tool.write("one.csv", "p,g\n0.2,A\n0.8,A\n")
    run = tool("audit", "one.csv", "--score", "p", "--sensitive", "g", "--fail-above", 0.1)
    assert run.status == 2
    assert "no two groups" in run.err


def test_fail_above_is_about_the_rule_where_there_is_one(
    tool: Tool, people: Path, ruled: str
) -> None:
    """A rule that repairs unfair scores passes."""
    tool("audit", people, "--rule", ruled, "--fail-above", "1e-9").ok()
    assert tool("audit", people, *SCORES, "--within", "race", "--fail-above", "1e-9").status == 4


def test_fail_above_is_about_the_reference_where_there_is_one(tool: Tool, people: Path) -> None:
    """Then only differences from it count."""
    options = ("--score", "score", "--sensitive", "race", "--reference", "Asian")
    worst = tool("audit", people, *options, "--json").ok().json()["largest_difference"]
    assert tool("audit", people, *options, "--fail-above", repr(worst)).status == 0
    assert tool("audit", people, *options, "--fail-above", repr(worst * 0.999)).status == 4
