"""Reports in Chromium: Debian's, driven by Playwright."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

PROJECT = Path(__file__).parents[2]
TOOL = os.environ.get("EVENHAND", str(PROJECT / "build/release/bin/evenhand"))
ADULT = PROJECT / "data/adult-scores.csv"


def evenhand(*arguments: object) -> None:
    """Run the tool; it must succeed."""
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the reports that all tests look at."""
    path = tmp_path_factory.mktemp("reports")
    problem = (ADULT, "--score", "score", "--label", "high_income", "--sensitive", "sex",
               "--criterion", "statistical-parity")
    evenhand("fit", *problem, "--within", "race", "--tolerance", "0.02", "-o", path / "rule.json")
    evenhand("fit", *problem, "--within", "race", "--tolerance", "0.1", "-o", path / "loose.json")
    evenhand("report", ADULT, "--rule", path / "rule.json", "--rule", path / "loose.json",
             "--categories", "sex,race", "-o", path / "report.html")
    rows = "".join(f"{(i * 7919 % 1000) / 1000},g{i % 2000:04},{i % 2}\n" for i in range(20_000))
    (path / "many.csv").write_text("p,g,y\n" + rows)
    evenhand("fit", path / "many.csv", "--score", "p", "--sensitive", "g", "--label", "y", "--criterion",
             "statistical-parity", "--tolerance", "0.1", "-o", path / "many.json")
    evenhand("report", path / "many.csv", "--rule", path / "many.json", "-o", path / "many.html")
    hostile = ["</script><script>alert(1)</script>", '<img src=x onerror="alert(1)">', "\u202egnissim",
               "x" * 10_000, "👩🏽‍🚀", "it's \"quoted\""]
    lines = "".join(
        f"{(i * 37 % 101) / 101},\"{hostile[i % 6].replace(chr(34), chr(34) * 2)}\",{i % 2}\n"
        for i in range(600))
    (path / "hostile.csv").write_text("p,g,y\n" + lines)
    evenhand("fit", path / "hostile.csv", "--score", "p", "--sensitive", "g", "--criterion",
             "statistical-parity", "--tolerance", "0.05", "-o", path / "hostile.json")
    evenhand("report", path / "hostile.csv", "--rule", path / "hostile.json", "--tolerances", "30", "-o",
             path / "hostile.html")
    probable = ("--sql", f"SELECT *, CASE sex WHEN 'Female' THEN 0.9 ELSE 0.1 END AS p_female FROM '{ADULT}'")
    evenhand("fit", *probable, "--score", "score", "--label", "high_income", "--soft", "p_female", "--within",
             "race", "-o", path / "soft.json")
    evenhand("report", *probable, "--rule", path / "soft.json", "--rule", path / "rule.json", "-o",
             path / "soft.html")
    return path


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start Chromium."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    assert program, "chromium is missing"
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])


Open = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, folder: Path) -> Iterator[Open]:
    """Open a report; nothing may be asked of any other address, and nothing go wrong."""
    contexts = []
    wrong: list[str] = []

    def go(name: str = "report.html", **options: Any) -> Page:
        options.setdefault("viewport", {"width": 1280, "height": 900})
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        address = (folder / name).as_uri()
        page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: wrong.append(request.url)
                if not request.url.startswith((address, "data:", "blob:")) else None)
        page.on("dialog", lambda dialog: wrong.append("dialog " + dialog.message))
        page.goto(address)
        page.wait_for_selector("#provenance")
        return page

    yield go
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture(scope="session")
def axe() -> str:
    """Read axe-core."""
    done = subprocess.run(["cmake", "-P", PROJECT / "tests/report/fetch_axe.cmake"], capture_output=True,
                          text=True, check=True)
    return Path(done.stdout.strip().splitlines()[-1]).read_text()
