#!/usr/bin/env python3
"""Writes pairs.tsv beside this file: random counts of two groups, and what scipy answers about them.

The C++ tests read the table. Where scipy has no such function (intervals by score tests, strata), it is worked out by
scipy's distributions and root finders from the definition. With --check: says whether scipy answers the same today.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.stats import beta, chi2, fisher_exact, hypergeom, norm

TABLE = Path(__file__).resolve().parent / "pairs.tsv"
COLUMNS = (
    "k n k0 n0 confidence fisher mid_p difference_low difference_high ratio_low ratio_high "
    "limit_low limit_high fresh_difference fresh_ratio cmh cmh_p"
).split()
CLOSE = 1e-8


def likeliest(k, n, k0, n0, rate, low, high):
    """The reference's p that maximises the likelihood when the group's is rate(p)[0], whose derivative is rate(p)[1]."""

    def part(k, n, p):
        return (k / max(p, 1e-300) if k else 0) - ((n - k) / max(1 - p, 1e-300) if n > k else 0)

    def slope(p):
        q, steep = rate(p)
        return steep * part(k, n, q) + part(k0, n0, p)

    width = high - low
    low, high = low + 1e-13 * width, high - 1e-13 * width
    if slope(low) <= 0:
        return low
    return high if slope(high) >= 0 else brentq(slope, low, high, xtol=1e-16, rtol=1e-15)


def end(outside, seen, limit):
    """Where a score leaves its limit, between what was seen and the end of the scale."""
    close = limit + (seen - limit) * 1e-12
    return limit if outside(close) <= 0 else brentq(outside, seen, close, xtol=1e-15, rtol=1e-14)


def difference(k, n, k0, n0, confidence):
    z = norm.isf((1 - confidence) / 2)
    seen = k / n - k0 / n0

    def outside(d):
        p = likeliest(k, n, k0, n0, lambda p: (p + d, 1), max(0, -d), min(1, 1 - d))
        variance = ((p + d) * (1 - p - d) / n + p * (1 - p) / n0) * (n + n0) / (n + n0 - 1)
        return abs(seen - d) - z * np.sqrt(max(variance, 0))

    return end(outside, seen, -1), end(outside, seen, 1)


def ratio(k, n, k0, n0, confidence):
    if k == k0 == 0:
        return 0.0, np.inf
    z = norm.isf((1 - confidence) / 2)

    def outside(log):
        r = np.exp(log)
        p = likeliest(k, n, k0, n0, lambda p: (r * p, r), 0, min(1, 1 / r))
        return sum(
            (x - m * q) ** 2 / (m * q * (1 - q)) if 0 < q < 1 else 0 for x, m, q in ((k, n, r * p), (k0, n0, p))
        ) - z * z

    seen = np.log(k / n / (k0 / n0)) if k and k0 else -30 if k0 else 30
    low = np.exp(end(outside, seen, -30)) if k else 0.0
    return low, np.exp(end(outside, seen, 30)) if k0 else np.inf


def limits(k, n, alpha):
    return (beta.ppf(alpha, k, n - k + 1) if k else 0.0), (beta.isf(alpha, k + 1, n - k) if k < n else 1.0)


def fresh(k, n, k0, n0, alpha):
    p, p0 = k / n, k0 / n0
    low, high = limits(k, n, alpha)
    low0, high0 = limits(k0, n0, alpha)
    at_most = min(1, p - p0 + np.hypot(high - p, p0 - low0))

    def short(t):
        return t * p0 + np.hypot(p - low, t * (high0 - p0)) - p

    return at_most, (brentq(short, 0, 1e9, xtol=1e-16, rtol=1e-15) if short(0) < 0 else 0.0)


def mantel_haenszel(strata):
    dealt = [(k, hypergeom(n + n0, k + k0, n)) for k, n, k0, n0 in strata]
    statistic = sum(k - d.mean() for k, d in dealt) ** 2 / sum(d.var() for _, d in dealt)
    return statistic, chi2.sf(statistic, 1)


def exact(k, n, k0, n0):
    dealt = hypergeom(n + n0, k + k0, n)
    x = np.arange(max(0, k + k0 - n0), min(n, k + k0) + 1)
    mass, seen = dealt.pmf(x), dealt.pmf(k)
    p = fisher_exact([[k, n - k], [k0, n0 - k0]]).pvalue
    return p, p - mass[abs(mass - seen) <= 1e-7 * seen].sum() / 2


def rows():
    random = np.random.default_rng(7)
    counts = []
    for _ in range(200):
        n, n0 = (int(np.exp(random.uniform(np.log(5), np.log(3000)))) for _ in range(2))
        rate = random.beta(0.8, 1.2)
        k, k0 = (int(random.binomial(m, min(1, max(0, rate + random.normal(0, 0.08))))) for m in (n, n0))
        counts.append((k, n, k0, n0))
    for i, pair in enumerate(counts):
        confidence = float(random.choice([0.8, 0.9, 0.95, 0.99]))
        alpha = (1 - confidence) / 2
        yield [
            *pair,
            confidence,
            *exact(*pair),
            *difference(*pair, confidence),
            *ratio(*pair, confidence),
            *limits(*pair[:2], alpha),
            *fresh(*pair, alpha),
            *mantel_haenszel(counts[max(0, i - 2) : i + 1]),
        ]


def main():
    found = np.array(list(rows()), float)
    if "--check" in sys.argv:
        written = np.loadtxt(TABLE, skiprows=1, delimiter="\t")
        if not np.allclose(found, written, rtol=CLOSE, atol=CLOSE):
            sys.exit("scipy answers differently: " + str(TABLE))
        return
    lines = ["\t".join(COLUMNS)] + ["\t".join(repr(float(x)) for x in row) for row in found]
    TABLE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
