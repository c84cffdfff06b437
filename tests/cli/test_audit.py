"""`evenhand audit`: its figures are those of plain SQL, of scores, of a rule and of decisions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import Sql, Tool
from recompute import figures, left_out, wilson, with_nulls

SCORES = ("--score", "score", "--sensitive", "sex")


def assert_same(found: dict[str, Any], wanted: dict[str, float]) -> None:
    """Compare figures to 1e-12."""
    for name, value in wanted.items():
        assert found[name] == pytest.approx(value, abs=1e-12), name


# --- Figures.


def test_figures_of_scores_are_those_of_plain_sql(tool: Tool, people: Path, sql: Sql) -> None:
    """Without a rule, the decisions by the score alone."""
    audit = tool("audit", people, *SCORES, "--within", "race", "--label", "y",
                 "--json").ok().json()
    assert "after" not in audit
    assert audit["rows"] == 5000
    before = audit["before"]
    d = "(score > 0.5)::INTEGER"
    assert_same(before["overall"], figures(sql, people, d, "1")[1])
    by_cell = figures(sql, people, d, "sex || race")
    assert len(before["cells"]) == 6
    for cell in before["cells"]:
        assert_same(cell, by_cell[cell["cell"]["sex"] + cell["cell"]["race"]])
    for group in before["groups"]:
        assert_same(group, figures(sql, people, d, "sex")[group["group"]["sex"]])
    differences = []
    for stratum in before["strata"]:
        race = stratum["stratum"]["race"]
        assert_same(stratum, figures(sql, people, d, "race")[race])
        for rate in ("selection_rate", "true_positive_rate", "false_positive_rate"):
            rates = [by_cell[sex + race][rate] for sex in "FM"]
            spread = stratum[f"{rate}_between_groups"]
            assert spread["difference"] == pytest.approx(max(rates) - min(rates), abs=1e-12)
            assert spread["ratio"] == pytest.approx(min(rates) / max(rates), abs=1e-12)
        differences.append(stratum["selection_rate_between_groups"]["difference"])
    assert audit["largest_difference"] == max(differences)


def test_figures_of_a_rule_are_those_of_the_applied_probabilities(
    tool: Tool, people: Path, sql: Sql, ruled: str
) -> None:
    """After is what apply does, and the rule says which columns it is about."""
    audit = tool("audit", people, "--rule", ruled, "--label", "y", "--json").ok().json()
    assert audit["sensitive"] == ["sex"]
    assert audit["within"] == ["race"]
    assert_same(audit["before"]["overall"],
                figures(sql, people, "(score > 0.5)::INTEGER", "1")[1])
    assert_same(audit["after"]["overall"], figures(sql, "out.parquet", "probability", "1")[1])
    by_cell = figures(sql, "out.parquet", "probability", "sex || race")
    for cell in audit["after"]["cells"]:
        assert_same(cell, by_cell[cell["cell"]["sex"] + cell["cell"]["race"]])
    assert audit["largest_difference"] < 1e-12


def test_covariance_is_that_of_the_definition(tool: Tool, people: Path, sql: Sql) -> None:
    """The bias is the largest covariance of decision and group inside a stratum."""
    audit = tool("audit", people, *SCORES, "--within", "race", "--json").ok().json()
    wanted = {
        (sex, race): value
        for sex, race, value in sql(
            f"""SELECT s.sex, race, avg(((p.sex = s.sex)::INTEGER - rho) * (score > 0.5)::INTEGER)
                FROM '{people}' p JOIN (SELECT sex, race, count(*) / any_value(t) AS rho FROM
                  (SELECT sex, race, count(*) OVER (PARTITION BY race) AS t FROM '{people}')
                  GROUP BY ALL) s USING (race) GROUP BY s.sex, race"""
        )
    }
    for cell in audit["before"]["cells"]:
        key = (cell["cell"]["sex"], cell["cell"]["race"])
        assert cell["covariance"] == pytest.approx(wanted[key], abs=1e-12)


def test_without_labels_accuracy_is_expected_and_said_so(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """What a model promises is called a promise."""
    audit = tool("audit", people, *SCORES, "--json").ok().json()
    overall = audit["before"]["overall"]
    assert audit["before"]["expected"] is True
    assert overall["true_positive_rate"] is None
    wanted = figures(sql, people, "(score > 0.5)::INTEGER", "1", "score")[1]
    for name in ("accuracy", "precision", "cost", "selection_rate"):
        assert overall[name] == pytest.approx(wanted[name], abs=1e-12)
    words = "expected, if the scores are calibrated"
    assert words in tool("audit", people, *SCORES).ok().out
    assert words not in tool("audit", people, *SCORES, "--label", "y").ok().out


@pytest.mark.parametrize("confidence", [None, 0.99, 0.5])
def test_intervals_are_those_of_wilson(
    tool: Tool, people: Path, sql: Sql, confidence: float | None
) -> None:
    """An interval contains its rate, and widens with the confidence asked for."""
    options = [] if confidence is None else ["--confidence", confidence]
    audit = tool("audit", people, *SCORES, "--label", "y", *options, "--json").ok().json()
    counts = {
        sex: (n, n1)
        for sex, n, n1 in sql(f"SELECT sex, count(*), sum(y) FROM '{people}' GROUP BY sex")
    }
    for group in audit["before"]["groups"]:
        n, n1 = counts[group["group"]["sex"]]
        for rate, rows in (("selection_rate", n), ("true_positive_rate", n1),
                           ("false_positive_rate", n - n1)):
            low, high = group[f"{rate}_interval"]
            wanted = wilson(group[rate], rows, confidence or 0.95)
            assert low == pytest.approx(wanted[0], abs=1e-12)
            assert high == pytest.approx(wanted[1], abs=1e-12)
            assert low < group[rate] < high
    assert f"{100 * (confidence or 0.95):g} % confidence" in tool(
        "audit", people, *SCORES, *options
    ).ok().out


def test_weights_count_and_intervals_are_of_effective_sizes(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """Rates are weighted; as many people stand behind them as the weights are worth."""
    audit = tool("audit", people, *SCORES, "--label", "y", "--weight", "w", "--json").ok().json()
    wanted = figures(sql, people, "(score > 0.5)::INTEGER", "sex", "y", "w")
    for group in audit["before"]["groups"]:
        assert_same(group, wanted[group["group"]["sex"]])
        sex, rate = group["group"]["sex"], group["selection_rate"]
        [(n,)] = sql(f"SELECT sum(w) ** 2 / sum(w * w) FROM '{people}' WHERE sex = '{sex}'")
        low, high = group["selection_rate_interval"]
        # Wilson's: both ends lie 1.96 of their own standard deviations from the rate.
        for end in (low, high):
            assert abs(rate - end) == pytest.approx(1.959964 * (end * (1 - end) / n) ** 0.5, rel=1e-5)


def test_costs_and_the_threshold_of_today(tool: Tool, people: Path, sql: Sql) -> None:
    """Costs move today's threshold, unless it is given."""
    costs = ("--cost-fp", 1, "--cost-fn", 4)
    for options, condition in ((costs, "score > 0.2"),
                               ((*costs, "--base-threshold", 0.7), "score >= 0.7")):
        overall = tool("audit", people, *SCORES, "--label", "y", *options,
                       "--json").ok().json()["before"]["overall"]
        rate, cost = sql(
            f"""SELECT avg(d), avg(CASE WHEN y = 1 THEN 4 * (1 - d) ELSE d END)
                FROM (SELECT y, ({condition})::INTEGER AS d FROM '{people}')"""
        )[0]
        assert overall["selection_rate"] == pytest.approx(rate, abs=1e-12)
        assert overall["cost"] == pytest.approx(cost, abs=1e-12)


@pytest.mark.parametrize(("scale", "column"), [("signed", "f"), ("logit", "logit")])
def test_scales_say_the_same_thing(tool: Tool, people: Path, scale: str, column: str) -> None:
    """Margins and log odds are read as the probabilities that they stand for."""
    wanted = tool("audit", people, *SCORES, "--json").ok().json()["before"]["overall"]
    found = tool("audit", people, "--score", column, "--scale", scale, "--sensitive", "sex",
                 "--json").ok().json()["before"]["overall"]
    for name in ("selection_rate", "accuracy"):
        assert found[name] == pytest.approx(wanted[name], abs=1e-9)


def test_low_scores_can_be_the_favourable_ones(tool: Tool, people: Path, sql: Sql) -> None:
    """With a risk, the label 0 is the good outcome and the positive decision is for low scores."""
    query = f"SELECT *, 1 - y AS harm FROM '{people}'"
    overall = tool("audit", "--sql", query, "--score", "risk", "--favorable", "low", "--sensitive",
                   "sex", "--label", "harm", "--json").ok().json()["before"]["overall"]
    assert_same(overall, figures(sql, people, "(risk < 0.5)::INTEGER", "1")[1])


def test_resolution_bounds_what_is_told_apart(tool: Tool, people: Path, sql: Sql) -> None:
    """Scores are cut to the bits asked for; auto loses nothing here."""
    exact = tool("audit", people, *SCORES, "--label", "y", "--json").ok().out
    assert tool("audit", people, *SCORES, "--label", "y", "--resolution", "auto",
                "--json").ok().out == exact
    coarse = tool("audit", people, *SCORES, "--resolution", "2", "--base-threshold", "0.6",
                  "--json").ok().json()["before"]["overall"]["selection_rate"]
    wanted = sql(f"SELECT avg((floor(score * 4) / 4 + 0.125 >= 0.6)::INTEGER) FROM '{people}'")
    assert coarse == pytest.approx(wanted[0][0], abs=1e-12)


# --- Decisions that were made.


def test_decisions_that_were_made_are_audited_as_they_are(
    tool: Tool, sql: Sql, ruled: str
) -> None:
    """Rates of a 0/1 column, with labels all figures."""
    assert ruled
    audit = tool("audit", "out.parquet", "--decision", "decision", "--sensitive", "sex",
                 "--within", "race", "--label", "y", "--json").ok().json()
    assert audit["before"]["expected"] is False
    assert_same(audit["before"]["overall"], figures(sql, "out.parquet", "decision", "1")[1])
    wanted = figures(sql, "out.parquet", "decision", "sex || race")
    for cell in audit["before"]["cells"]:
        assert_same(cell, wanted[cell["cell"]["sex"] + cell["cell"]["race"]])


def test_decisions_may_be_truth_values(tool: Tool, sql: Sql, ruled: str) -> None:
    """True is 1, in Parquet and as text in CSV."""
    assert ruled
    sql(f"""COPY (SELECT * REPLACE (decision = 1 AS decision) FROM 'out.parquet')
            TO '{tool.path("truth.parquet")}'""")
    sql(f"COPY (FROM 'truth.parquet') TO '{tool.path('truth.csv')}'")
    wanted = sql("SELECT avg(decision) FROM 'out.parquet'")[0][0]
    for data in ("truth.parquet", "truth.csv"):
        audit = tool("audit", data, "--decision", "decision", "--sensitive", "sex",
                     "--json").ok().json()
        assert audit["before"]["overall"]["selection_rate"] == pytest.approx(wanted, abs=1e-12)


def test_decisions_without_labels_have_no_accuracy(tool: Tool, ruled: str) -> None:
    """A decision is no probability, so nothing can be said about being right."""
    assert ruled
    options = ("out.parquet", "--decision", "decision", "--sensitive", "sex")
    overall = tool("audit", *options, "--json").ok().json()["before"]["overall"]
    assert 0 < overall["selection_rate"] < 1
    for name in ("accuracy", "precision", "cost"):
        assert overall[name] is None, name
    assert "accuracy" not in tool("audit", *options).ok().out


def test_a_positive_decision_about_a_risk_is_still_1(tool: Tool, people: Path, sql: Sql) -> None:
    """Where low scores are favourable, decision 1 is favourable and label 0 is good."""
    query = f"SELECT *, 1 - y AS harm FROM '{people}'"
    tool("fit", "--sql", query, "--score", "risk", "--favorable", "low", "--sensitive", "sex",
         "--criterion", "statistical-parity", "-o", "low.json").ok()
    tool("apply", "--sql", query, "--rule", "low.json", *tool.coins(), "-q", "-o",
         "low.parquet").ok()
    audit = tool("audit", "low.parquet", "--decision", "decision", "--favorable", "low",
                 "--label", "harm", "--sensitive", "sex", "--json").ok().json()
    assert_same(audit["before"]["overall"], figures(sql, "low.parquet", "decision", "1")[1])


# --- Where rows come from.


def test_a_tally_is_as_good_as_its_rows(tool: Tool, people: Path, ruled: str) -> None:
    """The same figures, of scores and of a rule."""
    roles = (*SCORES, "--within", "race", "--label", "y")
    tool("tally", people, *roles, "-o", "tally.parquet").ok()
    for options in ([], ["--rule", ruled]):
        rows = tool("audit", people, *roles, *options, "--json").ok().json()
        tally = tool("audit", "--tally", "tally.parquet", *options, "--json").ok().json()
        assert tally.pop("data") != rows.pop("data")
        assert tally == rows


def test_missing_values_can_be_left_out_or_named(tool: Tool, people: Path, sql: Sql) -> None:
    """As in fit: counted, or a group."""
    query = with_nulls(people)
    tool("audit", "--sql", query, *SCORES).fails(2, "50 in sex")
    left_out(tool, "audit", "--sql", query, *SCORES)
    audit = tool("audit", "--sql", query, *SCORES, "--null", "unknown", "--json").ok().json()
    groups = {group["group"]["sex"]: group for group in audit["before"]["groups"]}
    wanted = sql(f"SELECT avg((score > 0.5)::INTEGER) FROM '{people}' WHERE id LIKE 'p%99'")[0][0]
    assert groups["unknown"]["weight"] == 50
    assert groups["unknown"]["selection_rate"] == pytest.approx(wanted, abs=1e-12)


def test_a_rule_brings_its_policy_for_missing_values(tool: Tool, people: Path) -> None:
    """What was fitted with names for missing groups is audited so."""
    query = with_nulls(people)
    tool("fit", "--sql", query, *SCORES, "--null", "unknown", "--criterion",
         "statistical-parity", "-o", "rule.json").ok()
    audit = tool("audit", "--sql", query, "--rule", "rule.json", "--json").ok().json()
    assert audit["largest_difference"] < 1e-12
    assert len(audit["after"]["groups"]) == 3


@pytest.mark.parametrize("within", [[], ["--within", "race"]])
def test_the_table_has_every_cell_and_every_stratum(
    tool: Tool, people: Path, within: list[str]
) -> None:
    """People see each group with its rates and intervals, then what is compared."""
    out = tool("audit", people, *SCORES, *within, "--label", "y").ok().out
    cells = [line.split() for line in out.splitlines()]
    for race in ("Asian", "Black", "White") if within else ("",):
        for sex in "FM":
            start = [race, sex] if race else [sex]
            assert any(line[: len(start)] == start and "%" in line for line in cells), start
        assert f"race={race} " in out if race else "everybody" in out
