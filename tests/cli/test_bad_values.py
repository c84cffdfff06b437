"""Values that cannot be used: numbers out of range, missing ones, columns that are not there."""

from __future__ import annotations

import json

import pytest

from bad_input import COUNTERS, READERS, ROWS, RULE, WHO, arguments, refuses, with_row
from conftest import Tool


@pytest.mark.parametrize("command", READERS)
def test_nothing_is_left_where_nothing_was(tool: Tool, command: str) -> None:
    """A run that fails while it writes or reads leaves no file, hidden, temporary or empty."""
    tool.write("data.csv", with_row("nan,A,north,0,1,f"))
    tool.write("rule.json", json.dumps(RULE))
    tool.path("tmp").mkdir()
    before = tool.files()
    tool(*arguments(command, "data.csv"), env={"TMPDIR": str(tool.path("tmp"))}).fails(2)
    assert tool.files() == before


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
@pytest.mark.parametrize(
    ("role", "column", "value", "row"),
    [
        *(("label", "y", one, f"{one},1") for one in ("2", "0.5", "-1", "nan", "yes")),
        *(("weight", "w", one, f"0,{one}") for one in ("-1", "nan", "inf", "heavy")),
    ],
)
def test_what_is_no_label_or_weight(
    tool: Tool, command: str, role: str, column: str, value: str, row: str
) -> None:
    """A label is 0 or 1; a weight is a finite number and not negative."""
    tool.write("data.csv", with_row(f"0.5,A,north,{row},f"))
    refuses(
        tool,
        *arguments(command, "data.csv", f"--{role}", column),
        says=("data.csv", "row 6", f"{role} {value}"),
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
    tool.write("data.csv", with_row(f"0.5,A,north,0,1,{value}"))
    refuses(
        tool,
        *arguments("apply", "data.csv", "--id", "id", "--key-file", "key"),
        says=("data.csv: 1 row has no id", "row 6"),
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
    call, advice = arguments("apply", "data.csv"), "choose --unseen score or reject"
    if command == "audit":
        call, advice = ["audit", "data.csv", "--rule", "rule.json"], "--unseen"
    refuses(tool, *call, says=("data.csv", "never seen group=C", "2 rows", "refit it", advice))


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


def test_labels_in_words_are_answered_with_sql(tool: Tool) -> None:
    """What to do is said where the values are."""
    tool.write("data.csv", "score,group,y\n0.2,A,yes\n0.7,B,no\n")
    refuses(tool, "audit", "data.csv", *WHO, "--label", "y",
            says=("row 1", "yes", "is not a number", "--sql", "= 'yes'"))


def test_scores_in_percent_are_answered_with_100(tool: Tool) -> None:
    """As model scores often come."""
    tool.write("data.csv", "score,group\n0.2,A\n70,B\n")
    refuses(tool, "audit", "data.csv", *WHO, says=("row 2", "70", "divide percentages by 100"))


def test_scores_of_0_and_1_are_pointed_out(tool: Tool) -> None:
    """They are decisions, in all likelihood."""
    tool.write("data.csv", "score,group\n0,A\n1,B\n1,A\n0,B\n")
    for direction in ("high", "low"):
        said = tool("audit", "data.csv", *WHO, "--favorable", direction).ok().err
        assert "every score is 0 or 1" in said
    tool.write("data.csv", "score,group\n0,A\n1,B\n1,A\n0.5,B\n")
    assert "every score" not in tool("audit", "data.csv", *WHO).ok().err
