"""Statements for warehouses, made by the package and run on the engines."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

import duckdb
import postgres_server as pg
import pyarrow as pa
import pytest
import sqlglot
from conftest import PROJECT
from warehouse import Case, bits, edge_case, random_case

import evenhand
from evenhand import Tally, sql

K = sql.key("a key")
DIALECTS = ["duckdb", "postgresql", "spark", "bigquery", "snowflake", "trino"]


@pytest.fixture(scope="module")
def postgres() -> Iterator[pg.Postgres]:
    with pg.running() as server:
        yield server


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [*(random_case(seed) for seed in range(200)), edge_case()]


def statement(case: Case, dialect: str, table: str = "t") -> str:
    return case.rule.to_sql(
        table, dialect=dialect, score="the score", id="the person", unseen=case.unseen
    )


def check(case: Case, rows: list[Any], decided: bool = True) -> None:
    assert bits(row[1] for row in rows) == case.probability, case.rule.to_json()
    if decided:
        assert [int(row[2]) for row in rows] == case.decision


def test_200_random_rules_on_duckdb(cases: list[Case]) -> None:
    connection = duckdb.connect()
    connection.execute(sql.key("a key", dialect="duckdb"))
    for case in cases:
        connection.register("t", pa.table(case.columns))
        text = statement(case, "duckdb")
        found = connection.execute(
            f'SELECT "the row", probability, decision FROM ({text}) ORDER BY 1'
        ).fetchall()
        check(case, found)


def test_200_random_rules_on_postgresql(cases: list[Case], postgres: pg.Postgres) -> None:
    script = ""
    for case in cases:
        script += pg.table("t", case.columns)
        script += 'SELECT "the row", probability, decision FROM '
        script += f"({statement(case, 'postgresql')}) q ORDER BY 1;\nDROP TABLE t;\n"
    found = postgres.rows(script, K)
    for i, case in enumerate(cases):
        check(case, found[40 * i : 40 * i + 40])


@pytest.mark.parametrize("dialect", ["bigquery", "snowflake", "trino"])
def test_other_dialects_parse_and_translate_to_the_same_probabilities(
    cases: list[Case], dialect: str
) -> None:
    """Not run on the services: parsed by sqlglot, and where it can, translated to DuckDB."""
    connection = duckdb.connect()
    ran = 0
    for case in cases[::10]:
        if any("\\" in n or "\n" in n or "`" in n for n in case.columns):
            continue
        text = statement(case, dialect)
        tree = sqlglot.parse_one(text, dialect=dialect)
        assert isinstance(tree, sqlglot.exp.Select)
        tree.find(sqlglot.exp.Alias, bfs=True)
        kept = [
            e for e in tree.expressions if e.alias != "decision"
        ]  # its hashes are the engine's own
        tree.set("expressions", kept)
        tree.set("joins", None)
        connection.register("t", pa.table(case.columns))
        found = connection.execute(tree.sql(dialect="duckdb")).fetchall()
        names = [column[0] for column in connection.description or []]
        order, q = names.index("the row"), names.index("probability")
        rows = sorted((row[order], row[q]) for row in found)
        check(case, rows, decided=False)
        ran += 1
    assert ran >= 10
    text = sql.tally("t", score="p", sensitive="g", label="y", resolution=4, dialect=dialect)
    assert isinstance(sqlglot.parse_one(text, dialect=dialect), sqlglot.exp.Select)


def test_adult_is_decided_alike(postgres: pg.Postgres) -> None:
    path = PROJECT / "data/adult-scores.csv"
    with path.open() as file:
        rows = list(csv.DictReader(file))
    score = [float(row["score"]) for row in rows]
    sex, label = [row["sex"] for row in rows], [int(row["high_income"]) for row in rows]
    person = [row["person"] for row in rows]
    fit = evenhand.fit(score, {"sex": sex}, label=label, criterion="equalized-odds", tolerance=0.02)
    expected = fit.rule.decide(score, sex, id=person, key="a key").tolist()
    chances = bits(fit.rule.probability(score, sex))
    columns = {"p": score, "sex": sex, "y": label, "id": person}
    connection = duckdb.connect()
    connection.execute(sql.key("a key", dialect="duckdb"))
    connection.register("t", pa.table(columns))
    text = fit.rule.to_sql("t", dialect="duckdb", score="p", id="id")
    found = connection.execute(f"SELECT id, probability, decision FROM ({text})").fetchall()
    by_id = {row[0]: row for row in found}
    assert bits(by_id[one][1] for one in person) == chances
    assert [by_id[one][2] for one in person] == expected
    text = fit.rule.to_sql("t", dialect="postgresql", score="p", id="id")
    count = sql.tally("t", score="p", sensitive="sex", label="y", dialect="postgresql")
    script = pg.table("t", columns)
    printed = postgres.rows(
        f"{script}SELECT id, probability, decision FROM ({text}) q;\n{count};", K
    )
    by_id = {row[0]: row for row in printed[: len(rows)]}
    assert bits(by_id[one][1] for one in person) == chances
    assert [int(by_id[one][2]) for one in person] == expected
    counts = [*zip(*printed[len(rows) :], strict=True)]
    tally = Tally.counted(
        [float(s) for s in counts[1]],
        [int(n) for n in counts[2]],
        {"sex": list(counts[0])},
        n1=[int(n) for n in counts[3]],
    )
    assert tally == Tally(score, {"sex": sex}, label=label)


def test_soft_rules_are_decided_alike(postgres: pg.Postgres) -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    score, p = rng.random(300).round(3), rng.random(300).round(3)
    score[:4] = [0.0, 5e-324, 1 - 2**-53, 1.0]
    p[:4] = [5e-324, 0.0, 1.0, 0.5]
    within = rng.choice(["a", "b'"], 300)
    person = [f"p{i}" for i in range(300)]
    columns = {
        "score": score.tolist(), "p": p.tolist(), "w": within.tolist(), "id": person,
        "r": list(range(300)),
    }  # fmt: skip
    for gamma, scale in ((0.0, "probability"), (0.3, "probability"), (0.0, "signed")):
        fit = evenhand.fit_soft(
            score, soft={"p": p}, within={"w": within}, gamma=gamma, scale=scale,
            criterion="statistical-parity",
        )  # fmt: skip
        rule = fit.rule
        chances = bits(rule.probability(score, p, within))
        decisions = rule.decide(score, p, within, id=person, key="a key").tolist()
        connection = duckdb.connect()
        connection.execute(sql.key("a key", dialect="duckdb"))
        connection.register("t", pa.table(columns))
        text = rule.to_sql("t", dialect="duckdb", score="score", id="id")
        found = connection.execute(
            f"SELECT r, probability, decision FROM ({text}) ORDER BY r"
        ).fetchall()
        assert bits(row[1] for row in found) == chances
        assert [row[2] for row in found] == decisions
        text = rule.to_sql("t", dialect="postgresql", score="score", id="id")
        script = pg.table("t", columns)
        printed = postgres.rows(
            f"{script}SELECT r, probability, decision FROM ({text}) q ORDER BY r;", K
        )
        assert bits(row[1] for row in printed) == chances
        assert [int(row[2]) for row in printed] == decisions


def test_soft_rules_on_the_logit_scale_are_refused() -> None:
    rule = evenhand.fit_soft(
        [-1.0, 0.5, 2.0, 0.1], soft={"p": [0.1, 0.9, 0.5, 0.4]}, scale="logit",
        criterion="statistical-parity",
    ).rule  # fmt: skip
    for dialect in DIALECTS:
        with pytest.raises(ValueError, match="exp"):
            rule.to_sql("t", dialect=dialect, score="s", id="id")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_secret_never_stands_in_the_text(dialect: str) -> None:
    case = random_case(3)
    assert K not in statement(case, dialect)
    assert K in sql.key("a key", dialect=dialect)


def test_a_secret_that_is_not_set_is_an_error(cases: list[Case], postgres: pg.Postgres) -> None:
    case = next(case for case in cases if any(0 < p < 1 for p in _chances(case)))
    connection = duckdb.connect()
    connection.register("t", pa.table(case.columns))
    with pytest.raises(duckdb.Error, match="secret is not set"):
        connection.execute(statement(case, "duckdb")).fetchall()
    text = pg.table("t", case.columns) + statement(case, "postgresql")
    assert "evenhand.key" in postgres.error(text)
    assert "secret is not set" in postgres.error(text, "short")


def _chances(case: Case) -> list[float]:
    import struct

    return [struct.unpack(">d", bytes.fromhex(q))[0] for q in case.probability]


def test_bad_options_are_refused() -> None:
    rule = random_case(0).rule
    with pytest.raises(ValueError, match="one of the two"):
        rule.to_sql(dialect="duckdb", score="s", id="i")
    with pytest.raises(ValueError, match="dialect"):
        rule.to_sql("t", dialect="oracle", score="s", id="i")
    with pytest.raises(ValueError, match="score is missing"):
        rule.to_sql("t", dialect="duckdb", id="i")
    with pytest.raises(ValueError, match="NUL"):
        rule.to_sql("t", dialect="duckdb", score="a\0", id="i")
    with pytest.raises(ValueError, match="same name"):
        rule.to_sql("t", dialect="duckdb", score="s", id="i", decision_name="probability")
    with pytest.raises(ValueError, match="auto"):
        sql.tally("t", score="s", resolution="auto", dialect="duckdb")
    with pytest.raises(ValueError, match="missing or empty"):
        sql.key("")
