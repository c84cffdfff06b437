"""Tally: counts per cell and score, all that fitting and auditing need."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Any

from .. import _core, _files, _inputs, _options
from .._inputs import Column, Columns
from .._inputs.rows import Rows
from .counts import Counts
from .roles import names_in, names_of, refuse_other_settings, with_roles


class Tally(Counts):
    """Counts of rows per cell and score.

    A tally is all that :func:`evenhand.fit`, :func:`evenhand.audit` and
    :func:`evenhand.frontier` need, and it can be merged with others: sites that may not share
    rows can fit one rule together.

    Parameters
    ----------
    score : column
        The model's scores.
    sensitive : column or columns, optional
        Who belongs to which group.
    within : column or columns, optional
        Groups are compared inside each combination of these.
    label : column, optional
        What really happened, 0 or 1.
    weight : column, optional
        How often a row counts; 1 by default.
    data : frame, optional
        Where columns that are given by name come from.
    scale : {"probability", "signed", "logit", "raw"}
        How a score is read.
    favorable : {"high", "low"}
        Which scores deserve the favourable decision.
    resolution : {"exact", "auto"} or int
        How finely scores are told apart; a number of bits, 16 for 1/65536.
    null : str
        Missing values: "error"; "exclude" leaves such rows out and counts them (``excluded``); any
        other text is the name of missing groups, and a missing score, label or weight is an error.
    threads : int
        0 for as many as there are cores. The result does not depend on it.

    Examples
    --------
    >>> from evenhand import Tally
    >>> tally = Tally([0.2, 0.7, 0.7], ["F", "M", "M"], label=[0, 1, 0])
    >>> tally.to_dict()
    {'sensitive': ['F', 'M'], 'score': [0.2, 0.7], 'n': [1.0, 2.0], 'n1': [0.0, 1.0]}
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, score: Column, sensitive: Columns = None, *,
        within: Columns = None, label: Column = None, weight: Column = None, data: Any = None,
        scale: str = "probability", favorable: str = "high", resolution: str | int = "exact",
        null: str = "error", threads: int = 0,
    ) -> None:  # fmt: skip
        rows = Rows.read(
            score, sensitive, within=within, label=label, weight=weight, data=data, null=null
        )
        self._count(rows, scale, favorable, resolution, threads)

    def _count(
        self, rows: Rows, scale: str, favorable: str, resolution: str | int, threads: int
    ) -> None:
        core = _core.tally_of_rows(
            rows.score, rows.attributes, rows.label, rows.weight, _options.text(scale, "scale"),
            _options.text(favorable, "favorable"), str(resolution), _options.threads(threads),
        )  # fmt: skip
        self._hold(core, rows.source)
        for odd in _core.odd_groups_in_words(core):
            warnings.warn(odd, UserWarning, stacklevel=4)

    @classmethod
    def _of(cls, core: _core.Tally, source: _core.TallySource) -> Tally:
        self = cls.__new__(cls)
        self._hold(core, source)
        return self

    @classmethod
    def counted(
        cls, score: Column, n: Column, sensitive: Columns = None, *,
        n1: Column = None, within: Columns = None,
        data: Any = None,
        scale: str = "probability", favorable: str = "high", resolution: str | int = "exact",
        level: int | None = None, weighted: bool | None = None,
    ) -> Tally:  # fmt: skip
        """Make a tally of columns that were counted already, as by SQL's GROUP BY.

        Parameters
        ----------
        score, sensitive, within, data, scale, favorable, resolution
            As for :class:`Tally`.
        n : column
            Rows with this cell and score, or the sum of their weights.
        n1 : column, optional
            Of these, the ones with the label 1.
        level : int, optional
            With a capped resolution, what the scores were cut to already.
        weighted : bool, optional
            Whether ``n`` is a sum of weights; by default, unless its type is one of whole numbers.

        Examples
        --------
        >>> from evenhand import Tally
        >>> Tally.counted([0.25, 0.75], [4, 2], {"sex": ["F", "M"]}).total
        6.0
        """
        frame = _inputs.frame_of(data)
        groups = _inputs.columns(sensitive, frame, "sensitive")
        strata = _inputs.columns(within, frame, "within")
        scores = _inputs.numbers(_inputs.resolved(score, frame, "score"), "score", floats=True)
        counts = _inputs.numbers(_inputs.resolved(n, frame, "n"), "n")
        positives = _optional_numbers(n1, frame, "n1")
        attributes = _inputs.attributes(groups + strata)
        numbers = [scores, counts, *([] if positives is None else [positives])]
        _inputs.refuse_missing([*numbers, *attributes], "leave such rows out")
        given = [("score", scores), ("n", counts), *((a.name, a) for a in attributes)]
        _inputs.same_length(given + ([("n1", positives)] if positives is not None else []))
        if len(scores) == 0:
            raise ValueError("there are no rows")
        core = _core.tally_of_counts(
            scores,
            counts,
            attributes,
            positives,
            _options.text(scale, "scale"),
            _options.text(favorable, "favorable"),
            str(resolution),
            None if level is None else _options.whole(level, "level", -(2**31), 2**31 - 1),
            not counts.is_whole if weighted is None else weighted,
        )
        source = _core.TallySource(
            sensitive=[column.name for column in groups],
            within=[column.name for column in strata],
            score=_inputs.name_of(score) or "",
        )
        return cls._of(core, source)

    # --- Merging.

    def merge(self, other: Tally, *, allow_repeated: bool = False) -> Tally:
        """Return the tally of both tallies' rows.

        Bit for bit the same in any order as long as weights are whole numbers.

        Parameters
        ----------
        other : Tally
            With the same attributes and settings.
        allow_repeated : bool
            Also merge tallies of the same people, who then count twice.

        Raises
        ------
        ValueError
            If settings or roles differ, or both have the same tally as a part (``parts``).
        """
        if not isinstance(other, Tally):
            raise TypeError(f"a tally merges with a tally, not with {type(other).__name__}")
        core, source = self._now()
        other_core, other_source = other._now()
        return self._of(
            *_core.merge_tallies(core, source, other_core, other_source, bool(allow_repeated))
        )

    def __add__(self, other: Tally) -> Tally:
        """Return the tally of both tallies' rows, as :meth:`merge`."""
        return self.merge(other)

    def __radd__(self, other: object) -> Tally:
        """Add it to 0, where ``sum`` begins."""
        if type(other) is not int or other != 0:
            return NotImplemented
        return self._of(*self._now())

    def add(
        self, score: Column, sensitive: Columns = None, *,
        within: Columns = None, label: Column = None, weight: Column = None, data: Any = None,
        null: str | None = None, threads: int = 0,
    ) -> Tally:  # fmt: skip
        """Count further rows into this tally, and return it.

        Columns are as for :class:`Tally`; attributes are found by name in a frame or dict, else
        taken in this tally's order. Missing values are treated as before unless ``null`` is given.
        Several threads may add at the same time.

        Examples
        --------
        >>> from evenhand import Tally
        >>> tally = Tally([0.2], ["F"]).add([0.7, 0.7], ["M", "M"])
        >>> tally.total
        3.0
        """
        frame = _inputs.frame_of(data)
        named = _inputs.columns(sensitive, frame, "sensitive")
        named += _inputs.columns(within, frame, "within")
        ordered = _inputs.in_order(named, self.attributes, "the tally")
        count = len(self._source.sensitive)
        batch = Tally(
            _inputs.resolved(score, frame, "score"),
            {column.name: column.values for column in ordered[:count]},
            within={column.name: column.values for column in ordered[count:]},
            label=_inputs.resolved(label, frame, "label"),
            weight=_inputs.resolved(weight, frame, "weight"),
            scale=self.scale,
            favorable=self.favorable,
            resolution=self.resolution,
            null=(self._source.null or "error") if null is None else null,
            threads=threads,
        )
        with self._lock:
            self._core = self._core.merge(batch._core)
            self._source = self._source.with_rows(batch._source)
        return self

    def project(self, attributes: Sequence[str]) -> Tally:
        """Return the tally over some of the attributes only, in the given order."""
        names = names_of(attributes, "attributes must be names of the tally's")
        core, source = self._now()
        source = source.pinned(core).with_roles(
            [name for name in source.sensitive if name in names],
            [name for name in source.within if name in names],
        )
        return self._of(core.project(names), source)

    def pool_rare(self, min_count: float) -> Tally:
        """Pool neighbouring scores until no entry has fewer than ``min_count`` rows.

        Notes
        -----
        An exact tally of few rows tells individuals apart; this is the tool's ``--min-count``.
        """
        least = _options.number(min_count, "min_count")
        core, source = self._now()
        return self._of(core.pool_rare(least), source.pinned(core).with_min_count(least))

    # --- Files.

    def save(self, path: _files.PathLike) -> None:
        """Write a file: the tool's Parquet for the ending ``.parquet``, else the library's bytes.

        Parquet needs one of pyarrow, polars or duckdb.
        """
        if os.fspath(path).lower().endswith(".parquet"):
            from . import parquet

            parquet.write(self, path)
        else:
            _files.write_bytes(path, self._core.to_bytes())

    @classmethod
    def load(
        cls, path: _files.PathLike, *,
        score: str | None = None, sensitive: str | Sequence[str] | None = None,
        within: str | Sequence[str] | None = None,
        scale: str | None = None, favorable: str | None = None, resolution: str | int | None = None,
    ) -> Tally:  # fmt: skip
        """Read a file that :meth:`save`, the tool or SQL's GROUP BY wrote.

        Parameters
        ----------
        path : str or path
            The file.
        score : str, optional
            The column of the scores in a Parquet file of plain SQL; "score" by default.
        sensitive, within : str or list of str, optional
            Names of attributes, as for :func:`evenhand.fit` with a tally; others are summed over.
            Neither plain SQL nor a file of bytes says which they are: give them here, or where the
            tally is used.
        scale, favorable, resolution : optional
            As for :class:`Tally`, for a Parquet file of plain SQL. Other files say it themselves,
            and anything else is an error.

        Raises
        ------
        ValueError
            If it is no tally, of a newer version, or says something else.
        """
        asked = names_in(sensitive, "sensitive") + names_in(within, "within")
        if score is not None:
            _options.text(score, "score")
        with open(path, "rb") as file:
            start = file.read(8)
        if start[:4] == b"PAR1":
            from . import parquet

            tally = parquet.read(
                path,
                score=score,
                attributes=asked,
                scale=scale,
                favorable=favorable,
                resolution=resolution,
            )
        else:
            with open(path, "rb") as file:
                content = file.read()
            try:
                core = _core.Tally.from_bytes(content)
            except ValueError as error:
                raise ValueError(f"{os.fspath(path)}: {error}") from None
            tally = cls._of(core, _core.TallySource())
        refuse_other_settings(tally, scale, favorable, resolution, whose=os.fspath(path))
        return with_roles(tally, sensitive, within, needed=False) if asked else tally

    def __eq__(self, other: object) -> bool:
        """Whether cells, settings and entries are the same, bit for bit."""
        return isinstance(other, Tally) and self._core.same_as(other._core)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle by the bytes of its file."""
        core, source = self._now()
        return {"bytes": core.to_bytes(), "source": source}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Read what ``__getstate__`` gave."""
        self._hold(_core.Tally.from_bytes(state["bytes"]), state["source"])


def _optional_numbers(value: Any, frame: _inputs.Frame | None, role: str) -> _core.Numbers | None:
    return None if value is None else _inputs.numbers(_inputs.resolved(value, frame, role), role)
