"""Decisions that were already made."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _inputs
from .._inputs.rows import HINT
from .._tally.tally import Tally


def made(decision: Any, frame: _inputs.Frame | None, null: str) -> npt.NDArray[Any]:
    """Return a column of decisions, 0 or 1; NaN for missing ones if they will be left out."""
    decisions = _inputs.numbers(_inputs.resolved(decision, frame, "decision"), "decision")
    if null != "exclude":
        _inputs.refuse_missing([decisions], HINT)
    array = decisions.to_numpy()
    bad = np.flatnonzero((array != 0) & (array != 1) & ~np.isnan(array))
    if len(bad):
        raise ValueError(f"row {bad[0]}: the decision {array[bad[0]]:g} is neither 0 nor 1")
    return array


def check_counted(tally: Tally, favorable: str | None) -> None:
    """Refuse a tally of anything but decisions."""
    scores = tally._core.all_entries()[1]
    if tally.scale != "probability" or ((scores != 0) & (scores != 1)).any():
        raise ValueError("this tally is of scores: decisions are 0 or 1")
    if tally.favorable == "low" or favorable == "low":
        raise ValueError(
            "1 is the favourable decision: count the label 0 as n1 where the label is a harm"
        )
