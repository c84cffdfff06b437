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


@pytest.fixture(scope="module")
def probable(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(p_f=np.where(frame.sex == "F", 0.85, 0.1) - 0.05 * frame.score)


def with_soft_rules(probable: pd.DataFrame) -> dict[str, Any]:
    shared: dict[str, Any] = {"label": "label", "data": probable}
    odds: dict[str, Any] = {"criterion": "equalized-odds", "tolerance": 0.05}
    return {
        "parity": evenhand.fit_soft("score", "p_f", **shared),
        "odds": evenhand.fit_soft("score", "p_f", within="race", **odds, **shared),
        "sex": evenhand.fit("score", "sex", **odds, **shared),
        "blind": evenhand.fit("score", "sex", criterion="statistical-parity", blind=True, **shared),
    }


def test_soft_rules_stand_beside_others(probable: pd.DataFrame) -> None:
    """Rates by the column, coins and changes, from the probabilities of each rule."""
    fits = with_soft_rules(probable)
    del fits["odds"]  # whose strata would be those of all
    found = evenhand.compare(fits, data=probable)
    assert isinstance(found, evenhand.SoftComparison)
    lines = found.to_frame().set_index("rule")
    assert list(lines["needs_group"]) == [False, False, True, False]
    belongs = probable.p_f.to_numpy()
    first = fits["parity"].rule.probability(data=probable)
    for name, fit in fits.items():
        q = fit.rule.probability(data=probable)
        line = lines.loc[name]
        assert line["selection_rate, p_f"] == pytest.approx(np.average(q, weights=belongs))
        others = np.average(q, weights=1 - belongs)
        assert line["selection_rate, p_f, others"] == pytest.approx(others)
        assert line["lottery_share"] == pytest.approx(np.mean((q > 0) & (q < 1)))
        assert line["to_yes"] == pytest.approx(np.maximum(q - first, 0).sum())
        assert line["to_no"] == pytest.approx(np.maximum(first - q, 0).sum())
    women = next(one for one in found.changes() if one["rule"] == "sex")
    assert (women["column"], women["weight"]) == ("p_f", pytest.approx(belongs.sum()))
    assert "calibrated given everything the rule sees" in repr(found)
    assert "<table" in found._repr_html_()


def test_soft_rules_side_by_side_as_the_tool(
    probable: pd.DataFrame, tool: Callable[..., str], tmp_path: Path
) -> None:
    """The same figures, whichever rule comes first."""
    probable.to_parquet(tmp_path / "people.parquet")
    fits = with_soft_rules(probable)
    for name, fit in fits.items():
        fit.save(tmp_path / f"{name}.json")
    for order in (list(fits), list(fits)[::-1]):
        given = [part for name in order for part in ("--rule", f"{name}.json")]
        theirs = json.loads(tool("audit", "people.parquet", *given, "--json"))
        ours = evenhand.compare({f"{name}.json": fits[name] for name in order}, data=probable)
        assert ours.to_dict() == {key: one for key, one in theirs.items() if key != "data"}


def test_what_soft_rules_cannot_be_compared_by(probable: pd.DataFrame) -> None:
    fits = with_soft_rules(probable)
    with pytest.raises(ValueError, match="cannot be combined with across"):
        evenhand.compare(fits, data=probable, across="marginal")
    with pytest.raises(ValueError, match="known groups"):
        evenhand.compare([fits["sex"]], data=probable, soft="p_f")
    with pytest.raises(TypeError, match="not a tally"):
        evenhand.compare(fits, evenhand.Tally("score", "sex", data=probable))
    with pytest.raises(ValueError, match="the rule needs the column 'p_f'"):
        evenhand.compare([fits["parity"]], probable.score)
