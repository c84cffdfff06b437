"""`evenhand verify`: rules are accepted on the data they were fitted on, and nothing else is."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from conftest import Ran, Tool

Edit = Callable[[dict[str, Any]], object]


def people(rows: int = 400, seed: int = 1) -> str:
    """Make rows with a score, a label, a weight and two attributes, one of them named oddly."""
    draw = random.Random(seed)
    lines = ['id,p,y,w,"sex, ""x""",region']
    for i in range(rows):
        sex = draw.choice(["F", "M, or\tso", "<b>"])
        p = round(min(1, max(0, draw.gauss(0.45 if sex == "F" else 0.55, 0.2))), 2)
        y = int(draw.random() < p)
        lines.append(f'{i},{p},{y},{draw.choice([1, 2, 0.5])},"{sex}",{draw.choice("ns")}')
    return "\n".join(lines) + "\n"


def fitted(tool: Tool, *options: str, rows: int = 400) -> dict[str, Any]:
    """Fit a rule by the odd attribute; return its file."""
    tool.write("people.csv", people(rows))
    tool(
        "fit",
        "people.csv",
        "--score",
        "p",
        "--sensitive",
        '"sex, ""x"""',
        *options,
        "-o",
        "rule.json",
    ).ok()
    rule: dict[str, Any] = json.loads(tool.path("rule.json").read_text())
    return rule


PARITY = ("--criterion", "statistical-parity", "--tolerance", "0.02")
ODDS = ("--criterion", "equalized-odds", "--tolerance", "0.05", "--label", "y")
KINDS = {
    "parity": PARITY,
    "parity exact": ("--criterion", "statistical-parity"),
    "weights": (*PARITY, "--weight", "w", "--label", "y"),
    "opportunity": ("--criterion", "equal-opportunity", "--label", "y", "--within", "region"),
    "fpr": ("--criterion", "false-positive-parity", "--label", "y", "--gamma", "0.1"),
    "odds": ODDS,
    "odds exact": ("--criterion", "equalized-odds", "--label", "y"),
    "odds with gamma": (*ODDS, "--gamma", "0.05"),
    "equal rates": ("--criterion", "equal-rates", "--rho", "base", "--tolerance", "0.01"),
    "four fifths": ("--criterion", "four-fifths", "--cost-fp", "2"),
    "capacity": (*PARITY, "--require", "rate <= 0.2"),
    "requirements": (
        "--require",
        "for each region: precision >= 0.55",
        "--within",
        "region",
        "--label",
        "y",
    ),
    "absolute": (
        "--require",
        "abs(tpr[region=n] - tpr[region=s]) <= 0.01",
        "--within",
        "region",
        "--label",
        "y",
    ),
    "no worse": (*PARITY, "--no-worse", "rate"),
    "marginal": (*PARITY, "--within", "region", "--across", "marginal"),
    "blind": (*PARITY, "--blind"),
    "blind within": (*ODDS, "--blind", "--within", "region"),
    "no coins": (*PARITY, "--lottery", "none"),
    "few coins": (*ODDS, "--max-lottery", "0.05"),
    "least chance": (*ODDS, "--lottery", "least-chance"),
    "isotonic": (*PARITY, "--label", "y", "--calibrate", "isotonic"),
    "isotonic for all": (
        *PARITY,
        "--label",
        "y",
        "--calibrate",
        "isotonic",
        "--calibrate-by",
        "all",
    ),
    "platt": (*PARITY, "--label", "y", "--calibrate", "platt", "--scale", "raw"),
    "low": (*PARITY, "--favorable", "low", "--base-threshold", "0.4"),
    "bits": (*PARITY, "--resolution", "4"),
    "sgd": ("--criterion", "statistical-parity", "--solver", "sgd", "--epochs", "1"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_accepts_what_fit_wrote(tool: Tool, kind: str) -> None:
    """Every kind of fit passes, by columns that its record names, and says what was not checked."""
    fitted(tool, *KINDS[kind])
    found = tool("verify", "rule.json", "people.csv", "--json").ok().json()
    assert found["passed"] is True
    verdicts = {check["name"]: check["verdict"] for check in found["checks"]}
    assert (
        verdicts["rule"] == verdicts["data"] == verdicts["objective"] == verdicts["bound"] == "yes"
    ), found
    assert verdicts["new people"] == "yes", found
    claimed = json.loads(tool.path("rule.json").read_text())["fit"]["status"]
    if claimed == "optimal" and "coins" not in kind:
        assert verdicts["status"] == "yes", found
    said = tool("verify", "rule.json", "people.csv").ok()
    assert said.out.splitlines()[-1] == "verified"


@pytest.mark.parametrize("rho", ["best", "base", "0.3"])
def test_accepts_equal_rates_of_small_cells_in_strata(tool: Tool, rho: str) -> None:
    """All cells are compared, in one order by fit and verify: the bound names the same ones."""
    options = ("--criterion", "equal-rates", "--rho", rho, "--within", "region")
    fitted(tool, *options, rows=120)
    found = tool("verify", "rule.json", "people.csv", "--json").ok().json()
    assert found["passed"] is True
    assert len(json.loads(tool.path("rule.json").read_text())["fit"]["bound"]["small"]) == 6


def test_a_certified_fit_says_what_was_not_checked(tool: Tool) -> None:
    """The limits of a certificate are not recorded: optimality is left open."""
    fitted(
        tool,
        "--criterion",
        "statistical-parity",
        "--tolerance",
        "0.3",
        "--certify",
        "0.9",
        rows=4000,
    )
    found = tool("verify", "rule.json", "people.csv", "--json").ok().json()
    verdicts = {check["name"]: check["verdict"] for check in found["checks"]}
    assert verdicts["bound"] == verdicts["status"] == "not checked"
    assert verdicts["objective"] == verdicts["violation"] == verdicts["new people"] == "yes"


def test_the_bound_for_new_people_is_checked(tool: Tool) -> None:
    """One that was edited, or is claimed where there is none, shows."""
    asked = ("--criterion", "equal-opportunity", "--label", "y", "--tolerance", "0.05")
    fitted(tool, *asked, "--confidence", "0.9")
    rule = json.loads(tool.path("rule.json").read_text())
    tool("verify", "rule.json", "people.csv").ok()
    bound = rule["fit"]["bound"]["difference_at_most"]
    for edited in (0.9 * bound, 1.1 * bound):
        rule["fit"]["bound"]["difference_at_most"] = edited
        tool.write("edited.json", json.dumps(rule))
        said = tool("verify", "edited.json", "people.csv")
        assert said.status == 4 and "new people" in said.out
    rule["fit"]["bound"] = {"confidence": 0.9, "none": "nobody asked"}
    tool.write("edited.json", json.dumps(rule))
    assert tool("verify", "edited.json", "people.csv").status == 4


def test_a_certificate_that_was_edited_shows(tool: Tool) -> None:
    """Neither another bound nor another tolerance passes."""
    fitted(
        tool, "--criterion", "statistical-parity", "--tolerance", "0.3", "--certify", "0.9", rows=4000
    )
    rule = json.loads(tool.path("rule.json").read_text())
    rule["fit"]["bound"]["difference_at_most"] = 0.4
    tool.write("edited.json", json.dumps(rule))
    assert tool("verify", "edited.json", "people.csv").status == 4
    rule["fit"]["bound"]["difference_at_most"] = 0.01
    rule["fit"]["criterion"]["tolerance"] = 0.02
    tool.write("edited.json", json.dumps(rule))
    assert tool("verify", "edited.json", "people.csv").status == 4


def test_without_multipliers_optimality_was_not_checked(tool: Tool) -> None:
    """It says so, and all else is checked."""
    rule = fitted(tool, *PARITY)
    for cell in rule["fit"]["cells"]:
        cell.pop("multiplier", None)
    tool.write("rule.json", json.dumps(rule))
    assert (
        "optimality was not checked: there are no multipliers"
        in tool("verify", "rule.json", "people.csv").ok().out
    )


def test_tallies_and_pooled_tallies_are_verified_too(tool: Tool) -> None:
    """By --tally, and by the rows that the tally was made of."""
    tool.write("people.csv", people())
    named = ("--score", "p", "--label", "y", "--sensitive", "region")
    tool("tally", "people.csv", *named, "--min-count", "5", "-o", "t.parquet").ok()
    tool("fit", "--tally", "t.parquet", *PARITY, "-o", "rule.json").ok()
    tool("verify", "rule.json", "--tally", "t.parquet").ok()
    tool("verify", "rule.json", "people.csv").ok()
    tool.write("fewer.csv", people(399))
    assert tool("verify", "rule.json", "fewer.csv").status == 4


def test_soft_rules_are_verified_on_their_rows(tool: Tool) -> None:
    """Objective, violation and bound; the assumption is named."""
    draw = random.Random(3)
    drawn = [(round(draw.random(), 3), draw.random()) for _ in range(200)]
    rows = "".join(f"{p:.3f},{f},{1 - f:.3f}\n" for f, p in drawn)
    tool.write("soft.csv", "p,f,m\n" + rows)
    for extra in ((), ("--exhaustive",), ("--gamma", "0.1")):
        columns = "f,m" if extra == ("--exhaustive",) else "f"
        tool("fit", "soft.csv", "--score", "p", "--soft", columns, *extra, "-o", "rule.json").ok()
        said = tool("verify", "rule.json", "soft.csv").ok().out
        assert "calibrated given the score" in said
        rule = json.loads(tool.path("rule.json").read_text())
        rule["fit"]["primal"] += 0.001
        tool.write("rule.json", json.dumps(rule))
        assert tool("verify", "rule.json", "soft.csv").status == 4


def change(path: str, value: Any) -> Edit:
    """Set what `path` names: keys and numbers with dots between."""

    def edit(rule: dict[str, Any]) -> None:
        keys: list[Any] = [int(key) if key.isdigit() else key for key in path.split(".")]
        at: Any = rule
        for key in keys[:-1]:
            at = at[key]
        at[keys[-1]] = value(at[keys[-1]]) if callable(value) else value

    return edit


VALUES = [["<b>"], ["F"], ["M, or\tso"]]
TAMPERED: dict[str, Edit] = {
    "a threshold": change("rule.cells.0.steps.0.0", lambda x: x - 0.2),
    "a threshold by little": change("rule.cells.1.steps.0.0", lambda x: x + 1e-9),
    "everybody of a group": change("rule.cells.0.start", 0.001),
    "unseen groups": change("rule.otherwise", 0.9),
    "a group's name": change("rule.cells.0.values", ["A"]),
    "objective": change("fit.primal", lambda x: x * (1 + 1e-6)),
    "objective missing": change("fit.primal", None),
    "bound": change("fit.dual", lambda x: x - 0.01),
    "violation": change("fit.violation", 0.001),
    "tolerance": change("fit.criterion.tolerance", 0.03),
    "tolerance lower": change("fit.criterion.tolerance", 0.01),
    "criterion": change("fit.criterion.name", "four-fifths"),
    "multiplier": change("fit.cells.0.multiplier", lambda x: x + 0.5),
    "multiplier's sign": change("fit.cells.0.multiplier", lambda x: -x - 0.1),
    "rate": change("fit.cells.1.rate", lambda x: x + 1e-6),
    "lottery share of a group": change("fit.cells.1.lottery_share", 0.5),
    "lottery share": change("fit.lottery_share", 0.25),
    "base": change("fit.base", lambda x: x + 1),
    "magnitude": change("fit.magnitude", lambda x: x * 2),
    "cost": change("fit.cost_fp", 2),
    "gamma": change("fit.gamma", 0.1),
    "rows": change("fit.rows", 401),
    "weight": change("fit.weight", 500),
    "fingerprint": change("fit.fingerprint", "0" * 64),
    "rule's fingerprint": change("fit.rule_fingerprint", "0" * 64),
    "before": change("fit.before.selection_rate", lambda x: x + 0.01),
    "after": change("fit.after.accuracy", lambda x: x + 0.01),
    "a group left out": lambda rule: rule["fit"]["cells"].pop(),
    "a further constraint": change(
        "fit",
        lambda fit: {
            **fit,
            "constraints": [{"text": "rate <= 0.1", "value": 0.1, "multiplier": 9}],
        },
    ),
    "two rules mixed": lambda rule: (
        rule["rule"]["cells"].reverse()
        or [
            cell.__setitem__("values", values)
            for cell, values in zip(rule["rule"]["cells"], VALUES, strict=True)
        ]
    ),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_rejects_a_tampered_rule(tool: Tool, what: str) -> None:
    """Exit status 4, with a no beside what is wrong."""
    rule = fitted(tool, *PARITY)
    edited = copy.deepcopy(rule)
    TAMPERED[what](edited)
    assert edited != rule
    tool.write("rule.json", json.dumps(edited))
    ran = tool("verify", "rule.json", "people.csv")
    assert ran.status == 4, ran.out
    assert ran.out.splitlines()[-1].startswith("not verified: ")
    assert any(line.startswith("  no ") for line in ran.out.splitlines())


ODDS_TAMPERED: dict[str, Edit] = {
    "multiplier": change("fit.constraints.0.multiplier", lambda x: x + 1),
    "value": change("fit.constraints.0.value", lambda x: x + 0.001),
    "text": change("fit.constraints.0.text", "rate[region=n] <= 0.5"),
    "no text": change("fit.constraints.0.text", "x; DROP TABLE t"),
    "status": change("fit.criterion.tolerance", 0.2),
}


@pytest.mark.parametrize("what", ODDS_TAMPERED)
def test_rejects_tampered_constraints(tool: Tool, what: str) -> None:
    """The same where multipliers belong to constraints."""
    rule = fitted(tool, *ODDS)
    ODDS_TAMPERED[what](rule)
    tool.write("rule.json", json.dumps(rule))
    assert tool("verify", "rule.json", "people.csv").status == 4


@pytest.mark.parametrize("what", ["a score", "a group", "a row less", "a row twice", "no labels"])
def test_rejects_other_data(tool: Tool, what: str) -> None:
    """A single value suffices."""
    fitted(tool, *PARITY, "--label", "y")
    lines = people().splitlines()
    row = lines[7].split(",")
    if what == "a score":
        lines[7] = ",".join([row[0], "0.123", *row[2:]])
    elif what == "a group":
        lines[7] = ",".join([*row[:-1], "n" if row[-1] == "s" else "s"]).replace('"F"', '"<b>"')
        lines[8] = (
            lines[8].replace('"<b>"', '"F"')
            if '"<b>"' in lines[8]
            else lines[8].replace('"F"', '"<b>"')
        )
    elif what == "a row less":
        del lines[7]
    elif what == "a row twice":
        lines.append(lines[7])
    else:
        lines[0] = lines[0].replace(",y,", ",yy,")
    tool.write("other.csv", "\n".join(lines) + "\n")
    ran = tool("verify", "rule.json", "other.csv")
    assert ran.status == 4, ran.out
    assert "not the data of the fit" in ran.out


def refused(ran: Ran, *parts: str) -> None:
    """Assert one clear line and exit status 2."""
    ran.fails(2, *parts)


def test_bad_input_is_one_line(tool: Tool) -> None:
    """What is missing is named."""
    fitted(tool, *PARITY)
    refused(tool("verify"), "name the rule")
    refused(tool("verify", "rule.json"), "DATA, --sql, --tally or --log")
    refused(tool("verify", "rule.json", "people.csv", "--rule", "rule.json"), "twice")
    refused(tool("verify", "rule.json", "people.csv", "--seed", "1"), "--log")
    rule = json.loads(tool.path("rule.json").read_text())
    tool.write("bare.json", json.dumps({"evenhand": 1, "rule": rule["rule"]}))
    refused(
        tool("verify", "bare.json", "people.csv", "--score", "p", "--sensitive", '"sex, ""x"""'),
        "no record",
    )
