"""`evenhand verify`: no value of a record can be edited without notice."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Tool

# What the data cannot tell: where they came from, who fitted, the name of values that are missing.
OPEN = (("version",), ("source",), ("columns", "null"))
CRITERIA = {
    "odds": ("--criterion", "equalized-odds", "--tolerance", "0.05"),
    "four fifths": ("--criterion", "four-fifths", "--lottery", "none"),
    "blind": ("--criterion", "statistical-parity", "--tolerance", "0.02", "--blind"),
}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield every value that is neither an object nor a list, with its place."""
    if isinstance(value, (dict, list)):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in inner:
            yield from leaves(one, (*path, key))
    elif value is not None:
        yield path, value


def edited(value: Any) -> Any:
    """Return another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value * 1.01 if abs(value) > 1e-6 else value + 0.01
    return value + "x"


def written(tool: Tool, *options: str) -> dict[str, Any]:
    """Fit a rule to random people; return its file."""
    draw = random.Random(4)
    lines = ["p,y,sex,region"]
    for _ in range(150):
        p = round(draw.random(), 2)
        lines.append(f"{p},{int(draw.random() < p)},{draw.choice('FM')},{draw.choice('ns')}")
    tool.write("people.csv", "\n".join(lines) + "\n")
    named = ("--score", "p", "--label", "y", "--sensitive", "sex", "--within", "region")
    tool("fit", "people.csv", *named, *options, "-o", "rule.json").ok()
    rule: dict[str, Any] = json.loads(tool.path("rule.json").read_text())
    return rule


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_value_is_checked(tool: Tool, criterion: str) -> None:
    """An edited one is a no, or makes the file unreadable."""
    rule = written(tool, *CRITERIA[criterion])
    tool("verify", "rule.json", "people.csv").ok()
    unnoticed = []
    no_bound = "none" in rule["fit"]["bound"]
    for path, value in leaves(rule["fit"]):
        if any(path[: len(one)] == one for one in OPEN) or (no_bound and path[0] == "bound"):
            continue
        other = copy.deepcopy(rule)
        at = other["fit"]
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = edited(value)
        tool.write("other.json", json.dumps(other))
        if tool("verify", "other.json", "people.csv").status not in (2, 4):
            unnoticed.append(path)
    assert not unnoticed


def test_what_no_fit_writes_is_named(tool: Tool) -> None:
    """A word that does not exist, another type, a member of nobody's; the order does not matter."""
    rule = written(tool, *CRITERIA["odds"])
    turned = {**rule, "fit": dict(reversed(rule["fit"].items()))}
    tool.write("other.json", json.dumps(turned, indent=3))
    tool("verify", "other.json", "people.csv").ok()
    for name, value in {"lottery": "rare", "rows": 150.5, "approved": True}.items():
        tool.write("other.json", json.dumps({**rule, "fit": {**rule["fit"], name: value}}))
        ran = tool("verify", "other.json", "people.csv")
        assert ran.status == 4
        assert f"{name}: not as a fit writes it" in ran.out
    newer = {**rule["fit"], "version": "0.9.0", "approved": True}
    tool.write("other.json", json.dumps({**rule, "fit": newer}))
    assert "approved: not as a fit of this version writes it" in (
        tool("verify", "other.json", "people.csv").ok().out
    )
