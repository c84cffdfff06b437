"""Spark with real executors: the same tallies, probabilities and decisions."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conftest import PROJECT, unavailable
from warehouse import bits, random_case

import evenhand
from evenhand import Tally

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


def test_random_rules(session: SparkSession) -> None:
    from evenhand import spark

    kinds = {"the score": "double", "the row": "long"}
    for seed in range(0, 200, 10):
        case = random_case(seed)
        df = frame(session, case.columns, kinds)
        out = spark.apply(
            df, case.rule, score="the score", id="the person", key="a key", unseen=case.unseen
        )
        assert out.columns == [*df.columns, "probability", "decision"]
        rows = sorted(out.select("`the row`", "probability", "decision").collect())
        assert bits(row[1] for row in rows) == case.probability
        assert [row[2] for row in rows] == case.decision


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
    """The processes of this session's executors: they carry its driver's port. Application ids are
    times, and those of two sessions started in the same second are the same."""
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
    columns = {"score": [0.5, None], "sex": ["it's new", "F"], "id": ["a", "b"]}
    df = frame(session, columns, KINDS)
    with pytest.raises(Exception, match="never seen sex=it's new"):
        spark.apply(df.limit(1), rule, score="score", id="id", key="k").collect()
    with pytest.raises(Exception, match="not valid"):
        spark.apply(df.where("id = 'b'"), rule, score="score", id="id", key="k").collect()


def test_statements_in_sql_find_the_secret_in_the_session(session: SparkSession) -> None:
    case = random_case(5)
    df = frame(session, case.columns, {"the score": "double", "the row": "long"})
    df.createOrReplaceTempView("rows_of_a_case")
    session.sql(evenhand.sql.key("a key", dialect="spark").rstrip(";"))
    text = case.rule.to_sql(
        "rows_of_a_case", dialect="spark", score="the score", id="the person", unseen=case.unseen
    )
    rows = sorted(session.sql(text).select("`the row`", "probability", "decision").collect())
    assert bits(row[1] for row in rows) == case.probability
    assert [row[2] for row in rows] == case.decision
