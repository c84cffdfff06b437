"""Groups that are missing, and audits of a rule where groups are that it does not know."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from .._inputs import MissingError
from .._rule.rule import Rule
from .._tally.tally import Tally

IN_FIT = (
    "null='unknown' or another name in the constructor makes groups of them, in fit and predict; "
    "or take such rows away before fit"
)
LATER = (
    "unseen='score' or 'reject' in the constructor decides about them, or null='unknown' if fit "
    "has such rows too"
)


@contextmanager
def advice(hint: str) -> Iterator[None]:
    """Say of missing values what the classifier can do about them, which is not all that fit can.

    Raises
    ------
    ValueError
        That counts them, and ends with the hint.
    """
    try:
        yield
    except MissingError as error:
        raise ValueError(f"{error.found}; {hint}") from None


def rule_for(rule: Rule, tally: Tally, unseen: str) -> Rule:
    """Return the rule, with the groups of a tally that it does not know as ``unseen`` decides."""
    names = rule.attributes
    known = {tuple(cell.values()) for cell in rule.cells}
    found = [tuple(cell[name] for name in names) for cell in tally.cells]
    others = [cell for cell in found if cell not in known]
    if unseen == "error" or not others:
        return rule
    file = json.loads(rule.to_json())
    text = file["rule"]
    steps = [[text["otherwise"], 1]] if unseen == "score" else []
    added = [{"values": list(cell), "start": 0, "steps": steps} for cell in others]
    cells = text["cells"] + added
    order = sorted(
        range(len(cells)), key=lambda i: [value.encode() for value in cells[i]["values"]]
    )
    calibrator = text.get("calibrator", {})
    if calibrator.get("cells"):  # who is not known has the curve of all
        curves = calibrator["cells"] + [calibrator["all"]] * len(added)
        calibrator["cells"] = [curves[i] for i in order]
    text["cells"] = [cells[i] for i in order]
    return Rule.from_json(json.dumps(file))


def name_of_missing(rule: Rule, unseen: str) -> str:
    """Return what an audit does with missing groups: as predict, a group that is not known."""
    if rule.null == "error" and unseen != "error":
        return "?" * (1 + max(map(len, rule._values()), default=0))
    return rule.null
