"""Groups by a second classifier, for rules that decide without knowing anybody's group."""
# ruff: noqa: N803  scikit-learn calls it X

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed

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


def with_column(X: Any, values: Floats, name: str) -> Any:
    """Return X with a further column."""
    if hasattr(X, "assign"):
        return X.assign(**{_free(X.columns, name): values})
    if hasattr(X, "with_columns"):
        import polars

        return X.with_columns(polars.Series(_free(X.columns, name), values))
    if hasattr(X, "tocsr"):
        from scipy import sparse

        return sparse.hstack([X, values[:, None]]).tocsr()
    return np.column_stack([np.asarray(X), values])


def _free(names: Any, name: str) -> str:
    while name in names:
        name += "'"
    return name


class GroupClassifier:
    """The probability of each group, given what the score's classifier sees and the score.

    With ``by_outcome``, for criteria of error rates, given the outcome too: then group and outcome
    need not be independent among people who look alike. The classifier learns from the outcomes
    of the fit, and has columns for either one.
    """

    def __init__(self, estimator: Any, cv: Any, n_jobs: int | None, *, by_outcome: bool) -> None:
        self._estimator = estimator
        self._cv = cv if isinstance(cv, int) and not isinstance(cv, bool) else 5
        self._n_jobs = n_jobs
        self._by_outcome = by_outcome

    def fit(self, X: Any, scores: Floats, sensitive: Attributes, label: Floats) -> dict[str, Any]:
        """Fit on all rows; return columns by classifiers that were fitted on other rows.

        They are ``soft``, or ``soft_favorable`` and ``soft_unfavorable``.
        """
        groups = names_of(sensitive)
        seen = with_column(X, scores, "evenhand score")
        outcome = np.asarray(label, dtype=np.float64)
        learned = with_column(seen, outcome, "evenhand outcome") if self._by_outcome else seen
        self.fitted_ = clone(self._estimator).fit(learned, groups)
        folds = check_cv(self._cv, groups, classifier=True).split(seen, groups)
        found = Parallel(n_jobs=self._n_jobs)(
            delayed(self._held_out)(seen, learned, groups, *fold) for fold in folds
        )
        shape = (len(groups), len(self.fitted_.classes_))
        chances = {role: np.zeros(shape) for role in self._roles}
        for test, parts in found:
            for role, part in parts.items():
                chances[role][test] = part
        return {role: self._columns(role, part) for role, part in chances.items()}

    def columns(self, X: Any, scores: Floats) -> dict[str, Any]:
        """Return the probability of each group, for new rows."""
        chances = self._chances(self.fitted_, with_column(X, scores, "evenhand score"))
        return {role: self._columns(role, part) for role, part in chances.items()}

    @property
    def _roles(self) -> dict[str, float | None]:
        """Return what the columns are called as arguments, each with its outcome."""
        if not self._by_outcome:
            return {"soft": None}
        return {"soft_favorable": 1.0, "soft_unfavorable": 0.0}

    def _chances(self, fitted: Any, seen: Any) -> dict[str, Floats]:
        length = seen.shape[0]
        return {
            role: np.asarray(
                fitted.predict_proba(
                    seen
                    if outcome is None
                    else with_column(seen, np.full(length, outcome), "evenhand outcome")
                ),
                dtype=np.float64,
            )
            for role, outcome in self._roles.items()
        }

    def _held_out(
        self, seen: Any, learned: Any, groups: Any, train: Any, test: Any
    ) -> tuple[Any, dict[str, Floats]]:
        fitted = clone(self._estimator).fit(_safe_indexing(learned, train), groups[train])
        found = self._chances(fitted, _safe_indexing(seen, test))
        places = np.searchsorted(self.fitted_.classes_, fitted.classes_)
        out = {}
        for role, part in found.items():
            out[role] = np.zeros((len(test), len(self.fitted_.classes_)))
            out[role][:, places] = part
        return test, out

    def _columns(self, role: str, chances: Floats) -> dict[str, Floats]:
        clipped = np.clip(chances, 0, 1)
        shares = clipped / clipped.sum(axis=1, keepdims=True)
        given = {"soft": "", "soft_favorable": " if yes", "soft_unfavorable": " if no"}[role]
        names = [f"p_{group}{given}" for group in self.fitted_.classes_]
        return {name: np.ascontiguousarray(shares[:, i]) for i, name in enumerate(names)}
