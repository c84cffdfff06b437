"""Fits of the people that several files of tests ask for."""

from __future__ import annotations

from conftest import Tool
from recompute import rule_text

PARITY = ("--score", "score", "--sensitive", "sex", "--criterion", "statistical-parity")
FULL = (*PARITY, "--within", "race", "--label", "y")


def fitted(tool: Tool, *arguments: object, stdin: bytes | None = None) -> str:
    """Fit into fitted.json, and return the text of the rule."""
    tool("fit", *arguments, "-o", "fitted.json", stdin=stdin).ok()
    return rule_text(tool.path("fitted.json"))
