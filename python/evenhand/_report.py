"""Reports: one page for the people who sign off."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core, _files, _options
from ._rule.rule import Rule
from ._rule.soft_rule import SoftRule

if TYPE_CHECKING:
    from ._solve.found import Fit
    from ._tally.tally import Tally


class Report:
    """All figures of a rule or of decisions, as a page, as Markdown and as JSON.

    Made by the ``report`` of fits, audits, comparisons and of
    :class:`evenhand.FairThresholdClassifier`; the same that the tool's ``report`` writes.

    Attributes
    ----------
    figures : dict
        All that the page shows; docs/report.md lists its members.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.figures: dict[str, Any] = json.loads(text)

    def to_json(self) -> str:
        """Return the figures as JSON."""
        return self._text

    def to_html(self) -> str:
        """Return the page, which needs nothing else."""
        return _core.report_page(self._text)

    def to_markdown(self) -> str:
        """Return the same figures in Markdown."""
        return _core.report_markdown(self._text)

    def save(self, path: _files.PathLike) -> None:
        """Write a file, by its ending: ``.html`` the page, ``.md`` Markdown, ``.json`` the figures.

        Raises
        ------
        ValueError
            For another ending.
        """
        ending = os.path.splitext(os.fspath(path))[1].lower()
        if ending in (".html", ".htm"):
            text = self.to_html()
        elif ending in (".md", ".markdown"):
            text = self.to_markdown()
        elif ending == ".json":
            text = self._text
        else:
            raise ValueError(f"{path}: a report is written as .html, .md or .json")
        _files.write_text(path, text)

    def __eq__(self, other: object) -> bool:
        """Whether all figures are the same."""
        return isinstance(other, Report) and self._text == other._text

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show the answer."""
        return "\n".join(self.figures["answer"])


def others_of(given: Any) -> list[tuple[str, Rule | SoftRule]]:
    """Return the rules that stand beside the subject, by name."""
    if isinstance(given, Mapping):
        named = list(given.items())
    else:
        several = given if isinstance(given, Sequence) else [given]
        named = [(f"other {i + 1}", other) for i, other in enumerate(several)]
    out: list[tuple[str, Rule | SoftRule]] = []
    for name, other in named:
        rule = getattr(other, "rule_", getattr(other, "rule", other))  # of a classifier or a Fit
        if not isinstance(rule, (Rule, SoftRule)):
            raise TypeError(f"others must be rules or fits, not {type(other).__name__}")
        out.append((_options.text(name, "others"), rule))
    return out


def report_of(
    tally: Tally, rules: Sequence[Rule], auditing: _core.AuditOptions,
    criterion: _core.Criterion | None = None, *,
    name: str = "data", rule_name: str = "rule.json",
    others: Sequence[Rule | Fit] | Mapping[str, Rule | Fit] = (), categories: Sequence[str] = (),
    smallest_category: float = 0.02, tolerances: int = 500,
    bins: int = 10, title: str = "", date: str = "", threads: int = 0,
) -> Report:  # fmt: skip
    """Report on a tally: of these rules the first is the subject.

    Parameters
    ----------
    name, rule_name : str
        What the report calls the data and the rule.
    others : list or dict of Rule or Fit
        Rules to stand beside; a dict gives them names.
    categories : list of str
        Attributes of the regulators' tables, the sensitive ones by default.
    smallest_category : float
        Categories with a smaller share of the people have no impact ratio.
    tolerances : int
        The most that the slider has, from 5 to 500, or 0 for none.
    bins : int
        Of the calibration charts.
    title, date : str
        Of the page.
    threads : int
        0 for as many as there are cores.
    """
    named = [(_options.text(rule_name, "rule_name"), rule) for rule in rules]
    for called, other in others_of(others):
        if not isinstance(other, Rule):
            raise TypeError(
                "a rule for soft groups stands beside others in evenhand.compare(...).report()"
            )
        named.append((called, other))
    return Report(
        _core.report_figures(
            tally=tally._core,
            source=tally._source,
            name=_options.text(name, "name"),
            rules=[(called, rule.to_json()) for called, rule in named],
            criterion=criterion,
            auditing=auditing,
            categories=[_options.text(one, "categories") for one in categories],
            smallest_category=_options.number(smallest_category, "smallest_category"),
            tolerances=_options.whole(tolerances, "tolerances", 0, 500),
            bins=_options.whole(bins, "bins", 1, 100),
            title=_options.text(title, "title"),
            date=_options.text(date, "date"),
            threads=_options.whole(threads, "threads", 0, 2**31 - 1),
        )
    )
