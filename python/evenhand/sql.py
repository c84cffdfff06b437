"""Statements for data that stay in a warehouse: the same bits on its engine.

A tally is a GROUP BY, a rule a CASE, a coin a hash. :meth:`evenhand.Rule.to_sql` decides,
:func:`tally` and :func:`audit` count, :func:`key` gives what statements need of the secret.

Examples
--------
>>> from evenhand import sql
>>> print(sql.tally("people", score="p", sensitive="sex", dialect="duckdb").splitlines()[0])
SELECT
"""

from __future__ import annotations

from collections.abc import Sequence

from . import _core, _files, _options
from ._inputs import null_policy
from ._rule.keys import check_key, read_key_file

Names = str | Sequence[str] | None


def names_of(value: Names, role: str) -> list[str]:
    """Return names of columns, of one or of several."""
    if value is None:
        return []
    names = [value] if isinstance(value, str) else list(value)
    return [_options.text(name, role) for name in names]


def source_of(table: str | None, select: str | None) -> tuple[str, str]:
    """Return where the rows are.

    Raises
    ------
    ValueError
        Unless it is one of the two.
    """
    if (table is None) == (select is None):
        raise ValueError("say where the rows are: table= or select=, one of the two")
    return (
        "" if table is None else _options.text(table, "table"),
        "" if select is None else _options.text(select, "select"),
    )


def _counted(
    role: str, column: str, table: str | None, select: str | None, sensitive: Names, within: Names,
    label: str | None, weight: str | None, dialect: str, null: str, *,
    scale: str = "probability", favorable: str = "high", resolution: str | int = "exact",
) -> str:  # fmt: skip
    """Return a SELECT that counts rows by cell and by the scores or decisions in ``column``."""
    return _core.sql_count(
        role == "decision",
        _options.text(dialect, "dialect"),
        *source_of(table, select),
        _options.text(column, role),
        names_of(sensitive, "sensitive") + names_of(within, "within"),
        label or "",
        weight or "",
        _options.text(scale, "scale"),
        _options.text(favorable, "favorable"),
        str(resolution),
        null_policy(null),
        False,
    )


def tally(
    table: str | None = None, *,
    select: str | None = None, score: str, sensitive: Names = None,
    within: Names = None, label: str | None = None, weight: str | None = None,
    dialect: str,
    scale: str = "probability", favorable: str = "high", resolution: str | int = "exact",
    null: str = "error",
) -> str:  # fmt: skip
    """Return a SELECT that counts rows by cell and score.

    Its result, as Parquet, goes into :meth:`evenhand.Tally.load`, as columns into
    :meth:`evenhand.Tally.counted`, as CSV or Parquet into ``evenhand fit --tally``.

    Parameters
    ----------
    table : str, optional
        The table with the rows: ``"people"``, ``"shop.people"``.
    select : str, optional
        A SELECT of the rows instead, taken as it is.
    score, sensitive, within, label, weight : str or list of str
        Names of columns. Weights are whole numbers: sums of fractions depend on their order.
    dialect : {"duckdb", "postgresql", "spark", "bigquery", "snowflake", "trino"}
        The engine.
    scale, favorable, resolution, null
        As for :class:`evenhand.Tally`; a resolution of "auto" depends on all rows and is refused.

    Returns
    -------
    str
    """
    return _counted(
        "score", score, table, select, sensitive, within, label, weight, dialect, null,
        scale=scale, favorable=favorable, resolution=resolution,
    )  # fmt: skip


def audit(
    table: str | None = None, *,
    select: str | None = None,
    decision: str, sensitive: Names = None,
    within: Names = None, label: str | None = None, weight: str | None = None,
    dialect: str,
    null: str = "error",
) -> str:  # fmt: skip
    """Return a SELECT that counts decisions already made, by cell.

    Its result goes into ``evenhand audit --tally``.

    Parameters
    ----------
    decision : str
        The column with the decisions, 0 or 1.
    table, select, sensitive, within, label, weight, dialect, null
        As for :func:`tally`.

    Returns
    -------
    str
    """
    return _counted(
        "decision", decision, table, select, sensitive, within, label, weight, dialect, null
    )


def key(
    key: bytes | str | None = None,
    *,
    key_file: _files.PathLike | None = None,
    dialect: str | None = None,
) -> str:
    """Return K, what statements need of the secret.

    Parameters
    ----------
    key : bytes or str, optional
        The secret that :meth:`evenhand.Rule.decide` takes.
    key_file : str or path, optional
        A file of it instead.
    dialect : str, optional
        Return what sets K for a session of this engine instead of K alone.

    Notes
    -----
    Whoever has K can foresee coins: keep it as the key.
    """
    return _core.sql_key(secret(key, key_file), dialect or "")


def secret(key: bytes | str | None, key_file: _files.PathLike | None) -> bytes:
    """Return the bytes of a secret.

    Raises
    ------
    ValueError
        If there is none, or it is empty.
    """
    check_key(key, key_file)
    if key_file is not None:
        key = read_key_file(key_file)
    if not key:
        raise ValueError("the key is missing or empty: anybody could guess the coins")
    return key.encode() if isinstance(key, str) else bytes(key)
