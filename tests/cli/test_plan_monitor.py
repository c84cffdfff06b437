"""How many people are needed, and whether a rule is still within its tolerance."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Tool

PARITY = ["--score", "score", "--sensitive", "sex", "--criterion", "statistical-parity"]
WATCH = ["--rule", "rule.json", "--period", "month", "--tolerance", "0.05"]


def months(tool: Tool, name: str, numbers: list[int], women: int) -> None:
    """Write 400 people a month; of the women, so many of a hundred have a high score."""
    rows = ["month,sex,score"]
    for month in numbers:
        for i in range(400):
            high = i % 100 < (women if i < 200 else 30)
            rows.append(f"2025-{month:02},{'F' if i < 200 else 'M'},{0.9 if high else 0.1}")
    tool.write(name, "\n".join(rows) + "\n")


def fitted(tool: Tool) -> None:
    """Leave a rule that selects high scores in both groups."""
    months(tool, "fit.csv", [1], 30)
    tool("fit", "fit.csv", *PARITY, "-o", "rule.json").ok()


def test_plan_from_numbers(tool: Tool) -> None:
    """Two groups at a rate of 20 %: about 1,330 people fitted, 492 fresh at even odds."""
    asked = ["plan", "--tolerance", "0.05", "--rate", "0.2", "--power", "0.5"]
    found = tool(*asked, "--json").ok().json()
    assert 1315 <= found["rows_per_group_fitted"] <= 1345
    assert found["rows_per_group_fresh"] == 492
    assert "people in each group" in tool(*asked).ok().out


def test_plan_from_data(tool: Tool, people: Path) -> None:
    """Sizes and rates come from the data; so many rows are enough, by its own bound."""
    found = tool("plan", people, *PARITY, "--tolerance", "0.03", "--json").ok().json()
    assert found["rows"] == 5000
    assert found["rows_fitted"] > 5000
    bound = tool("fit", people, *PARITY, "--json").ok().json()["bound"]
    assert found["bound_at_hand"] == pytest.approx(bound["difference_at_most"], rel=1e-6)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ([], "say what to show"),
        (["--tolerance", "0.05"], "give the selection rate"),
        (["--tolerance", "0", "--rate", "0.2"], "exactly 0"),
        (["--tolerance", "0.05", "--rate", "2"], "rate lies between"),
        (["--tolerance", "0.05", "--rate", "0.2", "--confidence", "1"], "confidence"),
        (["--tolerance", "0.05", "--rate", "0.2", "--power", "0"], "power"),
        (["--tolerance", "0.05", "--rate", "0.2", "--groups", "1"], "--groups"),
        (["--tolerance", "0.05", "--rate", "0.2", "--bound", "x"], "same-rate"),
        (["--tolerance", "0.05", "--rate", "0.2", "--actual", "0.06"], "cannot be shown"),
    ],
)
def test_plans_that_make_no_sense(tool: Tool, asked: list[str], says: str) -> None:
    """One line says what is missing, or out of range."""
    tool("plan", *asked).fails(2, says)


def test_monitor_raises_no_alarm_while_rates_agree(tool: Tool) -> None:
    """Every month has a line; nothing is shown to be wrong."""
    fitted(tool)
    months(tool, "new.csv", [1, 2, 3], 30)
    done = tool("monitor", "new.csv", *WATCH).ok()
    assert "No alarm" in done.out and "2025-03" in done.out


def test_monitor_goes_on_from_its_state_to_the_alarm(tool: Tool) -> None:
    """Month after month, or all at once: the same evidence, and exit status 4."""
    fitted(tool)
    months(tool, "all.csv", [1, 2, 3, 4, 5], 60)
    at_once = tool("monitor", "all.csv", *WATCH, "--json")
    assert at_once.status == 4 and at_once.json()["alarm"]
    for month in range(1, 6):
        months(tool, "one.csv", [month], 60)
        last = tool("monitor", "one.csv", *WATCH, "--state", "state.json", "--json")
    assert last.status == 4
    assert [look["log_evidence"] for look in last.json()["batches"]] == [
        look["log_evidence"] for look in at_once.json()["batches"]
    ]
    assert last.json()["batches"][-1] == at_once.json()["batches"][-1]
    out = tool("monitor", "all.csv", *WATCH).out
    assert "has been above 5 % in at least one batch (at most 1 false alarm in 20" in out


def test_monitor_refuses_what_does_not_fit_its_state(tool: Tool) -> None:
    """Batches seen twice or out of order, other tolerances and rules, and damaged files."""
    fitted(tool)
    months(tool, "one.csv", [2], 30)
    state = ["--state", "state.json"]
    tool("monitor", "one.csv", *WATCH, *state).ok()
    before = tool.path("state.json").read_bytes()
    tool("monitor", "one.csv", *WATCH, *state).fails(2, "2025-02 was seen before")
    months(tool, "older.csv", [1], 30)
    tool("monitor", "older.csv", *WATCH, *state).fails(2, "comes before 2025-02")
    months(tool, "next.csv", [3], 30)
    tool("monitor", "next.csv", *WATCH[:-1], "0.06", *state).fails(2, "the tolerance 0.05")
    months(tool, "fit.csv", [1], 60)
    tool("fit", "fit.csv", *PARITY, "-o", "other.json").ok()
    other = ["--rule", "other.json", *WATCH[2:]]
    tool("monitor", "next.csv", *other, *state).fails(2, "another rule")
    assert tool.path("state.json").read_bytes() == before
    record = json.loads(before)
    record["batches"][0]["groups"][0]["positive"] = 1000
    tool.write("state.json", json.dumps(record))
    tool("monitor", "next.csv", *WATCH, *state).fails(2, "not a state of monitor")
    tool.write("state.json", before[: len(before) // 2])
    tool("monitor", "next.csv", *WATCH, *state).fails(2, "not a state of monitor")


def evidence(done: dict[str, object]) -> list[object]:
    """Return what the monitor's JSON says after each batch, without the batches' names."""
    batches = done["batches"]
    assert isinstance(batches, list)
    return [{name: value for name, value in look.items() if name != "batch"} for look in batches]


def test_batches_are_periods_files_or_tallies(tool: Tool) -> None:
    """The same people month by month, in whatever form: the same evidence."""
    fitted(tool)
    months(tool, "all.csv", [9, 10, 11], 45)
    wanted = tool("monitor", "all.csv", *WATCH, "--json").json()
    assert [look["batch"] for look in wanted["batches"]] == ["2025-09", "2025-10", "2025-11"]
    watch = ["--rule", "rule.json", "--tolerance", "0.05", "--json"]
    for month in (9, 10, 11):
        months(tool, f"month-{month}.csv", [month], 45)
        tool("tally", f"month-{month}.csv", "--score", "score", "--sensitive", "sex", "-o",
             f"month-{month}.parquet").ok()
    files = tool("monitor", "month-*.csv", *watch).json()
    # By the numbers in their names: 9 before 10.
    assert [look["batch"] for look in files["batches"]] == ["month-9", "month-10", "month-11"]
    assert evidence(files) == evidence(wanted)
    tallies = tool("monitor", "--tally", "month-*.parquet", *watch).json()
    assert evidence(tallies) == evidence(wanted)
    tool("tally", "all.csv", "--score", "score", "--sensitive", "sex", "--within", "month", "-o",
         "all.parquet").ok()
    one = tool("monitor", "--tally", "all.parquet", "--rule", "rule.json", "--sensitive", "sex",
               "--period", "month", "--tolerance", "0.05", "--json").json()
    assert evidence(one) == evidence(wanted)


def test_files_may_lack_groups_and_labels_and_have_dots_in_their_names(tool: Tool) -> None:
    """A group that comes later is watched from then on; outcomes that are not known do not matter."""
    fitted(tool)
    for month, groups in ((1, "FM"), (2, "FMX"), (3, "FX")):
        rows = [f"{group},{0.9 if i % 3 else 0.1},{'' if i % 2 else 1}" for group in groups for i in range(60)]
        tool.write(f"in 2025.{month}.csv", "sex,score,label\n" + "\n".join(rows) + "\n")
    tool.write("fit.csv", "sex,score,label\n" + "".join(
        f"{g},{0.9 if i % 3 else 0.1},{i % 2}\n" for g in "FMX" for i in range(60)))
    tool("fit", "fit.csv", *PARITY, "--label", "label", "-o", "rule.json").ok()
    watch = ["--rule", "rule.json", "--tolerance", "0.05", "--json"]
    found = tool("monitor", "in 2025.*.csv", *watch).ok().json()
    assert [look["batch"] for look in found["batches"]] == [f"in 2025.{i}" for i in (1, 2, 3)]
    assert [look["rows"] for look in found["batches"]] == [120, 180, 120]


def decided(tool: Tool, name: str, months_of: list[int]) -> None:
    """Write decisions with labels: women who deserve a yes get it less often, others as often."""
    rows = ["month,sex,hired,good"]
    for month in months_of:
        for i in range(800):
            woman, good = i % 2 == 0, i % 4 < 2
            yes = i // 4 % 10 < (4 if woman and good else 8 if good else 2)
            rows.append(f"{month},{'F' if woman else 'M'},{int(yes)},{int(good)}")
    tool.write(name, "\n".join(rows) + "\n")


def test_decisions_and_rates_of_labels_are_monitored(tool: Tool) -> None:
    """Equal opportunity raises the alarm, false-positive parity does not."""
    decided(tool, "hired.csv", [8, 9, 10, 11])
    watch = ["monitor", "hired.csv", "--decision", "hired", "--sensitive", "sex", "--period",
             "month", "--tolerance", "0.05"]
    label = ["--label", "good", "--criterion"]
    alarm = tool(*watch, *label, "equal-opportunity", "--json")
    assert alarm.status == 4
    looks = alarm.json()["batches"]
    assert [look["batch"] for look in looks] == ["8", "9", "10", "11"]
    assert looks[0]["difference"] == pytest.approx(0.4) and looks[0]["rows"] == 400
    assert looks[0]["mean_score"] is None
    tool(*watch, *label, "false-positive-parity").ok()
    odds = tool(*watch, *label, "equalized-odds", "--state", "state.json")
    assert odds.status == 4
    decided(tool, "hired.csv", [12])
    tool(*watch, *label, "equal-opportunity", "--state", "state.json").fails(2, "other rates")
    assert tool(*watch, *label, "equalized-odds", "--state", "state.json").status == 4
    tool(*watch, "--criterion", "equal-opportunity").fails(2, "needs labels")


def test_monitor_says_what_is_missing(tool: Tool) -> None:
    """A rule or decisions, a period or files, people and not weights."""
    fitted(tool)
    months(tool, "new.csv", [1, 2], 30)
    tool("monitor", "new.csv", "--tolerance", "0.05").fails(2, "--rule rule.json, or --decision")
    tool("monitor", "new.csv", *WATCH[:4]).fails(2, "--tolerance")
    tool("monitor", "--rule", "rule.json", "--tolerance", "0.05").fails(2, "DATA")
    tool("monitor", "new.csv", *WATCH, "--decision", "score").fails(2, "--rule")
    tool("monitor", "--sql", "FROM 'new.csv'", "--rule", "rule.json", "--tolerance",
         "0.05").fails(2, "--period")
    tool("monitor", "new.csv", *WATCH, "--weight", "score").fails(2, "--weight")
    tool("monitor", "--tally", "x.parquet", "--decision", "score", "--tolerance",
         "0.05").fails(2, "a tally has no decisions")
    tool("monitor", "new.csv", *WATCH, "--criterion", "fairness").fails(2, "fairness")


def test_a_key_that_occurs_twice_makes_no_state(tool: Tool) -> None:
    """Parsers keep one of them in silence; which one, nobody knows."""
    fitted(tool)
    months(tool, "one.csv", [1], 30)
    tool("monitor", "one.csv", *WATCH, "--state", "state.json").ok()
    text = tool.path("state.json").read_text()
    tool.write("state.json", text.replace('"tolerance": 0.05', '"tolerance": 0.9, "tolerance": 0.05'))
    months(tool, "next.csv", [2], 30)
    tool("monitor", "next.csv", *WATCH, "--state", "state.json").fails(2, "occurs twice")
