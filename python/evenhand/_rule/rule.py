"""Rules: who gets a positive decision, and with what probability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, overload

from .. import _core as core
from .. import _files, _inputs
from .._calibrate import Calibrator
from .._inputs import Column, Columns
from .._inputs.texts import text_of
from .explanation import Explanation, certain_from, in_words
from .one_person import check_names, is_one, refuse_columns
from .rule_file import Coins, Decisions, Floats, RuleFile, advice_about_unseen


class Rule(RuleFile):
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
        self, score: Any, sensitive: Any, within: Any, data: Any, null: str | None, unseen: str,
        keep: bool = False,
    ) -> tuple[core.Numbers, list[core.Attribute], _inputs.Frame | None]:  # fmt: skip
        frame = _inputs.frame_of(data)
        scores = self._score_of(score, frame)
        named = _inputs.columns(sensitive, frame, "sensitive")
        named += _inputs.columns(within, frame, "within")
        if not named and frame is not None and self.attributes:
            named = _inputs.columns(self.attributes, frame, "attributes")
        ordered = _inputs.in_order(named, self.attributes, "the rule")
        attributes = self._attributes(ordered, null, unseen, keep)
        for attribute, name in zip(attributes, self.attributes, strict=True):
            attribute.name = name
        given = [("score", scores), *((a.name, a) for a in attributes)]
        _inputs.same_length(given, [] if frame else ordered)
        return scores, attributes, frame

    def _person(self, score: Any, person: Mapping[str, Any]) -> list[str]:
        """Return one person's values as texts, in the order of ``attributes``."""
        check_names(score, person, self.attributes, "attributes")
        texts = [text_of(person[name]) for name in self.attributes]
        if any(text is None for text in texts):
            raise ValueError("a value is missing")
        return [text for text in texts if text is not None]

    def _alone(self, score: Any, person: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns of one person."""
        texts = self._person(score, person)
        named = zip(self.attributes, texts, strict=True)
        return {"score": [score], "sensitive": {name: [text] for name, text in named}}

    @overload
    def probability(
        self, score: Column = None, sensitive: Columns = None, within: Columns = None, *,
        data: Any = None, unseen: str = "error", null: str | None = None,
    ) -> Floats: ...  # fmt: skip
    @overload
    def probability(self, score: float, *, unseen: str = "error", **person: Any) -> float: ...
    def probability(
        self, score: Column = None, sensitive: Columns = None, within: Columns = None, *,
        data: Any = None, unseen: str = "error", null: str | None = None,
        **person: Any,
    ) -> Floats | float:  # fmt: skip
        """Return the probability of a positive decision for each row, or of one person.

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
        **person
            The attributes of one person, by name: ``rule.probability(0.3, sex="F")``. A blind
            rule has none: ``rule.probability(0.3)``.

        Returns
        -------
        numpy.ndarray or float
            Of float64, in [0, 1]; of one person, a number.

        Raises
        ------
        IndexError
            For cells that the rule does not know, unless ``unseen`` says otherwise.
        """
        if person or is_one(score, data):
            refuse_columns(person, sensitive, within, data)
            alone = self._core.person_probability(score, person, unseen)
            if alone is not None:
                return alone
            return float(self.probability(unseen=unseen, **self._alone(score, person))[0])
        scores, attributes, _ = self._rows(score, sensitive, within, data, null, unseen)
        with advice_about_unseen():
            return self._core.probability(scores, attributes, unseen)

    @overload
    def decide(
        self, score: Column = None, sensitive: Columns = None, within: Columns = None, *,
        id: Column = None, key: bytes | str | None = None, key_file: _files.PathLike | None = None,
        seed: int | None = None,
        data: Any = None, unseen: str = "error", null: str | None = None,
    ) -> Decisions: ...  # fmt: skip
    @overload
    def decide(self, score: float, **person: Any) -> int: ...
    def decide(
        self, score: Column = None, sensitive: Columns = None, within: Columns = None, *,
        id: Column = None, key: bytes | str | None = None, key_file: _files.PathLike | None = None,
        seed: int | None = None,
        data: Any = None, unseen: str = "error", null: str | None = None,
        **person: Any,
    ) -> Decisions | int:  # fmt: skip
        """Return the decision for each row, 1 or 0, or for one person.

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
        **person
            The attributes of one person, by name:
            ``rule.decide(0.3, sex="F", id="ann", key="a secret")``.

        Returns
        -------
        numpy.ndarray or int
            Of uint8; of one person, a number.
        """
        if person or is_one(score, data):
            refuse_columns(person, sensitive, within, data)
            if key_file is None:
                one = self._core.person_decision(score, person, unseen, id, key, seed)
                if one is not None:
                    return one
            decided = self.decide(
                id=None if id is None else [id], key=key, key_file=key_file, seed=seed,
                unseen=unseen, **self._alone(score, person),
            )  # fmt: skip
            return int(decided[0])
        scores, attributes, frame = self._rows(score, sensitive, within, data, null, unseen)
        coins = Coins(id, key, key_file, seed, frame)
        return self._decided(scores, (attributes,), coins, unseen)

    def log(
        self, score: Column = None, sensitive: Columns = None, within: Columns = None, *,
        id: Column = None, key: bytes | str | None = None, key_file: _files.PathLike | None = None,
        seed: int | None = None,
        data: Any = None, unseen: str = "error", null: str | None = None,
    ) -> dict[str, list[Any]]:  # fmt: skip
        """Say why each decision is made: the columns of the log that the tool's ``--log`` writes.

        Parameters are those of :meth:`decide`; :func:`evenhand.verify` checks each line again.

        Returns
        -------
        dict
            Columns, for any library of frames: ``id``, fingerprints of ``rule`` and ``key``,
            ``cell``, ``score``, ``threshold``, ``probability``, ``coin``, ``decision`` and
            ``reason``, in words.
        """
        scores, attributes, frame = self._rows(score, sensitive, within, data, null, unseen, True)
        coins = Coins(id, key, key_file, seed, frame)
        keyed = coins.ids is not None
        if coins.ids is not None:
            _inputs.same_length([("score", scores), ("id", coins.ids)])
        with advice_about_unseen():
            return core.decision_log(
                self._core, scores, attributes, coins.ids, coins.key if keyed else None,
                None if keyed else coins.seed, unseen,
            )  # fmt: skip

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
        if values is not None and not isinstance(values, Mapping):
            raise TypeError("values is a dict of the person's attributes")
        texts = self._person(score, {**(values or {}), **named})
        code = self._core.code_of(texts)
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
            threshold=certain_from(response),
            chance=in_words(probability),
            rule=self._core.describe_cell(code),
        )

    def to_onnx(self, *, score: str | None = None, unseen: str = "error") -> Any:
        """Return the rule as an ONNX model, with the same bits of probability.

        Needs the package onnx: ``pip install 'evenhand[onnx]'``.

        Parameters
        ----------
        score : str, optional
            What to call the scores; by default the column that the rule was fitted on, else
            "score".
        unseen : {"error", "score", "reject"}
            For cells that the rule does not know. A model cannot raise errors: "error" gives NaN,
            and so does a score that is not valid, whatever ``unseen`` says.

        Returns
        -------
        onnx.ModelProto
            One input of texts for each attribute and one of doubles, the scores, each of shape
            ``[n]``; the output ``probability``. Coins are not part of it.
        """
        from .onnx_model import model_of

        return model_of(self, score or self._column("score") or "score", unseen)

    def __repr__(self) -> str:
        """Say what it knows."""
        return f"Rule({len(self._core.cells)} cells of {self.attributes})"
