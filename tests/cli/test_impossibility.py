"""`evenhand theory impossibility`: Theorem 2, against its formula worked out again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Sql, Tool
from recompute import columns

FOUR = "d,g,sex,w,p\n1,1,F,1,0.9\n1,0,M,2,0.6\n0,1,F,1,0.5\n0,0,M,1,0.1\n"
MISSING = "d,g,sex,w,p\n1,1,F,1,0.9\n1,0,,2,0.6\n0,1,F,,0.5\n0,0,M,1,0.1\n,0,M,1,0.1\n"
CONTROL = r"[\x00-\x09\x0b-\x1f\x7f]"


def impossible(d: np.ndarray, g: np.ndarray, n: np.ndarray) -> dict[str, Any]:
    """Work Theorem 2 from its definition."""
    share = n / n.sum()
    selected, mean = (share * d).sum(), (share * g).sum()
    deviation = (share * abs(g - mean)).sum()
    witness = (g > mean) == (d == 1)
    value = 0.0
    for side in (witness, ~witness):
        inside = share[side].sum()
        if inside > 0:
            s = share[side] / inside
            covariance = (s * d[side] * g[side]).sum() - (s * d[side]).sum() * (s * g[side]).sum()
            value += inside * abs(covariance)
    return {"selection_rate": selected, "mean_membership": mean, "deviation": deviation,
            "bound": deviation / 2 * min(selected, 1 - selected), "value": value,
            "inside": int(witness.sum()), "outside": int((~witness).sum()), "witness": witness}


def same(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Assert that the tool says what was computed, and that the theorem holds."""
    for key in ("selection_rate", "mean_membership", "deviation", "bound", "value"):
        assert found[key] == pytest.approx(wanted[key], abs=1e-12), key
    for key in ("inside", "outside"):
        assert found[key] == wanted[key]
    assert found["value"] >= found["bound"] - 1e-12


def test_the_four_people_of_the_documents(tool: Tool) -> None:
    """One in each group is selected, and still a split in two is unfair."""
    tool.write("four.csv", FOUR)
    text = tool("theory", "impossibility", "four.csv", "--decision", "d", "--membership", "g", "-o",
                "out.csv").ok().out
    assert re.search(r"bound +0\.125\b", text)
    assert re.search(r"witness has +0\.25\b", text)
    assert "out.csv" in text
    lines = tool.path("out.csv").read_text().splitlines()
    assert lines[0] == "d,g,sex,w,p,witness"
    assert [line[-1] for line in lines[1:]] == ["1", "0", "0", "1"]


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("who", ["membership", "sensitive", "truth"])
@pytest.mark.parametrize("what", ["decision", "score", "threshold"])
def test_impossibility_is_theorem_2(
    tool: Tool, people: Path, who: str, what: str, weight: str | None
) -> None:
    """Every figure, and the witness of every row, from its definition."""
    query = f"""SELECT *, (hash(id) % 1000 / 999.0)::DOUBLE AS g, sex = 'F' AS woman,
                y = 1 AS yes FROM '{people}'"""
    score, yes, g, sex, w = columns(query, "score", "yes", "g", "sex", "w")
    d, asked_d = {
        "decision": (yes, ["--decision", "yes"]),
        "score": (score > 0.5, ["--score", "score"]),
        "threshold": (score >= 0.3, ["--score", "score", "--base-threshold", "0.3"]),
    }[what]
    m, asked_m = {
        "membership": (g, ["--membership", "g"]),
        "sensitive": (sex == "F", ["--sensitive", "sex", "--group", "F"]),
        "truth": (sex == "F", ["--membership", "woman"]),
    }[who]
    n = w.astype(float) if weight else np.ones(len(w))
    wanted = impossible(d.astype(float), m.astype(float), n)
    found = tool("theory", "impossibility", "--sql", query, *asked_d, *asked_m,
                 *(["--weight", weight] if weight else []), "-o", "out.parquet", "--json")
    same(found.ok().json(), wanted)
    assert found.json()["rows"] == 5000
    (told,) = columns(f"SELECT * FROM '{tool.path('out.parquet')}'", "witness")
    assert told.tolist() == wanted["witness"].astype(int).tolist()


def test_random_splits_never_beat_the_theorem(tool: Tool) -> None:
    """Ten little populations: the witness is at least the bound."""
    random = np.random.default_rng(3)
    for _ in range(10):
        d, g = random.integers(0, 2, 12), random.random(12).round(2)
        w = random.integers(0, 3, 12) + (np.arange(12) == 0)
        tool.write("d.csv", "d,g,w\n" + "".join(f"{a},{b},{c}\n" for a, b, c in zip(d, g, w)))
        found = tool("theory", "impossibility", "d.csv", "--decision", "d", "--membership", "g",
                     "--weight", "w", "--json").ok().json()
        same(found, impossible(d.astype(float), g, w.astype(float)))


def test_nothing_is_impossible_where_all_are_alike(tool: Tool) -> None:
    """Constant decisions, or constant membership: 0."""
    tool.write("same.csv", "d,g,k\n1,0.2,0.5\n1,0.9,0.5\n1,0.4,0.5\n")
    for column in ("g", "k"):
        found = tool("theory", "impossibility", "same.csv", "--decision", "d", "--membership",
                     column, "--json").ok().json()
        assert found["bound"] == pytest.approx(0, abs=1e-15)
        assert found["value"] == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("out", ["o.csv", "o.parquet", "o.json", "o.ndjson", "o.csv.gz"])
def test_the_witness_is_written_in_every_format(tool: Tool, sql: Sql, out: str) -> None:
    """All columns of the input, and one more, by any name."""
    tool.write("four.csv", FOUR)
    tool("theory", "impossibility", "four.csv", "--score", "p", "--sensitive", "sex", "--group",
         "F", "-o", out, "--witness-name", 'my "side"').ok()
    side = '"my ""side"""'
    assert sql(f"SELECT d::INTEGER, sex, {side}::INTEGER FROM '{out}' ORDER BY p DESC") == [
        (1, "F", 1), (1, "M", 0), (0, "F", 0), (0, "M", 1)]


def test_missing_values_are_an_error_left_out_or_named(tool: Tool) -> None:
    """As for every other command that reads rows."""
    tool.write("m.csv", MISSING)
    asked = ("theory", "impossibility", "m.csv", "--decision", "d", "--sensitive", "sex", "--group",
             "F")
    tool(*asked).fails(2, "missing", "1 in d", "1 in sex", "--null exclude")
    found = tool(*asked, "--null", "exclude", "--json").ok().json()
    assert (found["rows"], found["excluded"]) == (3, 2)
    same(found, impossible(np.array([1.0, 0, 0]), np.array([1.0, 1, 0]), np.ones(3)))
    weighted = tool(*asked, "--weight", "w", "--null", "exclude", "--json").ok().json()
    assert (weighted["rows"], weighted["excluded"]) == (2, 3)
    named = ("theory", "impossibility", "--sql", "SELECT * FROM 'm.csv' WHERE d IS NOT NULL",
             "--decision", "d", "--sensitive", "sex", "--group", "?", "--null", "?", "--json")
    same(tool(*named).ok().json(),
         impossible(np.array([1.0, 1, 0, 0]), np.array([0.0, 1, 0, 0]), np.ones(4)))


@pytest.mark.parametrize("weight", [(), ("--weight", "w")])
def test_rows_left_out_are_on_neither_side(
    tool: Tool, sql: Sql, weight: tuple[str, ...]
) -> None:
    """The file's sides are those that were counted."""
    tool.write("m.csv", MISSING)
    found = tool("theory", "impossibility", "m.csv", "--decision", "d", "--sensitive", "sex",
                 "--group", "F", *weight, "--null", "exclude", "-o", "o.parquet",
                 "--json").ok().json()
    assert sql("""SELECT count(*) FILTER (witness = 1), count(*) FILTER (witness = 0),
                  count(*) FILTER (witness IS NULL) FROM 'o.parquet'""") == [
        (found["inside"], found["outside"], found["excluded"])]


def test_the_input_is_not_overwritten(tool: Tool) -> None:
    """Neither as DATA, nor by a link, nor as named in --sql."""
    tool.write("four.csv", FOUR)
    tool.path("link.csv").symlink_to("four.csv")
    asked = ("--decision", "d", "--membership", "g", "-o")
    for out in ("four.csv", "./four.csv", "link.csv"):
        tool("theory", "impossibility", "four.csv", *asked, out).fails(2, "input")
    ran = tool("theory", "impossibility", "--sql", "SELECT * FROM 'four.csv'", *asked, "four.csv")
    assert tool.path("four.csv").read_text() == FOUR
    ran.fails(2, "input")


def test_hostile_names_and_values(tool: Tool, sql: Sql) -> None:
    """Quotes, semicolons, line ends and escapes in columns and groups."""
    group = "\x1b[31m'; DROP TABLE x; --\n\"é"
    sql(f"""COPY (SELECT d AS "d ""; x", g AS "g'\n", CASE sex WHEN 'F' THEN ? ELSE sex END AS "s,"
            FROM (VALUES (1, 1, 'F'), (1, 0, 'M'), (0, 1, 'F'), (0, 0, 'M')) t(d, g, sex))
            TO '{tool.path("h.parquet")}'""", group)
    decision = ("theory", "impossibility", "h.parquet", "--decision", 'd "; x')
    one = tool(*decision, "--membership", "g'\n", "--json").ok().json()
    other = tool(*decision, "--sensitive", "s,", "--group", group, "-o", "o.csv", "--json")
    assert other.ok().json() == one
    ran = tool(*decision, "--sensitive", "s,", "--group", "\x1b[2J\nX").fails(2, "--group")
    assert not re.search(CONTROL, ran.err.rstrip("\n"))
    text = tool(*decision, "--sensitive", "s,", "--group", group, "-o", "p.csv",
                "--witness-name", "\x1bw").ok().out
    assert not re.search(CONTROL, text)


# --- What is refused: one line, status 2, nothing left behind.


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ([], ["--decision", "--score"]),
        (["--decision", "d"], ["--membership", "--sensitive"]),
        (["--membership", "g"], ["--decision", "--score"]),
        (["--decision", "d", "--score", "p", "--membership", "g"], ["--decision", "--score"]),
        (["--decision", "d", "--membership", "g", "--sensitive", "sex", "--group", "F"],
         ["--membership", "--sensitive"]),
        (["--decision", "d", "--sensitive", "sex"], ["--sensitive", "--group"]),
        (["--decision", "d", "--membership", "g", "--group", "F"], ["--group"]),
        (["--decision", "d", "--sensitive", "sex", "--group", "X"], ["X", "--group", "four.csv"]),
        (["--decision", "d", "--membership", "g", "--base-threshold", "0.3"],
         ["--base-threshold", "--score"]),
        (["--score", "p", "--membership", "g", "--base-threshold", "x"], ["--base-threshold", "x"]),
        (["--score", "p", "--membership", "g", "--base-threshold", "nan"], ["threshold"]),
        (["--decision", "p", "--membership", "g"], ["row 1", "0.9"]),
        (["--decision", "d", "--membership", "w"], ["row 2", "2", "probability"]),
        (["--score", "w", "--membership", "g"], ["row 2", "score"]),
        (["--decision", "d", "--membership", "sex"], ["row 1", "F", "not a number"]),
        (["--decision", "d", "--membership", "g", "--weight", "sex"], ["weight", "F"]),
        (["--decision", "nope", "--membership", "g"], ["nope", "--decision"]),
        (["--decision", "d", "--membership", "nope"], ["nope", "--membership"]),
        (["--decision", "d", "--membership", "g", "--weight", "nope"], ["nope", "--weight"]),
        (["--decision", "d", "--membership", "g", "-o", "-"], ["standard output"]),
        (["--decision", "d", "--membership", "g", "-o", "o"], ["ending"]),
        (["--decision", "d", "--membership", "g", "-o", "no/o.csv"], ["no"]),
        (["--decision", "d", "--membership", "g", "-o", "o.csv", "--output-format", "xml"],
         ["xml"]),
        (["--decision", "d", "--membership", "g", "-o", "o.csv", "--witness-name", "w"],
         ["w", "--witness-name"]),
        (["--decision", "d", "--membership", "g", "-o", "o.csv", "--witness-name", "W"],
         ["W", "--witness-name"]),
        (["--decision", "d", "--membership", "g", "-o", "o.csv", "--witness-name", ""],
         ["--witness-name"]),
        (["--decision", "d", "--membership", "g", "--scale", "logit"], ["--scale"]),
    ],
)
def test_impossibility_refuses_what_it_cannot_use(
    tool: Tool, arguments: list[str], parts: list[str]
) -> None:
    """What is wrong, and where."""
    tool.write("four.csv", FOUR)
    tool("theory", "impossibility", "four.csv", *arguments).fails(2, *parts)
    assert tool.files() == {"four.csv"}


def test_weights_that_are_none(tool: Tool) -> None:
    """All 0, negative, or no rows at all."""
    tool.write("w.csv", "d,g,z,m\n1,1,0,1\n0,0,0,-1\n")
    asked = ("--decision", "d", "--membership", "g")
    tool("theory", "impossibility", "w.csv", *asked, "--weight", "z").fails(2, "weight")
    tool("theory", "impossibility", "w.csv", *asked, "--weight", "m").fails(2, "row 2", "-1")
    tool.write("none.csv", "d,g\n")
    tool("theory", "impossibility", "none.csv", *asked).fails(2, "none.csv", "no rows")
    tool("theory", "impossibility", *asked).fails(2, "DATA")
    tool("theory", "impossibility", "gone.csv", *asked).fails(2, "gone.csv")
