"""The function that audits: what it is given becomes a tally, or rows of soft attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from .. import _criteria, _inputs, _options, _tables
from .._calibrate import Calibrator
from .._inputs import Column, Columns
from .._inputs.rows import HINT
from .._inputs.texts import text_of
from .._rule.rule import Rule
from .._rule.soft_rule import SoftRule
from .._tally.as_tally import as_tally
from .._tally.tally import Tally
from . import decisions as _decisions
from . import recorded as _recorded
from . import soft_audit as _soft_audit
from .audit import Audit, audit_tally, together, views_of
from .soft_audit import SoftAudit

if TYPE_CHECKING:
    from .._solve.found import Fit, SoftFit


def _refuse_unseen(tally: Tally, rule: Rule) -> None:
    known = {tuple(cell.values()) for cell in rule.cells}
    for name in rule.attributes:
        if name not in tally.attributes:
            raise ValueError(
                f"the rule needs the attribute {name!r}, which is not among those given: "
                + ", ".join(map(repr, tally.attributes))
            )
    for cell in tally.cells:
        values = tuple(cell[name] for name in rule.attributes)
        if values not in known:
            words = _tables.values_in_words(dict(zip(rule.attributes, values, strict=True)))
            raise IndexError(f"the rule has never seen {words}; fit it anew, or leave them out")


@overload
def audit(
    score: Column | Tally = None,
    sensitive: Columns = None,
    *,
    within: Columns = None,
    label: Column = None,
    weight: Column = None,
    data: Any = None,
    rule: Rule | Fit | None = None,
    decision: Column = None,
    soft: None = None,
    criterion: str | None = None,
    across: str | None = None,
    reference: Any = None,
    confidence: float | None = None,
    calibration_bins: int = 0,
    calibrator: Calibrator | None = None,
    scale: str | None = None,
    favorable: str | None = None,
    resolution: str | int | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    base_threshold: float | None = None,
    null: str | None = None,
    threads: int = 0,
) -> Audit: ...
@overload
def audit(
    score: Column = None,
    *,
    within: Columns = None,
    label: Column = None,
    weight: Column = None,
    data: Any = None,
    rule: SoftRule | SoftFit | None = None,
    decision: Column = None,
    soft: Columns,
    criterion: str | None = None,
    scale: str | None = None,
    favorable: str | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    null: str | None = None,
    threads: int = 0,
) -> SoftAudit: ...
@overload
def audit(
    score: Column = None,
    *,
    within: Columns = None,
    label: Column = None,
    weight: Column = None,
    data: Any = None,
    rule: SoftRule | SoftFit,
    decision: Column = None,
    soft: Columns = None,
    criterion: str | None = None,
    scale: str | None = None,
    favorable: str | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    null: str | None = None,
    threads: int = 0,
) -> SoftAudit: ...
def audit(
    score: Column | Tally = None,
    sensitive: Columns = None,
    *,
    within: Columns = None,
    label: Column = None,
    weight: Column = None,
    data: Any = None,
    rule: Rule | Fit | SoftRule | SoftFit | None = None,
    decision: Column = None,
    soft: Columns = None,
    criterion: str | None = None,
    across: str | None = None,
    reference: Any = None,
    confidence: float | None = None,
    calibration_bins: int = 0,
    calibrator: Calibrator | None = None,
    scale: str | None = None,
    favorable: str | None = None,
    resolution: str | int | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    base_threshold: float | None = None,
    null: str | None = None,
    threads: int = 0,
) -> Audit | SoftAudit:
    """Audit scores, a rule, or decisions that were already made.

    Parameters
    ----------
    score : column or Tally
        The model's scores; not with ``decision``.
    sensitive, within, label, weight, data, scale, favorable, resolution
        As for :func:`evenhand.fit`.
    rule : Rule, Fit, SoftRule or SoftFit, optional
        Audit its decisions; :attr:`Audit.before` then has those by the score alone. Scale,
        direction, costs and criterion are the rule's own unless given, and so are columns of
        ``data`` (labels and weights if it has them) and the roles of a tally's attributes.
    decision : column, optional
        Decisions that were made, 0 or 1, instead of scores.
    soft : columns, optional
        Probabilities of belonging to groups, instead of ``sensitive``: those who belong are
        compared with those who do not, in expectation.
    criterion : str, optional
        Compare the rates of this criterion; selection rates by default.
    across : {"intersection", "marginal", "both"}
        Several sensitive columns: compare their combinations (the default), each column's values,
        or both; see :attr:`Audit.views`.
    reference : value or list of values, optional
        Compare every group with this one; a value for each sensitive column.
    confidence : float
        Of the intervals (Wilson's), 0.95 by default.
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
    Audit or SoftAudit
        The latter with ``soft`` or a rule for soft attributes.

    Examples
    --------
    >>> import evenhand
    >>> audit = evenhand.audit([0.2, 0.4, 0.6, 0.8], ["F", "F", "M", "M"], label=[0, 1, 1, 1])
    >>> audit.accuracy, audit.largest_difference
    (0.75, 1.0)
    """
    record: dict[str, Any] = {}
    rule = getattr(rule, "rule", rule)  # of a Fit
    if rule is not None and not isinstance(rule, (Rule, SoftRule)):
        raise TypeError(f"rule must be a Rule or a Fit, not {type(rule).__name__}")
    if rule is not None and decision is not None:
        raise ValueError("give either rule or decision, not both")
    if soft is not None or isinstance(rule, SoftRule):
        _refuse_beside_soft(
            rule, criterion, sensitive=sensitive, across=across, reference=reference,
            confidence=confidence, calibration_bins=calibration_bins or None,
            calibrator=calibrator, resolution=resolution, base_threshold=base_threshold,
        )  # fmt: skip
        _options.threads(threads)
        return _soft_audit.audit(
            score, soft, within=within, label=label, weight=weight, data=data,
            rule=rule if isinstance(rule, SoftRule) else None, decision=decision, scale=scale,
            favorable=favorable, cost_fp=cost_fp, cost_fn=cost_fn, null=null,
        )  # fmt: skip
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
    if calibrator is not None and not isinstance(calibrator, Calibrator):
        raise TypeError(f"calibrator must be a Calibrator, not {type(calibrator).__name__}")
    policy = "error" if null is None else null
    if decision is not None:
        if score is not None:
            raise ValueError("give either score or decision, not both")
        tally = _tally_of_decisions(
            decision, sensitive, within, label, weight, data, favorable, policy, threads
        )
        base_threshold = 0.5
    else:
        if score is None:
            raise ValueError("score is missing: give the model's scores, or decision=")
        tally = as_tally(
            score,
            sensitive,
            within=within,
            label=label,
            weight=weight,
            data=data,
            scale=scale,
            favorable=favorable,
            resolution=resolution,
            null=policy,
            threads=threads,
            needed=True,
        )
    built = None
    if criterion:
        built = _criteria.build(criterion, tally.sensitive, tally.within)
        _criteria.check_labels(built, tally.labelled)
    if rule is not None:
        _refuse_unseen(tally, rule)
    values = None if reference is None else _texts_of(reference)
    views = [
        audit_tally(
            tally,
            rule=rule,
            sensitive=view,
            criterion=built,
            cost_fp=_recorded.first(cost_fp, record.get("cost_fp"), 1.0),
            cost_fn=_recorded.first(cost_fn, record.get("cost_fn"), 1.0),
            base_threshold=_recorded.first(base_threshold, record.get("base_threshold"), None),
            confidence=0.95 if confidence is None else confidence,
            reference=values,
            calibrator=calibrator,
            calibration_bins=calibration_bins,
            meaningless=decision is not None and not tally.labelled,
        )
        for view in views_of(tally.sensitive, across or "intersection")
    ]
    if values is not None:
        _refuse_reference(values, views)
    return together(views)


def _refuse_beside_soft(rule: Any, criterion: str | None, **given: Any) -> None:
    if isinstance(rule, Rule):
        raise ValueError("this is a rule for known groups: audit it without soft")
    _criteria.refuse_beside_soft(criterion)
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"an audit of soft groups goes without {name}")


def _texts_of(reference: Any) -> list[str]:
    several = isinstance(reference, (list, tuple))
    texts = [text_of(one) for one in (reference if several else [reference])]
    return ["" if text is None else text for text in texts]


def _refuse_reference(values: list[str], views: list[Audit]) -> None:
    known = [list(group["group"].values()) for view in views for group in view.groups]
    if values not in known:
        raise ValueError(
            f"there is no group {','.join(values)!r} to compare with; there are "
            + ", ".join(repr(",".join(group)) for group in known[:10])
        )


def _tally_of_decisions(
    decision: Any,
    sensitive: Any,
    within: Any,
    label: Any,
    weight: Any,
    data: Any,
    favorable: str | None,
    null: str,
    threads: int,
) -> Tally:
    if sensitive is None:
        raise ValueError("sensitive is missing: say who belongs to which group")
    frame = _inputs.frame_of(data)
    array = _decisions.made(decision, frame, null)
    if label is not None and favorable == "low":  # 1 is the good decision, and the bad outcome
        labels = _inputs.numbers(_inputs.resolved(label, frame, "label"), "label")
        if null != "exclude":
            _inputs.refuse_missing([labels], HINT)
        label = 1 - labels.to_numpy()
    return Tally(
        array,
        sensitive,
        within=within,
        label=label,
        weight=weight,
        data=data,
        null=null,
        threads=threads,
    )
