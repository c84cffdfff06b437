"""Calibration, recomputed from rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

MARGIN = "SELECT *, 3 * logit + 1 AS margin FROM '{}'"
RAW = ("--score", "margin", "--scale", "raw", "--label", "y")
GROUPS = ("--sensitive", "sex", "--criterion", "statistical-parity")
EPSILON = 2.0**-52


def sigmoid(z: np.ndarray) -> np.ndarray:
    """Compute the probability of a logit."""
    return 1 / (1 + np.exp(-z))


def figures(p: np.ndarray, y: np.ndarray, n: np.ndarray, bins: int = 15) -> dict[str, Any]:
    """Compute what a report should say, from rows."""
    edges = np.arange(1, bins) / bins
    place = np.searchsorted(edges, p, side="right")
    table = []
    for k in range(bins):
        inside = place == k
        if not (n[inside].sum() > 0):
            continue
        weight = n[inside].sum()
        table.append({"from": k / bins, "to": (k + 1) / bins, "weight": weight,
                      "mean_p": (n * p)[inside].sum() / weight,
                      "observed": (n * y)[inside].sum() / weight})
    kept = np.clip(p, EPSILON, 1 - EPSILON)
    total = n.sum()
    return {
        "weight": total,
        "ece": sum(b["weight"] * abs(b["mean_p"] - b["observed"]) for b in table) / total,
        "brier": (n * (p - y) ** 2).sum() / total,
        "log_loss": -(n * np.where(y == 1, np.log(kept), np.log1p(-kept))).sum() / total,
        "bins": table,
    }


def same(found: dict[str, Any], wanted: dict[str, Any], error: float = 1e-9) -> None:
    """Assert that a report says what was computed."""
    for key in ("weight", "ece", "brier", "log_loss"):
        assert found[key] == pytest.approx(wanted[key], abs=error), key
    assert len(found["bins"]) == len(wanted["bins"])
    for key in ("from", "to", "weight", "mean_p", "observed"):
        one = np.array([b[key] for b in found["bins"]])
        other = np.array([b[key] for b in wanted["bins"]])
        assert np.abs(one - other).max() <= error, key


def cells(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Find a report's figures by sex."""
    return {cell["cell"]["sex"]: cell for cell in report["cells"]}
