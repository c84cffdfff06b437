"""What the tool says, recomputed: rules and rows read back, and figures by plain SQL."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import NormalDist
from typing import Any

import duckdb
import numpy as np

from conftest import Sql, Tool

FIGURES = ("weight", "selection_rate", "true_positive_rate", "false_positive_rate", "precision",
           "accuracy", "cost")


def with_nulls(people: Path) -> str:
    """Select people, 50 of them without a sex."""
    return f"SELECT * REPLACE (if(id LIKE 'p%99', NULL, sex) AS sex) FROM '{people}'"


def left_out(tool: Tool, *call: object) -> None:
    """Check that a run on people with nulls counts those that it leaves out."""
    found = tool(*call, "--null", "exclude", "--json").ok().json()
    assert found["excluded"] == 50
    assert found["rows"] == 4950
    assert "50 rows left out" in tool(*call, "--null", "exclude").ok().out


def columns(query: str, *names: str) -> list[np.ndarray]:
    """Read columns of a query's result, in the order of its rows."""
    table = duckdb.connect(":memory:").execute(query).fetchnumpy()
    return [np.asarray(table[name]) for name in names]


def rule_text(path: Path) -> str:
    """Cut the member `rule` out of a rule file, byte for byte."""
    text = path.read_text()
    start = text.index('  "rule": {')
    return text[start : text.index("\n  }", start)]


def applied(tool: Tool, *data: object, rule: str = "rule.json") -> None:
    """Apply a rule into out.parquet."""
    coins = tool.coins() if "--sql" in data else ()
    tool("apply", *data, "--rule", rule, *coins, "-q", "-o", "out.parquet").ok()


def cell_rates(sql: Sql, cells: str, where: str = "true") -> list[tuple[Any, ...]]:
    """Compute each cell's rate from the applied probabilities."""
    return sql(
        f"SELECT {cells}, avg(probability) FROM 'out.parquet' WHERE {where} GROUP BY {cells}"
    )


def largest_difference(sql: Sql, within: str = "true", where: str = "true") -> float:
    """Compute the largest difference between the sexes inside a stratum."""
    return sql(
        f"""SELECT max(d) FROM (SELECT max(r) - min(r) AS d FROM (
              SELECT {within} AS k, sex, avg(probability) AS r FROM 'out.parquet' WHERE {where}
              GROUP BY ALL) GROUP BY k)"""
    )[0][0]


def figures(sql: Sql, data: object, q: str, by: str, y: str = "y", w: str = "1") -> dict[Any, Any]:
    """Compute figures of the decisions q."""
    rows = sql(
        f"""SELECT {by} AS who, sum({w}), sum({w} * {q}) / sum({w}),
                   sum({w} * {q} * {y}) / sum({w} * {y}),
                   sum({w} * {q} * (1 - {y})) / sum({w} * (1 - {y})),
                   sum({w} * {q} * {y}) / sum({w} * {q}),
                   sum({w} * ({y} * {q} + (1 - {y}) * (1 - {q}))) / sum({w}),
                   sum({w} * ({y} * (1 - {q}) + (1 - {y}) * {q})) / sum({w})
            FROM '{data}' GROUP BY who"""
    )
    return {row[0]: dict(zip(FIGURES, row[1:])) for row in rows}


def wilson(p: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Compute Wilson's interval."""
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return middle - half, middle + half
