"""Groups by a second classifier, for rules that decide without knowing anybody's group."""
# ruff: noqa: N803  scikit-learn calls it X

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.model_selection import check_cv, cross_val_predict

from .._inputs.texts import text_of
from .rows import Attributes
from .scores import Floats


def names_of(sensitive: Attributes) -> npt.NDArray[np.str_]:
    """Return each row's group as a text: its value, or ``sex=F, race=Black`` of several columns.

    Raises
    ------
    ValueError
        If somebody's group is missing: it is what the classifier learns from.
    """
    columns = {name: [text_of(value) for value in values] for name, values in sensitive.items()}
    for name, texts in columns.items():
        if None in texts:
            raise ValueError(f"{name} has a missing value, in row {texts.index(None)}: "
                             "group_estimator learns from known groups")  # fmt: skip
    if len(columns) == 1:
        return np.array(next(iter(columns.values())))
    rows = zip(*columns.values(), strict=True)
    return np.array([
        ", ".join(f"{name}={text}" for name, text in zip(columns, row, strict=True))
        for row in rows
    ])  # fmt: skip


def with_score(X: Any, scores: Floats) -> Any:
    """Return X with the score as a further column, which makes its columns mean what they say."""
    if hasattr(X, "assign"):
        return X.assign(**{_free(X.columns): scores})
    if hasattr(X, "with_columns"):
        import polars

        return X.with_columns(polars.Series(_free(X.columns), scores))
    if hasattr(X, "tocsr"):
        from scipy import sparse

        return sparse.hstack([X, scores[:, None]]).tocsr()
    return np.column_stack([np.asarray(X), scores])


def _free(names: Any) -> str:
    name = "evenhand score"
    while name in names:
        name += "'"
    return name


class GroupClassifier:
    """The probability of each group, given what the score's classifier sees and the score."""

    def __init__(self, estimator: Any, cv: Any, n_jobs: int | None) -> None:
        self._estimator = estimator
        self._cv = cv if isinstance(cv, int) and not isinstance(cv, bool) else 5
        self._n_jobs = n_jobs

    def fit(self, X: Any, scores: Floats, sensitive: Attributes) -> dict[str, Floats]:
        """Fit on all rows; return columns by classifiers that were fitted on other rows."""
        seen, groups = with_score(X, scores), names_of(sensitive)
        held_out = cross_val_predict(
            clone(self._estimator),
            seen,
            groups,
            cv=check_cv(self._cv, groups, classifier=True),
            n_jobs=self._n_jobs,
            method="predict_proba",
        )
        self.fitted_ = clone(self._estimator).fit(seen, groups)
        return self._columns(held_out)

    def columns(self, X: Any, scores: Floats) -> dict[str, Floats]:
        """Return the probability of each group, for new rows."""
        return self._columns(self.fitted_.predict_proba(with_score(X, scores)))

    def _columns(self, chances: Any) -> dict[str, Floats]:
        clipped = np.clip(np.asarray(chances, dtype=np.float64), 0, 1)
        shares = clipped / clipped.sum(axis=1, keepdims=True)
        names = [f"p_{group}" for group in self.fitted_.classes_]
        return {name: np.ascontiguousarray(shares[:, i]) for i, name in enumerate(names)}
