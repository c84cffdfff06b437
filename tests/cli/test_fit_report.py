"""What `evenhand fit` says: figures before and after, and the rule file."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conftest import Sql, Tool
from fitting import FULL, PARITY, fitted
from recompute import applied, figures, rule_text, wilson


def assert_same(found: dict[str, Any], wanted: dict[str, float], labelled: bool) -> None:
    """Compare figures to 1e-12."""
    for name, value in wanted.items():
        if not labelled and name in ("true_positive_rate", "false_positive_rate"):
            assert found[name] is None
        else:
            assert found[name] == pytest.approx(value, abs=1e-12), name


@pytest.mark.parametrize("labelled", [True, False])
def test_figures_before_and_after_are_those_of_plain_sql(
    tool: Tool, people: Path, sql: Sql, labelled: bool
) -> None:
    """Whoever recomputes what fit says finds the same, for cells, groups, strata and everybody."""
    label = ["--label", "y"] if labelled else []
    fit = tool("fit", people, *PARITY, "--within", "race", *label, "--json", "-o",
               "rule.json").ok().json()
    assert fit["labelled"] is labelled
    assert fit["rows"] == 5000
    applied(tool, people)
    y = "y" if labelled else "score"
    for when, q in (("before", "(score > 0.5)::INTEGER"), ("after", "probability")):
        audit = fit[when]
        assert audit["expected"] is not labelled
        assert_same(audit["overall"], figures(sql, "out.parquet", q, "'all'", y)["all"], labelled)
        cells = figures(sql, "out.parquet", q, "sex || ' ' || race", y)
        assert len(audit["cells"]) == len(cells) == 6
        for cell in audit["cells"]:
            assert_same(cell, cells[f"{cell['cell']['sex']} {cell['cell']['race']}"], labelled)
        groups = figures(sql, "out.parquet", q, "sex", y)
        assert len(audit["groups"]) == 2
        for group in audit["groups"]:
            assert_same(group, groups[group["group"]["sex"]], labelled)
        strata = figures(sql, "out.parquet", q, "race", y)
        assert len(audit["strata"]) == 3
        for stratum in audit["strata"]:
            race = stratum["stratum"]["race"]
            assert_same(stratum, strata[race], labelled)
            rates = [cells[f"{sex} {race}"]["selection_rate"] for sex in "FM"]
            spread = stratum["selection_rate_between_groups"]
            assert spread["difference"] == pytest.approx(max(rates) - min(rates), abs=1e-12)
            assert spread["ratio"] == pytest.approx(min(rates) / max(rates), abs=1e-12)


def test_the_record_in_the_rule_file_is_what_is_printed(tool: Tool, people: Path) -> None:
    """The file remembers how it was found, with the same figures."""
    fit = tool("fit", people, *PARITY, "--label", "y", "--json", "-o", "rule.json").ok().json()
    record = json.loads(tool.path("rule.json").read_text())["fit"]
    assert record["status"] == fit["status"] == "optimal"
    assert fit["gap"] < 1e-9
    assert fit["violation"] < 1e-9
    assert fit["primal"] == pytest.approx(fit["dual"], rel=1e-9)
    assert record["columns"] == fit["columns"]
    assert record["columns"]["score"] == "score"
    assert record["columns"]["sensitive"] == ["sex"]
    assert record["columns"]["label"] == "y"
    for when in ("before", "after"):
        for figure, value in record[when].items():
            assert fit[when]["overall"][figure] == value, figure


def test_intervals_are_those_of_wilson_and_contain_the_rate(tool: Tool, people: Path) -> None:
    """An interval is computed from the rate and the number of people."""
    fit = tool("fit", people, *PARITY, "--within", "race", "--label", "y", "--json").ok().json()
    checked = 0
    for when in ("before", "after"):
        for shown in (*fit[when]["cells"], *fit[when]["groups"], *fit[when]["strata"]):
            wanted = wilson(shown["selection_rate"], shown["weight"])
            assert shown["selection_rate_interval"] == pytest.approx(list(wanted), abs=1e-12)
            for rate in ("selection_rate", "true_positive_rate", "false_positive_rate"):
                low, high = shown[f"{rate}_interval"]
                assert low < shown[rate] < high
                checked += 1
    assert checked == 2 * (6 + 2 + 3) * 3


def test_accuracy_without_labels_is_called_expected(tool: Tool, people: Path) -> None:
    """Nobody should take a model's word for a fact."""
    words = "expected, if the scores are calibrated"
    assert words in tool("fit", people, *PARITY).ok().out
    assert words not in tool("fit", people, *PARITY, "--label", "y").ok().out


def test_the_table_names_every_cell_and_where_the_rule_is(tool: Tool, people: Path) -> None:
    """People see before and after for each group, and the way on."""
    ran = tool("fit", people, *FULL, "-o", "rule.json").ok()
    lines = ran.out.splitlines()
    for race in ("Asian", "Black", "White"):
        for sex in ("F", "M"):
            assert any(line.split()[:2] == [race, sex] for line in lines), (race, sex)
    assert "before" in ran.out
    assert "after" in ran.out
    assert "rule.json" in lines[-1]
    assert ran.err == ""
    assert "-o rule.json" in tool("fit", people, *FULL).ok().out.splitlines()[-1]


def test_the_rule_may_go_to_standard_output(tool: Tool, people: Path) -> None:
    """-o - prints the rule file and nothing else, ready for a pipe."""
    ran = tool("fit", people, *FULL, "-o", "-").ok()
    tool.write("rule.json", ran.out)
    assert rule_text(tool.path("rule.json")) == fitted(tool, people, *FULL)
    tool("show", "rule.json").ok()
    assert tool("fit", people, *FULL, "--output", "-").ok().out == ran.out


def test_a_cell_that_cannot_be_compared_is_named(tool: Tool, people: Path) -> None:
    """A stratum with one group is decided by its scores, and said so."""
    query = f"SELECT * FROM '{people}' WHERE NOT (race = 'Asian' AND sex = 'F')"
    fit = tool("fit", "--sql", query, *PARITY, "--within", "race", "--json").ok().json()
    alone = [cell for cell in fit["cells"] if "not_compared" in cell]
    assert [cell["cell"] for cell in alone] == ["sex=M, race=Asian"]
    out = tool("fit", "--sql", query, *PARITY, "--within", "race").ok().out
    assert "sex=M, race=Asian is not compared" in out


def test_an_old_rule_is_replaced_in_one_piece(tool: Tool, people: Path) -> None:
    """Writing over a rule leaves one file, whole."""
    expected = fitted(tool, people, *FULL)
    tool.write("rule.json", "x" * 100_000)
    tool("fit", people, *FULL, "-o", "rule.json").ok()
    assert rule_text(tool.path("rule.json")) == expected
    assert tool.files() == {"rule.json", "fitted.json"}
    subprocess.run(["python3", "-m", "json.tool", tool.path("rule.json")], check=True,
                   capture_output=True)
