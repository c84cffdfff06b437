"""Files that released versions wrote are read, and decide as they did (docs/stable.md)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import PROJECT, Sql, Tool

RELEASES = sorted(path for path in (PROJECT / "tests/released").iterdir() if path.is_dir())
RULES = [rule for release in RELEASES for rule in sorted(release.glob("*.rule.json"))]
TALLIES = [tally for release in RELEASES for tally in sorted(release.glob("*.parquet"))]
FIT = ("--criterion", "statistical-parity", "-o")


def named(path: Path) -> str:
    """Name a file for pytest."""
    return f"{path.parent.name}-{path.name.split('.')[0]}"


def test_every_release_is_here() -> None:
    """Those that the changelog names, but for the one that is still to come."""
    changelog = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[([\d.]+)\]", changelog, re.MULTILINE)
    assert [release.name for release in RELEASES] == sorted(versions[1:])
    assert len(RULES) >= 8 and len(TALLIES) >= 3


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_rules_decide_as_they_did(tool: Tool, rule: Path) -> None:
    """Bit for bit: probabilities are written so that they read back exactly."""
    tool("show", rule).ok()
    decided = rule.with_name(rule.name.replace(".rule.json", ".decided.csv"))
    if not decided.exists():
        assert rule.name == "soft.rule.json"
        return
    tool.write("key", (rule.parent / "key").read_bytes()).chmod(0o600)
    tool("apply", rule.parent / "people.csv", "--rule", rule, "--id", "person", "--key-file", "key",
         "-o", "all.csv").ok()
    now = [line.split(",") for line in tool.path("all.csv").read_text().splitlines()]
    before = [line.split(",") for line in decided.read_text(encoding="utf-8").splitlines()]
    assert [[row[0], *row[-2:]] for row in now] == before


@pytest.mark.parametrize("tally", TALLIES, ids=named)
def test_tallies_count_as_they_did(tool: Tool, sql: Sql, tally: Path) -> None:
    """The rule from an old tally is that from the rows, or from those rows tallied today."""
    options = {
        "labelled": ("--label", "high_income"),
        "rounded": ("--within", "race", "--resolution", "8"),
        "pooled": ("--label", "high_income", "--min-count", "5"),
    }[tally.stem]
    tool("tally", tally.parent / "people.csv", "--score", "score", "--sensitive", "sex", *options,
         "-o", "today.parquet").ok()
    assert sql(f"FROM '{tally}'") == sql(f"FROM '{tool.path('today.parquet')}'")
    tool("fit", "--tally", tally, *FIT, "old.json").ok()
    tool("fit", "--tally", "today.parquet", *FIT, "new.json").ok()
    old, new = (json.loads(tool.path(name).read_text()) for name in ("old.json", "new.json"))
    assert old["rule"] == new["rule"]
