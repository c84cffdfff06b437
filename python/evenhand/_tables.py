"""Tables for people: plain text and HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any


def percent(value: float | None, digits: int = 2) -> str:
    """Write a share."""
    return "-" if value is None else f"{100 * value:.{digits}f} %"


def text_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Align columns; the first to the left, others to the right."""
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Escape everything: names come from data."""

    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<table><thead>{line(header, 'th')}</thead><tbody>{body}</tbody></table>"


def html_lines(*texts: str) -> str:
    """Show texts as they are, escaped."""
    return "".join(f"<pre>{html.escape(text.rstrip())}</pre>" for text in texts)


def values_in_words(values: dict[str, str]) -> str:
    """Write ``sex=F, race=Black``."""
    return ", ".join(f"{name}={value}" for name, value in values.items()) or "everybody"


def before_and_after(before: Any, after: Any, by_cost: bool) -> list[str]:
    """Say what two audits know about being right: accuracy, or the cost where costs differ."""
    if after.accuracy is None or before.accuracy is None:
        return []
    note = " (expected, if the scores are calibrated)" if after.expected else ""
    if by_cost:
        return [f"cost of a decision {before.cost:.5g} -> {after.cost:.5g}{note}"]
    return [f"accuracy {percent(before.accuracy)} -> {percent(after.accuracy)}{note}"]


def to_frame(records: Sequence[dict[str, Any]]) -> Any:
    """Make a pandas frame, or a polars one, whichever is installed.

    Raises
    ------
    ImportError
        If neither is.
    """
    try:
        import pandas
    except ImportError:
        try:
            import polars
        except ImportError:
            raise ImportError("to_frame needs pandas or polars: pip install pandas") from None
        return polars.DataFrame(records)
    return pandas.DataFrame(records)
