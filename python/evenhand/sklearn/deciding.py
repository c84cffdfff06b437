"""Decisions of a fitted classifier: columns, scores, coins, audits."""
# ruff: noqa: N803, N806  scikit-learn calls it X

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.metrics import accuracy_score
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, indexable, validate_data

from .. import _inputs
from .._audit.audit import Audit, audit_tally
from .._audit.auditing import audit
from .._audit.soft_audit import SoftAudit, audit_soft
from .._inputs import NamedColumn
from .._rule.explanation import Explanation
from .._rule.keys import secret_of
from .._rule.rule import Rule
from .._rule.soft_rule import SoftRule
from .._tally.tally import Tally
from . import rows
from .ids import row_ids
from .scores import Floats, Scores
from .soft_groups import GroupClassifier
from .targets import known_labels
from .unseen import LATER, advice, name_of_missing

ROLES = ("sensitive_features", "control_features")
_Decided = tuple[Any, Floats, dict[str, rows.Attributes]]


class Decides(Scores):
    """What a classifier does once it has a rule."""

    rule_: Rule | SoftRule
    blind: bool
    group_estimator: Any
    _groups: GroupClassifier
    _names: dict[str, list[tuple[str, bool]]]
    _seed: int
    across: str
    cost_fp: float
    cost_fn: float
    resolution: str | int
    threads: int

    def _columns(self, X: Any, length: int, role: str, value: Any) -> list[NamedColumn]:
        """Return the columns of a role: what was given, or those that the constructor names."""
        named = getattr(self, role)
        if value is not None:
            if named is not None:
                raise ValueError(
                    f"{role} is given twice: the constructor names columns of X, {named!r}"
                )
            rows.refuse_reordered(X, value, role)
            return rows.given(value, role, length)
        if named is None:
            return []
        return rows.from_features(X, named, getattr(self, "feature_names_in_", None), role)

    def _features(self, X: Any) -> Any:
        """Return what the estimator sees of X."""
        if not self.drop_attributes:
            return X
        names = getattr(self, "feature_names_in_", None)
        dropped = [
            index
            for role in ROLES
            if getattr(self, role) is not None
            for index in rows.positions(X, getattr(self, role), names, role)
        ]
        return rows.without(X, dropped)

    @property
    def _group_free(self) -> bool:
        """Whether decisions need no group."""
        return bool(self.blind) or self.group_estimator is not None

    def _where(self, X: Any, sensitive_features: Any, control_features: Any) -> _Decided:
        """Return X, its scores, and what the rule needs beside them."""
        if self._group_free and sensitive_features is not None:
            why = "the rule is blind" if self.blind else "group_estimator stands in for the groups"
            raise ValueError(f"{why}: sensitive_features is for fit and audit only")
        X, scores, sensitive, within = self._prepared(
            X, sensitive_features, control_features, groups=not self._group_free
        )
        if self.group_estimator is not None:
            columns = self._groups.columns(self._features(X), scores)
            every = {name: one for part in columns.values() for name, one in part.items()}
            where = {"soft": every, "within": within}
        else:
            where = {"sensitive": sensitive, "within": within}
        return X, scores, where

    def _prepared(
        self, X: Any, sensitive_features: Any, control_features: Any, *, groups: bool = True
    ) -> tuple[Any, Floats, rows.Attributes, rows.Attributes]:
        """Return X, its scores and its attributes under the names of fit.

        Without ``groups``, those of ``sensitive_features`` are left out.
        """
        check_is_fitted(self)
        rows.refuse_flat(X)
        validate_data(self, X, skip_check_array=True, reset=False)
        (X,) = indexable(X)
        scores = self._score(self._features(X))
        found: list[rows.Attributes] = []
        for role, value in zip(ROLES, (sensitive_features, control_features), strict=True):
            wanted = self._names[role]
            if role == ROLES[0] and not groups:
                found.append({})
                continue
            columns = self._columns(X, len(scores), role, value)
            if wanted and not columns:
                names = ", ".join(repr(name) for name, _ in wanted)
                hint = (
                    ""
                    if get_config()["enable_metadata_routing"]
                    else "; for cross-validation and searches enable metadata routing, "
                    "sklearn.set_config(enable_metadata_routing=True), and "
                    f"set_score_request({role}=True), or name columns of X in the constructor"
                )
                raise ValueError(f"{role} is missing: the rule was fitted with {names}{hint}")
            if columns and not wanted:
                raise ValueError(f"{role} is given, but fit had none")
            found.append(rows.canonical(rows.matched(columns, wanted, role)))
        return X, scores, *found

    def _probability(self, scores: Any, where: dict[str, rows.Attributes]) -> Floats:
        columns = {role: given or None for role, given in where.items()}
        rule: Any = self.rule_
        with advice(LATER):
            found: Floats = rule.probability(scores, **columns, unseen=self.unseen)
            return found

    def predict(
        self, X: Any, *,
        sensitive_features: Any = None, control_features: Any = None,
        id: Any = None, key: bytes | str | None = None,
        key_file: str | os.PathLike[str] | None = None,
    ) -> npt.NDArray[Any]:  # fmt: skip
        """Decide for each row.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        sensitive_features, control_features : column or columns, optional
            Unless the constructor names columns of X.
        id : column, optional
            Who it is; the row's own values by default. With the same key the same person always
            has the same decision, here, from the tool and in SQL.
        key : bytes or str, optional
            The secret, instead of the constructor's.
        key_file : str or path, optional
            The file whose bytes are the secret, instead of the constructor's.

        Returns
        -------
        numpy.ndarray
            Of classes.
        """
        check_is_fitted(self)
        secret = secret_of((key, key_file), (self.key, self.key_file), self._seed)
        X, scores, where = self._where(X, sensitive_features, control_features)
        probability = self._probability(scores, where)
        positive = probability == 1
        drawn = np.flatnonzero((probability > 0) & (probability < 1))
        if id is not None:
            length = len(_inputs.ids(id, "id"))
            if length != len(scores):
                raise ValueError(f"X has {len(scores)} rows, but id has {length}")
        if len(drawn):
            ids = row_ids(_safe_indexing(X, drawn)) if id is None else _safe_indexing(id, drawn)
            rule: Any = self.rule_
            some = {role: rows.taken(given, drawn) or None for role, given in where.items()}
            coins = rule.decide(scores[drawn], **some, id=ids, key=secret, unseen=self.unseen)
            positive[drawn] = coins == 1
        place = int(self.classes_[1] == self.pos_label_)
        decided: npt.NDArray[Any] = self.classes_[np.where(positive, place, 1 - place)]
        return decided

    def explain(
        self,
        X: Any,
        *,
        sensitive_features: Any = None,
        control_features: Any = None,
    ) -> list[Explanation]:
        """Say for each row why it gets the decision.

        Parameters
        ----------
        X, sensitive_features, control_features
            As for :meth:`predict`; rules for soft groups have no thresholds to explain.

        Returns
        -------
        list of Explanation
            What :meth:`Rule.explain` says of each.

        Raises
        ------
        IndexError
            For groups that fit has not seen.
        """
        if not isinstance(self.rule_, Rule):
            raise ValueError("a rule for soft groups has no threshold for one person to explain")
        _, scores, where = self._where(X, sensitive_features, control_features)
        columns = {**where["sensitive"], **where["within"]}
        people = zip(*columns.values(), strict=True) if columns else ((),) * len(scores)
        return [
            self.rule_.explain(float(score), dict(zip(columns, values, strict=True)))
            for score, values in zip(scores, people, strict=True)
        ]

    def predict_proba(
        self,
        X: Any,
        *,
        sensitive_features: Any = None,
        control_features: Any = None,
    ) -> Floats:
        """Return the probability of each decision, under the rule.

        Parameters
        ----------
        X, sensitive_features, control_features
            As for :meth:`predict`.

        Returns
        -------
        numpy.ndarray
            Of shape (n_samples, 2), in the order of ``classes_``.
        """
        _, scores, where = self._where(X, sensitive_features, control_features)
        probability = self._probability(scores, where)
        both = (1 - probability, probability)
        return np.column_stack(both if self.classes_[1] == self.pos_label_ else both[::-1])

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *,
        sensitive_features: Any = None, control_features: Any = None,
        id: Any = None, key: bytes | str | None = None,
        key_file: str | os.PathLike[str] | None = None,
    ) -> float:  # fmt: skip
        """Return the share of right decisions.

        Parameters
        ----------
        X, sensitive_features, control_features, id, key, key_file
            As for :meth:`predict`.
        y : array-like of shape (n_samples,)
            What really happened.
        sample_weight : array-like of shape (n_samples,), optional
            How often a row counts.

        Returns
        -------
        float
        """
        decided = self.predict(
            X,
            sensitive_features=sensitive_features,
            control_features=control_features,
            id=id,
            key=key,
            key_file=key_file,
        )
        return float(accuracy_score(y, decided, sample_weight=sample_weight))

    def audit(
        self, X: Any, y: Any = None, *,
        sensitive_features: Any = None, control_features: Any = None, sample_weight: Any = None,
        **options: Any,
    ) -> Audit | SoftAudit:  # fmt: skip
        """Audit what is decided for these rows, by ``unseen`` where fit has not seen the group.

        Parameters
        ----------
        X, sensitive_features, control_features
            As for :meth:`predict`.
        y : array-like of shape (n_samples,), optional
            What really happened.
        sample_weight : array-like of shape (n_samples,), optional
            How often a row counts.
        **options
            Others of :func:`evenhand.audit`: ``within`` (what makes strata in place of
            ``control_features``: names of features, or columns of its own), ``reference``,
            ``require``, ``min_group``, ``confidence``, ``calibration_bins``.

        Returns
        -------
        Audit
            Its ``before`` has the decisions by the score alone. With ``group_estimator``, a
            :class:`evenhand.SoftAudit` by the probabilities of groups.
        """
        if self.group_estimator is not None:
            X, scores, _, within = self._prepared(X, None, control_features, groups=False)
        else:
            X, scores, sensitive, within = self._prepared(X, sensitive_features, control_features)
        label = None
        if y is not None:
            label = known_labels(y, scores, self.classes_, self.pos_label_)
        if isinstance(self.rule_, SoftRule):
            return audit_soft(
                scores, **self._groups.columns(self._features(X), scores), within=within or None,
                label=label, weight=sample_weight, rule=self.rule_, cost_fp=self.cost_fp,
                cost_fn=self.cost_fn, **options,
            )  # fmt: skip
        strata = rows.unnamed(options.get("within"), [*sensitive, *within], len(scores))
        if strata:
            options["within"] = list(strata)
        with advice(LATER):
            tally = Tally(
                scores,
                sensitive or None,
                within={**within, **strata} or None,
                label=label,
                weight=sample_weight,
                scale=self._scale(),
                resolution=self.resolution,
                null=name_of_missing(self.rule_, self.unseen),
                threads=self.threads,
            )
        shared = {
            "rule": self.rule_,
            "unseen": self.unseen,
            "cost_fp": self.cost_fp,
            "cost_fn": self.cost_fn,
            "base_threshold": self._base_threshold(),
            **options,
        }
        if not sensitive:
            return audit_tally(tally, **shared)
        if label is not None:
            shared.setdefault("criterion", self._criterion)
        found: Audit = audit(tally, **{"across": self.across, "threads": self.threads, **shared})
        return found
