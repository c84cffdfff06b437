"""Secrets: what makes coins that nobody else can foresee."""

from __future__ import annotations

import os
import stat
import warnings
from pathlib import Path
from typing import Any

from .. import _core


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


def read_key_file(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a key file; warn of what looks wrong with it."""
    file = Path(path)
    key = file.read_bytes()
    for_all = os.name == "posix" and bool(file.stat().st_mode & stat.S_IROTH)
    for odd in _core.odd_key_in_words(str(path), key, for_all):
        warnings.warn(odd, UserWarning, stacklevel=4)
    return key


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
            return read_key_file(key_file)
        if key is not None:
            found: bytes | str = key
            return found
    return f"evenhand FairThresholdClassifier {seed}"
