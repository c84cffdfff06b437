"""Bad input is part of the product: one line that helps, the right status, nothing left behind."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from conftest import TOOL, Ran, Tool

ROWS = """score,group,region,y,w,id
0.1,A,north,0,1,a
0.8,A,south,1,2,b
0.35,B,north,0,1,c
0.6,B,south,1,1,d
0.9,B,north,1,1,e
"""
RULE: dict[str, Any] = {
    "evenhand": 1,
    "rule": {
        "attributes": ["group"],
        "scale": "probability",
        "favorable": "high",
        "otherwise": 0.5,
        "cells": [
            {"values": ["A"], "start": 0, "steps": [[0.5, 1]]},
            {"values": ["B"], "start": 0.5, "steps": [[0.75, 1]]},
        ],
    },
    "fit": {"columns": {"score": "score", "sensitive": ["group"], "within": []}},
}
WHO = ["--score", "score", "--sensitive", "group"]
PARITY = ["--criterion", "statistical-parity"]
READERS = ["fit", "apply", "audit", "frontier", "tally"]
COUNTERS = ["fit", "audit", "frontier", "tally"]  # all that take labels and weights
OUTPUTS = {"fit": "out.json", "apply": "out.csv", "frontier": "out.csv", "tally": "out.parquet"}
# Words of the parts that the tool is made of, which its users cannot do anything with.
FOREIGN = [
    "DuckDB",
    "duckdb",
    "INSTALL",
    "autoload",
    "ignore_errors",
    "all_varchar",
    "sniff",
    "LINE 1",
    "LINE 2",
    "filesystem error",
    "json.exception",
    "std::",
    "basic_string",
    "stoull",
    "Enum",
    "null_padding",
    "terminate called",
    "/proc/self/fd",
    "evenhand_tally",
    "Binder",
    "syntax_error",
]


def arguments(command: str, data: object, *more: object) -> list[object]:
    """Return the arguments of an ordinary run of a command on this data."""
    out: list[object] = [command, data]
    if command == "apply":
        out += ["--rule", "rule.json"]
    else:
        out += WHO
    if command in ("fit", "frontier"):
        out += PARITY
    if command in OUTPUTS:
        out += ["-o", OUTPUTS[command]]
    return [*out, *more]


def content(folder: Path) -> dict[str, bytes | None]:
    """Return everything in a folder, hidden files too, with its bytes."""
    return {
        str(p.relative_to(folder)): p.read_bytes() if p.is_file() and not p.is_symlink() else None
        for p in folder.rglob("*")
    }


def refuses(
    tool: Tool, *call: object, says: tuple[str, ...], status: int = 2, stdin: bytes | None = None
) -> Ran:
    """Assert one helpful line, this status, no trace, and the old bytes of an old output."""
    temporary = tool.path("tmp")
    temporary.mkdir(exist_ok=True)
    if "rule.json" in call and not tool.path("rule.json").exists():
        tool.write("rule.json", json.dumps(RULE))
    for i, word in enumerate(call[:-1]):
        output = tool.path(str(call[i + 1]))
        if word == "-o" and output.parent.is_dir() and not output.exists():
            output.write_bytes(b"old bytes")
    before = content(tool.folder)
    run = tool(*call, stdin=stdin, env={"TMPDIR": str(temporary)}).fails(status, *says)
    assert content(tool.folder) == before
    for word in FOREIGN:
        assert word not in run.err, (word, run.err)
    return run


def with_row(row: str) -> str:
    """Return five good rows and this one, which is row 6."""
    return ROWS + row + "\n"


@pytest.mark.parametrize("command", READERS)
def test_nothing_is_left_where_nothing_was(tool: Tool, command: str) -> None:
    """A run that fails while it writes or reads leaves no file, hidden, temporary or empty."""
    tool.write("data.csv", with_row("nan,A,north,0,1,f"))
    tool.write("rule.json", json.dumps(RULE))
    tool.path("tmp").mkdir()
    before = tool.files()
    tool(*arguments(command, "data.csv"), env={"TMPDIR": str(tool.path("tmp"))}).fails(2)
    assert tool.files() == before


# --- Scores, labels, weights.


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("score", ["nan", "inf", "-inf", "1.5", "-0.1"])
def test_score_that_is_no_probability(tool: Tool, command: str, score: str) -> None:
    """A score that is NaN, infinite or outside its scale is shown with its row and --scale."""
    tool.write("data.csv", with_row(f"{score},A,north,0,1,f"))
    refuses(
        tool,
        *arguments(command, "data.csv"),
        says=("data.csv", "row 6", f"score {score}", "--scale"),
    )


@pytest.mark.parametrize("command", READERS)
def test_score_that_is_text(tool: Tool, command: str) -> None:
    """A score that is no number is shown with its row."""
    tool.write("data.csv", with_row("high,A,north,0,1,f"))
    refuses(
        tool,
        *arguments(command, "data.csv"),
        says=("data.csv", "row 6", "score high", "not a number"),
    )


@pytest.mark.parametrize("command", READERS)
def test_score_with_a_decimal_comma(tool: Tool, command: str) -> None:
    """A decimal comma is named, since nobody sees it."""
    tool.write("data.csv", ROWS.replace(",", ";").replace(".", ","))
    refuses(tool, *arguments(command, "data.csv"), says=("data.csv", "row 1", "0,1", "comma"))


@pytest.mark.parametrize("command", COUNTERS)
def test_several_bad_scores_are_counted(tool: Tool, command: str) -> None:
    """The first bad row is named, the others are counted."""
    tool.write("data.csv", with_row("2,A,north,0,1,f\n3,B,north,0,1,g\n4,B,north,0,1,h"))
    refuses(tool, *arguments(command, "data.csv"), says=("row 6 and 2 more", "score 2"))


@pytest.mark.parametrize("scale", ["signed", "logit"])
@pytest.mark.parametrize("command", ["fit", "audit"])
def test_infinite_score_on_another_scale(tool: Tool, command: str, scale: str) -> None:
    """Infinity is on no scale."""
    tool.write("data.csv", with_row("inf,A,north,0,1,f"))
    refuses(tool, *arguments(command, "data.csv", "--scale", scale), says=("row 6", "score inf"))


@pytest.mark.parametrize("command", COUNTERS)
@pytest.mark.parametrize("label", ["2", "0.5", "-1", "nan", "yes"])
def test_label_that_is_neither_0_nor_1(tool: Tool, command: str, label: str) -> None:
    """A label is 0 or 1."""
    tool.write("data.csv", with_row(f"0.5,A,north,{label},1,f"))
    refuses(
        tool,
        *arguments(command, "data.csv", "--label", "y"),
        says=("data.csv", "row 6", f"label {label}"),
    )


@pytest.mark.parametrize("command", COUNTERS)
@pytest.mark.parametrize("weight", ["-1", "nan", "inf", "heavy"])
def test_weight_that_is_no_weight(tool: Tool, command: str, weight: str) -> None:
    """A weight is a finite number and not negative."""
    tool.write("data.csv", with_row(f"0.5,A,north,0,{weight},f"))
    refuses(
        tool,
        *arguments(command, "data.csv", "--weight", "w"),
        says=("data.csv", "row 6", f"weight {weight}"),
    )


@pytest.mark.parametrize("command", COUNTERS)
def test_all_weights_zero(tool: Tool, command: str) -> None:
    """Weights that are all zero leave nothing to count."""
    tool.write("data.csv", "score,group,w\n0.2,A,0\n0.7,B,0\n")
    refuses(
        tool,
        *arguments(command, "data.csv", "--weight", "w"),
        says=("data.csv", "every weight is zero"),
    )


# --- Missing values, columns, rows.


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize(
    ("column", "row"), [("score", ",A,north,0,1"), ("group", "0.5,,north,0,1")]
)
def test_missing_score_or_group(tool: Tool, command: str, column: str, row: str) -> None:
    """Missing values are counted by column, and there is advice."""
    tool.write("data.csv", with_row(f"{row},f\n{row},g"))
    refuses(tool, *arguments(command, "data.csv"), says=("data.csv", f"2 in {column}"))


@pytest.mark.parametrize("command", COUNTERS)
@pytest.mark.parametrize(
    ("option", "column", "row"),
    [
        ("--label", "y", "0.5,A,north,,1"),
        ("--weight", "w", "0.5,A,north,0,"),
        ("--within", "region", "0.5,A,,0,1"),
    ],
)
def test_missing_label_weight_or_stratum(
    tool: Tool, command: str, option: str, column: str, row: str
) -> None:
    """Missing values are counted by column, and there is advice."""
    tool.write("data.csv", with_row(f"{row},f\n{row},g\n{row},h"))
    refuses(
        tool,
        *arguments(command, "data.csv", option, column),
        says=("data.csv", f"3 in {column}", "--null exclude"),
    )


@pytest.mark.parametrize("command", COUNTERS)
def test_only_missing_values(tool: Tool, command: str) -> None:
    """Leaving all rows out leaves none."""
    tool.write("data.csv", "score,group\n0.2,\n,B\n")
    refuses(
        tool, *arguments(command, "data.csv", "--null", "exclude"), says=("data.csv", "no rows")
    )


@pytest.mark.parametrize("value", ["", '""'])
def test_missing_or_empty_id(tool: Tool, value: str) -> None:
    """A person without an id is counted, not decided."""
    tool.write("data.csv", with_row(f"0.5,A,north,0,1,{value}\n0.5,B,north,0,1,{value}"))
    tool.write("key", b"secret")
    refuses(
        tool,
        *arguments("apply", "data.csv", "--id", "id", "--key-file", "key"),
        says=("data.csv", "2 rows have no id", "row 6"),
    )


@pytest.mark.parametrize("command", COUNTERS)
@pytest.mark.parametrize(
    ("option", "typo", "meant"),
    [("--label", "yy", "y"), ("--weight", "ww", "w"), ("--within", "regoin", "region")],
)
def test_missing_column(tool: Tool, command: str, option: str, typo: str, meant: str) -> None:
    """A column that is not there is named with its option and the nearest one."""
    tool.write("data.csv", ROWS)
    refuses(
        tool,
        *arguments(command, "data.csv", option, typo),
        says=("data.csv", f"no column {typo}", option, f"did you mean '{meant}'?"),
    )


@pytest.mark.parametrize("command", COUNTERS)
@pytest.mark.parametrize(("option", "typo"), [("--score", "scroe"), ("--sensitive", "gruop")])
def test_missing_score_or_group_column(tool: Tool, command: str, option: str, typo: str) -> None:
    """A column that is not there is named with its option and the nearest one."""
    tool.write("data.csv", ROWS)
    call = arguments(command, "data.csv")
    call[call.index(option) + 1] = typo
    meant = {"scroe": "score", "gruop": "group"}[typo]
    refuses(tool, *call, says=(f"no column {typo}", option, f"did you mean '{meant}'?"))


@pytest.mark.parametrize("missing", ["score", "group"])
def test_missing_column_of_a_rule(tool: Tool, missing: str) -> None:
    """The columns that a rule needs have to be there; a like one is suggested."""
    tool.write("data.csv", ROWS.replace(missing, missing + "s"))
    refuses(
        tool,
        *arguments("apply", "data.csv"),
        says=("data.csv", f"no column {missing}", f"did you mean '{missing}s'?"),
    )


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("name", ["data.csv", "data.parquet"])
def test_empty_file(tool: Tool, command: str, name: str) -> None:
    """A file without a byte is empty, whatever it is called."""
    tool.write(name, b"")
    refuses(tool, *arguments(command, name), says=(name, "is empty"))


@pytest.mark.parametrize("command", READERS)
def test_empty_standard_input(tool: Tool, command: str) -> None:
    """Nothing on standard input is no data."""
    refuses(tool, *arguments(command, "-"), says=("standard input", "is empty"), stdin=b"")


@pytest.mark.parametrize("command", COUNTERS)
def test_header_only(tool: Tool, command: str) -> None:
    """A header has no rows."""
    tool.write("data.csv", "score,group\n")
    refuses(tool, *arguments(command, "data.csv"), says=("data.csv", "no rows"))


@pytest.mark.parametrize("command", ["fit", "frontier"])
def test_one_group(tool: Tool, command: str) -> None:
    """One group leaves nothing to compare."""
    tool.write("data.csv", "score,group\n0.2,A\n0.7,A\n")
    refuses(tool, *arguments(command, "data.csv"), says=("nothing to compare",))


@pytest.mark.parametrize("command", ["fit", "frontier"])
def test_one_group_in_every_stratum(tool: Tool, command: str) -> None:
    """One group in each stratum leaves nothing to compare."""
    tool.write("data.csv", "score,group,region\n0.2,A,north\n0.7,B,south\n")
    refuses(
        tool, *arguments(command, "data.csv", "--within", "region"), says=("nothing to compare",)
    )


@pytest.mark.parametrize("command", ["apply", "audit"])
def test_group_that_the_rule_never_saw(tool: Tool, command: str) -> None:
    """An unseen cell is named, its rows are counted, and there is advice."""
    tool.write("data.csv", with_row("0.5,C,north,0,1,f\n0.6,C,north,0,1,g"))
    call = arguments("apply", "data.csv")
    if command == "audit":
        call = ["audit", "data.csv", "--rule", "rule.json"]
    refuses(tool, *call, says=("data.csv", "never seen group=C", "2 rows", "fit it anew"))


@pytest.mark.parametrize("name", ["probability", "decision", "PROBABILITY", "Decision"])
def test_column_that_the_output_would_hide(tool: Tool, name: str) -> None:
    """A column of the input is never renamed or lost."""
    tool.write("data.csv", ROWS.replace("region", name))
    refuses(
        tool,
        *arguments("apply", "data.csv"),
        says=("data.csv", name.lower(), f"--{name.lower()}-name"),
    )


def test_both_new_columns_with_one_name(tool: Tool) -> None:
    """The probability and the decision need names that differ by more than case."""
    tool.write("data.csv", ROWS)
    refuses(
        tool,
        *arguments("apply", "data.csv", "--probability-name", "a", "--decision-name", "A"),
        says=("same name",),
    )


# --- Rules.


def edited(**change: object) -> str:
    """Return the rule with other members."""
    return json.dumps({**RULE, "rule": {**RULE["rule"], **change}})


DEEP = 100_000
BAD_RULES: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "newer version": (json.dumps({**RULE, "evenhand": 2}).encode(), ("version 2", "update")),
    "truncated": (json.dumps(RULE).encode()[:200], ("not a valid rule",)),
    "unknown member": (json.dumps({**RULE, "x": 1}).encode(), ("not a valid rule", "x")),
    "unknown scale": (edited(scale="x").encode(), ("not a valid rule", "scale")),
    "probability above 1": (
        edited(cells=[{"values": ["A"], "start": 0, "steps": [[0.5, 7]]}]).encode(),
        ("not a valid rule", "group=A", "probability"),
    ),
    "falling probability": (
        edited(cells=[{"values": ["A"], "start": 1, "steps": [[0.5, 0]]}]).encode(),
        ("not a valid rule", "group=A"),
    ),
    "same cell twice": (
        edited(cells=[{"values": ["A"], "start": 1, "steps": []}] * 2).encode(),
        ("not a valid rule", "group=A"),
    ),
    "no cells": (edited(cells="none").encode(), ("not a valid rule", "cells")),
    "lists nested deep": (b"[" * DEEP, ("not a valid rule", "deep")),
    "objects nested deep in fit": (
        json.dumps({**RULE, "fit": None})[: -len("null}")].encode()
        + b'{"a":' * DEEP
        + b"1"
        + b"}" * DEEP
        + b"}",
        ("not a valid rule", "deep"),
    ),
    "empty": (b"", ("empty",)),
    "not JSON": (b"hello\n", ("not a valid rule",)),
    "not UTF-8": (b'{"evenhand": 1, "rule": "\xff"}', ("not a valid rule",)),
    "a number": (b"1", ("not a valid rule",)),
}


@pytest.mark.parametrize("command", ["show", "apply", "audit"])
@pytest.mark.parametrize("case", BAD_RULES)
def test_damaged_rule(tool: Tool, command: str, case: str) -> None:
    """A rule that is not exactly a rule is refused by its name."""
    text, says = BAD_RULES[case]
    tool.write("data.csv", ROWS)
    tool.write("bad.json", text)
    calls: dict[str, list[object]] = {
        "show": ["show", "bad.json"],
        "apply": ["apply", "data.csv", "--rule", "bad.json", "-o", "out.csv"],
        "audit": ["audit", "data.csv", "--rule", "bad.json"],
    }
    refuses(tool, *calls[command], says=("bad.json", *says))


@pytest.mark.parametrize("command", ["show", "apply", "audit"])
@pytest.mark.parametrize("where", ["absent.json", "folder"])
def test_rule_that_is_no_file(tool: Tool, command: str, where: str) -> None:
    """A rule that is not there, or a folder, is named."""
    tool.write("data.csv", ROWS)
    tool.path("folder").mkdir()
    calls: dict[str, list[object]] = {
        "show": ["show", where],
        "apply": ["apply", "data.csv", "--rule", where, "-o", "out.csv"],
        "audit": ["audit", "data.csv", "--rule", where],
    }
    refuses(tool, *calls[command], says=(where, "folder" if where == "folder" else "o such file"))


# --- Tallies.

GOOD = (
    "SELECT * FROM (VALUES ('A', 0.2::DOUBLE, 3, 1), ('B', 0.7::DOUBLE, 2, 2)) t(g, score, n, n1)"
)
META: dict[str, Any] = {
    "tally": 1,
    "version": "0.1.0",
    "attributes": ["g"],
    "sensitive": ["g"],
    "within": [],
    "scale": "probability",
    "favorable": "high",
    "resolution": "exact",
    "labelled": True,
    "weighted": False,
    "score": "p",
    "label": "y",
}
TALLY_READERS = ["fit", "merge"]  # audit and frontier read as fit does


def write_tally(path: Path, query: str, metadata: str | None = None) -> None:
    """Write a tally as some other engine might."""
    connection = duckdb.connect(":memory:")
    quoted = "" if metadata is None else metadata.replace("'", "''")
    options = "" if metadata is None else f", KV_METADATA {{evenhand: '{quoted}'}}"
    connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet{options})")


def tally_call(command: str, name: str) -> list[object]:
    """Return a run of a command on a tally."""
    if command == "merge":
        return ["merge", name, name, "-o", "out.parquet"]
    more = PARITY if command in ("fit", "frontier") else []
    return [command, "--tally", name, "--sensitive", "g", *more]


BAD_TALLIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "without n": ("SELECT g, score FROM t", ("no column n",)),
    "without score": ("SELECT g, n FROM t", ("no column score",)),
    "negative n": ("SELECT g, score, -n AS n FROM t", ("row 1", "-3")),
    "more n1 than n": ("SELECT g, score, n, n + 1 AS n1 FROM t", ("row 1", "4", "3")),
    "negative n1": ("SELECT g, score, n, -n1 AS n1 FROM t", ("row 1", "-1")),
    "all n zero": ("SELECT g, score, 0 AS n FROM t", ("every count is zero",)),
    "infinite n": ("SELECT g, score, 'inf'::DOUBLE AS n FROM t", ("row 1", "inf")),
    "missing n": ("SELECT g, score, NULL::INT AS n FROM t", ("n is missing",)),
    "text as n": ("SELECT g, score, 'x' AS n FROM t", ("n", "x")),
    "missing score": ("SELECT g, NULL::DOUBLE AS score, n FROM t", ("score is missing",)),
    "text as score": ("SELECT g, 'x' AS score, n FROM t", ("score", "x")),
    "NaN as score": ("SELECT g, 'nan'::DOUBLE AS score, n FROM t", ("row 1", "score")),
    "score outside": ("SELECT g, score + 1 AS score, n FROM t", ("row 1", "1.2", "scale")),
    "missing group": ("SELECT NULL::TEXT AS g, score, n FROM t", ("missing",)),
    "no rows": ("SELECT * FROM t LIMIT 0", ("no rows",)),
}


@pytest.mark.parametrize("command", TALLY_READERS)
@pytest.mark.parametrize("case", BAD_TALLIES)
def test_file_that_is_no_tally(tool: Tool, command: str, case: str) -> None:
    """What is wrong with a tally is said with the file's name and the row, from 1."""
    query, says = BAD_TALLIES[case]
    write_tally(tool.path("t.parquet"), f"WITH t AS ({GOOD}) {query}")
    refuses(tool, *tally_call(command, "t.parquet"), says=("t.parquet", *says))


BAD_METADATA: dict[str, tuple[str, tuple[str, ...]]] = {
    "newer version": (json.dumps({**META, "tally": 2}), ("version 2", "update")),
    "much newer version": (json.dumps({**META, "tally": 2**40}), ("version", "update")),
    "truncated": (json.dumps(META)[:40], ("damaged",)),
    "nested deep": ("[" * DEEP, ("damaged",)),
    "version is text": (json.dumps({**META, "tally": "x"}), ("damaged",)),
    "attribute that is not there": (json.dumps({**META, "attributes": ["h"]}), ("no column h",)),
    "attributes lost": (json.dumps({**META, "attributes": []}), ("t.parquet",)),
    "members lost": ('{"tally": 1}', ("damaged",)),
    "unknown scale": (json.dumps({**META, "scale": "x"}), ("scale",)),
    "unknown resolution": (json.dumps({**META, "resolution": "x"}), ("resolution",)),
    "role that is not there": (json.dumps({**META, "sensitive": ["h"]}), ("h",)),
    "negative number left out": (json.dumps({**META, "excluded": -1}), ("damaged",)),
}


@pytest.mark.parametrize("command", TALLY_READERS)
@pytest.mark.parametrize("case", BAD_METADATA)
def test_tally_with_edited_metadata(tool: Tool, command: str, case: str) -> None:
    """Metadata that are not exactly of a known version are refused by every reader."""
    metadata, says = BAD_METADATA[case]
    write_tally(tool.path("t.parquet"), GOOD, metadata)
    call = tally_call(command, "t.parquet")
    if case != "attributes lost" and "--sensitive" in call:  # what the file says must do
        del call[call.index("--sensitive") : call.index("--sensitive") + 2]
    refuses(tool, *call, says=("t.parquet", *says))


@pytest.mark.parametrize("command", TALLY_READERS)
@pytest.mark.parametrize("share", [0.3, 0.99])
def test_truncated_tally(tool: Tool, command: str, share: float) -> None:
    """Half a file is refused by its name."""
    write_tally(tool.path("whole.parquet"), GOOD, json.dumps(META))
    whole = tool.path("whole.parquet").read_bytes()
    tool.write("t.parquet", whole[: int(len(whole) * share)])
    refuses(tool, *tally_call(command, "t.parquet"), says=("t.parquet", "Parquet"))


@pytest.mark.parametrize("command", TALLY_READERS)
def test_tally_that_is_absent(tool: Tool, command: str) -> None:
    """A tally that is not there is named."""
    refuses(tool, *tally_call(command, "t.parquet"), says=("t.parquet", "no such file"))


@pytest.mark.parametrize(
    ("query", "change"),
    [
        (GOOD.replace("t(g,", "t(h,"), {"attributes": ["h"], "sensitive": ["h"]}),
        (GOOD, {"labelled": False}),
        (GOOD, {"scale": "signed"}),
        (GOOD, {"favorable": "low"}),
    ],
    ids=["other attributes", "without labels", "other scale", "other direction"],
)
def test_merge_of_tallies_that_do_not_fit(tool: Tool, query: str, change: dict[str, Any]) -> None:
    """Only tallies of one kind add up; both files are named."""
    write_tally(tool.path("a.parquet"), GOOD, json.dumps(META))
    write_tally(tool.path("b.parquet"), query, json.dumps({**META, **change}))
    refuses(
        tool,
        "merge",
        "a.parquet",
        "b.parquet",
        "-o",
        "out.parquet",
        says=("a.parquet", "b.parquet"),
    )


def test_merge_of_tallies_with_other_roles(tool: Tool) -> None:
    """Tallies that compare other groups do not add up."""
    two = f"SELECT *, 'north' AS region FROM ({GOOD})"
    roles = {"attributes": ["g", "region"], "sensitive": ["g"], "within": ["region"]}
    write_tally(tool.path("a.parquet"), two, json.dumps({**META, **roles}))
    roles |= {"sensitive": ["region"], "within": ["g"]}
    write_tally(tool.path("b.parquet"), two, json.dumps({**META, **roles}))
    refuses(
        tool,
        "merge",
        "a.parquet",
        "b.parquet",
        "-o",
        "out.parquet",
        says=("a.parquet", "b.parquet", "same groups"),
    )


def test_tally_and_data(tool: Tool) -> None:
    """A tally stands instead of rows."""
    tool.write("data.csv", ROWS)
    write_tally(tool.path("t.parquet"), GOOD)
    refuses(tool, *arguments("fit", "data.csv", "--tally", "t.parquet"), says=("not both",))


# --- What is fair.


@pytest.mark.parametrize("command", ["fit", "frontier"])
@pytest.mark.parametrize(
    ("text", "character", "says"),
    [
        ("rate[group=C] <= 0.1", 12, "C"),
        ("rate[gruop=A] <= 0.1", 6, "did you mean 'group'?"),
        ("rate <=", 8, "number"),
        ("rate < 0.1", 6, "'<='"),
        ("rat <= 0.1", 1, "did you mean 'rate'?"),
        ("rate <= 0.1 x", 13, ""),
        ("rate[group=A <= 0.1", 14, "']'"),
        ("", 1, ""),
    ],
)
def test_requirement_that_makes_no_sense(
    tool: Tool, command: str, text: str, character: int, says: str
) -> None:
    """A requirement that names no cell or does not parse is shown with the character."""
    tool.write("data.csv", ROWS)
    refuses(
        tool,
        *arguments(command, "data.csv", "--require", text),
        says=(f"character {character} ", says),
    )


def test_requirement_alone_that_makes_no_sense(tool: Tool) -> None:
    """A requirement that stands alone is shown with the character, too."""
    tool.write("data.csv", ROWS)
    refuses(
        tool,
        "fit",
        "data.csv",
        *WHO,
        "--require",
        "rate[group=C] <= 0.1",
        "-o",
        "out.json",
        says=("character 12 ", "C"),
    )


@pytest.mark.parametrize("command", ["fit", "frontier"])
def test_requirements_that_cannot_be_met(tool: Tool, command: str) -> None:
    """Requirements that clash end with status 3, and are named."""
    tool.write("data.csv", ROWS)
    refuses(
        tool,
        *arguments(command, "data.csv", "--require", "rate >= 0.9", "--require", "rate <= 0.1"),
        says=("rate >= 0.9", "rate <= 0.1"),
        status=3,
    )


@pytest.mark.parametrize("command", ["fit", "frontier"])
@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--criterion", "fairness"], ("no criterion fairness", "statistical-parity")),
        (["--criterion", "statistical-partiy"], ("did you mean 'statistical-parity'?",)),
        (["--criterion", "predictive-equality"], ("equal-rates", "false-positive-parity")),
        (["--criterion", "statistical-parity", "--tolerance", "1.5"], ("tolerance", "1.5")),
        (["--criterion", "statistical-parity", "--tolerance", "-0.1"], ("tolerance", "-0.1")),
        (["--criterion", "statistical-parity", "--tolerance", "nan"], ("tolerance", "nan")),
        (["--criterion", "statistical-parity", "--tolerance", "0,1"], ("--tolerance", "0,1")),
        (["--criterion", "statistical-parity", "--ratio", "0.8"], ("ratio",)),
        (["--criterion", "statistical-parity", "--rho", "0.8"], ("rho",)),
        (["--criterion", "four-fifths", "--tolerance", "0.1"], ("tolerance", "ratio")),
        (["--criterion", "four-fifths", "--ratio", "1.5"], ("ratio", "1.5")),
        (["--criterion", "equal-rates", "--rho", "2"], ("rho", "2")),
        (["--criterion", "statistical-parity", "--gamma", "-1"], ("gamma", "-1")),
        (["--criterion", "statistical-parity", "--cost-fp", "-1"], ("cost", "-1")),
        (["--criterion", "statistical-parity", "--base-threshold", "7"], ("threshold", "7")),
        (["--criterion", "statistical-parity", "--calibrate", "isotonic"], ("label",)),
        (["--criterion", "statistical-parity", "--across", "all"], ("--across", "marginal")),
        ([], ("--criterion", "--require")),
    ],
    ids=lambda value: " ".join(value[1:]) if isinstance(value, list) else "",
)
def test_criterion_that_makes_no_sense(
    tool: Tool, command: str, options: list[str], says: tuple[str, ...]
) -> None:
    """What is wrong with a criterion or its parameters is said."""
    tool.write("data.csv", ROWS)
    if command == "frontier" and {"--tolerance", "--ratio"} & set(options):
        says = ("--at",)  # it chooses tolerances itself
    refuses(tool, command, "data.csv", *WHO, *options, "-o", OUTPUTS[command], says=says)


@pytest.mark.parametrize("command", ["fit", "frontier"])
@pytest.mark.parametrize("name", ["equal-opportunity", "false-positive-parity", "equalized-odds"])
def test_criterion_without_its_labels(tool: Tool, command: str, name: str) -> None:
    """A criterion that compares errors needs labels, and says how to give them."""
    tool.write("data.csv", ROWS)
    refuses(
        tool,
        command,
        "data.csv",
        *WHO,
        "--criterion",
        name,
        "-o",
        OUTPUTS[command],
        says=(name, "labels", "--label"),
    )


# --- Where output goes.


@pytest.fixture
def disk(tool: Tool) -> Iterator[Callable[[str], Path]]:
    """Make small disks of their own, read-only or full, if this machine lets us."""
    mounted: list[Path] = []

    def make(kind: str) -> Path:
        path = tool.path(f"{kind}-disk")
        path.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(path)]
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            pytest.skip("no disk can be mounted here; /dev/full is tested")
        mounted.append(path)
        (path / "old").write_bytes(b"old bytes")
        if kind == "full":
            with (path / "filler").open("wb", buffering=0) as filler:
                try:
                    while filler.write(b"x" * 4096):
                        pass
                except OSError:
                    pass
        else:
            subprocess.run(["mount", "-o", "remount,ro", str(path)], check=True)
        return path

    yield make
    for path in mounted:
        subprocess.run(["umount", "-l", str(path)], check=False)


def writer(command: str, output: object) -> list[object]:
    """Return a run of a command that writes to this output."""
    call = (
        arguments(command, "data.csv") if command != "merge" else tally_call("merge", "t.parquet")
    )
    call[call.index("-o") + 1] = output
    return [*call, "--output-format", "csv"] if command == "apply" else call


WRITERS = [*OUTPUTS, "merge"]


@pytest.fixture
def inputs(tool: Tool) -> Tool:
    """Put good data, a rule and a tally into the tool's folder."""
    tool.write("data.csv", ROWS)
    tool.write("rule.json", json.dumps(RULE))
    write_tally(tool.path("t.parquet"), GOOD)
    return tool


@pytest.mark.parametrize("command", WRITERS)
def test_full_disk(inputs: Tool, disk: Callable[[str], Path], command: str) -> None:
    """A full disk ends with status 1, the old file and nothing else."""
    path = disk("full").relative_to(inputs.folder)
    for name in ("old", "new"):
        before = content(inputs.folder)
        inputs(*writer(command, path / name)).fails(1, f"{path / name}", "No space left on device")
        assert content(inputs.folder) == before


@pytest.mark.parametrize("command", WRITERS)
def test_full_device(inputs: Tool, command: str) -> None:
    """A device that takes nothing is like a full disk."""
    before = inputs.files()
    inputs(*writer(command, "/dev/full")).fails(1, "/dev/full", "No space left on device")
    assert inputs.files() == before


def test_full_temporary_folder(inputs: Tool, disk: Callable[[str], Path]) -> None:
    """What goes to standard output needs room for a while; without it there is a message."""
    env = {"TMPDIR": str(disk("full"))}
    call = ["apply", "data.csv", "--rule", "rule.json"]
    inputs(*call, env=env).fails(1, "No space left on device")


@pytest.mark.parametrize("command", [*READERS, "show"])
def test_full_standard_output(inputs: Tool, command: str) -> None:
    """Results that standard output does not take are an error."""
    call = arguments(command, "data.csv")
    if command == "show":
        call = ["show", "rule.json"]
    elif command == "tally":
        call[-1] = "-"
    elif "-o" in call:
        del call[call.index("-o") :]
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run(
            [TOOL, *map(str, call)],
            cwd=inputs.folder,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    Ran(run.returncode, "", run.stderr).fails(1, "standard output", "No space left on device")


@pytest.mark.parametrize("status", [0, 2])
def test_full_standard_error(inputs: Tool, status: int) -> None:
    """Messages that standard error does not take change nothing else."""
    call = ["apply", "data.csv" if status == 0 else "absent.csv", "--rule", "rule.json"]
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run(
            [TOOL, *call, "-o", "out.csv"], cwd=inputs.folder, stderr=full, check=False
        )
    assert run.returncode == status
    assert inputs.path("out.csv").exists() == (status == 0)


@pytest.mark.parametrize("command", WRITERS)
def test_unwritable_folder(inputs: Tool, disk: Callable[[str], Path], command: str) -> None:
    """A folder that cannot be written to is named before any work is done."""
    output = disk("read-only").relative_to(inputs.folder) / "new"
    inputs(*writer(command, output)).fails(2, str(output), "Read-only file system")


@pytest.mark.parametrize("command", WRITERS)
def test_missing_folder(inputs: Tool, command: str) -> None:
    """A folder that is not there is named."""
    refuses(inputs, *writer(command, "nowhere/out"), says=("nowhere/out", "no folder nowhere"))


@pytest.mark.parametrize("command", WRITERS)
def test_output_that_is_a_folder(inputs: Tool, command: str) -> None:
    """A folder is not overwritten, and is called a folder."""
    inputs.path("folder").mkdir()
    call = [word for word in writer(command, "folder") if word not in ("--output-format", "csv")]
    refuses(inputs, *call, says=("folder is a folder",))


@pytest.mark.parametrize("command", WRITERS)
@pytest.mark.parametrize("how", ["same path", "other path", "symbolic link", "hard link"])
def test_output_that_is_also_the_input(inputs: Tool, command: str, how: str) -> None:
    """The input is never overwritten, by whatever name."""
    source = "t.parquet" if command == "merge" else "data.csv"
    name = {"same path": source, "other path": f"./x/../{source}"}.get(how, "link")
    inputs.path("x").mkdir()
    if how == "symbolic link":
        inputs.path("link").symlink_to(source)
    elif how == "hard link":
        inputs.path("link").hardlink_to(inputs.path(source))
    refuses(inputs, *writer(command, name), says=("also the input", "choose another"))


@pytest.mark.parametrize("name", ["rule.json", "key"])
def test_output_that_is_the_rule_or_the_key(inputs: Tool, name: str) -> None:
    """Neither the rule nor the key, which nobody can make again, is overwritten."""
    inputs.write("key", b"secret")
    call = [*writer("apply", name), "--id", "id", "--key-file", "key"]
    refuses(inputs, *call, says=(name, "choose another"))


def test_output_that_is_the_input_of_sql(inputs: Tool) -> None:
    """A file that SQL reads is not overwritten either."""
    refuses(
        inputs,
        "apply",
        "--sql",
        "FROM 'data.csv'",
        "--rule",
        "rule.json",
        "-o",
        "data.csv",
        says=("data.csv", "also the input"),
    )


def test_output_without_a_known_ending(inputs: Tool) -> None:
    """An ending that says nothing is asked about."""
    refuses(
        inputs,
        "apply",
        "data.csv",
        "--rule",
        "rule.json",
        "-o",
        "out.doc",
        says=("out.doc", ".csv", "--output-format"),
    )


def test_temporary_folder_that_is_absent(inputs: Tool) -> None:
    """A TMPDIR that is not there is named."""
    run = inputs(*arguments("fit", "data.csv"), env={"TMPDIR": "/nowhere"})
    if run.status != 0:  # nothing has to be written there
        assert run.status in (1, 2)
        assert run.err.startswith("evenhand: ")
        assert "/nowhere" in run.err
        assert "filesystem error" not in run.err


# --- Where rows come from.


@pytest.mark.parametrize("command", ["fit", "apply"])
@pytest.mark.parametrize(
    "data", ["https://example.com/a.csv", "s3://bucket/a.parquet", "hf://datasets/a.csv"]
)
def test_data_elsewhere(tool: Tool, command: str, data: str) -> None:
    """Nothing is read from the network; there is advice."""
    refuses(tool, *arguments(command, data), says=(data, "only files on this machine", "download"))


@pytest.mark.parametrize("data", ["https://example.com/a.csv", "s3://bucket/a.parquet"])
def test_data_elsewhere_in_sql(tool: Tool, data: str) -> None:
    """SQL reads nothing from the network either, and the message is the tool's own."""
    refuses(
        tool,
        "tally",
        "--sql",
        f"FROM '{data}'",
        *WHO,
        "-o",
        "out.parquet",
        says=(data, "only files on this machine"),
    )


@pytest.mark.parametrize("command", READERS)
def test_spreadsheet(tool: Tool, command: str) -> None:
    """A spreadsheet is refused with advice."""
    tool.write("data.xlsx", b"PK\x03\x04")
    refuses(tool, *arguments(command, "data.xlsx"), says=("data.xlsx", ".xlsx", "save it as CSV"))


@pytest.mark.parametrize("command", READERS)
def test_absent_file(tool: Tool, command: str) -> None:
    """A file that is not there is named."""
    refuses(tool, *arguments(command, "absent.csv"), says=("absent.csv", "no such file"))


@pytest.mark.parametrize("command", READERS)
def test_glob_without_match(tool: Tool, command: str) -> None:
    """A glob that matches nothing is named."""
    refuses(tool, *arguments(command, "*.tsv"), says=("*.tsv", "no file matches"))


@pytest.mark.parametrize("command", READERS)
def test_folder_as_data(tool: Tool, command: str) -> None:
    """A folder is refused with advice."""
    tool.path("folder").mkdir()
    refuses(tool, *arguments(command, "folder"), says=("folder is a folder", "folder/*"))


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("name", ["loop", "x" * 5000], ids=["loop", "long"])
def test_path_that_leads_nowhere(tool: Tool, command: str, name: str) -> None:
    """A link to itself and a name that is too long are the user's to change."""
    tool.path("loop").symlink_to("loop")
    refuses(tool, *arguments(command, name), says=(name[:40],))


@pytest.mark.parametrize("command", READERS)
def test_data_and_sql(tool: Tool, command: str) -> None:
    """SQL stands instead of DATA."""
    tool.write("data.csv", ROWS)
    refuses(tool, *arguments(command, "data.csv", "--sql", "FROM 'data.csv'"), says=("not both",))


@pytest.mark.parametrize("command", READERS)
def test_no_data(tool: Tool, command: str) -> None:
    """Without rows there is advice."""
    call = [word for word in arguments(command, "data.csv") if word != "data.csv"]
    refuses(tool, *call, says=("DATA is missing", "--sql"))


def sql_call(command: str, query: str) -> list[object]:
    """Return a run of a command on SQL."""
    call = arguments(command, "data.csv", "--sql", query)
    call.remove("data.csv")
    return call


@pytest.mark.parametrize("command", READERS)
def test_sql_with_two_statements(tool: Tool, command: str) -> None:
    """SQL is one SELECT."""
    tool.write("data.csv", ROWS)
    refuses(tool, *sql_call(command, "FROM 'data.csv'; FROM 'data.csv'"), says=("--sql", "one"))


@pytest.mark.parametrize("command", READERS)
def test_sql_with_a_syntax_error(tool: Tool, command: str) -> None:
    """The place of a syntax error is said."""
    tool.write("data.csv", ROWS)
    refuses(tool, *sql_call(command, "SELECT * FRUM 'data.csv'"), says=("--sql", "data.csv"))


@pytest.mark.parametrize("command", ["fit", "apply"])
@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("FROM nothing", "nothing"),
        ("FROM 'nothing.csv'", "nothing.csv"),
        ("SELECT nope FROM 'data.csv'", "nope"),
    ],
)
def test_sql_that_names_what_is_absent(tool: Tool, command: str, query: str, says: str) -> None:
    """A table, file or column that is not there is named, in one line without a picture."""
    tool.write("data.csv", ROWS)
    run = refuses(tool, *sql_call(command, query), says=("--sql", says))
    assert "^" not in run.err


@pytest.mark.parametrize("ending", [" -- a comment", ";", " ; -- a comment\n", "\n/* a comment */"])
def test_sql_may_end_like_sql(inputs: Tool, ending: str) -> None:
    """A semicolon or a comment at the end is no second statement."""
    for command in READERS:
        inputs(*sql_call(command, "SELECT * FROM 'data.csv'" + ending)).ok()


def test_unclosed_quote_in_names(tool: Tool) -> None:
    """A quote that is not closed is shown."""
    tool.write("data.csv", ROWS)
    for command in COUNTERS:
        call = arguments(command, "data.csv")
        call[call.index("--sensitive") + 1] = 'region,"group'
        refuses(tool, *call, says=("group", "quote is not closed"))


@pytest.mark.parametrize("names", ["group,group", "group,GROUP"])
def test_same_column_twice(tool: Tool, names: str) -> None:
    """A column has one role."""
    tool.write("data.csv", ROWS)
    for command in COUNTERS:
        call = arguments(command, "data.csv")
        call[call.index("--sensitive") + 1] = names
        refuses(tool, *call, says=("group is given twice",))


@pytest.mark.parametrize(
    ("header", "option"),
    [
        ("score,group,group", "--sensitive"),
        ("score,GROUP,group", "--sensitive"),
        ("score,score,group", "--score"),
        ("score,SCORE,group", "--score"),
    ],
)
def test_two_columns_with_one_name(tool: Tool, header: str, option: str) -> None:
    """A name that two columns have is not settled by a guess."""
    tool.write("data.csv", header + "\n0.2,0.3,0.4\n0.7,0.3,0.9\n0.6,0.8,0.4\n")
    call = arguments("fit", "data.csv")
    call[-1] = "-"
    run = tool(*call)
    if header == "score,GROUP,group" and run.status == 0:  # the exact name was meant
        assert [cell["values"] for cell in run.json()["rule"]["cells"]] == [["0.4"], ["0.9"]]
    else:
        run.fails(2, "data.csv", option.removeprefix("--").replace("sensitive", "group"))


# --- Keys.


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--id", "id"], ("--id needs --key-file",)),
        (["--id", "id", "--key-file", "empty"], ("empty", "key file is empty")),
        (["--id", "id", "--key-file", "absent"], ("absent", "key file")),
        (["--id", "id", "--key-file", "folder"], ("folder is a folder",)),
        (["--key-file", "key"], ("--key-file needs --id",)),
        (["--id", "id", "--key-file", "key", "--seed", "1"], ("not both",)),
        (["--seed", "-1"], ("--seed", "-1")),
        (["--seed", "1.5"], ("--seed", "1.5")),
        (["--seed", "99999999999999999999"], ("--seed", "99999999999999999999")),
        (["--id", "idd", "--key-file", "key"], ("no column idd", "did you mean 'id'?")),
        (["--unseen", "ignore"], ("--unseen", "reject")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_coins_that_cannot_be_tossed(
    inputs: Tool, options: list[str], says: tuple[str, ...]
) -> None:
    """Ids need a key with bytes in it, seeds are whole numbers, and nothing is guessed."""
    inputs.write("key", b"secret")
    inputs.write("empty", b"")
    inputs.path("folder").mkdir()
    refuses(inputs, *arguments("apply", "data.csv", *options), says=says)


# --- Files of all kinds.


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("row", ["0.5,A", "0.5,A,north,0,1,f,extra"])
def test_ragged_row(tool: Tool, command: str, row: str) -> None:
    """A row with too few or too many values is named by its line."""
    tool.write("data.csv", with_row(row) + ROWS.split("\n", 1)[1])
    refuses(tool, *arguments(command, "data.csv"), says=("data.csv", "7"))


@pytest.mark.parametrize("command", READERS)
def test_group_that_is_not_utf8(tool: Tool, command: str) -> None:
    """Bytes that are no text are named by their line."""
    tool.write("data.csv", ROWS.encode() + b"0.5,A\xff,north,0,1,f\n")
    refuses(tool, *arguments(command, "data.csv"), says=("data.csv", "7", "UTF-8"))


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("share", [0.3, 0.99])
def test_truncated_parquet(tool: Tool, command: str, share: float) -> None:
    """Half a file is refused by its name."""
    duckdb.sql(
        f"COPY (SELECT i / 9 AS score, 'A' AS \"group\" FROM range(9) t(i)) TO "
        f"'{tool.path('whole.parquet')}'"
    )
    whole = tool.path("whole.parquet").read_bytes()
    tool.write("data.parquet", whole[: int(len(whole) * share)])
    refuses(tool, *arguments(command, "data.parquet"), says=("data.parquet", "Parquet"))


@pytest.mark.parametrize("command", READERS)
def test_truncated_gzip(tool: Tool, command: str) -> None:
    """Half a compressed file is refused, even if what is left of it looks whole."""
    rows = [f"{'AB'[i % 2]},0.{i * 7919 % 90000 + 10000}\n" for i in range(3000)]
    whole = gzip.compress(("group,score\n" + "".join(rows)).encode())
    tool.write("data.csv.gz", whole[: len(whole) * 3 // 4])
    refuses(tool, *arguments(command, "data.csv.gz"), says=("data.csv.gz",))


@pytest.mark.parametrize("command", ["fit", "apply"])
@pytest.mark.parametrize(
    "text",
    [
        "[1, 2, 3]",
        '"text"',
        "1",
        '{"score": [0.1, 0.2], "group": ["A", "B"]}',
        "[",
        '{"score": 0.5, "group": "A"',
        "null",
        "[]",
        "{}",
        "[" * 100_000,
    ],
    ids=lambda text: text[:12],
)
def test_json_that_is_not_rows(tool: Tool, command: str, text: str) -> None:
    """JSON has to be objects, one for each row."""
    tool.write("data.json", text)
    refuses(tool, *arguments(command, "data.json"), says=("data.json",))


@pytest.mark.parametrize("command", READERS)
def test_csv_called_parquet(tool: Tool, command: str) -> None:
    """A name that does not fit its content is said."""
    tool.write("data.parquet", ROWS)
    refuses(tool, *arguments(command, "data.parquet"), says=("data.parquet", "not a Parquet file"))


@pytest.mark.parametrize("command", READERS)
def test_csv_called_gzip(inputs: Tool, command: str) -> None:
    """A file that is not compressed is read, whatever its name says."""
    inputs.write("data.csv.gz", ROWS)
    inputs(*arguments(command, "data.csv.gz")).ok()


def test_parquet_called_csv(inputs: Tool) -> None:
    """Parquet under another name is read, or called Parquet in the message."""
    duckdb.sql(f"COPY (FROM '{inputs.path('data.csv')}') TO '{inputs.path('p.parquet')}'")
    inputs.path("p.parquet").rename(inputs.path("p.csv"))
    for command in READERS:
        if inputs(*arguments(command, "p.csv")).status != 0:
            refuses(inputs, *arguments(command, "p.csv"), says=("p.csv", "Parquet"))


def in_quotes(text: str) -> str:
    """Return CSV with every value in quotes."""
    lines = [",".join(f'"{value}"' for value in line.split(",")) for line in text.splitlines()]
    return "\n".join(lines) + "\n"


KINDS: dict[str, bytes] = {
    "CRLF": ROWS.replace("\n", "\r\n").encode(),
    "BOM": b"\xef\xbb\xbf" + ROWS.encode(),
    "BOM and CRLF": b"\xef\xbb\xbf" + ROWS.replace("\n", "\r\n").encode(),
    "semicolons": ROWS.replace(",", ";").encode(),
    "tabs": ROWS.replace(",", "\t").encode(),
    "pipes": ROWS.replace(",", "|").encode(),
    "quotes": in_quotes(ROWS).encode(),
    "quoted newlines": ROWS.replace("north", '"no\nrth"').encode(),
    "quoted separators": ROWS.replace("north", '"no,rth;"').encode(),
    "no last newline": ROWS.rstrip("\n").encode(),
    "gzip": gzip.compress(ROWS.encode()),
    "first row begins with #": ROWS.replace("0.1,A,north", "0.1,A,#1").encode(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_csv_of_every_kind(tool: Tool, kind: str) -> None:
    """CSV as programs write it is read: all five rows, both groups, from a file or a pipe."""
    tool.write("data.csv", KINDS[kind])
    tool.write("rule.json", json.dumps(RULE))
    for name, stdin in (("data.csv", None), ("-", KINDS[kind])):
        rule = tool("fit", name, *WHO, *PARITY, "-o", "-", stdin=stdin).ok().json()
        assert [cell["values"] for cell in rule["rule"]["cells"]] == [["A"], ["B"]]
        assert rule["fit"]["rows"] == 5
        decided = tool("apply", name, "--rule", "rule.json", stdin=stdin).ok()
        assert decided.err.startswith("5 rows decided")


@pytest.mark.parametrize("mark", ["#", "//", "%", ";", "--", "'"])
def test_row_that_looks_like_a_comment(tool: Tool, mark: str) -> None:
    """No row is left out because of how its first value begins."""
    lines = ["id,score,group", f"{mark}1,0.2,A", "2,0.8,B", "3,0.3,A", "4,0.35,B"]
    tool.write("data.csv", "\n".join(lines) + "\n")
    assert tool("fit", "data.csv", *WHO, *PARITY, "-o", "-").ok().json()["fit"]["rows"] == 4


@pytest.mark.parametrize("name", ["data.json", "data.ndjson", "data.jsonl"])
def test_json_rows(tool: Tool, name: str) -> None:
    """JSON, as an array or by lines, is read and written."""
    rows = [{"score": 0.2, "group": "A"}, {"score": 0.8, "group": "B"}]
    text = json.dumps(rows) if name == "data.json" else "\n".join(map(json.dumps, rows))
    tool.write(name, text)
    tool.write("rule.json", json.dumps(RULE))
    for data, stdin in ((name, None), ("-", text.encode())):
        fit = tool("fit", data, *WHO, *PARITY, "-o", "-", stdin=stdin).ok().json()["fit"]
        assert fit["rows"] == 2
    tool("apply", name, "--rule", "rule.json", "-o", "out.json").ok()
    assert [row["decision"] for row in json.loads(tool.path("out.json").read_text())] == [0, 1]


def test_data_from_a_pipe_with_a_name(inputs: Tool) -> None:
    """A pipe, as the shell's <(...) makes, is read whole, or refused in favour of '-'."""
    os.mkfifo(inputs.path("pipe"))
    for command in ("fit", "apply"):
        feeding = ["sh", "-c", "cat data.csv >pipe"]
        with subprocess.Popen(feeding, cwd=inputs.folder) as feed:
            try:
                run = inputs(*arguments(command, "pipe"), timeout=4)
            finally:
                feed.terminate()
        if run.status != 0:
            run.fails(2, "pipe", "-")


# --- The command line itself.


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (["fit", "data.csv", "--score"], ("--score",)),
        (["fit", "data.csv", "--score", "score", "--bogus"], ("--bogus", "--help")),
        (["fit", "data.csv", "other.csv"], ("other.csv", "--help")),
        (["fit", "data.csv", "--score", "score", "--score", "y"], ("--score",)),
        (["fit", "data.csv", "--threads", "0"], ("--threads",)),
        (["fit", "data.csv", "--memory", "much", *WHO, *PARITY], ("--memory", "much")),
        (["fit", "data.csv", "--format", "xml", *WHO, *PARITY], ("xml", "parquet")),
        (["fit", "data.csv", "--scale", "z", *WHO, *PARITY], ("scale", "logit")),
        (["fit", "data.csv", "--favorable", "z", *WHO, *PARITY], ("high", "low")),
        (["fit", "data.csv", "--resolution", "z", *WHO, *PARITY], ("resolution", "exact")),
        (["fit", "data.csv", "--sensitive", "group", *PARITY], ("--score is missing",)),
        (["fit", "data.csv", "--score", "score", *PARITY], ("--sensitive is missing",)),
        (["apply", "data.csv"], ("--rule",)),
        (["tally", "data.csv", *WHO], ("--output",)),
        (["tally", "data.csv", *WHO, "--min-count", "-1", "-o", "out.parquet"], ("min-count",)),
        (["tally", "data.csv", *WHO, "--min-count", "nan", "-o", "out.parquet"], ("min-count",)),
        (["merge", "-o", "out.parquet"], ("TALLY",)),
        (["show"], ("RULE",)),
        (["audit", "data.csv", *WHO, "--reference", "Z"], ("Z", "--reference")),
        (["audit", "data.csv", *WHO, "--confidence", "2"], ("confidence", "2")),
        (["audit", "data.csv", *WHO, "--fail-above", "-1"], ("--fail-above",)),
        (["audit", "data.csv", *WHO, "--decision", "y"], ("not both",)),
        (
            ["audit", "data.csv", "--decision", "score", "--sensitive", "group"],
            ("row 1", "decision 0.1"),
        ),
        (["frontier", "data.csv", *WHO, *PARITY, "--at", "0,2"], ("tolerance", "2")),
        (["frontier", "data.csv", *WHO, *PARITY, "--at", "0,,1"], ("--at",)),
        (["fitt", "data.csv"], ("fitt", "fit")),
        (["frobnicate"], ("frobnicate", "--help")),
        (["--frobnicate"], ("--frobnicate", "--help")),
        ([], ("--help",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options_that_make_no_sense(tool: Tool, call: list[str], says: tuple[str, ...]) -> None:
    """What is wrong with the command line is said in one line that names it."""
    tool.write("data.csv", ROWS)
    refuses(tool, *call, says=says)
