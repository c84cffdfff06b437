"""`evenhand audit` of decisions has the figures of the Uniform Guidelines' own examples, and of the Supreme Court's."""

from __future__ import annotations

import math
from typing import Any

import pytest
from conftest import Tool


def audit(tool: Tool, counts: dict[str, tuple[int, int]], *options: str, status: int = 0) -> dict[str, Any]:
    """Audit so many people of each group with so many of them selected; return the pairs by group."""
    parts = [f"SELECT '{group}' AS g, CAST(i < {selected} AS INT) AS d FROM range({people}) t(i)"
             for group, (people, selected) in counts.items()]
    ran = tool("audit", "--sql", " UNION ALL ".join(parts), "--decision", "d", "--sensitive", "g", *options, "--json")
    assert ran.status == status, ran.err
    out = ran.json()
    return {"ratio": out["smallest_ratio"], **{pair["group"]["g"]: pair for pair in out["tests"]["pairs"]}}


def test_adverse_impact_by_four_fifths(tool: Tool) -> None:
    """29 CFR 1607.4 D: 80 applicants and 48 hires, 40 applicants and 12 hires: 30 % to 60 %, a ratio of 50 %."""
    counts = {"White": (80, 48), "Black": (40, 12)}
    found = audit(tool, counts)
    black = found["Black"]
    assert black["positive"] / black["rows"] == 0.3
    assert found["ratio"] == black["ratio"] == 0.5
    assert black["reference"] == {"group": {"g": "White"}, "positive": 48, "rows": 80}
    assert black["shortfall"] == 12  # 24 of 40 would be 60 %
    assert black["shortfall_to_four_fifths"] == pytest.approx(0.48 * 40 - 12)
    assert black["standard_deviations"] == pytest.approx(-math.sqrt(9.6))
    assert black["fisher_p"] < 0.01
    audit(tool, counts, "--fail-below", "0.8", status=4)


def test_every_group_is_compared_with_the_highest_rate(tool: Tool) -> None:
    """Question 12 of the agencies: 60, 45, 48 and 51 %: ratios of 75, 80 and 85 %; impact at 75 % alone."""
    found = audit(tool, {"White": (1000, 600), "Indian": (1000, 450), "Hispanic": (1000, 480), "Black": (1000, 510)})
    ratios = {group: found[group]["ratio"] for group in ("Indian", "Hispanic", "Black")}
    assert ratios == pytest.approx({"Indian": 0.75, "Hispanic": 0.8, "Black": 0.85})
    short = [group for group in ratios if found[group]["shortfall_to_four_fifths"] > 1e-9]
    assert short == ["Indian"]
    assert found["Indian"]["shortfall_to_four_fifths"] == pytest.approx(30)
    assert found["ratio"] == pytest.approx(0.75)


def test_few_people_show_nothing(tool: Tool) -> None:
    """Question 21: 3 of 20 men and 1 of 10 women are a ratio of two thirds, and too few to conclude from."""
    women = audit(tool, {"men": (20, 3), "women": (10, 1)})["women"]
    assert women["ratio"] == pytest.approx(2 / 3)
    assert women["ratio_interval"][0] < 0.8 < women["ratio_interval"][1]
    assert abs(women["standard_deviations"]) < 2
    assert women["fisher_p"] > 0.05


def court(share: float, taken: int, observed: int) -> float:
    """Return Castaneda's formula: the difference from what is expected, in the binomial's standard deviations."""
    return (observed - taken * share) / math.sqrt(taken * share * (1 - share))


# People in the market, those of the group, people taken, those of the group among them, and what the Court says of the
# difference: between so many standard deviations, and so many.
HIDALGO = (181_535, 143_611)  # the census of 1970: 79.1 %
AREA, COUNTY = (19_000, 2_926), (19_000, 1_083)  # of teachers: 15.4 %, or without the city 5.7 %
CASES = {
    "Castaneda, 11 years": (*HIDALGO, 870, 339, 28.5, 29.5),
    "Castaneda, the judge's own 2.5 years": (*HIDALGO, 220, 100, 11.5, 12.5),
    "Hazelwood 1972, 15.4 %": (*AREA, 282, 10, 5, 6),
    "Hazelwood 1973, 15.4 %": (*AREA, 123, 5, 3, 4),
    "Hazelwood, both years, 15.4 %": (*AREA, 405, 15, 6, 7),
    "Hazelwood 1972, 5.7 %": (*COUNTY, 282, 10, 0, 2),
    "Hazelwood 1973, 5.7 %": (*COUNTY, 123, 5, 0, 1),
    "Hazelwood, both years, 5.7 %": (*COUNTY, 405, 15, 0, 2),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_standard_deviations_are_those_of_the_court(tool: Tool, case: tuple[float, ...]) -> None:
    """430 U.S. 482, note 17, and 433 U.S. 299, note 17.

    They ask how those taken compare with everybody; the audit, how those of the group fared beside the others. Both are
    one number but for a factor: sqrt(1 - the share that is taken), as the Court draws with replacement.
    """
    market, group, taken, observed, least, most = case
    found = audit(tool, {"group": (group, observed), "others": (market - group, taken - observed)})["group"]
    assert found["standard_deviations"] * math.sqrt(1 - taken / market) == pytest.approx(
        court(group / market, taken, observed), rel=1e-9)
    assert least < -found["standard_deviations"] < most
