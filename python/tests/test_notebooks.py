"""The notebooks run from top to bottom, and print what is kept in them.

EVENHAND_UPDATE=1 writes what they print into them.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
from pathlib import Path

import pytest
from conftest import PROJECT

NOTEBOOKS = sorted((PROJECT / "examples").glob("*.ipynb"))


def test_there_are_notebooks_and_they_are_listed_and_small() -> None:
    assert NOTEBOOKS
    listed = (PROJECT / "examples/README.md").read_text(encoding="utf-8")
    for path in NOTEBOOKS:
        assert f"]({path.name})" in listed
        assert path.stat().st_size < 20_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, object] = {}
    checked = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile("".join(cell["source"]), path.name, "exec"), names)
        lines = out.getvalue().splitlines(keepends=True)
        if os.environ.get("EVENHAND_UPDATE"):
            stream = {"name": "stdout", "output_type": "stream", "text": lines}
            cell["outputs"] = [stream] if lines else []
        kept = [line for output in cell["outputs"] for line in output["text"]]
        assert lines == kept
        checked += bool(kept)
    assert checked > 1
    if os.environ.get("EVENHAND_UPDATE"):
        text = json.dumps(notebook, indent=1, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")
