"""Reports where groups are known by probabilities only have the figures of the tool's."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import evenhand


def people(count: int = 400) -> pd.DataFrame:
    """Draw people whose sex is known more or less."""
    draw = np.random.default_rng(3)
    sex = draw.choice(["F", "M"], count)
    score = np.clip(draw.uniform(0, 1, count) * np.where(sex == "M", 1, 0.8), 0, 1).round(2)
    return pd.DataFrame(
        {
            "sex": sex,
            "area": draw.choice(["n", "s"], count),
            "score": score,
            "y": (draw.uniform(0, 1, count) < score).astype(int),
            "p_f": np.where(sex == "F", 0.8, 0.15) + draw.uniform(0, 0.1, count).round(3),
        }
    )


def soft(rows: pd.DataFrame, **options: Any) -> evenhand.SoftFit:
    """Fit by the column."""
    return evenhand.fit_soft("score", "p_f", label="y", data=rows, **options)


def by_sex(rows: pd.DataFrame, **options: Any) -> evenhand.Fit:
    """Fit by the group."""
    return evenhand.fit(
        "score", "sex", label="y", criterion="statistical-parity", data=rows, **options
    )


@pytest.mark.parametrize("within", [None, "area"])
def test_report_of_a_fit_has_the_figures_of_its_audit(within: str | None) -> None:
    """Rates by column and stratum, costs, coins; a loaded rule reports the same."""
    rows = people()
    fit = soft(rows, within=within, tolerance=0.03)
    report = fit.report()
    figures = report.figures
    (table,) = figures["selection"]
    pairs = fit.after.records()
    assert [(row["after"], row["others_after"]) for row in table["rows"]] == [
        (pair["rate"], pair["others"]) for pair in pairs
    ]
    for side, audit in (("before", fit.before), ("after", fit.after)):
        assert figures["costs"][side]["accuracy"] == audit.accuracy
        assert figures["fairness"][side]["largest_difference"] == audit.largest_difference
    assert figures["fairness"]["holds"] is True
    assert figures["rules"] is None
    assert figures["data"]["score"] == "score"
    assert figures["data"]["label"] == "y"
    assert evenhand.audit_soft(rule=fit.rule, data=rows).report() == report
    assert repr(report).count("\n") == 2
    assert "<html" in report.to_html()
    assert "## How the rule decides" in report.to_markdown()


def test_columns_need_no_frame_and_missing_values_stay_out() -> None:
    """Arrays, and rows that are left out."""
    rows = people()
    arrays = evenhand.fit_soft(rows["score"].to_numpy(), {"p_f": rows["p_f"].to_numpy()})
    assert arrays.report().figures["data"]["people"] == len(rows)
    rows.loc[:4, "p_f"] = np.nan
    figures = soft(rows, null="exclude").report(name="a & b", title="<i>").figures
    assert figures["data"]["people"] == len(rows) - 5
    assert figures["data"]["excluded"] == 5
    assert figures["data"]["name"] == "a & b"
    assert figures["title"] == "<i>"


def test_rules_stand_beside_each_other() -> None:
    """From a fit, or from a comparison, whichever comes first; the figures are those of compare."""
    rows = people()
    fit, known = soft(rows), by_sex(rows)
    found = evenhand.compare({"soft": fit, "sex": known}, data=rows)
    figures = found.report(name="people").figures
    for row, line in zip(figures["rules"]["rows"], found.records(), strict=True):
        for name in ("selection_rate", "accuracy", "largest_difference", "lottery_share", "to_yes"):
            assert row[name] == line[name]
        assert row["needs_group"] == ("yes" if line["needs_group"] else "no")
    assert fit.report(rule_name="soft", others={"sex": known}, name="people").figures == figures
    listed = fit.report(others=[known, fit.rule]).figures["rules"]["rows"]
    assert [row["rule"] for row in listed][1:] == ["rule.json", "other 1", "other 2"]
    turned = evenhand.compare({"sex": known, "soft": fit}, data=rows).report().figures
    assert turned["fairness"]["holds"] is None
    assert "sex" in turned["thresholds"]["rows"][0]["words"]
    other = evenhand.compare([fit, known], data=rows, criterion="equal-opportunity").report()
    assert other.figures["criterion"]["name"] == "soft-equal-opportunity"
    assert other.figures["fairness"]["holds"] is None


def test_others_may_bring_their_groups() -> None:
    """Without data the columns that others ask for are given, or asked for."""
    rows = people()
    known = by_sex(rows)
    fit = evenhand.fit_soft(rows["score"], {"p_f": rows["p_f"]})
    beside = fit.report(others=[known], sensitive={"sex": rows["sex"]}).figures["rules"]["rows"]
    assert beside[2]["needs_group"] == "yes"
    with pytest.raises(ValueError, match="needs the column 'sex'"):
        fit.report(others=[known])
    for wrong in (["rule.json"], [None], [3]):
        with pytest.raises(TypeError, match="others must be rules or fits, not"):
            fit.report(others=wrong)
    with pytest.raises(TypeError, match="takes name, title and date, not tolerances"):
        fit.report(tolerances=5)
    one = fit.report(others=fit, name="x").figures["rules"]["rows"]
    assert [row["rule"] for row in one][1:] == ["rule.json", "other 1"]
    with pytest.raises(TypeError, match=r"evenhand\.compare"):
        known.report(others=[fit])


def test_comparisons_of_known_groups_report_too() -> None:
    """The same as the fit with others beside it."""
    rows = people()
    first, second = by_sex(rows), by_sex(rows, tolerance=0.05)
    found = evenhand.compare({"strict": first, "lax": second}, data=rows)
    report = found.report(tolerances=10)
    assert report == first.report(rule_name="strict", others={"lax": second}, tolerances=10)
    assert [row["rule"] for row in report.figures["rules"]["rows"]][1:] == ["strict", "lax"]
    judged = evenhand.compare([first, second], data=rows, criterion="equalized-odds")
    assert judged.report(tolerances=0).figures["criterion"]["name"] == "equalized-odds"


def test_pickles_have_no_rows() -> None:
    """What was pickled keeps its figures, and says that rows are gone."""
    rows = people()
    fit = soft(rows)
    found = evenhand.compare([fit], data=rows)
    for one in (fit, fit.after, found, evenhand.compare([by_sex(rows)], data=rows)):
        copy = pickle.loads(pickle.dumps(one))
        assert copy.to_dict() == one.to_dict()
        with pytest.raises(ValueError, match="pickled"):
            copy.report()
    with pytest.raises(ValueError, match="needs a rule"):
        evenhand.audit_soft("score", "p_f", data=rows).report()


def test_a_classifier_with_a_group_estimator_reports() -> None:
    """On the rows of its fit."""
    rows = people()
    model = evenhand.FairThresholdClassifier(
        LogisticRegression(), criterion="statistical-parity", group_estimator=LogisticRegression()
    )
    model.fit(rows[["score", "p_f"]], rows["y"], sensitive_features=rows["sex"])
    figures = model.report(name="training").figures
    assert figures["data"]["people"] == model.fit_.after.weight
    assert figures["fairness"]["after"]["largest_difference"] == model.fit_.after.largest_difference
    assert pickle.loads(pickle.dumps(model)).rule_ == model.rule_


@pytest.mark.parametrize("criterion", ["statistical-parity", "four-fifths", "equalized-odds"])
def test_the_tool_writes_the_same(tool: Callable[..., str], tmp_path: Path, criterion: str) -> None:
    """Byte for byte, of one rule and of two."""
    rows = people()
    rows.to_parquet(tmp_path / "people.parquet")
    soft(rows, criterion=criterion).save(tmp_path / "soft.json")
    by_sex(rows).save(tmp_path / "sex.json")
    rules = {name: evenhand.load(tmp_path / name) for name in ("soft.json", "sex.json")}
    for names in (["soft.json"], ["soft.json", "sex.json"], ["sex.json", "soft.json"]):
        asked = [part for name in names for part in ("--rule", name)]
        done = tool("report", "people.parquet", *asked, "--json", "--date", "today")
        found = evenhand.compare({name: rules[name] for name in names}, data=rows)
        report = found.report(name="people.parquet", date="today")
        assert json.loads(done) == report.figures
        assert done == report.to_json()
