"""Tables of `evenhand report` that regulators ask for: published examples, and a slow, obvious test of two rates."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from conftest import Tool

# Final rule on automated employment decision tools, New York City: applicants, selected, and the
# impact ratio as it is printed there.
SEX = {"Male": (1390, 667, "1.00"), "Female": (1181, 555, "0.979")}
RACE = {
    "Hispanic or Latino": (408, 204, "0.97"),
    "White": (797, 412, "1.00"),
    "Black or African American": (390, 170, "0.84"),
    "Native Hawaiian or Pacific Islander": (119, 52, "0.85"),
    "Asian": (616, 302, "0.95"),
    "Native American or Alaska Native": (41, 18, "0.85"),
    "Two or More Races": (213, 96, "0.87"),
}


def write(tool: Tool, counts: dict[str, tuple[int, int]]) -> None:
    """Write decisions: so many people of each group, so many of them selected."""
    lines = []
    for group, (people, selected) in counts.items():
        lines += [f'"{group}",1'] * selected + [f'"{group}",0'] * (people - selected)
    tool.write("d.csv", "g,d\n" + "\n".join(lines) + "\n")


def report(tool: Tool, *options: str) -> Any:
    """Report on these decisions."""
    return tool("report", "d.csv", "--decision", "d", "--sensitive", "g", *options,
                "--json").ok().json()


def by_group(table: Any, name: str) -> dict[str, Any]:
    """Key rows by the group's value."""
    return {row[name].split("=", 1)[1].strip('"'): row for row in table["rows"]}


@pytest.mark.parametrize("example", [SEX, RACE], ids=["sex", "race"])
def test_impact_ratios_are_those_of_the_published_example(
    tool: Tool, example: dict[str, tuple[int, int, str]]
) -> None:
    """To as many digits as were printed."""
    write(tool, {group: (n, k) for group, (n, k, _) in example.items()})
    (table,) = report(tool, "--smallest-category", "0")["ll144"]
    rows = by_group(table, "category")
    for group, (applicants, selected, ratio) in example.items():
        row = rows[group]
        assert (row["applicants"], row["selected"]) == (applicants, selected)
        assert row["selection_rate"] == pytest.approx(selected / applicants, abs=1e-15)
        digits = len(ratio) - 2
        assert row["impact_ratio"] == pytest.approx(float(ratio), abs=0.5 * 10**-digits + 1e-12)
    titles = [column["title"] for column in table["columns"]][:5]
    assert titles == ["Category", "# of Applicants", "# Selected", "Selection Rate", "Impact Ratio"]


def test_small_categories_have_counts_but_no_ratio(tool: Tool) -> None:
    """Under 2 % of the people, and nobody is compared with them."""
    write(tool, {"A": (500, 200), "B": (490, 147), "C": (10, 9)})
    (table,) = report(tool)["ll144"]
    rows = by_group(table, "category")
    assert rows["C"]["impact_ratio"] is None
    assert (rows["C"]["applicants"], rows["C"]["selected"]) == (10, 9)
    assert rows["C"]["left_out"]
    assert rows["A"]["impact_ratio"] == 1
    assert rows["B"]["impact_ratio"] == pytest.approx(0.75)
    assert "10 people" in table["note"]


def test_unknown_categories_are_counted(tool: Tool) -> None:
    """Left out as rows without a value, or under a name of their own."""
    tool.write("d.csv", "g,d\n" + "A,1\nA,0\n" * 20 + "B,1\nB,0\nB,0\n" * 20 + ",1\n" * 7)
    for null in ("exclude", "unknown"):
        (table,) = report(tool, "--null", null)["ll144"]
        assert table["unknown"] == 7
        assert "7 people of an unknown category" in table["note"]
        assert list(by_group(table, "category")) == ["A", "B"]


def test_intersections_follow_the_single_categories(tool: Tool) -> None:
    """Sex, race, both; categories may name columns that are not compared."""
    rows = "".join(f"{'FM'[i % 2]},{'xyz'[i % 3]},{i % 5 % 2}\n" for i in range(600))
    tool.write("d.csv", "sex,race,d\n" + rows)
    for options in (("--sensitive", "sex,race"), ("--sensitive", "sex", "--categories", "sex,race")):
        tables = tool("report", "d.csv", "--decision", "d", *options, "--json").ok().json()["ll144"]
        assert [len(table["rows"]) for table in tables] == [2, 3, 6]
        assert sum(row["applicants"] for row in tables[2]["rows"]) == 600


def test_scoring_rates_are_shares_above_the_median(tool: Tool) -> None:
    """Of scores: how many of a category are above the sample's median."""
    scores = [i / 100 for i in range(100)]
    random.Random(1).shuffle(scores)
    tool.write("s.csv", "g,p\n" + "".join(f"{'AB'[i % 3 % 2]},{p}\n" for i, p in enumerate(scores)))
    (table,) = tool("report", "s.csv", "--score", "p", "--sensitive", "g", "--json").ok().json()["ll144"]
    median = 0.495
    wanted = {}
    for group in "AB":
        own = [p for i, p in enumerate(scores) if "AB"[i % 3 % 2] == group]
        wanted[group] = sum(p > median for p in own) / len(own)
    rows = by_group(table, "category")
    for group, rate in wanted.items():
        assert rows[group]["scoring_rate"] == pytest.approx(rate, abs=1e-15)
        assert rows[group]["scoring_impact_ratio"] == pytest.approx(rate / max(wanted.values()))


def test_the_four_fifths_example_of_the_guidelines(tool: Tool) -> None:
    """80 applicants, 48 hired; 40 applicants, 12 hired: a ratio of 50 %."""
    write(tool, {"White": (80, 48), "Black": (40, 12)})
    (table,) = report(tool)["eeoc"]
    rows = by_group(table, "group")
    assert rows["White"]["ratio"] == 1
    assert rows["Black"]["ratio"] == 0.5
    assert rows["Black"]["shortfall"] == pytest.approx(12)
    assert rows["Black"]["standard_deviations"] == pytest.approx(-0.3 / math.sqrt(0.25 * (1 / 80 + 1 / 40)))


def fisher(a: int, n: int, b: int, m: int) -> float:
    """Fisher's exact p, by all tables with the same margins."""
    k = a + b
    likely = {x: math.comb(n, x) * math.comb(m, k - x) for x in range(max(0, k - m), min(n, k) + 1)}
    return sum(w for w in likely.values() if w <= likely[a]) / sum(likely.values())


def test_figures_of_random_tables_are_those_of_plain_arithmetic(tool: Tool) -> None:
    """Ten groups in each of five tables: ratio, standard deviations, Fisher's p, shortfall."""
    draw = random.Random(17)
    for _ in range(5):
        counts = {}
        for i in range(11):
            people = draw.randint(3, 80)
            counts[f"g{i:02}"] = (people, draw.randint(0, people))
        write(tool, counts)
        (table,) = report(tool)["eeoc"]
        rows = by_group(table, "group")
        best = max(counts, key=lambda g: (counts[g][1] / counts[g][0], counts[g][0]))
        m, b = counts[best]
        for group, (n, a) in counts.items():
            row = rows[group]
            assert row["ratio"] == pytest.approx((a / n) / (b / m), abs=1e-12)
            if group == best:
                assert row["fisher_p"] is None
                continue
            pooled = (a + b) / (n + m)
            assert row["fisher_p"] == pytest.approx(fisher(a, n, b, m), rel=1e-9)
            assert row["shortfall"] == pytest.approx(n * b / m - a, abs=1e-9)
            spread = math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
            wanted = (a / n - b / m) / spread if spread else 0
            assert row["standard_deviations"] == pytest.approx(wanted, abs=1e-9)


def test_the_technical_record_has_room_for_signatures(tool: Tool) -> None:
    """Data, metrics, version, fingerprints; the date is the caller's."""
    write(tool, {"A": (50, 20), "B": (40, 10)})
    made = report(tool, "--date", "2026-11-16")
    items = {row["item"]: row["value"] for row in made["annex_iv"]["rows"]}
    assert items["Date"] == "2026-11-16"
    assert items["Signature"] == ""
    assert items["People"] == "90"
    assert items["Fingerprint of the testing data"] == made["data"]["fingerprint"]
    assert "compliant" not in str(made).lower()
