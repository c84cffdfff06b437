"""`evenhand apply`: every row gets the decision that the rule and its coin say."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
from pathlib import Path

import pytest
from conftest import Sql, Tool
from recompute import with_nulls

RULE = """{
  "evenhand": 1,
  "rule": {
    "attributes": ["sex"],
    "scale": "probability",
    "favorable": "high",
    "otherwise": 0.5,
    "cells": [
      {"values": ["F"], "start": 0, "steps": [[0.25, 0.5], [0.75, 1]]},
      {"values": ["M"], "start": 0.25, "steps": [[0.5, 0.75]]}
    ]
  },
  "fit": {"columns": {"score": "score"}}
}
"""


def coin(prefix: str, who: str) -> float:
    """Toss the coin of docs/formats.md."""
    digest = hashlib.sha256(f"{prefix}\x1f{who}".encode()).digest()
    return (int.from_bytes(digest[:7], "big") >> 4) / 2**52


@pytest.fixture
def rule(tool: Tool) -> Path:
    """Write a small rule with lots in both cells."""
    return tool.write("rule.json", RULE)


def rows_of(text: str) -> list[dict[str, str]]:
    """Read CSV."""
    return list(csv.DictReader(io.StringIO(text)))


# --- Coins.


def test_the_coin_of_a_person_is_the_documented_hash_of_key_and_id(
    tool: Tool, people: Path, rule: Path
) -> None:
    """Anybody who has the key can check a decision."""
    tool.write("key", b"\x00 a secret \xff\n")
    prefix = hashlib.sha256(b"\x00 a secret \xff\n").hexdigest()
    ran = tool("apply", people, "--rule", rule, "--id", "id", "--key-file", "key").ok()
    rows = rows_of(ran.out)
    assert len(rows) == 5000
    for row in rows:
        wanted = coin(prefix, row["id"]) < float(row["probability"])
        assert row["decision"] == str(int(wanted)), row
    lots = sum(0 < float(row["probability"]) < 1 for row in rows)
    positive = sum(int(row["decision"]) for row in rows)
    assert 0 < positive < 5000
    said = ran.err.splitlines()[-1]  # after what looks wrong with such a key
    assert said == f"5,000 rows decided, {positive:,} positive, {lots:,} by lot"


@pytest.mark.parametrize("seed", [None, 0, 7, 2**64 - 1])
def test_the_coin_of_a_position_is_the_documented_hash_of_seed_and_position(
    tool: Tool, people: Path, rule: Path, seed: int | None
) -> None:
    """Without ids the position decides, with seed 0 unless told otherwise, and it is said."""
    options = [] if seed is None else ["--seed", seed]
    ran = tool("apply", people, "--rule", rule, *options).ok()
    for position, row in enumerate(rows_of(ran.out)):
        wanted = coin(str(seed or 0), str(position)) < float(row["probability"])
        assert row["decision"] == str(int(wanted)), position
    assert f"seed {seed or 0}" in ran.err
    assert ("--key-file" in ran.err) is (seed is None)


def test_another_key_gives_other_decisions_with_the_same_probabilities(
    tool: Tool, people: Path, rule: Path
) -> None:
    """A key is for one purpose."""
    seen = []
    for key in (b"one", b"two"):
        tool.write("key", key)
        out = tool("apply", people, "--rule", rule, "--id", "id", "--key-file", "key").ok().out
        seen.append([(row["probability"], row["decision"]) for row in rows_of(out)])
    assert [q for q, _ in seen[0]] == [q for q, _ in seen[1]]
    assert [d for _, d in seen[0]] != [d for _, d in seen[1]]


def test_the_same_person_gets_the_same_decision_in_any_order_and_file(
    tool: Tool, people: Path, sql: Sql, rule: Path
) -> None:
    """Nobody can ask again until the coin falls well."""
    tool.write("key", b"secret")
    toss = ("--rule", rule, "--id", "id", "--key-file", "key", "-q")
    tool("apply", people, *toss, "-o", "a.parquet").ok()
    shuffled = f"SELECT score, sex, id FROM '{people}' ORDER BY hash(id || 'x')"
    tool("apply", "--sql", shuffled, *toss, "-o", "b.csv").ok()
    tool("apply", "--sql", f"SELECT * FROM '{people}' WHERE region = 'south'", *toss, "-o",
         "c.ndjson").ok()
    for other in ("b.csv", "c.ndjson"):
        same, all_rows = sql(
            f"""SELECT count(*) FILTER (a.decision = o.decision
                AND a.probability = o.probability), count(*)
                FROM 'a.parquet' a JOIN '{other}' o USING (id)"""
        )[0]
        assert same == all_rows > 1000


def test_ids_may_be_numbers(tool: Tool, rule: Path) -> None:
    """An integer is the same person as its text in a CSV file."""
    tool.write("key", b"k")
    toss = ("--rule", rule, "--id", "n", "--key-file", "key")
    query = "SELECT i AS n, 'F' AS sex, 0.3::DOUBLE AS score FROM range(500) t(i)"
    numbers = tool("apply", "--sql", query, *toss).ok().out
    tool.write("in.csv", "n,sex,score\n" + "".join(f"{i},F,0.3\n" for i in range(500)))
    assert tool("apply", "in.csv", *toss).ok().out == numbers
    prefix = hashlib.sha256(b"k").hexdigest()
    for row in rows_of(numbers):
        assert row["decision"] == str(int(coin(prefix, row["n"]) < 0.5))


# --- What comes out.


def test_the_order_of_rows_is_kept(tool: Tool, sql: Sql, rule: Path) -> None:
    """Row n of the output is row n of the input, in every format and with several cores."""
    big = """SELECT i, ['F', 'M'][(1 + i % 2)::INTEGER] AS sex, (i % 1000) / 1000 AS score
             FROM range(300000) t(i)"""
    sql(f"COPY ({big}) TO '{tool.path('big.parquet')}' (ROW_GROUP_SIZE 20000)")
    for name in ("out.parquet", "out.csv"):
        tool("apply", "big.parquet", "--rule", rule, "--threads", 4, "-q", "-o", name).ok()
        assert sql(
            f"""SELECT count(*), count(*) FILTER (i = r) FROM (SELECT i, row_number() OVER () - 1
                AS r FROM '{name}')"""
        ) == [(300000, 300000)]
    # And the coins are those of the positions.
    some = sql("SELECT i, probability, decision FROM 'out.parquet' WHERE i % 9973 = 0")
    for i, q, decision in some:
        assert decision == int(coin("0", str(i)) < q)


def test_csv_passes_through_as_it_was_written(tool: Tool, rule: Path) -> None:
    """Texts that look like numbers stay texts; an empty text stays different from a missing one."""
    lines = [
        "zip,price,empty,missing,sex,note,score",
        '007,1.50,"",,F,"a ""quoted"", one",0.10',
        "+1,1e3,\"\",,M,' spaces ,.80",
        '00,-0,"",,F,"two\nlines",1',
        "NULL,nan,\"\",,F,true,0",
        "2025-01-02,1_000,\"\",,F,äöü😀,0.5",
    ]
    tool.write("in.csv", "\n".join(lines) + "\n")
    out = tool("apply", "in.csv", "--rule", rule).ok().out
    # What a CSV reader sees, with the quotes of an empty text.
    assert out.splitlines()[0] == lines[0] + ",probability,decision"
    before = rows_of(tool.path("in.csv").read_text())
    after = rows_of(out)
    assert len(after) == len(before) == 5
    for old, new in zip(before, after):
        assert {name: new[name] for name in old} == old
    assert out.splitlines()[1].startswith('007,1.50,"",,F,')
    assert [row["probability"] for row in after] == ["0.0", "0.75", "1.0", "0.0", "0.5"]


def test_types_pass_through_parquet(tool: Tool, people: Path, sql: Sql, rule: Path) -> None:
    """Columns keep their names, types, order and values; ours come last."""
    query = f"""SELECT *, DATE '2025-01-01' + (w::INTEGER) AS day, [w, w] AS list, y = 1 AS yes,
                NULL::INTEGER AS nothing, 1.50::DECIMAL(9, 2) AS money, {{'a': id}} AS struct
                FROM '{people}'"""
    sql(f"COPY ({query}) TO '{tool.path('in.parquet')}'")
    tool("apply", "in.parquet", "--rule", rule, "-q", "-o", "out.parquet").ok()
    old = sql("SELECT column_name, column_type FROM (DESCRIBE FROM 'in.parquet')")
    new = sql("SELECT column_name, column_type FROM (DESCRIBE FROM 'out.parquet')")
    assert new[: len(old)] == old
    assert [name for name, _ in new[len(old) :]] == ["probability", "decision"]
    assert new[len(old)][1] == "DOUBLE"
    assert "INT" in new[len(old) + 1][1]
    assert sql(
        """SELECT count(*) FROM (FROM 'in.parquet' EXCEPT ALL
           SELECT * EXCLUDE (probability, decision) FROM 'out.parquet')"""
    ) == [(0,)]


def test_every_format_says_the_same(tool: Tool, people: Path, sql: Sql, rule: Path) -> None:
    """Parquet, CSV, TSV, JSON and JSON lines, compressed or not, hold the same answers."""
    names = ("a.parquet", "a.pq", "a.csv", "a.tsv", "a.json", "a.ndjson", "a.jsonl", "a.csv.gz",
             "a.csv.zst", "a.json.gz")
    readers = {"a.pq": "read_parquet('a.pq')", "a.jsonl": "read_json('a.jsonl')"}
    answers = set()
    for name in names:
        tool("apply", people, "--rule", rule, "--seed", 3, "-q", "-o", name).ok()
        answers.add(str(sql(
            f"""SELECT count(*), sum(decision), bit_xor(hash(id || decision)),
                sum(probability) FROM {readers.get(name, f"'{name}'")}"""
        )))
    assert len(answers) == 1
    assert isinstance(json.loads(tool.path("a.json").read_text()), list)
    first = tool.path("a.ndjson").read_text().splitlines()[0]
    assert json.loads(first)["id"] == "p0"
    assert gzip.decompress(tool.path("a.csv.gz").read_bytes()) == tool.path("a.csv").read_bytes()
    assert tool.path("a.tsv").read_text().splitlines()[0].count("\t") == 11
    assert tool("apply", people, "--rule", rule, "--seed", 3).ok().out == (
        tool.path("a.csv").read_text()
    )


def test_output_format_says_what_a_name_does_not(
    tool: Tool, people: Path, sql: Sql, rule: Path
) -> None:
    """Standard output and names without an ending take --output-format."""
    out = tool("apply", people, "--rule", rule, "-o", "-", "--output-format", "json").ok().out
    assert len(json.loads(out)) == 5000
    tool("apply", people, "--rule", rule, "-o", "out", "--output-format", "parquet").ok()
    assert sql("SELECT count(*) FROM read_parquet('out')") == [(5000,)]
    tool("apply", people, "--rule", rule, "-o", "out2", "--output-format", "csv").ok()
    assert len(rows_of(tool.path("out2").read_text())) == 5000
    tool("apply", people, "--rule", rule, "-o", "out3").fails(2, "out3", "--output-format")
    assert not tool.path("out3").exists()


def test_our_columns_may_have_other_names(tool: Tool, people: Path, rule: Path) -> None:
    """A file that has such columns already can still be decided."""
    query = f"SELECT *, 1 AS decision, 2 AS probability FROM '{people}'"
    tool("apply", "--sql", query, "--rule", rule).fails(2, "already has a column")
    out = tool("apply", "--sql", query, "--rule", rule, *tool.coins(), "--probability-name",
               "q", "--decision-name", "chosen one").ok().out
    rows = rows_of(out)
    assert list(rows[0])[-2:] == ["q", "chosen one"]
    assert {(row["decision"], row["probability"]) for row in rows} == {("1", "2")}
    assert {row["chosen one"] for row in rows} == {"0", "1"}


def test_the_score_column_is_the_rules_unless_said_otherwise(tool: Tool, people: Path) -> None:
    """The rule remembers its column; another can be named."""
    tool("fit", people, "--score", "score", "--sensitive", "sex", "--criterion",
         "statistical-parity", "-o", "fitted.json").ok()
    same = tool("apply", people, "--rule", "fitted.json", *tool.coins(), "-q").ok().out
    query = f"SELECT * RENAME (score AS model) FROM '{people}'"
    renamed = tool("apply", "--sql", query, "--rule", "fitted.json", "--score", "model",
                   *tool.coins(), "-q").ok().out
    assert renamed.split("\n", 1)[1] == same.split("\n", 1)[1]
    tool("apply", "--sql", query, "--rule", "fitted.json").fails(2, "score")


def test_quiet_says_nothing(tool: Tool, people: Path, rule: Path) -> None:
    """-q leaves standard error empty when all is well."""
    assert tool("apply", people, "--rule", rule, "-q", "-o", "out.csv").ok().err == ""
    assert tool("apply", people, "--rule", rule, "--quiet", "-o", "out.csv").ok().err == ""
    ran = tool("apply", people, "--rule", rule, "-o", "out.csv").ok()
    assert ran.out == ""
    assert ran.err.count("\n") == 1


# --- Cells that were never seen.


STRANGER = "sex,score\nF,0.9\nX,0.9\nX,0.4\nM,0.6\n"


def test_a_cell_never_seen_is_an_error_that_names_it(tool: Tool, rule: Path) -> None:
    """No silent answer for a group that the rule does not know."""
    tool.write("in.csv", STRANGER)
    for option in ([], ["--unseen", "error"]):
        tool("apply", "in.csv", "--rule", rule, *option, "-o", "out.csv").fails(
            2, "sex=X", "2 rows", "--unseen"
        )
    assert not tool.path("out.csv").exists()


def test_a_cell_never_seen_can_be_decided_by_its_score(tool: Tool, rule: Path) -> None:
    """By the rule's threshold for everybody else, and counted."""
    tool.write("in.csv", STRANGER)
    ran = tool("apply", "in.csv", "--rule", rule, "--unseen", "score").ok()
    assert [row["decision"] for row in rows_of(ran.out)][1:3] == ["1", "0"]
    assert [row["probability"] for row in rows_of(ran.out)][1:3] == ["1.0", "0.0"]
    assert "2 in cells the rule has never seen" in ran.err


def test_a_cell_never_seen_can_be_rejected(tool: Tool, rule: Path) -> None:
    """Nobody of an unknown group is chosen, and they are counted."""
    tool.write("in.csv", STRANGER)
    ran = tool("apply", "in.csv", "--rule", rule, "--unseen", "reject").ok()
    assert [row["probability"] for row in rows_of(ran.out)][1:3] == ["0.0", "0.0"]
    assert "2 in cells the rule has never seen" in ran.err


def test_missing_groups_can_be_named(tool: Tool, rule: Path) -> None:
    """--null gives them the name of a group that the rule knows; the file still says missing."""
    tool.write("in.csv", "sex,score\nF,0.9\n,0.9\n")
    tool("apply", "in.csv", "--rule", rule, "-o", "out.csv").fails(2, "1 in sex", "--null")
    rows = rows_of(tool("apply", "in.csv", "--rule", rule, "--null", "M").ok().out)
    assert [(row["sex"], row["probability"]) for row in rows] == [("F", "1.0"), ("", "0.75")]


def test_missing_groups_have_the_name_of_the_fit_also_through_a_tally(
    tool: Tool, people: Path
) -> None:
    """Whoever named missing groups when counting need not do so again when deciding."""
    query = with_nulls(people)
    roles = ("--score", "score", "--sensitive", "sex", "--null", "unknown")
    tool("fit", "--sql", query, *roles, "--criterion", "statistical-parity", "-o", "a.json").ok()
    tool("tally", "--sql", query, *roles, "-o", "tally.parquet").ok()
    tool("fit", "--tally", "tally.parquet", "--criterion", "statistical-parity", "-o",
         "b.json").ok()
    expected = tool("apply", "--sql", query, "--rule", "a.json", *tool.coins(), "-q").ok().out
    again = tool("apply", "--sql", query, "--rule", "b.json", *tool.coins(), "-q").ok().out
    assert again == expected


# --- Where rows come from.


def test_rows_may_come_from_anywhere(tool: Tool, people: Path, sql: Sql, rule: Path) -> None:
    """Standard input, several files, SQL, a format that the name does not say."""
    toss = ("--rule", rule, *tool.coins(), "-q")
    expected = tool("apply", people, *toss).ok().out
    sql(f"COPY (FROM '{people}' LIMIT 2500) TO '{tool.path('part-1.parquet')}'")
    sql(f"COPY (FROM '{people}' OFFSET 2500) TO '{tool.path('part-2.parquet')}'")
    sql(f"COPY (FROM '{people}') TO '{tool.path('data')}' (FORMAT parquet)")
    for data in (["part-*.parquet"], ["data"], ["data", "--format", "parquet"],
                 ["--sql", f"FROM '{people}'"], [people, "--threads", 1],
                 [people, "--memory", "300MB"]):
        assert tool("apply", *data, *toss).ok().out == expected, data
    stdin = people.read_bytes()
    assert tool("apply", "-", *toss, stdin=stdin).ok().out == expected
    for kind in ("csv", "json"):
        sql(f"COPY (FROM '{people}') TO '{tool.path('piped')}' (FORMAT {kind})")
        piped = tool.path("piped").read_bytes()
        rows = rows_of(tool("apply", "-", *toss, stdin=piped).ok().out)
        assert [(row["id"], row["probability"], row["decision"]) for row in rows] == [
            (row["id"], row["probability"], row["decision"]) for row in rows_of(expected)
        ], kind
