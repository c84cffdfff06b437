"""A rule without a proof: a warning, and saved only where that is accepted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import evenhand


def test_a_rule_without_a_proof_warns_and_is_not_saved_by_itself(tmp_path: Path) -> None:
    """A ramp narrower than rounding: rates do not meet."""
    draw = np.random.default_rng(1)
    group = np.arange(2000) % 4
    score = draw.random(2000) ** (0.5 + group / 4)
    label = draw.random(2000) < score
    with pytest.warns(UserWarning, match="no proof"):
        fit = evenhand.fit(score, group, label=label, criterion="equalized-odds", gamma=1e-12)
    assert fit.status == "inaccurate"
    path = tmp_path / "rule.json"
    with pytest.raises(ValueError, match="accept_inaccurate=True"):
        fit.save(path)
    assert not path.exists()
    fit.save(path, accept_inaccurate=True)
    assert path.exists()
