"""Stochastic fits that cannot be: one line, status 2, nothing left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Tool
from fitting import PARITY
from stochastic import ROLES, SGD


# Options that are wrong without --solver sgd, and with it: their words, and those of the message.
WITHOUT = [
    (["--solver", "newton"], ["newton", "exact", "sgd"]),
    (["--projection", "paper"], ["--projection", "sgd"]),
    (["--learning-rate", "0.1"], ["--learning-rate", "sgd"]),
    (["--epochs", "2"], ["--epochs", "sgd"]),
    (["--steps", "2"], ["--steps", "sgd"]),
    (["--seed", "2"], ["--seed", "sgd"]),
    (["--record-every", "2"], ["--record-every", "sgd"]),
    (["--trace", "t.csv"], ["--trace", "sgd"]),
    (["--stream"], ["--stream", "sgd"]),
    (["--compare"], ["--compare", "sgd"]),
]
WITH = [
    (["--projection", "printed"], ["printed", "corrected", "paper"]),
    (["--epochs", "2", "--steps", "5"], ["--epochs", "--steps"]),
    (["--epochs", "0"], ["--epochs"]),
    (["--epochs", "-1"], ["--epochs"]),
    (["--epochs", "nan"], ["--epochs"]),
    (["--epochs", "inf"], ["--epochs"]),
    (["--epochs", "many"], ["--epochs", "many"]),
    (["--epochs", "0,5"], ["--epochs", "0,5"]),
    (["--steps", "0"], ["--steps"]),
    (["--steps", "-1"], ["--steps", "-1"]),
    (["--steps", "1.5"], ["--steps", "1.5"]),
    (["--steps", "18446744073709551616"], ["--steps"]),
    (["--seed", "-1"], ["--seed", "-1"]),
    (["--seed", "x"], ["--seed", "x"]),
    (["--learning-rate", "0"], ["learning rate"]),
    (["--learning-rate", "-0.1"], ["learning rate", "-0.1"]),
    (["--learning-rate", "nan"], ["learning rate"]),
    (["--learning-rate", "inf"], ["learning rate"]),
    (["--learning-rate", "fast"], ["--learning-rate", "fast"]),
    (["--gamma", "0"], ["gamma"]),
    (["--gamma", "-1"], ["gamma", "-1"]),
    (["--gamma", "nan"], ["gamma"]),
    (["--tolerance", "0.1"], ["tolerance"]),
    (["--require", "rate <= 0.3"], ["requirements"]),
    (["--record-every", "5"], ["--record-every", "--trace"]),
    (["--record-every", "0", "--trace", "t.csv"], ["--record-every"]),
    (["--record-every", "x", "--trace", "t.csv"], ["--record-every", "x"]),
    (["--record-every", "1", "--steps", "5000000", "--trace", "t.csv"], ["points"]),
    (["--trace", "t.parquet"], ["t.parquet", ".csv", ".json"]),
    (["--trace", "t.csv.gz"], ["t.csv.gz", ".csv", ".json"]),
    (["--trace", "trace"], ["trace", ".csv", ".json"]),
    (["--trace", "-"], [".csv", ".json"]),
    (["--trace", "rule.json"], ["rule", "trace"]),
    (["--trace", "none/t.csv"], ["none"]),
    (["--stream", "--steps", "5"], ["--stream", "--steps"]),
    (["--stream", "--seed", "0"], ["--stream", "--seed"]),
    (["--stream", "--epochs", "1.5"], ["--stream", "--epochs"]),
    (["--stream", "--record-every", "0", "--trace", "t.csv"], ["--record-every"]),
    (["--soft", "score"], ["--soft", "sgd"]),
]


@pytest.mark.parametrize(
    ("fit", "arguments", "parts"),
    [*((PARITY, *wrong) for wrong in WITHOUT), *((SGD, *wrong) for wrong in WITH)],
)
def test_stochastic_options_that_make_no_sense_are_refused(
    tool: Tool, people: Path, fit: tuple[str, ...], arguments: list[str], parts: list[str]
) -> None:
    """Said in one line, before anything is written."""
    tool("fit", people, *fit, *arguments, "-o", "rule.json").fails(2, *parts)
    assert tool.files() == set()


@pytest.mark.parametrize(
    ("criterion", "parts"),
    [
        (["--criterion", "equalized-odds"], ["equalized-odds", "exact"]),
        (["--criterion", "equal-opportunity"], ["equal-opportunity", "exact"]),
        (["--criterion", "four-fifths"], ["four-fifths", "exact"]),
        (["--require", "rate <= 0.3"], ["requirements", "exact"]),
        (["--criterion", "equal-rates", "--rho", "base", "--stream"], ["rho"]),
    ],
)
def test_criteria_that_it_does_not_serve_are_refused(
    tool: Tool, people: Path, criterion: list[str], parts: list[str]
) -> None:
    """With the solver that does."""
    tool("fit", people, *ROLES, "--label", "y", *criterion, "--solver", "sgd", "--trace", "t.csv",
         "-o", "rule.json").fails(2, *parts)
    assert tool.files() == set()


def test_a_stream_needs_rows(tool: Tool, people: Path) -> None:
    """A tally has no order."""
    tool("tally", people, *ROLES, "-o", "t.parquet").ok()
    tool("fit", "--tally", "t.parquet", "--criterion", "statistical-parity", "--solver", "sgd",
         "--stream", "-o", "rule.json").fails(2, "--stream", "--tally")
    assert tool.files() == {"t.parquet"}


@pytest.mark.parametrize("bad", ["score", "sex", "w"])
def test_bad_rows_leave_neither_rule_nor_trace(tool: Tool, people: Path, bad: str) -> None:
    """A stream complains as any other fit does."""
    value = {"score": "1.5", "sex": "NULL", "w": "-1"}[bad]
    query = f"SELECT * REPLACE (CASE id WHEN 'p9' THEN {value} ELSE {bad} END AS {bad}) "
    for stream in ((), ("--stream",)):
        tool("fit", "--sql", f"{query} FROM '{people}'", *SGD, *stream, "--weight", "w", "--trace",
             "t.csv", "-o", "rule.json").fails(2, bad if bad != "w" else "weight")
    assert tool.files() == set()
