"""`evenhand fit --solver sgd`: the paper's method, what it finds, and what it must not claim."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from conftest import Tool

Sql = Callable[..., list[tuple[Any, ...]]]
ROLES = ("--score", "score", "--sensitive", "sex")
PARITY = (*ROLES, "--criterion", "statistical-parity")
SGD = (*PARITY, "--solver", "sgd")
GAMMA = 0.01  # of sgd, unless told otherwise
COMMAS_AND_MORE = 'a,"b"\nc'


def columns(path: Path, *names: str) -> list[np.ndarray]:
    """Read columns of a Parquet file, in the order of its rows."""
    found = duckdb.connect(":memory:").execute(f"SELECT {', '.join(names)} FROM '{path}'")
    table = found.fetchnumpy()
    return [np.asarray(table[name]) for name in names]


def xi(z: np.ndarray, gamma: float = GAMMA) -> np.ndarray:
    """Compute the largest z q - gamma/2 q^2 for q in [0, 1]."""
    q = np.clip(z / gamma, 0, 1)
    return z * q - gamma / 2 * q * q


def by_step(h: np.ndarray, inside: np.ndarray, rate: float, mu: float = 0.0) -> list[float]:
    """Run the paper's algorithm for two groups, row by row: all iterates."""
    share = inside.mean()
    low = -min(1 / share, (1 + GAMMA) / (1 - share))
    high = min(1 / (1 - share), (1 + GAMMA) / share)
    out = []
    for benefit, member in zip(h.tolist(), inside.tolist()):
        w = (1 - share) if member else -share
        q = min(max((benefit - w * mu) / GAMMA, 0), 1)
        mu = min(max(mu + rate * w * q, low), high)
        out.append(mu)
    return out


def read_trace(path: Path) -> tuple[list[str], np.ndarray]:
    """Read a trace in CSV: its header and its numbers."""
    lines = list(csv.reader(io.StringIO(path.read_text())))
    return lines[0], np.array([[float(x) for x in line] for line in lines[1:]])


def rate_gap(sql: Sql, within: str = "true") -> float:
    """Compute the largest difference between the sexes from the applied probabilities."""
    return sql(
        f"""SELECT max(d) FROM (SELECT max(r) - min(r) AS d FROM (
              SELECT {within} AS k, sex, avg(probability) AS r FROM 'out.parquet' GROUP BY ALL)
            GROUP BY k)"""
    )[0][0]


# --- What it finds.


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
        tool("fit", people, *SGD, "--epochs", 1, *seed, "-o", "rule.json").ok()
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
    tool("apply", people, "--rule", "rule.json", "-q", "-o", "out.parquet").ok()
    told = json.loads(tool.path("rule.json").read_text())["fit"]["violation"]
    assert rate_gap(sql, within) == pytest.approx(told, abs=1e-9)
    assert told < 0.05


def test_equal_rates_come_near_their_rho(tool: Tool, people: Path, sql: Sql) -> None:
    """The paper's Definition 2."""
    tool("fit", people, *ROLES, "--criterion", "equal-rates", "--rho", 0.3, "--solver", "sgd",
         "-o", "rule.json").ok()
    tool("apply", people, "--rule", "rule.json", "-q", "-o", "out.parquet").ok()
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
    score, sex = columns(people, "score", "sex")
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
        tool("fit", people, *SGD, *steps, "-o", "rule.json").ok()
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
        tool("apply", "--sql", query, "--rule", "rule.json", "-q", "-o", "out.parquet").ok()
        assert rate_gap(sql) < 0.05


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


# --- The trace.


@pytest.mark.parametrize("stream", [(), ("--stream", "--epochs", 2)])
def test_traces_in_csv_and_json_say_the_same(
    tool: Tool, people: Path, stream: tuple[object, ...]
) -> None:
    """The same points, and the columns that the documents name."""
    for name in ("t.csv", "t.json"):
        tool("fit", people, *SGD, "--within", "race", *stream, "--trace", name).ok()
    header, points = read_trace(tool.path("t.csv"))
    told = json.loads(tool.path("t.json").read_text())
    names = told["multipliers"]
    assert len(names) == 3
    both = [f"{which} of {name}" for name in names for which in ("mean", "last")]
    assert header[:4] == ["step", "epoch", "dual", "violation"]
    assert sorted(header[4:]) == sorted(both)
    assert len(points) == len(told["points"])
    for line, point in zip(points, told["points"]):
        at = dict(zip(header, line))
        for key in ("step", "epoch", "dual", "violation"):
            assert at[key] == point[key]
        for i, name in enumerate(names):
            assert at[f"mean of {name}"] == point["mean"][i]
            assert at[f"last of {name}"] == point["last"][i]


@pytest.mark.parametrize("weighted", [(), ("--weight", "w")])
@pytest.mark.parametrize("stream", [(), ("--stream",)])
def test_the_trace_runs_from_zero_to_the_result_and_descends(
    tool: Tool, people: Path, stream: tuple[str, ...], weighted: tuple[str, ...]
) -> None:
    """Its last point is what was found, after as many epochs as were asked for."""
    fit = tool("fit", people, *SGD, *stream, *weighted, "--epochs", 3, "--trace", "t.csv",
               "--json").ok().json()
    header, points = read_trace(tool.path("t.csv"))
    assert header == ["step", "epoch", "dual", "violation", "mean of sex=F", "last of sex=F"]
    first, last = points[0], points[-1]
    (mu,) = fit["sgd"]["multipliers"]
    assert first[[0, 1, 4, 5]].tolist() == [0, 0, 0, 0]
    assert (np.diff(points[:, 0]) > 0).all()
    assert last[[0, 2, 3, 4, 5]].tolist() == [fit["sgd"]["steps"], fit["dual"], fit["violation"],
                                             mu["mean"], mu["last"]]
    assert last[2] < first[2]
    assert last[3] < first[3]
    assert 100 <= len(points) <= 102
    assert last[1] == pytest.approx(3)


def test_every_point_of_a_trace_is_true(tool: Tool, people: Path) -> None:
    """Dual objective and violation, recomputed from the rows and the means."""
    score, sex = columns(people, "score", "sex")
    tool("fit", people, *SGD, "--epochs", 2, "--record-every", 2500, "--trace", "t.csv").ok()
    share = (sex == "F").mean()
    w = np.where(sex == "F", 1 - share, -share)
    for _, _, dual, violation, mean, _ in read_trace(tool.path("t.csv"))[1]:
        z = 2 * score - 1 - w * mean
        q = np.clip(z / GAMMA, 0, 1)
        assert dual == pytest.approx(xi(z).sum(), rel=1e-10)
        assert violation == pytest.approx(abs(q[sex == "F"].mean() - q[sex == "M"].mean()),
                                          abs=1e-9)


@pytest.mark.parametrize(("every", "steps"), [(1000, 5000), (1500, 5000), (7000, 5000), (1, 40)])
def test_points_are_as_far_apart_as_asked(
    tool: Tool, people: Path, every: int, steps: int
) -> None:
    """At 0, at every multiple, and at the end."""
    tool("fit", people, *SGD, "--steps", steps, "--record-every", every, "--trace", "t.csv").ok()
    found = read_trace(tool.path("t.csv"))[1]
    assert found[:, 0].tolist() == sorted({*range(0, steps + 1, every), steps})
    assert found[:, 1].tolist() == pytest.approx((found[:, 0] / 5000).tolist())


def test_points_of_a_stream_are_as_far_apart_as_asked(tool: Tool, people: Path) -> None:
    """The same in a stream."""
    tool("fit", people, *SGD, "--stream", "--record-every", 1500, "--trace", "t.csv").ok()
    assert read_trace(tool.path("t.csv"))[1][:, 0].tolist() == [0, 1500, 3000, 4500, 5000]


def test_a_trace_does_not_change_what_is_found(tool: Tool, people: Path) -> None:
    """Looking is free."""
    for name, more in (("a.json", ()), ("b.json", ("--trace", "t.json", "--record-every", 77))):
        tool("fit", people, *SGD, "--epochs", 1, *more, "-o", name).ok()
    assert tool.path("a.json").read_bytes() == tool.path("b.json").read_bytes()


def test_names_of_groups_are_quoted_in_a_trace(tool: Tool, people: Path) -> None:
    """Commas, quotes and line ends come back from any CSV reader."""
    query = f"""SELECT * REPLACE (CASE sex WHEN 'F' THEN '{COMMAS_AND_MORE}' ELSE sex END AS sex)
                FROM '{people}'"""
    for name in ("t.csv", "t.json"):
        tool("fit", "--sql", query, *SGD, "--epochs", 1, "--trace", name).ok()
    header, points = read_trace(tool.path("t.csv"))
    (cell,) = json.loads(tool.path("t.json").read_text())["multipliers"]
    assert header[4:] == [f"mean of {cell}", f"last of {cell}"]
    assert points.shape[1] == 6


# --- Streams.


def test_a_stream_is_the_papers_algorithm_row_by_row(tool: Tool, people: Path) -> None:
    """The same iterates as a loop in Python, for one pass and for several."""
    score, sex = columns(people, "score", "sex")
    for passes in (1, 3):
        fit = tool("fit", people, *SGD, "--stream", "--epochs", passes, "--json").ok().json()
        assert fit["sgd"]["steps"] == 5000 * passes
        iterates = by_step(np.tile(2 * score - 1, passes), np.tile(sex == "F", passes),
                           (1 + GAMMA) / np.sqrt(5000 * passes))
        (mu,) = fit["sgd"]["multipliers"]
        assert mu["last"] == pytest.approx(iterates[-1], abs=1e-10)
        assert mu["mean"] == pytest.approx(np.mean(iterates), abs=1e-10)


def test_one_pass_is_what_a_stream_takes_unless_told_otherwise(tool: Tool, people: Path) -> None:
    """As help says."""
    assert "with --stream: 1" in " ".join(tool("fit", "--help").ok().out.split())
    found = [tool("fit", people, *SGD, "--stream", *more, "--json").ok().json()["sgd"]
             for more in ((), ("--epochs", 1))]
    assert found[0] == found[1]


def test_a_stream_keeps_the_order_of_the_file_on_any_number_of_threads(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """Parquet in small parts, CSV and SQL: the same bytes."""
    sql(f"COPY (FROM '{people}') TO '{tool.path('p.csv')}'")
    sql(f"""COPY (SELECT p.* FROM range(40) t(i), '{people}' p ORDER BY i, hash(id))
            TO '{tool.path("many.parquet")}' (ROW_GROUP_SIZE 2048)""")
    rules = set()
    for data in ((people,), ("p.csv",), ("--sql", f"SELECT * FROM '{people}'")):
        tool("fit", *data, *SGD, "--stream", "-o", "rule.json").ok()
        rules.add(tool.path("rule.json").read_bytes())
    assert len(rules) == 1
    rules.clear()
    for threads in (1, 2, 2):
        tool("fit", "many.parquet", *SGD, "--stream", "--threads", threads, "-o", "rule.json").ok()
        rules.add(tool.path("rule.json").read_bytes())
    assert len(rules) == 1


def test_the_order_of_rows_matters_to_a_stream(tool: Tool, people: Path) -> None:
    """Sorted rows mislead it, as help says; shuffled ones bring it near the optimum."""
    far = {}
    for order in ("hash(id)", "score"):
        far[order] = tool("fit", "--sql", f"SELECT * FROM '{people}' ORDER BY {order}", *SGD,
                          "--stream", "--epochs", 5, "--compare", "--json").ok().json()["compare"]
    assert far["hash(id)"]["violation"] < 0.03
    assert 0 <= far["hash(id)"]["dual"] < 5000 * 0.001
    assert far["score"]["dual"] > far["hash(id)"]["dual"]


def test_equal_weights_in_a_stream_are_no_weights(tool: Tool, people: Path) -> None:
    """A row counts by its weight relative to the others'."""
    found = [
        tool("fit", "--sql", f"SELECT *, {weight} AS v FROM '{people}'", *SGD, "--stream",
             "--weight", "v", "--json").ok().json()["sgd"]["multipliers"][0]["mean"]
        for weight in ("1", "2.5")
    ]
    plain = tool("fit", people, *SGD, "--stream", "--json").ok().json()
    assert found == [pytest.approx(plain["sgd"]["multipliers"][0]["mean"], abs=1e-10)] * 2


def test_a_weighted_stream_comes_near_the_weighted_optimum(tool: Tool, people: Path) -> None:
    """Shares of groups, and steps, by weight."""
    fit = tool("fit", "--sql", f"SELECT *, CASE sex WHEN 'F' THEN w * 3 ELSE w END AS v FROM "
               f"'{people}' ORDER BY hash(id)", *SGD, "--stream", "--epochs", 8, "--weight", "v",
               "--compare", "--json").ok().json()
    assert fit["violation"] < 0.03
    assert 0 <= fit["compare"]["dual"] < 0.001 * fit["weight"]


@pytest.mark.parametrize("what", ["score", "y"])
def test_rows_left_out_take_no_part_in_a_stream(tool: Tool, people: Path, what: str) -> None:
    """--null exclude leaves out the same rows everywhere: as if they were not in the file."""
    missing = "hash(id) % 10 = 0"
    with_nulls = f"SELECT * REPLACE (CASE WHEN {missing} THEN NULL ELSE {what} END AS {what})"
    asked = (*SGD, "--stream", "--label", "y", "--json")
    found = tool("fit", "--sql", f"{with_nulls} FROM '{people}'", *asked, "--null",
                 "exclude").ok().json()
    wanted = tool("fit", "--sql", f"SELECT * FROM '{people}' WHERE NOT ({missing})",
                  *asked).ok().json()
    assert found["excluded"] == 5000 - wanted["rows"]
    assert found["sgd"]["steps"] == wanted["sgd"]["steps"] == wanted["rows"]
    assert found["sgd"] == wanted["sgd"]


def test_a_group_without_labels_is_left_out_of_a_stream(tool: Tool, people: Path) -> None:
    """It is not there for the rest of the fit either."""
    query = f"""SELECT * REPLACE (CASE WHEN hash(id) % 10 = 0 THEN NULL ELSE y END AS y,
                                  CASE WHEN hash(id) % 10 = 0 THEN 'X' ELSE sex END AS sex)
                FROM '{people}'"""
    tool("fit", "--sql", query, *SGD, "--label", "y", "--null", "exclude").ok()
    tool("fit", "--sql", query, *SGD, "--label", "y", "--null", "exclude", "--stream").ok()


def test_missing_groups_can_have_a_name_in_a_stream(tool: Tool, people: Path) -> None:
    """As in every other fit."""
    query = f"SELECT * REPLACE (CASE sex WHEN 'F' THEN NULL ELSE sex END AS sex) FROM '{people}'"
    tool("fit", "--sql", query, *SGD, "--stream").fails(2, "missing", "sex")
    named = tool("fit", "--sql", query, *SGD, "--stream", "--null", "F", "--json").ok().json()
    plain = tool("fit", people, *SGD, "--stream", "--json").ok().json()
    assert named["sgd"] == plain["sgd"]


def test_a_pipe_is_streamed_like_a_file(tool: Tool, people: Path, sql: Sql) -> None:
    """It is kept until it was read as often as needed, by whatever name it comes."""
    sql(f"COPY (FROM '{people}') TO '{tool.path('p.csv')}'")
    rows = tool.path("p.csv").read_bytes()
    call = ("--format", "csv", *SGD, "--stream", "--epochs", 2, "--json")
    of_file = tool("fit", "p.csv", *call).ok().json()
    for name in ("-", "/dev/stdin"):
        of_pipe = tool("fit", name, *call, stdin=rows).ok().json()
        assert of_pipe["sgd"] == of_file["sgd"]
        assert of_pipe["after"] == of_file["after"]


# --- What is refused: one line, status 2, nothing left behind.


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--solver", "newton"], ["newton", "exact", "sgd"]),
        (["--projection", "paper"], ["--projection", "sgd"]),
        (["--learning-rate", "0.1"], ["--learning-rate", "sgd"]),
        (["--epochs", "2"], ["--epochs", "sgd"]),
        (["--steps", "2"], ["--steps", "sgd"]),
        (["--seed", "2"], ["--seed", "sgd"]),
        (["--record-every", "2"], ["--record-every", "sgd"]),
        (["--trace", "t.csv"], ["--trace", "sgd"]),
        (["--stream"], ["--stream", "sgd"]),
        (["--compare"], ["--compare", "sgd"]),
    ],
)
def test_options_of_the_stochastic_solver_need_it(
    tool: Tool, people: Path, arguments: list[str], parts: list[str]
) -> None:
    """They are not ignored."""
    tool("fit", people, *PARITY, *arguments, "-o", "rule.json").fails(2, *parts)
    assert tool.files() == set()


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--projection", "printed"], ["printed", "corrected", "paper"]),
        (["--epochs", "2", "--steps", "5"], ["--epochs", "--steps"]),
        (["--epochs", "0"], ["--epochs"]),
        (["--epochs", "-1"], ["--epochs"]),
        (["--epochs", "nan"], ["--epochs"]),
        (["--epochs", "inf"], ["--epochs"]),
        (["--epochs", "many"], ["--epochs", "many"]),
        (["--epochs", "0,5"], ["--epochs", "0,5"]),
        (["--steps", "0"], ["--steps"]),
        (["--steps", "-1"], ["--steps", "-1"]),
        (["--steps", "1.5"], ["--steps", "1.5"]),
        (["--steps", "18446744073709551616"], ["--steps"]),
        (["--seed", "-1"], ["--seed", "-1"]),
        (["--seed", "x"], ["--seed", "x"]),
        (["--learning-rate", "0"], ["learning rate"]),
        (["--learning-rate", "-0.1"], ["learning rate", "-0.1"]),
        (["--learning-rate", "nan"], ["learning rate"]),
        (["--learning-rate", "inf"], ["learning rate"]),
        (["--learning-rate", "fast"], ["--learning-rate", "fast"]),
        (["--gamma", "0"], ["gamma"]),
        (["--gamma", "-1"], ["gamma", "-1"]),
        (["--gamma", "nan"], ["gamma"]),
        (["--tolerance", "0.1"], ["tolerance"]),
        (["--require", "rate <= 0.3"], ["requirements"]),
        (["--record-every", "5"], ["--record-every", "--trace"]),
        (["--record-every", "0", "--trace", "t.csv"], ["--record-every"]),
        (["--record-every", "x", "--trace", "t.csv"], ["--record-every", "x"]),
        (["--record-every", "1", "--steps", "5000000", "--trace", "t.csv"], ["points"]),
        (["--trace", "t.parquet"], ["t.parquet", ".csv", ".json"]),
        (["--trace", "t.csv.gz"], ["t.csv.gz", ".csv", ".json"]),
        (["--trace", "trace"], ["trace", ".csv", ".json"]),
        (["--trace", "-"], [".csv", ".json"]),
        (["--trace", "rule.json"], ["rule", "trace"]),
        (["--trace", "none/t.csv"], ["none"]),
        (["--stream", "--steps", "5"], ["--stream", "--steps"]),
        (["--stream", "--seed", "0"], ["--stream", "--seed"]),
        (["--stream", "--epochs", "1.5"], ["--stream", "--epochs"]),
        (["--stream", "--record-every", "0", "--trace", "t.csv"], ["--record-every"]),
        (["--soft", "score"], ["--soft", "sgd"]),
    ],
)
def test_stochastic_options_that_make_no_sense_are_refused(
    tool: Tool, people: Path, arguments: list[str], parts: list[str]
) -> None:
    """Said in one line, before anything is written."""
    tool("fit", people, *SGD, *arguments, "-o", "rule.json").fails(2, *parts)
    assert tool.files() == set()


@pytest.mark.parametrize(
    ("criterion", "parts"),
    [
        (["--criterion", "equalized-odds"], ["equalized-odds", "exact"]),
        (["--criterion", "equal-opportunity"], ["equal-opportunity", "exact"]),
        (["--criterion", "four-fifths"], ["four-fifths", "exact"]),
        (["--require", "rate <= 0.3"], ["requirements", "exact"]),
        (["--criterion", "equal-rates", "--rho", "base", "--stream"], ["rho"]),
    ],
)
def test_criteria_that_it_does_not_serve_are_refused(
    tool: Tool, people: Path, criterion: list[str], parts: list[str]
) -> None:
    """With the solver that does."""
    tool("fit", people, *ROLES, "--label", "y", *criterion, "--solver", "sgd", "--trace", "t.csv",
         "-o", "rule.json").fails(2, *parts)
    assert tool.files() == set()


def test_a_stream_needs_rows(tool: Tool, people: Path) -> None:
    """A tally has no order."""
    tool("tally", people, *ROLES, "-o", "t.parquet").ok()
    tool("fit", "--tally", "t.parquet", "--criterion", "statistical-parity", "--solver", "sgd",
         "--stream", "-o", "rule.json").fails(2, "--stream", "--tally")
    assert tool.files() == {"t.parquet"}


@pytest.mark.parametrize("bad", ["score", "sex", "w"])
def test_bad_rows_leave_neither_rule_nor_trace(tool: Tool, people: Path, bad: str) -> None:
    """A stream complains as any other fit does."""
    value = {"score": "1.5", "sex": "NULL", "w": "-1"}[bad]
    query = f"SELECT * REPLACE (CASE id WHEN 'p9' THEN {value} ELSE {bad} END AS {bad}) "
    for stream in ((), ("--stream",)):
        tool("fit", "--sql", f"{query} FROM '{people}'", *SGD, *stream, "--weight", "w", "--trace",
             "t.csv", "-o", "rule.json").fails(2, bad if bad != "w" else "weight")
    assert tool.files() == set()


# --- Files that must not be lost.


def test_a_trace_does_not_overwrite_the_data(tool: Tool, people: Path, sql: Sql) -> None:
    """As no rule may."""
    sql(f"COPY (FROM '{people}') TO '{tool.path('p.csv')}'")
    before = tool.path("p.csv").read_bytes()
    tool.path("link.csv").symlink_to("p.csv")
    for name in ("p.csv", "./p.csv", "link.csv"):
        ran = tool("fit", "p.csv", *SGD, "--epochs", 1, "--trace", name)
        assert tool.path("p.csv").read_bytes() == before, name
        ran.fails(2, "p.csv" if name != "link.csv" else name, "input")


def test_a_trace_does_not_overwrite_the_rule(tool: Tool, people: Path) -> None:
    """Whatever the way in which the same file is named."""
    names = ["./rule.json", str(tool.path("rule.json")), "link.json"]
    for name in names:
        tool.path("link.json").unlink(missing_ok=True)
        tool.write("rule.json", "old")
        tool.path("link.json").symlink_to("rule.json")
        ran = tool("fit", people, *SGD, "--epochs", 1, "-o", "rule.json", "--trace", name)
        assert tool.path("rule.json").read_text() == "old", name
        ran.fails(2, "rule", "trace")


def test_a_trace_replaces_an_older_one_only_when_all_went_well(tool: Tool, people: Path) -> None:
    """A failed run leaves the old one."""
    tool.write("t.csv", "old")
    tool("fit", people, "--score", "logit", *SGD[2:], "--trace", "t.csv").fails(2, "score")
    assert tool.path("t.csv").read_text() == "old"
    tool("fit", people, *SGD, "--epochs", 1, "--trace", "t.csv").ok()
    assert tool.path("t.csv").read_text().startswith("step,epoch")
    assert tool.files() == {"t.csv"}


def test_the_rule_can_go_to_standard_output_beside_a_trace(tool: Tool, people: Path) -> None:
    """Nothing else is printed then."""
    ran = tool("fit", people, *SGD, "--epochs", 1, "--trace", "t.json", "-o", "-").ok()
    tool("fit", people, *SGD, "--epochs", 1, "-o", "rule.json").ok()
    assert ran.out == tool.path("rule.json").read_text()
    assert json.loads(tool.path("t.json").read_text())["points"]
