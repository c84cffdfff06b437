"""Monitoring: batch after batch, with a state to continue from."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import make_people

import evenhand


def month(seed: int, gap: float = 0.0, rows: int = 600) -> dict[str, Any]:
    """Decisions that select men this much more often."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["F", "M"], rows)
    return {"sex": sex, "yes": (rng.random(rows) < 0.3 + gap * (sex == "M")).astype(int)}


def watch(**options: Any) -> evenhand.Monitor:
    given = {"tolerance": 0.05, "sensitive": "sex", "decision": "yes", **options}
    return evenhand.Monitor(**given)


def test_no_alarm_while_groups_are_alike() -> None:
    monitor = watch()
    for i in range(12):
        monitor.add(month(i), name=f"2025-{i + 1:02}")
    assert not monitor.alarm
    assert len(monitor.looks) == 12
    assert "No alarm" in repr(monitor)


def test_an_alarm_once_they_differ_by_more() -> None:
    monitor = watch()
    for i in range(8):
        monitor.add(month(i, 0.25), name=f"2025-{i + 1:02}")
    assert monitor.alarm
    assert "above 5 %" in repr(monitor)
    evidence = [look["log_evidence"] for look in monitor.looks]
    assert evidence[-1] > evidence[1]


def test_a_column_may_name_the_batches() -> None:
    frames = [pd.DataFrame(month(i)).assign(month=f"2025-0{i + 1}") for i in range(3)]
    together = watch(period="month").add(pd.concat(frames))
    apart = watch()
    for i, frame in enumerate(frames):
        apart.add(frame, name=f"2025-0{i + 1}")
    assert together.looks == apart.looks


def test_the_state_continues(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    for i in range(3):
        watch(state=state).add(month(i), name=f"2025-0{i + 1}")
    whole = watch()
    for i in range(3):
        whole.add(month(i), name=f"2025-0{i + 1}")
    continued = watch(state=state)
    assert [look["batch"] for look in continued.looks] == ["2025-01", "2025-02", "2025-03"]
    for one, two in zip(continued.looks, whole.looks, strict=True):
        assert one["log_evidence"] == two["log_evidence"]
    with pytest.raises(ValueError, match="tolerance"):
        watch(state=state, tolerance=0.1)


def test_a_rule_is_monitored_by_its_own_columns(tmp_path: Path, tool: Callable[..., str]) -> None:
    people = pd.DataFrame(make_people(600).columns())
    fit = evenhand.fit("score", "sex", criterion="statistical-parity", data=people)
    people["month"] = np.repeat(["2025-01", "2025-02", "2025-03"], 200)
    monitor = evenhand.Monitor(fit, tolerance=0.05, period="month").add(people)
    fit.save(tmp_path / "rule.json")
    people.to_csv(tmp_path / "people.csv", index=False)
    printed = tool(
        "monitor", "people.csv", "--rule", "rule.json", "--period", "month", "--tolerance", "0.05",
        "--state", "state.json", "--json",
    )  # fmt: skip
    assert json.loads(printed) == monitor.to_dict()
    assert (tmp_path / "state.json").read_text() == monitor.to_json()


def test_tallies_are_batches_too() -> None:
    rows = month(1)
    tally = evenhand.Tally(rows["yes"], {"sex": rows["sex"]})
    counted = watch(sensitive=None).add(tally, name="a")
    assert counted.looks == watch().add(rows, name="a").looks


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": 1.5}, "tolerance"),
        ({"confidence": 1.0}, "confidence"),
        ({"decision": None}, "give either the rule"),
    ],
)
def test_bad_monitors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        watch(**options)


def test_bad_batches() -> None:
    monitor = watch().add(month(0), name="2025-02")
    with pytest.raises(ValueError, match="seen before"):
        monitor.add(month(1), name="2025-02")
    with pytest.raises(ValueError, match="2025-01"):
        monitor.add(month(1), name="2025-01")
    with pytest.raises(ValueError, match="name the batch"):
        monitor.add(month(1))
    with pytest.raises(ValueError, match="neither 0 nor 1"):
        monitor.add({**month(1), "yes": [2] * 600}, name="2025-03")
    assert len(monitor.looks) == 1


def test_the_picture_has_the_evidence_and_the_height_of_an_alarm() -> None:
    with pytest.raises(ValueError, match="no batch"):
        watch().plot()
    monitor = watch()
    for i in range(8):
        monitor.add(month(i, 0.25), name=f"$month {i}$")
    ax = monitor.plot()
    evidence = ax.get_lines()[0].get_ydata()
    assert np.allclose(np.log(evidence), [look["log_evidence"] for look in monitor.looks])
    assert ax.get_ylabel() == "evidence"
    assert ax.get_xticklabels()[0].get_text() == "$month 0$"


def hired(months: list[int]) -> pd.DataFrame:
    """Decisions with outcomes: women who deserve a yes get it less often, others as often."""
    rows = []
    for number in months:
        for i in range(800):
            woman, good = i % 2 == 0, i % 4 < 2
            yes = i // 4 % 10 < (4 if woman and good else 8 if good else 2)
            rows.append((number, "F" if woman else "M", int(yes), int(good)))
    return pd.DataFrame(rows, columns=["month", "sex", "hired", "good"])


def test_rates_of_outcomes_are_watched_as_by_the_tool(
    tmp_path: Path, tool: Callable[..., str]
) -> None:
    frame = hired([8, 9, 10, 11])
    options: dict[str, Any] = {"decision": "hired", "label": "good", "period": "month"}
    monitor = watch(criterion="equal-opportunity", **options).add(frame)
    assert monitor.alarm
    assert [look["batch"] for look in monitor.looks] == ["8", "9", "10", "11"]
    assert not watch(criterion="false-positive-parity", **options).add(frame).alarm
    monitor.save(tmp_path / "state.json")
    hired([12]).to_csv(tmp_path / "hired.csv", index=False)
    printed = tool(
        "monitor", "hired.csv", "--decision", "hired", "--label", "good", "--sensitive", "sex",
        "--criterion", "equal-opportunity", "--period", "month", "--tolerance", "0.05",
        "--state", "state.json", "--json", status=4,
    )  # fmt: skip
    assert json.loads(printed)["batches"][-1] == monitor.add(hired([12])).looks[-1]
    assert (tmp_path / "state.json").read_text() == monitor.to_json()
    with pytest.raises(ValueError, match="needs labels"):
        watch(decision="hired", criterion="equalized-odds", period="month").add(frame)
    with pytest.raises(ValueError, match="fairness"):
        watch(criterion="fairness")
