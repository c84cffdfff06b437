"""Options, keys and seeds that make no sense."""

from __future__ import annotations

import pytest

from bad_input import PARITY, ROWS, WHO, arguments, refuses
from conftest import Tool


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
        (["--unseen", "ignore"], ("unseen", "reject")),
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


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (["fit", "data.csv", "--score"], ("--score needs a value",)),
        (["fit", "data.csv", "--score", "score", "--bogus"], ("--bogus", "--help")),
        (["fit", "data.csv", "other.csv"], ("other.csv", "--help")),
        (["fit", "data.csv", "data.csv"], ("data.csv is not", "several", "quotes", "--sql")),
        (["audit", "data.csv", "two words.csv", *WHO], ('"two words.csv" is not', "quotes")),
        (["fit", "data.csv", "--score", "score", "--score", "y"], ("--score is given twice",)),
        (["fit", *["--criterion", "x"] * 3], ("--criterion is given 3 times",)),
        (["fit", "data.csv", "--threads", "0"], ("--threads takes a whole number", "4096", "0")),
        (["fit", "data.csv", "--threads", "4097"], ("--threads takes a whole number", "4097")),
        (["fit", "data.csv", "--threads", "two"], ("--threads takes a whole number", "two")),
        (["merge", "a", "b", "--threads", "-1", "-o", "x"], ("--threads takes", "-1")),
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
        (["audit", "data.csv", *WHO, "--reference", "Z"], ("the reference Z", "there are")),
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
    tool.write("two words.csv", ROWS)
    run = refuses(tool, *call, says=says)
    for word in ("required but received", "At Most", "not in range", "Could not convert"):
        assert word not in run.err
