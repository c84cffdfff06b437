"""verify: whether a rule, and a log of decisions, are what they claim to be."""

from __future__ import annotations

import csv
import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core, _files, _inputs, _options, _tables
from ._audit import recorded as _recorded
from ._inputs import Column, Columns
from ._inputs.rows import Rows
from ._rule.keys import check_key
from ._rule.rule import Rule
from ._rule.soft_rule import SoftRule
from ._tally.as_tally import Given, as_tally
from ._tally.tally import Tally

if TYPE_CHECKING:
    from ._solve.found import Fit
    from ._solve.soft import SoftFit

_TEXTS = ("id", "rule", "key", "cell", "reason")
_NUMBERS = ("score", "threshold", "probability", "coin", "decision")


class Verification:
    """What :func:`evenhand.verify` found; true if nothing says no.

    Attributes
    ----------
    passed : bool
        Whether no check says no, and no line of the log is wrong.
    checks : list of dict
        Each with ``name``, ``verdict`` ("yes", "no" or "not checked"), ``words`` and, of single
        figures, ``recorded`` and ``found``. Empty if only a log was checked.
    log : dict or None
        Of a log: ``lines``, how many are ``wrong`` and were decided ``by_lot``,
        ``coins_checked``, and ``first_wrong``, at most ten of ``line``, ``id`` and ``trouble``.
    """

    def __init__(
        self, found: dict[str, Any] | None, log: dict[str, Any] | None, log_text: str
    ) -> None:
        self.checks: list[dict[str, Any]] = found["checks"] if found else []
        self.log = log
        self.passed: bool = (found is None or found["passed"]) and not (log and log["wrong"])
        self._rows = found is not None
        self._log_text = log_text

    def to_dict(self) -> dict[str, Any]:
        """Return it as the tool's JSON has it, but for the names of files."""
        out: dict[str, Any] = {"passed": self.passed}
        if self._rows:
            out["checks"] = self.checks
        if self.log is not None:
            out["log"] = self.log
        return out

    def to_json(self) -> str:
        """Return :meth:`to_dict` as a text."""
        return json.dumps(self.to_dict(), indent=2) + "\n"

    def save(self, path: _files.PathLike) -> None:
        """Write :meth:`to_json` into a file."""
        _files.write_text(path, self.to_json())

    def __bool__(self) -> bool:
        """Whether it passed."""
        return self.passed

    def __eq__(self, other: object) -> bool:
        """Whether the same was found."""
        return isinstance(other, Verification) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def _lines(self) -> list[str]:
        failed = sum(check["verdict"] == "no" for check in self.checks)
        out = []
        if self._rows:
            no = f"not verified: {failed} of {len(self.checks)} checks say no"
            out.append(no if failed else "verified")
        if self.log is not None:
            lines, wrong = self.log["lines"], self.log["wrong"]
            out += self._log_text.splitlines()
            no = f"log not verified: {wrong:,} of {lines:,} lines are wrong"
            out.append(no if wrong else f"log verified: {lines:,} lines")
        return out

    def _table(self) -> tuple[list[str], list[list[str]]]:
        rows = [[check["verdict"], check["name"], check["words"]] for check in self.checks]
        return ["verdict", "check", "words"], rows

    def __repr__(self) -> str:
        """Show a line for each check, and the answer."""
        widest = max((len(check["name"]) for check in self.checks), default=0)
        out = [
            f"{check['verdict']:<11}  {check['name']:<{widest}}  {check['words']}"
            for check in self.checks
        ]
        return "\n".join([*out, *([""] if out else []), *self._lines()])

    def _repr_html_(self) -> str:
        table = _tables.html_table(*self._table()) if self.checks else ""
        return table + _tables.html_lines("\n".join(self._lines()))


def verify(
    rule: Rule | SoftRule | Fit | SoftFit, score: Column | Tally = None, sensitive: Columns = None,
    *,
    within: Columns = None,
    soft: Columns = None,
    label: Column = None, weight: Column = None, data: Any = None,
    resolution: str | int | None = None,
    null: str | None = None,
    log: Any = None,
    key: bytes | str | None = None, key_file: _files.PathLike | None = None,
    seed: int | None = None, threads: int = 0,
) -> Verification:  # fmt: skip
    """Recompute what the record of a rule claims, or check a log of decisions.

    The arithmetic is plain sums over the data, and shares nothing with the code that fits: a rule
    that was edited, or data that changed, show here.

    Parameters
    ----------
    rule : Rule, SoftRule, Fit or SoftFit
        With the record of its fit. A :class:`Fit` without rows is verified on its own.
    score : column or Tally, optional
        The scores that the rule was fitted on, or their tally.
    sensitive, within, label, weight, data
        As for :func:`evenhand.fit`; columns of ``data`` are those of the record unless given.
    soft : columns, optional
        For a :class:`SoftRule`, as for :func:`evenhand.fit_soft`.
    resolution, null : optional
        Those of the record unless given.
    log : frame or path, optional
        A log of decisions by :meth:`Rule.log` or the tool's ``apply --log``, each line of which is
        checked: a frame, or a Parquet or CSV file.
    key, key_file, seed : optional
        How the coins of the log fell, as for :meth:`Rule.decide`; without it they are believed.
    threads : int
        0 for as many as there are cores.

    Returns
    -------
    Verification

    Raises
    ------
    ValueError
        If the rule has no record, or there is nothing to verify it on.

    Examples
    --------
    >>> import evenhand
    >>> score, group = [0.2, 0.4, 0.6, 0.8], {"group": ["F", "F", "M", "M"]}
    >>> rule = evenhand.fit(score, group, criterion="statistical-parity").rule
    >>> evenhand.verify(rule, score, group).passed
    True
    >>> evenhand.verify(rule, [0.2, 0.4, 0.6, 0.9], group).passed
    False
    """
    fitted = getattr(rule, "tally", None)  # of a Fit
    rule = getattr(rule, "rule", rule)
    if not isinstance(rule, (Rule, SoftRule)):
        raise TypeError(f"rule must be a Rule or a Fit, not {type(rule).__name__}")
    check_key(key, key_file)
    if log is None and (key is not None or key_file is not None or seed is not None):
        raise ValueError("key, key_file and seed are for log, whose coins they check")
    if seed is not None and (key is not None or key_file is not None):
        raise ValueError("give either a key or seed, not both")
    rows = score is not None or data is not None
    if not rows and log is None:
        if fitted is None:
            raise ValueError("give what the rule is verified on: score, data or log")
        score, rows = fitted, True
    found = None
    if rows and isinstance(rule, SoftRule):
        found = _soft(rule, score, sensitive, within, soft, label, weight, data, null)
    elif rows and isinstance(rule, Rule):
        if soft is not None:
            raise ValueError("soft is for rules of soft groups; this one knows groups")
        given = Given(within, label, weight, data, None, None, resolution, null or "", threads)
        found = _known(rule, score, sensitive, given)
    if log is None:
        return Verification(found, None, "")
    if not isinstance(rule, Rule):
        raise ValueError("decisions of a rule for soft groups have no log")
    if key_file is not None:
        key = Path(key_file).read_bytes()
    secret = key.encode() if isinstance(key, str) else key
    checked, text = _checked_log(rule, log, secret, seed)
    return Verification(found, checked, text)


def _known(rule: Rule, score: Any, sensitive: Any, given: Given) -> dict[str, Any]:
    record = rule.record
    named = _recorded.columns_of(
        record, given.data, score=score, sensitive=sensitive, within=given.within,
        label=given.label, weight=given.weight,
    )  # fmt: skip
    score, sensitive, within, label, weight = named.values()
    if score is None:
        raise ValueError("score is missing: give the scores, or their column's name in data")
    if isinstance(score, Tally):
        tally = as_tally(score, sensitive, Given(within, label, weight, given.data), needed=False)
    else:
        resolution = _recorded.first(given.resolution, record.get("resolution"), "exact")
        tally = as_tally(
            score,
            sensitive,
            Given(
                within, label, weight, given.data, rule.scale, rule.favorable, resolution,
                given.null or rule.null, given.threads,
            ),
            needed=False,
        )  # fmt: skip
        least = record.get("min_count", 0)
        if isinstance(least, (int, float)) and least > 0:
            tally = tally.pool_rare(least)
    found: dict[str, Any] = json.loads(_core.verify(*tally._now(), rule.to_json()))
    return found


def _soft(
    rule: SoftRule, score: Any, sensitive: Any, within: Any, soft: Any, label: Any, weight: Any,
    data: Any, null: str | None,
) -> dict[str, Any]:  # fmt: skip
    if isinstance(score, Tally):
        raise TypeError("a rule of soft groups is verified on its rows: a tally has none")
    if sensitive is not None:
        raise ValueError("the rule knows no groups: give soft instead of sensitive")
    record = rule.record
    named = _recorded.columns_of(
        record, data, score=score, within=within, label=label, weight=weight
    )
    score, within, label, weight = named.values()
    if score is None:
        raise ValueError("score is missing: give the scores, or their column's name in data")
    frame = _inputs.frame_of(data)
    if soft is None and frame is not None:
        known = record.get("columns", {})
        listed = [
            name
            for kind in ("soft", "soft_favorable", "soft_unfavorable")
            for name in known.get(kind) or []
            if name in frame
        ]
        soft = list(dict.fromkeys([*listed, *rule.columns]))
    if soft is None:
        raise ValueError("soft is missing: give columns with the probability of belonging")
    rows = Rows.read(score, None, within, label, weight, data, null or rule.null, soft=soft)
    columns = [column for column in rows.soft if column.name in rule.columns]
    strata = [one for one in rows.attributes if one.name in rule.attributes]
    rule._core.probability(rows.score, columns, strata, "reject")  # refuses what is out of range
    text = _core.verify_soft(rows.score, rows.soft, rows.attributes, rows.weight, rule.to_json())
    found: dict[str, Any] = json.loads(text)
    return found


def _checked_log(
    rule: Rule, log: Any, key: bytes | None, seed: int | None
) -> tuple[dict[str, Any], str]:
    if isinstance(log, (str, os.PathLike)):
        log = _logged_in(os.fspath(log))
    frame = _inputs.frame_of(log)
    assert frame is not None
    for name in (*_TEXTS, *_NUMBERS):
        if name not in frame:
            raise ValueError(f"the log has no column {name!r}: is it one of Rule.log?")
    texts = [_inputs.attribute(frame.column(name), name) for name in _TEXTS]
    numbers = [_inputs.numbers(frame.column(name), name) for name in _NUMBERS]
    everything: list[tuple[str, Any]] = [(one.name, one) for one in texts]
    _inputs.same_length(everything + [(one.name, one) for one in numbers])
    whole = None if seed is None else _options.whole(seed, "seed", 0, 2**64 - 1)
    found, text = _core.check_log(rule._core, texts, numbers, key, whole)
    return json.loads(found), text


def _logged_in(path: str) -> Any:
    """Return the columns of a log in a file: CSV, or else Parquet."""
    if not path.lower().endswith(".csv"):
        from ._tally.parquet import columns_in

        return columns_in(path)
    with open(path, encoding="utf-8-sig", newline="") as file:
        try:
            header, *lines = csv.reader(file, strict=True)
        except (csv.Error, ValueError) as error:  # not UTF-8, or empty, too
            raise ValueError(f"{path}: no log of decisions: {error}") from None
    for i, line in enumerate(lines):
        if len(line) != len(header):
            raise ValueError(f"{path}: {len(line)} values in line {i + 1}, not {len(header)}")
    columns: dict[str, Any] = {name: [line[k] for line in lines] for k, name in enumerate(header)}
    for name in _NUMBERS:
        if name in columns:
            columns[name] = [_number(path, name, text) for text in columns[name]]
    return columns


def _number(path: str, name: str, text: str) -> float:
    try:
        return float(text) if text else math.nan
    except ValueError:
        raise ValueError(f"{path}: {name} has the value {text!r}, which is no number") from None
