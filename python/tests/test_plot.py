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
from matplotlib.colors import to_rgba
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import evenhand
from evenhand.plot.rules import COIN, NO, YES

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


def colour_at(ax: Any, row: int, score: float) -> Any:
    """The colour of the strip of a cell at a score."""
    place = ax.get_yticks()[row]
    found = [
        bar.get_facecolor()
        for bar in ax.patches
        if bar.get_x() <= score < bar.get_x() + bar.get_width()
        and bar.get_y() < place < bar.get_y() + bar.get_height()
    ]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("gamma", [0.0, 0.2])
@pytest.mark.parametrize("favorable", ["high", "low"])
def test_a_strip_is_the_rule(people: People, gamma: float, favorable: str) -> None:
    fit = parity(people, gamma=gamma, favorable=favorable, criterion="equalized-odds")
    ax = evenhand.plot_rule(fit)
    low, high = ax.get_xlim()
    scores = np.linspace(low, high, 200)[1:-1]
    changes = [at for one in fit.rule.thresholds for at, _ in one.get("steps", one.get("ramp"))]
    for row, cell in enumerate(fit.rule.cells):
        expected = fit.rule.probability(scores, [cell["sex"]] * len(scores))
        for score, probability in zip(scores, expected, strict=True):
            if np.abs(np.array(changes) - score).min() < 1e-6:
                continue
            colour = colour_at(ax, row, score)
            if probability in (0.0, 1.0):
                assert colour == to_rgba(YES if probability else NO)
            else:
                assert colour[:3] == to_rgba(COIN)[:3]
                assert colour[3] == pytest.approx(0.25 + 0.75 * probability, abs=0.02)
    assert texts(ax.get_yticklabels()) == ["sex=F", "sex=M"]
    assert texts(ax.get_legend().get_texts()) == ["no", "coin", "yes"]
    assert ax.get_title(loc="left") == "equalized-odds"
    assert ax.get_xlabel().startswith("score (probability")
    assert ("low is favourable" in ax.get_xlabel()) == (favorable == "low")


def test_strata_are_set_apart(people: People) -> None:
    fit = evenhand.fit(
        people.score, {"sex": people.sex}, within={"race": people.race},
        criterion="statistical-parity",
    )  # fmt: skip
    for ax in (evenhand.plot_rule(fit), evenhand.plot_audit(fit)):
        gaps = np.diff(ax.get_yticks())
        assert gaps.tolist() == [1.0, 1.5, 1.0, 1.5, 1.0]
        races = [text.partition("race=")[2] for text in texts(ax.get_yticklabels())]
        assert races == sorted(races)


def test_rules_of_scores_without_ends_are_shown_where_they_change(people: People) -> None:
    logit = np.log((people.score + 0.01) / (1.01 - people.score))
    fit = evenhand.fit(logit, people.sex, criterion="statistical-parity", scale="logit")
    low, high = evenhand.plot_rule(fit.rule).get_xlim()
    changes = [score for one in fit.rule.thresholds for score, _ in one["steps"]]
    assert low < min(changes) <= max(changes) < high


def test_a_rule_without_groups_has_one_strip(people: People) -> None:
    fit = evenhand.fit(people.score, require="rate <= 0.2")
    assert texts(evenhand.plot_rule(fit).get_yticklabels()) == ["everybody"]


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
    assert texts(evenhand.plot_rule(model).get_yticklabels()) == ["sensitive=F", "sensitive=M"]


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


def test_the_chosen_point_is_marked(people: People) -> None:
    frontier = evenhand.frontier(people.score, people.sex, criterion="statistical-parity")
    ax = evenhand.plot_frontier(frontier, chosen=0.05)
    x, y = ax.get_lines()[-1].get_data()
    assert (x[0], y[0]) == next(
        (one["tolerance"], one["accuracy"]) for one in frontier if one["tolerance"] == 0.05
    )
    assert texts(ax.texts) == ["chosen: 0.05"]


# --- Audits.


def test_the_rate_of_the_criterion_and_its_tolerance_are_shown(people: People) -> None:
    fit = parity(people, criterion="equal-opportunity", tolerance=0.05)
    ax = evenhand.plot_audit(fit)
    assert ax.get_xlabel() == "true positive rate"
    assert ax.get_title(loc="left") == "equal-opportunity, tolerance 0.05"
    (band,) = [one for one in ax.collections if one.get_alpha() == 0.12]
    left, right = band.get_paths()[0].get_extents().intervalx
    rates = [group["true_positive_rate"] for group in fit.after.groups]
    assert right - left == pytest.approx(0.05)
    assert left - 1e-9 <= min(rates) <= max(rates) <= right + 1e-9


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


# --- Scores.


def test_a_roc_curve_has_the_area_that_scikit_learn_finds(people: People) -> None:
    tally = evenhand.Tally(people.score, {"sex": people.sex}, label=people.label)
    _, *lines = evenhand.plot_roc(tally).get_lines()
    for line, sex in zip(lines, ["F", "M"], strict=True):
        own = people.sex == sex
        expected = roc_auc_score(people.label[own], people.score[own])
        assert np.trapezoid(line.get_ydata(), line.get_xdata()) == pytest.approx(expected)


def test_reliability_counts_everybody_once(people: People) -> None:
    fit = parity(people)
    _, *lines = evenhand.plot_reliability(fit, bins=1).get_lines()
    for line, sex in zip(lines, ["F", "M"], strict=True):
        own = people.sex == sex
        assert line.get_xdata() == pytest.approx([people.score[own].mean()])
        assert line.get_ydata() == pytest.approx([people.label[own].mean()])


# --- Names, and what is wrong.


def test_names_are_shown_as_they_are() -> None:
    groups = np.repeat(HOSTILE, 4)
    score = np.tile([0.1, 0.4, 0.6, 0.9], len(HOSTILE))
    fit = evenhand.fit(score, {"_$g$": groups}, criterion="statistical-parity")
    rule, audit = evenhand.plot_rule(fit), evenhand.plot_audit(fit.after)
    for ax in (rule, audit):
        ax.figure.canvas.draw()
    for found in (rule.get_yticklabels(), audit.get_yticklabels()):
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
    with pytest.raises(TypeError, match="audit must be an Audit or a Fit, not Rule"):
        evenhand.plot_audit(fit.rule)
    with pytest.raises(TypeError, match="tally must be a Tally or a Fit, not Rule"):
        evenhand.plot_roc(fit.rule)
    with pytest.raises(ValueError, match="there are no labels"):
        evenhand.plot_roc(evenhand.Tally(people.score, people.sex))
    raw = evenhand.Tally(people.score, people.sex, label=people.label, scale="raw")
    with pytest.raises(ValueError, match="needs probabilities, not the scale raw"):
        evenhand.plot_reliability(raw)
    with pytest.raises(ValueError, match="the frontier has no tolerance 0.03: chosen is one of 0"):
        evenhand.plot_frontier(frontier, chosen=0.03)
    pyplot.close("all")
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
