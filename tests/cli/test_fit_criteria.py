"""`evenhand fit --criterion`: groups are treated alike where the rule is applied."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Sql, Tool
from fitting import PARITY, fitted
from recompute import applied, cell_rates, largest_difference


@pytest.mark.parametrize("tolerance", [0.0, 0.03])
@pytest.mark.parametrize("within", ["", "race"])
@pytest.mark.parametrize(
    ("criterion", "conditions"),
    [
        ("statistical-parity", ["true"]),
        ("equal-opportunity", ["y = 1"]),
        ("false-positive-parity", ["y = 0"]),
        ("equalized-odds", ["y = 1", "y = 0"]),
    ],
)
def test_groups_of_a_stratum_differ_by_no_more_than_the_tolerance(
    tool: Tool, people: Path, sql: Sql, criterion: str, conditions: list[str], within: str,
    tolerance: float,
) -> None:
    """A rule that is said to be fair must be fair where it is applied."""
    strata = ["--within", within] if within else []
    tool("fit", people, "--score", "score", "--label", "y", "--sensitive", "sex", *strata,
         "--criterion", criterion, "--tolerance", tolerance, "-o", "rule.json").ok()
    applied(tool, people)
    for where in conditions:
        assert largest_difference(sql, within or "true", where) <= tolerance + 1e-12


@pytest.mark.parametrize("within", ["", "race"])
def test_equal_rates_are_equal_in_every_cell_of_every_stratum(
    tool: Tool, people: Path, sql: Sql, within: str
) -> None:
    """Equal rates compare across strata too."""
    strata = ["--within", within] if within else []
    tool("fit", people, "--score", "score", "--sensitive", "sex", *strata, "--criterion",
         "equal-rates", "-o", "rule.json").ok()
    applied(tool, people)
    rates = [row[-1] for row in cell_rates(sql, "sex, race" if within else "sex")]
    assert len(rates) == (6 if within else 2)
    assert max(rates) - min(rates) < 1e-12


@pytest.mark.parametrize("within", ["", "race"])
@pytest.mark.parametrize("ratio", [None, 0.9, 1.0])
def test_four_fifths_keeps_the_ratio(
    tool: Tool, people: Path, sql: Sql, within: str, ratio: float | None
) -> None:
    """The smallest rate is at least 0.8, or --ratio, of the largest in each stratum."""
    strata = ["--within", within] if within else []
    asked = ["--ratio", ratio] if ratio is not None else []
    # Half as many women as men are selected before.
    query = f"SELECT * REPLACE (if(sex = 'F', .8, 1) * score AS score) FROM '{people}'"
    tool("fit", "--sql", query, "--score", "score", "--sensitive", "sex", *strata, "--criterion",
         "four-fifths", *asked, "-o", "rule.json").ok()
    applied(tool, "--sql", query)
    by = within or "'everybody'"
    ratios = sql(
        f"""SELECT min(r) / max(r) FROM (SELECT {by} AS stratum, sex, avg(probability) AS r
            FROM 'out.parquet' GROUP BY ALL) GROUP BY stratum"""
    )
    wanted = 0.8 if ratio is None else ratio
    assert all(row[0] >= wanted - 1e-12 for row in ratios)
    assert min(row[0] for row in ratios) == pytest.approx(wanted, abs=1e-9)  # no more than needed


def test_a_larger_tolerance_is_used_and_never_costs_accuracy(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """Whoever allows more gets at least as much, and the allowance is used up where it pays."""
    accuracies = []
    for tolerance in (0, 0.02, 0.05, 0.1, 0.2, 1):
        fit = tool("fit", people, *PARITY, "--tolerance", tolerance, "--json", "-o",
                   "rule.json").ok().json()
        applied(tool, people)
        difference = largest_difference(sql)
        before = fit["before"]["overall"]["selection_rate_between_groups"]["difference"]
        assert difference == pytest.approx(min(tolerance, before), abs=1e-12)
        accuracies.append(fit["after"]["overall"]["accuracy"])
    assert accuracies == sorted(accuracies)
    assert accuracies[0] < accuracies[-1]
    assert accuracies[-1] == pytest.approx(fit["before"]["overall"]["accuracy"], abs=1e-12)


def test_rho_is_the_rate_of_every_cell(tool: Tool, people: Path, sql: Sql) -> None:
    """A given rate is met by every cell."""
    tool("fit", people, "--score", "score", "--sensitive", "sex", "--within", "race",
         "--criterion", "equal-rates", "--rho", "0.3", "-o", "rule.json").ok()
    applied(tool, people)
    for row in cell_rates(sql, "sex, race"):
        assert row[-1] == pytest.approx(0.3, abs=1e-12)


def test_rho_with_a_tolerance_keeps_every_cell_near_it(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """With a given rate the tolerance is the distance from it."""
    tool("fit", people, "--score", "score", "--sensitive", "sex", "--criterion", "equal-rates",
         "--rho", "0.3", "--tolerance", "0.05", "-o", "rule.json").ok()
    applied(tool, people)
    rates = [row[-1] for row in cell_rates(sql, "sex")]
    assert all(abs(rate - 0.3) <= 0.05 + 1e-12 for rate in rates)
    assert max(rates) == pytest.approx(0.35, abs=1e-9)


@pytest.mark.parametrize("threshold", [None, 0.6])
def test_rho_base_is_the_rate_of_todays_decisions(
    tool: Tool, people: Path, sql: Sql, threshold: float | None
) -> None:
    """As many people as today are selected, whatever the threshold of today."""
    base = [] if threshold is None else ["--base-threshold", threshold]
    tool("fit", people, "--score", "score", "--sensitive", "sex", "--criterion", "equal-rates",
         "--rho", "base", *base, "-o", "rule.json").ok()
    applied(tool, people)
    condition = "score > 0.5" if threshold is None else f"score >= {threshold}"
    today = sql(f"SELECT avg(({condition})::INTEGER) FROM '{people}'")[0][0]
    for row in cell_rates(sql, "sex"):
        assert row[-1] == pytest.approx(today, abs=1e-12)


def test_rho_best_is_no_worse_than_any_other(tool: Tool, people: Path) -> None:
    """The best rate, and the default."""
    def objective(*rho: object) -> float:
        return tool("fit", people, "--score", "score", "--sensitive", "sex", "--criterion",
                    "equal-rates", *rho, "--json").ok().json()["primal"]

    best = objective("--rho", "best")
    assert objective() == best
    assert all(objective("--rho", rho) <= best + 1e-9 for rho in (0.2, 0.4, 0.42, 0.5, "base"))


def test_marginal_parity_holds_for_each_column_and_asks_less_than_intersection(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """Fair for each column on its own, for their combinations, or for both."""
    objective = {}
    spread = {}
    # Combinations are treated in a way that no single column shows.
    query = f"""SELECT * REPLACE (score * CASE WHEN (sex = 'F') = (race = 'Asian') THEN .7
                ELSE 1 END AS score) FROM '{people}'"""
    for across in ("intersection", "marginal", "both"):
        fit = tool("fit", "--sql", query, "--score", "score", "--sensitive", "sex,race",
                   "--criterion", "statistical-parity", "--across", across, "--json", "-o",
                   "rule.json").ok().json()
        applied(tool, "--sql", query)
        objective[across] = fit["primal"]
        for column in ("sex", "race"):
            rates = [row[-1] for row in cell_rates(sql, column)]
            if across != "intersection":
                assert max(rates) - min(rates) < 1e-12, (across, column)
        rates = [row[-1] for row in cell_rates(sql, "sex, race")]
        assert len(rates) == 6
        spread[across] = max(rates) - min(rates)
    assert spread["intersection"] < 1e-12
    assert spread["both"] < 1e-12
    assert spread["marginal"] > 0.01
    assert objective["marginal"] > objective["intersection"] >= objective["both"] - 1e-9


def test_several_sensitive_and_within_columns_make_one_cell_for_each_combination(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """Columns are separated by commas."""
    fit = tool("fit", people, "--score", "score", "--sensitive", "sex,race", "--within",
               "region", "--criterion", "statistical-parity", "--json", "-o",
               "rule.json").ok().json()
    assert fit["criterion"]["sensitive"] == ["sex", "race"]
    assert fit["criterion"]["within"] == ["region"]
    assert len(fit["cells"]) == 12
    applied(tool, people)
    spread = sql(
        """SELECT max(d) FROM (SELECT region, max(r) - min(r) AS d FROM (SELECT region, sex, race,
           avg(probability) AS r FROM 'out.parquet' GROUP BY ALL) GROUP BY region)"""
    )[0][0]
    assert spread < 1e-12


def test_names_of_fairlearn_mean_the_same(tool: Tool, people: Path) -> None:
    """Whoever comes from Fairlearn need not learn new names."""
    for theirs, ours in (("demographic_parity", "statistical-parity"),
                         ("true_positive_rate_parity", "equal-opportunity"),
                         ("false_positive_rate_parity", "false-positive-parity"),
                         ("equalized_odds", "equalized-odds")):
        data = (people, "--score", "score", "--label", "y", "--sensitive", "sex", "--criterion")
        assert fitted(tool, *data, theirs) == fitted(tool, *data, ours), theirs


def test_underscores_are_as_good_as_hyphens(tool: Tool, people: Path) -> None:
    """The record has the name with hyphens, whatever was written."""
    data = (people, "--score", "score", "--label", "y", "--sensitive", "sex", "--criterion")
    for name in ("statistical-parity", "equal-opportunity", "false-positive-parity",
                 "equalized-odds", "equal-rates", "four-fifths"):
        other = name.replace("-", "_")
        assert fitted(tool, *data, other) == fitted(tool, *data, name), name
        found = tool("fit", *data, other, "--json").ok().json()
        assert found["criterion"]["name"] == name
    audit = ("audit", people, "--score", "score", "--label", "y", "--sensitive", "sex", "--json")
    assert tool(*audit, "--criterion", "equal_opportunity").ok().out == tool(
        *audit, "--criterion", "equal-opportunity").ok().out
