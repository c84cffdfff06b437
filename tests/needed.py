"""Programs that tests need and a machine may not have."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def unavailable(what: str) -> NoReturn:
    """Skip a test for want of a program; `make test` installs them all, and fails instead."""
    if os.environ.get("EVENHAND_TEST_ALL"):
        pytest.fail(what)
    pytest.skip(what)
