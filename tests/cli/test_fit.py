"""`evenhand fit`: the rule that it finds keeps what was asked for, and its figures are true."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Callable
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest
from conftest import Tool

Sql = Callable[..., list[tuple[Any, ...]]]
PARITY = ("--score", "score", "--sensitive", "sex", "--criterion", "statistical-parity")


def rule_text(path: Path) -> str:
    """Cut the member `rule` out of a rule file, byte for byte."""
    text = path.read_text()
    start = text.index('  "rule": {')
    return text[start : text.index("\n  }", start)]


def fitted(tool: Tool, *arguments: object, stdin: bytes | None = None) -> str:
    """Fit, and return the text of the rule."""
    tool("fit", *arguments, "-o", "fitted.json", stdin=stdin).ok()
    return rule_text(tool.path("fitted.json"))


def applied(tool: Tool, data: object, rule: str = "rule.json", *more: object) -> None:
    """Apply a rule into out.parquet."""
    tool("apply", data, "--rule", rule, "-q", "-o", "out.parquet", *more).ok()


def cell_rates(sql: Sql, cells: str, where: str = "true") -> list[tuple[Any, ...]]:
    """Compute each cell's rate from the applied probabilities."""
    return sql(
        f"SELECT {cells}, avg(probability) FROM 'out.parquet' WHERE {where} GROUP BY {cells}"
    )


def largest_difference(sql: Sql, within: str, where: str) -> float:
    """Compute the largest difference between the sexes inside a stratum, by plain SQL."""
    strata = f"{within}," if within else ""
    return sql(
        f"""SELECT max(d) FROM (SELECT {strata} max(r) - min(r) AS d FROM (
              SELECT {strata} sex, avg(probability) AS r FROM 'out.parquet' WHERE {where}
              GROUP BY {strata} sex) GROUP BY {within or "true"})"""
    )[0][0]


# --- The criteria.


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
        assert largest_difference(sql, within, where) <= tolerance + 1e-12


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
    tool("apply", "--sql", query, "--rule", "rule.json", "-q", "-o", "out.parquet").ok()
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
        difference = largest_difference(sql, "", "true")
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
        tool("apply", "--sql", query, "--rule", "rule.json", "-q", "-o", "out.parquet").ok()
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


# --- Requirements.


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
    assert largest_difference(sql, "race", "true") < 1e-12
    rate = sql("SELECT avg(probability) FROM 'out.parquet'")[0][0]
    assert rate == pytest.approx(0.2, abs=1e-12)


IMPOSSIBLE = (*PARITY, "--require", "rate <= 0.1", "--require", "rate[sex=F] >= 0.3")


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


# --- What is best.


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
        assert largest_difference(sql, "", "true") < 1e-9
        by_lot = sql(
            """SELECT avg((probability > 0 AND probability < 1)::INTEGER) FROM 'out.parquet'"""
        )[0][0]
        assert fit["lottery_share"] == pytest.approx(by_lot, abs=1e-12)
        shares.append(by_lot)
    assert shares[0] < 0.01 < shares[1] < shares[2]


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
        tool("apply", "--sql", query, "--rule", "rule.json", "-q", "-o", "out.parquet").ok()
        assert largest_difference(sql, "", "true") < 1e-12
        accuracy[calibrate] = fit["after"]["overall"]["accuracy"]
    assert accuracy["isotonic"] > accuracy["none"] + 0.01


# --- How scores are read.


def test_low_scores_can_be_the_favourable_ones(tool: Tool, people: Path, sql: Sql) -> None:
    """With a risk, no score gets less than a higher one, and label 0 is good."""
    query = f"SELECT *, 1 - y AS harm FROM '{people}'"
    tool("fit", "--sql", query, "--score", "risk", "--label", "harm", "--favorable", "low",
         "--sensitive", "sex", "--criterion", "equal-opportunity", "-o", "rule.json").ok()
    tool("apply", "--sql", query, "--rule", "rule.json", "-q", "-o", "out.parquet").ok()
    rates = [row[-1] for row in cell_rates(sql, "sex", "harm = 0")]
    assert abs(rates[0] - rates[1]) < 1e-12
    rising = sql(
        """SELECT count(*) FROM (SELECT probability - lag(probability) OVER (PARTITION BY sex
           ORDER BY risk) AS step FROM 'out.parquet') WHERE step > 0"""
    )[0][0]
    assert rising == 0
    assert sql("SELECT count(DISTINCT probability) FROM 'out.parquet'")[0][0] > 1


def test_a_risk_turned_around_gives_the_same_decisions(tool: Tool, people: Path) -> None:
    """The rule for 1 - score with low ones favourable is as good as that for the score."""
    high = tool("fit", people, *PARITY, "--json").ok().json()["after"]["overall"]
    low = tool("fit", people, "--score", "risk", "--favorable", "low", "--sensitive", "sex",
               "--criterion", "statistical-parity", "--json").ok().json()["after"]["overall"]
    for figure in ("accuracy", "selection_rate"):
        assert low[figure] == pytest.approx(high[figure], abs=1e-9)


@pytest.mark.parametrize(("scale", "column"), [("signed", "f"), ("logit", "logit")])
def test_scales_say_the_same_thing(
    tool: Tool, people: Path, sql: Sql, scale: str, column: str
) -> None:
    """A score as a margin or as log odds gives a rule as good as its probability."""
    expected = tool("fit", people, *PARITY, "--json").ok().json()
    fit = tool("fit", people, "--score", column, "--scale", scale, "--sensitive", "sex",
               "--criterion", "statistical-parity", "--json", "-o", "rule.json").ok().json()
    assert fit["scale"] == scale
    for when in ("before", "after"):
        for figure in ("accuracy", "selection_rate"):
            assert fit[when]["overall"][figure] == pytest.approx(
                expected[when]["overall"][figure], abs=1e-9
            )
    applied(tool, people)
    assert largest_difference(sql, "", "true") < 1e-12
    assert json.loads(tool.path("rule.json").read_text())["rule"]["scale"] == scale


def test_a_weight_counts_as_that_many_rows(tool: Tool, people: Path, sql: Sql) -> None:
    """A row of weight three is three rows."""
    repeated = f"SELECT p.* FROM '{people}' p, range(4) t(i) WHERE i < w"
    weighted = fitted(tool, people, *PARITY, "--weight", "w")
    assert weighted == fitted(tool, "--sql", repeated, *PARITY)
    applied(tool, people, "fitted.json")
    rates = sql("SELECT sum(w * probability) / sum(w) FROM 'out.parquet' GROUP BY sex")
    assert abs(rates[0][0] - rates[1][0]) < 1e-12
    assert weighted != fitted(tool, people, *PARITY)


def test_a_resolution_in_bits_cuts_scores_and_stays_fair(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """With few bits the rule is coarser, and exactly fair on the same rows."""
    for gamma in (0, 0.3):
        fitted(tool, people, *PARITY, "--resolution", "4", "--gamma", gamma)
        applied(tool, people, "fitted.json")
        assert largest_difference(sql, "", "true") < 1e-9
        assert sql(
            """SELECT max(c) FROM (SELECT sex, floor(score * 16), count(DISTINCT probability) AS c
               FROM 'out.parquet' GROUP BY ALL)"""
        ) == [(1,)]


def test_auto_resolution_is_exact_for_few_scores_and_bounded_for_many(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """Up to 65,536 different scores in a cell nothing is lost, and beyond it stays fair."""
    exact = fitted(tool, people, *PARITY, "--resolution", "exact")
    assert fitted(tool, people, *PARITY, "--resolution", "auto") == exact
    assert fitted(tool, people, *PARITY) == exact
    many = """SELECT CASE WHEN i % 30 = 0 THEN 'a' ELSE 'b' END AS sex,
              (hash(i) % 100000007) / 100000007 * CASE WHEN i % 30 = 0 THEN 0.7 ELSE 1 END AS score
              FROM range(70000) t(i)"""
    fitted(tool, "--sql", many, *PARITY, "--resolution", "auto")
    rule = json.loads(tool.path("fitted.json").read_text())["rule"]
    steps = [score for cell in rule["cells"] for score, _ in cell["steps"]]
    assert steps
    assert all((score * 2**20).is_integer() for score in steps)
    tool("apply", "--sql", many, "--rule", "fitted.json", "-q", "-o", "out.parquet").ok()
    assert largest_difference(sql, "", "true") < 1e-12


# --- Missing values.


def with_nulls(people: Path) -> str:
    """Select people, 50 of them without a sex."""
    return f"SELECT * REPLACE (if(id LIKE 'p%99', NULL, sex) AS sex) FROM '{people}'"


def test_missing_values_are_counted_and_refused_by_default(tool: Tool, people: Path) -> None:
    """Nobody is left out in silence."""
    query = with_nulls(people)
    for null in ([], ["--null", "error"]):
        tool("fit", "--sql", query, *PARITY, *null, "-o", "rule.json").fails(2, "50 in sex")
    assert tool.files() == set()


def test_missing_values_can_be_left_out_and_are_counted(tool: Tool, people: Path) -> None:
    """To exclude them is to fit on the rest, and to say how many."""
    query = with_nulls(people)
    rest = fitted(tool, "--sql", f"SELECT * FROM ({query}) WHERE sex IS NOT NULL", *PARITY)
    assert fitted(tool, "--sql", query, *PARITY, "--null", "exclude") == rest
    fit = tool("fit", "--sql", query, *PARITY, "--null", "exclude", "--json").ok().json()
    assert fit["excluded"] == 50
    assert fit["rows"] == 4950
    assert "50 rows left out" in tool(
        "fit", "--sql", query, *PARITY, "--null", "exclude"
    ).ok().out


def test_missing_values_can_be_a_group_of_their_own(tool: Tool, people: Path, sql: Sql) -> None:
    """With a name they are a group like others, also where the rule is applied."""
    query = with_nulls(people)
    tool("fit", "--sql", query, *PARITY, "--null", "unknown", "-o", "rule.json").ok()
    rule = json.loads(tool.path("rule.json").read_text())["rule"]
    assert [cell["values"] for cell in rule["cells"]] == [["F"], ["M"], ["unknown"]]
    tool("apply", "--sql", query, "--rule", "rule.json", "-q", "-o", "out.parquet").ok()
    rates = sql("SELECT sex, avg(probability) FROM 'out.parquet' GROUP BY sex")
    assert {row[0] for row in rates} == {"F", "M", None}
    assert max(row[1] for row in rates) - min(row[1] for row in rates) < 1e-12


# --- Where rows come from.


@pytest.fixture
def expected(tool: Tool, people: Path) -> str:
    """Fit on the Parquet file, as all other ways must."""
    return fitted(tool, people, *PARITY, "--within", "race", "--label", "y")


FULL = (*PARITY, "--within", "race", "--label", "y")


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("data.csv", "FORMAT csv"),
        ("data.tsv", "FORMAT csv, DELIMITER '\t'"),
        ("data.csv.gz", "FORMAT csv, COMPRESSION gzip"),
        ("data.csv.zst", "FORMAT csv, COMPRESSION zstd"),
        ("data.json", "FORMAT json, ARRAY true"),
        ("data.ndjson", "FORMAT json"),
        ("data.json.gz", "FORMAT json, COMPRESSION gzip"),
        ("data.pq", "FORMAT parquet"),
    ],
)
def test_the_same_rows_in_any_format_give_the_same_rule(
    tool: Tool, people: Path, sql: Sql, expected: str, name: str, how: str
) -> None:
    """A double is the same double through CSV, JSON and Parquet."""
    sql(f"COPY (SELECT * FROM '{people}') TO '{tool.path(name)}' ({how})")
    assert fitted(tool, name, *FULL) == expected
    assert fitted(tool, name, "--score", "logit", "--scale", "logit", "--sensitive", "sex",
                  "--criterion", "statistical-parity") == (
        fitted(tool, people, "--score", "logit", "--scale", "logit", "--sensitive", "sex",
               "--criterion", "statistical-parity"))


@pytest.mark.parametrize(
    "how", ["FORMAT csv", "FORMAT json", "FORMAT parquet", "FORMAT csv, COMPRESSION gzip"]
)
def test_standard_input_is_data_too(
    tool: Tool, people: Path, sql: Sql, expected: str, how: str
) -> None:
    """A pipe may carry CSV, JSON or Parquet, and is recognized."""
    path = tool.path("piped")
    sql(f"COPY (SELECT * FROM '{people}') TO '{path}' ({how})")
    assert fitted(tool, "-", *FULL, stdin=path.read_bytes()) == expected


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_format_says_what_a_name_does_not(
    tool: Tool, people: Path, sql: Sql, expected: str, kind: str
) -> None:
    """A name that says something else, or nothing, does not matter if --format is given."""
    other = {"csv": "data.json", "json": "data.csv", "parquet": "data.txt"}[kind]
    for name in (other, "data", "data.2025"):
        sql(f"COPY (SELECT * FROM '{people}') TO '{tool.path(name)}' (FORMAT {kind})")
        assert fitted(tool, name, *FULL, "--format", kind) == expected, name


def test_a_glob_is_all_its_files(tool: Tool, people: Path, sql: Sql, expected: str) -> None:
    """Several files are read as one."""
    for i in range(3):
        sql(f"""COPY (SELECT * FROM '{people}' WHERE hash(id) % 3 = {i})
                TO '{tool.path(f"part-{i}.csv")}'""")
    assert fitted(tool, "part-*.csv", *FULL) == expected


def test_sql_chooses_rows(tool: Tool, people: Path) -> None:
    """--sql takes the place of DATA, and may end in a comment."""
    some = f"SELECT * FROM '{people}' WHERE region = 'north' -- only these"
    fit = tool("fit", "--sql", some, *PARITY, "--json").ok().json()
    north = tool("fit", people, *PARITY, "--within", "region", "--json").ok().json()
    stratum = next(s for s in north["before"]["strata"] if s["stratum"] == {"region": "north"})
    assert fit["rows"] == stratum["weight"]


@pytest.mark.parametrize("options", [["--threads", 1], ["--threads", 2], ["--memory", "300MB"]])
def test_cores_and_memory_do_not_change_the_rule(
    tool: Tool, people: Path, expected: str, options: list[object]
) -> None:
    """The same rows give the same bytes, however they are read."""
    assert fitted(tool, people, *FULL, *options) == expected


def test_the_order_of_rows_does_not_change_the_rule(
    tool: Tool, people: Path, expected: str
) -> None:
    """A shuffled file is the same file."""
    assert fitted(tool, "--sql", f"SELECT * FROM '{people}' ORDER BY hash(id)", *FULL) == expected


def test_values_of_any_type_become_names_of_cells(tool: Tool, people: Path) -> None:
    """Integers, truth values and dates are groups too, by their texts."""
    query = f"""SELECT score, (hash(id) % 2)::INTEGER AS number, sex = 'F' AS woman,
                DATE '2000-01-01' + (hash(id) % 3)::INTEGER AS born FROM '{people}'"""
    fitted(tool, "--sql", query, "--score", "score", "--sensitive", "number,woman", "--within",
           "born", "--criterion", "statistical-parity")
    rule = json.loads(tool.path("fitted.json").read_text())["rule"]
    seen = [set(column) for column in zip(*(cell["values"] for cell in rule["cells"]))]
    assert seen == [{"0", "1"}, {"false", "true"}, {"2000-01-01", "2000-01-02", "2000-01-03"}]
    tool("apply", "--sql", query, "--rule", "fitted.json", "-q", "-o", "out.parquet").ok()


def test_labels_may_be_truth_values(tool: Tool, people: Path, sql: Sql, expected: str) -> None:
    """True is 1, in Parquet and as text in CSV."""
    query = f"SELECT * REPLACE (y = 1 AS y) FROM '{people}'"
    assert fitted(tool, "--sql", query, *FULL) == expected
    sql(f"COPY ({query}) TO '{tool.path('truth.csv')}'")
    assert fitted(tool, "truth.csv", *FULL) == expected


# --- What it says.


def figures_sql(sql: Sql, q: str, by: str, y: str = "y") -> dict[Any, dict[str, float]]:
    """Recompute figures by plain SQL."""
    rows = sql(
        f"""SELECT {by} AS who, count(*), avg({q}), sum({q} * {y}) / sum({y}),
                   sum({q} * (1 - {y})) / sum(1 - {y}), sum({q} * {y}) / sum({q}),
                   avg({y} * {q} + (1 - {y}) * (1 - {q})),
                   avg({y} * (1 - {q}) + (1 - {y}) * {q})
            FROM 'out.parquet' GROUP BY who"""
    )
    names = ("weight", "selection_rate", "true_positive_rate", "false_positive_rate", "precision",
             "accuracy", "cost")
    return {row[0]: dict(zip(names, row[1:])) for row in rows}


def assert_same(found: dict[str, Any], wanted: dict[str, float], labelled: bool) -> None:
    """Compare figures to 1e-12."""
    for name, value in wanted.items():
        if not labelled and name in ("true_positive_rate", "false_positive_rate"):
            assert found[name] is None
        else:
            assert found[name] == pytest.approx(value, abs=1e-12), name


@pytest.mark.parametrize("labelled", [True, False])
def test_figures_before_and_after_are_those_of_plain_sql(
    tool: Tool, people: Path, sql: Sql, labelled: bool
) -> None:
    """Whoever recomputes what fit says finds the same, for cells, groups, strata and everybody."""
    label = ["--label", "y"] if labelled else []
    fit = tool("fit", people, *PARITY, "--within", "race", *label, "--json", "-o",
               "rule.json").ok().json()
    assert fit["labelled"] is labelled
    assert fit["rows"] == 5000
    applied(tool, people)
    y = "y" if labelled else "score"
    for when, q in (("before", "(score > 0.5)::INTEGER"), ("after", "probability")):
        audit = fit[when]
        assert audit["expected"] is not labelled
        assert_same(audit["overall"], figures_sql(sql, q, "'all'", y)["all"], labelled)
        cells = figures_sql(sql, q, "sex || ' ' || race", y)
        assert len(audit["cells"]) == len(cells) == 6
        for cell in audit["cells"]:
            assert_same(cell, cells[f"{cell['cell']['sex']} {cell['cell']['race']}"], labelled)
        groups = figures_sql(sql, q, "sex", y)
        assert len(audit["groups"]) == 2
        for group in audit["groups"]:
            assert_same(group, groups[group["group"]["sex"]], labelled)
        strata = figures_sql(sql, q, "race", y)
        assert len(audit["strata"]) == 3
        for stratum in audit["strata"]:
            race = stratum["stratum"]["race"]
            assert_same(stratum, strata[race], labelled)
            rates = [cells[f"{sex} {race}"]["selection_rate"] for sex in "FM"]
            spread = stratum["selection_rate_between_groups"]
            assert spread["difference"] == pytest.approx(max(rates) - min(rates), abs=1e-12)
            assert spread["ratio"] == pytest.approx(min(rates) / max(rates), abs=1e-12)


def test_the_record_in_the_rule_file_is_what_is_printed(tool: Tool, people: Path) -> None:
    """The file remembers how it was found, with the same figures."""
    fit = tool("fit", people, *PARITY, "--label", "y", "--json", "-o", "rule.json").ok().json()
    record = json.loads(tool.path("rule.json").read_text())["fit"]
    assert record["status"] == fit["status"] == "optimal"
    assert fit["gap"] < 1e-9
    assert fit["violation"] < 1e-9
    assert fit["primal"] == pytest.approx(fit["dual"], rel=1e-9)
    assert record["columns"] == fit["columns"]
    assert record["columns"]["score"] == "score"
    assert record["columns"]["sensitive"] == ["sex"]
    assert record["columns"]["label"] == "y"
    for when in ("before", "after"):
        for figure, value in record[when].items():
            assert fit[when]["overall"][figure] == value, figure


def test_intervals_are_those_of_wilson_and_contain_the_rate(tool: Tool, people: Path) -> None:
    """An interval is computed from the rate and the number of people."""
    fit = tool("fit", people, *PARITY, "--within", "race", "--label", "y", "--json").ok().json()
    z = NormalDist().inv_cdf(0.975)
    checked = 0
    for when in ("before", "after"):
        for figures in (*fit[when]["cells"], *fit[when]["groups"], *fit[when]["strata"]):
            n, p = figures["weight"], figures["selection_rate"]
            middle = (p + z * z / (2 * n)) / (1 + z * z / n)
            half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
            low, high = figures["selection_rate_interval"]
            assert low == pytest.approx(middle - half, abs=1e-12)
            assert high == pytest.approx(middle + half, abs=1e-12)
            for rate in ("selection_rate", "true_positive_rate", "false_positive_rate"):
                low, high = figures[f"{rate}_interval"]
                assert low < figures[rate] < high
                checked += 1
    assert checked == 2 * (6 + 2 + 3) * 3


def test_accuracy_without_labels_is_called_expected(tool: Tool, people: Path) -> None:
    """Nobody should take a model's word for a fact."""
    words = "expected, if the scores are calibrated"
    assert words in tool("fit", people, *PARITY).ok().out
    assert words not in tool("fit", people, *PARITY, "--label", "y").ok().out


def test_the_table_names_every_cell_and_where_the_rule_is(tool: Tool, people: Path) -> None:
    """People see before and after for each group, and the way on."""
    ran = tool("fit", people, *FULL, "-o", "rule.json").ok()
    lines = ran.out.splitlines()
    for race in ("Asian", "Black", "White"):
        for sex in ("F", "M"):
            assert any(line.split()[:2] == [race, sex] for line in lines), (race, sex)
    assert "before" in ran.out
    assert "after" in ran.out
    assert "rule.json" in lines[-1]
    assert ran.err == ""
    assert "-o rule.json" in tool("fit", people, *FULL).ok().out.splitlines()[-1]


def test_the_rule_may_go_to_standard_output(tool: Tool, people: Path, expected: str) -> None:
    """-o - prints the rule file and nothing else, ready for a pipe."""
    ran = tool("fit", people, *FULL, "-o", "-").ok()
    tool.write("rule.json", ran.out)
    assert rule_text(tool.path("rule.json")) == expected
    tool("show", "rule.json").ok()
    assert tool("fit", people, *FULL, "--output", "-").ok().out == ran.out


def test_a_cell_that_cannot_be_compared_is_named(tool: Tool, people: Path) -> None:
    """A stratum with one group is decided by its scores, and said so."""
    query = f"SELECT * FROM '{people}' WHERE NOT (race = 'Asian' AND sex = 'F')"
    fit = tool("fit", "--sql", query, *PARITY, "--within", "race", "--json").ok().json()
    alone = [cell for cell in fit["cells"] if "not_compared" in cell]
    assert [cell["cell"] for cell in alone] == ["sex=M, race=Asian"]
    out = tool("fit", "--sql", query, *PARITY, "--within", "race").ok().out
    assert "sex=M, race=Asian is not compared" in out


def test_an_old_rule_is_replaced_in_one_piece(tool: Tool, people: Path, expected: str) -> None:
    """Writing over a rule leaves one file, whole."""
    tool.write("rule.json", "x" * 100_000)
    tool("fit", people, *FULL, "-o", "rule.json").ok()
    assert rule_text(tool.path("rule.json")) == expected
    assert tool.files() == {"rule.json", "fitted.json"}
    subprocess.run(["python3", "-m", "json.tool", tool.path("rule.json")], check=True,
                   capture_output=True)
