"""Scores of a scikit-learn classifier, of rows that it was not fitted on."""
# ruff: noqa: N803  scikit-learn calls it X

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params

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
    estimator: Any,
    X: Any,
    y: npt.NDArray[Any],
    *,
    cv: Any,
    fit_params: dict[str, Any],
    split_params: dict[str, Any],
    response: str,
    pos_label: Any,
    n_jobs: int | None,
) -> tuple[Floats, Rows | None]:
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
