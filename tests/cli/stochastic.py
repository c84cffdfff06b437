"""Stochastic fits that several files of tests ask for, and their dual objective."""

from __future__ import annotations

import numpy as np

from fitting import PARITY

ROLES = PARITY[:4]
SGD = (*PARITY, "--solver", "sgd")
GAMMA = 0.01  # of sgd, unless told otherwise


def xi(z: np.ndarray, gamma: float = GAMMA) -> np.ndarray:
    """Compute the largest z q - gamma/2 q^2 for q in [0, 1]."""
    q = np.clip(z / gamma, 0, 1)
    return z * q - gamma / 2 * q * q
