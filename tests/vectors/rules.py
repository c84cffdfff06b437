"""The rules of the vectors. Scores of points are turned (negated where low is favourable)."""

import math
from dataclasses import dataclass, field

import evaluate
from hostile import CONFUSABLE, NAMES, UNSEEN, VALUES
from sampling import KEYS, SMALLEST, SMALLEST_NORMAL, Source


@dataclass
class Case:
    name: str
    rule: dict
    unseen: list  # cells that the rule does not know: the value of each attribute by its name
    columns: list = None  # the attributes' order in the table; need not be the rule's
    keys: list = None
    exact: list = field(default_factory=list)  # further rows: key, id, values, score
    positions: int = 15  # seeded rows
    drawn: bool = True  # some probability is fractional
    ascii: bool = False  # write the rule with \u escapes
    fit: dict = None  # must not matter

    def __post_init__(self):
        self.columns = self.columns or self.rule["attributes"]


def steps(start, *points):
    return {"start": start, "steps": [list(point) for point in points]}


def ramp(*points):
    return {"ramp": [list(point) for point in points]}


def one_attribute(name, scale, favorable, otherwise, responses, level=None, **rest):
    """A rule with the cells a, b, c, ... of an attribute `group`."""
    cells = [{"values": [chr(97 + i)], **response} for i, response in enumerate(responses)]
    rule = {"attributes": ["group"], "scale": scale, "favorable": favorable}
    rule |= {"otherwise": otherwise}
    rule |= {} if level is None else {"level": level}
    unseen = [{"group": "a "}, {"group": "A"}]
    return Case(name, rule | {"cells": cells}, unseen, **rest)


def random_ramp(name, low, high, count):
    source = Source(name)
    scores = sorted(low + (high - low) * source.unit() for _ in range(count))
    return ramp(*zip(scores, sorted(source.unit() for _ in range(count))))


def step_rules():
    few = [
        steps(0),
        steps(1),
        steps(0.375),
        steps(0, [0.5, 1]),
        steps(0.1, [0.3, 0.7]),
        steps(0, [0.49999999999999994, 0.3333333333333333], [0.5000000000000001, 1]),
        steps(0.2, [0, 0.4], [0.25, 0.6], [1, 0.8]),
    ]
    yield one_attribute("steps-few", "probability", "high", 0.5, few, positions=120)
    many = few[2:5] + [
        steps(0, [0.125, 0.01], [0.3, 0.3], [0.6, 0.3], [0.61, 1]),
        steps(2**-60, [0.1, 0.1], [0.2, 0.2], [0.30000000000000004, 0.5], [0.7, 0.9], [0.9, 1]),
    ]
    yield one_attribute("steps-many", "probability", "high", 0.6000000000000001, many)
    yield one_attribute("no-cells", "probability", "high", 0.25, [], drawn=False)
    low = [
        steps(0, [-0.5, 1]),
        steps(0.25, [-1, 0.5], [-0.1, 0.75], [0, 1]),
        steps(0, [-0.30000000000000004, 0.2], [-0.3, 0.9]),
    ]
    yield one_attribute("steps-low", "probability", "low", -0.5, low)
    tiny = [
        steps(0.5, [0, 0.75]),
        steps(0, [SMALLEST, 0.5], [1e-320, 0.625], [SMALLEST_NORMAL, 1]),
    ]
    tiny_and_below = tiny + [steps(0.1, [-SMALLEST_NORMAL, 0.2], [-SMALLEST, 0.3], [0, 0.4])]
    yield one_attribute("steps-tiny", "probability", "high", SMALLEST, tiny)
    for favorable in ("high", "low"):
        yield one_attribute(
            f"steps-tiny-signed-{favorable}", "signed", favorable, -SMALLEST, tiny_and_below
        )


def scale_rules():
    signed = [
        steps(0, [-0.2, 0.5], [0.2, 1]),
        steps(0.5, [-1, 0.6], [0, 0.7], [1, 1]),
        ramp([-0.5, 0], [0.1, 0.9]),
        ramp([-1, 0.001], [1e-20, 0.009], [1, 1]),  # rounding would go beyond 0.009 just below it
    ]
    logit = [
        steps(0, [-2, 0.25], [3, 1]),  # integers in JSON
        steps(0.1, [-1e300, 0.2], [-0.1, 0.3], [1e-300, 0.5], [1e300, 0.9]),
        ramp([-4.5, 0.05], [-1e-9, 0.3], [0.75, 0.31], [30, 1]),
        ramp([-1e307, 0.01], [1e307, 0.99]),
    ]
    for favorable, turned in (("high", 1), ("low", -1)):
        yield one_attribute(f"signed-{favorable}", "signed", favorable, 0.1 * turned, signed)
        yield one_attribute(f"logit-{favorable}", "logit", favorable, 0.0, logit)


def calibrated_rules():
    """On the raw scale, with calibrators, which must not matter."""
    responses = [steps(0, [-7.5, 0.25], [31, 1]), ramp([-2, 0.1], [4.25, 0.6], [40, 1])]
    platt = {"method": "platt", "all": {"slope": 0.125, "offset": -1}}
    platt["cells"] = [{"slope": 0.25, "offset": 2}, {"slope": 1e-3, "offset": 0}]
    isotonic = {"method": "isotonic", "all": {"ramp": [[-7.5, 0.125], [31, 0.875]]}}
    for favorable, calibrator in (("high", platt), ("low", isotonic)):
        case = one_attribute(f"calibrated-{favorable}", "raw", favorable, 8, responses)
        case.rule["calibrator"] = calibrator
        yield case


def ramp_rules():
    ramps = [
        ramp([0.5, 0.25]),
        ramp([0.2, 0], [0.8, 1]),
        ramp([0, 0.1], [1, 0.7]),
        ramp([0.3, 0.3], [math.nextafter(0.3, 1), 0.6]),
        ramp([0.1, 0.2], [0.4, 0.2], [0.40625, 1]),
        ramp([0, 0.1], [SMALLEST, 0.5], [1e-308, 0.9]),
        random_ramp("many points", 0, 1, 25),
        steps(0.1, [0.5, 0.9]),
    ]
    yield one_attribute("ramps", "probability", "high", None, ramps)
    turned = [
        ramp(*[[-score, 1 - q] for score, q in reversed(cell["ramp"])]) for cell in ramps[:7]
    ]
    yield one_attribute("ramps-low", "probability", "low", None, turned)


def at(level):
    return f"level-{level}" if level >= 0 else f"level-minus-{-level}"


def level_rules():
    unit = [
        random_ramp("level", 0, 1, 12),
        ramp([0.03125, 0.1], [0.09375, 0.3], [0.96875, 0.8], [1, 0.9]),
        ramp([0.5, 0.5]),
        ramp([0.5, 0.1], [1.5, 0.9]),  # beyond the scale, where no interval's midpoint may count
        steps(0.1, [0.0625, 0.2], [0.53125, 0.4], [0.9375, 0.7], [1, 0.95]),
    ]
    turned = [
        random_ramp("level, low", -1, 0, 12),
        ramp([-1, 0.1], [-0.96875, 0.2], [-0.03125, 0.7], [0, 1]),
        steps(0, [-0.96875, 0.2], [-0.5, 0.5], [-0.03125, 0.7], [0, 0.9]),
    ]
    both = [
        random_ramp("level, signed", -1, 1, 12),
        ramp([-1, 0.1], [-0.9375, 0.2], [-0.0625, 0.3], [0.0625, 0.6], [1, 0.9]),
        steps(0.1, [-0.9375, 0.2], [-0.0625, 0.3], [0.0625, 0.6], [0.9375, 0.7], [1, 0.9]),
    ]
    any_number = [
        random_ramp("level, logit", -8, 8, 12),
        ramp([-1e300, 0.1], [-0.125, 0.2], [0.125, 0.4], [1e300, 0.9]),
        steps(0.1, [-6, 0.2], [-0.125, 0.3], [0.125, 0.6], [4503599627370496, 0.9]),
    ]
    for level in (0, 4, 52):
        yield one_attribute(f"{at(level)}", "probability", "high", 0.5, unit, level)
        yield one_attribute(f"{at(level)}-low", "probability", "low", -0.5, turned, level)
    for level in (-1, 3, 52):
        yield one_attribute(f"{at(level)}-signed-high", "signed", "high", 0.0, both, level)
    yield one_attribute("level-3-signed-low", "signed", "low", 0.0, both, 3)
    for level in (-1000, -3, 2, 52):
        yield one_attribute(f"{at(level)}-logit", "logit", "high", 0.0, any_number, level)
    yield one_attribute("level-2-logit-low", "logit", "low", 0.0, any_number, 2)


def hostile_rules():
    """Attribute names and values that break joining, quoting, trimming, sorting or guessing."""
    for ascii_only in (False, True):
        source = Source("hostile")
        cells = [dict(zip(NAMES, (v, "", "plain"))) for v in VALUES]
        cells += [dict(zip(NAMES, values)) for values in CONFUSABLE]
        cells.sort(key=lambda cell: [cell[name].encode("utf-8") for name in NAMES])
        cells = cells[::2] if ascii_only else cells
        rule = {"attributes": NAMES, "scale": "probability", "favorable": "high", "otherwise": 0.5}
        rule["cells"] = []
        for cell in cells:
            response = steps(source.unit() / 2, [0.5, 1 - source.unit() / 2])
            rule["cells"].append({"values": list(cell.values()), **response})
        yield Case(
            "hostile-escaped" if ascii_only else "hostile",
            rule,
            unseen=[dict(zip(NAMES, values)) for values in UNSEEN],
            columns=[NAMES[2], NAMES[0], NAMES[1]],
            ascii=ascii_only,
            fit={"status": "optimal", "rule": {"cells": []}, "note": "takes no part in deciding"},
        )


def coin_rule():
    """Probabilities equal to somebody's coin, and one double to either side of it."""
    responses, exact = [], []
    people = [(KEYS[0], "on the line"), (KEYS[2], "山田"), (KEYS[3], "7"), (KEYS[4], "p")]
    for key, who in people:
        at = float(evaluate.coin(evaluate.prefix_of_key(key), who))
        below, above = math.nextafter(at, 0), math.nextafter(at, 1)
        exact += [
            (key, who, {"group": chr(97 + len(responses))}, score) for score in (0.1, 0.5, 0.9)
        ]
        responses.append(steps(below, [0.5, at], [0.75, above]))
    return one_attribute(
        "coin-exact", "probability", "high", 0.5, responses, exact=exact, keys=KEYS
    )


def all_rules():
    for rules in (
        step_rules,
        scale_rules,
        calibrated_rules,
        ramp_rules,
        level_rules,
        hostile_rules,
    ):
        yield from rules()
    yield coin_rule()
