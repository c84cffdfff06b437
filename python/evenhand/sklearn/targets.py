"""Targets and weights of a classifier of two classes."""
# ruff: noqa: N803  scikit-learn calls it X

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)

Labels = npt.NDArray[np.uint8]
"""Which rows are of the favourable class."""


def classes_of(y: Any, fitted: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return y as an array, and its two classes.

    Parameters
    ----------
    y : array-like
        The targets.
    fitted : estimator or None
        Whose classes count, if it is not fitted again.
    """
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}."
        )
    y = column_or_1d(y, warn=True)
    classes = np.unique(y)
    if fitted is not None:
        message = (
            "This %(name)s instance is not fitted, and cv='prefit' does not fit it. Clones are "
            "not fitted, and cross-validation and searches make some: give "
            "FrozenEstimator(...) instead, which stays fitted."
        )
        check_is_fitted(fitted, msg=message)
        known = np.asarray(fitted.classes_)
        _refuse_strays(classes, known, "which the fitted estimator does not know")
        classes = known
    if len(classes) != 2:
        what = "one class" if len(classes) == 1 else f"{len(classes)}"
        raise ValueError(f"y must have two classes, not {what}: {classes.tolist()[:5]}")
    return y, classes


def favourable_class(classes: npt.NDArray[Any], pos_label: Any) -> Any:
    """Return the favourable class: the one that ``pos_label`` says, or 1 of 0 and 1.

    Raises
    ------
    ValueError
        If nobody says which it is: the alphabet does not.
    """
    known = classes.tolist()
    if pos_label is None:
        if classes.dtype.kind in "biuf" and known == [0, 1]:
            return classes[1]
        raise ValueError(f"give pos_label, the favourable one of the classes {known}")
    chosen = pos_label(known) if callable(pos_label) else pos_label
    if chosen not in known:
        raise ValueError(f"pos_label={pos_label!r} is not a class of y: {known}")
    return chosen


def favourable(y: npt.NDArray[Any], pos_label: Any) -> Labels:
    """Return which rows are of the favourable class."""
    return np.asarray(y == pos_label).astype(np.uint8)


def known_labels(y: Any, rows: Any, classes: npt.NDArray[Any], pos_label: Any) -> Labels:
    """Return which rows are of the favourable class, where fit has settled the classes."""
    check_consistent_length(rows, y)
    y = column_or_1d(y)
    _refuse_strays(np.unique(y), classes, "which fit has not seen")
    return favourable(y, pos_label)


def _refuse_strays(found: npt.NDArray[Any], known: npt.NDArray[Any], why: str) -> None:
    stray = [one for one in found.tolist() if one not in known]
    if stray:
        raise ValueError(f"y has the class {stray[0]!r}, {why}")


def weights_of(
    sample_weight: Any, X: Any, y: npt.NDArray[Any], one_class: bool
) -> npt.NDArray[np.float64]:
    """Return how often each row counts; with ``one_class``, rows of one class are enough."""
    weight: npt.NDArray[np.float64] = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weight < 0).any():
        raise ValueError(
            "sample_weight must not be negative, but that of row "
            f"{np.flatnonzero(weight < 0)[0]} is {weight[weight < 0][0]:g}"
        )
    if not one_class and len(np.unique(y[weight > 0])) < 2:
        raise ValueError("sample_weight leaves rows of one class only")
    return weight
