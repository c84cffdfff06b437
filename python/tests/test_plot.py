"""Pictures show what they claim, whatever names the data bring along."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from conftest import People
from matplotlib import pyplot
from sklearn.linear_model import LogisticRegression

import evenhand
from evenhand.plot import COLOURS, STYLES

mpl.use("Agg")

HOSTILE = ["$x$", "_hidden", "a_b^c", r"\frac{1}{$", "two\nlines", "‮evil", "%", "x" * 200]


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    pyplot.close("all")


def parity(people: People, **options: Any) -> evenhand.Fit:
    options = {"criterion": "statistical-parity", "label": people.label, **options}
    fit: evenhand.Fit = evenhand.fit(people.score, {"sex": people.sex}, **options)
    return fit


def texts(found: Any) -> list[str]:
    return [one.get_text() for one in found]


# --- Rules.


def test_a_classifier_must_be_fitted() -> None:
    from sklearn.exceptions import NotFittedError
    from sklearn.linear_model import LogisticRegression

    fair = evenhand.FairThresholdClassifier(LogisticRegression(), criterion="statistical-parity")
    with pytest.raises(NotFittedError):
        evenhand.plot_rule(fair)


@pytest.mark.parametrize("gamma", [0.0, 0.2])
@pytest.mark.parametrize("favorable", ["high", "low"])
def test_a_line_is_the_rule(people: People, gamma: float, favorable: str) -> None:
    fit = parity(people, gamma=gamma, favorable=favorable, criterion="equalized-odds")
    ax = evenhand.plot_rule(fit)
    scores = np.linspace(0.001, 0.999, 500)
    for line, cell in zip(ax.get_lines(), fit.rule.cells, strict=True):
        x, y = map(np.asarray, line.get_data())
        if favorable == "low":
            x, y = x[::-1], y[::-1]
        away = np.abs(scores[:, None] - x[None, :]).min(axis=1) > 1e-9
        expected = fit.rule.probability(scores, [cell["sex"]] * len(scores))
        assert np.allclose(np.interp(scores, x, y)[away], expected[away], atol=1e-12)
        assert {x[0], x[-1]} == {0.0, 1.0}
    assert texts(ax.get_legend().get_texts()) == ["sex=F", "sex=M"]
    assert ax.get_xlabel().startswith("score (probability")
    assert ("low is favourable" in ax.get_xlabel()) == (favorable == "low")
    assert ax.get_ylabel() == "probability of a positive decision"


def test_rules_of_scores_without_ends_are_shown_where_they_change(people: People) -> None:
    logit = np.log((people.score + 0.01) / (1.01 - people.score))
    fit = evenhand.fit(logit, people.sex, criterion="statistical-parity", scale="logit")
    low, high = evenhand.plot_rule(fit.rule).get_xlim()
    changes = [score for one in fit.rule.thresholds for score, _ in one["steps"]]
    assert low < min(changes) <= max(changes) < high


def test_a_rule_without_groups_has_no_legend(people: People) -> None:
    fit = evenhand.fit(people.score, require="rate <= 0.2")
    ax = evenhand.plot_rule(fit)
    assert ax.get_legend() is None
    assert len(ax.get_lines()) == 1


def test_lines_differ_in_style_as_well_as_colour(people: People) -> None:
    groups = np.arange(len(people.score)) % 12
    fit = evenhand.fit(people.score, {"g": groups}, criterion="statistical-parity", tolerance=0.1)
    ax = evenhand.plot_rule(fit)
    looks = {(line.get_color(), str(line._unscaled_dash_pattern)) for line in ax.get_lines()}
    assert len(looks) == 12
    assert len(COLOURS) * len(STYLES) == 35
    ax.figure.canvas.draw()


def test_an_axes_that_is_given_is_used(people: People) -> None:
    _, axes = pyplot.subplots(1, 3)
    fit = parity(people)
    frontier = evenhand.frontier(people.score, people.sex, criterion="statistical-parity")
    assert evenhand.plot_rule(fit, ax=axes[0]) is axes[0]
    assert evenhand.plot_frontier(frontier, ax=axes[1]) is axes[1]
    assert evenhand.plot_audit(fit.after, ax=axes[2]) is axes[2]
    assert len(pyplot.get_fignums()) == 1


def test_a_classifier_shows_its_rule(people: People) -> None:
    model = evenhand.FairThresholdClassifier(LogisticRegression(), criterion="statistical-parity")
    model.fit(people.score.reshape(-1, 1), people.label, sensitive_features=people.sex)
    assert len(evenhand.plot_rule(model).get_lines()) == 2


# --- Frontiers.


def test_a_frontier_shows_its_points(people: People) -> None:
    frontier = evenhand.frontier(
        people.score, people.sex, criterion="statistical-parity", label=people.label
    )
    for value in ("accuracy", "cost", "lottery_share"):
        ax = evenhand.plot_frontier(frontier, value=value)
        x, y = ax.get_lines()[0].get_data()
        assert list(x) == [point["tolerance"] for point in frontier]
        assert list(y) == [point[value] for point in frontier]
        assert ax.get_xlabel() == "tolerance"
        assert ax.get_ylabel() == value.replace("_", " ")
        assert ax.get_legend() is None


def test_frontiers_share_a_picture(people: People) -> None:
    ax = None
    for criterion in ("statistical-parity", "equal-opportunity"):
        frontier = evenhand.frontier(
            people.score, people.sex, criterion=criterion, label=people.label, at=[0, 0.1]
        )
        ax = evenhand.plot_frontier(frontier, ax, label=f"_{criterion} $1$")
    assert ax is not None
    names = texts(ax.get_legend().get_texts())
    assert names == ["_statistical-parity $1$", "_equal-opportunity $1$"]
    colours = {line.get_color() for line in ax.get_lines()}
    assert len(colours) == 2


def test_ratios_and_expected_accuracy_are_named(people: People) -> None:
    frontier = evenhand.frontier(people.score, people.sex, criterion="four-fifths")
    ax = evenhand.plot_frontier(frontier)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("ratio", "expected accuracy")


# --- Audits.


@pytest.mark.parametrize(
    "rate", ["selection_rate", "true_positive_rate", "false_positive_rate", "accuracy", "cost"]
)
def test_an_audit_shows_rates_and_intervals(people: People, rate: str) -> None:
    fit = parity(people)
    ax = evenhand.plot_audit(fit.after, rate=rate)
    before, after = ax.containers
    for drawn, audit in ((before, fit.before), (after, fit.after)):
        groups = audit.strata[0]["groups"]
        assert list(drawn.lines[0].get_xdata()) == [group[rate] for group in groups]
        if f"{rate}_interval" in groups[0]:
            ends = [segment[:, 0] for segment in drawn.lines[2][0].get_segments()]
            assert np.allclose(ends, [group[f"{rate}_interval"] for group in groups])
    assert texts(ax.get_legend().get_texts()) == ["before", "after"]
    assert texts(ax.get_yticklabels()) == ["sex=F", "sex=M"]
    assert ax.get_xlabel() == rate.replace("_", " ")
    ax.figure.canvas.draw()


def test_an_audit_of_scores_alone_has_one_side(people: People) -> None:
    audit = evenhand.audit(people.score, {"sex": people.sex}, within={"race": people.race})
    ax = evenhand.plot_audit(audit)
    assert len(ax.containers) == 1
    assert ax.get_legend() is None
    assert len(ax.get_yticklabels()) == 6
    assert evenhand.plot_audit(audit, rate="accuracy").get_xlabel() == "expected accuracy"


def test_a_rate_that_a_group_cannot_have_is_said() -> None:
    audit = evenhand.audit([0.2, 0.7, 0.8], {"g": ["a", "b", "b"]}, label=[0, 1, 0])
    ax = evenhand.plot_audit(audit, rate="true_positive_rate")
    assert texts(ax.texts) == ["no such rows"]
    ax.figure.canvas.draw()


# --- Names, and what is wrong.


def test_names_are_shown_as_they_are() -> None:
    groups = np.repeat(HOSTILE, 4)
    score = np.tile([0.1, 0.4, 0.6, 0.9], len(HOSTILE))
    fit = evenhand.fit(score, {"_$g$": groups}, criterion="statistical-parity")
    rule, audit = evenhand.plot_rule(fit), evenhand.plot_audit(fit.after)
    for ax in (rule, audit):
        ax.figure.canvas.draw()
    for found in (rule.get_legend().get_texts(), audit.get_yticklabels()):
        shown = texts(found)
        assert len(shown) == len(HOSTILE)
        assert "_$g$=$x$" in shown
        assert "_$g$=_hidden" in shown
        assert all(text.isprintable() and len(text) <= 48 for text in shown)
        assert not any(text.get_parse_math() or text.get_usetex() for text in found)


def test_other_things_are_refused(people: People) -> None:
    fit = parity(people)
    frontier = evenhand.frontier(people.score, people.sex, criterion="statistical-parity")
    with pytest.raises(TypeError, match="rule must be a Rule or a Fit, not str"):
        evenhand.plot_rule("rule.json")
    with pytest.raises(TypeError, match="frontier must be a Frontier, not Fit"):
        evenhand.plot_frontier(fit)
    with pytest.raises(TypeError, match="audit must be an Audit, not Fit"):
        evenhand.plot_audit(fit)
    with pytest.raises(ValueError, match="there is no rate 'tpr': use one of selection_rate"):
        evenhand.plot_audit(fit.after, rate="tpr")
    with pytest.raises(ValueError, match="there is no value 'fun': use one of tolerance"):
        evenhand.plot_frontier(frontier, value="fun")
    assert not pyplot.get_fignums()


def test_without_matplotlib_it_says_what_to_install(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return original(name, *rest, **named)

    fit = parity(people)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="pip install 'evenhand\\[plot\\]'"):
        evenhand.plot_rule(fit)
