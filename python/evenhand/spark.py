"""Tallies, decisions and audits of Spark DataFrames, on the executors.

Everything is made of Spark's own column expressions, the ones of :mod:`evenhand.sql`: no Python
runs on the executors, in classic Spark or through Spark Connect, and the bits are those of the
library. Needs pyspark 4: ``pip install 'evenhand[spark]'``.
"""

from __future__ import annotations

import importlib
import uuid
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _files, _options
from . import sql as _sql
from ._audit.audit import Audit
from ._audit.auditing import audit as _audit
from ._inputs import null_policy
from ._rule.rule import Rule
from ._rule.soft_rule import SoftRule
from ._tally.tally import Tally

try:
    import pyspark
    from pyspark.sql.types import IntegralType, NumericType
except ModuleNotFoundError as missing:
    if (missing.name or "").partition(".")[0] not in ("pyspark", "pyarrow", "pandas"):
        raise
    raise ImportError(
        "evenhand.spark needs pyspark 4 with pyarrow: pip install 'evenhand[spark]'"
    ) from missing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

if int(pyspark.__version__.partition(".")[0]) < 4:
    raise ImportError(f"evenhand.spark needs pyspark 4, not {pyspark.__version__}")

MOST_ROWS = 20_000_000
"""Of a tally that the driver takes, unless it is told otherwise."""

Names = _sql.Names


def tally(
    df: DataFrame, *,
    score: str, sensitive: Names = None,
    within: Names = None, label: str | None = None, weight: str | None = None,
    scale: str = "probability", favorable: str = "high", resolution: str | int = "exact",
    null: str = "error",
    max_rows: int = MOST_ROWS,
) -> Tally:  # fmt: skip
    """Count the rows of a DataFrame by cell and score; the driver sees the counts only.

    Parameters
    ----------
    df : DataFrame
        The rows, which stay in the cluster.
    score, sensitive, within, label, weight : str or list of str
        Names of columns. Weights are whole numbers.
    scale, favorable, resolution, null
        As for :class:`evenhand.Tally`; a resolution of "auto" is refused.
    max_rows : int
        The most entries that the driver takes.

    Returns
    -------
    Tally
        Bit for bit that of the same rows in memory.

    Raises
    ------
    ValueError
        If there are more entries than ``max_rows``: choose a ``resolution``.
    """
    columns = _collected(
        df, False, score, sensitive, within, label, weight, scale, favorable, resolution, null,
        max_rows,
    )  # fmt: skip
    counts = _Counts(columns, "score", score, sensitive, within, label, weight, null)
    return counts.tally(scale, favorable, resolution)


def apply(
    df: DataFrame, rule: Rule | SoftRule, *,
    id: str | None = None, key: bytes | str | None = None, key_file: _files.PathLike | None = None,
    score: str | None = None,
    unseen: str = "error", null: str | None = None,
    probability_name: str = "probability", decision_name: str = "decision",
) -> DataFrame:  # fmt: skip
    """Add the probability of a positive decision and the decision to every row.

    Parameters
    ----------
    df : DataFrame
        The rows, with the rule's attributes as columns.
    rule : Rule or SoftRule
        The rule.
    id : str, optional
        The column that identifies people; needed if the rule decides about some by a coin.
    key, key_file : optional
        The secret, as for :meth:`evenhand.Rule.decide`. What the plan shows of it is its hash, by
        which coins can be foreseen: see ``spark.redaction.string.regex``.
    score, unseen, null
        As for :meth:`evenhand.Rule.to_sql`. With ``unseen="error"`` the job fails, and names the
        group.
    probability_name, decision_name : str
        Names of the columns that are added.

    Returns
    -------
    DataFrame

    Raises
    ------
    ValueError
        If there is a column of that name already, or one that the rule needs is missing.
    """
    added = [
        _options.text(probability_name, "probability_name"),
        _options.text(decision_name, "decision_name"),
    ]
    for name in added:
        if name.lower() in map(str.lower, df.columns):
            raise ValueError(f"there is a column {name!r} already: give another name")
    given = rule._sql_columns(score, id, unseen, null)
    soft = rule.columns if isinstance(rule, SoftRule) else []
    _check_columns(df, [given[0], *([id] if id else []), *rule.attributes, *soft])
    secret = _free_name([*df.columns, *added], "evenhand_key")
    whole_ids = id is not None and isinstance(_types(df)[id.lower()], IntegralType)
    probability, decision = _core.sql_decision(
        rule._core, "spark", *given, secret, whole_ids, added[0]
    )
    rows, functions = df, _functions(df)
    if id is not None:
        k = _core.sql_key(_sql.secret(key, key_file), "")
        rows = df.select("*", functions.lit(k).alias(secret))
    elif key is not None or key_file is not None:
        raise ValueError("key needs id=, the column with ids")
    # One after the other: Spark evaluates the probability once, and decides by what came of it.
    rows = rows.select("*", functions.expr(probability).alias(added[0]))
    out = rows.select("*", functions.expr(decision).alias(added[1]))
    return out.drop(secret) if id is not None else out


def audit(
    df: DataFrame, *,
    decision: str | None = None, score: str | None = None,
    rule: Rule | None = None, sensitive: Names = None,
    within: Names = None, label: str | None = None, weight: str | None = None,
    scale: str | None = None, favorable: str | None = None, resolution: str | int = "exact",
    null: str | None = None,
    max_rows: int = MOST_ROWS,
    **options: Any,
) -> Audit:  # fmt: skip
    """Audit decisions that were made, scores, or a rule, of the rows of a DataFrame.

    Parameters
    ----------
    df : DataFrame
        The rows.
    decision : str, optional
        The column with decisions, 0 or 1.
    score : str, optional
        The column with scores instead; with ``rule``, the one it was fitted on by default.
    rule : Rule, optional
        The rule whose decisions are audited.
    sensitive, within, label, weight, scale, favorable, resolution, null, max_rows
        As for :func:`tally`; of a rule, as it was fitted.
    **options
        Further ones of :func:`evenhand.audit`.

    Returns
    -------
    Audit
    """
    if decision is not None:
        if score is not None or rule is not None:
            raise ValueError("give either decision, or score and rule")
        policy = null_policy("error" if null is None else null)
        columns = _collected(
            df, True, decision, sensitive, within, label, weight, "probability", "high", "exact",
            policy, max_rows,
        )  # fmt: skip
        counts = _Counts(columns, "decision", decision, sensitive, within, label, weight, policy)
        made = counts.tally("probability", "high", "exact", label_is_harm=favorable == "low")
        return _audit(decision=made, **options)
    if rule is not None:
        recorded = rule.record.get("columns", {})
        score = score or recorded.get("score")
        sensitive = sensitive or recorded.get("sensitive") or rule.attributes
        within = within or recorded.get("within")
        scale, favorable = scale or rule.scale, favorable or rule.favorable
        null = rule.null if null is None else null
    if score is None:
        raise ValueError("name the column to be audited: decision= or score=")
    scored = tally(
        df,
        score=score,
        sensitive=sensitive,
        within=within,
        label=label,
        weight=weight,
        scale=scale or "probability",
        favorable=favorable or "high",
        resolution=resolution,
        null="error" if null is None else null,
        max_rows=max_rows,
    )
    return _audit(scored, rule=rule, **options)


def _check_columns(df: DataFrame, names: list[str]) -> None:
    known = set(map(str.lower, df.columns))
    for name in names:
        if name.lower() not in known:
            raise ValueError(f"there is no column {name!r}: the rows have {df.columns}")


def _types(df: DataFrame) -> dict[str, Any]:
    return {field.name.lower(): field.dataType for field in df.schema.fields}


def _functions(df: DataFrame) -> Any:
    """Return those for such DataFrames, whatever other session there is."""
    connect = type(df).__module__.startswith("pyspark.sql.connect.")
    return importlib.import_module(
        "pyspark.sql.connect.functions" if connect else "pyspark.sql.functions"
    )


def _free_name(names: list[str], name: str) -> str:
    taken = set(map(str.lower, names))
    while name in taken:
        name += "_"
    return name


def _collected(
    df: DataFrame, decisions: bool, score: str, sensitive: Names, within: Names, label: str | None,
    weight: str | None, scale: str, favorable: str, resolution: str | int, null: str, max_rows: int,
) -> dict[str, Any]:  # fmt: skip
    """Run the statement that counts, and return its columns."""
    most = _options.whole(max_rows, "max_rows", 1, 2**31 - 2)
    attributes = _sql.names_of(sensitive, "sensitive") + _sql.names_of(within, "within")
    truths = [name for name in (label, score if decisions else None) if name]
    _check_columns(
        df, [score, *attributes, *([label] if label else []), *([weight] if weight else [])]
    )
    types = _types(df)
    numeric = all(isinstance(types[name.lower()], NumericType) for name in truths)
    view = f"evenhand_{uuid.uuid4().hex}"
    text = _core.sql_count(
        decisions, "spark", view, "", _options.text(score, "score"), attributes, label or "",
        weight or "", _options.text(scale, "scale"), _options.text(favorable, "favorable"),
        str(resolution), null_policy(null), numeric,
    )  # fmt: skip
    df.createOrReplaceTempView(view)
    try:
        table = df.sparkSession.sql(text).limit(most + 1).toArrow()
    finally:
        df.sparkSession.catalog.dropTempView(view)
    if table.num_rows > most:
        raise ValueError(
            f"the tally has more than {most:,} entries: choose resolution=16, or another number "
            "of bits, or raise max_rows"
        )
    return {name: table.column(i) for i, name in enumerate(table.column_names)}


class _Counts:
    """Columns of counts, and where they are from."""

    def __init__(
        self, columns: dict[str, Any], scores: str, score: str, sensitive: Names, within: Names,
        label: str | None, weight: str | None, null: str,
    ) -> None:  # fmt: skip
        self.columns, self.scores = columns, scores
        self.groups = _sql.names_of(sensitive, "sensitive")
        self.strata = _sql.names_of(within, "within")
        self.label, self.weighted = label, weight is not None
        self.source = _core.TallySource(
            sensitive=self.groups,
            within=self.strata,
            score=score,
            label=label or "",
            weight=weight or "",
            null=null,
        )

    def tally(
        self, scale: str, favorable: str, resolution: str | int, *, label_is_harm: bool = False
    ) -> Tally:
        """Make a tally of them."""
        n = self.columns["weight" if self.weighted else "n"]
        n1 = None
        if self.label is not None:
            n1 = self.columns["weight1" if self.weighted else "n1"]
            if label_is_harm:
                n1 = np.asarray(n) - np.asarray(n1)
        made = Tally.counted(
            np.asarray(self.columns[self.scores], dtype=np.float64),
            n,
            {name: self.columns[name] for name in self.groups} or None,
            within={name: self.columns[name] for name in self.strata} or None,
            n1=n1,
            scale=scale,
            favorable=favorable,
            resolution=resolution,
            weighted=self.weighted,
        )
        return Tally._of(made._core, self.source)
