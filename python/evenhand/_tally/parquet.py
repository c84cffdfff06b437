"""The tool's Parquet files, through whichever of pyarrow, polars or duckdb is installed."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core, _files
from .counts import COUNTS
from .tally import Tally

SHAPE = "a tally has one row for each cell and score: the attributes' columns, score, n and n1"

Columns = dict[str, Any]


def _ours(metadata: dict[bytes, bytes]) -> str | None:
    """Find the entry of a tally, even if its key is corrupt: without it, counts would be plain."""
    for key, value in metadata.items():
        if key == b"evenhand" or value.startswith(b'{"tally":'):
            return value.decode(errors="replace")
    return None


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
            stored = _ours(file.metadata.metadata or {})
            table = file.read()
        columns = {name: table.column(name) for name in table.column_names}
        return columns, stored


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
        stored = _ours(
            {
                key.encode(): text.encode()
                for key, text in polars.read_parquet_metadata(path).items()
            }
        )
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
                "SELECT key, value FROM parquet_kv_metadata(?)", [path]
            ).fetchall()
        return dict(columns), _ours(dict(stored))


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


def columns_in(path: _files.PathLike) -> Columns:
    """Read the columns of a file."""
    return _engine().read(os.fspath(path))[0]


def write(tally: Tally, path: _files.PathLike) -> None:
    """Write a tally as ``evenhand tally`` does."""
    columns = tally._columns()
    if not tally.weighted:
        for name in ("n", "n1"):
            if name in columns:
                columns[name] = columns[name].astype(np.int64)
    metadata = _core.tally_metadata(tally._core, tally._source)
    engine = _engine()
    _files.replace(path, lambda staged: engine.write(staged, columns, metadata))


def read(
    path: _files.PathLike, *,
    score: str | None = None, attributes: Sequence[str] = (),
    scale: str | None = None, favorable: str | None = None, resolution: str | int | None = None,
) -> Tally:  # fmt: skip
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
        return _described(columns, _core.TallyMetadata.from_json(stored), score)
    except ValueError as error:
        raise ValueError(f"{name} is not a tally: {error}") from None


def _described(columns: Columns, metadata: _core.TallyMetadata, score: str | None) -> Tally:
    named = metadata.source.score or "score"
    if score not in (None, "score", named):
        raise ValueError(f"its metadata name the score {named!r}, not {score!r}")
    metadata.check_columns(list(columns))
    tally = Tally.counted(
        columns["score"],
        columns["n"],
        {name: columns[name] for name in metadata.attributes},
        n1=columns["n1"] if metadata.labelled else None,
        scale=metadata.scale,
        favorable=metadata.favorable,
        resolution=metadata.resolution,
        level=metadata.level,
        weighted=metadata.weighted,
    )
    metadata.check(tally._core)
    return Tally._of(tally._core, metadata.source)


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
    return Tally._of(tally._core, _core.TallySource())
