"""The tool's Parquet files, through whichever of pyarrow, polars or duckdb is installed."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _files
from .._core import version
from .._inputs.rows import Source
from .tally import COUNTS, Tally

VERSION = 1
SHAPE = "a tally has one row for each cell and score: the attributes' columns, score, n and n1"

Columns = dict[str, Any]


class _PyArrow:
    @staticmethod
    def write(path: str, columns: Columns, metadata: str) -> None:
        import pyarrow
        import pyarrow.parquet

        texts = {
            name: pyarrow.array(column, pyarrow.string()) if column.dtype == object else column
            for name, column in columns.items()
        }
        table = pyarrow.table(texts).replace_schema_metadata({"evenhand": metadata})
        pyarrow.parquet.write_table(table, path)

    @staticmethod
    def read(path: str) -> tuple[Columns, str | None]:
        import pyarrow.parquet

        with pyarrow.parquet.ParquetFile(path) as file:
            stored = (file.metadata.metadata or {}).get(b"evenhand")
            table = file.read()
        columns = {name: table.column(name) for name in table.column_names}
        return columns, None if stored is None else stored.decode()


class _Polars:
    @staticmethod
    def write(path: str, columns: Columns, metadata: str) -> None:
        import polars

        frame = polars.DataFrame(
            {
                name: polars.Series(column.tolist(), dtype=polars.String)
                if column.dtype == object
                else column
                for name, column in columns.items()
            }
        )
        frame.write_parquet(path, metadata={"evenhand": metadata})

    @staticmethod
    def read(path: str) -> tuple[Columns, str | None]:
        import polars

        frame = polars.read_parquet(path)
        stored = polars.read_parquet_metadata(path).get("evenhand")
        return {name: frame.get_column(name) for name in frame.columns}, stored


class _DuckDB:
    @staticmethod
    def write(path: str, columns: Columns, metadata: str) -> None:
        import duckdb

        def quoted(text: str, mark: str) -> str:
            return mark + text.replace(mark, mark + mark) + mark

        # Columns by number: DuckDB takes names for equal that differ in case only.
        numbered = {f"c{i}": column for i, column in enumerate(columns.values())}
        wanted = ", ".join(f"c{i} AS {quoted(name, chr(34))}" for i, name in enumerate(columns))
        with duckdb.connect() as connection:
            connection.register("entries", numbered)
            connection.execute(
                f"COPY (SELECT {wanted} FROM entries) TO {quoted(path, chr(39))} "
                f"(FORMAT parquet, KV_METADATA {{evenhand: {quoted(metadata, chr(39))}}})"
            )

    @staticmethod
    def read(path: str) -> tuple[Columns, str | None]:
        import duckdb

        with duckdb.connect() as connection:
            columns = connection.execute("SELECT * FROM read_parquet(?)", [path]).fetchnumpy()
            stored = connection.execute(
                "SELECT decode(value) FROM parquet_kv_metadata(?) WHERE key = 'evenhand'::BLOB",
                [path],
            ).fetchone()
        return dict(columns), None if stored is None else stored[0]


ENGINES: dict[str, type[_PyArrow] | type[_Polars] | type[_DuckDB]] = {
    "pyarrow": _PyArrow,
    "polars": _Polars,
    "duckdb": _DuckDB,
}


def _engine() -> type[_PyArrow] | type[_Polars] | type[_DuckDB]:
    for name, engine in ENGINES.items():
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        return engine
    raise ImportError("Parquet files need one of pyarrow, polars or duckdb: pip install pyarrow")


def write(tally: Tally, path: _files.PathLike) -> None:
    """Write a tally as ``evenhand tally`` does."""
    columns = tally._columns()
    if not tally.weighted:
        for name in ("n", "n1"):
            if name in columns:
                columns[name] = columns[name].astype(np.int64)
    metadata = json.dumps(_metadata_of(tally), ensure_ascii=False, separators=(",", ":"))
    engine = _engine()
    _files.replace(path, lambda staged: engine.write(staged, columns, metadata))


def _metadata_of(tally: Tally) -> dict[str, Any]:
    source = tally._source
    out: dict[str, Any] = {
        "tally": VERSION,
        "version": version,
        "attributes": tally.attributes,
        "sensitive": tally.sensitive,
        "within": tally.within,
        "scale": tally.scale,
        "favorable": tally.favorable,
        "resolution": tally.resolution,
    }
    if tally.level is not None:
        out["level"] = tally.level
    out["labelled"] = tally.labelled
    out["weighted"] = tally.weighted
    for name in ("excluded", "min_count", "score", "label", "null"):
        if getattr(source, name):
            out[name] = getattr(source, name)
    return out


def read(
    path: _files.PathLike,
    *,
    score: str | None = None,
    attributes: Sequence[str] = (),
    scale: str | None = None,
    favorable: str | None = None,
    resolution: str | int | None = None,
) -> Tally:
    """Read a tally that the tool, this package or SQL wrote.

    The last kind has no metadata: they are the options, ``score`` and ``attributes`` names of
    columns (of all others, if there are none).

    Raises
    ------
    ValueError
        If it is none, or of a newer version.
    """
    name = os.fspath(path)
    columns, stored = _engine().read(name)
    try:
        if stored is None:
            return _plain(
                columns,
                score or "score",
                attributes,
                scale=scale or "probability",
                favorable=favorable or "high",
                resolution="exact" if resolution is None else resolution,
            )
        return _described(columns, _checked(stored), score)
    except ValueError as error:
        raise ValueError(f"{name} is not a tally: {error}") from None


def _checked(stored: str) -> dict[str, Any]:
    damaged = ValueError("its metadata are damaged")
    try:
        metadata = json.loads(stored)
    except (ValueError, RecursionError):
        raise damaged from None
    if not isinstance(metadata, dict) or type(metadata.get("tally")) is not int:
        raise damaged
    if metadata["tally"] > VERSION:
        raise ValueError(
            f"it is of version {metadata['tally']}, this package reads up to version {VERSION}; "
            "please update"
        )
    sound = (
        metadata["tally"] >= 1
        and all(_are_texts(metadata.get(key)) for key in ("attributes", "sensitive", "within"))
        and all(isinstance(metadata.get(k), str) for k in ("scale", "favorable", "resolution"))
        and all(isinstance(metadata.get(k), bool) for k in ("labelled", "weighted"))
        and all(isinstance(metadata.get(k, ""), str) for k in ("score", "label", "null"))
        and type(metadata.get("level", 0)) is int
        and type(metadata.get("excluded", 0)) is int
        and metadata.get("excluded", 0) >= 0
        and isinstance(metadata.get("min_count", 0), (int, float))
        and metadata.get("min_count", 0) >= 0
    )
    if not sound:
        raise damaged
    return metadata


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _described(columns: Columns, metadata: dict[str, Any], score: str | None) -> Tally:
    attributes = metadata["attributes"]
    named = metadata.get("score", "score")
    if score not in (None, "score", named):
        raise ValueError(f"its metadata name the score {named!r}, not {score!r}")
    for role in ("sensitive", "within"):
        for name in metadata[role]:
            if name not in attributes:
                raise ValueError(f"its metadata name {name!r}, which is no attribute of it")
    counts = COUNTS if metadata["labelled"] else COUNTS[:2]
    if sorted(columns) != sorted([*attributes, *counts]):
        raise ValueError("its columns are not those that its metadata name")
    tally = Tally.counted(
        columns["score"],
        columns["n"],
        {name: columns[name] for name in attributes},
        n1=columns["n1"] if metadata["labelled"] else None,
        scale=metadata["scale"],
        favorable=metadata["favorable"],
        resolution=metadata["resolution"],
        level=metadata.get("level"),
        weighted=metadata["weighted"],
    )
    source = Source(
        score=metadata.get("score"),
        label=metadata.get("label"),
        null=metadata.get("null"),
        excluded=metadata.get("excluded", 0),
        min_count=float(metadata.get("min_count", 0)),
    )
    return Tally._of(tally._core, metadata["sensitive"], metadata["within"], source)


def _plain(columns: Columns, score: str, attributes: Sequence[str], **options: Any) -> Tally:
    """Read one that SQL wrote: if nobody says so, all other columns are attributes."""
    counts = (score, *COUNTS[1:])
    wanted = attributes or [name for name in columns if name not in counts]
    for name in (*wanted, *counts[:2]):
        if name not in columns:
            raise ValueError(f"it has no column {name!r}; {SHAPE}")
    tally = Tally.counted(
        columns[score],
        columns["n"],
        {name: columns[name] for name in wanted},
        n1=columns.get("n1"),
        **options,
    )
    return Tally._of(tally._core, [], [], Source())
