"""Scores of a scikit-learn classifier, of rows that it was not fitted on, and what they mean."""
# ruff: noqa: N803  scikit-learn calls it X

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv, train_test_split
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params

from .. import _inputs
from .._calibrate import Calibrator
from .._criteria import has_error_rates
from .._rule.keys import check_key
from .._solve.bound import Bound
from .._solve.found import Fit

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]

METHODS = ("predict_proba", "decision_function")


def response_of(estimator: Any, wanted: str) -> str:
    """Return the name of the method that gives scores."""
    for name in METHODS if wanted == "auto" else (wanted,):
        if hasattr(estimator, name):
            return name
    missing = " nor ".join(METHODS) if wanted == "auto" else wanted
    raise AttributeError(f"{type(estimator).__name__} has no {missing}")


def score_of(estimator: Any, X: Any, response: str, pos_label: Any) -> Floats:
    """Return scores of the favourable class."""
    values = np.asarray(getattr(estimator, response)(X), dtype=np.float64)
    classes = np.asarray(estimator.classes_)
    if len(classes) != 2:
        raise ValueError(
            f"the estimator was fitted on {len(classes)} class: a fold without the other one? "
            "Use fewer folds, or a splitter that keeps both classes in each"
        )
    place = int(np.flatnonzero(classes == pos_label)[0])
    if response == "decision_function":
        return values if place == 1 else -values
    positive = values[:, place]
    # Sums of probabilities in float32 may pass 1 by a rounding.
    near = (positive > 1) & (positive < 1 + 1e-6)
    return np.where(near, 1.0, positive)


def held_out_scores(
    estimator: Any, X: Any, y: npt.NDArray[Any], *,
    cv: Any, fit_params: dict[str, Any], split_params: dict[str, Any], response: str,
    pos_label: Any,
    n_jobs: int | None,
) -> tuple[Floats, Rows | None]:  # fmt: skip
    """Score rows by classifiers that were fitted on others.

    Returns
    -------
    scores : numpy.ndarray
        In the order of the rows if each is held out once.
    tested : numpy.ndarray or None
        Else whose they are: some rows may be held out several times, or never.
    """
    values, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        rare = values[counts.argmin()].item()
        raise ValueError(
            f"there is one row only of the class {rare!r}, and a fold would be without: give more "
            "rows, or cv=None to trust the scores of the rows that the estimator is fitted on"
        )

    def one(train: Any, test: Any) -> tuple[Rows, Floats]:
        train, test = (_positions(part) for part in (train, test))
        fitted = clone(estimator)
        fitted.fit(
            _safe_indexing(X, train),
            _safe_indexing(y, train),
            **_check_method_params(X, fit_params, indices=train),
        )
        return test, score_of(fitted, _safe_indexing(X, test), response, pos_label)

    folds = check_cv(cv, y, classifier=True).split(X, y, **split_params)
    results = Parallel(n_jobs=n_jobs)(delayed(one)(train, test) for train, test in folds)
    tested = np.concatenate([test for test, _ in results])
    scores = np.concatenate([score for _, score in results])
    if len(tested) == len(y) == len(np.unique(tested)):
        ordered = np.empty(len(y))
        ordered[tested] = scores
        return ordered, None
    return scores, tested


def _positions(part: Any) -> Rows:
    array = np.asarray(part)
    return np.flatnonzero(array) if array.dtype == bool else array


class Scores:
    """What a classifier takes for scores, by its parameters."""

    estimator: Any
    estimator_: Any
    _seed: int
    classes_: npt.NDArray[Any]
    pos_label_: Any
    response_method_: str
    criterion: str | None
    constraints: str | None
    require: str | Sequence[str]
    base_threshold: float | None
    calibrate: str | Calibrator
    drop_attributes: bool
    response_method: str
    cv: Any
    prefit: bool | None
    calibration_size: float | int | None
    certify: float | None
    confidence: float | None
    unseen: str
    null: str
    key: bytes | str | None
    key_file: str | os.PathLike[str] | None
    n_jobs: int | None

    @property
    def _criterion(self) -> str | None:
        return self.criterion or self.constraints

    def _check_choices(self) -> None:
        choices = {
            "response_method": ("auto", "predict_proba", "decision_function"),
            "unseen": ("error", "score", "reject"),
        }
        for name, known in choices.items():
            value = getattr(self, name)
            if value not in known:
                raise ValueError(f"there is no {name} {value!r}: use {', '.join(known)}")
        if self.calibration_size is not None and self._frozen:
            raise ValueError("calibration_size holds rows out of a fit: the estimator has its own")
        if self.certify is not None and self._why_no_bound():
            raise ValueError(
                f"certify is not possible: {self._why_no_bound()}; use calibration_size=0.5 to "
                "hold rows out for the rule, or a FrozenEstimator"
            )
        if isinstance(self.cv, str) and self.cv != "prefit":
            raise ValueError(f"there is no cv {self.cv!r}: use a number, a splitter or 'prefit'")
        if _inputs.null_policy(self.null) == "exclude":
            raise ValueError(
                "null='exclude' is not possible: everybody gets a decision; give a name for "
                "missing groups, or take the rows away before fit"
            )
        check_key(self.key, self.key_file)
        if self.drop_attributes and any(
            callable(getattr(self, role)) for role in ("sensitive_features", "control_features")
        ):
            raise ValueError("drop_attributes needs names or positions of columns, not a function")

    def _give_advice(self) -> None:
        """Accept Fairlearn's names, and say what they are called here."""
        if self.criterion and self.constraints:
            raise ValueError("give criterion, not constraints as well: it is Fairlearn's name")
        names = {"constraints": f"criterion={self.constraints!r}", "prefit": "cv='prefit'"}
        for name, ours in names.items():
            if getattr(self, name):
                message = f"{name} is Fairlearn's name; here it is {ours}"
                warnings.warn(message, UserWarning, stacklevel=3)

    @property
    def _frozen(self) -> bool:
        prefit = bool(self.prefit) or (isinstance(self.cv, str) and self.cv == "prefit")
        return prefit or isinstance(self.estimator, FrozenEstimator)

    def _why_no_bound(self) -> str:
        """Say why nothing is promised for new people, if so."""
        if self._frozen or self.calibration_size is not None:
            return ""
        if self.cv is None or self.cv is False:
            return "the scores come from a model that was fitted on the same rows"
        return "the scores come from other models than the final one"

    def _bounded(self, fit: Fit) -> Fit:
        """Take the bound back where the scores of new people come from another model."""
        if reason := self._why_no_bound():
            fit.bound = Bound._none(reason, fit.bound.confidence)
        return fit

    def _scores(
        self, X: Any, y: Any, fit_params: dict[str, Any], split_params: dict[str, Any]
    ) -> tuple[Floats, Rows | None]:
        """Fit the classifier; return scores for the rule, and their rows, None for all."""
        self.estimator_ = self.estimator
        if self.calibration_size is not None:
            train, test = train_test_split(
                np.arange(len(y)),
                test_size=self.calibration_size,
                stratify=y,
                random_state=self._seed,
            )
            self.estimator_ = clone(self.estimator).fit(
                _safe_indexing(X, train),
                _safe_indexing(y, train),
                **_check_method_params(X, fit_params, indices=train),
            )
            self.response_method_ = response_of(self.estimator_, self.response_method)
            test = np.sort(test)
            return self._score(_safe_indexing(X, test)), test
        if not self._frozen:
            self.estimator_ = clone(self.estimator).fit(X, y, **fit_params)
        self.response_method_ = response_of(self.estimator_, self.response_method)
        if self._frozen or self.cv is None or self.cv is False:
            return self._score(X), None
        return held_out_scores(
            self.estimator,
            X,
            y,
            cv=self.cv,
            fit_params=fit_params,
            split_params=split_params,
            response=self.response_method_,
            pos_label=self.pos_label_,
            n_jobs=self.n_jobs,
        )

    def _score(self, X: Any) -> Floats:
        return score_of(self.estimator_, X, self.response_method_, self.pos_label_)

    def _scale(self) -> str:
        return "raw" if self.response_method_ == "decision_function" else "probability"

    def _base_threshold(self) -> float | None:
        """Return where the classifier's own decisions begin: at 0 for ``decision_function``."""
        if self.base_threshold is None and self.response_method_ == "decision_function":
            return 0.0
        return self.base_threshold

    def _calibration(self) -> str | Calibrator:
        if not (isinstance(self.calibrate, str) and self.calibrate == "auto"):
            return self.calibrate
        if self.response_method_ != "decision_function" or has_error_rates(
            self._criterion, self.require
        ):
            return "none"
        return "platt"
