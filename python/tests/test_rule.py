"""Rules: deciding, explaining, and their files."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import People

import evenhand
from evenhand import Rule


@pytest.fixture(scope="module")
def rule(people: People) -> Rule:
    found: Rule = evenhand.fit(
        people.score,
        {"sex": people.sex},
        within={"race": people.race},
        criterion="statistical-parity",
        gamma=0.2,
    ).rule
    return found


def test_attributes_by_position_by_name_and_from_a_frame(rule: Rule, people: People) -> None:
    expected = rule.probability(people.score, people.sex, people.race)
    sex, race = pd.Series(people.sex, name="sex"), pd.Series(people.race, name="race")
    frame = pd.DataFrame(people.columns())
    for found in (
        rule.probability(people.score, {"sex": people.sex, "race": people.race}),
        rule.probability(
            people.score, {"race": people.race, "sex": people.sex, "other": people.sex}
        ),
        rule.probability(people.score, sex, race),
        rule.probability(people.score, [race, sex]),
        rule.probability(people.score, frame[["race", "sex"]]),
        rule.probability(people.score, pl.from_pandas(frame)),
        rule.probability(people.score, np.column_stack([people.sex, people.race])),
        rule.probability("score", data=frame),
        rule.probability("score", "sex", "race", data=frame),
    ):
        assert np.array_equal(found, expected)
    assert expected.dtype == np.float64
    assert 0 < np.mean((expected > 0) & (expected < 1)) < 1


def test_a_series_of_another_name_is_another_column(rule: Rule, people: People) -> None:
    expected = rule.probability(people.score, people.sex, people.race)
    for name in (None, "sensitive", "sensitive_1", "sex"):
        groups = pd.Series(people.sex, name=name)
        assert np.array_equal(rule.probability(people.score, groups, people.race), expected)
    gender = pd.Series(people.sex, name="gender")
    for groups in (gender, pl.Series("gender", people.sex), [gender, people.race]):
        within = None if isinstance(groups, list) else people.race
        with pytest.raises(ValueError, match="'gender' is given where the rule expects 'sex'"):
            rule.probability(people.score, groups, within)
        with pytest.raises(ValueError, match="'gender' is given where the rule expects 'sex'"):
            rule.decide(people.score, groups, within, seed=1)
    with pytest.raises(ValueError, match="'sex', .*'gender'"):
        evenhand.audit(people.score, gender, within={"race": people.race}, rule=rule)
    unnamed = evenhand.fit(people.score, people.sex, criterion="equal-rates").rule
    assert len(unnamed.probability(people.score, gender)) == len(people.score)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"sex": ["F"]}, "needs the attribute 'race'"),
        (["F"], "needs 2 attributes"),
        (
            [pd.Series(["a"], name="race"), pd.Series(["F"], name="x")],
            "'race' is given where .*'sex'",
        ),
    ],
)
def test_attributes_that_do_not_fit(rule: Rule, groups: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rule.probability([0.5], groups)


def test_unseen_cells(rule: Rule) -> None:
    groups = {"sex": ["F", "X"], "race": ["a", "a"]}
    with pytest.raises(IndexError, match=r"never seen the cell sex=X, race=a .*row 1"):
        rule.probability([0.9, 0.9], groups)
    assert rule.probability([0.9, 0.9], groups, unseen="score").tolist()[1] == 1
    assert rule.probability([0.9, 0.9], groups, unseen="reject").tolist()[1] == 0
    with pytest.raises(ValueError, match="no unseen 'x': choose error, score or reject"):
        rule.probability([0.9, 0.9], groups, unseen="x")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, ValueError, "say how coins fall"),
        ({"id": ["a"]}, ValueError, "belong together"),
        ({"key": b"k"}, ValueError, "belong together"),
        ({"id": ["a"], "key": b"k", "seed": 1}, ValueError, "not both"),
        ({"id": ["a"], "key": b""}, ValueError, "empty"),
        ({"id": ["a"], "key": 3}, TypeError, "bytes or a text"),
        ({"id": [None], "key": "k"}, ValueError, "id has a missing value"),
        ({"id": [""], "key": "k"}, ValueError, "row 0: the id is missing"),
        ({"id": ["a", "b"], "key": "k"}, ValueError, "id has 2"),
        ({"seed": -1}, ValueError, "from 0"),
        ({"seed": 1.5}, TypeError, "whole number"),
        ({"seed": True}, TypeError, "whole number"),
    ],
    ids=str,
)
def test_coins_that_are_wrong(
    rule: Rule, people: People, options: dict[str, Any], error: Any, message: str
) -> None:
    q = rule.probability(people.score, people.sex, people.race)
    row = int(np.flatnonzero((q > 0) & (q < 1))[0])
    with pytest.raises(error, match=message):
        rule.decide(people.score[row : row + 1], people.sex[[row]], people.race[[row]], **options)


def test_coins_stay_with_people(rule: Rule, people: People) -> None:
    rows = len(people.score)
    ids = np.arange(rows)
    decided = rule.decide(people.score, people.sex, people.race, id=ids, key=b"k")
    order = np.random.default_rng(0).permutation(rows)
    again = rule.decide(
        people.score[order], people.sex[order], people.race[order], id=ids[order], key="k"
    )
    assert np.array_equal(again, decided[order])
    texts = rule.decide(
        people.score, people.sex, people.race, id=[str(i) for i in ids], key=bytearray(b"k")
    )
    assert np.array_equal(texts, decided)
    other = rule.decide(people.score, people.sex, people.race, id=ids, key=b"another")
    assert not np.array_equal(other, decided)
    q = rule.probability(people.score, people.sex, people.race)
    assert decided.mean() == pytest.approx(q.mean(), abs=0.06)


IDS = [f"person {i}" for i in range(50)] + ["a much longer id, with ü in it"] * 2


@pytest.mark.parametrize(
    "ids",
    [
        IDS,
        np.array(IDS),
        np.array(IDS, object),
        np.array([i.encode() for i in IDS]),
        pd.Series(IDS),
        pd.Series(IDS, dtype="string"),
        pd.Series(IDS, dtype="category"),
        pl.Series(IDS),
        pl.Series(IDS, dtype=pl.Categorical),
        pa.array(IDS, pa.string_view()),
        pa.chunked_array([IDS[:7], IDS[7:]]),
        pa.array(IDS).dictionary_encode(),
    ],
    ids=lambda ids: f"{type(ids).__module__}.{type(ids).__name__}",
)
def test_ids_of_every_library(ids: Any) -> None:
    half = np.full(52, 0.5)
    rule = evenhand.fit(half, ["a", "b"] * 26, criterion="equal-rates", rho=0.5).rule
    expected = rule.decide(half, ["a", "b"] * 26, id=list(IDS), key="k")
    assert 0 < expected.sum() < 52
    assert np.array_equal(rule.decide(half, ["a", "b"] * 26, id=ids, key="k"), expected)


@pytest.mark.parametrize(
    "ids",
    [[1, None], pd.Series([1, None], dtype="Int64"), pl.Series([1, None]), pa.array(["a", None])],
)
def test_ids_that_are_missing(rule: Rule, ids: Any) -> None:
    with pytest.raises(ValueError, match="id has a missing value, in row 1"):
        rule.decide([0.5, 0.5], {"sex": ["F", "F"], "race": ["a", "a"]}, id=ids, key="k")


def test_a_whole_population_by_lot(people: People) -> None:
    fit = evenhand.fit(np.full(400, 0.5), ["a", "b"] * 200, criterion="equal-rates", rho=0.3)
    decided = fit.rule.decide(np.full(400, 0.5), ["a", "b"] * 200, seed=2**64 - 1)
    assert decided.dtype == np.uint8
    assert decided.mean() == pytest.approx(0.3, abs=0.1)


def test_scores_that_are_wrong(rule: Rule) -> None:
    with pytest.raises(ValueError, match="row 1: the score 2 is not valid"):
        rule.probability([0.5, 2.0], {"sex": ["F", "F"], "race": ["a", "a"]})
    with pytest.raises(ValueError, match="score has a missing value, in row 1"):
        rule.probability([0.5, np.nan], {"sex": ["F", "F"], "race": ["a", "a"]})
    with pytest.raises(ValueError, match="score is missing"):
        rule.probability(sensitive={"sex": ["F"], "race": ["a"]})
    with pytest.raises(ValueError, match="score has 1 rows, sex has 2"):
        rule.probability([0.5], {"sex": ["F", "M"], "race": ["a", "a"]})


def test_explanations(people: People) -> None:
    rule = evenhand.fit(people.score, {"sex": people.sex}, criterion="equal-rates", rho=0.3).rule
    assert rule.explain() == rule.describe()
    assert len(rule.describe().splitlines()) == 2
    sure = rule.explain(0.99, sex="F")
    assert (sure.probability, sure.chance, sure.cell) == (1.0, "yes", {"sex": "F"})
    assert rule.explain(sure.threshold, sex="F").probability == 1
    assert rule.explain(0.01, {"sex": "M"}).chance == "no"
    assert "sex=F" in str(sure)
    lots = [
        rule.explain(score, sex=sex)
        for sex in ("F", "M")
        for response in rule.thresholds
        if response["cell"]["sex"] == sex
        for score, q in response["steps"]
        if 0 < q < 1
    ]
    assert lots
    assert all("cases" in lot.chance and 0 < lot.probability < 1 for lot in lots)
    with pytest.raises(IndexError, match="no cell"):
        rule.explain(0.5, sex="X")
    with pytest.raises(ValueError, match="no 'gender'"):
        rule.explain(0.5, gender="F")
    with pytest.raises(ValueError, match="'sex' is missing"):
        rule.explain(0.5)
    with pytest.raises(ValueError, match="score too"):
        rule.explain(sex="F")
    with pytest.raises(ValueError, match="score"):
        rule.explain(7, sex="F")
    with pytest.raises(TypeError, match="values is a dict"):
        rule.explain(0.5, ["F"])  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="give one score"):
        rule.explain([0.5, 0.6], sex=["F", "M"])  # type: ignore[call-overload]


def test_low_scores_may_be_favourable(people: People) -> None:
    fit = evenhand.fit(
        people.score, {"sex": people.sex}, criterion="statistical-parity", favorable="low"
    )
    assert fit.rule.favorable == "low"
    why = fit.rule.explain(0.01, sex="F")
    assert why.probability == 1
    assert 0.01 < why.threshold < 1


def test_files_pickles_and_equality(rule: Rule, tmp_path: Path) -> None:
    rule.save(tmp_path / "rule.json")
    assert Rule.load(tmp_path / "rule.json") == rule == evenhand.load(tmp_path / "rule.json")
    for other in (
        pickle.loads(pickle.dumps(rule)),
        copy.deepcopy(rule),
        copy.copy(rule),
        Rule.from_json(rule.to_json()),
    ):
        assert other == rule
        assert other.to_json() == rule.to_json()
    assert rule != "a rule"
    assert Rule.from_json(rule._core.to_json("")).record == {}
    assert hash(other) == hash(rule)


def test_a_file_keeps_its_record(people: People, tmp_path: Path) -> None:
    fit = evenhand.fit(people.score, people.sex, criterion="statistical-parity")
    fit.save(tmp_path / "rule.json")
    loaded = Rule.load(tmp_path / "rule.json")
    assert loaded.record == fit.to_dict()
    loaded.save(tmp_path / "again.json")
    assert Rule.load(tmp_path / "again.json").record == fit.to_dict()


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[" * 100000, b"\xff", b'{"evenhand": 2, "rule": {}}'], ids=len
)
def test_files_that_are_no_rules(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "rule.json"
    path.write_bytes(content)
    for read in (Rule.load, evenhand.load):
        with pytest.raises(ValueError, match="rule.json: "):
            read(path)


def test_a_failed_write_leaves_the_old_file(rule: Rule, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        rule.save(tmp_path / "nowhere" / "rule.json")
    rule.save(tmp_path / "rule.json")
    assert [path.name for path in tmp_path.iterdir()] == ["rule.json"]


def test_a_rule_straight_from_its_fit_knows_how_it_was_found() -> None:
    score = np.linspace(0.05, 0.95, 40)
    group = np.array(["a", "b"] * 20)
    label = (score > 0.4).astype(int)
    options = {"cost_fn": 4.0, "base_threshold": 0.3}
    fit = evenhand.fit(score, group, label=label, criterion="equal-opportunity", **options)
    assert fit.rule.record == fit.to_dict()
    assert fit.rule.to_json() == fit.to_json()
    direct = evenhand.audit(score, group, label=label, rule=fit.rule)
    loaded = evenhand.audit(score, group, label=label, rule=evenhand.Rule.from_json(fit.to_json()))
    assert direct.to_dict() == loaded.to_dict()
    assert direct.overall["cost"] == fit.after.overall["cost"]


@pytest.mark.parametrize("kind", [Rule, evenhand.SoftRule])
def test_rules_are_not_made_by_hand(kind: type[Rule]) -> None:
    with pytest.raises(TypeError, match="evenhand.fit"):
        kind()
    for text in (b"{}", {}, None):
        with pytest.raises(TypeError, match="rule's file must be a text"):
            kind.from_json(text)  # type: ignore[arg-type]


def test_notebooks_show_names_as_text(people: People) -> None:
    groups = {"<b>": ["<i>", "x"]}
    fit = evenhand.fit([0.2, 0.8], groups, label=[0, 1], criterion="statistical-parity")
    soft = evenhand.fit_soft([0.2, 0.8], soft={"<b>": [0.5, 0.9]})
    calibrator = evenhand.calibrate([0.2, 0.8], groups, label=[0, 1])
    for shown in (fit, fit.rule, fit.tally, soft, soft.rule, calibrator, fit.after):
        text = shown._repr_html_()  # type: ignore[attr-defined]
        assert text.startswith("<")
        assert "<b>" not in text
        assert "<i>" not in text


def test_a_blind_rule_needs_no_column_of_a_frame_but_the_score() -> None:
    data = {"score": np.array([0.2, 0.4, 0.6, 0.8]), "sex": np.array(["F", "M", "F", "M"])}
    fit = evenhand.fit("score", "sex", criterion="statistical-parity", blind=True, data=data)
    by_name = fit.rule.probability("score", data=data)
    assert by_name.tolist() == fit.rule.probability(data["score"]).tolist()
