"""`evenhand tally`, `merge` and `fit --tally`: counts are all that a fit needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from conftest import Sql, Tool
from recompute import rule_text, with_nulls

ROLES = ("--score", "score", "--sensitive", "sex", "--within", "race")
PARITY = ("--criterion", "statistical-parity")


def fitted(tool: Tool, *arguments: object) -> str:
    """Fit, and return the text of the rule, which is also what JSON reads."""
    tool("fit", *arguments, "-o", "fitted.json").ok()
    text = rule_text(tool.path("fitted.json"))
    assert json.loads("{" + text + "\n}}")["rule"] == (
        json.loads(tool.path("fitted.json").read_text())["rule"]
    )
    return text


def metadata(path: Path) -> dict[str, Any]:
    """Read what a tally says about itself."""
    return json.loads(pq.read_schema(path).metadata[b"evenhand"])


# --- Round trips.

# More than 65,536 different scores in a cell, and fewer in each half.
MANY = """SELECT CASE WHEN i % 30 = 0 THEN 'a' ELSE 'b' END AS sex, hash(i + 7) % 2 AS half,
          (hash(i) % 100000007) / 100000007 * CASE WHEN i % 30 = 0 THEN 0.7 ELSE 1 END AS score,
          (hash(i + 1000000) % 3 = 0)::INTEGER AS y FROM range(110000) t(i)"""


@pytest.mark.parametrize(
    ("options", "criteria"),
    [
        (["--resolution", "exact"], ["statistical-parity", "four-fifths"]),
        (["--resolution", "exact", "--label", "y"], ["equalized-odds", "statistical-parity"]),
        (["--resolution", "7"], ["statistical-parity"]),
        (["--resolution", "7", "--label", "y"], ["equal-opportunity"]),
        (["--resolution", "auto", "--label", "y"], ["equal-opportunity"]),
        (["--favorable", "low"], ["statistical-parity"]),
        (["--favorable", "low", "--label", "y"], ["equal-opportunity", "equalized-odds"]),
        (["--favorable", "low", "--resolution", "5", "--label", "y"], ["false-positive-parity"]),
        (["--weight", "w", "--label", "y"], ["equalized-odds"]),
    ],
)
def test_two_halves_merged_in_any_order_give_the_rule_of_the_whole(
    tool: Tool, people: Path, options: list[str], criteria: list[str]
) -> None:
    """Counting in two places and adding up loses nothing, byte for byte."""
    for half in (0, 1):
        query = f"SELECT * FROM '{people}' WHERE hash(id) % 2 = {half}"
        tool("tally", "--sql", query, *ROLES, *options, "-o", f"{half}.parquet").ok()
    tool("merge", "0.parquet", "1.parquet", "-o", "01.parquet").ok()
    tool("merge", "1.parquet", "0.parquet", "-o", "10.parquet").ok()
    for criterion in criteria:
        whole = fitted(tool, people, *ROLES, *options, "--criterion", criterion)
        for merged in ("01.parquet", "10.parquet"):
            assert fitted(tool, "--tally", merged, "--criterion", criterion) == whole, criterion


@pytest.mark.parametrize("label", [[], ["--label", "y"]])
def test_halves_of_many_scores_agree_on_the_resolution(
    tool: Tool, sql: Sql, label: list[str]
) -> None:
    """Where auto has to cut, halves that need not cut still add up to the whole."""
    sql(f"COPY ({MANY}) TO '{tool.path('many.parquet')}'")
    options = ("--score", "score", "--sensitive", "sex", "--resolution", "auto", *label)
    whole = fitted(tool, "many.parquet", *options, *PARITY)
    for half in (0, 1):
        query = f"SELECT * FROM 'many.parquet' WHERE half = {half}"
        tool("tally", "--sql", query, *options, "-o", f"{half}.parquet").ok()
        assert "level" not in metadata(tool.path(f"{half}.parquet"))
    tool("merge", "0.parquet", "1.parquet", "-o", "all.parquet").ok()
    assert metadata(tool.path("all.parquet"))["level"] > 10
    assert fitted(tool, "--tally", "all.parquet", *PARITY) == whole
    tool("tally", "many.parquet", *options, "-o", "direct.parquet").ok()
    assert sql("SELECT count(*) FROM (FROM 'all.parquet' EXCEPT ALL FROM 'direct.parquet')") == [
        (0,)
    ]


@pytest.mark.parametrize("rows", [70_000, 107_000, 119_000, 140_000])
def test_auto_cuts_all_scores_to_the_finest_level_that_fits(
    tool: Tool, sql: Sql, rows: int
) -> None:
    """At most 65,536 scores in a cell, all cut alike, and no coarser than that takes."""
    query = MANY.replace("110000", str(rows))
    sql(f"COPY ({query}) TO '{tool.path('many.parquet')}'")
    tool("tally", "many.parquet", "--score", "score", "--sensitive", "sex", "--resolution", "auto",
         "-o", "t.parquet").ok()
    level = metadata(tool.path("t.parquet"))["level"]

    def cut(bits: int) -> str:
        return f"""SELECT sex, (floor(score * 2 ** {bits}) + 0.5) / 2 ** {bits} AS score,
                   count(*) AS n FROM 'many.parquet' GROUP BY ALL"""

    def most(bits: int) -> int:
        counts = sql(f"SELECT count(*) FROM ({cut(bits)}) GROUP BY sex")
        return max(count for (count,) in counts)

    assert most(level) <= 65_536 < most(level + 1)
    assert sql(
        f"SELECT count(*) FROM ((SELECT sex, score, n FROM 't.parquet') EXCEPT ALL ({cut(level)}))"
    ) == [(0,)]


def test_three_tallies_merge_at_once_or_one_after_the_other(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """Adding up is associative, bit for bit."""
    for part in range(3):
        query = f"SELECT * FROM '{people}' WHERE hash(id) % 3 = {part}"
        tool("tally", "--sql", query, *ROLES, "--label", "y", "-o", f"{part}.parquet").ok()
    tool("merge", "0.parquet", "1.parquet", "2.parquet", "--threads", 1, "-o", "a.parquet").ok()
    tool("merge", "2.parquet", "1.parquet", "-o", "21.parquet").ok()
    ran = tool("merge", "0.parquet", "21.parquet", "-o", "b.parquet").ok()
    assert sql("SELECT count(*) FROM (FROM 'a.parquet' EXCEPT ALL FROM 'b.parquet')") == [(0,)]
    assert metadata(tool.path("a.parquet")) == metadata(tool.path("b.parquet"))
    tool("merge", "[012].parquet", "-o", "c.parquet").ok()
    assert tool.path("c.parquet").read_bytes() == tool.path("a.parquet").read_bytes()
    tool("merge", "0*.parquet", "-o", "d.parquet").fails(2, "at least two tallies")
    tool("merge", "x*.parquet", "0.parquet", "-o", "d.parquet").fails(2, "x*.parquet",
                                                                      "no file matches")
    entries = sql("SELECT count(*), sum(n) FROM 'b.parquet'")[0]
    assert entries[1] == 5000
    assert ran.err == f"5,000 rows in 6 cells, {entries[0]:,} entries, in b.parquet\n"


def test_a_tally_is_what_group_by_gives(tool: Tool, people: Path, sql: Sql) -> None:
    """One row for each cell and score, with the numbers of rows and of positives."""
    tool("tally", people, *ROLES, "--label", "y", "-o", "t.parquet").ok()
    assert sql(
        f"""SELECT count(*) FROM ((SELECT sex, race, score, n, n1 FROM 't.parquet')
            EXCEPT ALL (SELECT sex, race, score, count(*), sum(y) FROM '{people}'
            GROUP BY ALL))"""
    ) == [(0,)]
    assert sql("SELECT count(*), sum(n) FROM 't.parquet'") == sql(
        f"SELECT count(DISTINCT (sex, race, score)), count(*) FROM '{people}'"
    )


def test_a_tally_of_low_favourable_scores_is_in_the_users_scale(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """Scores and labels are as they were, not turned around."""
    tool("tally", people, "--score", "risk", "--favorable", "low", "--sensitive", "sex", "--label",
         "y", "-o", "t.parquet").ok()
    assert sql(
        f"""SELECT count(*) FROM ((SELECT sex, score, n, n1 FROM 't.parquet') EXCEPT ALL
            (SELECT sex, risk, count(*), sum(y) FROM '{people}' GROUP BY ALL))"""
    ) == [(0,)]


@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
def test_a_tally_made_by_plain_sql_gives_the_same_rule(
    tool: Tool, people: Path, sql: Sql, kind: str
) -> None:
    """Any engine that can GROUP BY can make one."""
    name = f"plain.{kind}"
    for label, criterion in (("", "statistical-parity"), (", sum(y) AS n1", "equalized-odds")):
        sql(
            f"""COPY (SELECT sex, race, score, count(*) AS n{label} FROM '{people}' GROUP BY ALL)
                TO '{tool.path(name)}' (FORMAT {kind})"""
        )
        roles = ("--sensitive", "sex", "--within", "race", "--criterion", criterion)
        whole = fitted(tool, people, "--score", "score", "--label", "y", *roles)
        assert fitted(tool, "--tally", name, *roles) == whole


def test_a_plain_tally_takes_the_options_that_metadata_would_say(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """Scale, direction, resolution and the name of the score column."""
    sql(
        f"""COPY (SELECT sex, race, region, logit, count(*) AS n, sum(y) AS n1 FROM '{people}'
            GROUP BY ALL) TO '{tool.path("plain")}' (FORMAT csv)"""
    )
    options = ("--score", "logit", "--scale", "logit", "--favorable", "low", "--resolution", "6",
               "--sensitive", "sex", "--within", "race", "--criterion", "equal-opportunity")
    whole = fitted(tool, people, *options, "--label", "y")
    assert fitted(tool, "--tally", "plain", "--format", "csv", *options) == whole


def test_a_tally_can_be_read_with_fewer_columns_or_other_roles(
    tool: Tool, people: Path
) -> None:
    """What was counted in detail can be compared more coarsely."""
    tool("tally", people, *ROLES, "--label", "y", "-o", "t.parquet").ok()
    criterion = ("--criterion", "equal-opportunity")
    for roles in (["--sensitive", "sex"], ["--sensitive", "race", "--within", "sex"],
                  ["--sensitive", "sex,race"]):
        whole = fitted(tool, people, "--score", "score", "--label", "y", *roles, *criterion)
        assert fitted(tool, "--tally", "t.parquet", *roles, *criterion) == whole, roles


def test_what_contradicts_the_metadata_is_not_ignored(tool: Tool, people: Path) -> None:
    """A tally says its scale and direction; saying otherwise is an error, not a silent choice."""
    tool("tally", people, *ROLES, "-o", "t.parquet").ok()
    for options in (["--favorable", "low"], ["--scale", "logit"]):
        tool("fit", "--tally", "t.parquet", *PARITY, *options, "-o", "rule.json").fails(
            2, options[0].removeprefix("--")
        )
    assert not tool.path("rule.json").exists()
    ran = tool("fit", "--tally", "t.parquet", *PARITY, "--resolution", "3", "-o", "rule.json")
    if ran.status != 2:
        coarse = fitted(tool, people, *ROLES, *PARITY, "--resolution", "3")
        assert rule_text(tool.path("rule.json")) == coarse


def test_a_rule_from_a_tally_is_applied_like_any_other(tool: Tool, people: Path) -> None:
    """The tally remembers the score column, so apply needs no more options."""
    tool("tally", people, *ROLES, "-o", "t.parquet").ok()
    tool("fit", "--tally", "t.parquet", *PARITY, "-o", "a.json").ok()
    tool("fit", people, *ROLES, *PARITY, "-o", "b.json").ok()
    assert tool("apply", people, "--rule", "a.json", "-q").ok().out == (
        tool("apply", people, "--rule", "b.json", "-q").ok().out
    )


# --- What it holds.


def test_metadata_say_how_to_read_it(tool: Tool, people: Path) -> None:
    """A tally that travels explains itself."""
    tool("tally", people, "--score", "f", "--scale", "signed", "--favorable", "low", "--sensitive",
         "sex", "--within", "race,region", "--label", "y", "--resolution", "9", "-o",
         "t.parquet").ok()
    found = metadata(tool.path("t.parquet"))
    wanted = {"tally": 1, "attributes": ["sex", "race", "region"], "sensitive": ["sex"],
              "within": ["race", "region"], "scale": "signed", "favorable": "low",
              "resolution": "9", "labelled": True, "weighted": False, "score": "f", "label": "y"}
    assert {key: found.get(key) for key in wanted} == wanted


def test_bits_bound_the_number_of_entries(tool: Tool, people: Path, sql: Sql) -> None:
    """With 4 bits there are at most 16 scores in a cell, each the middle of its interval."""
    tool("tally", people, *ROLES, "--resolution", "4", "-o", "t.parquet").ok()
    assert sql(
        f"""SELECT count(*) FROM ((SELECT sex, race, score, n FROM 't.parquet') EXCEPT ALL
            (SELECT sex, race, (floor(score * 16) + 0.5) / 16, count(*) FROM '{people}'
            GROUP BY ALL))"""
    ) == [(0,)]
    assert sql("SELECT max(c) <= 16 FROM (SELECT count(*) AS c FROM 't.parquet' GROUP BY sex, race)"
               ) == [(True,)]


def test_min_count_leaves_no_small_entry_and_loses_nobody(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """Neighbouring scores are pooled until no entry tells fewer than ten people apart."""
    tool("tally", people, *ROLES, "--label", "y", "-o", "exact.parquet").ok()
    ran = tool("tally", people, *ROLES, "--label", "y", "--min-count", 10, "-o", "t.parquet").ok()
    assert sql("SELECT min(n) >= 10 FROM 't.parquet'") == [(True,)]
    totals = "SELECT sex, race, sum(n), sum(n1) FROM '{}' GROUP BY ALL ORDER BY ALL"
    assert sql(totals.format("t.parquet")) == sql(totals.format("exact.parquet"))
    entries, rare = sql("SELECT count(*), count(*) FILTER (n < 10) FROM 'exact.parquet'")[0]
    left = sql("SELECT count(*) FROM 't.parquet'")[0][0]
    assert left < entries
    said = ran.err.splitlines()[0]
    for number in (rare, entries, left):
        assert f"{number:,}" in said, said
    assert metadata(tool.path("t.parquet"))["min_count"] == 10
    # A pooled score is the mean of those that were pooled.
    mean = "SELECT sex, race, sum(n * score) / sum(n) FROM '{}' GROUP BY ALL ORDER BY ALL"
    for a, b in zip(sql(mean.format("t.parquet")), sql(mean.format("exact.parquet"))):
        assert a[:2] == b[:2]
        assert a[2] == pytest.approx(b[2], abs=1e-12)
    tool("fit", "--tally", "t.parquet", "--criterion", "equalized-odds").ok()


def test_min_count_that_a_cell_cannot_meet_is_refused(tool: Tool, people: Path) -> None:
    """A cell of three people is named, not published."""
    query = f"SELECT * FROM '{people}' WHERE sex = 'M' OR id IN ('p1', 'p6', 'p7', 'p8', 'p10')"
    tool("tally", "--sql", query, "--score", "score", "--sensitive", "sex", "--min-count", 10,
         "-o", "t.parquet").fails(2, "sex=F")
    assert tool.files() == set()


@pytest.mark.parametrize("count", ["-3", "nan", "inf", "ten", "2.5", "0"])
def test_min_count_that_makes_no_sense_is_refused(tool: Tool, people: Path, count: str) -> None:
    """What should protect people must not be switched off by a slip."""
    tool("tally", people, *ROLES, "--min-count", count, "-o", "t.parquet").fails(2, count)
    assert tool.files() == set()


def test_missing_values_are_counted(tool: Tool, people: Path, sql: Sql) -> None:
    """An error, left out and said so, or a group."""
    query = with_nulls(people)
    tool("tally", "--sql", query, *ROLES, "-o", "t.parquet").fails(2, "50 in sex")
    ran = tool("tally", "--sql", query, *ROLES, "--null", "exclude", "-o", "t.parquet").ok()
    assert "50 rows left out" in ran.err
    assert metadata(tool.path("t.parquet"))["excluded"] == 50
    assert sql("SELECT sum(n) FROM 't.parquet'") == [(4950,)]
    tool("tally", "--sql", query, *ROLES, "--null", "unknown", "-o", "t.parquet").ok()
    assert sql("SELECT sum(n) FROM 't.parquet' WHERE sex = 'unknown'") == [(50,)]
    fit = tool("fit", "--tally", "t.parquet", *PARITY, "--json").ok().json()
    assert fit["rows"] == 5000


def test_rows_that_were_left_out_are_added_up(tool: Tool, people: Path) -> None:
    """Merged tallies, and fits on them, still say how many rows are missing."""
    query = with_nulls(people)
    for half in (0, 1):
        tool("tally", "--sql", f"SELECT * FROM ({query}) WHERE hash(id) % 2 = {half}", *ROLES,
             "--null", "exclude", "-o", f"{half}.parquet").ok()
    tool("merge", "0.parquet", "1.parquet", "-o", "all.parquet").ok()
    assert metadata(tool.path("all.parquet"))["excluded"] == 50
    fit = tool("fit", "--tally", "all.parquet", *PARITY, "--json").ok().json()
    assert fit["excluded"] == 50


def test_weights_are_summed(tool: Tool, people: Path, sql: Sql) -> None:
    """A weighted tally holds sums of weights."""
    tool("tally", people, *ROLES, "--weight", "w", "--label", "y", "-o", "t.parquet").ok()
    assert sql(
        f"""SELECT count(*) FROM ((SELECT sex, race, score, n, n1 FROM 't.parquet') EXCEPT ALL
            (SELECT sex, race, score, sum(w)::DOUBLE, sum(w * y)::DOUBLE FROM '{people}'
            GROUP BY ALL))"""
    ) == [(0,)]
    assert metadata(tool.path("t.parquet"))["weighted"] is True


def test_everybody_may_be_one_cell(tool: Tool, people: Path, sql: Sql) -> None:
    """Without groups there is still a tally."""
    tool("tally", people, "--score", "score", "-o", "t.parquet").ok()
    assert sql("SELECT sum(n), count(*) = count(DISTINCT score) FROM 't.parquet'") == [
        (5000, True)
    ]


def test_what_is_said_counts_rows_cells_and_entries(
    tool: Tool, people: Path, sql: Sql
) -> None:
    """One line on standard error, nothing on standard output."""
    ran = tool("tally", people, *ROLES, "-o", "t.parquet").ok()
    entries = sql("SELECT count(*) FROM 't.parquet'")[0][0]
    assert ran.err == f"5,000 rows in 6 cells, {entries:,} entries, in t.parquet\n"
    assert ran.out == ""
    assert tool.files() == {"t.parquet"}


def test_what_tally_writes_fit_reads_whatever_its_name(tool: Tool, people: Path) -> None:
    """A name that would not be read back is refused when it is given, not when it is needed."""
    for name in ("t", "t.csv", "t.json", "t.parquet.gz"):
        ran = tool("tally", people, *ROLES, "-o", name)
        if ran.status == 2:
            assert not tool.path(name).exists()
        else:
            tool("fit", "--tally", name, *PARITY).ok()


def test_tallies_that_do_not_fit_together_are_not_merged(tool: Tool, people: Path) -> None:
    """Other groups, scales or labels cannot be added up."""
    tool("tally", people, *ROLES, "-o", "a.parquet").ok()
    for i, options in enumerate((["--score", "score", "--sensitive", "sex"],
                                 [*ROLES, "--label", "y"],
                                 ["--score", "f", "--scale", "signed", "--sensitive", "sex",
                                  "--within", "race"],
                                 [*ROLES, "--favorable", "low"],
                                 ["--score", "score", "--sensitive", "race", "--within", "sex"])):
        tool("tally", people, *options, "-o", f"{i}.parquet").ok()
        tool("merge", "a.parquet", f"{i}.parquet", "-o", "m.parquet").fails(
            2, "a.parquet", f"{i}.parquet"
        )
        assert not tool.path("m.parquet").exists()
