"""What `evenhand audit` says beyond its rows: bounds, tests, limits that must be shown."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from conftest import Ran, Tool

PARITY = ["--score", "score", "--sensitive", "sex", "--criterion", "statistical-parity"]
HIRED = ["--decision", "hired", "--sensitive", "sex"]


def hired(tool: Tool, name: str, counts: dict[str, tuple[int, int]], weight: str = "") -> None:
    """Write decisions: of each sex, so many hired of so many."""
    rows = ["sex,hired,w,harm"]
    for sex, (positive, people) in counts.items():
        for i in range(people):
            rows.append(f"{sex},{int(i < positive)},{weight or 1 + i % 3},{i % 2}")
    tool.write(name, "\n".join(rows) + "\n")


def exceeded(ran: Ran, *parts: str) -> None:
    """Assert exit status 4, with figures on standard output and one line that says why."""
    assert ran.status == 4 and ran.out and len(ran.err.splitlines()) == 1, ran
    for part in parts:
        assert part in ran.err, ran.err


@pytest.fixture
def hires(tool: Tool) -> str:
    """18 of 60 women and 150 of 300 men."""
    hired(tool, "hired.csv", {"F": (18, 60), "M": (150, 300)})
    return "hired.csv"


def test_decisions_have_intervals_and_tests(tool: Tool, hires: str) -> None:
    """The numbers of the functions, in JSON and in words."""
    found = tool("audit", hires, *HIRED, "--json").ok().json()
    (pair,) = found["tests"]["pairs"]
    assert pair["group"] == {"sex": "F"} and pair["reference"]["group"] == {"sex": "M"}
    assert pair["fisher_p"] == pytest.approx(0.00465068, abs=5.1e-9)
    assert pair["mid_p"] == pytest.approx(0.00367438, abs=5.1e-9)
    assert pair["holm_p"] == pair["fisher_p"]
    assert pair["difference_interval"] == pytest.approx([-0.317628, -0.062978], abs=5.1e-7)
    assert pair["shortfall"] == pytest.approx(12) and pair["ratio"] == pytest.approx(0.6)
    assert pair["standard_deviations"] == pytest.approx(-2.834734, abs=1e-5)
    assert found["tests"]["largest_difference"][0]["permutation_p"] < 0.02
    assert found["bound"]["rows"] == "fresh"
    assert found["bound"]["difference_at_most"] == pytest.approx(0.325727, abs=5.1e-7)
    assert found["bound"]["ratio_at_least"] == pytest.approx(0.372751, abs=5.1e-7)
    out = tool("audit", hires, *HIRED).ok().out
    for part in ("Fisher's p", "0.00465", "shortfall", "by chance as large with p",
                 "largest difference is at most 32.6 %", "They show that it is at least"):
        assert part in out, out


def test_limits_that_must_be_shown(tool: Tool, hires: str) -> None:
    """Only what the data show fails the first kind; all that they do not show fails the second."""
    shown = tool("audit", hires, *HIRED, "--json").ok().json()["bound"]
    least, most = shown["difference_at_least"], shown["difference_at_most"]
    assert 0 < least < 0.2 < most
    audit = ["audit", hires, *HIRED]
    tool(*audit, "--fail-if-shown-above", least + 0.001).ok()
    exceeded(tool(*audit, "--fail-if-shown-above", least - 0.001), "the data show that")
    tool(*audit, "--fail-unless-shown-below", most + 0.001).ok()
    exceeded(tool(*audit, "--fail-unless-shown-below", most - 0.001), "the data do not show")
    low, high = shown["ratio_at_least"], shown["ratio_at_most"]
    tool(*audit, "--fail-if-shown-ratio-below", high - 0.001).ok()
    exceeded(tool(*audit, "--fail-if-shown-ratio-below", high + 0.001), "smallest ratio is below")
    tool(*audit, "--fail-unless-shown-ratio-above", low - 0.001).ok()
    exceeded(tool(*audit, "--fail-unless-shown-ratio-above", low + 0.001), "is above")
    # Less confidence shows more.
    exceeded(tool(*audit, "--fail-if-shown-above", least + 0.001, "--confidence", 0.9),
             "90 % confidence")


def test_small_groups_are_left_out_of_what_is_shown(tool: Tool) -> None:
    """--min-group leaves groups of fewer people out of tests and bounds."""
    hired(tool, "hired.csv", {"F": (150, 300), "M": (150, 300), "X": (0, 4)})
    audit = ["audit", "hired.csv", *HIRED, "--fail-unless-shown-below", 0.2]
    exceeded(tool(*audit), "do not show")
    tool(*audit, "--min-group", 5).ok()
    assert tool(*audit, "--min-group", 1000).status == 2


def test_strata_are_tested_together(tool: Tool) -> None:
    """Cochran, Mantel and Haenszel over the strata of --within."""
    rows = ["sex,dept,hired"]
    for dept, counts in {"a": {"F": (18, 60), "M": (150, 300)},
                         "b": {"F": (5, 20), "M": (40, 90)}}.items():
        for sex, (positive, people) in counts.items():
            rows += [f"{sex},{dept},{int(i < positive)}" for i in range(people)]
    tool.write("depts.csv", "\n".join(rows) + "\n")
    audit = ["audit", "depts.csv", *HIRED, "--within", "dept"]
    (test,) = tool(*audit, "--json").ok().json()["tests"]["over_strata"]
    assert test["chi_square"] == pytest.approx(10.549425, abs=5.1e-7)
    assert "Cochran-Mantel-Haenszel 10.5494" in tool(*audit).ok().out


def test_weights_count_by_their_effective_size(tool: Tool) -> None:
    """Equal weights are no weights; others have bounds and intervals, but no tests."""
    hired(tool, "equal.csv", {"F": (18, 60), "M": (150, 300)}, "2.5")
    hired(tool, "other.csv", {"F": (18, 60), "M": (150, 300)})
    plain = tool("audit", "equal.csv", *HIRED, "--json").ok().json()
    same = tool("audit", "equal.csv", *HIRED, "--weight", "w", "--json").ok().json()
    assert same["bound"]["difference_at_most"] == pytest.approx(
        plain["bound"]["difference_at_most"], rel=1e-9)
    assert "fisher_p" not in same["tests"]["pairs"][0]
    other = tool("audit", "other.csv", *HIRED, "--weight", "w", "--label", "harm", "--criterion",
                 "equalized-odds", "--json").ok().json()
    for pair in other["tests"]["pairs"]:
        weights = [1 + i % 3 for i in range(60)
                   if i % 2 == (pair["rate"] == "true_positive_rate")]
        size = sum(weights) ** 2 / sum(w * w for w in weights)
        sizes = [pair["rows"] if pair["group"] == {"sex": "F"} else pair["reference"]["rows"]]
        assert sizes == pytest.approx([size], rel=1e-9), pair
    assert "effective size" in tool("audit", "other.csv", *HIRED, "--weight", "w").ok().out


def test_a_reference_is_compared_inside_strata_whatever_the_criterion(
    tool: Tool, people: Path
) -> None:
    """Equal rates compare all cells; the reference is a cell of each stratum."""
    decided = f"SELECT *, score > 0.5 AS hired FROM '{people}'"
    asked = ["audit", "--sql", decided, *HIRED, "--within", "race", "--reference", "F", "--json"]
    parity, equal = (
        tool(*asked, "--criterion", criterion).ok().json()
        for criterion in ("statistical-parity", "equal-rates")
    )
    assert len(equal["tests"]["pairs"]) > 1 and "difference_at_most" in equal["bound"]
    assert equal == parity


@pytest.mark.parametrize("favorable", ["high", "low"])
@pytest.mark.parametrize("resolution", ["3", "auto"])
def test_rows_of_a_fit_at_a_resolution_are_recognised(
    tool: Tool, people: Path, resolution: str, favorable: str
) -> None:
    """An audit keeps every score, where the fit cut them; the people are the same."""
    fit = tool("fit", people, *PARITY, "--label", "y", "--resolution", resolution, "--favorable",
               favorable, "--json", "-o", "rule.json").ok().json()["bound"]
    found = tool("audit", people, "--rule", "rule.json", "--json").ok().json()["bound"]
    assert found["rows"] == "fitted"
    assert found["difference_at_most"] == pytest.approx(fit["difference_at_most"])
    half = f"SELECT * FROM '{people}' WHERE hash(score) % 2 = 0"
    other = tool("audit", "--sql", half, "--rule", "rule.json", "--json").ok().json()
    assert other["bound"]["rows"] == "fresh"
    report = tool("report", people, "--rule", "rule.json", "--tolerances", 0, "--json").ok().json()
    assert report["fairness"]["fitted_on_these_people"] is True
    told = {row["item"]: row["value"] for row in report["provenance"]["rows"]}
    assert told["Fitted on these very data"] == "yes"


def test_a_rule_is_bounded_as_a_fit_on_its_own_rows(tool: Tool, people: Path) -> None:
    """Identical rows are recognised, in any order; --same-rows says so by hand."""
    fit = tool("fit", people, *PARITY, "--within", "race", "--label", "y", "--json", "-o",
               "rule.json").ok().json()["bound"]
    rule = ["--rule", "rule.json"]
    same = tool("audit", people, *rule, "--json").ok().json()
    assert same["bound"]["rows"] == "fitted" and "tests" not in same
    assert same["bound"]["difference_at_most"] == pytest.approx(fit["difference_at_most"])
    assert "fitted on these very rows" in tool("audit", people, *rule).ok().out
    shuffled = f"SELECT * FROM '{people}' ORDER BY hash(score)"
    assert tool("audit", "--sql", shuffled, *rule, "--json").ok().json()["bound"]["rows"] == "fitted"
    half = f"SELECT * FROM '{people}' WHERE hash(score) % 2 = 0"
    assert tool("audit", "--sql", half, *rule, "--json").ok().json()["bound"]["rows"] == "fresh"
    by_hand = tool("audit", "--sql", half, *rule, "--same-rows", "--json").ok().json()["bound"]
    assert by_hand["rows"] == "fitted" and by_hand["kind"] == "same-rate"
    odds = tool("audit", people, *rule, "--criterion", "equal-opportunity", "--json").ok().json()
    assert odds["bound"]["kind"] == "any"


def test_rule_files_carry_their_bound_and_show_prints_it(tool: Tool, people: Path) -> None:
    """The sentence of fit is the sentence of show; certified rules keep their tolerance."""
    said = tool("fit", people, *PARITY, "-o", "rule.json").ok().out
    sentence = next(line for line in said.splitlines() if "On new people" in line).strip()
    assert sentence in tool("show", "rule.json").ok().out
    tool("fit", people, *PARITY, "--tolerance", "0.15", "--certify", "0.95", "-o",
         "certified.json").ok()
    assert "Certified: at 95 % confidence" in tool("show", "certified.json").ok().out
    tool("audit", people, "--rule", "certified.json", "--fail-unless-shown-below", 0.15).ok()


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ([*HIRED, "--same-rows"], "give --rule"),
        ([*HIRED, "--confidence", "1"], "confidence"),
        ([*HIRED, "--fail-if-shown-above", "2"], "--fail-if-shown-above takes a number"),
        ([*HIRED, "--fail-unless-shown-below", "-1"], "--fail-unless-shown-below takes"),
        ([*HIRED, "--fail-if-shown-ratio-below", "x"], "--fail-if-shown-ratio-below"),
        ([*HIRED, "--fail-unless-shown-ratio-above", "1.5"], "--fail-unless-shown-ratio-above"),
        (["--decision", "hired", "--soft", "w", "--fail-if-shown-above", "0.1"], "data show"),
    ],
)
def test_bad_options(tool: Tool, hires: str, asked: list[str], says: str) -> None:
    """One line each, exit status 2."""
    tool("audit", hires, *asked).fails(2, says)


def test_a_fair_coin_is_not_shown_to_be_unfair(tool: Tool) -> None:
    """Decisions by lot: 40 audits at 95 % confidence, of which few may fail."""
    lot = random.Random(4)
    failed = 0
    for i in range(40):
        hired(tool, "lot.csv", {sex: (sum(lot.random() < 0.3 for _ in range(150)), 150)
                                for sex in "FM"})
        failed += tool("audit", "lot.csv", *HIRED, "--fail-if-shown-above", 0).status == 4
    assert failed <= 8  # of 40 with chance 1/20: above 8 once in 10,000 times
