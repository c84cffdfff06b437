"""The function that audits: what it is given becomes a tally."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import _criteria, _inputs
from .._calibrate import Calibrator
from .._inputs import Column, Columns
from .._inputs.rows import HINT, Rows
from .._inputs.texts import text_of
from .._rule.rule import Rule
from .._rule.soft_rule import SoftRule
from .._tally.as_tally import Given, squares_of, tally_and_rows
from .._tally.tally import Tally
from . import decisions as _decisions
from . import recorded as _recorded
from .audit import Audit, audit_tally

if TYPE_CHECKING:
    from .._solve.found import Fit


def _check_attributes(tally: Tally, rule: Rule) -> None:
    for name in rule.attributes:
        if name not in tally.attributes:
            raise ValueError(
                f"the rule needs the attribute {name!r}, which is not among those given: "
                + ", ".join(map(repr, tally.attributes))
            )


def audit(
    score: Column | Tally = None, sensitive: Columns = None, *,
    within: Columns = None, label: Column = None, weight: Column = None, data: Any = None,
    rule: Rule | Fit | None = None,
    decision: Column | Tally = None,
    criterion: str | None = None,
    across: str | None = None,
    reference: Any = None,
    require: str | Sequence[str] = (),
    unseen: str = "error",
    min_group: float = 0.0,
    confidence: float = 0.95,
    same_rows: bool = False, calibration_bins: int = 0, calibrator: Calibrator | None = None,
    scale: str | None = None, favorable: str | None = None, resolution: str | int | None = None,
    cost_fp: float | None = None, cost_fn: float | None = None, base_threshold: float | None = None,
    null: str | None = None, threads: int = 0,
) -> Audit:  # fmt: skip
    """Audit scores, a rule, or decisions that were already made.

    Parameters
    ----------
    score : column or Tally
        The model's scores; not with ``decision``.
    sensitive, within, label, weight, data, scale, favorable, resolution
        As for :func:`evenhand.fit`.
    rule : Rule or Fit, optional
        Audit its decisions; :attr:`Audit.before` then has those by the score alone. Scale,
        direction, costs, criterion and requirements are the rule's own unless given, and so are
        columns of ``data`` (labels and weights if it has them) and the roles of a tally's
        attributes. :func:`evenhand.audit_soft` audits a :class:`evenhand.SoftRule`.
    decision : column or Tally, optional
        Decisions that were made, 0 or 1, instead of scores; or counts of them, in which they
        are the scores, as from :meth:`Tally.counted`.
    criterion : str, optional
        Compare the rates of this criterion; selection rates by default.
    across : {"intersection", "marginal", "both"}
        Several sensitive columns: compare their combinations (the default), each column's values,
        or both; see :attr:`Audit.views`.
    reference : value or list of values, optional
        Compare every group with this one; a value for each sensitive column.
    require : str or list of str
        Requirements to be checked on these rows, as for :func:`evenhand.fit`; those of the rule by
        default. See :attr:`Audit.requirements`.
    unseen : {"error", "score", "reject"}
        With a rule, for people in groups that it does not know.
    min_group : float
        Groups of fewer people (of less weight) are shown, but not compared.
    confidence : float
        Of the intervals (Wilson's) and of what is said of new people, 0.95 by default.
    same_rows : bool
        The rule was fitted on these rows: bound it as a fit. Identical data are recognised.
    calibration_bins : int
        Measure calibration in so many bins; it needs labels. 0: do not.
    calibrator : Calibrator, optional
        What the scores say of outcomes, if not by their scale; a rule may bring its own.
    cost_fp, cost_fn : float
        What a wrong positive and a wrong negative decision cost, 1 by default.
    base_threshold : float, optional
        Base decisions are positive from this score on.
    null : str, optional
        Missing values, as for :func:`evenhand.fit`: "error" by default, or what the rule was
        fitted with.
    threads : int
        0 for as many as there are cores.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import evenhand
    >>> audit = evenhand.audit([0.2, 0.4, 0.6, 0.8], ["F", "F", "M", "M"], label=[0, 1, 1, 1])
    >>> audit.accuracy, audit.largest_difference
    (0.75, 1.0)
    """
    record: dict[str, Any] = {}
    if isinstance(getattr(rule, "rule", rule), SoftRule):
        raise TypeError("this is a rule for soft groups: use evenhand.audit_soft")
    rule = _recorded.rule_to_audit(rule, decision, Rule, "a Rule or a Fit")
    if rule is not None:
        record = rule.record
        named = _recorded.columns_of(
            record, data, score=score, sensitive=sensitive, within=within, label=label,
            weight=weight,
        )  # fmt: skip
        score, sensitive, within, label, weight = named.values()
        across = across or record.get("criterion", {}).get("across")
        scale, favorable = scale or rule.scale, favorable or rule.favorable
        calibrator = calibrator or rule.calibrator
        null = rule.null if null is None and not isinstance(score, Tally) else null
        if criterion is None:
            criterion = record.get("criterion", {}).get("name")
            criterion = None if criterion == "requirements" else criterion
        require = require or record.get("criterion", {}).get("require", ())
    if same_rows and rule is None:
        raise ValueError("same_rows says that the rule was fitted on these rows: give rule=")
    if calibrator is not None and not isinstance(calibrator, Calibrator):
        raise TypeError(f"calibrator must be a Calibrator, not {type(calibrator).__name__}")
    policy = "error" if null is None else null
    if decision is not None:
        if score is not None:
            raise ValueError("give either score or decision, not both")
        tally, rows = _tally_of_decisions(
            decision, sensitive, within, label, weight, data, favorable, policy, threads
        )
    else:
        if score is None:
            raise ValueError("score is missing: give the model's scores, or decision=")
        given = Given(within, label, weight, data, scale, favorable, resolution, policy, threads)
        also = rule.attributes if rule is not None else ()
        tally, rows = tally_and_rows(score, sensitive, given, needed=True, also=also)
    built = None
    if criterion:
        built = _criteria.build(criterion, tally.sensitive, tally.within)
        _criteria.check_labels(built, tally.labelled)
    if rule is not None:
        _check_attributes(tally, rule)
    try:
        return audit_tally(
            tally,
            rule=rule,
            across=across or "intersection",
            rates=built.rates if built else (),
            is_ratio=built is not None and built.is_ratio,
            all_cells=built is not None and built.all_cells,
            reference=None if reference is None else _texts_of(reference),
            require=[require] if isinstance(require, str) else require,
            cost_fp=_recorded.first(cost_fp, record.get("cost_fp"), 1.0),
            cost_fn=_recorded.first(cost_fn, record.get("cost_fn"), 1.0),
            base_threshold=_recorded.first(base_threshold, record.get("base_threshold"), None),
            confidence=confidence,
            calibrator=calibrator,
            calibration_bins=calibration_bins,
            unseen=unseen,
            decisions=decision is not None,
            min_group=min_group,
            same_rows=bool(same_rows),
            squares=squares_of(rows, tally),
        )
    except IndexError as error:
        raise IndexError(
            f"{error}; refit it, leave them out, or say how to decide about them (unseen=)"
        ) from None


def _texts_of(reference: Any) -> list[str]:
    several = isinstance(reference, (list, tuple))
    texts = [text_of(one) for one in (reference if several else [reference])]
    return ["" if text is None else text for text in texts]


def _tally_of_decisions(
    decision: Any, sensitive: Any, within: Any, label: Any, weight: Any, data: Any,
    favorable: str | None, null: str, threads: int,
) -> tuple[Tally, Rows | None]:  # fmt: skip
    if isinstance(decision, Tally):
        _decisions.check_counted(decision, favorable)
        given = Given(within, label, weight, data, null=null, threads=threads)
        return tally_and_rows(decision, sensitive, given, needed=True)
    if sensitive is None:
        raise ValueError("sensitive is missing: say who belongs to which group")
    frame = _inputs.frame_of(data)
    array = _decisions.made(decision, frame, null)
    if label is not None and favorable == "low":  # 1 is the good decision, and the bad outcome
        labels = _inputs.numbers(_inputs.resolved(label, frame, "label"), "label")
        if null != "exclude":
            _inputs.refuse_missing([labels], HINT)
        label = 1 - labels.to_numpy()
    given = Given(within, label, weight, data, null=null, threads=threads)
    return tally_and_rows(array, sensitive, given, needed=True)
