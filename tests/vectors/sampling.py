"""Scores, ids, keys and seeds worth trying, the same on every machine and Python version."""

import hashlib
import itertools
import math

import evaluate

SMALLEST, SMALLEST_NORMAL = 5e-324, 2.2250738585072014e-308

KEYS = [
    b"k",
    b"correct horse battery staple\n",  # as in a key file: the newline is part of the key
    b"\x00",
    bytes(range(48, 16, -1)) + b"\xff\xfe\x80\x00\n",
    "schlüssel 🔑".encode("utf-8"),
    b"0123456789abcdef" * 4,  # one block of the hash
]
SEEDS = ["0", "1", "42", "9007199254740993", "9223372036854775808", "18446744073709551615"]

IDS = [
    "0",
    "00",
    "-1",
    "person 17",
    " leading and trailing ",
    "Zo\u00eb \u00c5ngstr\u00f6m",  # composed, and the same to the eye but
    "Zoe\u0308 A\u030angstro\u0308m",  # decomposed: another id
    "山田 太郎",
    "🧑‍🚀🧑🏽‍⚕️",
    "o'Neil, \"Bob\"; DROP TABLE people; --",
    "tab\tnewline\nreturn\rbackslash\\",
    "unit\x1fseparator",
    "NULL",
    "1e3",
    "x" * 46,  # with a key, the hash's padding just fits its second block,
    "x" * 54,  # is one byte short of it,
    "x" * 55,
    "x" * 63,  # and the message just fills it
    "y" * 64,
    "long " * 50,
]


class Source:
    """Random numbers from a hash of a name and a count."""

    def __init__(self, name):
        self.name, self.count = name, 0

    def below(self, end):
        self.count += 1
        digest = hashlib.sha256(f"{self.name}/{self.count}".encode()).digest()
        return int.from_bytes(digest[:16], "big") % end

    def unit(self):  # a double in [0, 1)
        return self.below(2**53) / 2**53

    def choice(self, items):
        return items[self.below(len(items))]


def ids(source):
    """Odd ones among ordinary ones; the odd ones start elsewhere for each rule."""
    odd = itertools.cycle(IDS)
    for _ in range(source.below(len(IDS))):
        next(odd)
    for number in itertools.count(1000 * source.below(90) + 1):
        yield next(odd)
        yield f"p{number}"
        yield f"{number:06d}"
        yield str(number)


def keys_and_seeds(source):
    keys = [KEYS[0], source.choice(KEYS[:3])]
    first = source.below(len(SEEDS))
    return keys, [SEEDS[first], SEEDS[first - 1]]


def around(score):
    return [math.nextafter(score, -math.inf), score, math.nextafter(score, math.inf)]


def valid(rule, scores):
    """Those that the scale has, each once; 0 and -0 are two."""
    low, high = evaluate.turned_range(rule)
    distinct = {score.hex(): score for score in scores}
    return [s for s in distinct.values() if low <= evaluate.turned(rule, s) <= high]


def neighbours(rule, points):
    """Turned scores, one double below and one above, in the caller's scale."""
    return valid(rule, [evaluate.turned(rule, x) for p in points for x in around(float(p))])


def specials(rule):
    """The ends of the scale, zeros, the smallest numbers, ends of intervals."""
    borders = []
    if "level" in rule:
        width = math.ldexp(1.0, -rule["level"])
        borders = [k * width for k in (1, 3, -1, -2)]
    tiny = [-0.0, SMALLEST, -SMALLEST, SMALLEST_NORMAL, -1e-310]
    large = [36.7, -709.8, 2.0**53] if evaluate.unbounded(rule) else []
    return valid(rule, neighbours(rule, evaluate.turned_range(rule) + borders) + tiny + large)


def random_scores(rule, source, count):
    low, high = (-12.0, 12.0) if evaluate.unbounded(rule) else evaluate.turned_range(rule)
    return [evaluate.turned(rule, low + (high - low) * source.unit()) for _ in range(count)]


def invalid_scores(rule):
    out = [math.nan, math.inf, -math.inf]
    if not evaluate.unbounded(rule):
        low, high = sorted(evaluate.turned(rule, x) for x in evaluate.turned_range(rule))
        out += [math.nextafter(low, -math.inf), math.nextafter(high, math.inf)]
    return out
