"""The build backend: scikit-build-core, after a look at whether this machine can compile evenhand.

If it cannot, one line says what to install, in place of pages of CMake's output.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import Any

from scikit_build_core import build as _build
from scikit_build_core.build import (
    build_editable,
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

OWN_SEARCH = ("CMAKE_PREFIX_PATH", "CMAKE_ARGS", "CMAKE_TOOLCHAIN_FILE")  # variables

# What the compiler must find, by Debian's name for it; any of the headers will do.
LIBRARIES = {
    "libssl-dev": ["openssl/evp.h"],
    "coinor-libclp-dev": ["coin/ClpSimplex.hpp", "coin-or/ClpSimplex.hpp", "ClpSimplex.hpp"],
    "libeigen3-dev": ["eigen3/Eigen/Core", "Eigen/Core"],
    "libfmt-dev": ["fmt/format.h"],
    "nlohmann-json3-dev": ["nlohmann/json.hpp"],
}


def missing() -> list[str]:
    """Return what is not here, by Debian's names; empty if CMake knows better where to look."""
    if any(os.environ.get(name) for name in OWN_SEARCH):
        return []
    named = os.environ.get("CXX", "").split()
    compiler = (
        named or [found for name in ("c++", "g++", "clang++") if (found := shutil.which(name))][:1]
    )
    if not compiler or not shutil.which(compiler[0]):
        return ["g++", *LIBRARIES]
    program = "".join(
        "#if !("
        + " || ".join(f"__has_include(<{header}>)" for header in headers)
        + f")\nevenhand_lacks {package}\n#endif\n"
        for package, headers in LIBRARIES.items()
    )
    ran = subprocess.run(
        [*compiler, "-E", "-x", "c++", "-"],
        input=program,
        capture_output=True,
        text=True,
        check=False,
    )
    return [
        line.split()[1] for line in ran.stdout.splitlines() if line.startswith("evenhand_lacks ")
    ]


def _check() -> None:
    if sys.platform.startswith("linux") and (lacking := missing()):
        sys.exit(
            "evenhand: cannot compile here: on Debian, apt-get install "
            f"{' '.join(lacking)} first; or pip install a wheel, which needs no compiler"
        )


def get_requires_for_build_wheel(settings: dict[str, Any] | None = None) -> list[str]:
    """Stop here if it cannot be compiled: this is the first that pip asks."""
    _check()
    return _build.get_requires_for_build_wheel(settings)


def get_requires_for_build_editable(settings: dict[str, Any] | None = None) -> list[str]:
    """Do the same for `pip install -e .`."""
    _check()
    return _build.get_requires_for_build_editable(settings)


def build_wheel(
    folder: str, settings: dict[str, Any] | None = None, metadata: str | None = None
) -> str:
    """Build, unless it cannot be compiled."""
    _check()
    return _build.build_wheel(folder, settings, metadata)
