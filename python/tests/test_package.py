"""What is installed: one version, the package alone, and nothing imported for nothing."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys

import pytest
from conftest import PROJECT

import evenhand


def test_one_version_everywhere() -> None:
    assert evenhand.__version__ == importlib.metadata.version("evenhand")
    cmake = (PROJECT / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"project\(evenhand VERSION (\S+)", cmake)
    assert found is not None
    assert found[1] == evenhand.__version__


def test_the_wheel_has_the_package_alone() -> None:
    files = [str(file) for file in importlib.metadata.files("evenhand") or []]
    assert "evenhand/py.typed" in files
    assert "evenhand/_core.pyi" in files
    # Shared libraries are beside it in wheels for other machines.
    assert all(file.startswith(("evenhand/", "evenhand-", "evenhand.libs/")) for file in files)
    assert not [file for file in files if file.endswith((".h", ".a", ".cmake"))]


def test_importing_it_imports_numpy_alone() -> None:
    program = (
        "import sys, evenhand; "
        "evenhand.fit([0.2, 0.8], ['a', 'b'], criterion='statistical-parity'); "
        "print(*sorted({'pandas', 'polars', 'pyarrow', 'duckdb', 'sklearn', 'matplotlib'} "
        "& set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.strip() == b""


def test_names_that_do_not_exist() -> None:
    with pytest.raises(AttributeError, match="no attribute 'fitt'"):
        evenhand.fitt  # noqa: B018
    assert set(evenhand.__all__) <= set(dir(evenhand))
