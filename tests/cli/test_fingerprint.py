"""A tally's fingerprint and checksum, worked out from its Parquet file as docs/formats.md says."""

import hashlib
import json
import struct
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from conftest import Tool

SCALES = ("probability", "signed", "logit", "raw")


def text(value: str) -> bytes:
    """A length, then the bytes."""
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def body(path: Path) -> bytes:
    """The tally as bytes, without its checksum."""
    table, of = pq.read_table(path), metadata(path)
    assert of["resolution"] == "exact"
    low = of["favorable"] == "low"
    assert of["scale"] == "probability" and not of["weighted"]
    cells: dict[tuple[str, ...], list[tuple[float, ...]]] = {}
    for row in table.to_pylist():
        n, n1 = row["n"], row.get("n1")
        entry = (0.0 - row["score"] if low else row["score"], n)
        if n1 is not None:
            entry += (n - n1 if low else n1,)
        cells.setdefault(tuple(row[name] for name in of["attributes"]), []).append(entry)
    out = b"EVENHAND" + struct.pack(
        "<IBBBBBIQI", 1, SCALES.index(of["scale"]), low, of["labelled"], 1, 1, 0xFFFFFFFF, 0, 0xFFFFFFFF)
    out += struct.pack("<Q", len(of["attributes"])) + b"".join(map(text, of["attributes"]))
    out += struct.pack("<Q", len(cells))
    for values, entries in sorted(cells.items()):
        out += b"".join(map(text, values)) + struct.pack("<Q", len(entries))
        out += b"".join(struct.pack(f"<{len(e)}d", *e) for e in sorted(entries))
    return out


def metadata(path: Path) -> dict:
    """What the tool writes beside the counts."""
    return json.loads(pq.read_metadata(path).metadata[b"evenhand"])


def fingerprint(of: bytes) -> str:
    """Of pieces of one MiB, then of their digests."""
    piece = 1 << 20
    digests = (hashlib.sha256(of[at : at + piece]).digest() for at in range(0, len(of), piece))
    return hashlib.sha256(b"".join(digests)).hexdigest()


@pytest.mark.parametrize("rows", [100, 150_000])  # one piece, and several
@pytest.mark.parametrize("options", [("--label", "y"), (), ("--label", "y", "--favorable", "low")])
def test_fingerprints_are_those_of_the_documented_bytes(tool: Tool, rows: int, options: tuple[str, ...]) -> None:
    """Rules, tallies and their checksums agree with them."""
    duckdb.sql(
        f"""COPY (SELECT (hash(i) % 1000003) / 1000003 AS p, hash(i + 1) % 2 AS y,
                         ['ä', 'b'][(1 + hash(i + 2) % 2)::INT] AS g, ['n', 's', 'w'][(1 + hash(i + 3) % 3)::INT] AS r
                  FROM range({rows}) t(i)) TO '{tool.path("rows.parquet")}'""")
    columns = ("--score", "p", "--sensitive", "g", "--within", "r", *options)
    tool("tally", "rows.parquet", *columns, "-o", "tally.parquet").ok()
    path = tool.path("tally.parquet")
    expected = fingerprint(body(path))
    found = metadata(path)
    assert found["fingerprint"] == expected
    checksum = found.pop("checksum")
    compact = json.dumps(found, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(f"{compact}\x1f{expected}".encode()).hexdigest() == checksum
    tool("fit", "rows.parquet", *columns, "--criterion", "statistical-parity", "-o", "rule.json").ok()
    assert json.loads(tool.path("rule.json").read_text())["fit"]["fingerprint"] == expected
