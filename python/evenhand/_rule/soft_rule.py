"""Rules for people whose group is only known with a probability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, overload

from .. import _core as core
from .. import _files, _inputs
from .._inputs import Column, Columns
from .._inputs.texts import text_of
from .one_person import check_names, is_one, refuse_columns
from .rule_file import Coins, Decisions, Floats, RuleFile, advice_about_unseen


class SoftRule(RuleFile):
    """A rule for people whose group is only known with a probability.

    Made by :func:`evenhand.fit_soft`. Whoever uses it needs the columns ``P(S = s | x)``
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

    def _alone(self, score: Any, person: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns of one person."""
        check_names(score, person, [*self.columns, *self.attributes], "columns")
        strata = {name: [text_of(person[name])] for name in self.attributes}
        return {
            "score": [score],
            "soft": {name: [person[name]] for name in self.columns},
            "within": strata or None,
        }

    @overload
    def probability(
        self, score: Column = None, soft: Columns = None, within: Columns = None, *,
        data: Any = None, unseen: str = "error", null: str | None = None,
    ) -> Floats: ...  # fmt: skip
    @overload
    def probability(self, score: float, *, unseen: str = "error", **person: Any) -> float: ...
    def probability(
        self, score: Column = None, soft: Columns = None, within: Columns = None, *,
        data: Any = None, unseen: str = "error", null: str | None = None,
        **person: Any,
    ) -> Floats | float:  # fmt: skip
        """Return the probability of a positive decision for each row, or of one person.

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
        **person
            Columns and strata of one person, by name: ``rule.probability(0.3, p_female=0.8)``.
        """
        if person or is_one(score, data):
            refuse_columns(person, soft, within, data)
            return float(self.probability(unseen=unseen, **self._alone(score, person))[0])
        scores, columns, attributes, _ = self._rows(score, soft, within, data, null, unseen)
        with advice_about_unseen():
            return self._core.probability(scores, columns, attributes, unseen)

    @overload
    def decide(
        self, score: Column = None, soft: Columns = None, within: Columns = None, *,
        id: Column = None, key: bytes | str | None = None, key_file: _files.PathLike | None = None,
        seed: int | None = None,
        data: Any = None, unseen: str = "error", null: str | None = None,
    ) -> Decisions: ...  # fmt: skip
    @overload
    def decide(self, score: float, **person: Any) -> int: ...
    def decide(
        self, score: Column = None, soft: Columns = None, within: Columns = None, *,
        id: Column = None, key: bytes | str | None = None, key_file: _files.PathLike | None = None,
        seed: int | None = None,
        data: Any = None, unseen: str = "error", null: str | None = None,
        **person: Any,
    ) -> Decisions | int:  # fmt: skip
        """Return the decision for each row, 1 or 0; parameters as for :meth:`Rule.decide`."""
        if person or is_one(score, data):
            refuse_columns(person, soft, within, data)
            decided = self.decide(
                id=None if id is None else [id], key=key, key_file=key_file, seed=seed,
                unseen=unseen, **self._alone(score, person),
            )  # fmt: skip
            return int(decided[0])
        scores, columns, attributes, frame = self._rows(score, soft, within, data, null, unseen)
        coins = Coins(id, key, key_file, seed, frame)
        return self._decided(scores, (columns, attributes), coins, unseen)

    def explain(self) -> str:
        """Say the rule in words."""
        return self.describe()

    def __repr__(self) -> str:
        """Say what it knows."""
        return f"SoftRule({len(self._core.strata)} strata, columns {self.columns})"
