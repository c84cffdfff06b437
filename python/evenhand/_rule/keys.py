"""Secrets: what makes coins that nobody else can foresee."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


def check_key(key: Any, key_file: Any) -> None:
    """Refuse paths as secrets, and two secrets."""
    if key is not None and key_file is not None:
        raise ValueError("give either key or key_file, not both")
    if isinstance(key, os.PathLike):
        raise TypeError(f"key is the secret itself; the path of a file is key_file={str(key)!r}")
    if key is not None and not isinstance(key, (bytes, bytearray, str)):
        raise TypeError(f"key must be bytes or a text, not {type(key).__name__}")
    if key_file is not None and not isinstance(key_file, (str, os.PathLike)):
        raise TypeError(f"key_file must be a path, not {type(key_file).__name__}")


def secret_of(given: tuple[Any, Any], own: tuple[Any, Any], seed: int) -> bytes | str:
    """Return the secret.

    Parameters
    ----------
    given, own : tuple
        ``key`` and ``key_file`` of the method, which come first, and of the constructor.
    seed : int
        Part of the key that is used where there is no secret.
    """
    for key, key_file in (given, own):
        check_key(key, key_file)
        if key_file is not None:
            return Path(key_file).read_bytes()
        if key is not None:
            found: bytes | str = key
            return found
    return f"evenhand FairThresholdClassifier {seed}"
