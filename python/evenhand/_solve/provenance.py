"""How a fit came to be: the call, files and versions, for the rule's record."""

from __future__ import annotations

import functools
import inspect
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import _core, _files, _inputs
from .._tally.tally import Tally

Asked = bool | _files.PathLike | Sequence[_files.PathLike]
Source = Asked | _core.FitSource  # the latter from callers who know better than `fit`

# What changes nothing about the rule, or is no option of it.
_LEFT_OUT = frozenset({"data", "source", "stamp", "threads", "allow_many_groups", "record_every"})
_COLUMNS = frozenset({
    "score", "sensitive", "soft", "soft_favorable", "soft_unfavorable", "within", "label",
    "weight", "check_with",
})  # fmt: skip


def provenance(
    function: Callable[..., Any], arguments: Mapping[str, Any], source: Source, stamp: bool
) -> _core.FitSource | None:
    """Return what ``fit.source`` is to say of a call, or None if it is to be left out.

    Parameters
    ----------
    function : callable
        What was called.
    arguments : dict
        Its arguments, all of them.
    source, stamp
        As given to :func:`evenhand.fit`.
    """
    if isinstance(source, _core.FitSource):
        return source
    return made_by(lambda: _call(function, arguments), source, stamp)


def made_by(
    call: Callable[[], str], source: Asked, stamp: bool, versions: Sequence[tuple[str, str]] = ()
) -> _core.FitSource | None:
    """Return what ``fit.source`` is to say; ``call`` writes down how the fit was made."""
    if isinstance(source, (bool, np.bool_)):
        if not source:
            if stamp:
                raise ValueError("stamp adds the time to source, which is False")
            return None
        files: list[Any] = []
    else:
        files = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    listed = []
    for file in files:
        if not isinstance(file, (str, os.PathLike)):
            raise TypeError(f"source must be a bool, a path or paths, not {type(file).__name__}")
        name = os.fspath(file)
        listed.append((name, os.path.getsize(name) if os.path.isfile(name) else None))
    known = [("Python", platform.python_version()), ("NumPy", np.__version__), *versions]
    text = call().encode("utf-8", "replace").decode()  # a name may have lone surrogates
    return _core.fit_source(text, listed, known, bool(stamp))


@functools.cache
def _parameters(function: Callable[..., Any]) -> list[tuple[str, inspect.Parameter]]:
    return list(inspect.signature(function).parameters.items())


def _call(function: Callable[..., Any], arguments: Mapping[str, Any]) -> str:
    """Write the call down: columns by name, and options that are not the default."""
    frame = _inputs.frame_of(arguments.get("data"))
    words = []
    for name, parameter in _parameters(function):
        value = arguments[name]
        if name in _LEFT_OUT or value is parameter.default:
            continue
        if name in _COLUMNS:
            word = _columns(value, frame)
        elif is_usual(value, parameter.default):
            continue
        else:
            word = option_text(value)
        alone = parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        words.append(word if alone else f"{name}={word}")
    return f"evenhand.{function.__name__}({', '.join(words)})"


def is_usual(value: Any, default: Any) -> bool:
    """Whether an option is the default; it may be anything, such as an array."""
    if isinstance(default, tuple) and isinstance(value, (list, tuple)):
        return tuple(value) == default
    return type(value) in (str, int, float, bool, type(None)) and bool(value == default)


def _columns(value: Any, frame: _inputs.Frame | None) -> str:
    """Return columns by their names; values never show."""
    if isinstance(value, Tally):
        return "tally"
    if isinstance(value, (list, tuple)) and frame is not None:
        names = [_inputs.name_of(one, frame) for one in value]
        if all(name is not None for name in names):
            return repr(names)
    if isinstance(value, Mapping):
        return repr([str(name) for name in value])
    name = _inputs.name_of(value, frame)
    if name is not None:
        return repr(name)
    columns = getattr(value, "columns", None)  # of a frame
    if columns is not None and not callable(columns):
        return repr([str(one) for one in columns])
    return "..."


def option_text(value: Any) -> str:
    """Write an option down; an object by its type alone."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(option_text, value)) + "]"
    if isinstance(value, (str, int, float)):
        return repr(value)
    return type(value).__name__
