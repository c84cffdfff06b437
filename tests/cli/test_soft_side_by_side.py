"""`evenhand audit --rule a.json --rule b.json` where a rule is for soft attributes."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Sql, Tool


@pytest.fixture
def soft(people: Path) -> tuple[str, ...]:
    """Return the data, with a column that knows more or less who is a woman."""
    p_f = "CASE sex WHEN 'F' THEN 0.85 ELSE 0.1 END - 0.05 * score"
    return ("--sql", f"SELECT *, {p_f} AS p_f FROM '{people}'")


@pytest.fixture
def rules(tool: Tool, soft: tuple[str, ...]) -> list[str]:
    """Parity and odds by the column, odds by sex, and a blind rule within races."""
    fit = ("fit", *soft, "--score", "score", "--label", "y")
    odds = ("--criterion", "equalized-odds", "--tolerance", 0.05)
    tool(*fit, "--soft", "p_f", "-o", "parity.json").ok()
    tool(*fit, "--soft", "p_f", *odds, "-o", "odds.json").ok()
    tool(*fit, "--sensitive", "sex", *odds, "-o", "sex.json").ok()
    tool(*fit, "--sensitive", "sex", "--within", "race", "--criterion", "statistical-parity", "--blind",
         "-o", "blind.json").ok()
    return ["parity.json", "odds.json", "sex.json", "blind.json"]


def given(rules: list[str]) -> list[str]:
    """Return the options."""
    return [part for rule in rules for part in ("--rule", rule)]


def test_figures_are_those_of_what_apply_decides(
    tool: Tool, soft: tuple[str, ...], rules: list[str], sql: Sql
) -> None:
    """Rates by the column, coins and changes, recomputed by SQL from probabilities."""
    out = tool("audit", *soft, *given(rules), "--json").ok().json()
    assert [rule["name"] for rule in out["rules"]] == rules
    assert [rule["needs_group"] for rule in out["rules"]] == [False, False, True, False]
    for rule in rules:
        tool("apply", *soft, "--rule", rule, *tool.coins(), "-o", rule + ".parquet").ok()
    for rule, found in zip(rules, out["rules"], strict=True):
        rate, others, coins, to_yes, to_no, people, women = sql(
            "SELECT sum(a.p_f * b.probability) / sum(a.p_f), "
            "sum((1 - a.p_f) * b.probability) / sum(1 - a.p_f), "
            "avg(CAST(b.probability > 0 AND b.probability < 1 AS INT)), "
            "sum(greatest(0, b.probability - a.probability)), sum(greatest(0, a.probability - b.probability)), "
            "count(*), sum(a.p_f) "
            f"FROM '{rules[0]}.parquet' a POSITIONAL JOIN '{rule}.parquet' b"
        )[0]
        pair = found["strata"][0]["columns"][0]
        assert (pair["rate"], pair["others"]) == pytest.approx((rate, others), abs=1e-9)
        assert found["largest_difference"] == pytest.approx(abs(rate - others), abs=1e-9)
        assert found["lottery_share"] == pytest.approx(coins, abs=1e-9)
        assert found["changed"] == pytest.approx({"weight": people, "to_yes": to_yes, "to_no": to_no}, abs=1e-6)
        assert found["changes"][0]["column"] == "p_f"
        assert found["changes"][0]["weight"] == pytest.approx(women)


def test_one_table_for_people(tool: Tool, soft: tuple[str, ...], rules: list[str]) -> None:
    """Whichever rule comes first; limits hold for each."""
    for order in (rules, rules[::-1]):
        out = tool("audit", *soft, *given(order)).ok().out
        assert "4 rules side by side, those who belong by p_f" in out
        for words in ("accuracy", "decided by a coin", "needs the group", f"decided unlike {order[0]}", "everybody"):
            assert words in out
        assert "calibrated given everything the rule sees" in out
    judged = tool("audit", *soft, *given(rules), "--fail-above", 0.01)
    assert judged.status == 4 and "by odds.json, the largest difference is" in judged.err
    assert "parity.json" not in judged.err


def test_report_has_the_same_figures(tool: Tool, soft: tuple[str, ...], rules: list[str]) -> None:
    """Whichever rule is the subject: a row for each, what it was fitted for, whether it asks for the group."""
    for order in (rules, rules[::-1], [rules[2], rules[0]]):
        audit = tool("audit", *soft, *given(order), "--json").ok().json()
        report = tool("report", *soft, *given(order), "--json", "-o", "page.html").ok().json()
        alone, *rows = report["rules"]["rows"]
        assert alone["rule"] == "the score alone" and alone["to_yes"] is None
        assert [row["rule"] for row in rows] == order
        for row, found in zip(rows, audit["rules"], strict=True):
            for name in ("selection_rate", "accuracy", "cost", "largest_difference", "smallest_ratio", "lottery_share"):
                assert row[name] == found[name]
            assert row["needs_group"] == ("yes" if found["needs_group"] else "no")
            assert (row["to_yes"], row["to_no"]) == (found["changed"]["to_yes"], found["changed"]["to_no"])
            assert ("by p_f" in row["criterion"]) == (row["rule"] in rules[:2])
        assert report["fairness"]["after"]["largest_difference"] == audit["rules"][0]["largest_difference"]
        # The criterion of a rule for known groups asks nothing of those who belong by a column.
        assert (report["fairness"]["holds"] is None) == (order[0] in rules[2:])
        assert report["fairness"]["holds"] in (None, True)
        assert report["ll144"] is None and report["answer"][0].startswith(f"The rule {order[0]}, fitted for")
        named = [row["value"] for row in report["provenance"]["rows"] if row["item"] == "Rule"]
        assert named == order
        assert "Rules side by side" in tool("report", *soft, *given(order)).ok().out


def test_columns_given_the_outcome_compare_no_selection_rates(tool: Tool, soft: tuple[str, ...]) -> None:
    """One line says which criteria they are for; these work."""
    fit = ("fit", *soft, "--score", "score", "--label", "y")
    tool(*fit, "--soft-favorable", "p_f", "--soft-unfavorable", "p_f", "--criterion", "equalized-odds", "-o",
         "odds.json").ok()
    tool(*fit, "--sensitive", "sex", "--criterion", "statistical-parity", "-o", "sex.json").ok()
    for command in ("audit", "report"):
        asked = (command, *soft, *given(["sex.json", "odds.json"]))
        tool(*asked).fails(2, "given the outcome", "equalized-odds")
        tool(*asked, "--criterion", "equalized-odds").ok()


def test_rules_of_known_groups_need_no_soft_columns(tool: Tool, soft: tuple[str, ...], rules: list[str]) -> None:
    """One line, exit status 2."""
    tool("audit", *soft, *given(rules[2:]), "--soft", "p_f").fails(2, "rule for known groups")
