"""The Adult data, its splits and five models of who earns more than 50K."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import logit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

DATA = Path(__file__).resolve().parents[2] / "data"

NUMBERS = [
    "age",
    "fnlwgt",
    "education-num",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
]
CATEGORIES = [
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "native-country",
]

# Their outputs are no probabilities, or overconfident ones, until Platt's scaling.
PLATT = frozenset({"mlp", "svm"})

Rows = npt.NDArray[np.intp]  # positions, from 0
Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
Texts = npt.NDArray[np.str_]


@dataclass(frozen=True)
class Adult:
    """One entry for each person, in the order of the file."""

    X: pd.DataFrame  # all 14 attributes, sex and race too
    y: Labels  # 1 if the income is above 50K, else 0
    sex: Texts
    race: Texts
    part: Texts  # "train" or "test", as in the original files


@dataclass(frozen=True)
class Split:
    """Disjoint rows."""

    train: Rows
    calibration: Rows
    test: Rows


def load(path: Path = DATA / "adult.csv.gz") -> Adult:
    """Reads all 48,842 people; "?" (missing) stays a category of its own."""
    table = pd.read_csv(path, keep_default_na=False)
    return Adult(
        X=table[NUMBERS + CATEGORIES],
        y=(table["income"] == ">50K").to_numpy().astype(np.int64),
        sex=table["sex"].to_numpy(np.str_),
        race=table["race"].to_numpy(np.str_),
        part=table["part"].to_numpy(np.str_),
    )


def split(count: int, seed: int) -> Split:
    """60 % of `count` rows at random for training, 20 % for calibration, 20 % for testing."""
    order = np.random.default_rng(seed).permutation(count)
    train, calibration, test = np.split(order, [count * 60 // 100, count * 80 // 100])
    return Split(train, calibration, test)


def models(seed: int) -> dict[str, Pipeline]:
    """Unfitted models by name; those in PLATT are to be calibrated, as `fit` does."""
    classifiers: dict[str, Any] = {
        # One thread: several would add up the trees' votes in any order, and change last bits.
        "random_forest": RandomForestClassifier(max_depth=10, random_state=seed, n_jobs=1),
        "knn": KNeighborsClassifier(n_neighbors=10),
        "mlp": _Mlp(early_stopping=True, random_state=seed),
        # Converges to rounding, so other machines find the same model.
        "logistic_regression": LogisticRegression(solver="newton-cholesky", tol=1e-8),
        "svm": SVC(cache_size=1000),
    }
    # Kernels take a third of the time when they skip the zeros of the one-hot columns.
    return {
        name: make_pipeline(_encoder(sparse=name == "svm"), model)
        for name, model in classifiers.items()
    }


def fit(name: str, adult: Adult, rows: Split, seed: int) -> Pipeline | CalibratedClassifierCV:
    """The named model fitted on the training rows; Platt's scaling uses the calibration rows."""
    model = models(seed)[name].fit(adult.X.iloc[rows.train], adult.y[rows.train])
    if name not in PLATT:
        return model
    scaled = CalibratedClassifierCV(FrozenEstimator(model), method="sigmoid")
    return scaled.fit(adult.X.iloc[rows.calibration], adult.y[rows.calibration])


def scores(model: Pipeline | CalibratedClassifierCV, X: pd.DataFrame) -> Floats:
    """The probability that each person's income is above 50K."""
    return np.asarray(model.predict_proba(X)[:, 1], np.float64)


class _Mlp(MLPClassifier):
    """Has log-odds too: Platt's scaling is a sigmoid of those, and would distort probabilities."""

    def decision_function(self, X: npt.ArrayLike) -> Floats:
        tiny = np.finfo(np.float64).eps
        odds = logit(np.clip(self.predict_proba(X)[:, 1], tiny, 1 - tiny))
        return np.asarray(odds, np.float64)


def _encoder(*, sparse: bool = False) -> ColumnTransformer:
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=sparse)
    return ColumnTransformer(
        [("numbers", StandardScaler(), NUMBERS), ("categories", one_hot, CATEGORIES)],
        sparse_threshold=1.0 if sparse else 0.0,
    )
