"""Stochastic gradients: streams, traces, epochs of weighted rows, and distances to the optimum."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import People

import evenhand
from evenhand import Tally

Tool = Callable[..., str]

RUNS: dict[str, dict[str, Any]] = {
    "stream": {"criterion": "statistical-parity", "stream": True},
    "several passes": {"criterion": "statistical-parity", "stream": True, "epochs": 3},
    "stream with weights": {"criterion": "statistical-parity", "stream": True, "weight": "weight"},
    "stream within": {"criterion": "statistical-parity", "stream": True, "within": "race"},
    "stream of equal rates": {"criterion": "equal-rates", "rho": 0.3, "stream": True},
    "stream with labels": {"criterion": "statistical-parity", "stream": True, "label": "label"},
    "calibrated stream": {
        "criterion": "statistical-parity",
        "stream": True,
        "label": "label",
        "calibrate": "platt",
        "projection": "paper",
        "learning_rate": 0.1,
    },
    "stream of risks": {"criterion": "statistical-parity", "stream": True, "favorable": "low"},
    "drawn": {"criterion": "statistical-parity", "epochs": 2, "seed": 4},
    "drawn by weight": {"criterion": "statistical-parity", "weight": "weight", "epochs": 1.5},
    "schedule": {"criterion": "statistical-parity", "weight": "weight", "gamma": "auto"},
}


def arguments(options: dict[str, Any]) -> list[str]:
    out = []
    for name, value in options.items():
        out += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
    return out


@pytest.mark.parametrize("record_every", [None, 70])
@pytest.mark.parametrize("name", RUNS)
def test_runs_as_the_tool(
    name: str, record_every: int | None, tool: Tool, people: People, tmp_path: Path
) -> None:
    pq.write_table(pa.table(people.columns()), tmp_path / "people.parquet")
    options = {"sensitive": "sex", "solver": "sgd", **RUNS[name]}
    if record_every:
        options["record_every"] = record_every
    common = ["people.parquet", "--score", "score", *arguments(options), "--threads", 1]
    shown = tool("fit", *common, "--trace", "trace.csv", "--compare", "--json", "--no-source",
                 "-o", "tool.json")  # fmt: skip
    tool("fit", *common, "--trace", "trace.json")
    fit = evenhand.fit("score", data=people.columns(), source=False, **options)
    assert (tmp_path / "tool.json").read_text().rstrip("\n") == fit.to_json().rstrip("\n")
    assert fit.compare() == json.loads(shown)["compare"]
    assert fit.trace_csv() == (tmp_path / "trace.csv").read_text()
    assert fit.trace.to_dict() == json.loads((tmp_path / "trace.json").read_text())
    assert len(fit.trace) > 3


def test_a_schedule_of_weighted_rows_as_the_tool(
    tool: Tool, people: People, tmp_path: Path
) -> None:
    pq.write_table(pa.table(people.columns()), tmp_path / "people.parquet")
    tool("fit", "people.parquet", "--score", "score", "--sensitive", "sex", "--weight", "weight",
         "--criterion", "statistical-parity", "--gamma", "auto", "--no-source",
         "-o", "tool.json")  # fmt: skip
    tally = Tally("score", "sex", weight="weight", data=people.columns())
    fit = evenhand.fit(tally, criterion="statistical-parity", gamma="auto", source=False)
    assert (tmp_path / "tool.json").read_text().rstrip("\n") == fit.to_json().rstrip("\n")


def test_an_epoch_has_as_many_steps_as_rows(people: People) -> None:
    options: dict[str, Any] = {"criterion": "statistical-parity", "solver": "sgd", "epochs": 2}
    tally = Tally(people.score, people.sex, weight=people.weight)
    fit = evenhand.fit(tally, **options)
    assert fit.steps == 2 * len(people.score)
    assert fit.trace[-1]["epoch"] == 2
    merged = evenhand.fit(tally.merge(tally, allow_repeated=True), **options)
    assert merged.steps == 4 * len(people.score)


def test_rows_in_their_order_matter_to_a_stream(people: People) -> None:
    options: dict[str, Any] = {
        "criterion": "statistical-parity",
        "solver": "sgd",
        "stream": True,
    }
    order = np.argsort(people.score)
    one = evenhand.fit(people.score, people.sex, **options)
    other = evenhand.fit(people.score[order], people.sex[order], **options)
    again = evenhand.fit(pa.array(people.score), list(people.sex), threads=1, **options)
    assert one.rule != other.rule
    assert one.rule == again.rule
    assert one.steps == len(people.score)


def test_a_stream_leaves_out_what_is_missing() -> None:
    score = [0.1, None, 0.3, 0.8, 0.9, 0.2]
    sex = ["F", "M", None, "M", "F", "M"]
    options: dict[str, Any] = {
        "criterion": "statistical-parity",
        "solver": "sgd",
        "stream": True,
        "epochs": 40,
    }
    rest = evenhand.fit([0.1, 0.8, 0.9, 0.2], ["F", "M", "F", "M"], **options)
    fit = evenhand.fit(score, sex, null="exclude", **options)
    assert fit.rule == rest.rule
    assert fit.trace == rest.trace
    assert fit.excluded == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": 10}, "whole passes: give epochs, not steps"),
        ({"seed": 0}, "nothing to seed"),
        ({"epochs": 1.5}, "whole passes: give epochs a whole number"),
        ({"epochs": 0}, "epochs takes a number above 0"),
        ({"epochs": float("nan")}, "epochs takes a number above 0"),
        ({"stream": False, "epochs": 2, "steps": 3}, "either epochs or steps"),
        ({"stream": False, "steps": 0}, "steps takes a whole number above 0"),
        ({"solver": "exact"}, "stream is for solver='sgd'"),
        ({"solver": "exact", "stream": False, "seed": 3}, "seed is for solver='sgd'"),
        ({"solver": "exact", "stream": False, "projection": "paper"}, "projection is for"),
        ({"criterion": "equalized-odds"}, "labels"),
        ({"projection": "mine"}, "projection"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], message: str) -> None:
    common = {"criterion": "statistical-parity", "solver": "sgd", "stream": True}
    with pytest.raises(ValueError, match=message):
        evenhand.fit([0.1, 0.9], ["F", "M"], **{**common, **options})


def test_a_tally_does_not_stream() -> None:
    with pytest.raises(ValueError, match="stream needs rows"):
        evenhand.fit(
            Tally([0.1, 0.9], ["F", "M"]), criterion="statistical-parity", solver="sgd", stream=True
        )


def test_distances_need_a_run(people: People) -> None:
    exact = evenhand.fit(people.score, people.sex, criterion="statistical-parity")
    assert len(exact.trace) == 0
    with pytest.raises(ValueError, match="this fit is exact"):
        exact.compare()
    sgd = evenhand.fit(people.score, people.sex, criterion="statistical-parity", solver="sgd")
    again = pickle.loads(pickle.dumps(sgd))
    assert again.trace == sgd.trace
    assert again.trace_csv() == sgd.trace_csv()
    with pytest.raises(ValueError, match="pickled"):
        again.compare()


def test_traces_as_tables(people: People) -> None:
    sgd = evenhand.fit(
        people.score, {"sex": people.sex}, criterion="equal-rates", rho=0.4, solver="sgd", steps=500
    )
    frame = sgd.trace.to_frame()
    assert list(frame.columns)[:5] == ["step", "epoch", "dual", "violation", "mean of sex=F"]
    lines = sgd.trace_csv().splitlines()
    assert lines[0].split(",") == list(frame.columns)
    assert len(lines) == len(frame) + 1 == len(sgd.trace) + 1
    assert sgd.trace.records()[-1]["last of sex=M"] == sgd.trace[-1]["last"][1]
    assert sgd.trace[:2] == list(sgd.trace)[:2]
    assert isinstance(frame, pd.DataFrame)
    none = evenhand.fit(
        people.score, people.sex, criterion="statistical-parity", solver="sgd", record_every=0
    )
    assert len(none.trace) == 0
