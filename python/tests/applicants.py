"""Applicants for scikit-learn, and classifiers for them."""
# ruff: noqa: N803, N806  scikit-learn calls it X

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from evenhand import FairThresholdClassifier

ROWS = 600


def make_applicants(rows: int = ROWS, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Men have higher incomes; debts are whole numbers, so that scores tie."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["F", "M"], rows)
    region = rng.choice(["north", "south"], rows)
    income = (rng.normal(size=rows) + (sex == "M")).round(1)
    debt = rng.integers(0, 4, rows)
    y = (income - 0.3 * debt + rng.normal(size=rows) > 0).astype(int)
    frame = pd.DataFrame({"sex": sex, "region": region, "income": income, "debt": debt})
    return frame, y


def numbers(frame: pd.DataFrame) -> Any:
    return frame[["income", "debt"]].to_numpy(dtype=float)


def fair(estimator: Any = None, **options: Any) -> Any:
    options = {"criterion": "statistical-parity", "threads": 1, **options}
    return FairThresholdClassifier(estimator or LogisticRegression(), **options)


def drawing(frame: pd.DataFrame, y: Any, **options: Any) -> Any:
    """A classifier that draws lots for many."""
    options = {"gamma": 0.4, "sensitive_features": "sex", "drop_attributes": True, **options}
    return fair(**options).fit(frame[["sex", "income", "debt"]], y)


def numeric_pipeline() -> Any:
    encoder = make_column_transformer(
        (OneHotEncoder(), ["sex", "region"]), remainder=StandardScaler()
    )
    return make_pipeline(encoder, LogisticRegression())


class DigitGroups:
    """Two groups by the digits of the first feature; its name is the same in every process."""

    def __call__(self, X: Any) -> Any:
        X = X.tocsr()[:, [0]].toarray() if sparse.issparse(X) else np.asarray(X)
        first = np.nan_to_num(X[:, 0].astype(float), posinf=0, neginf=0)
        return np.where(np.floor(first * 7.3) % 2 == 0, "even", "odd")

    def __repr__(self) -> str:
        return "digit_groups"


digit_groups = DigitGroups()
