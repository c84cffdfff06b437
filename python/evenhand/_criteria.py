"""What is fair, as the library takes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from . import _core, _options

NAMES = ", ".join(_core.choices()["criterion"])

Function = TypeVar("Function", bound=Callable[..., Any])


def documented(function: Function) -> Function:
    """Put the library's table of criteria, a line each, where the docstring has ``{criteria}``."""
    lines = [f'- "{name}": {words}' for name, words in _core.choices()["criterion"].items()]
    text = function.__doc__ or ""
    function.__doc__ = text.replace("{criteria}", "\n        ".join(lines))
    return function


def build(
    criterion: str | None, sensitive: Sequence[str], within: Sequence[str], *,
    across: str = "intersection",
    tolerance: float | None = None, ratio: float | None = None, rho: float | str | None = None,
    require: str | Sequence[str] = (), no_worse: str | Sequence[str] = (),
    blind: bool = False,
) -> _core.Criterion:  # fmt: skip
    """Return the criterion of that name; requirements alone have strata if the rule is ``blind``.

    Raises
    ------
    ValueError
        If nobody says what is fair, or a parameter is wrong.
    """
    if criterion is not None and not isinstance(criterion, str):
        raise TypeError(f"criterion must be a name, not {type(criterion).__name__}")
    if not isinstance(require, (str, Sequence)):
        raise TypeError(f"require must be a text or a list of texts, not {type(require).__name__}")
    requirements = [_options.text(one, "require") for one in _listed(require)]
    requirements += [
        _core.no_worse(_options.text(one, "no_worse"), list(sensitive), list(within))
        for one in _listed(no_worse)
    ]
    if not criterion and not requirements:
        raise ValueError(f"say what is fair: criterion= ({NAMES}) or require=")
    return _core.criterion(
        criterion or "",
        list(sensitive) if sensitive else ["sensitive"] if criterion else [],
        list(within) if criterion or blind else [],
        _options.text(across, "across"),
        _options.optional_number(tolerance, "tolerance"),
        _options.optional_number(ratio, "ratio"),
        rho if isinstance(rho, str) else _options.optional_number(rho, "rho"),
        requirements,
    )


def _listed(texts: str | Sequence[str]) -> list[str]:
    return [texts] if isinstance(texts, str) else list(texts)


def check_labels(criterion: _core.Criterion, labelled: bool) -> None:
    """Refuse a criterion of outcomes where nobody knows them."""
    if not labelled and any(rate != "selection_rate" for rate in criterion.rates):
        raise ValueError(f"{criterion.name} needs labels, what really happened: give label=")


def soft_name(criterion: str | None, tolerance: Any = None, ratio: Any = None) -> str:
    """Return the name of a criterion that soft groups know, if its parameters are its own."""
    name = _core.criterion_name(criterion or "statistical-parity")
    if name == "equal-rates":
        raise ValueError("soft groups do not support equal-rates: choose statistical-parity")
    if tolerance is not None and name == "four-fifths":
        raise ValueError("four-fifths takes no tolerance")
    if ratio is not None and name != "four-fifths":
        raise ValueError(f"{name} takes no ratio")
    return name


def has_error_rates(criterion: str | None, require: str | Sequence[str]) -> bool:
    """Whether rates of those with one outcome are bounded, which labels alone can tell."""
    return _core.needs_labels(criterion or "", _listed(require))
