"""Rules, data and logs are verified as by the tool; fits record how they came to be."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import People

import evenhand

Tool = Callable[..., str]

KINDS: dict[str, dict[str, Any]] = {
    "parity": {"criterion": "statistical-parity"},
    "within": {"criterion": "equal-opportunity", "label": "label", "within": "race"},
    "odds": {"criterion": "equalized-odds", "label": "label", "tolerance": 0.05, "gamma": 0.05},
    "weights": {"criterion": "four-fifths", "weight": "weight", "cost_fp": 2},
    "requirements": {"require": "rate[sex=F] <= 0.3"},
    "blind": {"criterion": "statistical-parity", "tolerance": 0.02, "blind": True},
    "no coins": {"criterion": "statistical-parity", "tolerance": 0.02, "lottery": "none"},
    "bits": {"criterion": "statistical-parity", "resolution": 4},
    "low": {"criterion": "statistical-parity", "favorable": "low", "base_threshold": 0.4},
    "platt": {
        "criterion": "statistical-parity", "label": "label", "scale": "raw", "calibrate": "platt",
    },
    "isotonic": {"criterion": "statistical-parity", "label": "label", "calibrate": "isotonic"},
    "sgd": {"criterion": "statistical-parity", "solver": "sgd", "epochs": 1},
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_json_as_the_tool(people: People, tool: Tool, tmp_path: Path, kind: str) -> None:
    """On rows by the columns of the record, on a tally, and on the fit itself."""
    frame = pd.DataFrame(people.columns())
    frame.to_parquet(tmp_path / "people.parquet")
    fit = evenhand.fit("score", "sex", data=frame, **KINDS[kind])
    fit.save(tmp_path / "rule.json")
    wanted = json.loads(tool("verify", "rule.json", "people.parquet", "--json"))
    found = evenhand.verify(evenhand.load(tmp_path / "rule.json"), data=frame)
    assert found.passed
    assert found
    assert found.to_dict() == {key: wanted[key] for key in ("passed", "checks")}
    assert json.loads(found.to_json()) == found.to_dict()
    assert fit.verify() == evenhand.verify(fit, fit.tally) == found
    assert repr(found).splitlines()[-1] == "verified"
    assert "<table" in found._repr_html_()


def test_other_data_and_edited_rules_are_rejected(people: People) -> None:
    """A row less, another score, an edited threshold, an edited claim."""
    frame = pd.DataFrame(people.columns())
    fit = evenhand.fit("score", "sex", data=frame, criterion="statistical-parity", label="label")
    assert fit.verify()
    assert not evenhand.verify(fit, data=frame.iloc[1:])
    other = frame.copy()
    other.loc[3, "score"] = 0.123
    found = evenhand.verify(fit, data=other)
    assert {check["name"]: check["verdict"] for check in found.checks}["data"] == "no"
    assert repr(found).splitlines()[-1].startswith("not verified: ")
    for path, value in (("primal", 1e-6), ("violation", 0.01), ("lottery_share", 0.5)):
        text = json.loads(fit.to_json())
        text["fit"][path] += value
        edited = evenhand.Rule.from_json(json.dumps(text))
        assert not evenhand.verify(edited, data=frame), path
    text = json.loads(fit.to_json())
    text["rule"]["cells"][0]["steps"][0][0] += 1e-9
    assert not evenhand.verify(evenhand.Rule.from_json(json.dumps(text)), data=frame)


def test_pooled_tallies_and_missing_groups(people: People, tool: Tool, tmp_path: Path) -> None:
    """The record says how they were made."""
    frame = pd.DataFrame(people.columns())
    frame.loc[::7, "sex"] = None
    tally = evenhand.Tally("score", "sex", data=frame, null="exclude").pool_rare(5)
    rule = evenhand.fit(tally, criterion="statistical-parity").rule
    assert evenhand.verify(rule, tally)
    assert evenhand.verify(rule, data=frame)
    rule.save(tmp_path / "rule.json")
    frame.to_parquet(tmp_path / "people.parquet")
    wanted = json.loads(tool("verify", "rule.json", "people.parquet", "--json"))
    assert evenhand.verify(rule, data=frame).checks == wanted["checks"]
    named = evenhand.fit("score", "sex", data=frame, null="none", criterion="statistical-parity")
    assert evenhand.verify(named.rule, data=frame)


@pytest.mark.parametrize("options", [{}, {"gamma": 0.1}, {"within": "race"}, {"weight": "weight"}])
def test_soft_rules(people: People, tool: Tool, tmp_path: Path, options: dict[str, Any]) -> None:
    """On their rows, by the columns of the record; the assumption is named."""
    frame = pd.DataFrame(people.columns())
    frame["p_f"] = np.where(frame["sex"] == "F", 0.9, 0.2)
    fit = evenhand.fit_soft("score", ["p_f"], data=frame, **options)
    fit.rule.save(tmp_path / "rule.json")
    frame.to_parquet(tmp_path / "people.parquet")
    wanted = json.loads(tool("verify", "rule.json", "people.parquet", "--json"))
    found = evenhand.verify(fit, data=frame)
    assert found.passed
    assert found.checks == wanted["checks"]
    assert found.checks[-1]["name"] == "assumption"
    text = json.loads(fit.to_json())
    text["fit"]["primal"] += 0.001
    assert not evenhand.verify(evenhand.SoftRule.from_json(json.dumps(text)), data=frame)
    frame.loc[2, "score"] = 1.5
    with pytest.raises(ValueError, match=r"1\.5"):
        evenhand.verify(fit, data=frame)


def decided(people: People) -> tuple[evenhand.Rule, pd.DataFrame, pd.DataFrame]:
    """Fit with coins; return the rule, the rows and their log."""
    frame = pd.DataFrame(people.columns())
    frame["id"] = [f"person {i}" for i in range(len(frame))]
    rule = evenhand.fit("score", "sex", data=frame, criterion="statistical-parity", gamma=0.1).rule
    log = pd.DataFrame(rule.log(data=frame, id="id", key="a key"))
    return rule, frame, log


def test_the_log_is_that_of_the_tool(people: People, tool: Tool, tmp_path: Path) -> None:
    """Line by line, with a key and by a seed; each is accepted by both."""
    rule, frame, log = decided(people)
    rule.save(tmp_path / "rule.json")
    frame.to_parquet(tmp_path / "people.parquet")
    (tmp_path / "key").write_bytes(b"a key")
    apply = ("apply", "people.parquet", "--rule", "rule.json", "-o", "out.csv")
    tool(*apply, "--id", "id", "--key-file", "key", "--log", "log.parquet")
    theirs = pd.read_parquet(tmp_path / "log.parquet")
    assert list(theirs.columns) == list(log.columns)
    for name in log.columns:
        ours = log[name].astype(theirs[name].dtype)
        pd.testing.assert_series_equal(ours, theirs[name], check_exact=True)
    by_key = {"key_file": tmp_path / "key"}
    found = evenhand.verify(rule, log=tmp_path / "log.parquet", **by_key)
    assert found
    assert found == evenhand.verify(rule, log=log, key="a key")
    said = tool("verify", "--log", "log.parquet", "--rule", "rule.json", "--key-file", "key",
                "--json")  # fmt: skip
    wanted = json.loads(said)
    del wanted["log"]["log"]
    assert found.to_dict() == wanted
    assert found.log is not None
    assert found.log["coins_checked"]
    tool(*apply, "--seed", "7", "--log", "log.csv")
    seeded = rule.log(data=frame, seed=7)
    assert seeded["reason"] == pd.read_csv(tmp_path / "log.csv")["reason"].tolist()
    assert evenhand.verify(rule, log=seeded, seed=7)
    assert evenhand.verify(rule, log=tmp_path / "log.csv", seed=7)
    assert not evenhand.verify(rule, log=tmp_path / "log.csv", seed=8)
    assert not evenhand.verify(rule, log=seeded, seed=8)
    decisions = rule.decide(data=frame, seed=7)
    assert seeded["decision"] == decisions.tolist()
    assert evenhand.verify(rule, data=frame, log=log).to_dict().keys() == {
        "passed", "checks", "log",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("column", "value"),
    [("decision", None), ("score", 0.001), ("coin", 0.5), ("reason", "by the mayor"),
     ("id", "somebody else"), ("cell", "nobody"), ("probability", 0.9), ("key", "f" * 64),
     ("rule", "0" * 64), ("score", np.nan)],
)  # fmt: skip
def test_a_changed_line_is_named(people: People, column: str, value: Any) -> None:
    """One value suffices."""
    rule, _, log = decided(people)
    line = int(np.flatnonzero(log["coin"].notna())[3])
    if value is None:
        value = 1 - log.loc[line, "decision"]
    assert log.loc[line, column] != value
    log.loc[line, column] = value
    found = evenhand.verify(rule, log=log, key="a key")
    assert not found
    assert found.log is not None
    assert found.log["wrong"] == 1
    assert found.log["first_wrong"][0]["line"] == line + 1
    assert f"line {line + 1}" in repr(found)


def test_unseen_groups_in_a_log(people: People) -> None:
    """Missing ones too, by the score or not at all."""
    rule, frame, _ = decided(people)
    frame.loc[:3, "sex"] = ["<b>", None, "x", "y"]
    for unseen in ("score", "reject"):
        log = rule.log(data=frame, seed=1, unseen=unseen)
        assert log["cell"][1] == "sex=(missing)"
        assert log["reason"][0].startswith("the rule does not know this group; ")
        assert evenhand.verify(rule, log=log, seed=1)
    with pytest.raises(ValueError, match="missing"):
        rule.log(data=frame, seed=1)
    frame.loc[1, "sex"] = "F"
    with pytest.raises(IndexError, match="unseen="):
        rule.log(data=frame, seed=1)


def test_logs_in_csv_are_read_strictly(people: People, tmp_path: Path) -> None:
    """Numbers bit for bit; one value suffices; bad files are named in one line."""
    rule, _, log = decided(people)
    path = tmp_path / "log.CSV"
    log.to_csv(path, index=False)
    assert evenhand.verify(rule, log=path, key="a key") == evenhand.verify(
        rule, log=log, key="a key"
    )
    text = path.read_text()
    line = int(np.flatnonzero(log["coin"].notna())[3])
    changed = log.copy()
    changed.loc[line, "decision"] = 1 - changed.loc[line, "decision"]
    changed.to_csv(path, index=False)
    found = evenhand.verify(rule, log=path, key="a key")
    assert found.log is not None
    assert [one["line"] for one in found.log["first_wrong"]] == [line + 1]
    first = text.splitlines()[1]
    for content, message in (
        (b"", "no log of decisions"),
        (b"\xff\xfe", "no log of decisions"),
        (text.replace(first, first + ",1").encode(), "11 values in line 1, not 10"),
        (text.replace(str(log["score"][0]), "high", 1).encode(), "'high', which is no number"),
        (text.replace("coin", "dice", 1).encode(), "no column 'coin'"),
    ):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=message):
            evenhand.verify(rule, log=path)


def test_what_is_missing_is_named(people: People) -> None:
    """One clear line each."""
    rule, frame, log = decided(people)
    with pytest.raises(ValueError, match="score, data or log"):
        evenhand.verify(rule)
    with pytest.raises(TypeError, match="must be a Rule"):
        evenhand.verify("rule.json", data=frame)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="are for log"):
        evenhand.verify(rule, data=frame, seed=1)
    with pytest.raises(ValueError, match="not both"):
        evenhand.verify(rule, log=log, seed=1, key="a key")
    with pytest.raises(ValueError, match="no column 'coin'"):
        evenhand.verify(rule, log=log.drop(columns="coin"))
    with pytest.raises(ValueError, match="soft groups"):
        evenhand.verify(rule, data=frame, soft=["score"])
    bare = evenhand.Rule.from_json(
        json.dumps({"evenhand": 1, "rule": json.loads(rule.to_json())["rule"]})
    )
    with pytest.raises(ValueError, match="no record"):
        evenhand.verify(bare, "score", "sex", data=frame)


def test_source_is_recorded(people: People, tool: Tool, tmp_path: Path) -> None:
    """The call, files and versions; all else is that of the tool, byte for byte."""
    frame = pd.DataFrame(people.columns())
    path = tmp_path / "people.parquet"
    frame.to_parquet(path)
    options: dict[str, Any] = {"criterion": "statistical-parity", "tolerance": 0.02}
    plain = evenhand.fit("score", ["sex"], data=frame, source=False, **options)
    usual = evenhand.fit("score", ["sex"], data=frame, **options).to_dict()["source"]
    fit = evenhand.fit("score", ["sex"], data=frame, threads=1, source=path, **options)
    assert "source" not in plain.to_dict()
    record = fit.to_dict()
    source = record.pop("source")
    assert record == plain.to_dict()
    assert source["command"] == (
        "evenhand.fit('score', ['sex'], criterion='statistical-parity', tolerance=0.02)"
    )
    assert source["files"] == [{"name": "people.parquet", "bytes": path.stat().st_size}]
    assert usual == {key: value for key, value in source.items() if key != "files"}
    assert source["versions"]["NumPy"] == np.__version__
    assert "time" not in source
    assert str(tmp_path) not in fit.to_json()
    assert fit.verify()
    fit.save(tmp_path / "rule.json")
    tool("show", "rule.json")
    tool("fit", path, "--score", "score", "--sensitive", "sex", "--criterion",
         "statistical-parity", "--tolerance", 0.02, "-o", "tool.json")  # fmt: skip
    theirs = json.loads((tmp_path / "tool.json").read_text())
    ours = json.loads((tmp_path / "rule.json").read_text())
    assert list(ours["fit"]) == list(theirs["fit"])
    del ours["fit"]["source"], theirs["fit"]["source"]
    assert ours == theirs


@pytest.mark.parametrize("kind", KINDS)
def test_source_changes_nothing_else(people: People, kind: str) -> None:
    """Every kind of record keeps its bytes."""
    frame = pd.DataFrame(people.columns())
    plain = evenhand.fit("score", "sex", data=frame, source=False, **KINDS[kind]).to_json()
    fit = evenhand.fit("score", "sex", data=frame, stamp=True, **KINDS[kind])
    text = fit.to_json()
    source = json.loads(text)["fit"]["source"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", source["time"])
    fit_alone = json.loads(text)
    del fit_alone["fit"]["source"]
    assert json.dumps(fit_alone) == json.dumps(json.loads(plain))


def test_source_never_has_values(people: People) -> None:
    """Columns without a name are not written down; hostile names stay text."""
    score, sex = people.score, people.sex
    options: dict[str, Any] = {"criterion": "statistical-parity"}
    assert evenhand.fit(score, sex, **options).to_dict()["source"]["command"] == (
        "evenhand.fit(..., ..., criterion='statistical-parity')"
    )
    named = evenhand.fit(pd.Series(score, name="p"), {"<b>'": sex}, **options)
    command = named.to_dict()["source"]["command"]
    assert command == """evenhand.fit('p', ["<b>'"], criterion='statistical-parity')"""
    tally = evenhand.Tally(score, sex)
    command = evenhand.fit(tally, **options).to_dict()["source"]["command"]
    assert command == "evenhand.fit(tally, criterion='statistical-parity')"
    belongs = {"p_f": np.where(sex == "F", 0.9, 0.2)}
    given = evenhand.fit_soft(
        score, soft_favorable=belongs, soft_unfavorable=belongs, criterion="equal-opportunity"
    )
    assert given.to_dict()["source"]["command"] == (
        "evenhand.fit_soft(..., criterion='equal-opportunity', soft_favorable=['p_f'], "
        "soft_unfavorable=['p_f'])"
    )
    soft = evenhand.fit_soft(score, belongs, source="a/b.csv")
    assert soft.to_dict()["source"]["command"] == "evenhand.fit_soft(..., ['p_f'])"
    assert soft.to_dict()["source"]["files"] == [{"name": "b.csv"}]
    many = evenhand.fit(score, sex, criterion="four-fifths", source=[f"{i}" for i in range(103)])
    assert len(many.to_dict()["source"]["files"]) == 100
    assert many.to_dict()["source"]["further_files"] == 3
    with pytest.raises(TypeError, match="require must be a text or a list"):
        evenhand.fit(score, sex, require=np.array(["rate <= 0.9"]))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="source, which is False"):
        evenhand.fit(score, sex, criterion="four-fifths", source=False, stamp=True)
    with pytest.raises(TypeError, match="source must be"):
        evenhand.fit(score, sex, criterion="four-fifths", source=[3])  # type: ignore[list-item]
