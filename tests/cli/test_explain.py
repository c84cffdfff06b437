"""`evenhand explain`: why somebody gets a decision, and which score it would have taken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Sql, Tool

PARITY = ("--score", "score", "--sensitive", "sex", "--criterion", "statistical-parity")


@pytest.fixture
def rule(tool: Tool, people: Path) -> Path:
    """Fit a rule with coins for somebody."""
    tool("fit", people, *PARITY, "-o", "rule.json").ok()
    return tool.path("rule.json")


def steps(rule: Path, sex: str) -> list[tuple[float, float]]:
    """Read the steps of a group."""
    cells = json.loads(rule.read_text())["rule"]["cells"]
    return next([tuple(s) for s in cell["steps"]] for cell in cells if cell["values"] == [sex])


def test_the_score_that_was_needed_is_the_rules(tool: Tool, rule: Path) -> None:
    """For certain, and for a chance: the steps of that group."""
    for sex in ("F", "M"):
        found = tool("explain", "--rule", rule, "--score", 0.01, "--group", f"sex={sex}",
                     "--json").ok().json()
        assert found["group"] == {"sex": sex}
        assert (found["probability"], found["decision"], found["coin"]) == (0, 0, None)
        assert found["score_for_certain"] == next(x for x, q in steps(rule, sex) if q == 1)
        assert found["score_for_a_chance"] == next(x for x, q in steps(rule, sex) if q > 0)
        words = tool("explain", "--rule", rule, "--score", 0.01, "--group", f"sex={sex}").ok().out
        assert words.startswith(f"sex={sex}: negative: the score is 0.01; a positive decision needs")
        assert found["words"] in words


def test_rows_are_decided_as_apply_decides(tool: Tool, people: Path, rule: Path, sql: Sql) -> None:
    """With a key, everybody's decision, probability and coin."""
    tool("apply", people, "--rule", rule, *tool.coins(), "-o", "decided.parquet").ok()
    some = f"SELECT * FROM '{people}' WHERE hash(id) % 20 = 0 OR id = 'p1'"
    found = tool("explain", "--sql", some, "--rule", rule, *tool.coins(), "--json").ok().json()
    decided = dict((i, (p, int(d))) for i, p, d in
                   sql("SELECT id, probability, decision FROM 'decided.parquet'"))
    assert len(found) > 100
    for one in found:
        assert decided[one["id"]] == (one["probability"], one["decision"]), one
        if one["coin"] is not None:
            assert (one["coin"] < one["probability"]) == bool(one["decision"])
    one = next(row for row in found if row["id"] == "p1")
    alone = tool("explain", "--rule", rule, "--score", one["score"], "--group",
                 f"sex={one['group']['sex']}", "--id", "p1", "--key-file", "key", "--json").ok()
    assert {k: v for k, v in one.items() if k not in ("row", "id")} == alone.json()


def test_without_a_coin_a_draw_stays_open(tool: Tool, rule: Path) -> None:
    """The chance is said, and no decision."""
    lots = [(sex, x) for sex in ("F", "M") for x, q in steps(rule, sex) if 0 < q < 1]
    assert lots
    for sex, score in lots:
        found = tool("explain", "--rule", rule, "--score", repr(score), "--group", f"sex={sex}",
                     "--json").ok().json()
        assert found["decision"] is None and 0 < found["probability"] < 1
        assert found["words"].startswith("a draw decides")


def test_a_blind_rule_asks_for_no_group(tool: Tool, people: Path) -> None:
    """And a soft one for its columns."""
    tool("fit", people, *PARITY, "--blind", "-o", "blind.json").ok()
    tool("explain", "--rule", "blind.json", "--score", 0.9).ok()
    tool("explain", "--rule", "blind.json", "--score", 0.9, "--group", "sex=F").fails(2, "--group")
    table = f"SELECT *, CASE sex WHEN 'F' THEN 0.8 ELSE 0.3 END AS p_f FROM '{people}'"
    tool("fit", "--sql", table, "--score", "score", "--soft", "p_f", "-o", "soft.json").ok()
    needed = [tool("explain", "--rule", "soft.json", "--score", 0.01, "--soft", f"p_f={g}",
                   "--json").ok().json()["score_for_certain"] for g in (0.3, 0.8)]
    assert needed[1] < needed[0]  # those who probably belong to the group with lower scores
    rows = tool("explain", "--sql", table + " LIMIT 3", "--rule", "soft.json").ok().out
    assert len(rows.splitlines()) == 3


def test_show_has_the_words_of_a_letter(tool: Tool, rule: Path) -> None:
    """What holds for each group, in sentences."""
    out = tool("show", rule).ok().out
    lines = out[out.index("In a letter"):].splitlines()
    for line, sex in zip(lines[1:3], ("F", "M"), strict=True):
        assert line.strip().startswith(f"sex={sex}: A score of ")
        assert "or more gets a positive decision." in line
        assert line.endswith("A lower score gets a negative decision.")


@pytest.mark.parametrize("policy", ["score", "reject"])
def test_missing_groups_are_explained_as_they_are_decided(
    tool: Tool, people: Path, policy: str
) -> None:
    """Where --null names none, they are cells that the rule has never seen, as for apply."""
    some = f"SELECT * FROM '{people}' ORDER BY id LIMIT 50"
    tool("fit", "--sql", some, "--score", "score", "--sensitive", "sex", "--criterion",
         "statistical-parity", "-o", "some.json").ok()
    holes = f"SELECT * REPLACE (if(id LIKE '%3', NULL, sex) AS sex) FROM ({some})"
    ask = ("--sql", holes, "--rule", "some.json", *tool.coins())
    for command in ("apply", "explain"):
        tool(command, *ask).fails(2, "in sex", "--null NAME", "--unseen score or reject")
    tool("apply", *ask, "--unseen", policy, "-o", "out.json").ok()
    decided = json.loads(tool.path("out.json").read_text())
    found = tool("explain", *ask, "--unseen", policy, "--json").ok().json()
    assert {row["group"]["sex"] for row in found} == {"F", "M", None}
    for row, one in zip(sorted(decided, key=lambda r: str(r["id"])),
                        sorted(found, key=lambda r: str(r["id"])), strict=True):
        assert (row["probability"], row["decision"]) == (one["probability"], one["decision"])
        assert one.get("unseen", False) == (row["sex"] is None)
    words = tool("explain", *ask, "--unseen", policy).ok().out
    assert "sex=(missing) (a group that the rule does not know)" in words


def test_a_missing_score_is_nobody_elses_fault(tool: Tool, people: Path, rule: Path) -> None:
    """It cannot be left out: the advice is that of apply."""
    holes = f"SELECT * REPLACE (NULL AS score) FROM '{people}' LIMIT 1"
    for command in ("apply", "explain"):
        told = tool(command, "--sql", holes, "--rule", rule, *tool.coins())
        told.fails(2, "nobody can be decided without a score")


def test_bad_questions(tool: Tool, people: Path, rule: Path) -> None:
    """One line each."""
    ask = ("explain", "--rule", rule)
    tool(*ask).fails(2, "DATA", "--score")
    tool(*ask, "--score", 0.5).fails(2, "asks for sex", "--group sex=VALUE")
    tool(*ask, "--score", 0.5, "--group", "sex=X").fails(2, "never seen sex=X", "--unseen")
    tool(*ask, "--score", 0.5, "--group", "race=X").fails(2, "race=X", "sex")
    tool(*ask, "--score", 0.5, "--group", "sex=F", "--group", "sex=M").fails(2, "twice")
    tool(*ask, "--score", 1.5, "--group", "sex=F").fails(2, "1.5")
    tool(*ask, "--score", "half", "--group", "sex=F").fails(2, "--score")
    tool(*ask, "--score", 0.5, "--group", "sex=F", "--seed", 3).fails(2, "--id")
    tool(*ask, "--score", 0.5, "--group", "sex=F", "--id", "p1").fails(2, "--key-file")
    tool(*ask, people, "--group", "sex=F").fails(2, "one person")
    tool(*ask, people, "--score", "nothing").fails(2, "nothing")
    tool("explain", "--rule", "nowhere.json", "--score", 0.5).fails(2, "nowhere.json")
    out = tool(*ask, "--score", 0.5, "--group", "sex=X", "--unseen", "reject").ok().out
    assert out.startswith("sex=X (a group that the rule does not know): negative")
