"""Spark and PostgreSQL at work for evenhand, beside what they do anyway; fails when a limit is missed.

    python bench/warehouse_bench.py [ROWS]

Each pair is timed in turn, five times; the ratio is that of the medians. Answers are checked on the way.
"""

from __future__ import annotations

import csv
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import evenhand

PROJECT = Path(__file__).parents[1]
sys.path.append(str(PROJECT / "tests"))
import postgres_server as pg  # noqa: E402

ROWS = int(float(sys.argv[1])) if len(sys.argv) > 1 else 20_000_000
missed = []


def compare(name: str, ours: Callable[[], object], theirs: Callable[[], object], limit: float) -> None:
    """Time both, print the ratio."""
    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(5):
        for which, work in (("theirs", theirs), ("ours", ours)):
            start = time.perf_counter()
            work()
            times[which].append(time.perf_counter() - start)
    mine, other = (statistics.median(times[which]) for which in ("ours", "theirs"))
    print(f"{name:<44} {mine:8.2f} s  beside {other:8.2f} s: {mine / other:5.2f} x (at most {limit})", flush=True)
    if mine > limit * other:
        missed.append(name)


def rule() -> evenhand.Rule:
    """Fit one with coins on Adult."""
    with (PROJECT / "data/adult-scores.csv").open() as file:
        rows = list(csv.DictReader(file))
    return evenhand.fit(
        [float(row["score"]) for row in rows],
        {"sex": [row["sex"] for row in rows]},
        label=[int(row["high_income"]) for row in rows],
        criterion="equalized-odds",
        tolerance=0.02,
    ).rule


def check(fair: evenhand.Rule, rows: dict[str, list[Any]]) -> None:
    """Hold some of the rows to what the library says about them."""
    score, sex = rows["score"], rows["sex"]
    assert len(score) >= ROWS // 1009
    assert rows["probability"] == fair.probability(score, sex).tolist()
    assert rows["decision"] == fair.decide(score, sex, id=rows["person"], key="a key").tolist()


def bench_spark(folder: Path) -> None:
    """Tally against groupBy().count(), apply against a plain write."""
    from pyspark.sql import SparkSession

    from evenhand import spark

    session = (
        SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "4g").config("spark.sql.shuffle.partitions", "8")
        .config("spark.log.level", "OFF").getOrCreate()
    )
    session.range(0, ROWS, numPartitions=16).selectExpr(
        "id AS person", "CASE WHEN hash(id) % 3 = 0 THEN 'Female' ELSE 'Male' END AS sex",
        "(pmod(hash(id, 1), 100003)) / 100003D AS score", "pmod(hash(id, 2), 2) AS y",
    ).write.parquet(str(folder / "rows"))
    df = session.read.parquet(str(folder / "rows"))
    fair = rule()
    counted: list[evenhand.Tally] = []
    compare("Spark tally, groupBy().count()",
            lambda: counted.append(spark.tally(df, score="score", sensitive="sex", label="y")),
            lambda: df.groupBy("sex", "score", "y").count().toArrow(), 1.5)
    compare("Spark apply, plain write",
            lambda: spark.apply(df, fair, score="score", id="person", key="a key").write.mode("overwrite").parquet(
                str(folder / "out")),
            lambda: df.write.mode("overwrite").parquet(str(folder / "plain")), 1.5)
    assert all(each == counted[0] for each in counted) and counted[0].total == ROWS
    check(fair, session.read.parquet(str(folder / "out")).where("person % 1009 = 0").toArrow().to_pydict())
    session.stop()


def bench_postgresql(folder: Path) -> None:
    """Apply against a plain SELECT *, both into a file."""
    server = pg.Postgres()
    try:
        made = server.psql(
            "CREATE TABLE people AS SELECT i AS person, CASE WHEN i % 3 = 0 THEN 'Female' ELSE 'Male' END AS sex, "
            f"(i * 7919::bigint % 100003) / 100003::float8 AS score FROM generate_series(1, {ROWS}) AS i;\n"
            "VACUUM ANALYZE people;")
        assert made.returncode == 0, made.stderr
        fair = rule()
        text = fair.to_sql("people", dialect="postgresql", score="score", id="person")

        def run(query: str) -> None:
            command = [str(server.bin / "psql"), "-X", "-q", "-h", str(server.home), "-U", "evenhand", "-d", "postgres"]
            with (folder / "out.csv").open("wb") as out:
                setting = f"SET evenhand.key = '{evenhand.sql.key('a key')}';\n"
                script = f"{setting}COPY ({query}) TO STDOUT WITH (FORMAT csv);"
                subprocess.run(command, input=script.encode(), stdout=out, check=True)

        compare("PostgreSQL apply, SELECT *", lambda: run(text), lambda: run("SELECT * FROM people"), 2.5)
        run(f"SELECT * FROM ({text}) AS decided WHERE person % 1009 = 0")
        with (folder / "out.csv").open() as file:
            person, sex, score, probability, decision = zip(*csv.reader(file), strict=True)
        check(fair, {"person": list(person), "sex": list(sex), "score": [float(x) for x in score],
                     "probability": [float(x) for x in probability], "decision": [int(x) for x in decision]})
    finally:
        server.close()


def main() -> None:
    """Run both."""
    print(f"{ROWS:,} rows", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="evenhand-bench-"))
    try:
        bench_postgresql(folder)
        bench_spark(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if missed:
        sys.exit("missed: " + "; ".join(missed))


main()
