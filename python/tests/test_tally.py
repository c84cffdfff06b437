"""Tallies: merging, projecting, and their files."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import People
from hypothesis import given
from hypothesis import strategies as st

from evenhand import Tally
from evenhand._tally import parquet as parquet_files


def of(people: People, rows: slice = slice(None), **options: Any) -> Tally:
    return Tally(
        people.score[rows],
        {"sex": people.sex[rows]},
        within={"race": people.race[rows]},
        label=people.label[rows],
        **options,
    )


@given(cuts=st.lists(st.integers(1, 599), max_size=4, unique=True), data=st.data())
def test_merging_in_any_order_gives_the_tally_of_all(cuts: list[int], data: Any) -> None:
    from conftest import make_people

    people = make_people(600)
    edges = [0, *sorted(cuts), 600]
    parts = [of(people, slice(a, b)) for a, b in itertools.pairwise(edges)]
    ordered = data.draw(st.permutations(parts))
    merged = ordered[0]
    for part in ordered[1:]:
        merged = merged + part
    assert merged == of(people)


def test_adding_batches_by_name_and_by_position(people: People) -> None:
    tally = of(people, slice(0, 200))
    returned = tally.add(
        people.score[200:400],
        {"race": people.race[200:400], "sex": people.sex[200:400]},
        label=people.label[200:400],
    )
    assert returned is tally
    rest = {name: column[400:] for name, column in people.columns().items()}
    tally.add("score", "sex", within="race", label="label", data=rest)
    assert tally == of(people)
    assert tally.sensitive == ["sex"]
    with pytest.raises(ValueError, match="label"):
        tally.add([0.5], ["F"], within=["a"])
    with pytest.raises(ValueError, match="needs 2 attributes"):
        tally.add([0.5], ["F"], label=[1])
    assert tally == of(people)


def test_tallies_that_do_not_merge(people: People) -> None:
    tally = of(people)
    with pytest.raises(TypeError, match="a tally merges with a tally, not with int"):
        tally.merge(3)  # type: ignore[arg-type]
    for other in (
        tally.project(["sex"]),
        of(people, resolution=8),
        of(people, favorable="low"),
        Tally(people.score, {"sex": people.sex}, within={"race": people.race}),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            tally.merge(other)


def test_projection_adds_up(people: People) -> None:
    assert of(people).project(["sex"]) == Tally(
        people.score, {"sex": people.sex}, label=people.label
    )
    assert of(people).project("sex").sensitive == ["sex"]
    assert of(people).project("sex").within == []
    with pytest.raises(IndexError, match="no attribute"):
        of(people).project(["age"])


def test_counted_columns_are_rows(people: People) -> None:
    tally = of(people)
    columns = tally.to_dict()
    again = Tally.counted("score", np.array(columns["n"], int), "sex", within="race",
                          n1=np.array(columns["n1"], int), data=columns)  # fmt: skip
    assert again == tally
    weighted = Tally.counted("score", "n", "sex", within="race", n1="n1", data=columns)
    assert weighted.weighted
    assert not again.weighted
    with pytest.raises(ValueError, match="n has a missing value, in row 0"):
        Tally.counted([0.5], [np.nan], ["a"])
    with pytest.raises(ValueError, match="positives among"):
        Tally.counted([0.5], [1], ["a"], n1=[2])


def test_entries_are_in_the_callers_scale() -> None:
    tally = Tally([0.25, 0.75, 0.75], ["a"] * 3, label=[0, 1, 0], favorable="low")
    entries = tally.entries(0)
    assert entries["score"].tolist() == [0.75, 0.25]
    assert entries["n"].tolist() == [2, 1]
    assert entries["n1"].tolist() == [1, 0]
    for cell in (1, -1, 10**30):
        with pytest.raises((IndexError, ValueError), match="cell"):
            tally.entries(cell)
    with pytest.raises(TypeError, match="cell must be a whole number, not '0'"):
        tally.entries("0")  # type: ignore[arg-type]
    assert "n1" not in Tally([0.5], ["a"]).entries(0)


def test_what_it_is(people: People) -> None:
    tally = of(people, resolution=4, scale="probability")
    assert tally.attributes == ["sex", "race"]
    assert tally.cells[0] == {"sex": "F", "race": "a"}
    assert (tally.scale, tally.favorable, tally.resolution) == ("probability", "high", "4")
    assert tally.level == 4
    assert tally.labelled
    assert not tally.weighted
    assert tally.total == 600
    assert repr(tally) == "Tally(600 rows, 6 cells of ['sex', 'race'], labelled)"
    assert of(people, resolution="auto").level is None
    assert of(people, weight=people.weight).weighted


def test_rare_entries_are_pooled(people: People) -> None:
    pooled = of(people).pool_rare(10)
    assert all(n >= 10 for cell in range(6) for n in pooled.entries(cell)["n"])
    assert pooled.total == 600
    with pytest.raises(ValueError, match="fewer"):
        of(people).pool_rare(10000)
    with pytest.raises(ValueError, match="a whole number of rows, not 2.5"):
        of(people).pool_rare(2.5)


def test_files_of_bytes_and_pickles(people: People, tmp_path: Path) -> None:
    for options in ({}, {"resolution": "auto"}, {"weight": people.weight}, {"favorable": "low"}):
        tally = of(people, **options)
        tally.save(tmp_path / "people.tally")
        assert Tally.load(tmp_path / "people.tally") == tally
        copy = pickle.loads(pickle.dumps(tally))
        assert copy == tally
        assert copy.sensitive == ["sex"]
    assert tally != 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(tally)


def test_files_that_are_no_tallies(people: People, tmp_path: Path) -> None:
    path = tmp_path / "x.tally"
    of(people).save(path)
    good = path.read_bytes()
    for bad in (b"", b"hello", good[:-1], good[:100], good[:50] + b"\0" + good[51:] + b"x"):
        path.write_bytes(bad)
        with pytest.raises(ValueError, match="x.tally: "):
            Tally.load(path)


@pytest.mark.parametrize("engine", ["pyarrow", "polars", "duckdb"])
def test_parquet_with_every_engine(
    engine: str, people: People, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_files, "ENGINES", {engine: parquet_files.ENGINES[engine]})
    for options in (
        {},
        {"resolution": 8},
        {"resolution": "auto"},
        {"resolution": "at-most 2"},
        {"weight": people.weight},
        {"favorable": "low"},
    ):
        tally = of(people, **options)
        tally.save(tmp_path / "people.parquet")
        loaded = Tally.load(tmp_path / "people.parquet")
        assert loaded == tally
        assert (loaded.sensitive, loaded.within) == (["sex"], ["race"])
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]


def test_parquet_needs_an_engine(
    people: People, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_files, "ENGINES", {"no_such_module": parquet_files._PyArrow})
    with pytest.raises(ImportError, match="one of pyarrow, polars or duckdb"):
        of(people).save(tmp_path / "people.parquet")
    assert list(tmp_path.iterdir()) == []


def test_parquet_that_sql_made(tmp_path: Path) -> None:
    table = pa.table({"sex": ["F", "M", "F"], "score": [0.5, 0.75, 0.5], "n": [1, 2, 3]})
    pq.write_table(table, tmp_path / "sql.parquet")
    found = Tally.load(tmp_path / "sql.parquet")
    assert found == Tally.counted([0.5, 0.75], [4, 2], {"sex": ["F", "M"]})
    assert found.sensitive == []
    pq.write_table(table.drop(["n"]), tmp_path / "sql.parquet")
    with pytest.raises(ValueError, match="sql.parquet is not a tally: it has no column 'n'"):
        Tally.load(tmp_path / "sql.parquet")


def changed(metadata: dict[str, Any], **changes: Any) -> bytes:
    return json.dumps({**metadata, **changes}).encode()


def test_parquet_that_is_damaged(people: People, tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    of(people).save(path)
    table = pq.read_table(path)
    metadata = json.loads(pq.read_metadata(path).metadata[b"evenhand"])
    damaged = "corrupt metadata"
    for stored, message in [
        (b"", damaged),
        (b"[" * 100000, damaged),
        (b"3", damaged),
        (changed(metadata, tally="1"), damaged),
        (changed(metadata, tally=0), damaged),
        (changed(metadata, tally=2), "it has version 2, .* please update"),
        (changed(metadata, sensitive="sex"), damaged),
        (changed(metadata, scale=3), damaged),
        (changed(metadata, labelled=1), damaged),
        (changed(metadata, level="x"), damaged),
        (changed(metadata, excluded=-1), damaged),
        (changed(metadata, min_count="x"), damaged),
        (changed(metadata, score=3), damaged),
        (changed(metadata, sensitive=["age"]), "age, which is not one of its attributes"),
        (
            changed(metadata, attributes=["sex"], sensitive=["sex"], within=[]),
            "its columns are not those",
        ),
        (changed(metadata, labelled=False), "its columns are not those"),
        (changed(metadata, scale="x"), "x"),
        (changed(metadata, resolution="x"), "no resolution"),
    ]:
        pq.write_table(table.replace_schema_metadata({"evenhand": stored}), path)
        with pytest.raises(ValueError, match=f"people.parquet is not a tally: .*{message}"):
            Tally.load(path)


@pytest.mark.parametrize("name", ["score", "N", "n1"])
def test_an_attribute_like_a_column_of_a_tally(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="like another column of a tally"):
        Tally([0.5], {name: ["a"]}).save(tmp_path / "x.parquet")
    with pytest.raises(ValueError, match="like another column of a tally"):
        Tally([0.5], {name: ["a"]}).to_dict()


def test_rows_that_several_threads_add() -> None:
    tally = Tally([0.5], ["a"])
    start = threading.Barrier(8)
    values = np.random.default_rng(1).random(2000)

    def add(group: str) -> None:
        start.wait()
        for part in np.split(values, 50):
            tally.add(part, [group] * len(part), threads=1)

    workers = [threading.Thread(target=add, args=(name,)) for name in "abcdefgh"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert tally.total == 1 + 8 * 2000
    assert pickle.loads(pickle.dumps(tally)) == tally
    assert copy.deepcopy(tally).add([0.5], ["a"]).total == tally.total + 1


def test_endings_in_any_case(tmp_path: Path) -> None:
    tally = Tally([0.5], {"sex": ["a"]})
    tally.save(tmp_path / "x.PARQUET")
    assert (tmp_path / "x.PARQUET").read_bytes()[:4] == b"PAR1"
    assert Tally.load(tmp_path / "x.PARQUET") == tally


def test_nobody_counts_twice_by_mistake(people: People, tmp_path: Path) -> None:
    """A tally that is in both is refused, whether it was merged before, pooled or saved."""
    one, two = (Tally([score], {"sex": ["F"]}) for score in (0.25, 0.5))
    both = one + two
    assert both.parts == sorted([one.fingerprint, two.fingerprint])
    both.save(tmp_path / "both.parquet")
    loaded = Tally.load(tmp_path / "both.parquet")
    assert (loaded.fingerprint, loaded.parts) == (both.fingerprint, both.parts)
    for again in (one, copy.deepcopy(two), both, loaded):
        with pytest.raises(ValueError, match="would count twice"):
            both.merge(again)
    twice = both.merge(one, allow_repeated=True)
    assert (twice.total, len(twice.parts)) == (3, 3)
    rows = of(people)
    assert rows.pool_rare(2).fingerprint == rows.fingerprint == rows.project(["sex"]).fingerprint
    assert one.add([0.75], {"sex": ["M"]}).fingerprint not in both.parts
