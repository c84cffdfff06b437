"""FairScorer: searches that reward fairness."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from applicants import drawing
from sklearn.model_selection import GridSearchCV, cross_val_score

from evenhand.sklearn import FairScorer

pytestmark = pytest.mark.usefixtures("one_thread")


def test_it_is_accuracy_less_what_groups_differ_by(applicants: Any) -> None:
    frame, y = applicants
    model = drawing(frame, y)
    audit = model.audit(frame[["sex", "income", "debt"]], y)
    rows = frame[["sex", "income", "debt"]]
    assert FairScorer(penalty=0.0)(model, rows, y) == audit.accuracy
    assert FairScorer(penalty=2.0)(model, rows, y) == pytest.approx(
        audit.accuracy - 2 * audit.largest_difference
    )
    assert FairScorer(penalty=2.0, tolerance=1.0)(model, rows, y) == audit.accuracy


def test_searches_prefer_small_tolerances(applicants: Any) -> None:
    frame, y = applicants
    rows = frame[["sex", "income", "debt"]]
    model = drawing(frame, y, gamma=0.0)
    scorer = pickle.loads(pickle.dumps(FairScorer(penalty=20.0)))
    search = GridSearchCV(model, {"tolerance": [0.0, 0.9]}, cv=3, scoring=scorer).fit(rows, y)
    assert search.best_params_ == {"tolerance": 0.0}
    assert len(cross_val_score(model, rows, y, cv=3, scoring=scorer)) == 3
