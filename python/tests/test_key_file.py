"""Coins of a key in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import People

import evenhand


def test_a_file_may_have_the_key(people: People, tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(b"a secret")
    path.chmod(0o600)
    rule = evenhand.fit([0.9, 0.9], ["a", "a"], require="rate <= 0.5").rule
    ids = [f"person {i}" for i in range(40)]
    options: dict[str, Any] = {"score": [0.9] * 40, "sensitive": ["a"] * 40, "id": ids}
    expected = rule.decide(**options, key=b"a secret")
    assert set(expected) == {0, 1}
    for key_file in (path, str(path)):
        assert list(rule.decide(**options, key_file=key_file)) == list(expected)
    with pytest.raises(ValueError, match="give either key or key_file, not both"):
        rule.decide(**options, key="k", key_file=path)
    with pytest.raises(ValueError, match="either id and key, or seed"):
        rule.decide(**options, seed=1, key_file=path)
    with pytest.raises(ValueError, match=r"id and key \(or key_file\) belong together"):
        rule.decide([0.9], ["a"], key_file=path)
    with pytest.raises(TypeError, match="the path of a file is key_file="):
        rule.decide(**options, key=path)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError, match="none"):
        rule.decide(**options, key_file=tmp_path / "none")


def test_soft_rules_take_it_too(people: People, tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(b"a secret")
    path.chmod(0o600)
    soft = {"f": np.where(people.sex == "F", 0.9, 0.2)}
    rule = evenhand.fit_soft(people.score, soft=soft, criterion="statistical-parity").rule
    ids = np.arange(len(people.score))
    found = rule.decide(people.score, soft, id=ids, key_file=path)
    assert list(found) == list(rule.decide(people.score, soft, id=ids, key="a secret"))


@pytest.mark.parametrize(
    ("key", "mode", "expected"),
    [(b"k\n", 0o600, "ends with a line break"), (b"k", 0o644, "everybody on this machine")],
)
def test_what_looks_wrong_with_it_is_a_warning(
    tmp_path: Path, key: bytes, mode: int, expected: str
) -> None:
    """The key is what the file has, whatever it looks like."""
    path = tmp_path / "key"
    path.write_bytes(key)
    path.chmod(mode)
    rule = evenhand.fit([0.9, 0.9], ["a", "a"], require="rate <= 0.5").rule
    people: dict[str, Any] = {"score": [0.9] * 9, "sensitive": ["a"] * 9, "id": range(9)}
    with pytest.warns(UserWarning, match=expected):
        found = rule.decide(**people, key_file=path)
    assert list(found) == list(rule.decide(**people, key=key))
