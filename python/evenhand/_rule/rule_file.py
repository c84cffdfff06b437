"""What rules of both kinds have in common: their files, their columns and their coins."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from .. import _core as core
from .. import _files, _inputs, _options, _tables
from .keys import check_key, read_key_file

Floats = npt.NDArray[np.float64]
Decisions = npt.NDArray[np.uint8]


class RuleFile:
    """What rules of both kinds have in common: a core, and a record of how it was found."""

    __slots__ = ("_core", "_null", "_record")
    _kind: ClassVar[Any]
    _core: Any
    _null: str | None
    _record: str | Callable[[], str]  # asked for when it is needed

    def __init__(self) -> None:
        raise TypeError(
            f"a {type(self).__name__} is not made by hand: "
            "evenhand.fit(...).rule finds one, evenhand.load(path) reads one"
        )

    @classmethod
    def _of(
        cls: type[AnyRule],
        rule: Any,
        record: str | Callable[[], str] = "",
        null: str | None = None,
    ) -> AnyRule:
        self = cls.__new__(cls)
        self._core = rule
        self._record = record
        self._null = null
        return self

    def _record_text(self) -> str:
        if not isinstance(self._record, str):
            self._record = self._record()
        return self._record

    @property
    def record(self) -> dict[str, Any]:
        """How the rule was found, if that is known: the member ``fit`` of its file."""
        text = self._record_text()
        return json.loads(text) if text else {}

    def _column(self, role: str) -> str | None:
        columns = self.record.get("columns")
        name = columns.get(role) if isinstance(columns, dict) else None
        return name if isinstance(name, str) and name else None

    @property
    def null(self) -> str:
        """What was done with missing groups in the fit, if it is known; else "error"."""
        return self._null or self._column("null") or "error"

    @property
    def scale(self) -> str:
        """How a score is read: probability, signed, logit or raw."""
        return str(self._core.scale)

    @property
    def favorable(self) -> str:
        """Which scores deserve the favourable decision: high or low."""
        return str(self._core.favorable)

    def describe(self) -> str:
        """Return the rule in plain words."""
        return str(self._core.describe())

    def to_json(self) -> str:
        """Return the text of the rule's file, which the tool reads too."""
        return str(self._core.to_json(self._record_text()))

    @classmethod
    def from_json(cls: type[AnyRule], text: str) -> AnyRule:
        """Read the text of a rule's file.

        Raises
        ------
        ValueError
            For anything but a well-formed rule of a version that is known.
        """
        text = _options.text(text, "the text of a rule's file")
        record = core.fit_record(text)
        return cls._of(cls._kind.from_json(text), "" if record == "{}" else record)

    def save(self, path: _files.PathLike) -> None:
        """Write the rule's file."""
        _files.write_text(path, self.to_json())

    @classmethod
    def load(cls: type[AnyRule], path: _files.PathLike) -> AnyRule:
        """Read a rule's file, written here or by the tool."""
        text = _files.read_text(path)
        try:
            return cls.from_json(text)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None

    def to_sql(
        self, table: str | None = None, *,
        select: str | None = None,
        dialect: str, score: str | None = None, id: str | None = None,
        unseen: str = "error", null: str | None = None, probability_name: str = "probability",
        decision_name: str = "decision",
    ) -> str:  # fmt: skip
        """Return a SELECT that decides for every row of a table, with the same bits.

        Parameters
        ----------
        table, select, dialect : str
            The rows and the engine, as for :func:`evenhand.sql.tally`.
        score : str, optional
            The column with the score; by default the one that the rule was fitted on.
        id : str, optional
            The column that identifies people; needed if the rule decides about some by a coin.
        unseen : {"error", "score", "reject"}
            For cells that the rule does not know; the error is one of the engine, which names
            the group.
        null : str, optional
            The name of missing groups, as for :meth:`Rule.probability`.
        probability_name, decision_name : str
            Names of the columns that are added.

        Notes
        -----
        The secret does not stand in the statement: :func:`evenhand.sql.key` says what to give to
        the session, or to the query as a parameter.

        Raises
        ------
        ValueError
            For a soft rule on the logit scale, which needs ``exp``; coins without ``id``; names
            that the engine cannot write.
        """
        from ..sql import source_of

        return core.sql_apply(
            self._core,
            _options.text(dialect, "dialect"),
            *source_of(table, select),
            *self._sql_columns(score, id, unseen, null),
            _options.text(probability_name, "probability_name"),
            _options.text(decision_name, "decision_name"),
        )

    def _sql_columns(
        self, score: str | None, id: str | None, unseen: str, null: str | None
    ) -> tuple[str, str, str, str]:
        """Return score, id, unseen and the name of missing groups, as SQL is given them."""
        score = score or self._column("score")
        if score is None:
            raise ValueError("score is missing: name the column with the score")
        policy = self.null if null is None else _inputs.null_policy(null)
        return (
            _options.text(score, "score"),
            "" if id is None else _options.text(id, "id"),
            _options.text(unseen, "unseen"),
            "" if policy in ("error", "exclude") else policy,
        )

    def __eq__(self, other: object) -> bool:
        """Whether both decide alike, bit for bit; how they were found does not count."""
        return type(other) is type(self) and bool(self._core.same_as(other._core))

    def __hash__(self) -> int:
        """Rules that decide alike have the same."""
        return hash((type(self), str(self._core.to_json(""))))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the text of its file."""
        return _restored, (type(self), self.to_json(), self._null)

    def _repr_html_(self) -> str:
        return _tables.html_lines(repr(self), self.describe())

    def _score_of(self, score: Any, frame: _inputs.Frame | None) -> core.Numbers:
        if score is None:
            score = self._column("score")
        if score is None:
            raise ValueError("score is missing: give the scores, or their column's name in data")
        return _inputs.numbers(_inputs.resolved(score, frame, "score"), "score", floats=True)

    def _values(self) -> set[str]:
        """Return all values of attributes that the rule knows."""
        raise NotImplementedError

    def _decided(
        self, scores: core.Numbers, columns: tuple[Any, ...], coins: Coins, unseen: str
    ) -> Decisions:
        """Return the decision for each row, from the columns that this kind of rule takes."""
        if coins.ids is not None:
            _inputs.same_length([("score", scores), ("id", coins.ids)])
        with advice_about_unseen():
            decided: Decisions = (
                self._core.decide_by_seed(scores, *columns, coins.seed, unseen)
                if coins.ids is None
                else self._core.decide_by_key(scores, *columns, coins.ids, coins.key, unseen)
            )
            return decided

    def _attributes(
        self, named: list[_inputs.NamedColumn], null: str | None, unseen: str, keep: bool = False
    ) -> list[core.Attribute]:
        """Return the attributes; what is missing has a name, or is a value never seen.

        With ``keep`` it may stay missing.
        """
        _options.text(unseen, "unseen")
        policy = self.null if null is None else _inputs.null_policy(null)
        out = _inputs.attributes(named, policy)
        if unseen == "error":
            _inputs.refuse_missing(out, "null= names missing groups, unseen= decides without")
        if not keep and any(attribute.missing for attribute in out):
            name = "?" * (1 + max(map(len, self._values()), default=0))  # longer than any known
            for attribute in out:
                attribute.name_missing(name)
        return out


@contextmanager
def advice_about_unseen() -> Iterator[None]:
    """Say which option decides about groups that a rule has never seen.

    Raises
    ------
    IndexError
        That the compiled half raises for these, with the option.
    """
    try:
        yield
    except IndexError as error:
        raise IndexError(f"{error} (unseen='score' or unseen='reject')") from None


AnyRule = TypeVar("AnyRule", bound=RuleFile)


def _restored(kind: type[AnyRule], text: str, null: str | None) -> AnyRule:
    rule = kind.from_json(text)
    rule._null = null
    return rule


class Coins:
    """What decides where a probability is neither 0 nor 1."""

    def __init__(
        self, id: Any, key: Any, key_file: Any, seed: int | None, frame: _inputs.Frame | None
    ) -> None:
        check_key(key, key_file)
        self.ids: core.Texts | None = None
        self.key = b""
        self.seed = 0
        if id is None and key is None and key_file is None:
            if seed is None:
                raise ValueError(
                    "say how coins fall: id= and key= (or key_file=) for decisions that stay with "
                    "people, or seed= for coins by position"
                )
            if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
                raise TypeError("seed must be a whole number")
            if not 0 <= seed < 2**64:
                raise ValueError("seed must be from 0 to 2**64 - 1")
            self.seed = int(seed)
            return
        if id is None or (key is None and key_file is None):
            raise ValueError("id and key (or key_file) belong together: give both")
        if seed is not None:
            raise ValueError("give either id and key, or seed, not both")
        if key_file is not None:
            key = read_key_file(key_file)
        self.key = key.encode() if isinstance(key, str) else bytes(key)
        self.ids = _inputs.ids(_inputs.resolved(id, frame, "id"), "id")
