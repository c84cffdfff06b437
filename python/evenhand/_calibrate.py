"""Calibration: from the score of any black box to a probability."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core, _inputs, _options, _tables
from ._inputs import Column, Columns
from ._tally.as_tally import Given, as_tally
from ._tally.tally import Tally


class Calibrator:
    """From scores to probabilities of the favourable outcome, as fitted on labels.

    Made by :func:`evenhand.calibrate`; :func:`evenhand.fit` takes it as ``calibrate``.
    """

    __slots__ = ("_core", "_tally")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, core: _core.Calibrator, tally: Tally | None = None) -> None:
        self._core = core
        self._tally = tally

    @property
    def method(self) -> str:
        """How it was fitted: isotonic, platt or temperature."""
        return self._core.method

    @property
    def by(self) -> str:
        """Whether there is a curve for each cell, or one for all."""
        return self._core.by

    @property
    def attributes(self) -> list[str]:
        """Names of the attributes that cells are made of; none for one curve for all."""
        return self._core.attributes

    def probability(
        self, score: Column, sensitive: Columns = None, within: Columns = None, *,
        data: Any = None, null: str | None = None,
    ) -> npt.NDArray[np.float64]:  # fmt: skip
        """Return the probability of the favourable outcome for each row.

        Parameters
        ----------
        score : column
            The scores.
        sensitive, within : column or columns
            The attributes, unless there is one curve for all. Cells without a curve have that of
            all.
        data : frame, optional
            Where columns given by name come from.
        null : str, optional
            The name of missing groups; by default the one that the calibrator was fitted with.
        """
        if null is None and self._tally is not None:
            null = self._tally._source.null or None
        if null is None or null == "exclude":  # every row has a probability
            null = "error"
        frame = _inputs.frame_of(data)
        scores = _inputs.numbers(_inputs.resolved(score, frame, "score"), "score", floats=True)
        attributes: list[_core.Attribute] = []
        if self.by == "cell":
            named = _inputs.columns(sensitive, frame, "sensitive")
            named += _inputs.columns(within, frame, "within")
            if not named and frame is not None:
                named = _inputs.columns(self.attributes, frame, "attributes")
            ordered = _inputs.in_order(named, self.attributes, "the calibrator")
            attributes = _inputs.attributes(ordered, _inputs.null_policy(null))
            _inputs.same_length([("score", scores), *((a.name, a) for a in attributes)])
        _inputs.refuse_missing([scores, *attributes], "null= names missing groups")
        return self._core.probability(scores, attributes)

    def before(self, bins: int = 15) -> dict[str, Any]:
        """Report how well the scores themselves are calibrated on the rows of the fit."""
        return _core.calibration_report(self._rows()._core, None, _bins(bins))

    def after(self, bins: int = 15) -> dict[str, Any]:
        """Report how well the calibrated probabilities are, on the same rows."""
        return _core.calibration_report(self._rows()._core, self._core, _bins(bins))

    def report(
        self, score: Column | Tally, sensitive: Columns = None, *,
        label: Column = None, within: Columns = None, weight: Column = None, data: Any = None,
        null: str | None = None,
        bins: int = 15, threads: int = 0,
    ) -> dict[str, Any]:  # fmt: skip
        """Report how well the calibrated probabilities are on other rows.

        Parameters
        ----------
        score, sensitive, within, data
            As for :meth:`probability`; or a :class:`Tally` as score. Attributes that the calibrator
            does not know are reported too if there is one curve for all.
        label : column
            What really happened, 0 or 1.
        weight : column, optional
            How often a row counts.
        null : str, optional
            As for :class:`Tally`; by default what the calibrator was fitted with.
        bins : int
            Of the reliability table and of the calibration error.
        threads : int
            0 for as many as there are cores.
        """
        if isinstance(score, Tally):
            named = None
        else:
            frame = _inputs.frame_of(data)
            named = _inputs.columns(sensitive, frame, "sensitive")
            named += _inputs.columns(within, frame, "within")
            if not named and frame is not None:
                named = _inputs.columns(self.attributes, frame, "attributes")
            if self.by == "cell":
                named = _inputs.in_order(named, self.attributes, "the calibrator")
            score = _inputs.resolved(score, frame, "score")
            label, weight = (
                None if value is None else _inputs.resolved(value, frame, name)
                for value, name in ((label, "label"), (weight, "weight"))
            )
            if label is None:
                raise ValueError(
                    "calibration is measured against what really happened: give label="
                )
            null = null or (self._tally._source.null if self._tally is not None else "") or None
        known, policy = (self._core.scale, self._core.favorable, None), null or "error"
        if named is not None:
            sensitive, within = {one.name: one.values for one in named}, None
            data = None
        given = Given(within, label, weight, data, *known, policy, _options.threads(threads))
        tally = as_tally(score, sensitive, given, needed=False)
        return _core.calibration_report(tally._core, self._core, _bins(bins))

    def _rows(self) -> Tally:
        if self._tally is None:
            raise ValueError("the rows of the fit are gone; use report with some rows")
        return self._tally

    def __eq__(self, other: object) -> bool:
        """Whether both have the same curves, bit for bit."""
        return isinstance(other, Calibrator) and self._core.same_as(other._core)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle its curves and the tally."""
        return {"json": self._core.to_json(), "tally": self._tally}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Read what ``__getstate__`` gave."""
        self._core = _core.Calibrator.from_json(state["json"])
        self._tally = state["tally"]

    def __repr__(self) -> str:
        """Say what it is."""
        return f"Calibrator({self.method}, by {self.by})"

    def _repr_html_(self) -> str:
        return _tables.html_lines(repr(self))


def _bins(bins: Any) -> int:
    return _options.whole(bins, "bins", -(2**31), 2**31 - 1)


def calibrate(
    score: Column | Tally, sensitive: Columns = None, *,
    label: Column = None, method: str = "isotonic", by: str = "cell",
    within: Columns = None, weight: Column = None, data: Any = None,
    scale: str | None = None, favorable: str | None = None, resolution: str | int | None = None,
    null: str = "error", threads: int = 0,
) -> Calibrator:  # fmt: skip
    """Fit a calibrator on labels.

    To decide with it, give it to :func:`evenhand.fit` as ``calibrate``: the rule then takes the raw
    scores.

    Parameters
    ----------
    score, sensitive, label, within, weight, data, scale, favorable, resolution, null, threads
        As for :func:`evenhand.fit`.
    method : {"isotonic", "platt", "temperature"}
        The kind of curve.
    by : {"cell", "all"}
        One curve for each cell, or one for everybody.

    Returns
    -------
    Calibrator

    Examples
    --------
    >>> import evenhand
    >>> calibrator = evenhand.calibrate([0.2, 0.2, 0.8, 0.8], label=[0, 0, 1, 0], by="all")
    >>> calibrator.probability([0.2, 0.8])
    array([0. , 0.5])
    """
    method, by = _options.text(method, "method"), _options.text(by, "by")
    threads = _options.threads(threads)
    given = Given(within, label, weight, data, scale, favorable, resolution, null, threads)
    tally = as_tally(score, sensitive, given, needed=False)
    return Calibrator(_core.calibrate(tally._core, method, by, threads), tally)
