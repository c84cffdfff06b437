"""`evenhand fit --lottery`: coins for few people or for none, and what that costs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conftest import PROJECT, Sql, Tool
from fitting import PARITY
from recompute import applied

ADULT = PROJECT / "data" / "adult-scores.csv"
ODDS = ("--score", "score", "--label", "high_income", "--sensitive", "sex", "--criterion", "equalized-odds")


def test_fit_says_whom_coins_decide_and_what_none_would_cost(tool: Tool) -> None:
    """The figures of equalized odds on Adult."""
    out = tool("fit", ADULT, *ODDS, "--tolerance", "0.02").ok().out
    assert "coins decide 502 of 16,281 people (3.08 %)" in out
    assert re.search(r"sex=Female: 502 with scores from 0\.\d+ to 0\.\d+", out)
    assert "no coin: 83.83 % (0.65 points less); the same accuracy without a coin needs tolerance 0.0296" in out


def test_without_coins_every_probability_is_0_or_1(tool: Tool, people: Path, sql: Sql) -> None:
    """And the tolerance holds."""
    tool("fit", people, *PARITY, "--tolerance", "0.05", "--lottery", "none", "-o", "rule.json").ok()
    applied(tool, people)
    assert sql("SELECT count(*) FROM 'out.parquet' WHERE probability NOT IN (0, 1)") == [(0,)]
    rates = sql("SELECT avg(probability) FROM 'out.parquet' GROUP BY sex")
    assert max(rates)[0] - min(rates)[0] <= 0.05 + 1e-12


def test_a_useless_rule_without_coins_is_no_error_but_said(tool: Tool) -> None:
    """The smallest useful tolerance comes with the warning, and it is one."""
    ran = tool("fit", ADULT, *ODDS, "--lottery", "none", "-o", "rule.json").ok()
    found = re.search(r"says no to everybody; a better one needs tolerance (\S+)", ran.err)
    assert found
    better = tool("fit", ADULT, *ODDS, "--lottery", "none", "--tolerance", str(float(found[1]) * 1.001), "--json")
    assert better.ok().json()["primal"] > 0
    assert "everybody" not in better.err


def test_a_largest_lottery_is_kept_in_every_group(tool: Tool) -> None:
    """At most one percent of either sex."""
    fit = tool("fit", ADULT, *ODDS, "--tolerance", "0.02", "--max-lottery", "0.01", "--json").ok().json()
    assert fit["primal"] == pytest.approx(1218.6676, abs=5e-5)
    assert all(cell["lottery_share"] <= 0.01 for cell in fit["cells"])


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--max-lottery", "1.5"), "from 0 to 1, not 1.5"),
        (("--max-lottery", "-0.1"), "from 0 to 1, not -0.1"),
        (("--lottery", "some"), "fewest, least-chance or none"),
        (("--lottery", "none", "--max-lottery", "0.1"), "--lottery none"),
        (("--lottery", "none", "--gamma", "0.1"), "gamma 0"),
        (("--max-lottery", "0.1", "--gamma", "0.1"), "gamma 0"),
        (("--lottery", "none", "--solver", "sgd"), "--solver sgd"),
    ],
)
def test_options_that_contradict_each_other(tool: Tool, people: Path, options: tuple[str, ...], part: str) -> None:
    """One line, exit status 2."""
    tool("fit", people, *PARITY, *options).fails(2, part)


@pytest.mark.parametrize("options", [("--lottery", "none"), ("--max-lottery", "0.01")])
def test_a_small_group_that_stands_in_the_way_is_named(tool: Tool, options: tuple[str, ...]) -> None:
    """Seven people of a third group, whose rate is hardly ever that of others."""
    rows = [f"{'ab'[i % 2]},{(i + 0.5) / 400},{int(i > 150 + 60 * (i % 2))}" for i in range(400)]
    rows += [f"tiny,{0.9 - 0.13 * i},{i % 2}" for i in range(7)]
    (tool.folder / "rows.csv").write_text("g,score,y\n" + "\n".join(rows) + "\n")
    fit = ("fit", "rows.csv", "--score", "score", "--label", "y", "--sensitive", "g", "--criterion", "equalized-odds")
    for blind in ((), ("--blind",)):
        ran = tool(*fit, "--tolerance", "0.001", *options, *blind).ok()
        named = "g=tiny has only 3 favourable outcomes, and its rate moves in steps of 33.33 %"
        constant = re.search(r"the best rule with.* says \w+ to everybody.*; " + named, ran.err)
        assert constant or (options[0] == "--max-lottery" and "groups are small: " + named in ran.out)
