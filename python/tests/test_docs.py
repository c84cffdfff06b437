"""The examples of docstrings, and the programs of the pages, do what they say."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import importlib.util
import io
import pkgutil
import re
from pathlib import Path

import matplotlib
import pytest
from conftest import PROJECT

import evenhand

PAGES = [
    PROJECT / name
    for name in (
        "README.md",
        "docs/index.md",
        "docs/python.md",
        "docs/sklearn.md",
        "docs/from-fairlearn.md",
        "docs/warehouse.md",
    )
]
MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(evenhand.__path__, "evenhand.")
    if name != "evenhand._core"
    and (name != "evenhand.spark" or importlib.util.find_spec("pyspark"))  # of `make test-all`
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["evenhand", *MODULES])
def test_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_public_functions_have_examples() -> None:
    for name in ("fit", "audit", "frontier", "calibrate", "Tally", "Rule", "InfeasibleError"):
        assert ">>> " in getattr(evenhand, name).__doc__, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a page are one program; a text block after one is what it prints."""
    matplotlib.use("Agg")
    (tmp_path / "data").symlink_to(PROJECT / "data")
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    names: dict[str, object] = {}
    printed = None
    checked = 0
    for language, text in blocks:
        if language == "text" and printed is not None:
            assert printed.strip() == text.strip()
            checked += 1
        printed = None
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(text, page.name, "exec"), names)
            printed = out.getvalue()
    assert checked > 1
