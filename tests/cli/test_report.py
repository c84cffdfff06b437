"""`evenhand report`: its figures are those of audit, fit and frontier, in JSON, page and Markdown alike."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import Sql, Tool

FIT = ("--score", "score", "--sensitive", "sex", "--within", "race", "--label", "y", "--criterion",
       "statistical-parity")


@pytest.fixture
def ruled(tool: Tool, people: Path) -> str:
    """Fit a rule within race."""
    tool("fit", people, *FIT, "--tolerance", "0.03", "-o", "rule.json").ok()
    return "rule.json"


def figures_in(page: str) -> Any:
    """Read the figures that a page holds."""
    found = re.search(r'<script type="application/json" id="figures">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found.group(1))


def rows_by(table: dict[str, Any], name: str) -> dict[str, Any]:
    """Key the rows of a table."""
    return {row[name]: row for row in table["rows"]}


def test_page_markdown_and_json_have_the_same_figures(tool: Tool, people: Path, ruled: str) -> None:
    """One JSON object is all there is; printing twice gives the same bytes."""
    ran = tool("report", people, "--rule", ruled, "--json", "-o", "report.html").ok()
    page = tool.path("report.html").read_text()
    assert figures_in(page) == ran.json()
    tool("report", people, "--rule", ruled, "-o", "again.html").ok()
    assert tool.path("again.html").read_text() == page
    tool("report", people, "--rule", ruled, "-o", "report.json").ok()
    assert json.loads(tool.path("report.json").read_text()) == ran.json()
    tool("report", people, "--rule", ruled, "-o", "report.md").ok()
    text = tool.path("report.md").read_text()
    assert tool("report", people, "--rule", ruled).ok().out == text
    for table in ran.json()["selection"]:
        for row in table["rows"]:
            assert f"{100 * row['selection_rate_after']:.1f} %" in text
    assert len(ran.json()["answer"]) == 3


def test_selection_is_that_of_the_audit(tool: Tool, people: Path, ruled: str) -> None:
    """Rates, intervals, numbers of people, before and after."""
    report = tool("report", people, "--rule", ruled, "--json").ok().json()
    audit = tool("audit", people, "--rule", ruled, "--json").ok().json()
    rows = {(row["stratum"], row["group"]): row for row in report["selection"][0]["rows"]}
    for side in ("before", "after"):
        for stratum in audit[side]["strata"]:
            for group in stratum["groups"]:
                row = rows[f"race={stratum['stratum']['race']}", f"sex={group['group']['sex']}"]
                assert row["people"] == group["weight"]
                for rate in ("selection_rate", "true_positive_rate", "false_positive_rate"):
                    assert row[f"{rate}_{side}"] == group[rate]
                    low, high = group[f"{rate}_interval"]
                    assert (row[f"{rate}_{side}_low"], row[f"{rate}_{side}_high"]) == (low, high)
        assert report["costs"][side]["accuracy"] == audit[side]["overall"]["accuracy"]
    assert report["fairness"]["after"]["largest_difference"] == audit["largest_difference"]
    assert report["fairness"]["holds"] is True


def test_people_who_change_are_those_of_the_applied_decisions(
    tool: Tool, people: Path, ruled: str, sql: Sql
) -> None:
    """A no becomes a yes with the probability that apply writes."""
    report = tool("report", people, "--rule", ruled, "--json").ok().json()
    tool("apply", people, "--rule", ruled, "-q", "-o", "out.parquet").ok()
    base = "(score > 0.5)::INTEGER"
    ((to_yes, to_no, coins),) = sql(
        f"SELECT sum(greatest(probability - {base}, 0)), sum(greatest({base} - probability, 0)), "
        "sum((probability > 0 AND probability < 1)::INTEGER) FROM 'out.parquet'")
    assert report["costs"]["changed"]["to_yes"] == pytest.approx(to_yes, abs=1e-6)
    assert report["costs"]["changed"]["to_no"] == pytest.approx(to_no, abs=1e-6)
    assert report["costs"]["after"]["lottery_share"] * 5000 == pytest.approx(coins, abs=1e-6)


def test_bound_on_the_fitted_rows_is_that_of_fit(tool: Tool, people: Path) -> None:
    """And on other rows it is one for decisions that were not fitted there."""
    fit = tool("fit", people, *FIT, "--tolerance", "0.03", "--json", "-o", "rule.json").ok().json()
    report = tool("report", people, "--rule", "rule.json", "--json").ok().json()
    assert report["fairness"]["fitted_on_these_people"] is True
    bound = report["fairness"]["bound"]["difference_at_most"]
    assert bound == pytest.approx(fit["bound"]["difference_at_most"], abs=1e-12)
    half = ("--sql", f"SELECT * FROM '{people}' WHERE hash(id) % 2 = 0")
    other = tool("report", *half, "--rule", "rule.json", "--json").ok().json()
    assert other["fairness"]["fitted_on_these_people"] is False
    assert other["fairness"]["bound"]["kind"] == "exact"


@pytest.mark.parametrize("criterion", ["statistical-parity", "equalized-odds", "four-fifths"])
def test_stops_of_the_slider_are_the_fits_at_these_tolerances(
    tool: Tool, people: Path, criterion: str
) -> None:
    """Rates, accuracy and coins of a stop are those of `fit` on these people."""
    problem = ("--score", "score", "--sensitive", "sex", "--label", "y", "--criterion", criterion)
    ratio = criterion == "four-fifths"
    name = "ratio" if ratio else "tolerance"
    tool("fit", people, *problem, f"--{name}", "0.9" if ratio else "0.037", "-o", "rule.json").ok()
    report = tool("report", people, "--rule", "rule.json", "--tolerances", "40", "--json").ok().json()
    frontier = report["frontier"]
    stops = frontier["points"]
    assert 5 <= len(stops) <= 40
    assert frontier["parameter"] == name
    chosen = stops[frontier["chosen"]]
    assert chosen[name] == (0.9 if ratio else 0.037)
    strictness = [stop[name] for stop in stops]
    assert strictness == sorted(strictness, reverse=ratio)
    for stop in (stops[0], chosen, stops[len(stops) // 2]):
        tool("fit", people, *problem, f"--{name}", repr(stop[name]), "-o", "at.json").ok()
        after = tool("audit", people, "--rule", "at.json", "--json").ok().json()["after"]
        for rate, values in stop["rates"].items():
            wanted = {f"sex={group['group']['sex']}": group[rate] for group in after["groups"]}
            assert dict(zip(frontier["groups"], values, strict=True)) == wanted
        assert stop["accuracy"] == after["overall"]["accuracy"]
        assert stop["lottery_share"] == pytest.approx(after["lottery_share"], abs=1e-12)
    accuracies = [stop["objective"] for stop in stops]
    assert all(b >= a - 1e-6 for a, b in zip(accuracies, accuracies[1:], strict=False))


def test_all_breakpoints_are_stops_if_there_are_few(tool: Tool) -> None:
    """Fewer than 500: each of them, and the tolerance that was chosen."""
    rows = "".join(f"{(i * 37 % 101) / 101},{'AB'[i % 2]},{i % 3 % 2}\n" for i in range(300))
    tool.write("few.csv", "p,g,y\n" + rows)
    problem = ("few.csv", "--score", "p", "--sensitive", "g", "--criterion", "statistical-parity")
    tool("fit", *problem, "--tolerance", "0.0123", "-o", "rule.json").ok()
    frontier = tool("report", "few.csv", "--rule", "rule.json", "--json").ok().json()["frontier"]
    points = tool("frontier", *problem, "--breakpoints", "--json").ok().json()["points"]
    stops = [stop["tolerance"] for stop in frontier["points"]]
    assert frontier["all_breakpoints"] is True
    assert {point["tolerance"] for point in points} <= set(stops)
    assert stops[frontier["chosen"]] == 0.0123
    assert len(stops) <= 500


def test_many_breakpoints_are_cut_to_the_limit(tool: Tool, people: Path, ruled: str) -> None:
    """The page says so, and keeps both ends and the chosen one."""
    ran = tool("report", people, "--rule", ruled, "--tolerances", "25", "--json")
    frontier = ran.ok().json()["frontier"]
    stops = [stop["tolerance"] for stop in frontier["points"]]
    assert len(stops) <= 25
    assert frontier["all_breakpoints"] is False
    assert (stops[0], stops[-1]) == (0, 1)
    assert stops[frontier["chosen"]] == 0.03
    none = tool("report", people, "--rule", ruled, "--tolerances", "0", "--json").ok().json()
    assert none["frontier"] is None


def test_several_rules_stand_side_by_side(tool: Tool, people: Path, ruled: str) -> None:
    """Each as its own audit has it; the first is the subject."""
    tool("fit", people, *FIT, "--tolerance", "0.1", "-o", "loose.json").ok()
    report = tool("report", people, "--rule", ruled, "--rule", "loose.json", "--tolerances", "0",
                  "--json").ok().json()
    rows = rows_by(report["rules"], "rule")
    assert list(rows) == ["the score alone", "rule.json", "loose.json"]
    for name in ("rule.json", "loose.json"):
        audit = tool("audit", people, "--rule", name, "--json").ok().json()
        assert rows[name]["accuracy"] == audit["after"]["overall"]["accuracy"]
        assert rows[name]["largest_difference"] == audit["largest_difference"]
    assert rows["rule.json"]["to_yes"] == 0
    assert rows["loose.json"]["to_yes"] + rows["loose.json"]["to_no"] > 0


def test_a_tally_gives_the_report_of_its_rows(tool: Tool, people: Path, ruled: str) -> None:
    """All but the name of the data."""
    tool("tally", people, "--score", "score", "--sensitive", "sex", "--within", "race", "--label",
         "y", "-o", "t.parquet").ok()
    of_rows = tool("report", people, "--rule", ruled, "--tolerances", "9", "--json").ok().json()
    of_tally = tool("report", "--tally", "t.parquet", "--rule", ruled, "--tolerances", "9",
                    "--json").ok().json()
    for name in ("selection", "fairness", "costs", "frontier", "ll144", "eeoc", "thresholds"):
        assert of_tally[name] == of_rows[name], name


def test_decisions_alone_need_no_score(tool: Tool) -> None:
    """Rates of the decisions; no thresholds, no slider, no calibration."""
    tool.write("d.csv", "g,d\n" + "A,1\n" * 30 + "A,0\n" * 20 + "B,1\n" * 10 + "B,0\n" * 40)
    report = tool("report", "d.csv", "--decision", "d", "--sensitive", "g", "--json").ok().json()
    rows = rows_by(report["selection"][0], "group")
    assert rows["g=A"]["selection_rate"] == 0.6
    assert rows["g=B"]["selected"] == 10
    for name in ("thresholds", "frontier", "calibration", "rules"):
        assert report[name] is None
    assert report["fairness"]["holds"] is None
    judged = tool("report", "d.csv", "--decision", "d", "--sensitive", "g", "--criterion",
                  "four-fifths", "--json").ok().json()
    assert judged["fairness"]["holds"] is False


def test_policy_allows_the_pages_own_parts_and_nothing_else(
    tool: Tool, people: Path, ruled: str
) -> None:
    """Each script and style by its hash; no address, no handler, no eval."""
    tool("report", people, "--rule", ruled, "-o", "report.html").ok()
    page = tool.path("report.html").read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    for tag, directive in (("script", "script-src"), ("style", "style-src")):
        allowed = re.search(rf"{directive} ([^;]*)", policy.group(1))
        assert allowed
        parts = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        hashes = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in parts]
        assert allowed.group(1).split() == [f"'sha256-{one}'" for one in hashes]
    assert "default-src 'none'" in policy.group(1)
    assert "unsafe" not in policy.group(1)
    assert not re.search(r'(src|href)="(?!#|data:,")', re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL))
    assert len(page.encode()) < 3_000_000
    assert "compliant" not in re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL).lower()
