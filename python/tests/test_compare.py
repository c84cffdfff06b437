"""Rules side by side."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import People

import evenhand


@pytest.fixture(scope="module")
def frame(people: People) -> pd.DataFrame:
    return pd.DataFrame(people.columns())


def rules(frame: pd.DataFrame) -> dict[str, evenhand.Fit]:
    shared: dict[str, Any] = {"label": "label", "data": frame}
    return {
        "parity": evenhand.fit("score", "sex", criterion="statistical-parity", **shared),
        "odds": evenhand.fit("score", "sex", criterion="equalized-odds", tolerance=0.1, **shared),
        "blind": evenhand.fit(
            "score", "sex", criterion="statistical-parity", blind=True, tolerance=0.1, **shared
        ),
    }


def test_figures_are_those_of_audits(frame: pd.DataFrame) -> None:
    fits = rules(frame)
    found = evenhand.compare(fits, data=frame)
    assert found.names == ["parity", "odds", "blind"]
    table = found.to_frame().set_index("rule")
    for name, fit in fits.items():
        audit = evenhand.audit(
            "score", "sex", label="label", data=frame, rule=fit, criterion="statistical-parity"
        )
        assert table.loc[name, "accuracy"] == audit.accuracy
        assert table.loc[name, "largest_difference"] == audit.largest_difference
        assert table.loc[name, "selection_rate, sex=F"] == audit.groups[0]["selection_rate"]
    assert table.loc["score alone", "accuracy"] == fits["parity"].before.accuracy
    assert table["needs_group"].tolist() == [False, True, True, False]


def test_changes_are_counted_by_cell_and_direction(frame: pd.DataFrame) -> None:
    fits = rules(frame)
    changes = evenhand.compare(fits, data=frame).to_frame(changes=True)
    one = fits["parity"].rule.probability(data=frame)
    two = fits["odds"].rule.probability(data=frame)
    for cell in ("F", "M"):
        here = frame.sex == cell
        line = changes[(changes.rule == "odds") & (changes.sex == cell)].iloc[0]
        assert line.weight == here.sum()
        assert line.to_yes == pytest.approx(np.maximum(0, two - one)[here].sum())
        assert line.to_no == pytest.approx(np.maximum(0, one - two)[here].sum())


def test_it_is_what_the_tool_says(
    frame: pd.DataFrame, tmp_path: Path, tool: Callable[..., str]
) -> None:
    fits = rules(frame)
    frame.to_csv(tmp_path / "people.csv", index=False)
    asked = []
    for name, fit in fits.items():
        fit.save(tmp_path / f"{name}.json")
        asked += ["--rule", f"{name}.json"]
    printed = json.loads(tool("audit", "people.csv", *asked, "--json"))
    found = evenhand.compare({f"{name}.json": fit for name, fit in fits.items()}, data=frame)
    mine = json.loads(json.dumps(found.to_dict()))
    for one, two in zip(printed["rules"], mine["rules"], strict=True):
        assert one["changed"] == two["changed"]
        assert one["largest_difference"] == two["largest_difference"]


def test_lists_of_rules_have_numbers(frame: pd.DataFrame) -> None:
    fits = list(rules(frame).values())
    found = evenhand.compare([fits[0], fits[1].rule], data=frame)
    assert found.names == ["rule 1", "rule 2"]
    assert "rule 2" in repr(found)
    assert "<td>" in found._repr_html_()


def test_bad_rules(frame: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="no rules"):
        evenhand.compare([], data=frame)
    with pytest.raises(TypeError, match="rule 1 must be a Rule"):
        evenhand.compare(["rule.json"], data=frame)  # type: ignore[list-item]
