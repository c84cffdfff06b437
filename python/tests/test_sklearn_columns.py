"""FairThresholdClassifier: rows and attributes in any container, by name or by order."""
# ruff: noqa: N803, N806  scikit-learn calls it X

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from applicants import ROWS, drawing, fair, numbers, numeric_pipeline
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

pytestmark = pytest.mark.usefixtures("one_thread")


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
    message = (
        "sensitive_features needs the attribute 'sex', .*: 'region'|"
        "the column 'region' is given where sensitive_features expects 'sex'"
    )
    for fitted in (sex, frame[["sex"]], {"sex": sex}, [sex], pl.from_pandas(sex)):
        model = fair(unseen="score").fit(X, y, sensitive_features=fitted)
        for strange in (region, frame[["region"]], pl.from_pandas(region), {"region": region}):
            with pytest.raises(ValueError, match=message):
                model.predict(X, sensitive_features=strange)
        decided = model.predict(X, sensitive_features=sex)
        for right in (sex.to_numpy(), sex.to_list(), sex.rename(None), frame[["region", "sex"]]):
            assert np.array_equal(model.predict(X, sensitive_features=right), decided)
    two = fair().fit(X, y, sensitive_features=[sex, region])
    with pytest.raises(ValueError, match="'debt' is given where sensitive_features expects 'reg"):
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


def test_texts_and_sparse_rows(applicants: Any) -> None:
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
    with pytest.raises(ValueError, match="needs the attribute 'sex', .* 'region'"):
        model.predict(X, sensitive_features=frame[["region"]])
    with pytest.raises(ValueError, match="needs 1 attribute .'sex'., not 2"):
        model.predict(X, sensitive_features=frame[["sex", "region"]].to_numpy())
    with pytest.raises(ValueError, match="X has 600 rows, but id has 2"):
        model.predict(X, sensitive_features=sex, id=["a", "b"])
    two = fair().fit(X, y, sensitive_features=[frame.sex, frame.region])
    with pytest.raises(
        ValueError, match="'region' is given where sensitive_features expects 'sex'"
    ):
        two.predict(X, sensitive_features=[frame.region, pd.Series(sex, name="s")])
