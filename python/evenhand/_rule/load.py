"""Rules of either kind from their files."""

from __future__ import annotations

import os

from .. import _core as core
from .. import _files
from .rule import Rule
from .soft_rule import SoftRule


def load(path: _files.PathLike) -> Rule | SoftRule:
    """Read a rule of either kind from its file.

    Parameters
    ----------
    path : str or path
        A file that :meth:`Rule.save`, :meth:`evenhand.Fit.save` or the tool wrote.

    Returns
    -------
    Rule or SoftRule
    """
    text = _files.read_text(path)
    try:
        kind: type[Rule] | type[SoftRule] = SoftRule if core.is_soft_rule(text) else Rule
        return kind.from_json(text)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None
