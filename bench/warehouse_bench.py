"""Spark and PostgreSQL at work for evenhand, beside what they do anyway; fails when a limit is missed.

    python bench/warehouse_bench.py [ROWS]

Each pair is timed in turn, three times; the ratio is that of the medians.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import evenhand

PROJECT = Path(__file__).parents[1]
sys.path.append(str(PROJECT / "tests"))
import postgres_server as pg  # noqa: E402

ROWS = int(float(sys.argv[1])) if len(sys.argv) > 1 else 20_000_000
missed = []


def compare(name: str, ours: Callable[[], object], theirs: Callable[[], object], limit: float) -> None:
    """Time both, print the ratio."""
    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(3):
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
    import csv

    with (PROJECT / "data/adult-scores.csv").open() as file:
        rows = list(csv.DictReader(file))
    return evenhand.fit(
        [float(row["score"]) for row in rows],
        {"sex": [row["sex"] for row in rows]},
        label=[int(row["high_income"]) for row in rows],
        criterion="equalized-odds",
        tolerance=0.02,
    ).rule


def bench_spark(folder: Path) -> None:
    """Tally against groupBy().count(), apply against a plain write."""
    from pyspark.sql import SparkSession

    from evenhand import spark

    session = (
        SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "4g").config("spark.sql.shuffle.partitions", "8")
        .config("spark.log.level", "OFF").getOrCreate()
    )
    session.range(0, ROWS, numPartitions=16).selectExpr(
        "id AS person", "CASE WHEN hash(id) % 3 = 0 THEN 'Female' ELSE 'Male' END AS sex",
        "(pmod(hash(id, 1), 100003)) / 100003D AS score", "pmod(hash(id, 2), 2) AS y",
    ).write.parquet(str(folder / "rows"))
    df = session.read.parquet(str(folder / "rows"))
    fair = rule()
    compare("Spark tally, groupBy().count()",
            lambda: spark.tally(df, score="score", sensitive="sex", label="y"),
            lambda: df.groupBy("sex", "score", "y").count().toArrow(), 1.5)
    compare("Spark apply, plain write",
            lambda: spark.apply(df, fair, score="score", id="person", key="a key").write.mode("overwrite").parquet(
                str(folder / "out")),
            lambda: df.write.mode("overwrite").parquet(str(folder / "out")), 1.5)
    session.stop()


def bench_postgresql(folder: Path) -> None:
    """Apply against a plain SELECT *, both into a file."""
    server = pg.Postgres()
    rows = ROWS // 10
    try:
        made = server.psql(
            "CREATE TABLE people AS SELECT i AS person, CASE WHEN i % 3 = 0 THEN 'Female' ELSE 'Male' END AS sex, "
            f"(i * 7919::bigint % 100003) / 100003::float8 AS score FROM generate_series(1, {rows}) AS i;\n"
            "VACUUM ANALYZE people;")
        assert made.returncode == 0, made.stderr
        text = rule().to_sql("people", dialect="postgresql", score="score", id="person")

        def run(query: str) -> None:
            command = [str(server.bin / "psql"), "-X", "-q", "-h", str(server.home), "-U", "evenhand", "-d", "postgres"]
            with (folder / "out.csv").open("wb") as out:
                setting = f"SET evenhand.key = '{evenhand.sql.key('a key')}';\n"
                script = f"{setting}COPY ({query}) TO STDOUT WITH (FORMAT csv);"
                subprocess.run(command, input=script.encode(), stdout=out, check=True)

        compare(f"PostgreSQL apply, SELECT * ({rows:,} rows)", lambda: run(text),
                lambda: run("SELECT * FROM people"), 2.5)
    finally:
        server.close()


def main() -> None:
    """Run both."""
    folder = Path(tempfile.mkdtemp(prefix="evenhand-bench-"))
    try:
        bench_postgresql(folder)
        bench_spark(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if missed:
        sys.exit("missed: " + "; ".join(missed))


main()
