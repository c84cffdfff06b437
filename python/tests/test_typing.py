"""Programs that use the package are checked by its types."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typed_sample
from needed import unavailable

import evenhand
from evenhand import theory

SAMPLE = Path(typed_sample.__file__)


def test_the_sample_runs(tmp_path: Path) -> None:
    typed_sample.main(tmp_path)


def test_the_sample_is_typed(tmp_path: Path) -> None:
    try:
        import mypy  # noqa: F401
    except ImportError:
        unavailable("mypy is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", SAMPLE],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in (evenhand, theory):
        for name, value in vars(module).items():
            if name.startswith("_"):
                continue
            if inspect.isfunction(value):
                yield name, value
            if inspect.isclass(value):
                for member, own in inspect.getmembers(value):
                    function = own.fget if isinstance(own, property) else own
                    if not member.startswith("_") and hasattr(function, "__annotations__"):
                        yield f"{name}.{member}", function


def test_nothing_public_returns_anything() -> None:
    """Frames, pictures and models: pandas, matplotlib and onnx need not be there."""
    vague = {
        name
        for name, function in public_functions()
        if function.__module__.startswith("evenhand")
        and function.__annotations__.get("return", "Any") == "Any"
        and not inspect.isclass(function)
    }
    assert {name.rpartition(".")[2] for name in vague} <= {"plot", "to_frame", "to_onnx"}, vague


LAZY = [
    "FairThresholdClassifier",
    "plot_audit",
    "plot_frontier",
    "plot_reliability",
    "plot_roc",
    "plot_rule",
]


def test_names_that_are_imported_late_are_offered() -> None:
    assert set(LAZY) <= set(evenhand.__all__)
    assert set(LAZY) <= set(dir(evenhand))
    assert sorted(evenhand.__all__) == evenhand.__all__
    assert {name for name in dir(evenhand) if not name.startswith("_")} < set(evenhand.__all__)
    assert all(hasattr(evenhand, name) for name in evenhand.__all__)


def test_everything_can_be_imported_without_scikit_learn() -> None:
    program = (
        "import sys; sys.modules['sklearn'] = None\n"
        "from evenhand import *\n"
        "import evenhand\n"
        "print(fit.__name__, plot_rule.__name__, 'FairThresholdClassifier' in dir(evenhand))\n"
        "try: evenhand.FairThresholdClassifier\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    first, second = done.stdout.splitlines()
    assert first == "fit plot_rule False"
    assert second.startswith("FairThresholdClassifier needs scikit-learn 1.6 or later: pip install")
