"""The page of a report as its readers meet it, in a real browser."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import ADULT, TOOL, Open, evenhand
from playwright.sync_api import Page

REPORTS = ["report.html", "many.html", "hostile.html", "soft.html"]


def figures_of(page: Page) -> Any:
    """Read the page's own figures."""
    return json.loads(page.text_content("#figures") or "")


def open_time(page: Page) -> float:
    """Milliseconds until all was drawn."""
    return page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")


@pytest.mark.parametrize("name", REPORTS)
def test_opens_at_once_and_asks_nobody(open_page: Open, name: str) -> None:
    """No error, no warning, no request (the fixture looks), in under a second."""
    page = open_page(name)
    times = []
    for _ in range(3):
        page.reload()
        page.wait_for_function("performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
        times.append(open_time(page))
    assert min(times) < 1000


def test_sections_are_in_order(open_page: Open) -> None:
    """As the people who sign off read them."""
    ids = open_page().eval_on_selector_all("main > section", "all => all.map(one => one.id)")
    assert ids == ["answer", "selection", "fairness", "costs", "frontier", "rules", "calibration",
                   "thresholds", "not-compared", "regulators", "method", "provenance"]


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_page: Open, axe: str, name: str, scheme: str) -> None:
    """Names, roles, contrast, headings."""
    page = open_page(name, color_scheme=scheme, bypass_csp=True)
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


def shown_rates(page: Page) -> list[str]:
    """Read the rates beside the slider."""
    return page.eval_on_selector_all(
        "#table-explorer-rates tbody tr", "rows => rows.map(row => row.children[1].textContent)")


@pytest.mark.parametrize("by", ["keyboard", "mouse"])
def test_slider_shows_the_fit_at_each_tolerance(open_page: Open, folder: Path, by: str) -> None:
    """By keys and by mouse; rates are those of `fit` at the tolerance that the page shows."""
    page = open_page()
    frontier = figures_of(page)["frontier"]
    slider = page.locator("#explorer-slider")
    slider.scroll_into_view_if_needed()
    assert int(slider.input_value()) == frontier["chosen"]
    if by == "keyboard":
        slider.focus()
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        assert int(slider.input_value()) == frontier["chosen"] + 3
        page.keyboard.press("Home")
        assert int(slider.input_value()) == 0
        page.keyboard.press("PageUp")
    else:
        box = slider.bounding_box()
        assert box
        page.mouse.click(box["x"] + box["width"] * 0.35, box["y"] + box["height"] / 2)
    at = int(slider.input_value())
    assert at != frontier["chosen"] and at != 0
    stop = frontier["points"][at]
    assert slider.get_attribute("aria-valuetext", timeout=1000).startswith("tolerance ")
    rates = shown_rates(page)
    assert rates == [f"{100 * rate:.1f} %" for rate in stop["rates"]["selection_rate"]]
    rule = folder / f"at-{by}.json"
    evenhand("fit", ADULT, "--score", "score", "--label", "high_income", "--sensitive", "sex", "--within",
             "race", "--criterion", "statistical-parity", "--tolerance", repr(stop["tolerance"]), "-o", rule)
    audit = json.loads(subprocess.run([TOOL, "audit", ADULT, "--rule", rule, "--json"], check=True,
                                      capture_output=True, text=True).stdout)
    wanted = [group["selection_rate"] for stratum in audit["after"]["strata"] for group in stratum["groups"]]
    assert stop["rates"]["selection_rate"] == wanted
    page.click("#explorer-back")
    assert int(slider.input_value()) == frontier["chosen"]


def test_a_typed_tolerance_snaps_to_the_nearest_stop(open_page: Open) -> None:
    """Whoever asks for three points gets what comes nearest."""
    page = open_page()
    stops = [stop["tolerance"] for stop in figures_of(page)["frontier"]["points"]]
    page.fill("#explorer-value", "0.03")
    page.press("#explorer-value", "Enter")
    nearest = min(range(len(stops)), key=lambda i: abs(stops[i] - 0.03))
    assert int(page.input_value("#explorer-slider")) == nearest


def test_tables_sort_by_their_headings(open_page: Open) -> None:
    """Up, then down; screen readers are told."""
    page = open_page()
    heading = page.locator("#table-selection-1 th", has_text="People")
    rows = figures_of(page)["selection"][0]["rows"]
    column = "#table-selection-1 tbody tr td:nth-child(3)"
    for direction, reverse in (("ascending", False), ("descending", True)):
        heading.locator("button").click()
        assert heading.get_attribute("aria-sort") == direction
        shown = page.eval_on_selector_all(column, "cells => cells.map(c => c.textContent)")
        wanted = sorted((row["people"] for row in rows), reverse=reverse)
        assert shown == [f"{value:,.0f}" for value in wanted]


def test_csv_of_every_table_equals_the_figures(open_page: Open) -> None:
    """Each column, each row, each digit."""
    page = open_page()
    figures = figures_of(page)
    tables = {f"selection-{i + 1}": table for i, table in enumerate(figures["selection"])}
    tables |= {f"ll144-{i + 1}": table for i, table in enumerate(figures["ll144"])}
    tables |= {f"eeoc-{i + 1}": table for i, table in enumerate(figures["eeoc"])}
    tables |= {"annex-iv": figures["annex_iv"], "thresholds": figures["thresholds"], "rules": figures["rules"],
               "strata": figures["fairness"]["strata"], "calibration": figures["calibration"],
               "changes": figures["costs"]["changes"], "provenance": figures["provenance"]}
    for number, (file, table) in enumerate(tables.items()):
        if number % 8 == 7:  # Chromium asks its user before a page's eleventh download
            page = open_page()
        with page.expect_download() as download:
            page.click(f'button[data-file="{file}.csv"]')
        text = Path(download.value.path()).read_text()
        read = list(csv.DictReader(io.StringIO(text, newline="")))
        names = [column["name"] for column in table["columns"]]
        assert len(read) == len(table["rows"]), file
        for line, row in zip(read, table["rows"], strict=True):
            assert list(line) == names
            for name in names:
                value = row.get(name)
                if isinstance(value, (int, float)):
                    assert float(line[name]) == value
                else:
                    assert line[name] == ("" if value is None else value)


def test_hostile_names_are_shown_as_text(open_page: Open) -> None:
    """No element, no handler and no dialog comes of them; long ones are cut, marks made visible."""
    page = open_page("hostile.html")
    text = page.inner_text("#selection")
    assert "</script><script>alert(1)</script>" in text
    assert '<img src=x onerror=' in text
    assert "\u202e" not in text
    assert "👩🏽‍🚀" in text
    assert page.locator("main img").count() == 0
    assert "x" * 200 not in text
    labels = page.eval_on_selector_all(
        "#selection .chart [aria-label='y-axis tick label'] text",
        "all => all.map(one => one.textContent)")
    assert len(set(labels)) == 6
    assert not any(label.startswith("g=") for label in labels)


def test_labels_of_a_chart_tell_groups_apart(open_page: Open) -> None:
    """Long values are cut one by one, and what is quoted in a name is read as such."""
    page = open_page("hostile.html")
    names = [f'"a, b"="{"x" * 60}", region={where}' for where in ("north", "south")]
    for width, most in ((1000, 42), (300, 16)):
        labels = page.evaluate("([names, width]) => labelled(names, width)", [names, width])
        assert len(set(labels)) == 2
        assert all(len(label) <= most and label.startswith("xx") for label in labels)
        assert [label.split(", ")[1] for label in labels] == ["north", "south"]
    plain = ["sex=F, race=White", "everybody", 'sex="say \\"=\\", x"']
    assert page.evaluate("names => labelled(names, 1000)", plain) == [
        "F, White", "everybody", 'say "=", x']


def test_only_names_are_cut(open_page: Open) -> None:
    """Sentences, commands and fingerprints are shown whole, as a printed page has no hover."""
    page = open_page()
    figures = figures_of(page)
    for table, id in ((figures["annex_iv"], "annex-iv"), (figures["provenance"], "provenance")):
        shown = page.eval_on_selector_all(f"#table-{id} tbody td:nth-child(2)", "all => all.map(one => one.textContent)")
        assert shown == [row["value"] for row in table["rows"]]
        assert max(map(len, shown)) > 80


@pytest.mark.parametrize("name", ["report.html", "soft.html"])
def test_tables_fit_a_desktop_window(open_page: Open, name: str) -> None:
    """Nobody has to scroll sideways there to see the last column."""
    wide = open_page(name).eval_on_selector_all(
        ".wrap", "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.ariaLabel)")
    assert wide == []


def test_many_groups_are_a_table(open_page: Open) -> None:
    """No chart of 2,000 lines; sixty rows at first, then all of them."""
    page = open_page("many.html")
    assert page.locator("#selection .chart").count() == 0
    assert page.locator("#table-selection-1 tbody tr").count() == 60
    page.locator("#selection .more").click()
    assert page.locator("#table-selection-1 tbody tr").count() == 2000


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_nothing_is_wider_than_the_window(open_page: Open, name: str, width: int) -> None:
    """Wide tables scroll inside their frame."""
    page = open_page(name, viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize(("paper", "millimetres"), [("A4", 180), ("Letter", 185.9)])
def test_printed_tables_fit_the_paper(open_page: Open, name: str, paper: str, millimetres: float) -> None:
    """Between the margins no table is wider than the page, and the PDF is made."""
    width = int(millimetres / 25.4 * 96)
    page = open_page(name, viewport={"width": width, "height": 1000})
    page.emulate_media(media="print")
    page.wait_for_timeout(100)
    cut = page.eval_on_selector_all(
        "table, .chart svg", f"all => all.filter(t => t.getBoundingClientRect().right > {width} + 1).length")
    assert cut == 0
    assert len(page.pdf(format=paper)) > 10_000
