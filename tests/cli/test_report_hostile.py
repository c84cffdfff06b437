"""`evenhand report` with names from an attacker, too many groups, and options that contradict each other."""

from __future__ import annotations

import json
import re

import pytest
from conftest import Tool
from hostile import PARITY, TEXTS, harmless, write
from test_report import figures_in

HOSTILE = {
    **TEXTS,
    "closes the script": "</script><script>alert(1)</script>",
    "comment": "<!-- <script>",
    "image": '<img src=x onerror="alert(1)">',
    "override": "\u202egnissim\u202c",
    "markdown": "[a](javascript:alert(1)) **b** `c` | d",
    "template": "{{scripts}} ${alert(1)}",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_values_stay_text(tool: Tool, text: str) -> None:
    """The page holds them inside its figures alone, where nothing can end the script."""
    write(tool.path("d.parquet"), "group", [text, "other"])
    tool("fit", "d.parquet", "--score", "p", "--sensitive", "group", *PARITY, "-o", "rule.json").ok()
    ran = tool("report", "d.parquet", "--rule", "rule.json", "--tolerances", "5", "--json", "-o",
               "report.html").ok()
    page = tool.path("report.html").read_text()
    assert figures_in(page) == ran.json()
    groups = {row["group"] for row in ran.json()["selection"][0]["rows"]}
    quoted = json.dumps(text, ensure_ascii=False)[1:-1]
    assert any(text in group or quoted in group or len(text) < 60 for group in groups)
    inside = re.search(r'id="figures">(.*?)</script>', page, re.DOTALL)
    assert inside and not re.search("[<>&]", inside.group(1))
    assert page.count("<script") == 8 and page.count("</script>") == 8
    ran = tool("report", "d.parquet", "--rule", "rule.json", "--tolerances", "0")
    harmless(ran.ok())
    assert not re.search(r"(?<!\\)[<>]", ran.out)
    lines = [line for line in ran.out.splitlines() if line.startswith("|")]
    assert all(len(re.findall(r"(?<!\\)\|", line)) >= 3 for line in lines)


def test_hostile_column_and_title_stay_text(tool: Tool) -> None:
    """A column's name is a name too; the title comes from the command line."""
    name = "<b>g</b>\"'"
    write(tool.path("d.parquet"), name, ["A", "B"])
    tool("report", "d.parquet", "--score", "p", "--sensitive", '"' + name.replace('"', '""') + '"',
         "--title", "<script>alert(1)</script>", "-o", "report.html").ok()
    page = tool.path("report.html").read_text()
    assert "<title>&lt;script&gt;alert(1)&lt;/script&gt;</title>" in page
    assert "<b>g" not in page


@pytest.mark.parametrize("text", [HOSTILE[name] for name in ("closes the script", "image", "override", "markdown")])
def test_hostile_soft_columns_stay_text(tool: Tool, text: str) -> None:
    """Columns, strata and files, of a rule for soft groups beside one for known groups."""
    write(tool.path("d.parquet"), "group", [text, "other"])
    column = '"' + text.replace('"', '""') + '"'
    data = ("--sql", f"SELECT *, CASE \"group\" WHEN 'other' THEN 0.2 ELSE 0.7 END - p / 10 AS {column} FROM 'd.parquet'")
    tool("fit", *data, "--score", "p", "--soft", column, "--within", "group", "-o", "<b>soft.json").ok()
    tool("fit", *data, "--score", "p", "--sensitive", "group", *PARITY, "-o", "rule.json").ok()
    asked = ("report", *data, "--rule", "<b>soft.json", "--rule", "rule.json")
    figures = tool(*asked, "--json", "-o", "report.html").ok().json()
    page = tool.path("report.html").read_text()
    assert figures_in(page) == figures
    assert figures["selection"][0]["rows"][0]["column"] == text
    inside = re.search(r'id="figures">(.*?)</script>', page, re.DOTALL)
    assert inside and not re.search("[<>&]", inside.group(1))
    assert page.count("<script") == 8 and "<b>soft" not in page
    markdown = tool(*asked)
    harmless(markdown.ok())
    assert not re.search(r"(?<!\\)[<>]", markdown.out)


def test_two_thousand_groups_make_a_page_that_is_not_too_large(tool: Tool) -> None:
    """The explorer has fewer stops then."""
    rows = "".join(f"{(i * 7919 % 1000) / 1000},g{i % 2000:04},{i % 2}\n" for i in range(20_000))
    tool.write("many.csv", "p,g,y\n" + rows)
    tool("fit", "many.csv", "--score", "p", "--sensitive", "g", "--label", "y", *PARITY, "--tolerance",
         "0.1", "-o", "rule.json").ok()
    tool("report", "many.csv", "--rule", "rule.json", "-o", "report.html").ok()
    page = tool.path("report.html").read_text()
    assert len(page.encode()) < 3_000_000
    figures = figures_in(page)
    assert len(figures["selection"][0]["rows"]) == 2000
    assert figures["frontier"]["points"][figures["frontier"]["chosen"]]["tolerance"] == 0.1


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ("-o report.pdf", "report.pdf: a report is written as .html, .md or .json"),
        ("--json -o -", "--json and -o -"),
        ("--decision y", "either --rule or --decision"),
        ("--tolerance 0.1", "name it with --criterion"),
        ("--tolerances 501", "from 5 to 500"),
        ("--tolerances 3", "from 5 to 500"),
        ("--bins 0", "from 1 to 100 bins"),
        ("--smallest-category 1", "between 0 and 1"),
        ("--confidence 2", "confidence"),
        ("--categories nowhere", "nowhere"),
        ("--criterion fairest", "fairest"),
        ("--unseen perhaps", "perhaps"),
        ("-o rule.json", "rule.json"),
        ("-o no/such/folder/report.html", "no/such/folder"),
    ],
)
def test_wrong_options_leave_nothing_behind(inputs: Tool, options: str, part: str) -> None:
    """One line, exit status 2, no file."""
    inputs("fit", "data.csv", "--score", "score", "--sensitive", "group", "--label", "y", *PARITY, "-o",
           "rule.json").ok()
    before = inputs.files()
    rule = inputs.path("rule.json").read_bytes()
    inputs("report", "data.csv", "--rule", "rule.json", *options.split()).fails(2, part)
    assert inputs.files() == before
    assert inputs.path("rule.json").read_bytes() == rule


def test_a_group_that_the_rule_has_not_seen(tool: Tool) -> None:
    """An error that names it, or the policy that was chosen; then there is no bound."""
    tool.write("a.csv", "p,g\n" + "0.2,A\n0.7,A\n0.4,B\n0.9,B\n" * 20)
    tool.write("b.csv", "p,g\n" + "0.2,A\n0.7,A\n0.4,B\n0.9,B\n0.8,C\n" * 20)
    tool("fit", "a.csv", "--score", "p", "--sensitive", "g", *PARITY, "-o", "rule.json").ok()
    tool("report", "b.csv", "--rule", "rule.json", "-o", "r.html").fails(2, "g=C", "--unseen")
    assert not tool.path("r.html").exists()
    report = tool("report", "b.csv", "--rule", "rule.json", "--unseen", "reject", "--json").ok().json()
    why = {row["group"]: row["why"] for row in report["not_compared"]["rows"]}
    assert "does not know" in why["g=C"]
    assert "none" in report["fairness"]["bound"]
