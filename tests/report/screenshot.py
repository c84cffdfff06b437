#!/usr/bin/env python3
"""Takes the picture of a report that README.md shows: screenshot.py EVENHAND PICTURE."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

PROJECT = Path(__file__).parents[2]
tool, picture = sys.argv[1:]
data = PROJECT / "data/adult-scores.csv"
with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
    rule, report = Path(folder) / "rule.json", Path(folder) / "report.html"
    problem = ["--score", "score", "--label", "high_income", "--sensitive", "sex", "--within", "race"]
    subprocess.run([tool, "fit", data, *problem, "--criterion", "statistical-parity", "--tolerance", "0.02",
                    "-o", rule], check=True, capture_output=True)
    subprocess.run([tool, "report", data, "--rule", rule, "-o", report], check=True)
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.goto(report.as_uri())
    page.wait_for_timeout(300)
    page.screenshot(path=picture)
    browser.close()
