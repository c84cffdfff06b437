"""`evenhand fit --blind`: groups are used to find the rule, and neither named in it nor read to apply it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import PROJECT, Sql, Tool
from fitting import PARITY

ADULT = PROJECT / "data" / "adult-scores.csv"
BY_SEX = ("--score", "score", "--sensitive", "sex", "--label", "high_income", "--tolerance")


@pytest.mark.parametrize(
    ("criterion", "tolerance", "primal", "accuracy"),
    [
        ("statistical-parity", "0.02", "376.5871", "78.66"),
        ("equal-opportunity", "0.02", "728.7766", "80.85"),
        ("equalized-odds", "0", "0.0000", None),
        ("equalized-odds", "0.02", "728.7766", "80.85"),
        ("equalized-odds", "0.05", "1200.2410", "83.75"),
    ],
)
def test_adult_has_the_optimum_worked_out_by_another_program(
    tool: Tool, criterion: str, tolerance: str, primal: str, accuracy: str | None
) -> None:
    """A linear program over all thresholds, solved elsewhere, has these objectives."""
    fit = tool("fit", ADULT, *BY_SEX, tolerance, "--criterion", criterion, "--blind", "--json").ok().json()
    assert fit["status"] == "optimal" and fit["blind"] is True
    assert f"{abs(fit['primal']):.4f}" == primal
    if accuracy is not None:
        assert f"{100 * fit['after']['overall']['accuracy']:.2f}" == accuracy


def test_the_price_is_said(tool: Tool) -> None:
    """What the rule that may see the group would reach."""
    said = tool("fit", ADULT, *BY_SEX, "0.02", "--criterion", "statistical-parity", "--blind").ok().out
    assert (
        "blind: groups were used to find this rule, not to apply it; with them accuracy would be 83.55 %" in said
    )


def test_the_rule_names_no_group_and_apply_reads_none(tool: Tool, people: Path, sql: Sql) -> None:
    """People who differ in their group only have the same chance; audit still takes the groups."""
    tool("fit", people, *PARITY, "--tolerance", "0.05", "--blind", "-o", "rule.json").ok()
    rule = json.loads((tool.folder / "rule.json").read_text())["rule"]
    assert rule["attributes"] == []
    sql(f"COPY (SELECT score FROM '{people}') TO '{tool.folder}/scores.parquet'")
    tool("apply", "scores.parquet", "--rule", "rule.json", "--seed", "1", "-o", "out.parquet").ok()
    audited = tool("audit", people, *PARITY[:4], "--rule", "rule.json", "--json").ok().json()
    assert audited["after"]["overall"]["selection_rate_between_groups"]["difference"] <= 0.05 + 1e-9


@pytest.mark.parametrize("lottery", ["fewest", "none"])
def test_strata_may_be_seen_under_requirements_alone(
    tool: Tool, people: Path, lottery: str
) -> None:
    """As if a criterion asked for nothing; the record says so, and verify knows."""
    asked = (*PARITY[:4], "--within", "race", "--blind", "--require", "rate[race=Black] <= 0.2")
    asked = (*asked, "--lottery", lottery)
    alone = tool("fit", people, *asked, "-o", "alone.json", "--json").ok().json()
    beside = ("--criterion", "statistical-parity", "--tolerance", "1")
    both = tool("fit", people, *asked, *beside, "-o", "both.json", "--json").ok().json()
    assert alone["primal"] == pytest.approx(both["primal"])
    rules = [json.loads((tool.folder / f"{name}.json").read_text()) for name in ("alone", "both")]
    assert [rule["rule"]["attributes"] for rule in rules] == [["race"], ["race"]]
    assert rules[0]["fit"]["criterion"]["within"] == ["race"]
    tool("verify", "alone.json", people).ok()


def test_strata_may_be_seen(tool: Tool, people: Path) -> None:
    """With --within there is one rule for each stratum."""
    tool("fit", people, *PARITY, "--within", "race", "--blind", "-o", "rule.json").ok()
    rule = json.loads((tool.folder / "rule.json").read_text())["rule"]
    assert rule["attributes"] == ["race"]


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--gamma", "0.1"), "gamma must be 0"),
        (("--solver", "sgd"), "--blind cannot be combined with --solver sgd"),
    ],
)
def test_what_does_not_go_with_it_is_refused(
    tool: Tool, people: Path, options: tuple[str, ...], part: str
) -> None:
    """One line, exit status 2."""
    tool("fit", people, *PARITY, "--blind", *options).fails(2, part)


@pytest.mark.parametrize("options", [("--unseen", "score"), ("--null", "unknown")])
def test_apply_takes_no_option_about_groups(
    tool: Tool, people: Path, options: tuple[str, ...]
) -> None:
    """There is nothing that they could be about."""
    tool("fit", people, *PARITY, "--blind", "-o", "rule.json").ok()
    tool("apply", people, "--rule", "rule.json", *options).fails(2, "looks at no group", options[0])
