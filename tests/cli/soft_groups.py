"""What the tests of soft groups share."""

from __future__ import annotations

import json
from typing import Any

from conftest import Sql, Tool

SOFT = ("--score", "score", "--soft", "pf")


def rule_of(tool: Tool, name: str = "rule.json") -> dict[str, Any]:
    """Read the rule in a file."""
    return json.loads(tool.path(name).read_text())["rule"]


def gap(sql: Sql, column: str, within: str = "true", weight: str = "1") -> float:
    """Compute the largest difference between those who belong and the others in a stratum."""
    g = f"({weight}) * {column}"
    rest = f"({weight}) * (1 - {column})"
    return sql(
        f"""SELECT max(abs(a - b)) FROM (
              SELECT sum({g} * probability) / sum({g}) AS a,
                     sum({rest} * probability) / sum({rest}) AS b
              FROM 'out.parquet' GROUP BY {within})"""
    )[0][0]
