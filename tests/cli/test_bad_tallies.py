"""Files that are no tally, and tallies that do not fit together."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bad_input import DEEP, GOOD, ROWS, arguments, refuses, tally_call, write_tally
from conftest import Tool

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
MERGE = ("merge", "a.parquet", "b.parquet", "-o", "out.parquet")
TALLY_READERS = ["fit", "merge"]  # audit and frontier read as fit does
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
    "truncated": (json.dumps(META)[:40], ("corrupt",)),
    "nested deep": ("[" * DEEP, ("corrupt",)),
    "version is text": (json.dumps({**META, "tally": "x"}), ("corrupt",)),
    "attribute that is not there": (
        json.dumps({**META, "attributes": ["h"], "sensitive": ["h"]}), ("no column h",)),
    "attributes lost": (json.dumps({**META, "attributes": []}), ("t.parquet",)),
    "members lost": ('{"tally": 1}', ("corrupt",)),
    "unknown scale": (json.dumps({**META, "scale": "x"}), ("scale",)),
    "unknown resolution": (json.dumps({**META, "resolution": "x"}), ("resolution",)),
    "role that is not there": (json.dumps({**META, "sensitive": ["h"]}), ("h",)),
    "negative number left out": (json.dumps({**META, "excluded": -1}), ("corrupt",)),
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
        (f"SELECT g, score, n FROM ({GOOD})", {"labelled": False}),
        (GOOD, {"scale": "signed"}),
        (GOOD, {"favorable": "low"}),
    ],
    ids=["other attributes", "without labels", "other scale", "other direction"],
)
def test_merge_of_tallies_that_do_not_fit(tool: Tool, query: str, change: dict[str, Any]) -> None:
    """Only tallies of one kind add up; both files are named."""
    write_tally(tool.path("a.parquet"), GOOD, json.dumps(META))
    write_tally(tool.path("b.parquet"), query, json.dumps({**META, **change}))
    refuses(tool, *MERGE, says=("a.parquet", "b.parquet"))


def test_merge_of_tallies_with_other_roles(tool: Tool) -> None:
    """Tallies that compare other groups do not add up."""
    two = f"SELECT *, 'north' AS region FROM ({GOOD})"
    roles = {"attributes": ["g", "region"], "sensitive": ["g"], "within": ["region"]}
    write_tally(tool.path("a.parquet"), two, json.dumps({**META, **roles}))
    roles |= {"sensitive": ["region"], "within": ["g"]}
    write_tally(tool.path("b.parquet"), two, json.dumps({**META, **roles}))
    refuses(tool, *MERGE, says=("a.parquet", "b.parquet", "same groups"))


def test_tally_and_data(tool: Tool) -> None:
    """A tally stands instead of rows."""
    tool.write("data.csv", ROWS)
    write_tally(tool.path("t.parquet"), GOOD)
    refuses(tool, *arguments("fit", "data.csv", "--tally", "t.parquet"), says=("not both",))
