"""`evenhand audit --rule a.json --rule b.json`: several rules about the same people."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Sql, Tool

DATA = ("--score", "score", "--label", "y", "--sensitive", "sex")


@pytest.fixture
def rules(tool: Tool, people: Path) -> list[str]:
    """Odds with coins, odds without, a blind rule, and one that tells races apart as well."""
    fit = ("fit", people, *DATA)
    odds = ("--criterion", "equalized-odds", "--tolerance", 0.05)
    tool(*fit, *odds, "-o", "coins.json").ok()
    tool(*fit, *odds, "--lottery", "none", "-o", "none.json").ok()
    tool(*fit, *odds, "--blind", "-o", "blind.json").ok()
    tool(*fit, "--within", "race", "--criterion", "statistical-parity", "-o", "race.json").ok()
    return ["coins.json", "none.json", "blind.json", "race.json"]


def given(rules: list[str]) -> list[str]:
    """Return the options."""
    return [part for rule in rules for part in ("--rule", rule)]


def test_each_rule_has_the_figures_of_its_own_audit(
    tool: Tool, people: Path, rules: list[str]
) -> None:
    """Compared by the groups of the first, all in one table."""
    out = tool("audit", people, *given(rules), "--json").ok().json()
    assert [rule["name"] for rule in out["rules"]] == rules
    assert [rule["needs_group"] for rule in out["rules"]] == [True, True, False, True]
    for name, rule in zip(rules, out["rules"], strict=True):
        alone = tool("audit", people, "--rule", name, "--sensitive", "sex", "--json",
                     "--criterion", "equalized-odds").ok().json()
        view = rule["views"][0]
        if name == "race.json":  # alone it is compared within race
            assert view["overall"]["accuracy"] == alone["after"]["overall"]["accuracy"]
            continue
        assert rule["largest_difference"] == alone["largest_difference"], name
        for figure in ("accuracy", "cost", "selection_rate", "true_positive_rate"):
            assert view["overall"][figure] == pytest.approx(alone["after"]["overall"][figure])
    shares = [rule["views"][0]["lottery_share"] for rule in out["rules"]]
    assert shares[0] > 0 and shares[1] == 0


def test_changes_are_those_of_the_decisions_made(
    tool: Tool, people: Path, rules: list[str], sql: Sql
) -> None:
    """With the same key everybody has one coin: what is expected is what happens, nearly."""
    for rule in rules:
        tool("apply", people, "--rule", rule, *tool.coins(), "-o", rule + ".parquet").ok()
    out = tool("audit", people, *given(rules), "--json").ok().json()
    for rule, found in zip(rules, out["rules"], strict=True):
        counted = dict(
            ((sex, race, more), n) for sex, race, more, n in sql(
                f"SELECT a.sex, a.race, b.decision - a.decision AS more, count(*) "
                f"FROM 'coins.json.parquet' a JOIN '{rule}.parquet' b USING (id) GROUP BY ALL"))
        total = {"to_yes": 0.0, "to_no": 0.0}
        for change in found["changes"]:
            cell = (change["cell"]["sex"], change["cell"]["race"])
            for direction, more in (("to_yes", 1), ("to_no", -1)):
                # Coins: a standard deviation is at most half the root of the people.
                margin = 3 * change["weight"] ** 0.5
                assert change[direction] == pytest.approx(counted.get((*cell, more), 0), abs=margin)
                total[direction] += change[direction]
        for direction, weight in total.items():
            assert found["changed"][direction] == pytest.approx(weight)


def test_the_table_has_a_column_for_each_rule(tool: Tool, people: Path, rules: list[str]) -> None:
    """Titles, coins, the group, and who changes."""
    lines = tool("audit", people, *given(rules)).ok().out.splitlines()
    assert "4 rules side by side, groups of sex" in lines[0]
    assert lines[2].split() == ["score", "alone", *rules]
    for name in ("accuracy", "cost of a decision", "selected, sex=F", "largest difference",
                 "smallest ratio", "decided by a coin"):
        assert any(line.strip().startswith(name) for line in lines), name
    needs = next(line for line in lines if "needs the group" in line)
    assert needs.split()[3:] == ["no", "yes", "yes", "no", "yes"]
    assert "decided unlike coins.json" in lines
    assert any(line.split()[:1] == ["everybody"] for line in lines)
    for name in rules:
        assert any(line.strip().startswith(f"{name}: ") for line in lines)


def test_limits_hold_for_every_rule(tool: Tool, people: Path, rules: list[str]) -> None:
    """The line says which rule goes too far."""
    ran = tool("audit", people, *given(rules[:2]), "--fail-above", 0.05)
    assert ran.status == 0, ran.err
    ran = tool("audit", people, *given([rules[0], rules[3]]), "--fail-above", 0.05)
    assert ran.status == 4
    assert "by race.json, the largest difference is" in ran.err
    assert "coins.json" not in ran.err


def test_requirements_of_all_rules_are_checked(tool: Tool, people: Path) -> None:
    """Each once; rules may have been fitted on groups, or on nothing but requirements."""
    fit = ("fit", people, *DATA, "--criterion", "statistical-parity")
    tool(*fit, "--require", "rate <= 0.2", "-o", "a.json").ok()
    tool(*fit, "--require", "rate <= 0.2", "--require", "rate >= 0.1", "-o", "b.json").ok()
    out = tool("audit", people, "--rule", "a.json", "--rule", "b.json", "--json").ok().json()
    for rule in out["rules"]:
        assert [r["text"] for r in rule["requirements"]] == ["rate <= 0.2", "rate >= 0.1"]
        assert all(r["holds"] for r in rule["requirements"])


def test_a_tally_serves_as_its_rows_do(tool: Tool, people: Path, rules: list[str]) -> None:
    """With all the attributes that any rule asks for."""
    tool("tally", people, "--score", "score", "--sensitive", "sex,race", "--label", "y", "-o",
         "tally.parquet").ok()
    rows = tool("audit", people, *given(rules), "--json").ok().json()
    counted = tool("audit", "--tally", "tally.parquet", *given(rules), "--json").ok().json()
    assert counted["rules"] == rows["rules"]


def test_a_rule_is_audited_by_other_groups_than_its_own(tool: Tool, people: Path) -> None:
    """A rule for sexes, by race: its column is read although nobody is compared by it."""
    tool("fit", people, *DATA, "--criterion", "statistical-parity", "-o", "rule.json").ok()
    out = tool("audit", people, "--rule", "rule.json", "--sensitive", "race", "--json").ok().json()
    assert out["sensitive"] == ["race"]
    assert {tuple(group["group"]) for group in out["after"]["groups"]} == {("race",)}


def test_rules_that_cannot_be_compared(tool: Tool, people: Path, rules: list[str]) -> None:
    """One line each."""
    tool("fit", people, "--score", "score", "--sensitive", "sex", "--favorable", "low",
         "--criterion", "statistical-parity", "-o", "low.json").ok()
    both = given([rules[0], "low.json"])
    tool("audit", people, *both).fails(2, "coins.json", "low.json", "cannot be compared")
    tool("audit", people, *given(rules[:2]), "--calibration").fails(2, "--calibration")
    tool("audit", people, *given([rules[0], "nowhere.json"])).fails(2, "nowhere.json")
    tool("audit", people, *given(rules[:2]), "--decision", "y").fails(2, "--rule or --decision")
    tool("audit", "--sql", f"SELECT * EXCLUDE race FROM '{people}'", *given(rules)).fails(
        2, "race")
    tool("audit", "--sql", f"SELECT * REPLACE ('X' AS race) FROM '{people}'", *given(rules)).fails(
        2, "race=X", "--unseen")
