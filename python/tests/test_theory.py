"""The calculators, with the defaults of the tool."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from evenhand import theory


def test_theory_has_the_defaults_of_the_tool(tool: Callable[..., str]) -> None:
    told = json.loads(tool("theory", "excess-risk", "--rows", 1e30, "--strata", 5, "--json"))
    found = theory.excess_risk(1e30, strata=5)
    assert found == theory.excess_risk(1e30, "auto", strata=5)
    assert found == theory.excess_risk(1e30, theory.gamma_schedule(1e30), strata=5)
    assert found.printed.value == told["printed"]["value"]
    told = json.loads(tool("theory", "sgd-error", "--steps", 1000, "--json"))
    assert theory.sgd_error(1000) == theory.sgd_error(1000, 0.01)
    assert theory.sgd_error(1000).printed == told["printed"]
    with pytest.raises(ValueError, match="gamma is a number or 'auto', not 'wide'"):
        theory.excess_risk(1000, "wide")
    assert set(theory.__all__) >= {"excess_risk", "sgd_error", "impossibility", "SgdError"}


def test_weights_that_nobody_gave_are_not_counted() -> None:
    with pytest.raises(ValueError, match="there are 3 decisions but 2 memberships$"):
        theory.impossibility([1, 0, 1], [0.5, 0.5])
    with pytest.raises(ValueError, match="but 2 memberships and 3 weights$"):
        theory.impossibility([1, 0, 1], [0.5, 0.5], weight=[1, 1, 1])
