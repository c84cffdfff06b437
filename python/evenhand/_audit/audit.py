"""Audits: what decisions mean for each group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .. import _core, _options, _tables
from .._calibrate import Calibrator
from .._rule.rule import Rule
from .._tally.tally import Tally

RATES = ("selection_rate", "true_positive_rate", "false_positive_rate")


class Audit:
    """Rates, differences and intervals of decisions, by group, stratum and cell.

    Made by :func:`evenhand.audit`; :attr:`evenhand.Fit.before` and ``after`` are some too. Records
    are dictionaries with the names of the tool's JSON.

    Attributes
    ----------
    expected : bool
        There were no labels: accuracy, precision and cost are what to expect if the scores are
        calibrated.
    overall : dict
        Figures of everybody, with ``..._between_groups`` for each rate.
    groups, strata, cells : list of dict
        Figures of each group, of each stratum (with its own ``groups``), and of each cell.
    calibration : dict or None
        How well scores are calibrated, if it was asked for.
    sensitive, within : list of str
        What groups and strata are made of.
    rates : list of str
        The rates that are compared.
    before : Audit or None
        Of an audit of a rule: the same by the base decisions.
    excluded : int
        The number of rows that were left out for a missing value.
    against_reference : list of dict
        Each group against the ``reference``, if there is one.
    """

    def __init__(
        self,
        record: dict[str, Any],
        sensitive: Sequence[str],
        within: Sequence[str],
        *,
        rates: Sequence[str] = RATES[:1],
        all_cells: bool = False,
        before: Audit | None = None,
        reference: Sequence[str] | None = None,
        excluded: int = 0,
    ) -> None:
        self.expected: bool = record["expected"]
        self.overall: dict[str, Any] = record["overall"]
        self.groups: list[dict[str, Any]] = record["groups"]
        self.strata: list[dict[str, Any]] = record["strata"]
        self.cells: list[dict[str, Any]] = record["cells"]
        self.calibration: dict[str, Any] | None = record.get("calibration")
        self.sensitive = list(sensitive)
        self.within = list(within)
        self.rates = list(rates)
        self.before = before
        self.excluded = excluded
        self._others: list[Audit] = []  # without itself: that would be a cycle
        self.against_reference = [] if reference is None else self._against(list(reference))
        self._reference = reference
        self._all_cells = all_cells

    def _against(self, reference: list[str]) -> list[dict[str, Any]]:
        out = []
        for stratum in self.strata:
            groups = stratum["groups"]
            base = next((g for g in groups if list(g["group"].values()) == reference), None)
            if base is None:
                continue
            for group in groups:
                for rate in self.rates:
                    value, other = group[rate], base[rate]
                    if group is base or value is None or other is None:
                        continue
                    name = _tables.values_in_words({**group["group"], **stratum["stratum"]})
                    out.append(
                        {
                            "cell": name,
                            "rate": rate,
                            "value": value,
                            "reference": other,
                            "difference": value - other,
                            "ratio": value / other if other > 0 else None,
                        }
                    )
        return out

    def _compared(self) -> Iterator[tuple[float, float]]:
        """Pairs of the smallest and largest rate that are compared."""
        if self._reference is not None:
            for one in self.against_reference:
                yield one["value"], one["reference"]
            return
        for rate in self.rates:
            pools = (
                [self.cells] if self._all_cells else [stratum["groups"] for stratum in self.strata]
            )
            for pool in pools:
                values = [one[rate] for one in pool if one[rate] is not None]
                if len(values) > 1:
                    yield min(values), max(values)

    @property
    def views(self) -> list[Audit]:
        """One audit for each grouping that is compared (``across``), this one first."""
        return [self, *self._others]

    @property
    def largest_difference(self) -> float | None:
        """The largest difference between two rates that are compared, over all views.

        None if nothing can be compared.
        """
        pairs = [pair for view in self.views for pair in view._compared()]
        return max((abs(a - b) for a, b in pairs), default=None)

    @property
    def smallest_ratio(self) -> float | None:
        """The smallest ratio of two rates that are compared, over all views."""
        pairs = [pair for view in self.views for pair in view._compared()]
        ratios = [min(pair) / max(pair) if max(pair) > 0 else 1.0 for pair in pairs]
        return min(ratios, default=None)

    @property
    def accuracy(self) -> float | None:
        """The share of right decisions, or what to expect of it (``expected``)."""
        value: float | None = self.overall["accuracy"]
        return value

    @property
    def selection_rate(self) -> float | None:
        """The share of positive decisions."""
        value: float | None = self.overall["selection_rate"]
        return value

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record for each group of each stratum."""
        return [
            {
                **stratum["stratum"],
                **group["group"],
                **{key: value for key, value in group.items() if key != "group"},
            }
            for stratum in self.strata
            for group in stratum["groups"]
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return it as the tool's JSON has it."""
        without_groups = [
            {key: value for key, value in stratum.items() if key != "groups"}
            for stratum in self.strata
        ]
        out = {
            "expected": self.expected,
            "overall": self.overall,
            "groups": self.groups,
            "strata": without_groups,
            "cells": self.cells,
        }
        return out if self.calibration is None else {**out, "calibration": self.calibration}

    def __eq__(self, other: object) -> bool:
        """Whether all figures are the same, and compared alike."""
        return isinstance(other, Audit) and self._identity() == other._identity()

    __hash__ = None  # type: ignore[assignment]

    def _identity(self) -> tuple[Any, ...]:
        return (
            self.to_dict(),
            self.rates,
            self.against_reference,
            self.excluded,
            self.before,
            self._others,
        )

    def to_frame(self) -> Any:
        """Return :meth:`records` as a pandas frame, or a polars one if pandas is missing."""
        return _tables.to_frame(self.records())

    def _table(self) -> tuple[list[str], list[list[str]]]:
        rates = [rate for rate in RATES if any(group[rate] is not None for group in self.groups)]
        header = ["group", "people", *(rate.replace("_", " ") for rate in rates), "accuracy"]
        rows = [
            [
                _tables.values_in_words({**group["group"], **stratum["stratum"]}),
                f"{group['weight']:,.10g}",
                *(_tables.percent(group[rate]) for rate in rates),
                _tables.percent(group["accuracy"]),
            ]
            for stratum in self.strata
            for group in stratum["groups"]
        ]
        return header, rows

    def __repr__(self) -> str:
        """Show a line for each group."""
        note = " (expected, if the scores are calibrated)" if self.expected else ""
        head = f"accuracy {_tables.percent(self.accuracy)}{note}, "
        head += f"selected {_tables.percent(self.selection_rate)}, "
        head += f"largest difference {_tables.percent(self.largest_difference)}"
        return head + "\n\n" + _tables.text_table(*self._table())

    def _repr_html_(self) -> str:
        return _tables.html_table(*self._table())


def together(views: list[Audit]) -> Audit:
    """Make the first of them the one that has the others."""
    views[0]._others = views[1:]
    return views[0]


def views_of(sensitive: Sequence[str], across: str) -> list[list[str]]:
    """Return who is compared: combinations of all attributes, each one's values, or both."""
    if across not in ("intersection", "marginal", "both"):
        raise ValueError(f"there is no across {across!r}: use intersection, marginal or both")
    each = [[name] for name in sensitive] if len(sensitive) > 1 else []
    if across == "intersection" or not each:
        return [list(sensitive)]
    return each if across == "marginal" else [list(sensitive), *each]


def audit_tally(
    tally: Tally,
    *,
    rule: Rule | None = None,
    sensitive: Sequence[str] | None = None,
    criterion: _core.Criterion | None = None,
    cost_fp: float = 1.0,
    cost_fn: float = 1.0,
    base_threshold: float | None = None,
    confidence: float = 0.95,
    reference: Sequence[str] | None = None,
    calibrator: Calibrator | None = None,
    calibration_bins: int = 0,
    meaningless: bool = False,
) -> Audit:
    """Audit one grouping of a tally, by the base decisions or by a rule."""
    groups = tally.sensitive if sensitive is None else list(sensitive)

    def audited(core: _core.Rule | None, before: Audit | None) -> Audit:
        record = _core.audit(
            tally._core,
            groups,
            tally.within,
            core,
            _options.number(cost_fp, "cost_fp"),
            _options.number(cost_fn, "cost_fn"),
            _options.optional_number(base_threshold, "base_threshold"),
            _options.number(confidence, "confidence"),
            None if calibrator is None else calibrator._core,
            _options.whole(calibration_bins, "calibration_bins", 0, 2**31 - 1),
        )
        if meaningless:
            _forget_outcomes(record)
        return Audit(
            record,
            groups,
            tally.within,
            rates=criterion.rates if criterion and criterion.rates else RATES[:1],
            all_cells=criterion is not None and criterion.all_cells,
            before=before,
            reference=reference,
            excluded=tally.excluded,
        )

    base = audited(None, None)
    return base if rule is None else audited(rule._core, base)


def _forget_outcomes(record: dict[str, Any]) -> None:
    """Figures that trust the scores mean nothing where these are decisions."""
    record["expected"] = False
    pools = [[record["overall"]], record["groups"], record["strata"], record["cells"]]
    pools += [stratum["groups"] for stratum in record["strata"]]
    for pool in pools:
        for figures in pool:
            figures.update(precision=None, accuracy=None, cost=None)
