"""Rows from places that are not there or not allowed."""

from __future__ import annotations

import pytest

from bad_input import COUNTERS, READERS, ROWS, WHO, arguments, refuses
from conftest import Tool


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
@pytest.mark.parametrize(
    ("name", "why"),
    [("absent.csv", "no such file"), ("*.tsv", "no file matches"), ("folder", "no file in it")],
)
def test_data_that_are_not_there(tool: Tool, command: str, name: str, why: str) -> None:
    """An absent file, a glob that matches nothing and an empty folder are named."""
    tool.path("folder").mkdir()
    refuses(tool, *arguments(command, name), says=(name, why))


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
@pytest.mark.parametrize(
    ("query", "part"),
    [("FROM 'data.csv'; FROM 'data.csv'", "one"), ("SELECT * FRUM 'data.csv'", "data.csv")],
    ids=["two statements", "syntax error"],
)
def test_sql_that_is_not_one_select(tool: Tool, command: str, query: str, part: str) -> None:
    """It has to be one SELECT; the place of a syntax error is said."""
    tool.write("data.csv", ROWS)
    refuses(tool, *sql_call(command, query), says=("--sql", part))


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
        more = inputs.coins() if command == "apply" else ()
        inputs(*sql_call(command, "SELECT * FROM 'data.csv'" + ending), *more).ok()


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
