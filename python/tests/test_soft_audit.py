"""Audits where groups are known by probabilities only."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from conftest import People

import evenhand
from evenhand import SoftAudit


@pytest.fixture(scope="module")
def belongs(people: People) -> dict[str, Any]:
    """Columns with the probability of belonging to a group."""
    rng = np.random.default_rng(5)
    p_f = np.where(people.sex == "F", 0.8, 0.3) + 0.2 * (rng.random(len(people.score)) - 0.5)
    return {**people.columns(), "p_f": p_f, "p_g": rng.random(len(people.score))}


def rates(q: Any, g: Any, w: Any = 1.0) -> tuple[float, float]:
    """Return the rates of those who belong and of the others."""
    return float(np.average(q, weights=w * g)), float(np.average(q, weights=w * (1 - g)))


def test_rates_of_scores(people: People, belongs: dict[str, Any]) -> None:
    audit = evenhand.audit_soft("score", soft=["p_f", "p_g"], weight="weight", data=belongs)
    assert isinstance(audit, SoftAudit)
    q = (people.score > 0.5).astype(float)
    for pair in audit.records():
        expected = rates(q, belongs[pair["column"]], people.weight)
        assert (pair["rate"], pair["others"]) == pytest.approx(expected, abs=1e-12)
    differences = [abs(pair["rate"] - pair["others"]) for pair in audit.records()]
    assert audit.largest_difference == max(differences)
    assert audit.columns == ["p_f", "p_g"]
    assert audit.expected
    assert list(audit.to_frame()["column"]) == ["p_f", "p_g"]


def test_fits_have_both_audits(people: People, belongs: dict[str, Any]) -> None:
    fit = evenhand.fit_soft("score", soft=["p_f"], within="race", label="label", data=belongs)
    q = fit.rule.probability("score", data=belongs)
    assert fit.after.largest_difference is not None
    assert fit.before.largest_difference is not None
    assert fit.after.largest_difference < 1e-9 < fit.before.largest_difference
    right = np.mean(q * people.label + (1 - q) * (1 - people.label))
    assert fit.after.accuracy == pytest.approx(right, abs=1e-12)
    assert not fit.after.expected
    assert "statistical-parity" in repr(fit)
    assert "after" in fit._repr_html_()
    copy = pickle.loads(pickle.dumps(fit))
    assert copy.after == fit.after


def test_rules_bring_their_columns(belongs: dict[str, Any]) -> None:
    fit = evenhand.fit_soft("score", soft=["p_f"], within="race", label="label", data=belongs)
    audit = evenhand.audit_soft(data=belongs, rule=fit)
    assert audit == fit.after
    assert audit.before == fit.before
    given = evenhand.audit_soft(
        belongs["score"],
        soft={"p_f": belongs["p_f"]},
        within={"race": belongs["race"]},
        label=belongs["label"],
        rule=fit.rule,
    )
    assert given == audit
    other = evenhand.audit_soft(soft="p_g", within="sex", data=belongs, rule=fit)
    q = fit.rule.probability("score", data=belongs)
    women = belongs["sex"] == "F"
    expected = rates(q[women], belongs["p_g"][women])
    assert (other.strata[0]["columns"][0]["rate"], other.strata[0]["columns"][0]["others"]) == (
        pytest.approx(expected, abs=1e-12)
    )
    with pytest.raises(ValueError, match="needs the column 'p_f'"):
        evenhand.audit_soft([0.5], soft={"p_g": [0.1]}, within={"race": ["a"]}, rule=fit)


def test_decisions_that_were_made(people: People, belongs: dict[str, Any]) -> None:
    made = (people.score > 0.3).astype(int)
    audit = evenhand.audit_soft(decision=made, soft={"p_f": belongs["p_f"]})
    assert audit.records()[0]["rate"] == pytest.approx(rates(made, belongs["p_f"])[0], abs=1e-12)
    assert audit.accuracy is None
    assert "accuracy" not in repr(audit)
    labelled = evenhand.audit_soft(decision=made, soft={"p_f": belongs["p_f"]}, label=people.label)
    assert labelled.accuracy == pytest.approx(np.mean(made == people.label), abs=1e-12)
    risky = evenhand.audit_soft(
        decision=made, soft={"p_f": belongs["p_f"]}, label=people.label, favorable="low"
    )
    assert risky.accuracy == pytest.approx(np.mean(made != people.label), abs=1e-12)


def test_missing_values(belongs: dict[str, Any]) -> None:
    holes = {**belongs, "p_f": np.where(np.arange(600) % 10 == 0, np.nan, belongs["p_f"])}
    with pytest.raises(ValueError, match="60"):
        evenhand.audit_soft("score", soft="p_f", data=holes)
    audit = evenhand.audit_soft("score", soft="p_f", data=holes, null="exclude")
    assert (audit.excluded, audit.weight) == (60, 540)


def test_strata_never_seen(belongs: dict[str, Any]) -> None:
    some = {name: column[belongs["race"] != "a"] for name, column in belongs.items()}
    fit = evenhand.fit_soft("score", soft="p_f", within="race", data=some)
    with pytest.raises(IndexError, match="race=a"):
        evenhand.audit_soft(data=belongs, rule=fit)


def test_either_scores_or_decisions(belongs: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="either score or decision"):
        evenhand.audit_soft("score", "p_f", data=belongs, decision="label")


def test_rules_of_known_groups(belongs: dict[str, Any]) -> None:
    fit = evenhand.fit("score", "sex", criterion="statistical-parity", data=belongs)
    with pytest.raises(TypeError, match="known groups: use evenhand.audit"):
        evenhand.audit_soft(soft="p_f", data=belongs, rule=fit)  # type: ignore[arg-type]
    soft = evenhand.fit_soft("score", soft="p_f", data=belongs)
    with pytest.raises(TypeError, match="soft groups: use evenhand.audit_soft"):
        evenhand.audit(data=belongs, rule=soft)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="SoftRule or a SoftFit, not int"):
        evenhand.audit_soft("score", "p_f", data=belongs, rule=3)  # type: ignore[arg-type]


def test_soft_audits_are_held_to_limits(belongs: dict[str, Any]) -> None:
    audit = evenhand.audit_soft("score", soft=["p_f"], data=belongs)
    assert audit.largest_difference is not None
    assert audit.check(fail_above=audit.largest_difference) == []
    (said,) = audit.check(fail_above=0.001, fail_below=0.0)
    assert said.startswith("the largest difference is ")


def test_soft_fits_have_no_bound_and_say_why(belongs: dict[str, Any]) -> None:
    fit = evenhand.fit_soft("score", soft=["p_f"], data=belongs)
    assert not fit.bound
    assert fit.bound.reason == "nobody's group is known, so no group's rate is observed"
    assert fit.to_dict()["bound"] == fit.bound.to_dict()
    assert f"No bound for new people: {fit.bound.reason}." in repr(fit)
