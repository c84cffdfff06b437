"""Files of tallies: of plain SQL, of the tool, and names of files in errors; sums."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import People

import evenhand
from evenhand import Tally

PLAIN = pa.table(
    {
        "sex": ["F", "M", "F", "M"],
        "race": ["a", "a", "b", "b"],
        "risk": [-1.0, 0.5, 1.5, -0.25],
        "n": [4, 2, 3, 5],
        "n1": [1, 2, 0, 3],
    }
)


def counted(names: list[str], **options: Any) -> Tally:
    return Tally.counted("risk", "n", names, n1="n1", data=PLAIN, **options)


@pytest.mark.parametrize("engine", ["pyarrow", "polars", "duckdb"])
def test_plain_tallies(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from evenhand._tally import parquet as parquet_files

    monkeypatch.setattr(parquet_files, "ENGINES", {engine: parquet_files.ENGINES[engine]})
    path = tmp_path / "plain.parquet"
    pq.write_table(PLAIN, path)
    options: dict[str, Any] = {"scale": "logit", "favorable": "low"}
    found = Tally.load(path, score="risk", **options)
    assert found == counted(["sex", "race"], **options)
    assert (found.scale, found.favorable, found.sensitive) == ("logit", "low", [])
    found = Tally.load(
        path, score="risk", sensitive="race", within=["sex"], resolution=3, **options
    )
    assert found == counted(["race", "sex"], resolution=3, **options)
    assert (found.sensitive, found.within) == (["race"], ["sex"])
    found = Tally.load(path, score="risk", sensitive="race", **options)
    assert found == counted(["race"], **options)
    with pytest.raises(ValueError, match="plain.parquet is not a tally: it has no column 'score'"):
        Tally.load(path)
    with pytest.raises(ValueError, match="plain.parquet is not a tally: it has no column 'age'"):
        Tally.load(path, score="risk", sensitive="age")


def test_plain_tallies_give_the_rule_of_the_tool(tool: Callable[..., str], tmp_path: Path) -> None:
    pq.write_table(PLAIN, tmp_path / "plain.parquet")
    tool("fit", "--tally", "plain.parquet", "--score", "risk", "--scale", "logit", "--favorable",
         "low", "--sensitive", "sex", "--criterion", "equal-opportunity", "-o",
         "rule.json")  # fmt: skip
    tally = Tally.load(
        tmp_path / "plain.parquet", score="risk", scale="logit", favorable="low", sensitive="sex"
    )
    found = evenhand.fit(tally, criterion="equal-opportunity")
    assert found.rule == evenhand.load(tmp_path / "rule.json")


@pytest.mark.parametrize("name", ["t.parquet", "t.tally"])
def test_files_that_say_it_themselves(name: str, people: People, tmp_path: Path) -> None:
    whole = Tally("score", "sex", within="race", data=people.columns(), favorable="low")
    path = tmp_path / name
    whole.save(path)
    assert Tally.load(path, scale="probability", favorable="low", resolution="exact") == whole
    for options in ({"scale": "logit"}, {"favorable": "high"}, {"resolution": 6}):
        with pytest.raises(ValueError, match=f"{name} was made with .* which cannot be changed"):
            Tally.load(path, **options)  # type: ignore[arg-type]
    found = Tally.load(path, sensitive="race", within="sex")
    assert found == whole.project(["race", "sex"])
    assert (found.sensitive, found.within) == (["race"], ["sex"])
    if name == "t.parquet":
        with pytest.raises(ValueError, match="its metadata name the score 'score', not 'risk'"):
            Tally.load(path, score="risk")


def test_tallies_add_up(people: People) -> None:
    parts = [
        Tally(people.score[rows], {"sex": people.sex[rows]})
        for rows in (slice(0, 100), slice(100, 250), slice(250, None))
    ]
    assert sum(parts) == Tally(people.score, {"sex": people.sex})  # type: ignore[comparison-overlap]
    first = sum(parts[:1])
    assert first == parts[0]
    assert first is not parts[0]
    for other in (1, False, "a", None):
        with pytest.raises(TypeError):
            other + parts[0]


def test_errors_name_the_file_that_was_asked_for(people: People, tmp_path: Path) -> None:
    tally = Tally(people.score, people.sex)
    for name in ("t.parquet", "t.tally"):
        path = tmp_path / "none" / name
        with pytest.raises(FileNotFoundError) as error:
            tally.save(path)
        assert error.value.filename == str(path)
        assert str(error.value).endswith(f"No such file or directory: {str(path)!r}")
