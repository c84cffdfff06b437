"""What a rule and a coin are, as directly as Python can say it: slow, and exact where it can be.

Written from the definitions (include/evenhand/rule.h, coin.h) so that it can disagree with the
library. Points and `otherwise` of a rule are turned scores: negated where low ones are favourable.
"""

import hashlib
import math
from fractions import Fraction

LARGEST = math.ldexp(2 - 2**-52, 1023)


class Refused(Exception):
    """A row that has no answer: its word is `invalid` (score) or `unseen` (cell)."""


def turned(rule, score):
    return (-score if rule["favorable"] == "low" else score) + 0.0  # -0 becomes 0


def unbounded(rule):
    return rule["scale"] in ("logit", "raw")


def turned_range(rule):
    low, high = {
        "probability": (0.0, 1.0),
        "signed": (-1.0, 1.0),
        "logit": (-LARGEST, LARGEST),
        "raw": (-LARGEST, LARGEST),
    }[rule["scale"]]
    return sorted((turned(rule, low), turned(rule, high)))


def cut(x, level, lowest, highest):
    """The midpoint of the interval [k, k + 1) / 2^level around x, clipped to the scale.

    From |k| = 2^52 on, where intervals are as narrow as the spacing of doubles, k / 2^level.
    """
    width = Fraction(2) ** -level
    k = math.floor(Fraction(x) / width)
    exact = (k if abs(k) >= 2**52 else k + Fraction(1, 2)) * width
    value = float(exact)
    assert value == exact, "a cut score must be a double"
    return min(max(value, lowest), highest)


def on_steps(start, points, x):
    passed = [q for score, q in points if score <= x]
    return passed[-1] if passed else start


def on_ramp(points, x):
    """Linear between the points. Every operation rounds to a double, in this order."""
    if x <= points[0][0]:
        return points[0][1]
    if x >= points[-1][0]:
        return points[-1][1]
    for (a, p), (b, q) in zip(points, points[1:]):
        if a <= x < b:
            share = (x - a) / (b - a)
            value = min(p + (q - p) * share, q)
            truth = Fraction(p) + (Fraction(q) - Fraction(p)) * (
                (Fraction(x) - Fraction(a)) / (Fraction(b) - Fraction(a))
            )
            assert abs(Fraction(value) - truth) <= Fraction(1, 2**51)
            return value
    raise AssertionError("the points do not ascend")


def probability(rule, values, score, unseen="error"):
    """`values`: the text of each attribute, by its name."""
    x = turned(rule, score)
    low, high = turned_range(rule)
    if not low <= x <= high:  # NaN included
        raise Refused("invalid")
    wanted = [values[name] for name in rule["attributes"]]
    for cell in rule["cells"]:
        if cell["values"] == wanted:
            if "level" in rule:
                x = cut(x, rule["level"], low, high)
            if "ramp" in cell:
                return float(on_ramp(as_floats(cell["ramp"]), x))
            return float(on_steps(cell["start"], as_floats(cell["steps"]), x))
    if unseen == "error":
        raise Refused("unseen")
    if unseen == "reject" or rule["otherwise"] is None:
        return 0.0
    return 1.0 if x >= rule["otherwise"] else 0.0


def as_floats(points):
    return [(float(score), float(q)) for score, q in points]


def prefix_of_key(key):
    return hashlib.sha256(key).hexdigest()


def coin(prefix, who):
    """The first 52 bits, that is 13 hex digits, of a hash as a fraction."""
    digest = hashlib.sha256(prefix.encode() + b"\x1f" + who.encode("utf-8")).hexdigest()
    return Fraction(int(digest[:13], 16), 2**52)


def decision(q, prefix, who):
    return 1 if coin(prefix, who) < Fraction(q) else 0
