"""Spark with real executors: the same tallies, probabilities and decisions."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conftest import PROJECT
from needed import unavailable
from test_vectors import NAMES, double, table
from warehouse import Case, bits, edge_case, random_case

import evenhand
from evenhand import Rule, Tally

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def session() -> Iterator[SparkSession]:
    """Two executors, each a process of its own."""
    try:
        import pyspark
    except ModuleNotFoundError:
        unavailable("pyspark is not installed: pip install 'evenhand[spark]'")
    if shutil.which("java") is None:
        unavailable("Spark needs Java 17: apt-get install openjdk-17-jre-headless")
    os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.speculation": "true",
        "spark.task.maxFailures": "8",
        "spark.log.level": "OFF",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    yield made
    made.stop()


def frame(session: SparkSession, columns: dict[str, Any], kinds: dict[str, str]) -> Any:
    import pyspark.sql.types as t

    by_name = {"double": t.DoubleType(), "long": t.LongType(), "string": t.StringType()}
    schema = t.StructType([t.StructField(n, by_name[kinds.get(n, "string")]) for n in columns])
    return session.createDataFrame(list(zip(*columns.values(), strict=True)), schema)


@dataclass
class Asked:
    """A rule, rows and what is wanted of them: bits, and decisions unless a seed made them."""

    rule: Rule
    unseen: str
    key: bytes | str
    score: list[float]
    person: list[str]
    groups: dict[str, list[str]]
    probability: list[str]
    decision: list[int] | None


def check_all(session: SparkSession, asked: list[Asked], at_once: int = 20) -> None:
    """Decide for all of them in a few jobs: rows side by side, two columns more for each rule."""
    by_length = sorted(asked, key=lambda one: len(one.score))
    for start in range(0, len(by_length), at_once):
        check_some(session, by_length[start : start + at_once])


def check_some(session: SparkSession, asked: list[Asked]) -> None:
    from pyspark.sql import functions

    from evenhand import spark

    count = max(len(one.score) for one in asked)
    columns: dict[str, list[Any]] = {"row": list(range(count))}
    kinds = {"row": "long"}
    for k, one in enumerate(asked):
        given = {f"score {k}": one.score, f"person {k}": one.person}
        given |= {f"value {k} {i}": column for i, column in enumerate(one.groups.values())}
        # The last row comes again until all are as long.
        columns |= {n: [*c, *[c[-1]] * (count - len(c))] for n, c in given.items()}
        kinds[f"score {k}"] = "double"
    df = frame(session, columns, kinds).coalesce(1)
    for k, one in enumerate(asked):
        values = (functions.col(f"value {k} {i}").alias(name) for i, name in enumerate(one.groups))
        before = df.select("*", *values)
        df = spark.apply(
            before, one.rule, score=f"score {k}", id=f"person {k}", key=one.key,
            unseen=one.unseen, probability_name=f"p{k}", decision_name=f"d{k}",
        )  # fmt: skip
        assert df.columns == [*before.columns, f"p{k}", f"d{k}"]
        df = df.drop(*one.groups)
    found = [f"{name}{k}" for k in range(len(asked)) for name in "pd"]
    rows = sorted(df.select("row", *found).collect())
    for k, one in enumerate(asked):
        mine = rows[: len(one.score)]
        assert bits(row[f"p{k}"] for row in mine) == one.probability, one.rule.to_json()
        if one.decision is not None:
            assert [row[f"d{k}"] for row in mine] == one.decision, one.rule.to_json()


@contextlib.contextmanager
def interpreted(session: SparkSession) -> Iterator[None]:
    """Evaluate expressions as they are: compiling hundreds of rules takes minutes."""
    settings = {
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    for name, value in settings.items():
        session.conf.set(name, value)
    yield
    for name in settings:
        session.conf.unset(name)


def asked_of(cases: list[Case]) -> list[Asked]:
    asked = []
    for case in cases:
        columns = dict(case.columns)
        score, person = columns.pop("the score"), columns.pop("the person")
        del columns["the row"]
        asked.append(
            Asked(
                case.rule, case.unseen, "a key", score, person, columns, case.probability,
                case.decision,
            )
        )  # fmt: skip
    return asked


def test_200_random_rules(session: SparkSession) -> None:
    """All of them as they are, and some compiled as well."""
    cases = [*(random_case(seed) for seed in range(200)), edge_case()]
    check_all(session, asked_of([*cases[:200:20], cases[-1]]))
    with interpreted(session):
        check_all(session, asked_of(cases))


def test_all_vectors(session: SparkSession) -> None:
    asked = []
    for name in NAMES:
        rule = Rule.load(PROJECT / f"tests/vectors/{name}.rule.json")
        batches: dict[tuple[str, str], list[dict[str, str]]] = {}
        for row in table(name):
            if row["decision"] != "-":
                secret = row["secret"] if row["coin"] == "key" else ""
                batches.setdefault((row["unseen"], secret), []).append(row)
        for (unseen, secret), rows in batches.items():
            asked.append(
                Asked(
                    rule,
                    unseen,
                    bytes.fromhex(secret) or b"any",
                    [double(row["score_bits"]) for row in rows],
                    [row["who"] or "nobody" for row in rows],
                    {name: [row[name] for row in rows] for name in rule.attributes},
                    [row["q_bits"] for row in rows],
                    [int(row["decision"]) for row in rows] if secret else None,
                )
            )
    assert len(asked) > 150
    with interpreted(session):
        check_all(session, asked)


def people(rows: int = 20_000) -> dict[str, list[Any]]:
    """Skewed groups, many of them missing."""
    rng = np.random.default_rng(1)
    race = rng.choice(["a", "b'", "ü"], rows, p=[0.97, 0.02, 0.01]).tolist()
    return {
        "score": rng.random(rows).round(3).tolist(),
        "sex": rng.choice(["F", "M"], rows).tolist(),
        "race": [None if u < 0.4 else r for u, r in zip(rng.random(rows), race, strict=True)],
        "y": rng.integers(0, 2, rows).tolist(),
        "w": rng.integers(0, 4, rows).tolist(),
        "id": [f"p{i}" for i in range(rows)],
    }


KINDS = {"score": "double", "y": "long", "w": "long"}


@pytest.mark.parametrize(
    "options",
    [
        {"sensitive": "sex"},
        {"sensitive": "sex", "within": ["race"], "label": "y", "null": "exclude"},
        {"sensitive": ["race", "sex"], "label": "y", "weight": "w", "null": "none"},
        {"sensitive": "sex", "label": "y", "resolution": 6, "favorable": "low"},
        {"sensitive": "sex", "scale": "raw", "resolution": 3},
    ],
)
def test_tallies(session: SparkSession, options: dict[str, Any]) -> None:
    from evenhand import spark

    columns = people()
    df = frame(session, columns, KINDS).repartition(6)
    counted = spark.tally(df, score="score", **options)
    assert counted == Tally("score", data=columns, **options)
    halves = [spark.tally(df.where(test), score="score", **options) for test in ("y = 0", "y = 1")]
    assert halves[0] + halves[1] == counted


def test_a_long_tally_is_refused(session: SparkSession) -> None:
    from evenhand import spark

    df = frame(session, people(2000), KINDS)
    with pytest.raises(ValueError, match="resolution"):
        spark.tally(df, score="score", sensitive="sex", max_rows=100)


def test_adult_and_an_audit(session: SparkSession) -> None:
    from evenhand import spark

    df = session.read.csv(
        str(PROJECT / "data/adult-scores.csv"), header=True, inferSchema=True
    ).repartition(4)
    tally = spark.tally(df, score="score", sensitive="sex", label="high_income")
    fit = evenhand.fit(tally, criterion="equalized-odds", tolerance=0.02)
    out = spark.apply(df, fit.rule, score="score", id="person", key="a key")
    rows = out.collect()
    score, sex = [row["score"] for row in rows], [row["sex"] for row in rows]
    person, label = [row["person"] for row in rows], [row["high_income"] for row in rows]
    assert len(rows) == 16281
    assert bits(row["probability"] for row in rows) == bits(fit.rule.probability(score, sex))
    expected = fit.rule.decide(score, sex, id=person, key="a key").tolist()
    assert [row["decision"] for row in rows] == expected
    audit = spark.audit(out, decision="decision", sensitive="sex", label="high_income")
    direct = evenhand.audit(decision=expected, sensitive={"sex": sex}, label=label)
    assert audit.to_json() == direct.to_json()


def executors(session: SparkSession) -> list[int]:
    """The processes of this session's executors, told by its driver's port.

    Application ids are times: two sessions that start in the same second have the same.
    """
    driver = f":{session.conf.get('spark.driver.port')}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:  # it has ended
            continue
        if not any(word.endswith(b"CoarseGrainedExecutorBackend") for word in words):
            continue
        if any(word.startswith(b"spark://") and word.endswith(driver) for word in words):
            found.append(int(folder.name))
    return found


def test_an_executor_killed_in_the_middle_changes_nothing(session: SparkSession) -> None:
    from evenhand import spark

    df = session.range(0, 1_000_000, numPartitions=24).selectExpr(
        "CAST(id AS STRING) AS id", "(id * 7919 % 1009) / 1008D AS score",
        "CASE WHEN id % 3 = 0 THEN 'F' ELSE 'M' END AS sex", "id % 2 AS y",
    )  # fmt: skip
    calm = spark.tally(df, score="score", sensitive="sex", label="y")
    rule = evenhand.fit(calm, criterion="equalized-odds", gamma=0.3).rule
    decided = spark.apply(df, rule, score="score", id="id", key="a key")
    expected = decided.selectExpr("sum(decision)", "sum(crc32(string(probability)))").collect()
    before = executors(session)
    assert before
    killer = threading.Thread(target=lambda: (time.sleep(0.7), os.kill(before[0], signal.SIGKILL)))
    killer.start()
    found = decided.selectExpr("sum(decision)", "sum(crc32(string(probability)))").collect()
    killer.join()
    assert found == expected
    assert spark.tally(df, score="score", sensitive="sex", label="y") == calm


def test_a_group_never_seen_fails_the_job_and_is_named(session: SparkSession) -> None:
    from evenhand import spark

    rule = evenhand.fit([0.1, 0.9], {"sex": ["F", "M"]}, criterion="statistical-parity").rule
    columns = {
        "score": [0.5, None, float("nan"), 0.5],
        "sex": ["it's new", "F", "F", "M"],
        "id": ["a", "b", "c", ""],
    }
    df = frame(session, columns, KINDS)
    out = spark.apply(df, rule, score="score", id="id", key="k")
    errors = {"a": "never seen sex=it's new", "b": "score NULL is not valid", "c": "NaN is not"}
    for wanted in (out, out.select("decision", "id"), out.select("probability", "id")):
        for row, error in errors.items():
            with pytest.raises(Exception, match=error):
                wanted.where(f"id = '{row}'").collect()
    with pytest.raises(Exception, match="a row has no id"):
        out.where("id = ''").collect()
    assert out.where("id = ''").select("probability").count() == 1


def test_statements_in_sql_find_the_secret_in_the_session(session: SparkSession) -> None:
    case = random_case(5)
    df = frame(session, case.columns, {"the score": "double", "the row": "long"})
    session.sql(evenhand.sql.key("a key", dialect="spark").rstrip(";"))
    for score in ("the score", "probability"):  # the rows may have a column of that name
        df.withColumnRenamed("the score", score).createOrReplaceTempView("rows_of_a_case")
        text = case.rule.to_sql(
            "rows_of_a_case", dialect="spark", score=score, id="the person", unseen=case.unseen
        )
        decided = session.sql(text)
        assert len(decided.columns) == len(df.columns) + 2
        assert decided.columns[-2:] == ["probability", "decision"]
        rows = decided.toArrow()
        order = np.argsort(rows.column(df.columns.index("the row")))
        assert bits(rows.column(len(df.columns)).take(order).to_pylist()) == case.probability
        assert rows.column("decision").take(order).to_pylist() == case.decision


def test_any_name_for_what_is_added(session: SparkSession) -> None:
    from evenhand import spark

    case = random_case(5)
    df = frame(session, case.columns, {"the score": "double", "the row": "long"})
    for name in ("evenhand_key", "a`b.c", "${spark.master}"):
        out = spark.apply(
            df, case.rule, score="the score", id="the person", key="a key", unseen=case.unseen,
            probability_name=name, decision_name="it's",
        )  # fmt: skip
        assert out.columns == [*df.columns, name, "it's"]
        rows = out.orderBy("the row").collect()
        assert bits(row[-2] for row in rows) == case.probability
        assert [row[-1] for row in rows] == case.decision
