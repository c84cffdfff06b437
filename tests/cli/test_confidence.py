"""What fit says of people not met yet, and certified fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Tool

PARITY = ["--score", "score", "--sensitive", "sex", "--criterion", "statistical-parity"]
CERTIFY = [*PARITY, "--tolerance", "0.15", "--certify", "0.95"]


def bound_of(tool: Tool, people: Path, *more: str) -> dict[str, object]:
    """Fit parity with these options, and return the bound of its JSON."""
    bound = tool("fit", people, *PARITY, "--json", *more).ok().json()["bound"]
    assert isinstance(bound, dict)
    return bound


def test_every_fit_says_it(tool: Tool, people: Path) -> None:
    """The sentence, the widest pair, and a line for each stratum."""
    out = tool("fit", people, *PARITY, "--within", "race").ok().out
    assert "On new people like these, the largest difference is at most " in out
    assert "(95 % confidence). In these data it is 0." in out
    assert "Widest between sex=" in out
    assert "    Asian: at most " in out


def test_bounds_widen_with_confidence_and_by_kind(tool: Tool, people: Path) -> None:
    """Less doubt and weaker assumptions cost width; JSON says which kind it was."""
    usual = bound_of(tool, people)
    assert usual["kind"] == "same-rate"
    width = usual["difference_at_most"]
    assert isinstance(width, float)
    wider = [("--confidence", "0.99"), ("--bound", "any"), ("--bound", "dkw")]
    for more in wider:
        value = bound_of(tool, people, *more)["difference_at_most"]
        assert isinstance(value, float) and value > width
    assert bound_of(tool, people, "--gamma", "0.1")["kind"] == "any"


def test_none_has_its_reason(tool: Tool, people: Path) -> None:
    """Where the method does not reach, the fit says why."""
    assert "weights" in str(bound_of(tool, people, "--weight", "w")["none"])
    out = tool("fit", people, "--score", "score", "--require", "rate <= 0.3").ok().out
    assert "No bound for new people: requirements alone" in out


def test_certified_fit_is_within_its_tolerance(tool: Tool, people: Path) -> None:
    """The bound is at most the tolerance, and the plain fit's figures are beside it."""
    found = tool("fit", people, *CERTIFY, "--json", "-o", "rule.json").ok().json()
    assert found["bound"]["difference_at_most"] <= 0.15
    assert found["certificate"]["plain"]["accuracy"] >= found["after"]["overall"]["accuracy"]
    assert "Without a certificate: accuracy" in tool("fit", people, *CERTIFY).ok().out
    tool("show", "rule.json").ok()


def test_too_few_rows_to_certify(tool: Tool, people: Path) -> None:
    """Exit status 5, what would do, and no rule."""
    asked = [*PARITY, "--tolerance", "0.01", "--certify", "0.95"]
    done = tool("fit", people, *asked, "-o", "rule.json")
    done.fails(5, "too few people", "rows like these are needed", "smallest")
    assert tool.files() == set()
    found = tool("fit", people, *asked, "--json")
    assert found.status == 5
    assert found.json()["rows_needed"] > 5000
    assert found.json()["smallest_tolerance"] > 0.01


@pytest.mark.parametrize("partial", [[], ["--certify-partial"]])
def test_too_few_rows_where_all_cells_are_compared(
    tool: Tool, people: Path, partial: list[str]
) -> None:
    """Equal rates have no strata to name, though cells have a race: the one stratum is everybody."""
    asked = [people, "--score", "score", "--sensitive", "sex", "--within", "race", "--criterion",
             "equal-rates", "--tolerance", "0.001", "--certify", "0.95", *partial]
    tool("fit", *asked).fails(5, "too few people to certify")
    found = tool("fit", *asked, "--json")
    assert found.status == 5
    assert found.json()["too_few_in"] == [{}]


def test_certify_partial_names_the_rest(tool: Tool, people: Path) -> None:
    """Strata with too few people are named, and the others certified."""
    query = f"SELECT *, CASE WHEN id < 'p1005' THEN 'few' ELSE 'many' END AS k FROM '{people}'"
    asked = ["--sql", query, *CERTIFY, "--within", "k"]
    tool("fit", *asked).fails(5, "too few people in few")
    assert "Not certified, too few rows: few" in tool("fit", *asked, "--certify-partial").ok().out


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--confidence", "1"], "--confidence lies between 0 and 1"),
        (["--confidence", "nan"], "--confidence"),
        (["--bound", "sme"], "choose same-rate, any or dkw"),
        (["--bound", "same-rate", "--gamma", "0.1"], "use any or dkw"),
        (["--certify", "0"], "--certify lies between 0 and 1"),
        (["--certify", "0.95"], "--tolerance above 0"),
        (["--certify-partial"], "--certify-partial needs --certify"),
    ],
)
def test_what_makes_no_sense(tool: Tool, people: Path, more: list[str], says: str) -> None:
    """One line says which option, and why."""
    tool("fit", people, *PARITY, *more, "-o", "rule.json").fails(2, says)
    assert tool.files() == set()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--weight", "w"], "--weight: the certificate counts people"),
        (["--gamma", "0.1"], "--gamma"),
        (["--solver", "sgd"], "--solver sgd"),
        (["--require", "rate <= 0.3"], "--require"),
        (["--across", "marginal"], "--across"),
        (["--confidence", "0.9"], "--confidence"),
        (["--bound", "any"], "--bound"),
        (["--soft", "score"], "--soft"),
        (["--blind"], "--blind: one threshold decides for several cells"),
    ],
)
def test_what_cannot_be_certified(tool: Tool, people: Path, more: list[str], says: str) -> None:
    """The combination is named, with the reason."""
    done = tool("fit", people, *CERTIFY, *more, "-o", "rule.json")
    done.fails(2, "--certify cannot be combined with " + says)
    assert tool.files() == set()


@pytest.mark.parametrize("more", [["--lottery", "none"], ["--max-lottery", "0.1"]])
def test_certified_rules_need_their_coins(tool: Tool, people: Path, more: list[str]) -> None:
    """Without them rates cannot be held inside the window."""
    tool("fit", people, *CERTIFY, *more, "-o", "rule.json").fails(2, more[0], "--certify")
    assert tool.files() == set()


def test_certify_needs_groups_that_are_compared_and_a_rate_of_their_own(
    tool: Tool, people: Path
) -> None:
    """A target rate, a ratio of 1 and weighted tallies say what is wrong."""
    base = ["fit", people, "--score", "score", "--sensitive", "sex", "--certify", "0.95"]
    tool(*base, "--criterion", "equal-rates", "--rho", "0.2", "--tolerance", "0.1").fails(
        2, "target rate")
    tool(*base, "--criterion", "four-fifths", "--ratio", "1").fails(2, "ratio 1")
    tool("tally", people, "--score", "score", "--sensitive", "sex", "--weight", "w", "-o",
         "t.parquet").ok()
    tool("fit", "--tally", "t.parquet", "--criterion", "statistical-parity", "--tolerance", "0.1",
         "--certify", "0.95").fails(2, "weights")
