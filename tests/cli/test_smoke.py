"""The shortest way through."""

from pathlib import Path

from conftest import Tool


def test_fit_then_apply_then_audit(tool: Tool, people: Path) -> None:
    """What fit promises, audit finds."""
    tool("fit", people, "--score", "score", "--sensitive", "sex", "--criterion",
         "statistical-parity", "-o", "rule.json").ok()
    tool("apply", people, "--rule", "rule.json", "-o", "out.parquet").ok()
    audit = tool("audit", people, "--rule", "rule.json", "--json").ok().json()
    assert audit["largest_difference"] < 1e-9
