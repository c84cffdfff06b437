"""The Python package against Fairlearn and error-parity, in one run and with the answers checked.

Every entry of the table has a process of its own, so that its memory is its own. Beside each fit of
another library ours runs on the same rows in the same process, and ratios are between those. Exits
with 1 when an answer is wrong or a ratio misses its limit.

All get the same NumPy arrays: scores that all differ, labels, and four groups as whole numbers.
"label" maximises accuracy on the labels, as the others do; for statistical parity "score", the
default, maximises what the scores promise, and needs no labels.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parents[1] / "python/tests"))

import rates

import evenhand

SIZES = [10_000, 100_000, 1_000_000, 10_000_000]
CRITERIA = ["demographic_parity", "equalized_odds"]
OURS = {
    "demographic_parity": ["evenhand, score", "evenhand, label"],
    "equalized_odds": ["evenhand, label"],
}
# The most rows for which a fit takes less than about a minute.
LARGEST = {"fairlearn": 1_000_000, "error-parity": 10_000_000}
JUDGED = 1_000_000
# Criterion and which of our fits: how many times faster than error-parity, at least.
LIMITS = {
    ("demographic_parity", "evenhand, score"): 100,
    ("demographic_parity", "evenhand, label"): 60,
    ("equalized_odds", "evenhand, label"): 50,
}
PROMISED = 1e-9

Rows = dict[str, npt.NDArray[Any]]


def make_rows(rows: int, folder: Path) -> None:
    """Write scores, labels and groups, whose scores are distributed differently."""
    rng = np.random.default_rng(rows)
    group = rng.integers(0, 4, rows)
    u = rng.random(rows)
    score = np.where(group % 2 == 0, u, u * (0.4 + 0.6 * u))
    label = (rng.random(rows) < score).astype(np.int64)
    for name, array in (("score", score), ("label", label), ("group", group)):
        np.save(folder / f"{name}.npy", array)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that it takes, and its result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def peak() -> float:
    """Return the most memory that this process ever had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def require(holds: bool, what: str) -> None:
    """Stop at a wrong answer."""
    if not holds:
        print(f"WRONG ANSWER: {what}", file=sys.stderr)
        sys.exit(1)


def fit_ours(name: str, rows: Rows, which: str, tolerance: float = 0.0) -> evenhand.Fit:
    """Fit ours, by the labels or by what the scores promise."""
    by_label = which == "evenhand, label"
    parity = name == "demographic_parity"
    fitted: evenhand.Fit = evenhand.fit(
        rows["score"],
        rows["group"],
        criterion=name,
        label=rows["label"] if by_label else None,
        tolerance=tolerance,
        calibrate="isotonic" if by_label and parity else "none",
    )
    return fitted


def run_ours(name: str, which: str, rows: Rows) -> dict[str, Any]:
    """Time ours, and check it."""
    before = peak()
    fits, applies = [], []
    for _ in range(7):
        seconds, fitted = timed(partial(fit_ours, name, rows, which))
        fits.append(seconds)
        rule = fitted.rule
        applies.append(timed(partial(rule.decide, rows["score"], rows["group"], seed=0))[0])
    memory = peak() - before
    q = fitted.rule.probability(rows["score"], rows["group"])
    apart = rates.violation(name, q, rows["label"], rows["group"])
    require(fitted.status == "optimal", f"{which}, {name}: {fitted.status}")
    require(apart <= PROMISED, f"{which}, {name}: a violation of {apart:g}")
    return {
        "fit": statistics.median(fits),
        "apply": statistics.median(applies),
        "accuracy": rates.accuracy(q, rows["label"]),
        "violation": apart,
        "memory": memory,
    }


def run_peer(name: str, which: str, rows: Rows) -> dict[str, Any]:
    """Time another library and ours in turn, and check that ours is no less accurate."""
    import other_libraries

    score, label, group = rows["score"], rows["label"], rows["group"]
    before = peak()
    fitted: Any = None

    def fit() -> Any:
        if which == "fairlearn":
            return other_libraries.fit_fairlearn(name, score, label, group)
        return other_libraries.fit_error_parity(name, score, label, group)

    def apply() -> Any:
        if which == "fairlearn":
            return fitted.predict(score[:, None], sensitive_features=group, random_state=0)
        return fitted.predict(score[:, None], group=group)

    seconds, fitted = timed(fit)
    applied, _ = timed(apply)
    memory = peak() - before
    if which == "fairlearn":
        theirs = other_libraries.fairlearn_probability(fitted, score, group)
    else:
        theirs = other_libraries.error_parity_probability(fitted, score, group)
    apart = rates.violation(name, theirs, label, group)
    accuracy = rates.accuracy(theirs, label)

    fits = [seconds]
    ours: dict[str, list[float]] = {one: [] for one in OURS[name]}
    for turn in range(5):
        if turn > 0 and sum(fits) < 20:
            fits.append(timed(fit)[0])
        for one, times in ours.items():
            times.append(timed(partial(fit_ours, name, rows, one))[0])

    matched = fit_ours(name, rows, "evenhand, label", apart + 1e-12)
    q = matched.rule.probability(score, group)
    here = rates.violation(name, q, label, group)
    require(here <= apart + PROMISED, f"{name}: {here:g} where {which} violates {apart:g}")
    mine = rates.accuracy(q, label)
    require(mine >= accuracy - PROMISED, f"{name}: accuracy {mine}, but {which} has {accuracy}")
    return {
        "fit": statistics.median(fits),
        "apply": applied,
        "accuracy": accuracy,
        "violation": apart,
        "memory": memory,
        "ours": {one: statistics.median(times) for one, times in ours.items()},
        "matched": mine,
    }


def entry(name: str, which: str, folder: Path) -> dict[str, Any]:
    """Run one entry of the table in a process of its own."""
    words = [sys.executable, __file__, "--entry", name, which, str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stdout + done.stderr)
        sys.exit(1)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def row_of(which: str, found: dict[str, Any]) -> str:
    """Return a line of the table."""
    return (
        f"  {which:<18}{1e3 * found['fit']:>11.1f}{1e3 * found['apply']:>11.1f}"
        f"{found['accuracy']:>12.6f}{found['violation']:>11.1e}{found['memory']:>10.0f}"
    )


def run(name: str, sizes: list[int], everything: bool) -> bool:
    """Print the table of a criterion, and what is judged; return whether all is well."""
    ok = True
    head = f"{'fit ms':>11}{'apply ms':>11}{'accuracy':>12}{'violation':>11}{'MiB':>10}"
    for rows in sizes:
        print(f"{rates.CRITERIA[name][0]}, {rows:,} rows\n  {'':<18}{head}", flush=True)
        with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as scratch:
            folder = Path(scratch)
            # Not here: what runs an entry would pass its own peak of memory on to it.
            words = [sys.executable, __file__, "--make", str(rows), scratch]
            subprocess.run(words, check=True)
            for which in OURS[name]:
                print(row_of(which, entry(name, which, folder)), flush=True)
            for which, largest in LARGEST.items():
                if rows > largest and not everything:
                    print(f"  {which:<18}skipped, too slow (--all runs it)", flush=True)
                    continue
                found = entry(name, which, folder)
                print(row_of(which, found), flush=True)
                print(f"  {'  ours, at that violation':<40}{found['matched']:>12.6f}")
                for one, seconds in found["ours"].items():
                    times = found["fit"] / seconds
                    print(f"    {one} fits {times:,.1f} times as fast", end="")
                    least = LIMITS.get((name, one))
                    if which == "error-parity" and rows == JUDGED and least:
                        ok = ok and times >= least
                        verdict = "ok" if times >= least else "MISSED"
                        print(f"  (at least {least})  {verdict}", end="")
                    print(flush=True)
        print()
    return ok


def main() -> int:
    """Run all, or the entry that the table asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--all", action="store_true", help="whatever is too slow, too")
    parser.add_argument("--rows", type=int, nargs="+", default=SIZES, help="sizes to run")
    parser.add_argument("--entry", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--make", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        make_rows(int(options.make[0]), Path(options.make[1]))
        return 0
    if options.entry:
        name, which, folder = options.entry
        given = {one: np.load(f"{folder}/{one}.npy") for one in ("score", "label", "group")}
        run_one = run_ours if which.startswith("evenhand") else run_peer
        print(json.dumps(run_one(name, which, given)))
        return 0
    print("milliseconds are medians; MiB is what fit and apply take beside the rows\n")
    results = [run(name, options.rows, options.all) for name in CRITERIA]
    if JUDGED not in options.rows:
        print(f"nothing was judged, that is done at {JUDGED:,} rows")
    if not all(results):
        print("at least one figure missed its limit")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
