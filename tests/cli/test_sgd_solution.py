"""`evenhand fit --solver sgd`: the paper's method, what it finds, and what it must not claim."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from conftest import Sql, Tool
from fitting import PARITY
from recompute import applied, columns, largest_difference
from stochastic import GAMMA, ROLES, SGD, xi


def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads(
    tool: Tool, people: Path
) -> None:
    """Rule, report and trace."""
    made = set()
    for threads in (1, 2, 1):
        ran = tool("fit", people, *SGD, "--within", "race", "--epochs", 2, "--seed", 11,
                   "--threads", threads, "-o", "rule.json", "--trace", "trace.csv").ok()
        made.add((ran.out, tool.path("rule.json").read_bytes(),
                  tool.path("trace.csv").read_bytes()))
    assert len(made) == 1


def test_another_seed_draws_other_rows(tool: Tool, people: Path) -> None:
    """And the one that is not given is 0."""
    rules = []
    for seed in ((), ("--seed", 0), ("--seed", 1), ("--seed", 2**64 - 1)):
        tool("fit", people, *SGD, "--epochs", 1, *seed, "--no-source", "-o", "rule.json").ok()
        rules.append(tool.path("rule.json").read_bytes())
    assert rules[0] == rules[1]
    assert len(set(rules)) == 3


@pytest.mark.parametrize("more", [(), ("--stream",), ("--compare",)])
def test_it_never_claims_to_be_optimal(tool: Tool, people: Path, more: tuple[str, ...]) -> None:
    """Approximate: in words, in the file, in JSON, and in show."""
    text = tool("fit", people, *SGD, *more, "-o", "rule.json").ok().out
    fit = json.loads(tool.path("rule.json").read_text())["fit"]
    assert fit["status"] == "approximate"
    assert tool("fit", people, *SGD, *more, "--json").ok().json()["status"] == "approximate"
    assert "approximate" in text
    shown = tool("show", "rule.json").ok().out
    assert "Status: approximate" in shown
    assert "optimal" not in text + shown


@pytest.mark.parametrize("within", ["true", "race"])
def test_the_violation_that_it_tells_is_what_applying_the_rule_shows(
    tool: Tool, people: Path, sql: Sql, within: str
) -> None:
    """Recomputed from the rows, and small."""
    strata = () if within == "true" else ("--within", within)
    tool("fit", people, *SGD, *strata, "-o", "rule.json").ok()
    applied(tool, people)
    told = json.loads(tool.path("rule.json").read_text())["fit"]["violation"]
    assert largest_difference(sql, within) == pytest.approx(told, abs=1e-9)
    assert told < 0.05


def test_equal_rates_come_near_their_rho(tool: Tool, people: Path, sql: Sql) -> None:
    """The paper's Definition 2."""
    tool("fit", people, *ROLES, "--criterion", "equal-rates", "--rho", 0.3, "--solver", "sgd",
         "-o", "rule.json").ok()
    applied(tool, people)
    told = json.loads(tool.path("rule.json").read_text())["fit"]["violation"]
    rates = [r for _, r in sql("SELECT sex, avg(probability) FROM 'out.parquet' GROUP BY sex")]
    assert max(abs(r - 0.3) for r in rates) < 0.03
    assert max(abs(r - 0.3) for r in rates) == pytest.approx(told, abs=1e-9)


@pytest.mark.parametrize(
    "what",
    [
        ("--criterion", "statistical-parity"),
        ("--criterion", "statistical-parity", "--within", "race", "--cost-fp", 3),
        ("--criterion", "equal-rates", "--rho", 0.4),
        ("--criterion", "statistical-parity", "--gamma", 0.2, "--weight", "w"),
    ],
)
def test_compare_is_the_distance_from_the_exact_fit(
    tool: Tool, people: Path, what: tuple[object, ...]
) -> None:
    """Of the same problem with the same gamma; the dual objective is never below its optimum."""
    found = tool("fit", people, *ROLES, *what, "--solver", "sgd", "--compare", "--json").ok().json()
    gamma = () if "--gamma" in what else ("--gamma", GAMMA)
    exact = tool("fit", people, *ROLES, *what, *gamma, "--json").ok().json()
    assert exact["status"] == "optimal"
    compared = found["compare"]
    assert compared["exact_objective"] == exact["primal"]
    assert compared["exact_violation"] == exact["violation"]
    assert compared["dual"] == pytest.approx(found["dual"] - exact["primal"], abs=1e-6)
    assert compared["primal"] == pytest.approx(exact["primal"] - found["primal"], abs=1e-6)
    assert compared["violation"] == found["violation"]
    assert 0 < compared["dual"] < 0.01 * found["magnitude"]
    assert compared["multiplier"] > 0


def test_compare_in_words_has_both_sides(tool: Tool, people: Path) -> None:
    """And is not there unless asked for."""
    text = tool("fit", people, *SGD, "--compare").ok().out
    exact = tool("fit", people, *PARITY, "--gamma", GAMMA, "--json").ok().json()["primal"]
    row = next(line for line in text.splitlines() if "dual objective" in line)
    sgd, optimum = (float(word) for word in row.split()[2:4])
    assert optimum == pytest.approx(exact, rel=1e-7)
    assert sgd > optimum
    assert "exact" not in tool("fit", people, *SGD).ok().out


def test_the_dual_objective_follows_from_the_multipliers(tool: Tool, people: Path) -> None:
    """Worked by hand from the rows: mean of xi(h - w mu)."""
    score, sex = columns(f"SELECT * FROM '{people}'", "score", "sex")
    fit = tool("fit", people, *SGD, "--json").ok().json()
    share = (sex == "F").mean()
    mu = fit["sgd"]["multipliers"][0]["mean"]
    w = np.where(sex == "F", 1 - share, -share)
    assert fit["dual"] == pytest.approx(xi(2 * score - 1 - w * mu).sum(), rel=1e-10)
    q = np.clip((2 * score - 1 - w * mu) / GAMMA, 0, 1)
    assert fit["primal"] == pytest.approx(((2 * score - 1) * q - GAMMA / 2 * q * q).sum(), rel=1e-9)


def test_the_learning_rate_is_that_of_proposition_4(tool: Tool, people: Path) -> None:
    """What the calculator says for the same steps, strata and gamma."""
    for more, strata, b in ((("--within", "race"), 3, 0),
                            (("--criterion", "equal-rates", "--rho", "0.25"), 2, 0.25)):
        roles = PARITY if "--criterion" not in more else ROLES
        fit = tool("fit", people, *roles, "--solver", "sgd", *more, "--epochs", 3,
                   "--json").ok().json()
        theory = tool("theory", "sgd-error", "--steps", 15000, "--gamma", GAMMA, "--strata", strata,
                      "--b", b, "--json").ok().json()
        assert fit["sgd"]["steps"] == 15000
        assert fit["sgd"]["learning_rate"] == pytest.approx(theory["learning_rate"], rel=1e-12)
    given = tool("fit", people, *SGD, "--learning-rate", "0.0125", "--json").ok().json()
    assert given["sgd"]["learning_rate"] == 0.0125


def test_epochs_are_multiples_of_the_rows(tool: Tool, people: Path) -> None:
    """Half an epoch of 5,000 rows is 2,500 steps; 25 epochs unless told otherwise."""
    rules = []
    for steps in (("--epochs", 0.5), ("--steps", 2500)):
        tool("fit", people, *SGD, *steps, "--no-source", "-o", "rule.json").ok()
        rules.append(tool.path("rule.json").read_bytes())
    assert rules[0] == rules[1]
    assert tool("fit", people, *SGD, "--json").ok().json()["sgd"]["steps"] == 125_000


@pytest.mark.parametrize("weight", ["w", "w / 1000.0"])
def test_an_epoch_has_as_many_steps_as_there_are_rows(
    tool: Tool, people: Path, weight: str
) -> None:
    """Whatever the unit of their weights, as help says: multiples of the rows."""
    fit = tool("fit", "--sql", f"SELECT *, {weight} AS v FROM '{people}'", *SGD, "--weight", "v",
               "--epochs", 2, "--json").ok().json()
    assert fit["sgd"]["steps"] == 10_000


def test_a_tally_serves_as_well_as_its_rows(tool: Tool, people: Path) -> None:
    """The same draws, the same rule."""
    tool("tally", people, *ROLES, "-o", "t.parquet").ok()
    tool("fit", people, *SGD, "--epochs", 2, "-o", "a.json").ok()
    tool("fit", "--tally", "t.parquet", "--criterion", "statistical-parity", "--solver", "sgd",
         "--epochs", 2, "-o", "b.json").ok()
    rules = [json.loads(tool.path(name).read_text()) for name in ("a.json", "b.json")]
    assert rules[0]["rule"] == rules[1]["rule"]
    assert rules[0]["fit"]["sgd"] == rules[1]["fit"]["sgd"]


@pytest.mark.parametrize("scale", [("f", "signed", "high"), ("logit", "logit", "high"),
                                   ("risk", "probability", "low")])
def test_other_scales_of_the_same_scores_find_the_same(
    tool: Tool, people: Path, scale: tuple[str, str, str]
) -> None:
    """The multipliers are prices of benefits, whatever the scores' scale."""
    score, name, favorable = scale
    wanted = tool("fit", people, *SGD, "--epochs", 2, "--json").ok().json()
    found = tool("fit", people, "--score", score, "--scale", name, "--favorable", favorable,
                 *SGD[2:], "--epochs", 2, "--json").ok().json()
    for one, other in zip(wanted["sgd"]["multipliers"], found["sgd"]["multipliers"]):
        assert one["mean"] == pytest.approx(other["mean"], abs=1e-6)
    assert found["dual"] == pytest.approx(wanted["dual"], rel=1e-6)


def test_raw_scores_go_through_a_calibrator(tool: Tool, people: Path, sql: Sql) -> None:
    """Near parity where the rule is applied to the raw scores."""
    query = f"SELECT *, 3 * logit + 1 AS margin FROM '{people}'"
    for stream in ((), ("--stream", "--epochs", 5)):
        tool("fit", "--sql", query, "--score", "margin", "--scale", "raw", "--label", "y",
             "--calibrate", "platt", *SGD[2:], *stream, "-o", "rule.json").ok()
        applied(tool, "--sql", query)
        assert largest_difference(sql) < 0.05


# --- The paper's box.


def erratum(tool: Tool) -> None:
    """Write the example of docs/paper.md: 500 in S with f = -1, 500 outside with f = 1."""
    tool.write("box.csv", "s,f\n" + "in,-1\n" * 500 + "out,1\n" * 500)


BOX = ("box.csv", "--score", "f", "--scale", "signed", "--sensitive", "s", "--criterion",
       "statistical-parity", "--solver", "sgd")


def test_the_papers_projection_stops_short_where_the_corrected_one_does_not(tool: Tool) -> None:
    """Erratum 1: the optimum is at mu = -2, outside of the printed box."""
    erratum(tool)
    paper = tool("fit", *BOX, "--projection", "paper", "--compare", "--json").ok().json()
    corrected = tool("fit", *BOX, "--compare", "--json").ok().json()
    for fit, name in ((paper, "paper"), (corrected, "corrected")):
        assert fit["sgd"]["projection"] == name
        (mu,) = fit["sgd"]["multipliers"]
        assert mu["lowest"] <= mu["last"] <= mu["highest"]
        assert mu["lowest"] <= mu["mean"] <= mu["highest"]
    (mu,) = paper["sgd"]["multipliers"]
    assert (mu["lowest"], mu["highest"]) == (-1.01, 1.01)
    assert mu["last"] == -1.01
    assert paper["violation"] == 1
    assert paper["compare"]["dual"] / 1000 > 0.2
    (mu,) = corrected["sgd"]["multipliers"]
    assert mu["lowest"] <= -2
    assert mu["mean"] < -1.5
    assert corrected["compare"]["dual"] / 1000 < 0.02


def test_for_equal_rates_either_box_will_do(tool: Tool, people: Path) -> None:
    """The printed box is right for Definition 2."""
    rates = (*ROLES, "--criterion", "equal-rates", "--rho", "0.3", "--solver", "sgd", "--json")
    found = [tool("fit", people, *rates, "--projection", name).ok().json()
             for name in ("paper", "corrected")]
    assert found[0]["dual"] == found[1]["dual"]
    assert found[0]["violation"] == found[1]["violation"]
