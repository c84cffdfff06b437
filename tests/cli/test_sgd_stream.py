"""`evenhand fit --stream`: the paper's algorithm, row by row in the order of the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conftest import Sql, Tool
from recompute import columns
from stochastic import GAMMA, SGD


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


def test_a_stream_is_the_papers_algorithm_row_by_row(tool: Tool, people: Path) -> None:
    """The same iterates as a loop in Python, for one pass and for several."""
    score, sex = columns(f"SELECT * FROM '{people}'", "score", "sex")
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
        tool("fit", *data, *SGD, "--stream", "--no-source", "-o", "rule.json").ok()
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
