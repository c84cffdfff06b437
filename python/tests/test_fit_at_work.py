"""A fit decides, audits, draws and loads; rules are values."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from conftest import People
from matplotlib import pyplot

import evenhand

mpl.use("Agg")


def test_a_fit_does_what_its_rule_does(people: People, tmp_path: Path) -> None:
    fit = evenhand.fit(
        people.score, {"sex": people.sex}, label=people.label, criterion="statistical-parity"
    )
    decided = fit.decide(people.score, people.sex, seed=1)
    assert np.array_equal(decided, fit.rule.decide(people.score, people.sex, seed=1))
    assert np.array_equal(
        fit.probability(people.score, people.sex), fit.rule.probability(people.score, people.sex)
    )
    audit = fit.audit(people.score, {"sex": people.sex}, label=people.label)
    assert audit.accuracy == fit.after.accuracy
    fit.save(tmp_path / "rule.json")
    assert fit.load(tmp_path / "rule.json") == fit.rule
    assert [tick.get_text() for tick in fit.plot().get_yticklabels()] == ["sex=F", "sex=M"]
    pyplot.close("all")


def test_rules_that_decide_alike_are_one_member_of_a_set(people: People) -> None:
    fits = [
        evenhand.fit(people.score, people.sex, criterion="statistical-parity", tolerance=tolerance)
        for tolerance in (0.0, 0.0, 0.5)
    ]
    assert len({fit.rule for fit in fits}) == 2
    again = evenhand.Rule.from_json(fits[0].rule.to_json())
    assert hash(again) == hash(fits[0].rule)


def test_one_person(people: People) -> None:
    rule = evenhand.fit(
        people.score, {"sex": people.sex}, criterion="statistical-parity", gamma=0.3
    ).rule
    for score, sex, who in ((0.3, "F", "ann"), (0.5, "M", "bob"), (0.7, "F", "eve")):
        probability = rule.probability(score, sex=sex)
        assert isinstance(probability, float)
        assert probability == rule.probability([score], [sex])[0]
        decided = rule.decide(score, sex=sex, id=who, key="k")
        assert isinstance(decided, int)
        assert decided == rule.decide([score], [sex], id=[who], key="k")[0]
    assert rule.probability(0.9, sex="X", unseen="reject") == 0
    with pytest.raises(IndexError, match="never seen the cell sex=X"):
        rule.probability(0.9, sex="X")
    with pytest.raises(ValueError, match="there is no 'race'"):
        rule.probability(0.9, sex="F", race="B")
    with pytest.raises(TypeError, match="are one person's: give one score"):
        rule.probability([0.1, 0.9], sex="F")
    with pytest.raises(TypeError, match="give no columns beside them"):
        rule.probability(0.9, ["F"], sex="F")
    with pytest.raises(ValueError, match="'sex' is missing"):
        rule.probability(0.9)
    with pytest.raises(TypeError, match="give attributes by name"):
        rule.probability(0.9, "F")


def test_one_person_whose_group_nobody_asks_for(people: People) -> None:
    rule = evenhand.fit(
        people.score, people.sex, criterion="statistical-parity", tolerance=0.02, blind=True
    ).rule
    for score in (0.05, 0.5, np.float32(0.95), 1):
        assert rule.probability(score) == rule.probability([score])[0]
        assert rule.decide(score, id="ann", key="k") == rule.decide([score], id=["ann"], key="k")[0]
    with pytest.raises(ValueError, match="there is no 'sex'"):
        rule.probability(0.9, sex="F")


def test_one_person_of_soft_groups(people: People) -> None:
    belong = np.linspace(0, 1, len(people.score))
    rule = evenhand.fit_soft(people.score, {"p_f": belong}, within={"race": people.race}).rule
    for score, p_f, race in ((0.3, 0.2, "a"), (0.6, 0.9, "b")):
        alone = rule.probability(score, p_f=p_f, race=race)
        assert isinstance(alone, float)
        assert alone == rule.probability([score], [p_f], within=[race])[0]
        decided = rule.decide(score, p_f=p_f, race=race, id="ann", key="k")
        assert decided == rule.decide([score], [p_f], within=[race], id=["ann"], key="k")[0]
    with pytest.raises(ValueError, match="'race' is missing"):
        rule.probability(0.3, p_f=0.2)
    with pytest.raises(ValueError, match="there is no 'p_m'"):
        rule.probability(0.3, p_m=0.2, race="a")
