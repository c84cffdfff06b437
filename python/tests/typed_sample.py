"""What a type checker knows of the package, seen from a program that uses it.

``test_typing`` has mypy check it, strictly: what it must refuse is marked, and a mark that is not
needed is an error too. It also runs it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import evenhand
from evenhand import theory

if sys.version_info >= (3, 11):
    from typing import assert_type
else:
    from typing_extensions import assert_type

score = np.array([0.2, 0.4, 0.6, 0.8])
sex = ["F", "F", "M", "M"]
label = [0, 1, 0, 1]


def fits() -> None:
    fit = evenhand.fit(score, {"sex": sex}, criterion="statistical-parity", null="exclude")
    assert_type(fit, evenhand.Fit)
    assert_type(fit.rule, evenhand.Rule)
    assert_type(fit.tally, evenhand.Tally)
    assert_type(fit.gap, float)
    assert_type(fit.excluded, int)
    assert_type(fit.before, evenhand.Audit)
    assert_type(fit.to_json(), str)
    assert_type(fit.cells, list[dict[str, Any]])
    assert_type(evenhand.fit(fit.tally, criterion="equal-rates"), evenhand.Fit)
    sgd = evenhand.fit(score, sex, criterion="statistical-parity", solver="sgd", stream=True)
    assert_type(sgd.trace, evenhand.Trace)
    assert_type(sgd.trace[0], dict[str, Any])
    assert_type(sgd.trace_csv(), str)
    assert_type(sgd.compare(), dict[str, float])
    assert_type(sgd.learning_rate, float | None)
    soft = evenhand.fit_soft(score, soft={"f": [0.9, 0.8, 0.1, 0.2]}, exhaustive=False)
    assert_type(soft, evenhand.SoftFit)
    assert_type(soft.rule, evenhand.SoftRule)
    if TYPE_CHECKING:
        evenhand.fit(score, sex, criterion=1)  # type: ignore[arg-type]
        evenhand.fit(score, sex, tolerance="none")  # type: ignore[arg-type]
        evenhand.fit(score, sex, toleranc=0.1)  # type: ignore[call-arg]
        evenhand.fit_soft(score, soft={"f": score}, across="both")  # type: ignore[call-arg]


def rules(folder: Path) -> None:
    rule = evenhand.fit(score, {"sex": sex}, criterion="statistical-parity").rule
    assert_type(rule.probability(score, sex, null="unknown"), NDArray[np.float64])
    assert_type(rule.decide(score, sex, seed=1), NDArray[np.uint8])
    assert_type(rule.null, str)
    assert_type(rule.calibrator, evenhand.Calibrator | None)
    assert_type(rule.explain(), str)
    assert_type(rule.explain(0.3, sex="F"), evenhand.Explanation)
    assert_type(rule.explain(0.3, {"sex": "F"}).threshold, float | None)
    rule.save(folder / "rule.json")
    assert_type(evenhand.Rule.load(folder / "rule.json"), evenhand.Rule)
    assert_type(evenhand.Rule.from_json(rule.to_json()), evenhand.Rule)
    loaded = evenhand.load(folder / "rule.json")
    assert_type(loaded, evenhand.Rule | evenhand.SoftRule)
    assert isinstance(loaded, evenhand.Rule)
    assert_type(loaded.cells, list[dict[str, str]])
    if TYPE_CHECKING:
        assert_type(rule.probability(0.3, sex="F"), float)
        assert_type(rule.decide(0.3, sex="F", id="ann", key="k"), int)
        rule.decide(score, sex, seed="one")  # type: ignore[call-overload]
        rule.probability(score, sex, unseen=None)  # type: ignore[call-overload]


def tallies(folder: Path) -> None:
    tally = evenhand.Tally(score, sex, label=label, resolution=16)
    assert_type(tally.merge(tally, allow_repeated=True), evenhand.Tally)
    assert_type(tally.add(score, sex, label=label), evenhand.Tally)
    assert_type(tally.excluded, int)
    assert_type(tally.level, int | None)
    assert_type(tally.entries(0), dict[str, NDArray[np.float64]])
    assert_type(evenhand.Tally.counted(score, [1, 2, 3, 4], sex), evenhand.Tally)
    tally.save(folder / "tally")
    assert_type(evenhand.Tally.load(folder / "tally"), evenhand.Tally)
    if TYPE_CHECKING:
        evenhand.Tally(score, sex, null=None)  # type: ignore[arg-type]


def figures() -> None:
    audit = evenhand.audit(score, sex, label=label)
    assert_type(audit, evenhand.Audit)
    assert_type(audit.largest_difference, float | None)
    assert_type(audit.before, evenhand.Audit | None)
    assert_type(audit.excluded, int)
    points = evenhand.frontier(score, sex, criterion="statistical-parity", at=[0, 0.5])
    assert_type(points, evenhand.Frontier)
    assert_type(points[0], dict[str, Any])
    assert_type(points[:1], list[dict[str, Any]])
    calibrator = evenhand.calibrate(score, label=label, by="all")
    assert_type(calibrator, evenhand.Calibrator)
    assert_type(calibrator.probability(score), NDArray[np.float64])
    assert_type(calibrator.report(score, label=label), dict[str, Any])
    assert_type(theory.gamma_schedule(64), float)
    assert_type(theory.excess_risk(1000, 0.1).printed.value, float)
    assert_type(theory.excess_risk(1000, "auto"), theory.ExcessRisk)
    assert_type(theory.impossibility([0, 1], [0, 1]).witness, NDArray[np.uint8])


def classifiers() -> None:
    fair = evenhand.FairThresholdClassifier(None, criterion="statistical-parity", key_file="key")
    assert_type(fair, evenhand.FairThresholdClassifier)
    if TYPE_CHECKING:
        assert_type(fair.fit(score, label), evenhand.FairThresholdClassifier)
        assert_type(fair.rule_, evenhand.Rule | evenhand.SoftRule)
        assert_type(fair.audit(score), evenhand.Audit | evenhand.SoftAudit)
        evenhand.FairThresholdClassifier(None, tolerance="none")  # type: ignore[arg-type]
        fair.predict(score, key=Path("key"))  # type: ignore[arg-type]
        evenhand.plot_audit(3)  # type: ignore[arg-type]
        evenhand.plot_frontier(1, value=2)  # type: ignore[arg-type]
        evenhand.plot_rule(1, colour="red")  # type: ignore[call-arg]
        evenhand.fti  # type: ignore[attr-defined]  # noqa: B018


def errors() -> None:
    try:
        evenhand.fit(score, sex, require=["rate <= 0.1", "rate >= 0.5"])
    except evenhand.InfeasibleError as error:
        assert_type(error.clash, list[str])
        assert_type(error.common_slack, float)


def main(folder: Path) -> None:
    """Run all of it."""
    fits()
    rules(folder)
    tallies(folder)
    figures()
    classifiers()
    errors()
