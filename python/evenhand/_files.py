"""Files: complete, or as they were before."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

PathLike = str | os.PathLike[str]


def replace(path: PathLike, write: Callable[[str], None]) -> None:
    """Let ``write`` make a file under another name, then give it this one.

    Raises
    ------
    OSError
        That names ``path``, whichever file it is about.
    """
    try:
        _replace(path, write)
    except OSError as error:
        if error.filename is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def _replace(path: PathLike, write: Callable[[str], None]) -> None:
    target = Path(path)
    mask = os.umask(0)
    os.umask(mask)
    handle, staged = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(handle)
    try:
        write(staged)
        os.chmod(staged, 0o666 & ~mask)
        os.replace(staged, target)
    except BaseException:
        os.unlink(staged)
        raise


def write_text(path: PathLike, text: str) -> None:
    """Write UTF-8, the same on every system."""
    replace(path, lambda staged: _write(staged, text.encode()))


def write_bytes(path: PathLike, data: bytes) -> None:
    """Write bytes."""
    replace(path, lambda staged: _write(staged, data))


def _write(staged: str, data: bytes) -> None:
    Path(staged).write_bytes(data)


def read_text(path: PathLike) -> str:
    """Read UTF-8.

    Raises
    ------
    ValueError
        If it is none.
    """
    try:
        return Path(path).read_bytes().decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{os.fspath(path)}: not UTF-8 text: {error.reason}") from None
