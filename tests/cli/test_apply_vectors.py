"""`evenhand apply` gives the probabilities and decisions of `tests/vectors`, bit for bit."""

from __future__ import annotations

import csv
import re
import struct
from itertools import groupby
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import PROJECT, Tool

VECTORS = PROJECT / "tests/vectors"
NAMES = sorted(path.name.removesuffix(".rule.json") for path in VECTORS.glob("*.rule.json"))


def double(bits: str) -> float:
    """Read the bits of a double."""
    return struct.unpack(">d", bytes.fromhex(bits))[0]


def bits_of(value: float) -> str:
    """Write the bits of a double."""
    return struct.pack(">d", value).hex()


class Vectors:
    """The table of a rule, and its columns for the tool."""

    def __init__(self, name: str) -> None:
        """Read NAME.tsv."""
        plain = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}
        with (VECTORS / f"{name}.tsv").open(encoding="utf-8", newline="\n") as file:
            lines = file.read().split("\n")[:-1]
        header, *rows = [
            [re.sub(r"\\.", lambda m: plain[m[0]], field) for field in line.split("\t")]
            for line in lines
        ]
        self.attributes = header[8:]
        self.rows = [
            (dict(zip(header[:8], row[:8])), row[8:]) for row in rows
        ]
        self.path = VECTORS / f"{name}.rule.json"

    def calls(self) -> list[tuple[dict[str, str], list[tuple[dict[str, str], list[str]]]]]:
        """Group the rows that can be asked about in one call."""

        def key(row: tuple[dict[str, str], list[str]]) -> tuple[str, ...]:
            return (row[0]["unseen"], row[0]["coin"], row[0]["secret"])

        fine = [row for row in self.rows if re.fullmatch("[0-9a-f]{16}", row[0]["q_bits"])]
        return [
            (rows[0][0], rows)
            for rows in (list(group) for _, group in groupby(sorted(fine, key=key), key))
        ]

    def columns(self, rows: list[tuple[dict[str, str], list[str]]]) -> dict[str, list[Any]]:
        """Make columns for a file."""
        out: dict[str, list[Any]] = {
            "the score": [double(row["score_bits"]) for row, _ in rows],
            "the person": [row["who"] for row, _ in rows],
        }
        for i, attribute in enumerate(self.attributes):
            out[attribute] = [values[i] for _, values in rows]
        return out


def asked(tool: Tool, vectors: Vectors, how: dict[str, str], data: str, *more: object) -> Any:
    """Apply the vectors' rule to a file."""
    if how["coin"] == "key":
        tool.write("key", bytes.fromhex(how["secret"]))
        toss = ["--id", "the person", "--key-file", "key"]
    else:
        toss = ["--seed", how["secret"]]
    return tool("apply", data, "--rule", vectors.path, "--score", "the score", *toss, "--unseen",
                how["unseen"], "--threads", 1, *more)


@pytest.mark.parametrize("name", NAMES)
def test_probabilities_and_decisions_are_those_of_the_vectors_in_parquet(
    tool: Tool, name: str
) -> None:
    """Every front end gives the same bits; decisions too, by key and by seed."""
    vectors = Vectors(name)
    for how, rows in vectors.calls():
        pq.write_table(pa.table(vectors.columns(rows)), tool.path("in.parquet"))
        asked(tool, vectors, how, "in.parquet", "-q", "-o", "out.parquet").ok()
        out = pq.read_table(tool.path("out.parquet")).to_pydict()
        assert [bits_of(q) for q in out["probability"]] == [row["q_bits"] for row, _ in rows]
        assert [str(d) for d in out["decision"]] == [row["decision"] for row, _ in rows]


@pytest.mark.parametrize("name", [*NAMES[::3], "hostile", "hostile-escaped", "steps-tiny"])
def test_probabilities_and_decisions_are_those_of_the_vectors_in_csv(
    tool: Tool, name: str
) -> None:
    """A score that passes through text is the same score, and an empty text is not missing."""
    vectors = Vectors(name)
    how, rows = max(vectors.calls(), key=lambda call: len(call[1]))
    columns = vectors.columns(rows)
    with tool.path("in.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))
    asked(tool, vectors, how, "in.csv", "-q", "-o", "out.csv").ok()
    with tool.path("out.csv").open(encoding="utf-8", newline="") as file:
        out = list(csv.DictReader(file))
    assert [bits_of(float(row["probability"])) for row in out] == [r["q_bits"] for r, _ in rows]
    assert [row["decision"] for row in out] == [row["decision"] for row, _ in rows]


@pytest.mark.parametrize("word", ["unseen", "invalid"])
def test_rows_that_the_vectors_refuse_are_refused(tool: Tool, word: str) -> None:
    """A cell that was never seen and a score outside the scale have no answer."""
    found = 0
    for name in ("hostile", "level-0-low", "logit-high", "ramps", "signed-low", "steps-few"):
        vectors = Vectors(name)
        refused = [row for row in vectors.rows if row[0]["q_bits"] == word]
        for row in refused[:1]:
            pq.write_table(pa.table(vectors.columns([row])), tool.path("in.parquet"))
            asked(tool, vectors, row[0], "in.parquet", "-o", "out.parquet").fails(2)
            found += 1
    assert found >= 5
    assert not tool.path("out.parquet").exists()
