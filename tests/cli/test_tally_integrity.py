"""Fingerprints and checksums of tallies: nobody counts twice, and no flipped bit gives another rule."""

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from conftest import Tool

TALLY = ("--score", "score", "--sensitive", "sex", "--within", "race", "--label", "y")
FIT = ("--criterion", "statistical-parity")


def metadata(path: Path) -> dict[str, Any]:
    return json.loads(pq.read_schema(path).metadata[b"evenhand"])


def with_metadata(source: Path, target: Path, text: bytes) -> None:
    table = pq.read_table(source)
    pq.write_table(table.replace_schema_metadata({"evenhand": text}), target)


@pytest.fixture
def halves(tool: Tool, people: Path) -> tuple[Path, Path]:
    """Two tallies of different people."""
    table = pq.read_table(people)
    out = []
    for i in range(2):
        pq.write_table(table.slice(2000 * i, 2000), tool.path(f"rows{i}.parquet"))
        tool("tally", f"rows{i}.parquet", *TALLY, "-o", f"{i}.parquet").ok()
        out.append(tool.path(f"{i}.parquet"))
    return out[0], out[1]


def test_a_tally_that_comes_twice_is_refused(tool: Tool, halves: tuple[Path, Path]) -> None:
    """Whether by itself or inside of what was merged before; unless people want it."""
    tool("merge", "0.parquet", "0.parquet", "-o", "m.parquet").fails(2, "0.parquet", "twice")
    assert not tool.path("m.parquet").exists()
    tool("merge", "0.parquet", "1.parquet", "-o", "all.parquet").ok()
    tool("merge", "all.parquet", "1.parquet", "-o", "m.parquet").fails(2, "1.parquet", "twice")
    tool("merge", "all.parquet", "1.parquet", "--allow-repeated", "-o", "m.parquet").ok()
    parts = [metadata(half)["fingerprint"] for half in halves]
    assert metadata(tool.path("all.parquet"))["parts"] == sorted(parts)
    assert metadata(tool.path("m.parquet"))["parts"] == sorted([*parts, parts[1]])


def test_the_fingerprint_is_that_of_the_people(tool: Tool, people: Path) -> None:
    """The same for a tally, for a pooled one, and in the rules of both; another for other people."""
    tool("tally", people, *TALLY, "-o", "t.parquet").ok()
    tool("tally", people, *TALLY, "--min-count", 5, "-o", "pooled.parquet").ok()
    tool("fit", people, *TALLY, *FIT, "-o", "rows.json").ok()
    tool("fit", "--tally", "t.parquet", *FIT, "-o", "tally.json").ok()
    tool("fit", "--tally", "pooled.parquet", *FIT, "-o", "pooled.json").ok()
    tool("fit", "--tally", "t.parquet", "--sensitive", "sex", *FIT, "-o", "sex.json").ok()
    found = {metadata(tool.path(f"{name}.parquet"))["fingerprint"] for name in ("t", "pooled")}
    for name in ("rows", "tally", "pooled", "sex"):
        found.add(json.loads(tool.path(f"{name}.json").read_text())["fit"]["fingerprint"])
    assert len(found) == 1
    pq.write_table(pq.read_table(people).slice(1), tool.path("rows.parquet"))
    tool("tally", "rows.parquet", *TALLY, "-o", "fewer.parquet").ok()
    assert metadata(tool.path("fewer.parquet"))["fingerprint"] not in found


def test_tallies_without_a_fingerprint_are_read(tool: Tool, halves: tuple[Path, Path]) -> None:
    """Those of version 0.1 and of SQL have none, nor a checksum."""
    old = metadata(halves[0])
    for key in ("fingerprint", "checksum"):
        del old[key]
    with_metadata(halves[0], tool.path("old.parquet"), json.dumps(old).encode())
    tool("fit", "--tally", "old.parquet", *FIT, "--no-source", "-o", "old.json").ok()
    tool("fit", "--tally", "0.parquet", *FIT, "--no-source", "-o", "new.json").ok()
    assert tool.path("old.json").read_bytes() == tool.path("new.json").read_bytes()
    tool("merge", "old.parquet", "1.parquet", "-o", "all.parquet").ok()


@pytest.mark.parametrize("key", ["fingerprint", "checksum"])
def test_one_without_the_other_is_corrupt(
    tool: Tool, halves: tuple[Path, Path], key: str
) -> None:
    """Both are written together: a file with one of them was damaged or edited."""
    changed = metadata(halves[0])
    del changed[key]
    with_metadata(halves[0], tool.path("x.parquet"), json.dumps(changed).encode())
    tool("fit", "--tally", "x.parquet", *FIT).fails(2, "x.parquet", "corrupt")


def test_counts_that_were_edited_are_refused(tool: Tool, halves: tuple[Path, Path]) -> None:
    """One person more in one row is enough."""
    table = pq.read_table(halves[0])
    counts = table.column("n").to_pylist()
    counts[3] += 1
    column = table.column_names.index("n")
    edited = table.set_column(column, "n", [counts])
    pq.write_table(edited.replace_schema_metadata(table.schema.metadata), tool.path("x.parquet"))
    tool("fit", "--tally", "x.parquet", *FIT).fails(2, "x.parquet", "checksum")


def test_no_flipped_bit_gives_another_rule(tool: Tool, halves: tuple[Path, Path]) -> None:
    """A file with a flipped bit is refused, or it says the same: the bit was of no importance."""
    tool("fit", "--tally", "0.parquet", *FIT, "--no-source", "-o", "good.json").ok()
    good = hashlib.sha256(tool.path("good.json").read_bytes()).digest()
    content = halves[0].read_bytes()
    flips = random.Random(7)
    refused = 0
    for _ in range(40):
        bad = bytearray(content)
        bad[flips.randrange(len(bad))] ^= 1 << flips.randrange(8)
        tool.path("bad.parquet").write_bytes(bytes(bad))
        ran = tool("fit", "--tally", "bad.parquet", *FIT, "--no-source", "-o", "bad.json")
        if ran.status == 0:
            assert hashlib.sha256(tool.path("bad.json").read_bytes()).digest() == good
        refused += ran.status != 0
    assert refused > 0
