"""Missing values: refused, left out or named, as by the tool's ``--null``."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import People

import evenhand
from evenhand import Tally

Tool = Callable[..., str]
Table = dict[str, list[Any]]


@pytest.fixture(scope="module")
def holes(people: People) -> Table:
    """Rows that miss a value here and there."""
    rng = np.random.default_rng(3)
    return {
        name: [None if hole else value for value, hole in zip(column.tolist(), where, strict=True)]
        for name, column in people.columns().items()
        for where in [rng.random(len(people.score)) < 0.05]
    }


@pytest.fixture(scope="module")
def unnamed(people: People, holes: Table) -> Table:
    """Rows that miss attributes only."""
    return {**people.columns(), "sex": holes["sex"], "race": holes["race"]}


def complete(table: Table, *names: str) -> Table:
    frame = pd.DataFrame(table).dropna(subset=list(names))
    return {name: frame[name].tolist() for name in names}


def test_rows_are_left_out(holes: Table) -> None:
    used = ("score", "sex", "race", "label", "weight")
    options: dict[str, Any] = {"within": "race", "label": "label", "weight": "weight"}
    tally = Tally("score", "sex", data=holes, null="exclude", **options)
    rest = complete(holes, *used)
    assert tally == Tally("score", "sex", data=rest, **options)
    assert tally.excluded == len(holes["score"]) - len(rest["score"]) > 0
    assert Tally("score", "sex", data=rest, null="exclude", **options).excluded == 0


def test_only_columns_in_use_count(holes: Table) -> None:
    tally = Tally("score", data=holes, null="exclude")
    assert tally.excluded == sum(value is None for value in holes["score"])


def test_missing_groups_get_a_name(unnamed: Table) -> None:
    tally = Tally("score", ["sex", "race"], data=unnamed, null="unknown")
    named = {
        name: ["unknown" if value is None else value for value in unnamed[name]]
        for name in ("sex", "race")
    }
    assert tally == Tally(unnamed["score"], named)
    assert tally.excluded == 0
    assert {"sex": "unknown", "race": "unknown"} in tally.cells


def test_the_name_of_a_group_that_is_there() -> None:
    tally = Tally([0.1, 0.2, 0.3], ["F", None, "M"], null="F")
    assert tally == Tally([0.1, 0.2, 0.3], ["F", "F", "M"])


@pytest.mark.parametrize("column", ["score", "label", "weight"])
def test_missing_numbers_have_no_name(holes: Table, people: People, column: str) -> None:
    table = {**people.columns(), column: holes[column]}
    with pytest.raises(ValueError, match=f"{column} has .* missing values"):
        Tally("score", "sex", label="label", weight="weight", data=table, null="unknown")


@pytest.mark.parametrize(
    "column",
    [
        ["a", None, "b"],
        np.array(["a", None, "b"], dtype=object),
        pd.Series(["a", None, "b"]),
        pd.Series(["a", None, "b"], dtype="string"),
        pd.Series(["a", None, "b"], dtype="category"),
        pl.Series(["a", None, "b"]),
        pl.Series(["a", None, "b"], dtype=pl.Categorical),
        pa.array(["a", None, "b"]),
        pa.chunked_array([["a"], [None, "b"]]),
        pa.array(["a", None, "b"]).dictionary_encode(),
        np.ma.masked_array(["a", "a", "b"], mask=[False, True, False]),
    ],
    ids=lambda column: f"{type(column).__module__}-{getattr(column, 'dtype', '')}",
)
def test_columns_of_every_library(column: Any) -> None:
    assert Tally([0.1, 0.2, 0.3], column, null="exclude") == Tally([0.1, 0.3], ["a", "b"])
    assert Tally([0.1, 0.2, 0.3], column, null="c") == Tally([0.1, 0.2, 0.3], ["a", "c", "b"])


@pytest.mark.parametrize(
    "score",
    [
        [0.1, None, 0.3],
        np.array([0.1, np.nan, 0.3]),
        pd.Series([0.1, None, 0.3], dtype="Float64"),
        pl.Series([0.1, None, 0.3]),
        pa.array([0.1, None, 0.3]),
    ],
)
def test_scores_of_every_library(score: Any) -> None:
    tally = Tally(score, ["a", "a", "b"], null="exclude")
    assert tally == Tally([0.1, 0.3], ["a", "b"])
    assert tally.excluded == 1


def test_single_precision_stays_as_it_is() -> None:
    score = np.array([0.1, np.nan, 0.3], dtype=np.float32)
    assert Tally(score, null="exclude") == Tally(score[[0, 2]])


def test_every_column_is_counted() -> None:
    columns: dict[str, Any] = {"score": [0.1, None, None], "label": [None, 1, 0]}
    with pytest.raises(ValueError, match="null='exclude'") as error:
        evenhand.fit(**columns, sensitive=["a", "b", None], criterion="equal-rates")
    assert "score has 2 missing values, the first in row 1" in str(error.value)
    assert "label has a missing value, in row 0" in str(error.value)
    assert "sensitive has a missing value, in row 2" in str(error.value)
    assert "null='unknown'" in str(error.value)
    with pytest.raises(ValueError, match="null=") as error:
        evenhand.fit(**columns, sensitive=["a", "b", None], criterion="equal-rates", null="other")
    assert "sensitive" not in str(error.value)


def test_nothing_is_left() -> None:
    with pytest.raises(ValueError, match="no rows without missing values"):
        Tally([None, None], ["a", "b"], null="exclude")


@pytest.mark.parametrize(("null", "error"), [("", ValueError), (None, TypeError), (3, TypeError)])
def test_policies_that_make_no_sense(null: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="null"):
        Tally([0.1], ["a"], null=null)


def test_a_tally_has_no_missing_values() -> None:
    tally = Tally([0.1, 0.3], ["a", "b"])
    with pytest.raises(ValueError, match="null is about rows"):
        evenhand.fit(tally, criterion="statistical-parity", null="exclude")


def test_further_rows_are_treated_alike() -> None:
    tally = Tally([0.1, None], ["a", "b"], null="exclude").add([None, 0.3, 0.4], ["a", None, "b"])
    assert tally == Tally([0.1, 0.4], ["a", "b"])
    assert tally.excluded == 3
    assert tally.merge(tally, allow_repeated=True).excluded == 6
    named = Tally([0.1], [None], null="?").add([0.2], [None])
    assert named == Tally([0.1, 0.2], ["?", "?"])
    with pytest.raises(ValueError, match="sensitive has a missing value"):
        named.add([0.2], [None], null="error")


def test_files_and_pickles_keep_the_number(tmp_path: Path) -> None:
    tally = Tally([0.1, None, 0.5], ["a", "b", "b"], null="exclude")
    tally.save(tmp_path / "tally.parquet")
    for again in (Tally.load(tmp_path / "tally.parquet"), pickle.loads(pickle.dumps(tally))):
        assert again == tally
        assert again.excluded == 1
        assert evenhand.fit(again, criterion="statistical-parity").rule.null == "exclude"


# --- Rules.


@pytest.fixture(scope="module")
def fit(unnamed: Table) -> evenhand.Fit:
    return evenhand.fit("score", "sex", criterion="equal-rates", data=unnamed, null="unknown")


def test_a_rule_knows_the_name(fit: evenhand.Fit, tmp_path: Path) -> None:
    fit.save(tmp_path / "rule.json")
    rules = [
        fit.rule,
        pickle.loads(pickle.dumps(fit.rule)),
        evenhand.Rule.load(tmp_path / "rule.json"),
    ]
    for rule in rules:
        assert rule.null == "unknown"
        assert np.array_equal(
            rule.probability([0.4, 0.4], [None, "F"]),
            rule.probability([0.4, 0.4], ["unknown", "F"]),
        )
        assert np.array_equal(
            rule.decide([0.4, 0.4], [None, "F"], seed=1),
            rule.decide([0.4, 0.4], ["unknown", "F"], seed=1),
        )


def test_a_rule_that_knows_none(people: People) -> None:
    rule = evenhand.fit(people.score, people.sex, criterion="equal-rates").rule
    assert rule.null == "error"
    with pytest.raises(ValueError, match="sensitive has a missing value, in row 1"):
        rule.probability([0.4, 0.4], ["F", None])
    assert rule.probability([0.4], [None], null="F") == rule.probability([0.4], ["F"])
    # As by the tool: a cell that it has never seen.
    assert rule.probability([0.9, 0.1], [None, None], unseen="score").tolist() == [1, 0]
    assert rule.decide([0.9, 0.1], [None, None], unseen="reject", seed=0).tolist() == [0, 0]
    with pytest.raises(IndexError):
        rule.probability([0.4], [None], null="unknown")
    with pytest.raises(ValueError, match="missing value"):
        rule.probability([0.4], [None], null="exclude")
    with pytest.raises(ValueError, match="score has a missing value"):
        rule.probability([None], ["F"], null="F")


def test_audits_do_as_the_rule_says(fit: evenhand.Fit, unnamed: Table, holes: Table) -> None:
    named = evenhand.audit("score", "sex", data=unnamed, rule=fit.rule)
    assert [group["group"]["sex"] for group in named.groups] == ["F", "M", "unknown"]
    rest = evenhand.audit("score", "sex", data=holes, rule=fit.rule, null="exclude")
    assert rest.excluded == len(holes["sex"]) - len(complete(holes, "score", "sex")["sex"])
    assert rest.before is not None
    assert rest.before.excluded == rest.excluded
    with pytest.raises(ValueError, match="score has"):
        evenhand.audit("score", "sex", data=holes, rule=fit.rule)
    tally = Tally("score", "sex", data=unnamed, null="unknown")
    assert evenhand.audit(tally, rule=fit.rule).to_dict() == named.to_dict()


def test_calibrators(unnamed: Table) -> None:
    calibrator = evenhand.calibrate("score", "sex", label="label", data=unnamed, null="unknown")
    assert calibrator.probability([0.4], [None]) == calibrator.probability([0.4], ["unknown"])
    assert calibrator.probability([0.4], [None], null="F") == calibrator.probability([0.4], ["F"])
    rest = evenhand.calibrate("score", "sex", label="label", data=unnamed, null="exclude")
    with pytest.raises(ValueError, match="sex has a missing value"):
        rest.probability([0.4], [None])


def test_soft_attributes(tmp_path: Path) -> None:
    table = {"p": [0.1, 0.9, None, 0.4], "f": [0.2, 0.8, 0.1, None]}
    options: dict[str, Any] = {"soft": ["f"], "data": table}
    fit = evenhand.fit_soft("p", null="exclude", **options)
    assert fit.excluded == 2
    assert fit.rule == evenhand.fit_soft([0.1, 0.9], soft={"f": [0.2, 0.8]}).rule
    with pytest.raises(ValueError, match="score has a missing value, in row 2"):
        evenhand.fit_soft("p", **options)
    four = {"p": [0.1, 0.9, 0.3, 0.7], "f": [0.2, 0.8, 0.1, 0.6], "w": ["a", "a", None, None]}
    named = evenhand.fit_soft("p", soft=["f"], within="w", data=four, null="b")
    named.save(tmp_path / "rule.json")
    for rule in (named.rule, evenhand.SoftRule.load(tmp_path / "rule.json")):
        assert rule.null == "b"
        probability = rule.probability("p", data={**four, "w": ["a", "a", "b", "b"]})
        assert np.array_equal(rule.probability("p", data=four), probability)
    rest = evenhand.fit_soft("p", soft=["f"], within="w", data=four, null="exclude").rule
    with pytest.raises(ValueError, match="w has 2 missing values"):
        rest.probability("p", data=four)
    assert rest.probability("p", data=four, unseen="reject")[2:].tolist() == [0, 0]
    assert rest.decide("p", data=four, unseen="score", seed=0)[2:].tolist() == [0, 1]


# --- The tool, on the same rows.


def written(table: Table, path: Path) -> Path:
    pq.write_table(pa.Table.from_pandas(pd.DataFrame(table), preserve_index=False), path)
    return path


@pytest.mark.parametrize(
    ("null", "options"),
    [
        ("exclude", {"criterion": "equalized-odds", "label": "label", "weight": "weight"}),
        ("exclude", {"criterion": "statistical-parity", "within": "race"}),
        ("exclude", {"criterion": "statistical-parity", "solver": "sgd", "weight": "weight"}),
        ("unknown", {"criterion": "statistical-parity", "within": "race"}),
        ("F", {"criterion": "equal-opportunity", "label": "label"}),
        ("error", {"criterion": "statistical-parity", "sensitive": "group"}),
    ],
)
def test_fit_as_the_tool(
    null: str, options: dict[str, Any], tool: Tool, holes: Table, unnamed: Table, tmp_path: Path
) -> None:
    table = {**(holes if null == "exclude" else unnamed), "group": ["a", "b"] * 300}
    path = written(table, tmp_path / "people.parquet")
    options = {"sensitive": "sex", **options}
    arguments = [text for name, value in options.items() for text in (f"--{name}", value)]
    tool("fit", path, "--score", "score", *arguments, "--null", null, "--no-source",
         "-o", "tool.json")  # fmt: skip
    fit = evenhand.fit("score", data=table, null=null, source=False, **options)
    assert (tmp_path / "tool.json").read_text().rstrip("\n") == fit.to_json().rstrip("\n")
    record = json.loads(fit.to_json())["fit"]
    assert record["columns"]["null"] == null
    assert record.get("excluded", 0) == fit.excluded
    assert (fit.excluded > 0) == (null == "exclude")


@pytest.mark.parametrize("null", [None, "unknown", "M"])
@pytest.mark.parametrize("unseen", ["error", "score", "reject"])
def test_decisions_as_the_tool(
    null: str | None, unseen: str, tool: Tool, unnamed: Table, tmp_path: Path
) -> None:
    path = written(unnamed, tmp_path / "people.parquet")
    fitted = "exclude" if unseen != "error" else "unknown"
    fit = evenhand.fit(
        "score", "sex", criterion="equal-rates", gamma=0.3, data=unnamed, null=fitted
    )
    if null == "unknown" and unseen == "error":
        null = None
    fit.save(tmp_path / "rule.json")
    how = [] if null is None else ["--null", null]
    tool("apply", path, "--rule", "rule.json", "--seed", 7, "--unseen", unseen, *how,
         "-o", "decided.parquet")  # fmt: skip
    decided = pq.read_table(tmp_path / "decided.parquet")
    options: dict[str, Any] = {"data": unnamed, "unseen": unseen, "null": null}
    for rule in (fit.rule, evenhand.Rule.load(tmp_path / "rule.json")):
        assert np.array_equal(
            rule.probability("score", "sex", **options), decided["probability"].to_numpy()
        )
        assert (
            rule.decide("score", "sex", seed=7, **options).tolist()
            == decided["decision"].to_pylist()
        )


def test_audit_as_the_tool(tool: Tool, holes: Table, tmp_path: Path) -> None:
    decision = [None if one is None else int(one > 0.5) for one in holes["score"]]
    table = {**holes, "decision": decision}
    path = written(table, tmp_path / "people.parquet")
    common = ["--sensitive", "sex", "--label", "label", "--null", "exclude", "--json"]
    for favorable in ("high", "low"):
        theirs = json.loads(
            tool("audit", path, "--decision", "decision", "--favorable", favorable, *common)
        )
        ours = evenhand.audit(
            sensitive="sex", decision="decision", label="label", favorable=favorable, data=table,
            null="exclude",
        )  # fmt: skip
        assert {"data": theirs["data"], **ours.to_dict()} == theirs
        assert ours.excluded == theirs["excluded"] > 0
    theirs = json.loads(tool("audit", path, "--score", "score", *common))
    ours = evenhand.audit("score", "sex", label="label", data=table, null="exclude")
    assert {"data": theirs["data"], **ours.to_dict()} == theirs
    assert ours.excluded == theirs["excluded"] > 0


def test_frontier_as_the_tool(tool: Tool, unnamed: Table, tmp_path: Path) -> None:
    path = written(unnamed, tmp_path / "people.parquet")
    theirs = json.loads(
        tool("frontier", path, "--score", "score", "--sensitive", "sex", "--null", "unknown",
             "--criterion", "statistical-parity", "--json")
    )  # fmt: skip
    ours = evenhand.frontier(
        "score", "sex", criterion="statistical-parity", data=unnamed, null="unknown"
    )
    assert list(ours) == theirs["points"]


def test_soft_fit_as_the_tool(tool: Tool, holes: Table, tmp_path: Path) -> None:
    table = {**holes, "p_f": [None if one is None else 1 - one for one in holes["score"]]}
    path = written(table, tmp_path / "people.parquet")
    tool("fit", path, "--score", "score", "--soft", "p_f", "--within", "race", "--weight", "weight",
         "--null", "exclude", "--no-source", "-o", "tool.json")  # fmt: skip
    fit = evenhand.fit_soft(
        "score", soft=["p_f"], within="race", weight="weight", data=table, null="exclude",
        source=False,
    )  # fmt: skip
    theirs = evenhand.SoftRule.load(tmp_path / "tool.json")
    assert theirs == fit.rule
    assert theirs.record["excluded"] == fit.excluded
    assert fit.to_dict() == theirs.record


def test_tallies_as_the_tool(tool: Tool, holes: Table, tmp_path: Path) -> None:
    path = written(holes, tmp_path / "people.parquet")
    tool("tally", path, "--score", "score", "--sensitive", "sex", "--weight", "weight",
         "--null", "exclude", "-o", "tally.parquet")  # fmt: skip
    theirs = Tally.load(tmp_path / "tally.parquet")
    ours = Tally("score", "sex", weight="weight", data=holes, null="exclude")
    assert theirs == ours
    assert theirs.excluded == ours.excluded > 0


def test_calibration_as_the_tool(tool: Tool, holes: Table, tmp_path: Path) -> None:
    path = written(holes, tmp_path / "people.parquet")
    theirs = json.loads(
        tool("calibrate", path, "--score", "score", "--sensitive", "sex", "--label", "label",
             "--calibrate", "isotonic", "--null", "exclude", "--json")
    )  # fmt: skip
    ours = evenhand.calibrate("score", "sex", label="label", data=holes, null="exclude")
    assert ours._rows().excluded == theirs["excluded"]
    assert ours.before()["overall"]["ece"] == theirs["before"]["overall"]["ece"]
