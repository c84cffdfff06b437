"""Reports have the figures of the tool's, and regulators' tables those of SciPy."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import evenhand


def people(count: int = 600) -> dict[str, np.ndarray]:
    """Draw people of two groups with scores and outcomes."""
    draw = np.random.default_rng(5)
    group = draw.choice(["A", "B"], count)
    score = np.clip(draw.uniform(0, 1, count) * np.where(group == "A", 1, 0.8), 0, 1).round(2)
    return {"group": group, "score": score, "y": (draw.uniform(0, 1, count) < score).astype(int)}


def fitted(tolerance: float = 0.03) -> evenhand.Fit:
    """Fit them."""
    rows = people()
    return evenhand.fit(
        rows["score"], {"group": rows["group"]}, label=rows["y"], criterion="statistical-parity",
        tolerance=tolerance,
    )  # fmt: skip


def test_report_of_a_fit_has_the_figures_of_its_audit() -> None:
    """Rates, accuracy, the chosen tolerance; a pickled fit reports the same."""
    fit = fitted()
    report = fit.report(tolerances=20)
    figures = report.figures
    rates = {row["group"]: row["selection_rate_after"] for row in figures["selection"][0]["rows"]}
    wanted = {f"group={one['group']['group']}": one["selection_rate"] for one in fit.after.groups}
    assert rates == wanted
    assert figures["costs"]["after"]["accuracy"] == fit.after.accuracy
    assert figures["fairness"]["fitted_on_these_people"] is True
    stop = figures["frontier"]["points"][figures["frontier"]["chosen"]]
    assert stop["tolerance"] == 0.03
    assert pickle.loads(pickle.dumps(fit)).report(tolerances=20) == report
    assert fit.after.report(tolerances=20) == report
    assert repr(report).count("\n") == 2


def test_rules_stand_beside_the_fit() -> None:
    """As rules or as fits; anything else is refused."""
    figures = fitted().report(others=[fitted(0.2), fitted(0.1).rule], tolerances=0).figures
    assert [row["rule"] for row in figures["rules"]["rows"]] == [
        "the score alone", "rule.json", "other 1", "other 2",
    ]  # fmt: skip
    with pytest.raises(TypeError, match="others must be rules or fits"):
        fitted().report(others=["rule.json"])


def test_files_are_written_by_their_ending(tmp_path: Path) -> None:
    """A page, Markdown, JSON; no other."""
    report = fitted().report(tolerances=0, title="<b>title</b>")
    report.save(tmp_path / "report.html")
    assert "<title>&lt;b&gt;title&lt;/b&gt;</title>" in (tmp_path / "report.html").read_text()
    report.save(tmp_path / "report.md")
    assert (tmp_path / "report.md").read_text() == report.to_markdown()
    report.save(tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text()) == report.figures
    with pytest.raises(ValueError, match=r"\.html, \.md or \.json"):
        report.save(tmp_path / "report.pdf")
    with pytest.raises(ValueError, match="from 5 to 500"):
        fitted().report(tolerances=3)


def test_tables_of_decisions_are_those_of_scipy() -> None:
    """Fifty comparisons with the group of the highest rate: Fisher's exact test and the ratio."""
    stats = pytest.importorskip("scipy.stats")
    draw = np.random.default_rng(11)
    for _ in range(5):
        sizes = draw.integers(2, 60, 11)
        chosen = [int(draw.integers(0, n + 1)) for n in sizes]
        groups = np.repeat([f"g{i:02}" for i in range(11)], sizes)
        decision = np.concatenate(
            [[1] * k + [0] * (n - k) for n, k in zip(sizes, chosen, strict=True)]
        )
        table = (
            evenhand.audit(decision=decision, sensitive={"g": groups}).report().figures["eeoc"][0]
        )
        best = max(range(11), key=lambda i: (chosen[i] / sizes[i], sizes[i]))
        for i, row in enumerate(table["rows"]):
            assert row["ratio"] == pytest.approx(
                (chosen[i] / sizes[i]) / (chosen[best] / sizes[best])
            )
            if i == best:
                continue
            square = [[chosen[j], sizes[j] - chosen[j]] for j in (i, best)]
            assert row["fisher_p"] == pytest.approx(stats.fisher_exact(square).pvalue, rel=1e-7)
