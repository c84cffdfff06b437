"""From Parquet to Parquet: values stay, and so do types, but for those that docs/tool.md names."""

from __future__ import annotations

import datetime
import decimal

import pyarrow as pa
import pyarrow.parquet as pq

from conftest import Tool

N = 6
HOURS = [datetime.datetime(2025, 3, 30, hour) for hour in range(N)]
KEPT = {
    "double": pa.array([0.1] * N),
    "float": pa.array([0.5] * N, pa.float32()),
    "tiny": pa.array(range(N), pa.int8()),
    "large": pa.array([2**64 - 1] * N, pa.uint64()),
    "truth": pa.array([True, None] * 3),
    "text": pa.array(["nan", "", None, "Ä", "1.0", " x "]),
    "bytes": pa.array([b"\x00\xff"] * N),
    "decimal": pa.array([decimal.Decimal("1.10")] * N, pa.decimal128(10, 2)),
    "day": pa.array([datetime.date(2025, 1, 1)] * N),
    "nanoseconds": pa.array([1000 * i for i in range(N)], pa.timestamp("ns")),
    "microseconds": pa.array(range(N), pa.timestamp("us")),
    "clock": pa.array(range(N), pa.time64("us")),
    "utc": pa.array(HOURS, pa.timestamp("us", tz="UTC")),
}
CHANGED = {
    "dictionary": (pa.array(["x", None] * 3).dictionary_encode(), pa.string()),
    "fixed": (pa.array([bytes([i] * 4) for i in range(N)], pa.binary(4)), pa.binary()),
    "long text": (pa.array(["a"] * N, pa.large_string()), pa.string()),
    "half": (pa.array([0.5] * N, pa.float16()), pa.float32()),
    "nothing": (pa.nulls(N), pa.int32()),
    "milliseconds": (pa.array(range(N), pa.timestamp("ms")), pa.timestamp("us")),
    "zone": (
        pa.array(HOURS, pa.timestamp("us", tz="Europe/Berlin")),
        pa.timestamp("us", tz="UTC"),
    ),
}


def test_types_of_arrow_pass_through_as_documented(tool: Tool) -> None:
    """Every value, and the type that docs/tool.md promises."""
    duration = pa.array([1000 * i for i in range(N)], pa.duration("ms"))
    columns = {**KEPT, **{name: column for name, (column, _) in CHANGED.items()}}
    people = {"score": pa.array([i / N for i in range(N)]), "g": pa.array(list("ababab"))}
    pq.write_table(pa.table({**people, **columns, "duration": duration}), tool.path("in.parquet"))
    given = ("--score", "score", "--sensitive", "g", "--criterion", "statistical-parity")
    tool("fit", "in.parquet", *given, "-o", "rule.json").ok()
    tool("apply", "in.parquet", "--rule", "rule.json", "--seed", 1, "-o", "out.parquet").ok()
    found = pq.read_table(tool.path("out.parquet"))
    for name, column in columns.items():
        assert found[name].to_pylist() == column.to_pylist(), name
    for name, column in KEPT.items():
        assert found.schema.field(name).type == column.type, name
    for name, (_, expected) in CHANGED.items():
        assert found.schema.field(name).type == expected, name
    assert found["duration"].to_pylist() == [1000 * i for i in range(N)]
