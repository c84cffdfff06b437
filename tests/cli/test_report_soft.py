"""`evenhand report` on a rule for groups that are known by probabilities only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Tool

ODDS = ("--criterion", "equalized-odds", "--tolerance", "0.05")


def fitted(tool: Tool, soft: Path, *options: str) -> None:
    """Fit a rule."""
    tool("fit", soft, "--score", "score", *options, "-o", "soft.json").ok()


@pytest.mark.parametrize("options", [("--soft", "pf"), ("--soft", "pa,pb", *ODDS, "--within", "race"),
                                     ("--soft", "pf", "--criterion", "four-fifths")])
def test_figures_are_those_of_the_audit(tool: Tool, soft: Path, options: tuple[str, ...]) -> None:
    """Rates by column and stratum, costs, coins; the assumption is said, and nothing is promised."""
    fitted(tool, soft, *options)
    report = tool("report", soft, "--rule", "soft.json", "--json").ok().json()
    audit = tool("audit", soft, "--rule", "soft.json", "--json").ok().json()
    pairs = [pair for stratum in audit["after"]["strata"] for pair in stratum["columns"]]
    (table,) = report["selection"]
    assert [(row["column"], row["after"], row["others_after"]) for row in table["rows"]] == [
        (pair["column"], pair["rate"], pair["others"]) for pair in pairs
    ]
    for side in ("before", "after"):
        for name in ("selection_rate", "accuracy", "cost"):
            assert report["costs"][side][name] == audit[side][name]
        for name in ("largest_difference", "smallest_ratio"):
            assert report["fairness"][side][name] == audit[side][name]
    record = json.loads(tool.path("soft.json").read_text())["fit"]
    assert report["costs"]["after"]["lottery_share"] == pytest.approx(record["lottery_share"], abs=1e-12)
    assert report["fairness"]["holds"] is True
    assert "nobody's group is known" in report["fairness"]["bound"]["none"]
    assert "calibrated given everything the rule sees" in report["answer"][1]
    words = [row["words"] for row in report["thresholds"]["rows"]]
    assert len(words) == 1 + len(audit["after"]["strata"])
    for row in report["costs"]["changes"]["rows"]:
        assert row["people"] > 0
    assert report["ll144"] is None and report["frontier"] is None
    # What people change is what the rule does, less what the score alone would.
    changed = report["costs"]["changed"]
    gain = audit["after"]["selection_rate"] - audit["before"]["selection_rate"]
    assert changed["to_yes"] - changed["to_no"] == pytest.approx(gain * report["data"]["people"], abs=1e-6)


def test_page_and_markdown_have_the_same_figures(tool: Tool, soft: Path) -> None:
    """One object for all three."""
    fitted(tool, soft, "--soft", "pf")
    asked = ("report", soft, "--rule", "soft.json", "--title", "<b>Soft</b>")
    found = tool(*asked, "--json", "-o", "r.html").ok().json()
    page = tool.path("r.html").read_text()
    assert "<b>Soft" not in page and "&lt;b&gt;Soft" in page
    start = page.index('id="figures">') + len('id="figures">')
    assert json.loads(page[start : page.index("</script>", start)]) == found
    text = tool(*asked).ok().out
    assert "## How the rule decides" in text and "Local Law 144" not in text
    for said in ("On these people the criterion holds. It asks for statistical-parity", "By the score alone: ",
                 "calibrated given everything the rule sees"):
        assert said in text
    tool(*asked, "-o", "r.json").ok()
    assert json.loads(tool.path("r.json").read_text()) == found


@pytest.mark.parametrize(("options", "met"), [
    (("--criterion", "four-fifths"), None), (("--criterion", "four-fifths", "--ratio", "0.01"), True),
    (("--criterion", "equalized-odds"), None), (("--criterion", "equal-opportunity", "--tolerance", "1"), True)])
def test_another_criterion_may_have_to_hold(
    tool: Tool, soft: Path, options: tuple[str, ...], met: bool | None
) -> None:
    """Its rates are compared, and it holds if the audit by it says so."""
    fitted(tool, soft, "--soft", "pf")
    report = tool("report", soft, "--rule", "soft.json", *options, "--json").ok().json()
    audit = tool("audit", soft, "--rule", "soft.json", *options[:2], "--json").ok().json()
    assert report["criterion"]["name"] == "soft-" + options[1]
    for name in ("largest_difference", "smallest_ratio"):
        assert report["fairness"]["after"][name] == audit[name]
    wanted = audit["smallest_ratio"] >= 0.8 if options[1] == "four-fifths" else audit["largest_difference"] <= 1e-9
    assert report["fairness"]["holds"] is (wanted if met is None else met)


@pytest.mark.parametrize(("options", "says"), [
    (("--criterion", "equal-rates", "--rho", "0.3"), "--rho"), (("--tolerance", "0.1"), "name it with --criterion"),
    (("--criterion", "four-fifths", "--tolerance", "0.1"), "tolerance"),
    (("--criterion", "statistical-parity", "--tolerance", "-1"), "tolerance"),
    (("--require", "rate <= 0.5"), "--require"), (("--criterion", "fairness"), "fairness")])
def test_criteria_that_cannot_be(tool: Tool, soft: Path, options: tuple[str, ...], says: str) -> None:
    """One line, and nothing is left behind."""
    fitted(tool, soft, "--soft", "pf")
    tool("report", soft, "--rule", "soft.json", *options, "-o", "r.html").fails(2, says)
    assert not tool.path("r.html").exists()


@pytest.mark.parametrize("options", [("--categories", "race"), ("--bins", "5"),
                                     ("--tolerances", "3"), ("--confidence", "0.9"),
                                     ("--sensitive", "sex"), ("--unseen", "score"), ("--across", "both")])
def test_what_needs_known_groups_is_refused(tool: Tool, soft: Path, options: tuple[str, ...]) -> None:
    """One line, and nothing is left behind."""
    fitted(tool, soft, "--soft", "pf")
    tool("report", soft, "--rule", "soft.json", *options, "-o", "r.html").fails(2, "cannot be combined with")
    assert not tool.path("r.html").exists()
