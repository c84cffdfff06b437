"""Shared by all tests: where things are, and data to try them on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import numpy.typing as npt
import pytest

sys.path.append(str(Path(__file__).parents[2] / "tests"))  # for what all tests in Python share
from needed import unavailable

PROJECT = Path(__file__).parents[2]
TOOL = os.environ.get("EVENHAND", "")

hypothesis.settings.register_profile(
    "evenhand", deadline=None, database=None, derandomize=True, max_examples=60
)
hypothesis.settings.load_profile("evenhand")


@dataclass
class People:
    """Rows of all kinds that a criterion may ask for."""

    score: npt.NDArray[np.float64]
    sex: npt.NDArray[np.str_]
    race: npt.NDArray[np.str_]
    label: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float64]

    def columns(self) -> dict[str, Any]:
        """As a dict of columns."""
        return {
            "score": self.score,
            "sex": self.sex,
            "race": self.race,
            "label": self.label,
            "weight": self.weight,
        }


def make_people(rows: int, seed: int = 0) -> People:
    """Groups with different scores, some of them equal."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["F", "M"], rows)
    race = rng.choice(["a", "b", "ü, 'c'"], rows)
    score = np.clip(rng.normal(0.4 + 0.1 * (sex == "M"), 0.2), 0, 1)
    score[rng.random(rows) < 0.3] = 0.5
    label = (rng.random(rows) < score).astype(np.int64)
    return People(score, sex, race, label, rng.integers(1, 5, rows).astype(float))


@pytest.fixture(scope="session")
def people() -> People:
    """A few hundred rows."""
    return make_people(600)


@pytest.fixture(scope="session")
def applicants() -> tuple[Any, Any]:
    """Rows and labels for scikit-learn."""
    from applicants import make_applicants

    return make_applicants()


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Small problems: threads of linear algebra only get in each other's way."""
    import threadpoolctl

    with threadpoolctl.threadpool_limits(1):
        yield


@pytest.fixture
def tool(tmp_path: Path) -> Callable[..., str]:
    """Run the command line tool in a folder of its own; return its standard output."""
    if not TOOL:
        unavailable("EVENHAND does not say where the tool is")

    def run(*arguments: object, status: int = 0) -> str:
        done = subprocess.run(
            [TOOL, *map(str, arguments)], cwd=tmp_path, capture_output=True, check=False
        )
        assert done.returncode == status, done.stderr.decode()
        return done.stdout.decode()

    return run
