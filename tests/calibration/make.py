#!/usr/bin/env python3
"""Writes the calibration tables beside this file, whose last column is what scikit-learn answers.

The C++ tests read these tables, since they cannot ask scikit-learn; tests in Python can ask it.
Needs scikit-learn. With --check: says whether what it answers today agrees with the files to 1e-6
(make test-python asks). Rows of weight 0 take no part in the fit: they are
scores that were never seen.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression

HERE = Path(__file__).resolve().parent
CLOSE = 1e-6


def rows(seed, count, *, slope, offset, unit=1.0, ties=None, weights=None):
    """Scores, labels and weights whose log odds are slope * score / unit + offset."""
    random = np.random.default_rng(seed)
    score = random.normal(size=count)
    if ties:
        score = np.round(score * ties) / ties
    label = (random.random(count) < 1 / (1 + np.exp(-(slope * score + offset)))).astype(int)
    weight = np.ones(count) if weights is None else random.choice(weights, size=count)
    unseen = np.linspace(-4, 4, 17) + 0.013
    score = np.concatenate([score, unseen]) * unit
    label = np.concatenate([label, np.zeros(len(unseen), int)])
    return score, label, np.concatenate([weight, np.zeros(len(unseen))])


def platt(score, label, weight):
    fitted = weight > 0
    sigmoid = _SigmoidCalibration().fit(score[fitted], label[fitted], weight[fitted])
    return sigmoid.predict(score)


def isotonic(score, label, weight):
    fitted = weight > 0
    regression = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    return regression.fit(score[fitted], label[fitted], weight[fitted]).predict(score)


def tables():
    yield "platt-margins", platt, rows(1, 400, slope=2, offset=-0.5)
    yield "platt-rare", platt, rows(2, 800, slope=1, offset=-4)
    yield "platt-weighted", platt, rows(3, 300, slope=0.5, offset=1, weights=[0.25, 1, 3.5])
    yield "platt-tiny-unit", platt, rows(4, 300, slope=3, offset=0, unit=1e-3)
    yield "platt-large-unit", platt, rows(5, 300, slope=3, offset=0, unit=1e4)
    yield "platt-few", platt, rows(6, 12, slope=6, offset=0)
    yield "isotonic-distinct", isotonic, rows(7, 300, slope=2, offset=0)
    yield "isotonic-ties", isotonic, rows(8, 400, slope=1, offset=-1, ties=4)
    yield "isotonic-weighted", isotonic, rows(9, 300, slope=-1, offset=0, weights=[0.5, 1, 2])


def written(path):
    lines = path.read_text().splitlines()[1:]
    return np.array([float(line.split("\t")[3]) for line in lines])


def main():
    stale = []
    for name, fit, data in tables():
        expected = fit(*data)
        path = HERE / f"{name}.tsv"
        if "--check" in sys.argv:
            if np.abs(written(path) - expected).max() > CLOSE:
                stale.append(name)
            continue
        lines = ["score\tlabel\tweight\tp"]
        for score, label, weight, p in zip(*data, expected):
            lines.append(f"{float(score)!r}\t{label}\t{float(weight)!r}\t{float(p)!r}")
        path.write_text("\n".join(lines) + "\n")
    if stale:
        sys.exit("scikit-learn answers differently: " + ", ".join(stale))


if __name__ == "__main__":
    main()
