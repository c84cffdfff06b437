"""Numbers are read and written the same in every locale."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import Sql, Tool
from needed import unavailable

PARITY = ("--score", "score", "--sensitive", "sex", "--criterion", "statistical-parity")


@pytest.fixture(scope="session")
def comma_locale(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Build a locale that writes 0,5; the variables that choose it."""
    if not shutil.which("localedef") or not Path("/usr/share/i18n/locales/de_DE").exists():
        unavailable("localedef or its sources are missing")
    folder = tmp_path_factory.mktemp("locale")
    done = subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", str(folder / "de_DE.UTF-8")],
        capture_output=True, check=False,
    )
    assert (folder / "de_DE.UTF-8").is_dir(), done.stderr
    chosen = {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "LOCPATH": str(folder)}
    point = subprocess.run(["locale", "decimal_point"], env={**os.environ, **chosen},
                           capture_output=True, text=True, check=True).stdout
    assert point == ",\n"
    return chosen


def test_a_locale_with_a_decimal_comma_changes_no_byte(
    tool: Tool, people: Path, sql: Sql, comma_locale: dict[str, str]
) -> None:
    """Numbers are read and written the same everywhere."""
    sql(f"COPY (FROM '{people}') TO '{tool.path('people.csv')}'")
    steps: list[tuple[object, ...]] = [
        ("fit", "people.csv", *PARITY, "--label", "y", "--tolerance", "0.0125", "--require",
         "rate <= 0.375", "-o", "rule.json"),
        ("fit", people, *PARITY, "--gamma", "0.05", "--json"),
        ("show", "rule.json"),
        ("apply", "people.csv", "--rule", "rule.json", "--seed", "7", "-o", "out.csv"),
        ("apply", people, "--rule", "rule.json", "-o", "out.json"),
        ("audit", "out.csv", "--decision", "decision", "--sensitive", "sex", "--label", "y"),
        ("audit", people, "--rule", "rule.json", "--confidence", "0.995", "--json"),
        ("audit", people, *PARITY[:4], "--fail-above", "0.05"),
        ("frontier", people, *PARITY, "--at", "0,0.0125", "--csv"),
        ("frontier", people, *PARITY, "--at", "0,0.0125"),
        ("tally", people, *PARITY[:4], "--resolution", "6", "--min-count", "2", "-o",
         "t.parquet"),
        ("fit", "--tally", "t.parquet", "--criterion", "four-fifths", "--ratio", "0.95"),
        ("fit", people, *PARITY, "--require", "rate <= 0.1", "--require", "rate >= 0.25"),
    ]
    results = []
    for env in ({"LC_ALL": "C"}, comma_locale):
        ran = [tool(*step, env=env) for step in steps]
        assert {r.status for r in ran} == {0, 3, 4}
        files = {name: tool.path(name).read_bytes()
                 for name in ("rule.json", "out.csv", "out.json", "t.parquet")}
        results.append(([(r.status, r.out, r.err) for r in ran], files))
    for step, one, other in zip(steps, results[0][0], results[1][0]):
        assert one == other, step
    assert results[0][1] == results[1][1]


def test_a_decimal_comma_is_refused_everywhere(
    tool: Tool, people: Path, comma_locale: dict[str, str]
) -> None:
    """0,5 is two numbers or none, also where people write it so."""
    for env in (None, comma_locale):
        tool("fit", people, *PARITY, "--tolerance", "0,5", env=env).fails(2, "--tolerance", "0,5")


def test_a_decimal_comma_changes_no_byte_of_theory_sgd_calibration_and_soft_groups(
    tool: Tool, people: Path, comma_locale: dict[str, str]
) -> None:
    """Numbers are read and written the same everywhere."""
    sgd = ("--score", "score", "--sensitive", "sex", "--criterion", "statistical-parity",
           "--solver", "sgd", "--epochs", "1.5", "--learning-rate", "0.0125", "--gamma", "0.05")
    labels = ("--score", "score", "--label", "y", "--sensitive", "sex")
    steps: list[tuple[object, ...]] = [
        ("theory", "excess-risk", "--rows", "1e6", "--gamma", "0.5", "--delta", "0.01"),
        ("theory", "sgd-error", "--steps", "2500.5", "--b", "0.25", "--json"),
        ("theory", "gamma", "--rows", "16281"),
        ("theory", "impossibility", people, "--score", "score", "--base-threshold", "0.375",
         "--sensitive", "sex", "--group", "F", "-o", "witness.csv"),
        ("fit", people, *sgd, "--trace", "trace.csv", "-o", "sgd.json", "--compare"),
        ("fit", people, *sgd, "--trace", "trace.json", "--json"),
        ("calibrate", people, *labels, "--calibrate", "platt"),
        ("calibrate", people, *labels, "--calibrate", "temperature", "--json"),
        ("fit", people, *labels, "--criterion", "statistical-parity", "--calibrate", "platt", "-o",
         "platt.json"),
        ("show", "platt.json"),
        ("audit", people, "--rule", "platt.json", "--calibration"),
        ("fit", people, "--score", "score", "--soft", "risk", "--gamma", "0.25", "-o", "soft.json"),
        ("show", "soft.json"),
        ("apply", people, "--rule", "soft.json", "-o", "out.csv"),
    ]
    results = []
    for env in ({"LC_ALL": "C"}, comma_locale):
        ran = [tool(*step, env=env).ok() for step in steps]
        files = {path.name: path.read_bytes() for path in tool.folder.iterdir()}
        results.append(([(r.out, r.err) for r in ran], files))
    for step, one, other in zip(steps, results[0][0], results[1][0]):
        assert one == other, step
    assert len(results[0][1]) == 7
    assert results[0][1] == results[1][1]
