"""The rule of a classifier, from its scores and parameters."""
# ruff: noqa: N803  scikit-learn calls it X

from __future__ import annotations

from inspect import signature
from typing import Any

import sklearn

from .. import _core, _criteria
from .._solve.fit import fit as fit_rule
from .._solve.found import Fit
from .._solve.provenance import Asked, is_usual, made_by, option_text
from .._solve.soft import SoftFit, fit_soft
from .scores import Scores
from .soft_groups import GroupClassifier
from .unseen import IN_FIT, advice


class FitsRules(Scores):
    """What a classifier does to get a rule."""

    solver: str
    tolerance: float | None
    source: Asked
    stamp: bool
    group_estimator: Any
    group_estimator_: Any
    _groups: GroupClassifier

    _FOR_FIT = (
        "tolerance", "ratio", "rho", "require", "no_worse", "across", "allow_many_groups", "blind",
        "lottery", "max_lottery", "confidence", "bound", "certify", "certify_partial",
        "resolution", "gamma", "cost_fp", "cost_fn", "calibrate_by", "solver", "projection",
        "learning_rate", "epochs", "steps", "record_every", "null", "threads",
    )  # fmt: skip
    _FOR_SOFT = ("tolerance", "ratio", "gamma", "cost_fp", "cost_fn", "null", "threads")

    # Secrets, and what changes nothing about the rule.
    _UNRECORDED = frozenset({
        "key", "key_file", "n_jobs", "threads", "source", "stamp", "allow_many_groups",
        "record_every", "unseen",
    })  # fmt: skip

    def _call(self) -> str:
        """Write down how the rule was made: parameters that are not the default."""
        words = []
        for name, parameter in signature(type(self)).parameters.items():
            value = getattr(self, name)
            if name in self._UNRECORDED or is_usual(value, parameter.default):
                continue
            word = option_text(value)
            words.append(word if name == "estimator" else f"{name}={word}")
        return f"evenhand.{type(self).__name__}({', '.join(words)}).fit(X, y)"

    def _made(self) -> bool | _core.FitSource:
        versions = [("scikit-learn", sklearn.__version__)]
        return made_by(self._call, self.source, self.stamp, versions) or False

    def _fitted(self, scores: Any, sensitive: Any, common: dict[str, Any]) -> Fit:
        options = {name: getattr(self, name) for name in self._FOR_FIT}
        with advice(IN_FIT):
            found = fit_rule(
                scores,
                sensitive or None,
                criterion=self._criterion,
                scale=self._scale(),
                base_threshold=self._base_threshold(),
                calibrate=self._calibration(),
                seed=self._seed if self.solver == "sgd" else None,
                source=self._made(),
                **common,
                **options,
            )
        return self._bounded(found)

    def _fitted_soft(self, X: Any, scores: Any, sensitive: Any, common: dict[str, Any]) -> SoftFit:
        usual = {name: one.default for name, one in signature(type(self)).parameters.items()}
        for name in self._FOR_FIT:
            if name not in self._FOR_SOFT and getattr(self, name) != usual[name]:
                raise ValueError(f"group_estimator cannot be combined with {name}")
        if self._scale() == "raw":
            raise ValueError("group_estimator needs probabilities: an estimator with predict_proba")
        by_outcome = _criteria.has_error_rates(self._criterion, ())
        self._groups = GroupClassifier(
            self.group_estimator, self.cv, self.n_jobs, by_outcome=by_outcome
        )
        columns = self._groups.fit(X, scores, sensitive, common["label"])
        self.group_estimator_ = self._groups.fitted_
        several = len(self.group_estimator_.classes_) > 1
        if by_outcome and several and not self.tolerance:  # the last group says nothing new
            columns = {role: dict(list(part.items())[:-1]) for role, part in columns.items()}
        options = {name: getattr(self, name) for name in self._FOR_SOFT}
        with advice(IN_FIT):
            return fit_soft(
                scores, criterion=self._criterion, exhaustive=several and not by_outcome,
                source=self._made(), **columns, **common, **options,
            )  # fmt: skip
