"""Rules: who gets a positive decision, and with what probability."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar, overload

import numpy as np
import numpy.typing as npt

from . import _core as core
from . import _files, _inputs, _options, _tables
from ._calibrate import Calibrator
from ._inputs import Column, Columns
from ._keys import check_key
from ._texts import text_of

Floats = npt.NDArray[np.float64]
Decisions = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Explanation:
    """Why one person gets the decision.

    Attributes
    ----------
    cell : dict
        The person's attributes.
    score : float
        The person's score.
    probability : float
        Of a positive decision.
    threshold : float or None
        The score from which (where low scores are favourable: up to which) the decision is
        certainly positive; None if it never is.
    chance : str
        The probability in words: "yes", "no" or "in 91 of 100 cases".
    rule : str
        What holds for everybody in that cell, in words.
    """

    cell: dict[str, str]
    score: float
    probability: float
    threshold: float | None
    chance: str
    rule: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.rule}; a score of {self.score:.6g}: {self.chance}"


def in_words(probability: float) -> str:
    """Say how likely a positive decision is."""
    if probability == 0:
        return "no"
    if probability == 1:
        return "yes"
    percent = round(100 * probability)
    if percent in (0, 100):
        return f"in {probability:.4%} of cases"
    return f"in {percent} of 100 cases"


class _RuleFile:
    """What rules of both kinds have in common: a core, and a record of how it was found."""

    __slots__ = ("_core", "_null", "_record")
    __hash__ = None  # type: ignore[assignment]
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

    def __eq__(self, other: object) -> bool:
        """Whether both decide alike, bit for bit; how they were found does not count."""
        return type(other) is type(self) and bool(self._core.same_as(other._core))

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

    def _attributes(
        self, named: list[_inputs.NamedColumn], null: str | None, unseen: str
    ) -> list[core.Attribute]:
        """Return the attributes; what is missing has a name, or is a value never seen."""
        _options.text(unseen, "unseen")
        policy = self.null if null is None else _inputs.null_policy(null)
        out = _inputs.attributes(named, policy)
        if unseen == "error":
            _inputs.refuse_missing(out, "null= names missing groups, unseen= decides without")
        if any(attribute.missing for attribute in out):
            name = "?" * (1 + max(map(len, self._values()), default=0))  # longer than any known
            for attribute in out:
                attribute.name_missing(name)
        return out


AnyRule = TypeVar("AnyRule", bound=_RuleFile)


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
            key = Path(key_file).read_bytes()
        self.key = key.encode() if isinstance(key, str) else bytes(key)
        self.ids = _inputs.texts(_inputs.resolved(id, frame, "id"), "id")


class Rule(_RuleFile):
    """For every cell, the probability of a positive decision as a function of the score.

    Made by :func:`evenhand.fit`, or read from a file with :func:`evenhand.load`.

    Examples
    --------
    >>> import evenhand
    >>> rule = evenhand.fit(
    ...     [0.2, 0.4, 0.6, 0.8], {"sex": ["F", "F", "M", "M"]}, criterion="statistical-parity"
    ... ).rule
    >>> rule.probability([0.1, 0.9], ["F", "M"])
    array([0., 1.])
    >>> rule.decide([0.1, 0.9], ["F", "M"], id=["ann", "bob"], key="a secret")
    array([0, 1], dtype=uint8)
    """

    __slots__ = ()
    _kind = core.Rule
    _core: core.Rule

    @property
    def attributes(self) -> list[str]:
        """Names of the attributes, sensitive ones first."""
        return self._core.attributes

    @property
    def cells(self) -> list[dict[str, str]]:
        """The cells that the rule knows."""
        names = self.attributes
        return [dict(zip(names, values, strict=True)) for values in self._core.cells]

    @property
    def thresholds(self) -> list[dict[str, Any]]:
        """For each cell, where its probability changes.

        Each has ``cell``, and either ``start`` and ``steps`` (the probability is ``start``, then
        that of the last pair ``(score, probability)`` that the score has reached) or ``ramp``
        (pairs with straight lines between them). Scores are the caller's own: where low ones are
        favourable, the pairs fall.
        """
        return list(self._core.responses)

    @property
    def level(self) -> int | None:
        """Scores are cut to ``[k, k + 1) / 2**level`` first; None if they are not."""
        return self._core.level

    @property
    def calibrator(self) -> Calibrator | None:
        """What makes probabilities of its scores, if it was fitted with ``calibrate``.

        None for ``calibrate="isotonic"`` by cell on scores that are probabilities: that pools the
        labels while it fits, and keeps no curve.
        """
        found = self._core.calibrator
        return None if found is None else Calibrator(found)

    def _values(self) -> set[str]:
        return {value for cell in self._core.cells for value in cell}

    def _rows(
        self, score: Any, sensitive: Any, within: Any, data: Any, null: str | None, unseen: str
    ) -> tuple[core.Numbers, list[core.Attribute], _inputs.Frame | None]:
        frame = _inputs.frame_of(data)
        scores = self._score_of(score, frame)
        named = _inputs.columns(sensitive, frame, "sensitive")
        named += _inputs.columns(within, frame, "within")
        if not named and frame is not None:
            named = _inputs.columns(self.attributes, frame, "attributes")
        ordered = _inputs.in_order(named, self.attributes, "the rule")
        attributes = self._attributes(ordered, null, unseen)
        for attribute, name in zip(attributes, self.attributes, strict=True):
            attribute.name = name
        given = [("score", scores), *((a.name, a) for a in attributes)]
        _inputs.same_length(given, [] if frame else ordered)
        return scores, attributes, frame

    def probability(
        self,
        score: Column = None,
        sensitive: Columns = None,
        within: Columns = None,
        *,
        data: Any = None,
        unseen: str = "error",
        null: str | None = None,
    ) -> Floats:
        """Return the probability of a positive decision for each row.

        Parameters
        ----------
        score : column
            The scores, in the scale that the rule was fitted in.
        sensitive, within : column or columns
            The attributes, in the order of ``attributes``; columns of a frame or dict are found
            by name.
        data : frame, optional
            Where columns given by name come from. Without ``sensitive`` and ``within`` the
            attributes are its columns of these names; without ``score``, the column that the
            rule was fitted on.
        unseen : {"error", "score", "reject"}
            For cells that the rule does not know: an error that names one, a decision by the
            score alone, or a negative one.
        null : str, optional
            The name of missing groups; by default the one that the rule was fitted with
            (:attr:`null`). Without a name they are an error, or with ``unseen`` cells that the
            rule does not know. Missing scores are an error always.

        Returns
        -------
        numpy.ndarray
            Of float64, in [0, 1].

        Raises
        ------
        IndexError
            For cells that the rule does not know, unless ``unseen`` says otherwise.
        """
        scores, attributes, _ = self._rows(score, sensitive, within, data, null, unseen)
        return self._core.probability(scores, attributes, unseen)

    def decide(
        self,
        score: Column = None,
        sensitive: Columns = None,
        within: Columns = None,
        *,
        id: Column = None,
        key: bytes | str | None = None,
        key_file: _files.PathLike | None = None,
        seed: int | None = None,
        data: Any = None,
        unseen: str = "error",
        null: str | None = None,
    ) -> Decisions:
        """Return the decision for each row, 1 or 0.

        Parameters
        ----------
        score, sensitive, within, data, unseen, null
            As for :meth:`probability`.
        id : column
            Who it is. With the same key the same person always gets the same decision, here, from
            the tool and in SQL.
        key : bytes or str
            The content of the key file. Keep it secret.
        key_file : str or path
            Instead of ``key``: the file whose bytes are the secret, as the tool takes it.
        seed : int
            Instead of id and key: coins by the position of a row.

        Returns
        -------
        numpy.ndarray
            Of uint8.
        """
        scores, attributes, frame = self._rows(score, sensitive, within, data, null, unseen)
        coins = Coins(id, key, key_file, seed, frame)
        if coins.ids is None:
            return self._core.decide_by_seed(scores, attributes, coins.seed, unseen)
        _inputs.same_length([("score", scores), ("id", coins.ids)])
        return self._core.decide_by_key(scores, attributes, coins.ids, coins.key, unseen)

    @overload
    def explain(self) -> str: ...
    @overload
    def explain(
        self, score: float, values: Mapping[str, Any] | None = None, **named: Any
    ) -> Explanation: ...
    def explain(
        self,
        score: float | None = None,
        values: Mapping[str, Any] | None = None,
        **named: Any,
    ) -> str | Explanation:
        """Say the rule in words, or why one person gets the decision.

        Parameters
        ----------
        score : float, optional
            The person's score; without it, the whole rule is described.
        values : dict, optional
            The person's attributes, where their names cannot be keywords.
        **named
            The person's attributes.

        Returns
        -------
        str or Explanation
            The rule in words, or about one person.

        Examples
        --------
        >>> import evenhand
        >>> rule = evenhand.fit(
        ...     [0.2, 0.4, 0.6, 0.8], {"sex": ["F", "F", "M", "M"]},
        ...     criterion="statistical-parity",
        ... ).rule
        >>> print(rule.explain(0.9, sex="M"))
        sex=M: yes from 0.7; a score of 0.9: yes
        """
        if score is None:
            if values or named:
                raise ValueError("give the person's score too")
            return self.describe()
        person = {**(values or {}), **named}
        unknown = [name for name in person if name not in self.attributes]
        missing = [name for name in self.attributes if name not in person]
        if unknown or missing:
            raise ValueError(
                f"the rule's attributes are {self.attributes}"
                + (f"; there is no {unknown[0]!r}" if unknown else f"; {missing[0]!r} is missing")
            )
        texts = [text_of(person[name]) for name in self.attributes]
        if any(text is None for text in texts):
            raise ValueError("a value is missing")
        code = self._core.code_of([text for text in texts if text is not None])
        numbers = _inputs.numbers([score], "score", floats=True)
        attributes = [
            _inputs.attribute([text], name)
            for text, name in zip(texts, self.attributes, strict=True)
        ]
        probability = float(self._core.probability(numbers, attributes, "error")[0])
        response = self._core.responses[code]
        return Explanation(
            cell=response["cell"],
            score=float(score),
            probability=probability,
            threshold=_certain_from(response),
            chance=in_words(probability),
            rule=self._core.describe_cell(code),
        )

    def __repr__(self) -> str:
        """Say what it knows."""
        return f"Rule({len(self._core.cells)} cells of {self.attributes})"


def _certain_from(response: dict[str, Any]) -> float | None:
    if response.get("start") == 1:
        return float("-inf")
    points = response.get("steps", response.get("ramp", []))
    return next((score for score, probability in points if probability == 1), None)


class SoftRule(_RuleFile):
    """A rule for people whose group is only known with a probability.

    Made by :func:`evenhand.fit` with ``soft=``. Whoever uses it needs the columns ``P(S = s | x)``
    and no group.
    """

    __slots__ = ()
    _kind = core.SoftRule
    _core: core.SoftRule

    @property
    def columns(self) -> list[str]:
        """Names of the columns with the probabilities of belonging."""
        return self._core.columns

    @property
    def attributes(self) -> list[str]:
        """Names of the attributes that make strata."""
        return self._core.within

    @property
    def strata(self) -> list[dict[str, Any]]:
        """For each stratum the columns' means and what one unit of each costs."""
        return list(self._core.strata)

    def _values(self) -> set[str]:
        return {value for one in self._core.strata for value in one["stratum"].values()}

    def _rows(
        self, score: Any, soft: Any, within: Any, data: Any, null: str | None, unseen: str
    ) -> tuple[core.Numbers, list[core.Numbers], list[core.Attribute], _inputs.Frame | None]:
        frame = _inputs.frame_of(data)
        scores = self._score_of(score, frame)
        given = self.columns if soft is None and frame is not None else soft
        named = _inputs.in_order(_inputs.columns(given, frame, "soft"), self.columns, "the rule")
        strata = self.attributes if within is None and frame is not None else within
        columns = _inputs.columns(strata, frame, "within") if self.attributes else []
        ordered = _inputs.in_order(columns, self.attributes, "the rule")
        soft_columns = [_inputs.numbers(column.values, column.name) for column in named]
        attributes = self._attributes(ordered, null, unseen)
        _inputs.same_length(
            [("score", scores), *((c.name, c) for c in soft_columns)]
            + [(a.name, a) for a in attributes]
        )
        return scores, soft_columns, attributes, frame

    def probability(
        self,
        score: Column = None,
        soft: Columns = None,
        within: Columns = None,
        *,
        data: Any = None,
        unseen: str = "error",
        null: str | None = None,
    ) -> Floats:
        """Return the probability of a positive decision for each row.

        Parameters
        ----------
        score : column
            The scores.
        soft : columns
            The probabilities of belonging, in the order of ``columns`` or found by name.
        within : column or columns
            The strata.
        data : frame, optional
            Where columns given by name come from, or all of them.
        unseen : {"error", "score", "reject"}
            For strata that the rule does not know.
        null : str, optional
            The name of missing values of ``within``, as for :meth:`Rule.probability`.
        """
        scores, columns, attributes, _ = self._rows(score, soft, within, data, null, unseen)
        return self._core.probability(scores, columns, attributes, unseen)

    def decide(
        self,
        score: Column = None,
        soft: Columns = None,
        within: Columns = None,
        *,
        id: Column = None,
        key: bytes | str | None = None,
        key_file: _files.PathLike | None = None,
        seed: int | None = None,
        data: Any = None,
        unseen: str = "error",
        null: str | None = None,
    ) -> Decisions:
        """Return the decision for each row, 1 or 0; parameters as for :meth:`Rule.decide`."""
        scores, columns, attributes, frame = self._rows(score, soft, within, data, null, unseen)
        coins = Coins(id, key, key_file, seed, frame)
        if coins.ids is None:
            return self._core.decide_by_seed(scores, columns, attributes, coins.seed, unseen)
        _inputs.same_length([("score", scores), ("id", coins.ids)])
        return self._core.decide_by_key(scores, columns, attributes, coins.ids, coins.key, unseen)

    def explain(self) -> str:
        """Say the rule in words."""
        return self.describe()

    def __repr__(self) -> str:
        """Say what it knows."""
        return f"SoftRule({len(self._core.strata)} strata, columns {self.columns})"


def load(path: _files.PathLike) -> Rule | SoftRule:
    """Read a rule of either kind from its file.

    Parameters
    ----------
    path : str or path
        A file that :meth:`Rule.save`, :meth:`evenhand.Fit.save` or the tool wrote.

    Returns
    -------
    Rule or SoftRule
    """
    text = _files.read_text(path)
    try:
        kind: type[Rule] | type[SoftRule] = SoftRule if core.is_soft_rule(text) else Rule
        return kind.from_json(text)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None
