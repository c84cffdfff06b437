"""One report, as Markdown for docs/ and as a page for the browser."""

import html
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from claims import Judged
from finding import VERDICTS
from results import Table


@dataclass(frozen=True)
class Picture:
    """A figure, by the name of its file."""

    name: str
    caption: str
    svg: str


Block = str | Table | Picture | list[Judged]


@dataclass(frozen=True)
class Section:
    """A heading with what stands below it: texts, tables, figures, judged claims."""

    title: str
    blocks: Sequence[Block]
    page_only: bool = False


# --- Markdown.


def markdown(title: str, intro: Sequence[str], sections: Sequence[Section], folder: str) -> str:
    """Write it for docs/; figures are files in `folder`."""
    parts = [f"# {title}", *map(_wrapped, intro)]
    for section in sections:
        if section.page_only:
            continue
        parts.append(f"## {section.title}")
        parts += [_markdown(block, folder) for block in section.blocks]
    return "\n\n".join(parts) + "\n"


def _markdown(block: Block, folder: str) -> str:
    if isinstance(block, str):
        return _wrapped(block)
    if isinstance(block, Picture):
        return f"![{block.caption}]({folder}/{block.name}.svg)"
    if isinstance(block, Table):
        return _wrapped(block.caption) + "\n\n" + _markdown_table(block)
    return "\n\n".join(_markdown_claim(number, one) for number, one in enumerate(block, 1))


def _wrapped(words: str, indent: str = "") -> str:
    return textwrap.fill(
        words, 112, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _markdown_table(table: Table) -> str:
    ends = ["---"] * table.names + ["---:"] * (len(table.header) - table.names)
    lines = [table.header, ends, *table.rows]
    return "\n".join("| " + " | ".join(_cell(text) for text in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def claims_table(judged: Sequence[Judged]) -> Table:
    """Return the claims and their verdicts at a glance."""
    rows = [[f"{i}", one.claim.name, one.finding.verdict] for i, one in enumerate(judged, 1)]
    return Table("Verdicts follow from the numbers below.", ["", "claim", "verdict"], rows, 3)


def _markdown_claim(number: int, one: Judged) -> str:
    claim, finding = one.claim, one.finding
    lines = [f"### {number}. {claim.name}: {finding.verdict}", ""]
    lines += [
        _wrapped(item, "  ")
        for item in (
            f"- Paper: {_paper(one)}.",
            f"- Here: {finding.measured}.",
            f"- Reproduced means: {claim.test}.",
        )
    ]
    return "\n".join(lines)


def _paper(one: Judged) -> str:
    return "; ".join(part for part in (one.claim.statement, one.claim.paper) if part)


# --- HTML.


def page(title: str, intro: Sequence[str], sections: Sequence[Section]) -> str:
    """Write a page that needs nothing but itself."""
    contents = "".join(
        f'<li><a href="#{_slug(section.title)}">{text(section.title)}</a></li>'
        for section in sections
    )
    body = "\n".join(
        f'<section id="{_slug(section.title)}">\n<h2>{text(section.title)}</h2>\n'
        + "\n".join(_html(block) for block in section.blocks)
        + "\n</section>"
        for section in sections
    )
    paragraphs = "\n".join(f"<p>{text(one)}</p>" for one in intro)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{text(title)}</h1>\n{paragraphs}\n<nav><ul>{contents}</ul></nav>\n{body}\n"
        "</main>\n</body>\n</html>\n"
    )


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def text(markdown: str) -> str:
    """Escape a text; of Markdown it knows `code` and [links](to)."""
    escaped = html.escape(markdown)
    escaped = re.sub(r"`([^`]*)`", r"<code>\1</code>", escaped)
    return re.sub(r"\[([^\]]+)\]\((https?://[^)\s]+)\)", r'<a href="\2">\1</a>', escaped)


def _html(block: Block) -> str:
    if isinstance(block, str):
        return f"<p>{text(block)}</p>"
    if isinstance(block, Picture):
        return (
            f'<figure><div class="wide">{_inline(block)}</div>'
            f"<figcaption>{text(block.caption)}</figcaption></figure>"
        )
    if isinstance(block, Table):
        return _html_table(block)
    return "\n".join(_html_claim(number, one) for number, one in enumerate(block, 1))


def _inline(picture: Picture) -> str:
    """Return the figure with ids of its own: two figures on a page must not share any."""
    svg = picture.svg[picture.svg.index("<svg") :]
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{picture.name}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{picture.name}-\1)", svg)
    svg = re.sub(r'href="#([^"]+)"', rf'href="#{picture.name}-\1"', svg)
    label = html.escape(picture.caption)
    return svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)


def _html_table(table: Table) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return "".join(
            f"<{tag}{' class=name' if i < table.names else ''}>{_verdict_or_text(cell)}</{tag}>"
            for i, cell in enumerate(cells)
        )

    body = "".join(f"<tr>{row(cells, 'td')}</tr>\n" for cells in _once(table.rows))
    dense = ' class="dense"' if len(table.header) > 7 else ""
    head = row(table.header, "th")
    return (
        f'<figure><div class="wide"><table{dense}>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}</tbody>\n</table></div>"
        f"<figcaption>{text(table.caption)}</figcaption></figure>"
    )


def _once(rows: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    """Leave out the first name where it is that of the row above."""
    above = None
    for row in rows:
        yield ["", *row[1:]] if row[0] == above else row
        above = row[0]


def _verdict_or_text(cell: str) -> str:
    return _badge(cell) if cell in VERDICTS else text(cell)


def _badge(verdict: str) -> str:
    mark = {VERDICTS[0]: "yes", VERDICTS[1]: "partly", VERDICTS[2]: "no"}[verdict]
    return f'<span class="badge {mark}">{html.escape(verdict)}</span>'


def _html_claim(number: int, one: Judged) -> str:
    claim, finding = one.claim, one.finding
    return (
        f"<article><h3>{number}. {text(claim.name)} "
        f"{_badge(finding.verdict)}</h3>\n<dl><dt>Paper</dt><dd>{text(_paper(one))}</dd>"
        f"<dt>Here</dt><dd>{text(finding.measured)}</dd>"
        f"<dt>Reproduced means</dt><dd>{text(claim.test)}</dd></dl></article>"
    )


STYLE = """
:root { color-scheme: light; --ink: #1c1c1e; --soft: #63636b; --line: #e2e2e6; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: var(--ink);
  font: 17px/1.6 Charter, "Bitstream Charter", "Iowan Old Style", Georgia, serif; }
main { max-width: 66rem; margin: 0 auto; padding: 2rem 1.2rem 5rem; }
h1, h2, h3, table, nav, figcaption, .badge, dt
  { font-family: system-ui, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -0.01em; }
h2 { font-size: 1.35rem; margin: 3.2rem 0 0.8rem; padding-top: 0.8rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1.02rem; margin: 0 0 0.4rem; display: flex; gap: 0.6rem; flex-wrap: wrap;
  align-items: baseline; }
p { max-width: 44rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.3rem 1.2rem; list-style: none; padding: 0;
  font-size: 0.9rem; }
a { color: #14568c; }
code { font-size: 0.88em; background: #f4f4f6; padding: 0.1em 0.3em; border-radius: 3px; }
figure { margin: 1.6rem 0; }
figcaption { color: var(--soft); font-size: 0.85rem; line-height: 1.45; margin-top: 0.5rem; }
.wide { overflow-x: auto; }
.wide svg { display: block; width: 100%; height: auto; min-width: 34rem; }
table { border-collapse: collapse; font-size: 0.82rem; font-variant-numeric: tabular-nums;
  line-height: 1.35; width: 100%; }
th { text-align: right; vertical-align: bottom; font-weight: 600;
  border-bottom: 2px solid var(--ink); }
td { text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th, td { padding: 0.35rem 0.6rem; }
th:first-child, td:first-child { padding-left: 0; }
.name { text-align: left; }
.dense { font-size: 0.74rem; }
.dense th, .dense td { padding: 0.32rem 0.4rem; }
article { border: 1px solid var(--line); border-radius: 8px; padding: 0.9rem 1.1rem;
  margin: 0.9rem 0; }
dl { display: grid; grid-template-columns: 9.5rem 1fr; gap: 0.25rem 0.8rem; margin: 0;
  font-size: 0.95rem; line-height: 1.5; }
dt { color: var(--soft); font-size: 0.82rem; padding-top: 0.12rem; }
dd { margin: 0; overflow-wrap: anywhere; }
.badge { display: inline-block; font-size: 0.75rem; font-weight: 600; padding: 0.12rem 0.55rem;
  border-radius: 1rem; border: 1.5px solid; white-space: nowrap; }
.badge.yes { color: #17692b; background: #eaf6ec; }
.badge.partly { color: #8a5300; background: #fff5e3; border-style: dashed; }
.badge.no { color: #9b1c1c; background: #fdecec; border-style: double; border-width: 3px; }
@media (max-width: 40rem) {
  body { font-size: 16px; }
  dl { grid-template-columns: 1fr; gap: 0 0; }
  dt { margin-top: 0.4rem; }
  h1 { font-size: 1.6rem; }
}
@media print { article, figure { break-inside: avoid; } }
"""
