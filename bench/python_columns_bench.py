"""What the Python package does around a fit: columns of texts, ids, one person at a time.

Texts of every library beside the fit itself, which is that of the same groups as whole numbers;
decisions with ids beside SHA-256 by OpenSSL of these ids, of which ``evenhand_people_bench
--sha256`` says the seconds. Times are medians of rounds in turn. Exits with 1 when an answer is
wrong or a figure misses its limit.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import evenhand
from evenhand import _inputs

ROWS = 1_000_000
ROUNDS = 7
CODING = 1.5  # times the fit itself
HASHING = 3.0  # times SHA-256
ONE_PERSON = 2.0  # microseconds
RACES = ("White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other")
RULE = """{"evenhand": 1, "rule": {"attributes": ["sex"], "scale": "probability",
  "favorable": "high", "otherwise": 0.5, "cells": [
    {"values": ["F"], "start": 0, "steps": [[0.25, 0.5], [0.75, 1]]},
    {"values": ["M"], "start": 0, "steps": [[0.25, 0.5], [0.75, 1]]}]}}"""

missed = False


def seconds(work: Callable[[], Any]) -> float:
    """Return the time that it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def judge(what: str, figure: float, most: float, unit: str, shown: str = "") -> None:
    """Print a figure beside its limit."""
    global missed
    missed = missed or figure > most
    verdict = "ok" if figure <= most else "MISSED"
    print(f"  {what:<46}{figure:>8.2f} {unit}  (at most {most:g})  {shown:>10}  {verdict}")


def require(holds: bool, what: str) -> None:
    """Stop at a wrong answer."""
    if not holds:
        print(f"WRONG ANSWER: {what}", file=sys.stderr)
        sys.exit(1)


def columns_of_texts(sex: Any, race: Any) -> dict[str, tuple[Any, Any]]:
    """Return two columns of texts as every library has them."""
    fresh = [np.array([str(one + " ")[:-1] for one in column], object) for column in (sex, race)]
    made: dict[str, Callable[[Any], Any]] = {
        "NumPy, objects": lambda column: column,
        "NumPy, texts of one width": lambda column: column.astype(str),
        "pandas, object": lambda column: pd.Series(column, dtype=object),
        "pandas, str": lambda column: pd.Series(column, dtype="str"),
        "pandas, string[python]": lambda column: pd.Series(column, dtype="string[python]"),
        "pandas, string[pyarrow]": lambda column: pd.Series(column, dtype="string[pyarrow]"),
        "pandas, category": lambda column: pd.Series(column).astype("category"),
        "polars": lambda column: pl.Series(column.tolist()),
        "Arrow": lambda column: pa.array(column),
        "Arrow, large_string": lambda column: pa.array(column, pa.large_string()),
    }
    out = {name: (make(sex), make(race)) for name, make in made.items()}
    out["NumPy, objects of their own"] = (fresh[0], fresh[1])
    return out


def bench_texts() -> None:
    """Compare the coding of two columns with the fit."""
    rng = np.random.default_rng(3)
    sex, race = rng.integers(0, 2, ROWS), rng.integers(0, len(RACES), ROWS)
    score = rng.random(ROWS) ** (1 + sex / 3 + race / 9)
    names = np.array(("F", "M"), object)[sex], np.array(RACES, object)[race]

    def fit(one: Any, other: Any) -> evenhand.Fit:
        return evenhand.fit(score, {"sex": one, "race": other}, criterion="statistical-parity")

    def code(one: Any, other: Any) -> Any:
        return _inputs.attribute(one, "sex"), _inputs.attribute(other, "race")

    given = columns_of_texts(*names)
    fits: list[float] = []
    codings: dict[str, list[float]] = {kind: [] for kind in given}
    for _ in range(ROUNDS):
        fits.append(seconds(lambda: fit(sex, race)))
        for kind, (one, other) in given.items():
            codings[kind].append(seconds(lambda one=one, other=other: code(one, other)))  # type: ignore[misc]
    whole = statistics.median(fits)
    print(f"two columns of texts, {ROWS:,} rows, beside the fit itself ({1e3 * whole:.1f} ms):")
    reference = fit(*names).rule
    for kind, columns in given.items():
        require(fit(*columns).rule == reference, f"{kind}: another rule")
        time_of = statistics.median(codings[kind])
        judge(kind, time_of / whole, CODING, "times", f"{1e3 * time_of:.1f} ms")


def bench_ids(rule: evenhand.Rule, hasher: str) -> None:
    """Compare decisions with ids with the hashes of these ids."""
    ids = [f"person-{i}" for i in range(ROWS)]
    score, sex = np.full(ROWS, 0.5), np.array(("F", "M"), object)[np.arange(ROWS) % 2]
    chance = rule.probability(score, sex)
    require(bool(np.all((chance > 0) & (chance < 1))), "everybody should need a coin")
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("".join(f"{one}\n" for one in ids))
        file.flush()
        done = subprocess.run([hasher, "--sha256", file.name], capture_output=True, check=True)
    hashing = float(done.stdout)
    print(f"decide, {ROWS:,} ids, a coin for each, beside their SHA-256 ({1e3 * hashing:.1f} ms):")
    kinds = {
        "texts in a list": ids,
        "NumPy, objects": np.array(ids, object),
        "pandas, str": pd.Series(ids, dtype="str"),
        "polars": pl.Series(ids),
        "Arrow": pa.array(ids),
    }
    expected = rule.decide(score, sex, id=ids, key="a key")
    for kind, column in kinds.items():
        times = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            decided = rule.decide(score, sex, id=column, key="a key")
            times.append(time.perf_counter() - start)
            require(bool(np.all(decided == expected)), f"{kind}: other decisions")
        time_of = statistics.median(times)
        judge(kind, time_of / hashing, HASHING, "times", f"{1e3 * time_of:.1f} ms")


def bench_one_person(rule: evenhand.Rule) -> None:
    """Time decisions about one person."""
    many = 100_000

    def each(work: Callable[[], Any]) -> float:
        times = []
        for _ in range(5):
            start = time.process_time()
            for _ in range(many):
                work()
            times.append(time.process_time() - start)
        return 1e6 * statistics.median(times) / many

    print("one person:")
    judge("probability", each(lambda: rule.probability(0.5, sex="F")), ONE_PERSON, "us")
    judge("decide by seed", each(lambda: rule.decide(0.5, sex="F", seed=1)), ONE_PERSON, "us")
    tossed = each(lambda: rule.decide(0.5, sex="F", id="ann", key="a key"))
    judge("decide by id and key", tossed, ONE_PERSON, "us")


def main() -> int:
    """Run all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("hasher", help="evenhand_people_bench, which times SHA-256")
    options = parser.parse_args()
    rule = evenhand.Rule.from_json(RULE)
    bench_texts()
    bench_ids(rule, options.hasher)
    bench_one_person(rule)
    if missed:
        print("at least one figure missed its limit")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
