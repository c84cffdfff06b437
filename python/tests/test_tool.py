"""The command line and Python give the same for the same data, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import PROJECT, People

import evenhand
from evenhand import Tally
from evenhand._tally import parquet as parquet_files

Tool = Callable[..., str]

FITS: dict[str, dict[str, Any]] = {
    "parity": {"criterion": "statistical-parity"},
    "within": {"criterion": "statistical-parity", "within": "race", "tolerance": 0.05},
    "both": {"criterion": "statistical-parity", "sensitive": ["sex", "race"], "across": "both"},
    "opportunity": {"criterion": "equal-opportunity", "label": "label"},
    "false positives": {"criterion": "false_positive_rate_parity", "label": "label"},
    "odds": {"criterion": "equalized-odds", "label": "label", "tolerance": 0.02},
    "equal rates": {"criterion": "equal-rates", "rho": 0.3, "within": "race"},
    "four fifths": {"criterion": "four-fifths", "ratio": 0.9, "weight": "weight"},
    "requirements": {"require": ["rate <= 0.4", "rate[sex=F] >= 0.3"]},
    "no groups": {"require": ["rate <= 0.1"], "sensitive": None},
    "isotonic": {"criterion": "statistical-parity", "calibrate": "isotonic", "label": "label"},
    "platt": {"criterion": "statistical-parity", "calibrate": "platt", "label": "label"},
    "one curve": {
        "criterion": "statistical-parity",
        "calibrate": "isotonic",
        "calibrate_by": "all",
        "label": "label",
    },
    "margins": {
        "criterion": "statistical-parity",
        "scale": "raw",
        "calibrate": "platt",
        "label": "label",
    },
    "schedule": {"criterion": "statistical-parity", "gamma": "auto"},
    "sgd": {"criterion": "statistical-parity", "solver": "sgd", "epochs": 3, "seed": 5},
    "sgd as printed": {
        "criterion": "equal-rates",
        "rho": 0.3,
        "solver": "sgd",
        "gamma": 0.1,
        "projection": "paper",
        "learning_rate": 0.05,
        "steps": 2000,
    },
    "gamma": {"criterion": "statistical-parity", "gamma": 0.1, "resolution": 8},
    "low": {"criterion": "statistical-parity", "favorable": "low", "cost_fn": 2.0},
    "base": {"criterion": "equal-rates", "rho": "base", "base_threshold": 0.4},
}


def arguments(options: dict[str, Any]) -> list[str]:
    out = []
    for name, value in {"sensitive": "sex", **options}.items():
        values = value if name == "require" else [] if value is None else [value]
        for one in values:
            text = ",".join(one) if isinstance(one, list) else str(one)
            out += [f"--{name.replace('_', '-')}", text]
    return out


@pytest.fixture
def parquet(tmp_path: Path, people: People) -> Path:
    pq.write_table(pa.table(people.columns()), tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


@pytest.mark.parametrize("name", FITS)
def test_fit_writes_the_same_file(
    name: str, tool: Tool, parquet: Path, people: People, tmp_path: Path
) -> None:
    options = FITS[name]
    tool("fit", parquet, "--score", "score", *arguments(options), "--no-source", "-o", "tool.json")
    options = {"sensitive": "sex", "source": False, **options}
    fit = evenhand.fit("score", data=people.columns(), **options)
    fit.save(tmp_path / "python.json")
    theirs, ours = ((tmp_path / f).read_text() for f in ("tool.json", "python.json"))
    assert json.loads(theirs)["rule"] == json.loads(ours)["rule"]
    assert theirs.rstrip("\n") == ours.rstrip("\n")
    assert evenhand.load(tmp_path / "tool.json") == fit.rule
    shown = tool("show", "python.json")
    assert fit.rule.describe().splitlines()[0].strip() in shown


SOFT_FITS: dict[str, dict[str, Any]] = {
    "plain": {"soft": ["p_f"]},
    "labels and weights": {"soft": ["p_f", "p_g"], "label": "label", "weight": "weight"},
    "ramps within strata": {"soft": ["p_f", "p_g"], "within": "race", "gamma": 0.1},
    "costs of risks": {"soft": ["p_f"], "favorable": "low", "cost_fp": 3.0, "label": "label"},
    "odds": {"soft": ["p_f", "p_g"], "criterion": "equalized-odds", "tolerance": 0.05},
    "fifths": {"soft": ["p_f"], "criterion": "four-fifths", "ratio": 0.9, "weight": "weight"},
    "given the outcome": {
        "soft_favorable": ["p_f"],
        "soft_unfavorable": ["p_g"],
        "criterion": "equalized-odds",
        "tolerance": 0.02,
        "label": "label",
    },
}


@pytest.mark.parametrize("name", SOFT_FITS)
def test_soft_attributes(name: str, tool: Tool, people: People, tmp_path: Path) -> None:
    belongs = {"p_f": people.score * 0.8, "p_g": (1 - people.score) / 2}
    columns = {**people.columns(), **belongs}
    pq.write_table(pa.table(columns), tmp_path / "soft.parquet")
    options = SOFT_FITS[name]
    given = arguments({"sensitive": None, **options})
    tool("fit", "soft.parquet", "--score", "score", *given, "--no-source", "-o", "tool.json")
    fit = evenhand.fit_soft("score", data=columns, source=False, **options)
    fit.save(tmp_path / "python.json")
    assert (tmp_path / "tool.json").read_text() == (tmp_path / "python.json").read_text()
    theirs = evenhand.load(tmp_path / "tool.json")
    assert theirs == fit.rule
    tool("apply", "soft.parquet", "--rule", "tool.json", "--seed", 3, "-o", "decided.parquet")
    decided = pq.read_table(tmp_path / "decided.parquet")
    assert np.array_equal(
        fit.rule.probability("score", data=columns), decided["probability"].to_numpy()
    )
    by_seed = theirs.decide("score", data=columns, seed=3)
    assert by_seed.tolist() == decided["decision"].to_pylist()
    audited = json.loads(tool("audit", "soft.parquet", "--rule", "tool.json", "--json"))
    audit = evenhand.audit_soft(data=columns, rule=theirs)
    assert audit.before is not None
    assert (audit.before.to_dict(), audit.to_dict()) == (audited["before"], audited["after"])
    assert audit.largest_difference == audited["largest_difference"]
    assert audit.smallest_ratio == audited["smallest_ratio"]


def test_adult(tool: Tool, tmp_path: Path) -> None:
    path = PROJECT / "data/adult-scores.csv"
    common = ["--score", "score", "--label", "high_income", "--sensitive", "sex"]
    tool("fit", path, *common, "--criterion", "equalized-odds", "--no-source", "-o", "tool.json")
    frame = pd.read_csv(path)
    fit = evenhand.fit(
        "score", "sex", label="high_income", criterion="equalized-odds", data=frame, source=False
    )
    assert (tmp_path / "tool.json").read_text().rstrip("\n") == fit.to_json().rstrip("\n")


def test_decisions(tool: Tool, parquet: Path, people: People, tmp_path: Path) -> None:
    fit = evenhand.fit("score", "sex", criterion="equal-rates", gamma=0.3, data=people.columns())
    fit.save(tmp_path / "rule.json")
    (tmp_path / "key").write_bytes(b"a secret")
    ids = [f"p{i}" for i in range(len(people.score))]
    table = pa.table({**people.columns(), "person": ids})
    pq.write_table(table, tmp_path / "ids.parquet")
    tool("apply", "ids.parquet", "--rule", "rule.json", "--id", "person", "--key-file", "key",
         "-o", "keyed.parquet")  # fmt: skip
    tool("apply", parquet, "--rule", "rule.json", "--seed", 7, "-o", "seeded.parquet")
    keyed = pq.read_table(tmp_path / "keyed.parquet")
    seeded = pq.read_table(tmp_path / "seeded.parquet")
    probability = fit.rule.probability(people.score, people.sex)
    assert np.array_equal(probability, keyed["probability"].to_numpy())
    loaded = evenhand.load(tmp_path / "rule.json")
    by_key = loaded.decide(data=table, id="person", key=b"a secret")
    assert by_key.tolist() == keyed["decision"].to_pylist()
    by_seed = loaded.decide(people.score, people.sex, seed=7)
    assert by_seed.tolist() == seeded["decision"].to_pylist()
    assert 0 < by_key.sum() < len(by_key)


def test_audit_has_the_same_figures(tool: Tool, parquet: Path, people: People) -> None:
    common = ["--score", "score", "--sensitive", "sex", "--within", "race", "--label", "label"]
    theirs = json.loads(tool("audit", parquet, *common, "--criterion", "equalized-odds", "--json"))
    ours = evenhand.audit(
        "score", "sex", within="race", label="label", criterion="equalized-odds",
        data=people.columns(),
    )  # fmt: skip
    del theirs["data"]
    assert ours.to_dict() == theirs
    assert ours.largest_difference == theirs["largest_difference"]
    assert ours.smallest_ratio == theirs["smallest_ratio"]


def test_audit_of_a_rule_against_a_reference(
    tool: Tool, parquet: Path, people: People, tmp_path: Path
) -> None:
    fit = evenhand.fit(
        "score", ["sex", "race"], criterion="statistical-parity", tolerance=0.1, cost_fn=2.0,
        data=people.columns(),
    )  # fmt: skip
    fit.save(tmp_path / "rule.json")
    theirs = json.loads(
        tool("audit", parquet, "--rule", "rule.json", "--reference", "F,a", "--json")
    )
    ours = evenhand.audit(
        "score", ["sex", "race"], data=people.columns(), rule=evenhand.load(tmp_path / "rule.json"),
        reference=["F", "a"],
    )  # fmt: skip
    del theirs["data"]
    assert ours.to_dict() == theirs
    assert ours.against_reference == theirs["against_reference"]
    assert ours.largest_difference == theirs["largest_difference"]


def test_audit_of_decisions(tool: Tool, people: People, tmp_path: Path) -> None:
    decision = (people.score > 0.5).astype(np.int8)
    columns = {**people.columns(), "decision": decision}
    pq.write_table(pa.table(columns), tmp_path / "decided.parquet")
    for label in ([], ["--label", "label"]):
        for across in ("intersection", "marginal", "both"):
            theirs = json.loads(
                tool("audit", "decided.parquet", "--decision", "decision", "--sensitive",
                     "sex,race", "--across", across, *label, "--json")
            )  # fmt: skip
            ours = evenhand.audit(
                sensitive=["sex", "race"], decision="decision", across=across,
                label="label" if label else None, data=columns,
            )  # fmt: skip
            del theirs["data"]
            assert ours.to_dict() == theirs
            views = theirs.get("views", [theirs])
            assert [view.groups for view in ours.views] == [
                view["before"]["groups"] for view in views
            ]
            assert ours.largest_difference == theirs["largest_difference"]


@pytest.mark.parametrize("criterion", ["statistical-parity", "four-fifths"])
def test_frontier(criterion: str, tool: Tool, parquet: Path, people: People) -> None:
    common = ["--score", "score", "--sensitive", "sex", "--label", "label"]
    theirs = json.loads(tool("frontier", parquet, *common, "--criterion", criterion, "--json"))
    ours = evenhand.frontier(
        "score", "sex", label="label", criterion=criterion, data=people.columns()
    )
    del theirs["data"]
    assert ours.to_dict() == theirs


def test_breakpoints(tool: Tool, parquet: Path, people: People) -> None:
    common = ["--score", "score", "--sensitive", "sex", "--criterion", "statistical-parity"]
    theirs = json.loads(tool("frontier", parquet, *common, "--breakpoints", "--json"))
    ours = evenhand.frontier(
        "score", "sex", criterion="statistical-parity", breakpoints=True, data=people.columns()
    )
    assert list(ours) == theirs["points"]


@pytest.mark.parametrize("engine", ["pyarrow", "polars", "duckdb"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("favorable", ["high", "low"])
def test_parquet_tallies_in_both_directions(
    engine: str,
    weighted: bool,
    favorable: str,
    tool: Tool,
    parquet: Path,
    people: People,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parquet_files, "ENGINES", {engine: parquet_files.ENGINES[engine]})
    weight = ["--weight", "weight"] if weighted else []
    tool("tally", parquet, "--score", "score", "--sensitive", "sex", "--within", "race", "--label",
         "label", "--favorable", favorable, *weight, "-o", "tool.parquet")  # fmt: skip
    ours = Tally(
        "score", "sex", within="race", label="label", weight="weight" if weighted else None,
        favorable=favorable, data=people.columns(),
    )  # fmt: skip
    theirs = Tally.load(tmp_path / "tool.parquet")
    assert theirs == ours
    assert theirs.sensitive == ["sex"]
    assert theirs.within == ["race"]
    ours.save(tmp_path / "python.parquet")
    assert Tally.load(tmp_path / "python.parquet") == ours
    tool("merge", "tool.parquet", "python.parquet", "--allow-repeated", "-o", "merged.parquet")
    assert Tally.load(tmp_path / "merged.parquet") == ours.merge(ours, allow_repeated=True)
    tool("fit", "--tally", "python.parquet", "--criterion", "equalized-odds", "--no-source",
         "-o", "tool.json")  # fmt: skip
    fit = evenhand.fit(theirs, criterion="equalized-odds", source=False)
    fit.save(tmp_path / "python.json")
    theirs_file, ours_file = ((tmp_path / f).read_text() for f in ("tool.json", "python.json"))
    assert theirs_file.rstrip("\n") == ours_file.rstrip("\n")
    a, b = (pq.read_metadata(tmp_path / f).metadata[b"evenhand"]
            for f in ("tool.parquet", "python.parquet"))  # fmt: skip
    assert json.loads(a) == json.loads(b)
