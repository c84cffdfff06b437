"""FairThresholdClassifier: what it promises, in any container, and inside scikit-learn."""
# ruff: noqa: N803, N806  scikit-learn calls it X

from __future__ import annotations

import hashlib
import pickle
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
import threadpoolctl
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    cross_val_predict,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import evenhand
from evenhand import FairThresholdClassifier
from evenhand.sklearn import row_ids

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


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """Small problems: threads of linear algebra only get in each other's way."""
    with threadpoolctl.threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def applicants() -> tuple[pd.DataFrame, Any]:
    return make_applicants()


def numbers(frame: pd.DataFrame) -> Any:
    return frame[["income", "debt"]].to_numpy(dtype=float)


def fair(estimator: Any = None, **options: Any) -> Any:
    options = {"criterion": "statistical-parity", "threads": 1, **options}
    return FairThresholdClassifier(estimator or LogisticRegression(), **options)


def rates(probability: Any, groups: Any) -> list[float]:
    return [float(probability[groups == group].mean()) for group in np.unique(groups)]


# --- The guarantee.


@pytest.mark.parametrize("tolerance", [0.0, 0.05])
def test_groups_have_the_same_rate_on_the_rows_of_the_fit(
    applicants: Any, tolerance: float
) -> None:
    frame, y = applicants
    X, sex = numbers(frame), frame.sex.to_numpy()
    model = fair(LogisticRegression().fit(X, y), cv="prefit", tolerance=tolerance)
    model.fit(X, y, sensitive_features=sex)
    probability = model.predict_proba(X, sensitive_features=sex)
    women, men = rates(probability[:, 1], sex)
    assert abs(women - men) <= tolerance + 1e-9
    assert model.fit_.status == "optimal"
    assert np.array_equal(probability.sum(axis=1), np.ones(len(X)))


def test_equalized_odds_inside_each_region(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    attributes = {
        "sensitive_features": frame.sex.to_numpy(),
        "control_features": frame.region.to_numpy(),
    }
    model = fair(LogisticRegression().fit(X, y), cv="prefit", criterion="equalized-odds")
    model.fit(X, y, **attributes)
    probability = model.predict_proba(X, **attributes)[:, 1]
    for region in ("north", "south"):
        for outcome in (0, 1):
            rows = (frame.region == region).to_numpy() & (y == outcome)
            women, men = rates(probability[rows], frame.sex.to_numpy()[rows])
            assert abs(women - men) < 1e-9


def test_a_larger_tolerance_never_costs_accuracy(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    objectives = [
        fair(tolerance=tolerance).fit(X, y, sensitive_features=frame.sex).fit_.objective
        for tolerance in (0, 0.05, 0.1, 0.5)
    ]
    assert objectives == sorted(objectives)


def test_the_rule_is_that_of_evenhand_fit_on_held_out_scores(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    model = fair(cv=3).fit(X, y, sensitive_features=frame[["sex"]])
    scores = cross_val_predict(LogisticRegression(), X, y, cv=3, method="predict_proba")[:, 1]
    same = evenhand.fit(scores, frame[["sex"]], criterion="statistical-parity", label=y)
    assert model.rule_ == same.rule
    # The classifier itself has seen all rows.
    assert np.array_equal(model.estimator_.coef_, LogisticRegression().fit(X, y).coef_)


def test_cv_none_trusts_the_scores_of_the_same_rows(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    prefit = fair(LogisticRegression().fit(X, y), cv="prefit")
    rules = [
        model.fit(X, y, sensitive_features=frame.sex).rule_
        for model in (fair(cv=None), fair(cv=False), prefit)
    ]
    assert rules[0] == rules[1] == rules[2]


def test_splitters_that_hold_rows_out_never_or_twice(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    for cv, weight in (
        (ShuffleSplit(1, test_size=0.25, random_state=0), 150),
        (RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0), 2 * ROWS),
        ([(np.arange(300), np.arange(300, ROWS))], 300),
        ([(np.arange(ROWS) < 300, np.arange(ROWS) >= 300)], 300),
    ):
        model = fair(cv=cv).fit(X, y, sensitive_features=frame.sex, sample_weight=np.ones(ROWS))
        assert model.fit_.tally.total == weight
        assert model.fit_.status == "optimal"


def test_folds_at_the_same_time_give_the_same_rule(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    alone = fair(cv=3).fit(X, y, sensitive_features=frame.sex)
    with joblib.parallel_config("threading"):
        together = fair(cv=3, n_jobs=2).fit(X, y, sensitive_features=frame.sex)
    assert together.rule_ == alone.rule_


def test_audit_shows_before_and_after(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    model = fair(LogisticRegression().fit(X, y), cv="prefit")
    model.fit(X, y, sensitive_features=frame.sex)
    audit = model.audit(X, y, sensitive_features=frame.sex)
    assert audit.before.largest_difference > 0.2
    assert audit.largest_difference < 1e-9
    own = LogisticRegression().fit(X, y)
    assert audit.before.accuracy == pytest.approx(own.score(X, y), abs=1e-12)
    assert model.audit(X, sensitive_features=frame.sex).expected
    doubled = model.audit(X, y, sensitive_features=frame.sex, sample_weight=np.full(ROWS, 2.0))
    assert doubled.overall["weight"] == 2 * ROWS


def test_decision_function_is_calibrated_by_labels(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    model = fair(LinearSVC(random_state=0)).fit(X, y, sensitive_features=frame.sex)
    assert model.response_method_ == "decision_function"
    assert model.rule_.scale == "raw"
    assert "statistical-parity" in repr(model.fit_)
    audit = model.audit(X, y, sensitive_features=frame.sex)
    # Before the rule, decisions are the classifier's own.
    assert audit.before.accuracy == pytest.approx(model.estimator_.score(X, y), abs=1e-12)
    with pytest.raises(ValueError, match="calibrate"):
        fair(LinearSVC(), calibrate="none").fit(X, y, sensitive_features=frame.sex)
    explicit = fair(response_method="decision_function").fit(X, y, sensitive_features=frame.sex)
    assert explicit.rule_.scale == "raw"


@pytest.mark.parametrize(
    "options",
    [
        {"criterion": "equal-opportunity"},
        {"criterion": "true_positive_rate_parity"},
        {"criterion": "false-positive-parity"},
        {"criterion": "false_positive_rate_parity"},
        {"criterion": "equalized-odds"},
        {"criterion": "equalized_odds"},
        {"criterion": None, "require": "tpr >= 0.5"},
        {"criterion": "statistical-parity", "require": ["rate >= 0.1", "fpr <= 0.5"]},
    ],
)
def test_error_rates_of_decision_functions_need_no_calibration(
    applicants: Any, options: dict[str, Any]
) -> None:
    frame, y = applicants
    X = numbers(frame)
    model = fair(LinearSVC(random_state=0), **options).fit(X, y, sensitive_features=frame.sex)
    assert model.fit_.status == "optimal"
    assert model.rule_.record["calibrate"] == "none"
    assert model.score(X, y, sensitive_features=frame.sex) > 0.6


# --- The same answer for the same row.


def drawing(frame: pd.DataFrame, y: Any, **options: Any) -> Any:
    """A classifier that draws lots for many."""
    options = {"gamma": 0.4, "sensitive_features": "sex", "drop_attributes": True, **options}
    return fair(**options).fit(frame[["sex", "income", "debt"]], y)


def test_a_row_has_one_answer_in_any_batch_and_container(applicants: Any) -> None:
    frame, y = applicants
    frame = frame[["sex", "income", "debt"]]
    model = drawing(frame, y)
    together = model.predict(frame)
    probability = model.predict_proba(frame)[:, 1]
    drawn = np.flatnonzero((probability > 0) & (probability < 1))
    assert len(drawn) > 100
    assert 0 < together[drawn].mean() < 1
    order = np.random.default_rng(1).permutation(len(frame))
    assert np.array_equal(model.predict(frame.iloc[order]), together[order])
    alone = [model.predict(frame.iloc[[row]])[0] for row in drawn[:25]]
    assert np.array_equal(alone, together[drawn[:25]])
    assert np.array_equal(model.predict(pl.from_pandas(frame)), together)
    assert np.array_equal(model.predict(frame.astype({"debt": float})), together)
    assert np.array_equal(model.predict(frame.astype({"sex": "category"})), together)


def test_fitting_is_the_same_from_any_container(applicants: Any) -> None:
    frame, y = applicants
    frame = frame[["sex", "income", "debt"]]
    first = drawing(frame, y)
    coded = frame.assign(sex=(frame.sex == "M").astype(int))
    by_code = drawing(coded, y)
    assert np.array_equal(by_code.predict_proba(coded), first.predict_proba(frame))
    polars = fair(gamma=0.4, sensitive_features="sex", drop_attributes=True)
    polars.fit(pl.from_pandas(frame), pl.Series(y))
    assert polars.rule_ == first.rule_
    by_index = fair(gamma=0.4, sensitive_features=[0], drop_attributes=True)
    by_index.fit(coded.to_numpy(dtype=float), y)
    # Whole numbers name the same groups in an array of floats.
    assert [list(cell.values()) for cell in by_index.rule_.cells] == [["0"], ["1"]]
    assert by_index.rule_.attributes == ["x0"]
    decided = by_code.predict(coded)
    assert np.array_equal(by_index.predict(coded.to_numpy(dtype=float)), decided)
    assert np.array_equal(by_index.predict(coded.to_numpy().tolist()), decided)
    with pytest.warns(UserWarning, match="feature names"):
        assert np.array_equal(by_code.predict(coded.to_numpy(dtype=float)), decided)


def test_columns_of_x_and_columns_beside_it_make_the_same_rule(applicants: Any) -> None:
    frame, y = applicants
    named = fair(sensitive_features=["sex"], control_features="region", drop_attributes=True)
    named.fit(frame, y)
    X = frame[["income", "debt"]]
    for sex, region in (
        (frame[["sex"]], frame[["region"]]),
        (frame.sex, frame.region),
        ({"sex": frame.sex.to_list()}, {"region": frame.region.to_numpy()}),
        (pl.from_pandas(frame[["sex"]]), pl.from_pandas(frame.region)),
        (pa.table({"sex": frame.sex.to_list()}), pl.Series("region", frame.region.to_list())),
        (frame.sex.astype("category"), frame.region.astype("string")),
    ):
        beside = fair().fit(X, y, sensitive_features=sex, control_features=region)
        assert beside.rule_ == named.rule_
        decided = beside.predict(X, sensitive_features=sex, control_features=region)
        assert np.array_equal(
            decided, beside.predict(X, sensitive_features=frame.sex, control_features=frame.region)
        )
    by_function = fair(sensitive_features=_sex, control_features=_region, cv=5)
    by_function.set_params(estimator=numeric_pipeline()).fit(frame, y)
    assert by_function.rule_.attributes == ["sex", "region"]


def _sex(X: Any) -> Any:
    return X[["sex"]]


def _region(X: Any) -> Any:
    return X[["region"]]


def numeric_pipeline() -> Any:
    encoder = make_column_transformer(
        (OneHotEncoder(), ["sex", "region"]), remainder=StandardScaler()
    )
    return make_pipeline(encoder, LogisticRegression())


def test_unnamed_columns_match_by_their_order(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    both = frame[["sex", "region"]].to_numpy(dtype=object)
    model = fair().fit(X, y, sensitive_features=both)
    assert model.rule_.attributes == ["sensitive_1", "sensitive_2"]
    decided = model.predict(X, sensitive_features=both)
    assert np.array_equal(decided, model.predict(X, sensitive_features=frame[["sex", "region"]]))
    columns = [frame.sex.to_list(), frame.region.to_list()]
    assert np.array_equal(decided, model.predict(X, sensitive_features=columns))


def test_columns_with_other_names_are_refused(applicants: Any) -> None:
    frame, y = applicants
    X, sex, region = numbers(frame), frame.sex, frame.region
    message = "sensitive_features had the column 'sex' in fit, .*: 'region'"
    for fitted in (sex, frame[["sex"]], {"sex": sex}, [sex], pl.from_pandas(sex)):
        model = fair(unseen="score").fit(X, y, sensitive_features=fitted)
        for strange in (region, frame[["region"]], pl.from_pandas(region), {"region": region}):
            with pytest.raises(ValueError, match=message):
                model.predict(X, sensitive_features=strange)
        decided = model.predict(X, sensitive_features=sex)
        for right in (sex.to_numpy(), sex.to_list(), sex.rename(None), frame[["region", "sex"]]):
            assert np.array_equal(model.predict(X, sensitive_features=right), decided)
    two = fair().fit(X, y, sensitive_features=[sex, region])
    with pytest.raises(ValueError, match="had the column 'region' in fit, .*: 'sex', 'debt'"):
        two.predict(X, sensitive_features=[sex, frame.debt])
    swapped = two.predict(X, sensitive_features=[region, sex])  # found by their names
    assert np.array_equal(swapped, two.predict(X, sensitive_features=[sex, region]))


def test_an_index_in_another_order_is_refused(applicants: Any) -> None:
    frame, y = applicants
    X, sex = frame[["income", "debt"]], frame.sex
    order = np.random.default_rng(0).permutation(ROWS)
    message = "has the index of X in another order, but rows are matched by position"
    shuffled = sex.iloc[order]
    for wrong in (shuffled, shuffled.to_frame(), {"sex": shuffled}, [shuffled]):
        with pytest.raises(ValueError, match=f"sensitive_features {message}"):
            fair().fit(X, y, sensitive_features=wrong)
    twice = X.set_axis(np.arange(ROWS) // 2)
    with pytest.raises(ValueError, match="sensitive_features has the index of X"):
        fair().fit(twice, y, sensitive_features=sex.set_axis(twice.index[::-1]))
    model = fair().fit(X, y, sensitive_features=sex, control_features=frame.region)
    with pytest.raises(ValueError, match=f"control_features {message}"):
        model.predict(X, sensitive_features=sex, control_features=frame.region.iloc[order])
    # Other labels, or none: by position.
    decided = model.predict(X, sensitive_features=sex, control_features=frame.region)
    for own in (sex.set_axis(np.arange(ROWS) + 1), sex.to_numpy(), pl.from_pandas(sex)):
        again = model.predict(X, sensitive_features=own, control_features=frame.region)
        assert np.array_equal(again, decided)


def test_ids_keep_decisions_with_people(applicants: Any, tmp_path: Path) -> None:
    frame, y = applicants
    frame = frame[["sex", "income", "debt"]]
    model = drawing(frame, y)
    ids = np.array([f"person {i}" for i in range(len(frame))])
    scores = model.estimator_.predict_proba(frame[["income", "debt"]])[:, 1]
    expected = model.rule_.decide(scores, frame[["sex"]], id=ids, key="secret")
    assert np.array_equal(model.predict(frame, id=ids, key="secret"), expected)
    assert np.array_equal(model.predict(frame, id=pl.Series(ids), key=b"secret"), expected)
    (tmp_path / "key").write_bytes(b"secret")
    for file in (tmp_path / "key", str(tmp_path / "key")):
        assert np.array_equal(model.predict(frame, id=ids, key_file=file), expected)
        keyed = clone(model).set_params(key_file=file).fit(frame, y)
        assert np.array_equal(keyed.predict(frame, id=list(ids)), expected)
        assert "secret" not in repr(keyed)
        assert b"secret" not in pickle.dumps(keyed)
        # What predict is given counts.
        other = keyed.predict(frame, id=ids, key="another")
        assert np.array_equal(other, model.predict(frame, id=ids, key="another"))
        assert keyed.score(frame, y, id=ids) == model.score(frame, y, id=ids, key_file=file)
    assert not np.array_equal(model.predict(frame, id=ids, key="another"), expected)
    assert model.score(frame, y, id=ids, key="secret") == np.mean(expected == y)


def test_keys_that_are_wrong(applicants: Any, tmp_path: Path) -> None:
    frame, y = applicants
    X, sex = numbers(frame), frame.sex
    lost = tmp_path / "lost"
    for options, error, message in (
        ({"key": lost}, TypeError, "key is the secret itself; .* key_file="),
        ({"key": 3}, TypeError, "key must be bytes or a text, not int"),
        ({"key_file": b"secret"}, TypeError, "key_file must be a path, not bytes"),
        ({"key": "a", "key_file": lost}, ValueError, "give either key or key_file, not both"),
    ):
        with pytest.raises(error, match=message):
            fair(**options).fit(X, y, sensitive_features=sex)
        with pytest.raises(error, match=message):
            fair().fit(X, y, sensitive_features=sex).predict(X, sensitive_features=sex, **options)
    model = fair(key_file=lost).fit(X, y, sensitive_features=sex)
    certain = np.flatnonzero(model.predict_proba(X, sensitive_features=sex)[:, 1] == 1)[:1]
    with pytest.raises(FileNotFoundError, match="lost"):
        model.predict(X[certain], sensitive_features=sex.iloc[certain])
    lost.write_bytes(b"found")
    assert model.predict(X[certain], sensitive_features=sex.iloc[certain]) == 1


def test_the_default_key_is_the_documented_one(applicants: Any) -> None:
    frame, y = applicants
    frame = frame[["sex", "income", "debt"]]
    for random_state, number in ((None, 0), (0, 0), (7, 7)):
        model = drawing(frame, y, random_state=random_state)
        key = f"evenhand FairThresholdClassifier {number}".encode()
        assert np.array_equal(model.predict(frame), model.predict(frame, key=key))
        assert np.array_equal(model.predict(frame), model.predict(frame, id=row_ids(frame)))
    drawn = drawing(frame, y, random_state=np.random.RandomState(3))
    assert np.array_equal(drawn.predict(frame), drawn.predict(frame))


def test_row_ids_are_the_documented_bytes() -> None:
    row = [1, -0.0, "é", None, 2**60 + 1, True]
    number = [b"f" + struct.pack(">d", one) for one in (1.0, 0.0)]
    text = [b"t" + struct.pack(">Q", len(one)) + one for one in ("é".encode(), b"%d" % (2**60 + 1))]
    missing = b"n" + bytes(8)
    data = number[0] + number[1] + text[0] + missing + text[1] + number[0]
    assert row_ids([row])[0] == hashlib.sha256(data).hexdigest()


cells = st.one_of(
    st.integers(-(2**60), 2**60),
    st.floats(allow_nan=False, width=32),
    st.booleans(),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4),
)


@given(st.lists(st.tuples(cells, cells), min_size=2, max_size=4))
def test_row_ids_are_equal_exactly_for_equal_rows(rows: list[tuple[Any, Any]]) -> None:
    array = np.empty((len(rows), 2), dtype=object)
    array[:] = rows
    ids = row_ids(array)
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            assert (ids[i] == ids[j]) == (one == other)
    assert np.array_equal(row_ids(pd.DataFrame(array)), ids)
    assert np.array_equal(row_ids([list(row) for row in rows]), ids)


@given(
    st.lists(st.integers(-100, 100), min_size=1, max_size=5),
    st.sampled_from(["i1", "i2", "i8", "f4", "f8", ">f8", "<i4", "O", "g"]),
)
def test_row_ids_of_numbers_do_not_depend_on_their_type(values: list[int], dtype: str) -> None:
    array = np.array(values).reshape(-1, 1)
    ids = row_ids(array)
    assert np.array_equal(row_ids(array.astype(dtype)), ids)
    assert np.array_equal(row_ids(sparse.csr_matrix(array.astype(float))), ids)
    assert np.array_equal(row_ids(pl.DataFrame({"a": values})), ids)
    assert np.array_equal(row_ids(pd.DataFrame({"a": pd.array(values, dtype="Int64")})), ids)
    assert np.array_equal(row_ids(pa.table({"a": values})), ids)


def test_row_ids_of_what_is_missing_and_of_dates_do_not_depend_on_the_container() -> None:
    frame = pd.DataFrame(
        {
            "a": [1.0, np.nan],
            "b": ["x", None],
            "c": pd.array([1, None], dtype="Int64"),
            "d": pd.to_datetime(["2020-01-02 03:04:05.5", None]),
            "e": pd.Categorical(["u", None]),
        }
    )
    ids = row_ids(frame)
    assert np.array_equal(row_ids(pl.from_pandas(frame)), ids)
    assert np.array_equal(row_ids(frame.astype(object)), ids)
    assert ids[0] != ids[1]
    with pytest.raises(TypeError, match="cannot be part of a row's id; give id="):
        row_ids([[object()]])
    assert len(row_ids(["a text", "another"])) == 2
    assert len(row_ids(np.zeros((0, 3)))) == 0


def test_row_ids_of_many_rows_are_made_in_blocks() -> None:
    X = np.arange(600_000.0).reshape(-1, 4)
    X = np.vstack([X, X[:, ::-1], X])
    ids = row_ids(X)
    assert ids[149_999] == row_ids(X[149_999:150_000])[0]
    assert len(set(ids)) == 300_000
    assert np.array_equal(ids[:150_000], ids[-150_000:])


# --- Classes and weights.


def test_classes_of_any_kind(applicants: Any) -> None:
    frame, y = applicants
    X, sex = numbers(frame), frame.sex
    plain = fair(gamma=0.4).fit(X, y, sensitive_features=sex)
    decided = plain.predict(X, sensitive_features=sex)
    for negative, positive in (("no", "yes"), (-1, 1), (False, True), (2.0, 3.0)):
        labels = np.where(y == 1, positive, negative)
        model = fair(gamma=0.4).fit(X, labels, sensitive_features=sex)
        assert model.classes_.tolist() == [negative, positive]
        assert model.rule_ == plain.rule_
        assert np.array_equal(model.predict(X, sensitive_features=sex) == positive, decided == 1)
        assert model.audit(X, labels, sensitive_features=sex).accuracy is not None
    texts = pd.Series(np.where(y == 1, "yes", "no"), dtype="string")
    assert fair(gamma=0.4).fit(X, texts, sensitive_features=sex).rule_ == plain.rule_


def test_pos_label_says_which_class_is_favourable(applicants: Any) -> None:
    frame, y = applicants
    X, sex = numbers(frame), frame.sex
    labels = np.where(y == 1, "accept", "reject")
    model = fair(pos_label="accept").fit(X, labels, sensitive_features=sex)
    plain = fair().fit(X, y, sensitive_features=sex)
    assert model.pos_label_ == "accept"
    one = model.predict_proba(X, sensitive_features=sex)
    other = plain.predict_proba(X, sensitive_features=sex)
    assert np.allclose(one[:, 0], other[:, 1], atol=1e-9)
    share = np.mean((model.predict(X, sensitive_features=sex) == "accept") == (y == 1))
    assert share == model.score(X, labels, sensitive_features=sex)
    raw = fair(LinearSVC(random_state=0), pos_label="accept")
    raw.fit(X, labels, sensitive_features=sex)
    assert np.mean(raw.predict(X, sensitive_features=sex) == labels) > 0.6


def test_weights_count_like_repeated_rows(applicants: Any) -> None:
    frame, y = applicants
    X, sex = numbers(frame), frame.sex.to_numpy()
    weight = np.random.default_rng(2).integers(1, 4, ROWS)
    rows = np.repeat(np.arange(ROWS), weight)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    weighted = fair(tree, cv=None).fit(X, y, sensitive_features=sex, sample_weight=weight)
    repeated = fair(tree, cv=None).fit(X[rows], y[rows], sensitive_features=sex[rows])
    assert weighted.fit_.objective == pytest.approx(repeated.fit_.objective, abs=1e-9)
    assert np.allclose(
        weighted.predict_proba(X, sensitive_features=sex),
        repeated.predict_proba(X, sensitive_features=sex),
        atol=1e-9,
    )
    # The inner classifier has them too.
    tree.fit(X, y, sample_weight=weight)
    assert np.array_equal(weighted.estimator_.predict_proba(X), tree.predict_proba(X))


def test_weights_that_the_classifier_cannot_take_are_said(applicants: Any) -> None:
    frame, y = applicants
    X, weight = numbers(frame), np.ones(ROWS)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    with pytest.warns(UserWarning, match="Pipeline.fit takes no sample_weight"):
        fair(pipeline).fit(X, y, sensitive_features=frame.sex, sample_weight=weight)
    fair(pipeline).fit(  # both have it
        X,
        y,
        sensitive_features=frame.sex,
        sample_weight=weight,
        logisticregression__sample_weight=weight,
    )


# --- Inside scikit-learn.


def test_a_frozen_classifier_is_not_fitted_again(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    inner = LogisticRegression().fit(X[:100], y[:100])
    before = inner.coef_.copy()
    model = fair(FrozenEstimator(inner)).fit(X[100:], y[100:], sensitive_features=frame.sex[100:])
    assert model.estimator_.estimator is inner
    assert np.array_equal(inner.coef_, before)
    prefit = fair(inner, cv="prefit").fit(X[100:], y[100:], sensitive_features=frame.sex[100:])
    assert prefit.estimator_ is inner
    assert prefit.rule_ == model.rule_
    assert clone(model).fit(X, y, sensitive_features=frame.sex).estimator_.estimator is inner
    with pytest.raises(ValueError, match="nothing takes 'epochs'"):
        clone(model).fit(X, y, sensitive_features=frame.sex, epochs=3)
    with pytest.raises(NotFittedError, match="FrozenEstimator"):
        clone(prefit).fit(X, y, sensitive_features=frame.sex)
    with pytest.raises(NotFittedError):
        fair(cv="prefit").fit(X, y, sensitive_features=frame.sex)
    with pytest.raises(ValueError, match="y has the class 2, which the fitted estimator"):
        clone(model).fit(X, 2 * y, sensitive_features=frame.sex)


def test_cross_validation_and_search_by_columns_of_x(applicants: Any) -> None:
    frame, y = applicants
    model = fair(numeric_pipeline(), sensitive_features="sex", cv=3)
    scores = cross_validate(model, frame, y, cv=3, scoring=["accuracy", "roc_auc"])
    assert scores["test_accuracy"].min() > 0.5
    grid = {"tolerance": [0, 0.1], "estimator__logisticregression__C": [0.1, 1]}
    search = GridSearchCV(model, grid, cv=2).fit(frame, y)
    assert search.best_score_ > 0.5
    assert search.predict(frame).shape == (ROWS,)
    outer = make_pipeline(
        StandardScaler().set_output(transform="pandas"), fair(sensitive_features="debt", cv=3)
    )
    outer.fit(frame[["income", "debt"]], y)
    assert outer.predict(frame[["income", "debt"]]).shape == (ROWS,)


def test_a_pipeline_passes_columns_without_routing(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    pipeline = make_pipeline(StandardScaler(), fair())
    pipeline.fit(X, y, fairthresholdclassifier__sensitive_features=frame.sex)
    assert pipeline.predict(X, sensitive_features=frame.sex).shape == (ROWS,)


def test_searches_without_routing_say_what_is_missing(applicants: Any) -> None:
    frame, y = applicants
    search = GridSearchCV(fair(), {"tolerance": [0.1]}, cv=2, error_score="raise")
    with pytest.raises(ValueError, match="enable metadata routing"):
        search.fit(numbers(frame), y, sensitive_features=frame.sex)


def test_metadata_is_routed(applicants: Any) -> None:
    frame, y = applicants
    X, weight = numbers(frame), np.random.default_rng(0).integers(1, 3, ROWS).astype(float)
    groups = np.arange(ROWS) % 4
    with sklearn.config_context(enable_metadata_routing=True):
        model = fair(LogisticRegression().set_fit_request(sample_weight=True), cv=GroupKFold(2))
        # Straight: nothing of one's own need be requested.
        straight = clone(model).fit(
            X, y, sensitive_features=frame.sex, sample_weight=weight, groups=groups
        )
        model.set_fit_request(sensitive_features=True, sample_weight=True)
        model.set_predict_request(sensitive_features=True)
        model.set_predict_proba_request(sensitive_features=True)
        model.set_score_request(sensitive_features=True, sample_weight=True)
        given = {"sensitive_features": frame.sex, "sample_weight": weight, "groups": groups}
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, model).fit(X, y, **given)
        decided = pipeline.predict(X, sensitive_features=frame.sex)
        assert decided.shape == (ROWS,)
        scores = cross_validate(model, X, y, params=given, cv=GroupKFold(2), error_score="raise")
        assert scores["test_score"].min() > 0.5
        search = GridSearchCV(model, {"tolerance": [0, 0.1]}, cv=2, error_score="raise")
        search.fit(X, y, **given)
        assert search.best_score_ > 0.5
        by_hand = LogisticRegression().fit(X, y, sample_weight=weight)
        assert np.array_equal(straight.estimator_.coef_, by_hand.coef_)
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):
            fair().fit(X, y, sensitive_features=frame.sex, sample_weight=weight)


def test_the_inner_classifier_may_ask_for_sensitive_features_too(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    with sklearn.config_context(enable_metadata_routing=True):
        seen = Nosy().set_fit_request(sensitive_features=True)
        model = fair(seen, cv=2).fit(X, y, sensitive_features=frame.sex.to_numpy())
    assert model.estimator_.seen_ == ROWS


class Nosy(LogisticRegression):  # type: ignore[misc]
    """Looks at the groups."""

    def fit(self, X: Any, y: Any, sensitive_features: Any = None) -> Any:
        self.seen_ = len(sensitive_features)
        return super().fit(X, y)


def test_pickles_and_clones_decide_alike(applicants: Any) -> None:
    frame, y = applicants
    model = drawing(frame, y)
    frame = frame[["sex", "income", "debt"]]
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.predict(frame), model.predict(frame))
    assert copy.rule_ == model.rule_
    assert clone(model).fit(frame, y).rule_ == model.rule_
    assert not hasattr(clone(model), "rule_")
    assert clone(model).get_params(deep=False).keys() == model.get_params(deep=False).keys()
    assert model.set_params(estimator__C=3.0).estimator.C == 3.0


def test_it_shows_itself_in_notebooks(applicants: Any) -> None:
    frame, y = applicants
    model = drawing(frame, y)
    assert "FairThresholdClassifier" in model._repr_html_()
    assert "LogisticRegression" in model._repr_html_()
    assert "criterion='statistical-parity'" in repr(model)


def test_attributes_of_fit(applicants: Any) -> None:
    frame, y = applicants
    model = fair(numeric_pipeline(), sensitive_features="sex").fit(frame, y)
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == list(frame.columns)
    dropped = drawing(frame, y)
    assert dropped.n_features_in_ == 3
    assert dropped.estimator_.feature_names_in_.tolist() == ["income", "debt"]


def test_texts_and_sparse_rows(applicants: Any) -> None:
    from sklearn.feature_extraction.text import CountVectorizer

    frame, y = applicants
    X = numbers(frame)
    matrix = sparse.csr_matrix(X)
    one = fair(gamma=0.4).fit(matrix, y, sensitive_features=frame.sex)
    dense = one.predict(X, sensitive_features=frame.sex)
    assert np.array_equal(one.predict(matrix, sensitive_features=frame.sex), dense)
    texts = [f"{a} owes {b}" for a, b in zip(frame.income.round(), frame.debt, strict=True)]
    model = fair(make_pipeline(CountVectorizer(), LogisticRegression()), gamma=0.4)
    model.fit(texts, y, sensitive_features=frame.sex)
    decided = model.predict(texts, sensitive_features=frame.sex)
    assert np.array_equal(model.predict(texts[:9], sensitive_features=frame.sex[:9]), decided[:9])


class DigitGroups:
    """Two groups by the digits of the first feature; its name is the same in every process."""

    def __call__(self, X: Any) -> Any:
        X = X.tocsr()[:, [0]].toarray() if sparse.issparse(X) else np.asarray(X)
        first = np.nan_to_num(X[:, 0].astype(float), posinf=0, neginf=0)
        return np.where(np.floor(first * 7.3) % 2 == 0, "even", "odd")

    def __repr__(self) -> str:
        return "digit_groups"


digit_groups = DigitGroups()

CHECKED = [
    fair(criterion=None, require="rate <= 0.9"),
    fair(criterion=None, require=["rate <= 0.9", "rate >= 0.1"], cv=None),
    fair(LinearSVC(random_state=0), criterion=None, require="rate <= 0.9", calibrate="isotonic"),
    fair(tolerance=0.2, sensitive_features=digit_groups, unseen="score", cv=3),
    fair(sensitive_features=digit_groups, unseen="score", cv=None),
]


def expected_failures(_: Any) -> dict[str, str]:
    if not sklearn.__version__.startswith("1.6."):
        return {}
    why = "scikit-learn 1.6 takes other classes for the rows that it repeats"
    return {f"check_sample_weight_equivalence_on_{kind}_data": why for kind in ("dense", "sparse")}


@pytest.mark.filterwarnings("ignore")  # of the checks' own data
@parametrize_with_checks(CHECKED, expected_failed_checks=expected_failures)
def test_scikit_learn_s_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


# --- What is wrong is said.


def test_the_criterion_is_needed(applicants: Any) -> None:
    frame, y = applicants
    with pytest.raises(ValueError, match="say what is fair"):
        fair(criterion=None).fit(numbers(frame), y, sensitive_features=frame.sex)


def test_missing_sensitive_features_are_named(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    with pytest.raises(ValueError, match="sensitive_features is missing: statistical-parity"):
        fair().fit(X, y)
    model = fair().fit(X, y, sensitive_features=frame.sex, control_features=frame.region)
    with pytest.raises(ValueError, match="sensitive_features is missing: .* fitted with 'sex'"):
        model.predict(X)
    with pytest.raises(ValueError, match="control_features is missing: .* with 'region'"):
        model.predict_proba(X, sensitive_features=frame.sex)
    plain = fair().fit(X, y, sensitive_features=frame.sex)
    with pytest.raises(ValueError, match="control_features is given, but fit had none"):
        plain.predict(X, sensitive_features=frame.sex, control_features=frame.region)


def test_not_fitted(applicants: Any) -> None:
    frame, _ = applicants
    for method in ("predict", "predict_proba"):
        with pytest.raises(NotFittedError):
            getattr(fair(), method)(numbers(frame), sensitive_features=frame.sex)


def test_groups_that_fit_has_not_seen(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    model = fair().fit(X, y, sensitive_features=frame.sex)
    with pytest.raises(IndexError, match="X"):
        model.predict(X[:2], sensitive_features=["F", "X"])
    rejected = clone(model).set_params(unseen="reject").fit(X, y, sensitive_features=frame.sex)
    assert np.array_equal(rejected.predict(X, sensitive_features=["X"] * ROWS), np.zeros(ROWS))
    by_score = clone(model).set_params(unseen="score").fit(X, y, sensitive_features=frame.sex)
    own = by_score.estimator_.predict(X)
    assert np.array_equal(by_score.predict(X, sensitive_features=["X"] * ROWS), own)


@pytest.mark.parametrize("unseen", ["score", "reject"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"gamma": 0.3},
        {"resolution": 4},
        {"calibrate": "isotonic"},
        {"calibrate": "platt", "calibrate_by": "all"},
        {"cost_fp": 3.0},
    ],
)
@pytest.mark.parametrize("svm", [False, True])
def test_audits_show_what_is_decided_for_groups_that_fit_has_not_seen(
    applicants: Any, unseen: str, options: dict[str, Any], svm: bool
) -> None:
    frame, y = applicants
    X, sex = numbers(frame), frame.sex.to_numpy()
    estimator = LinearSVC(random_state=0) if svm else LogisticRegression()
    model = fair(estimator, unseen=unseen, **options).fit(X, y, sensitive_features=sex)
    with pytest.raises(IndexError, match="has never seen"):
        clone(model).set_params(unseen="error").fit(X, y, sensitive_features=sex).audit(
            X, y, sensitive_features=["X"] * ROWS
        )
    others = np.where(np.arange(ROWS) % 3 == 0, "X", np.where(np.arange(ROWS) % 7, sex, None))
    probability = model.predict_proba(X, sensitive_features=others)[:, 1]
    for labels in (y, None):
        audit = model.audit(X, labels, sensitive_features=others)
        found = {next(iter(one["group"].values())): one["selection_rate"] for one in audit.groups}
        assert len(found) == 4
        for name, rate in found.items():
            rows = others == (None if "?" in name else name)
            assert rate == pytest.approx(probability[rows].mean(), abs=1e-9)
    if unseen == "reject":
        assert found["X"] == 0


def test_missing_groups_can_have_a_name(applicants: Any) -> None:
    frame, y = applicants
    X = numbers(frame)
    gaps = frame.sex.where(np.arange(ROWS) % 3 > 0)
    model = fair(null="unknown").fit(X, y, sensitive_features=gaps)
    assert [cell["sex"] for cell in model.rule_.cells] == ["F", "M", "unknown"]
    decided = model.predict(X, sensitive_features=gaps)
    named = gaps.fillna("unknown")
    assert np.array_equal(decided, model.predict(X, sensitive_features=named))
    assert fair().fit(X, y, sensitive_features=named).rule_ == model.rule_
    assert len(model.audit(X, y, sensitive_features=gaps).groups) == 3
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(decided, copy.predict(X, sensitive_features=gaps))
    codes = (frame.sex == "F").astype(float).where(np.arange(ROWS) % 3 > 0)
    by_code = fair(null="unknown").fit(X, y, sensitive_features=codes)
    assert [cell["sex"] for cell in by_code.rule_.cells] == ["0", "1", "unknown"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"null": "exclude"}, "null='exclude' cannot be: everybody has a decision"),
        ({"null": ""}, "null is"),
        ({"response_method": "predict"}, "there is no response_method 'predict'"),
        ({"unseen": "guess"}, "there is no unseen 'guess'"),
        ({"cv": "refit"}, "there is no cv 'refit'"),
        ({"pos_label": 5}, r"pos_label=5 is not a class of y: \[0, 1\]"),
        ({"solver": "guess"}, "there is no solver 'guess'"),
        ({"criterion": "fairness"}, "fairness"),
        ({"sensitive_features": digit_groups, "drop_attributes": True}, "not a function"),
        ({"sensitive_features": "sex"}, "names|which has none"),
        ({"sensitive_features": 7}, "there is no column 7, X has 2"),
    ],
)
def test_options_that_are_wrong(applicants: Any, options: dict[str, Any], message: str) -> None:
    frame, y = applicants
    given = {} if "sensitive_features" in options else {"sensitive_features": frame.sex}
    with pytest.raises(ValueError, match=message):
        fair(**options).fit(numbers(frame), y, **given)


def test_columns_that_are_wrong(applicants: Any) -> None:
    frame, y = applicants
    X, sex = numbers(frame), frame.sex
    with pytest.raises(ValueError, match="X has no column 'sx'; did you mean 'sex'?"):
        fair(sensitive_features="sx").fit(frame, y)
    with pytest.raises(ValueError, match=r"set_output\(transform='pandas'\) keeps names"):
        fair(sensitive_features="sex").fit(X, y)
    with pytest.raises(ValueError, match="sensitive_features is given twice"):
        fair(sensitive_features=[0]).fit(X, y, sensitive_features=sex)
    with pytest.raises(ValueError, match="X has 600 rows, but sensitive_features has 10"):
        fair().fit(X, y, sensitive_features=sex[:10])
    with pytest.raises(ValueError, match="names of columns of X go to the constructor"):
        fair().fit(X, y, sensitive_features=["sex", "region"])
    with pytest.raises(TypeError, match="names of columns of X go to the constructor"):
        fair().fit(X, y, sensitive_features="sex")
    with pytest.raises(TypeError, match="arrays go to fit and predict"):
        fair(sensitive_features=[sex]).fit(X, y)
    with pytest.raises(TypeError, match="sensitive_features must be columns, not int"):
        fair().fit(X, y, sensitive_features=3)
    with pytest.raises(ValueError, match="'a' is given twice"):
        fair().fit(X, y, sensitive_features=[pd.Series(sex, name="a"), pd.Series(sex, name="a")])
    missing = sex.where(np.arange(ROWS) > 2)
    with pytest.raises(ValueError, match="3"):
        fair().fit(X, y, sensitive_features=missing)
    model = fair().fit(X, y, sensitive_features=frame[["sex"]])
    with pytest.raises(ValueError, match="had the column 'sex' in fit, .* 'region'"):
        model.predict(X, sensitive_features=frame[["region"]])
    with pytest.raises(ValueError, match="had 1 columns in fit, but 2 are given"):
        model.predict(X, sensitive_features=frame[["sex", "region"]].to_numpy())
    with pytest.raises(ValueError, match="X has 600 rows, but id has 2"):
        model.predict(X, sensitive_features=sex, id=["a", "b"])
    two = fair().fit(X, y, sensitive_features=[frame.sex, frame.region])
    with pytest.raises(ValueError, match="'region' is given where fit had 'sex'"):
        two.predict(X, sensitive_features=[frame.region, pd.Series(sex, name="s")])


def test_targets_that_are_wrong(applicants: Any) -> None:
    frame, y = applicants
    X, sex = numbers(frame), frame.sex
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        fair().fit(X, np.arange(ROWS) % 3, sensitive_features=sex)
    with pytest.raises(ValueError, match="y must have two classes, not one class: \\[0\\]"):
        fair().fit(X, 0 * y, sensitive_features=sex)
    with pytest.raises(ValueError, match="one row only of the class 'rare'"):
        fair().fit(X, np.where(np.arange(ROWS) == 5, "rare", "usual"), sensitive_features=sex)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        fair().fit(X, y[:-1], sensitive_features=sex)
    with pytest.raises(ValueError, match="sample_weight leaves rows of one class only"):
        fair().fit(X, y, sensitive_features=sex, sample_weight=y)
    weight = np.where(np.arange(ROWS) == 4, -0.5, 1.0)
    with pytest.raises(ValueError, match="must not be negative, but that of row 4 is -0.5"):
        fair().fit(X, y, sensitive_features=sex, sample_weight=weight)
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        fair().fit(X, y, sensitive_features=sex, sample_weight=-np.ones(ROWS))
    order = np.argsort(y)
    tree = DecisionTreeClassifier(max_depth=2)  # which is content with one class
    with pytest.raises(ValueError, match="a fold without the other one"):
        fair(tree, cv=KFold(2)).fit(X[order], y[order], sensitive_features=sex[order])
    model = fair().fit(X, y, sensitive_features=sex)
    with pytest.raises(ValueError, match="y has the class 7, which fit has not seen"):
        model.audit(X, 7 * y, sensitive_features=sex)


def test_classifiers_without_scores(applicants: Any) -> None:
    frame, y = applicants
    X, sex = numbers(frame), frame.sex
    with pytest.raises(AttributeError, match="LinearSVC has no predict_proba"):
        fair(LinearSVC(), response_method="predict_proba").fit(X, y, sensitive_features=sex)
    with pytest.raises(AttributeError, match="has no predict_proba nor decision_function"):
        fair(Mute()).fit(X, y, sensitive_features=sex)


class Mute(Perceptron):  # type: ignore[misc]
    """Has no scores."""

    @property
    def decision_function(self) -> Any:
        raise AttributeError("none")


def test_requirements_that_clash_are_named(applicants: Any) -> None:
    frame, y = applicants
    with pytest.raises(evenhand.InfeasibleError) as caught:
        fair(criterion=None, require=["rate <= 0.1", "rate >= 0.2"]).fit(numbers(frame), y)
    assert caught.value.clash == ["rate <= 0.1", "rate >= 0.2"]
