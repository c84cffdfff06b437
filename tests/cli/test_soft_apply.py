"""`evenhand apply` with a rule for soft groups; missing values."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Sql, Tool
from recompute import applied
from soft_groups import SOFT, gap, rule_of


# --- The rule, applied.


def test_no_group_is_needed_to_decide(tool: Tool, soft: Path, sql: Sql) -> None:
    """Score and soft columns are enough."""
    tool("fit", soft, *SOFT, "-o", "rule.json").ok()
    tool("apply", "--sql", f"SELECT id, score, pf FROM '{soft}'", "--rule", "rule.json",
         *tool.coins(), "-q", "-o", "out.parquet").ok()
    assert gap(sql, "pf") < 1e-9


def test_every_format_gives_the_same_decisions(tool: Tool, soft: Path, sql: Sql) -> None:
    """CSV, Parquet and JSON, in and out."""
    tool("fit", soft, *SOFT, "-o", "rule.json").ok()
    keep = "SELECT id, score, pf FROM"
    sql(f"COPY ({keep} '{soft}') TO '{tool.path('d.csv')}'")
    sql(f"COPY ({keep} '{soft}') TO '{tool.path('d.json')}' (FORMAT json, ARRAY true)")
    wanted = None
    for data in (soft, "d.csv", "d.json"):
        for out in ("o.csv", "o.parquet", "o.json"):
            tool("apply", data, "--rule", "rule.json", "-q", "-o", out).ok()
            found = sql(f"""SELECT id, probability::DOUBLE, decision::INTEGER FROM '{out}'
                            ORDER BY id""")
            wanted = wanted or found
            assert found == wanted


def test_decisions_follow_probabilities(tool: Tool, soft: Path, sql: Sql) -> None:
    """1 is yes, 0 is no, and in between a coin that stays with the person."""
    tool("fit", soft, *SOFT, "--gamma", 0.5, "-o", "rule.json").ok()
    tool.write("key", "secret")
    by_id = ("--rule", "rule.json", "--id", "id", "--key-file", "key", "-q")
    tool("apply", soft, *by_id, "-o", "a.parquet").ok()
    tool("apply", "--sql", f"SELECT * FROM '{soft}' ORDER BY hash(id)", *by_id, "--threads", 1,
         "-o", "b.parquet").ok()
    by_person = "SELECT id, probability, decision FROM '{}' ORDER BY id"
    assert sql(by_person.format("a.parquet")) == sql(by_person.format("b.parquet"))
    assert sql("""SELECT count(*) FROM 'a.parquet'
                  WHERE decision <> probability AND probability IN (0, 1)""") == [(0,)]
    rate, expected, lots = sql("""SELECT avg(decision), avg(probability),
          count(*) FILTER (probability > 0 AND probability < 1) FROM 'a.parquet'""")[0]
    assert lots > 500
    assert rate == pytest.approx(expected, abs=0.02)
    seeded = []
    for seed in (1, 1, 2):
        tool("apply", soft, "--rule", "rule.json", "--seed", seed, "-q", "-o", "s.parquet").ok()
        seeded.append(sql(by_person.format("s.parquet")))
    assert seeded[0] == seeded[1] != seeded[2]


def test_apply_counts_what_it_did(tool: Tool, soft: Path, sql: Sql) -> None:
    """Rows, positive decisions, and those by lot."""
    tool("fit", soft, *SOFT, "--gamma", 0.5, "-o", "rule.json").ok()
    said = tool("apply", soft, "--rule", "rule.json", "-o", "out.parquet").ok().err
    positive, lots = sql("""SELECT sum(decision)::BIGINT,
        count(*) FILTER (probability > 0 AND probability < 1) FROM 'out.parquet'""")[0]
    assert f"5,000 rows decided, {positive:,} positive, {lots:,} by lot" in said


def test_strata_never_seen_are_an_error_unless_told_otherwise(
    tool: Tool, soft: Path, sql: Sql
) -> None:
    """Error, the score alone, or no."""
    tool("fit", "--sql", f"SELECT * FROM '{soft}' WHERE race <> 'Asian'", *SOFT, "--within", "race",
         "-o", "rule.json").ok()
    tool("apply", soft, "--rule", "rule.json", "-o", "out.parquet").fails(2, "race=Asian")
    assert "out.parquet" not in tool.files()
    for word, wanted in (("score", "(score > 0.5)::INTEGER"), ("reject", "0")):
        said = tool("apply", soft, "--rule", "rule.json", "--unseen", word, "-o",
                    "out.parquet").ok().err
        assert "never seen" in said
        assert sql(f"""SELECT count(*) FROM 'out.parquet' WHERE race = 'Asian'
                       AND probability <> {wanted}""") == [(0,)]
        assert sql("""SELECT count(*) > 100 FROM 'out.parquet'
                      WHERE race = 'Black' AND decision = 1""") == [(True,)]


@pytest.mark.parametrize(
    ("value", "parts"),
    [("1.5", ["row 2", "1.5"]), ("-0.01", ["row 2", "-0.01"]), ("NaN", ["row 2", "NaN"]),
     ("inf", ["row 2", "inf"]), ("abc", ["row 2", "abc"]), ('"0,5"', ["row 2", "0,5", "point"]),
     ("", ["missing", "1 in g"])],
)
def test_values_out_of_range_are_named_with_their_row(
    tool: Tool, value: str, parts: list[str]
) -> None:
    """At fit and at apply, and nothing is left behind."""
    tool.write("good.csv", "p,g\n0.2,0.5\n0.7,0.1\n0.9,0.6\n")
    tool.write("bad.csv", f"p,g\n0.2,0.5\n0.7,{value}\n0.9,0.6\n")
    tool("fit", "good.csv", "--score", "p", "--soft", "g", "-o", "rule.json").ok()
    before = tool.files()
    tool("fit", "bad.csv", "--score", "p", "--soft", "g", "-o", "new.json").fails(
        2, "bad.csv", *parts)
    for out in ("out.csv", "-"):
        tool("apply", "bad.csv", "--rule", "rule.json", "-o", out).fails(2, "bad.csv", *parts)
    assert tool.files() == before


def test_columns_that_are_not_there_are_named_at_apply(tool: Tool, soft: Path) -> None:
    """Score, soft column and stratum."""
    tool("fit", soft, *SOFT, "--within", "race", "-o", "rule.json").ok()
    for gone in ("pf", "race", "score"):
        tool("apply", "--sql", f"SELECT * EXCLUDE {gone} FROM '{soft}'", "--rule", "rule.json",
             "-o", "out.csv").fails(2, f"no column {gone}")
    assert tool.files() == {"rule.json"}


# --- Missing values.


def test_missing_values_are_an_error_or_left_out(tool: Tool, soft: Path) -> None:
    """As if such rows were not there."""
    missing = "hash(id) % 7 = 0"
    query = f"SELECT * REPLACE (CASE WHEN NOT ({missing}) THEN pf END AS pf) FROM '{soft}'"
    tool("fit", "--sql", query, *SOFT, "-o", "rule.json").fails(2, "missing", "pf",
                                                              "--null exclude")
    assert tool.files() == set()
    found = tool("fit", "--sql", query, *SOFT, "--null", "exclude", "-o", "a.json",
                 "--json").ok().json()
    wanted = tool("fit", "--sql", f"SELECT * FROM '{soft}' WHERE NOT ({missing})", *SOFT, "-o",
                  "b.json", "--json").ok().json()
    assert found["excluded"] == 5000 - wanted["rows"]
    assert rule_of(tool, "a.json") == rule_of(tool, "b.json")


def test_missing_strata_can_have_a_name(tool: Tool, soft: Path, sql: Sql) -> None:
    """Which the rule knows when it is applied."""
    query = f"SELECT * REPLACE (nullif(race, 'Asian') AS race) FROM '{soft}'"
    asked = (*SOFT, "--within", "race", "-o", "rule.json")
    tool("fit", "--sql", query, *asked).fails(2, "missing", "race")
    tool("fit", "--sql", query, *asked, "--null", "unknown").ok()
    assert ["unknown"] in [stratum["values"] for stratum in rule_of(tool)["strata"]]
    applied(tool, "--sql", query)
    assert gap(sql, "pf", "race") < 1e-9


def test_nothing_left_is_said_as_such(tool: Tool) -> None:
    """No rows at all, or none without missing values."""
    tool.write("none.csv", "p,g\n")
    tool("fit", "none.csv", "--score", "p", "--soft", "g").fails(2, "none.csv has no rows")
    tool.write("gone.csv", "p,g\n,0.5\n0.5,\n")
    tool("fit", "gone.csv", "--score", "p", "--soft", "g", "--null", "exclude").fails(
        2, "gone.csv has no rows", "missing")
