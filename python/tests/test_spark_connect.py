"""Spark Connect: the same bits through a client that has no Java in its process."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import PROJECT
from needed import unavailable
from warehouse import bits, edge_case, random_case

import evenhand
from evenhand import Tally

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore")]


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


def wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 180
    while time.monotonic() < end and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"Spark's server did not start: {log.read_text()[-2000:]}")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A server in a process of its own, and a session that knows it by its port only."""
    try:
        import grpc  # noqa: F401
        import pyspark
        from pyspark.sql.connect.session import SparkSession
    except ImportError:
        unavailable("Spark Connect is not installed: pip install 'pyspark[connect]'")
    if shutil.which("java") is None:
        unavailable("Spark needs Java 17: apt-get install openjdk-17-jre-headless")
    home = Path(pyspark.__file__).parent
    folder = tmp_path_factory.mktemp("connect")
    port = free_port()
    settings = {
        "spark.connect.grpc.binding.port": port,
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
    }
    command = [str(home / "bin/spark-submit"), "--master", "local[2]"]
    command += [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
    log = folder / "log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [*command, "spark-internal"], cwd=folder, stdout=out, stderr=subprocess.STDOUT,
            env={**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"},
        )  # fmt: skip
    try:
        wait_for(port, server, log)
        made = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
        yield made
        made.stop()
    finally:
        server.terminate()
        server.wait(60)


def test_adult_from_tally_to_audit(session: SparkSession) -> None:
    from pyspark.sql.connect.dataframe import DataFrame

    from evenhand import spark

    file = PROJECT / "data/adult-scores.csv"
    df: Any = session.read.csv(str(file), header=True, inferSchema=True).repartition(3)
    assert isinstance(df, DataFrame)
    options: dict[str, Any] = {"sensitive": "sex", "label": "high_income"}
    rows = df.toArrow()
    for resolution in (6, "exact"):
        counted = spark.tally(df, score="score", resolution=resolution, **options)
        assert counted == Tally("score", data=rows, resolution=resolution, **options)
    fit = evenhand.fit(counted, criterion="equalized-odds", tolerance=0.02)
    out = spark.apply(df, fit.rule, score="score", id="person", key="a key")
    assert isinstance(out, DataFrame)
    decided = out.toArrow().to_pydict()
    score, sex = decided["score"], decided["sex"]
    assert len(score) == 16281
    assert bits(decided["probability"]) == bits(fit.rule.probability(score, sex))
    expected = fit.rule.decide(score, sex, id=decided["person"], key="a key").tolist()
    assert decided["decision"] == expected
    audit = spark.audit(out, decision="decision", sensitive="sex", label="high_income")
    direct = evenhand.audit(decision=expected, sensitive={"sex": sex}, label=decided["high_income"])
    assert audit.to_json() == direct.to_json()


def test_rules_with_hostile_names(session: SparkSession) -> None:
    import pyspark.sql.types as t

    from evenhand import spark

    kinds = {"the score": t.DoubleType(), "the row": t.LongType()}
    for case in (*(random_case(seed) for seed in (0, 3, 5)), edge_case()):
        fields = [t.StructField(n, kinds.get(n, t.StringType())) for n in case.columns]
        rows = list(zip(*case.columns.values(), strict=True))
        df: Any = session.createDataFrame(rows, t.StructType(fields))
        out = spark.apply(
            df, case.rule, score="the score", id="the person", key="a key", unseen=case.unseen
        )
        assert out.columns == [*df.columns, "probability", "decision"]
        found = sorted(out.select("`the row`", "probability", "decision").collect())
        assert bits(row[1] for row in found) == case.probability, case.rule.to_json()
        assert [row[2] for row in found] == case.decision, case.rule.to_json()


def test_errors_of_the_engine_and_our_own(session: SparkSession) -> None:
    from evenhand import spark

    rule = evenhand.fit([0.1, 0.9], {"sex": ["F", "M"]}, criterion="statistical-parity").rule
    df: Any = session.createDataFrame([(0.5, "it's new", 1)], "score double, sex string, id long")
    with pytest.raises(Exception, match="never seen sex=it's new"):
        spark.apply(df, rule, score="score", id="id", key="k").collect()
    unknown: Any = session.createDataFrame([(0.5, "F", None)], df.schema)
    with pytest.raises(Exception, match="a row has no id"):
        spark.apply(unknown, rule, score="score", id="id", key="k").collect()
    with pytest.raises(ValueError, match="there is no column 'other'"):
        spark.tally(df, score="other")
    with pytest.raises(ValueError, match="choose resolution"):
        spark.tally(df.union(df.selectExpr("0.25D", "sex", "id")), score="score", max_rows=1)
