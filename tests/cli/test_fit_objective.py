"""What is best for `evenhand fit`: costs, the threshold of today, gamma and calibration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Sql, Tool
from fitting import PARITY, fitted
from recompute import applied, largest_difference, rule_text


def test_costs_move_todays_decisions_and_are_counted(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """A missed positive that costs three times as much is worth a lower threshold."""
    fit = tool("fit", people, *PARITY, "--label", "y", "--cost-fn", "3", "--cost-fp", "1",
               "--json", "-o", "rule.json").ok().json()
    applied(tool, people)
    before = fit["before"]["overall"]
    after = fit["after"]["overall"]
    rate, cost = sql(
        """SELECT avg(d), avg(CASE WHEN y = 1 THEN 3 * (1 - d) ELSE d END)
           FROM (SELECT y, (score > 0.25)::INTEGER AS d FROM 'out.parquet')"""
    )[0]
    assert before["selection_rate"] == pytest.approx(rate, abs=1e-12)
    assert before["cost"] == pytest.approx(cost, abs=1e-12)
    cost = sql(
        """SELECT avg(CASE WHEN y = 1 THEN 3 * (1 - probability) ELSE probability END)
           FROM 'out.parquet'"""
    )[0][0]
    assert after["cost"] == pytest.approx(cost, abs=1e-12)
    cheap = tool("fit", people, *PARITY, "--label", "y", "--cost-fn", "1", "--cost-fp", "3",
                 "--json").ok().json()
    assert cheap["after"]["overall"]["selection_rate"] < after["selection_rate"]
    assert "cost of a decision" in tool("fit", people, *PARITY, "--cost-fn", "3").ok().out


def test_base_threshold_says_what_is_decided_today(tool: Tool, people: Path, sql: Sql) -> None:
    """Before means today, from that score on; what is best does not depend on it."""
    fit = tool("fit", people, *PARITY, "--base-threshold", "0.6", "--json", "-o",
               "rule.json").ok().json()
    rate = sql(f"SELECT avg((score >= 0.6)::INTEGER) FROM '{people}'")[0][0]
    assert fit["before"]["overall"]["selection_rate"] == pytest.approx(rate, abs=1e-12)
    assert fit["base_threshold"] == 0.6
    assert rule_text(tool.path("rule.json")).split('"cells"')[1] == (
        fitted(tool, people, *PARITY).split('"cells"')[1]
    )


def test_gamma_widens_randomization_and_stays_fair(tool: Tool, people: Path, sql: Sql) -> None:
    """With a width, decisions near the threshold become a matter of degree."""
    shares = []
    for gamma in (0, 0.05, 0.3):
        fit = tool("fit", people, *PARITY, "--gamma", gamma, "--json", "-o",
                   "rule.json").ok().json()
        assert fit["gamma"] == gamma
        applied(tool, people)
        assert largest_difference(sql) < 1e-9
        by_lot = sql(
            """SELECT avg((probability > 0 AND probability < 1)::INTEGER) FROM 'out.parquet'"""
        )[0][0]
        assert fit["lottery_share"] == pytest.approx(by_lot, abs=1e-12)
        shares.append(by_lot)
    assert shares[0] < 0.01 < shares[1] < shares[2]


def test_gamma_auto_is_the_schedule_of_the_rows(tool: Tool, people: Path) -> None:
    """The same rule as with the number that `theory gamma` prints."""
    gamma = tool("theory", "gamma", "--rows", 5000).ok().out.strip()
    for name, value in (("a.json", "auto"), ("b.json", gamma)):
        tool("fit", people, *PARITY, "--gamma", value, "--no-source", "-o", name).ok()
    assert tool.path("a.json").read_bytes() == tool.path("b.json").read_bytes()
    assert json.loads(tool.path("a.json").read_text())["fit"]["gamma"] == float(gamma)
    tool("tally", people, *PARITY[:4], "-o", "t.parquet").ok()
    tally = tool("fit", "--tally", "t.parquet", *PARITY[4:], "--gamma", "auto", "--json")
    assert tally.ok().json()["gamma"] == float(gamma)


def test_gamma_auto_needs_to_know_the_number_of_rows(tool: Tool, people: Path) -> None:
    """A tally of weighted rows does not tell it."""
    tool("tally", people, *PARITY[:4], "--weight", "w", "-o", "t.parquet").ok()
    tool("fit", "--tally", "t.parquet", *PARITY[4:], "--gamma", "auto", "-o", "rule.json").fails(
        2, "weighted", "gamma")
    assert tool.files() == {"t.parquet"}


def test_isotonic_calibration_gains_accuracy_where_scores_mislead(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """Scores that are no probabilities are read through the labels."""
    query = f"SELECT * REPLACE (score ** 3 AS score) FROM '{people}'"
    accuracy = {}
    for calibrate in ("none", "isotonic"):
        fit = tool("fit", "--sql", query, *PARITY, "--label", "y", "--calibrate", calibrate,
                   "--json", "-o", "rule.json").ok().json()
        assert fit["calibrate"] == calibrate
        applied(tool, "--sql", query)
        assert largest_difference(sql) < 1e-12
        accuracy[calibrate] = fit["after"]["overall"]["accuracy"]
    assert accuracy["isotonic"] > accuracy["none"] + 0.01
