"""What the site has beside docs/: pages of the repository, and the reference of C++ and Python.

Pages link each other as they do in the repository; links that leave docs/ are turned to where the
site has the same thing.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "api"))

from headers import Declaration, declarations, opening  # noqa: E402
from package import Package  # noqa: E402

# Pages of the repository, by their name on the site.
BORROWED = {
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "data.md": "data/README.md",
    "examples.md": "examples/README.md",
    "vectors.md": "tests/vectors/README.md",
    "security.md": "SECURITY.md",
}
# Where pages go that mkdocs.yml does not name; all others to the reference.
PLACES = {"report.md": "Trust", "verify.md": "Trust", "warehouse.md": "Scale", "sql.md": "Scale"}
EXAMPLE = "report-example.html"
EMBEDDED = f"""

## An example

<iframe src="{EXAMPLE}" title="A report" style="width: 100%; height: 40rem; border: 1px solid"></iframe>

[Open it on a page of its own]({EXAMPLE}){{ target=_blank }}.
"""
HEADERS = sorted((ROOT / "include" / "evenhand").glob("*.h"))
LINK = re.compile(r"(?<=\]\()([^)#\s:]+)(#[^)]*)?(?=\))")
ROLE = re.compile(r":(?:func|class|meth|attr|mod|data|exc):(?=<code>)")  # of docstrings
STYLE = """\
.md-typeset table:not([class]) td:first-child code { word-break: normal; overflow-wrap: anywhere; }
.md-typeset table:not([class]) td:first-child { min-width: 8rem; }
.md-typeset table:not([class]) :is(th, td) code { word-break: normal; }
.md-typeset table:not([class]) th { min-width: 0; }
.md-typeset table:not([class]) :is(th, td) { padding: 0.6em 0.8em; }
"""


def site_address(target: Path) -> str | None:
    """Return what stands for a file of the repository on the site; None: nothing does."""
    if not target.is_relative_to(ROOT):
        return None
    inside = target.relative_to(ROOT)
    for page, source in BORROWED.items():
        if inside in (Path(source), Path(source).parent) and inside != Path():
            return page
    if inside.parts[0] == "docs":
        return inside.relative_to("docs").as_posix()
    if inside.parts[:2] == ("include", "evenhand"):
        return "reference/cpp.md" if inside.suffix != ".h" else f"reference/cpp-{inside.stem}.md"
    return None


def turned(text: str, source: Path, page: str) -> str:
    """Rewrite the links of a page of the repository for the site."""

    def turn(link: re.Match[str]) -> str:
        target = (source.parent / link[1]).resolve()
        if not target.exists():
            return link[0] if (ROOT / "docs") in target.parents else f"missing:{link[0]}"
        address = site_address(target)
        if address is None:
            return f"NOWHERE{link[2] or ''}"
        up = "../" * page.count("/")
        return f"{up}{address}{link[2] or ''}"

    fences = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    parts = [part if part.startswith("```") else LINK.sub(turn, part) for part in fences]
    # What the site does not have stays in words.
    return re.sub(r"\[([^\]]+)\]\(NOWHERE[^)]*\)", r"\1", "".join(parts))


def shown(one: Declaration) -> str:
    """Return a declaration as Markdown: code, then what its comment says."""
    return f"```cpp\n{one.text};\n```\n\n{escaped(one.comment)}\n\n"


def escaped(text: str) -> str:
    """Return plain text so that Markdown leaves it alone, but for code in back quotes."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([\\*_<>\[\]#])", r"\\\1", part) for part in parts
    )


def header_page(path: Path) -> str:
    """Return the reference of one header."""
    lines = [f"# evenhand/{path.name}\n\n"]
    lines.append("\n\n".join(escaped(part) for part in opening(path).split("\n\n")) + "\n\n")
    members: list[str] = []
    found = declarations(path)

    def flush() -> None:
        if members:
            lines.append("| member | |\n|---|---|\n" + "".join(members) + "\n")
            members.clear()

    for one in found:
        if one.kind in ("type", "enum"):
            flush()
            name = "::".join([*one.scope, one.name])
            lines.append(f"## {name}\n\n{escaped(one.comment)}\n\n")
        elif one.scope:
            prefix = "::".join(one.scope[1:])
            code = (f"{prefix}::" if prefix else "") + one.text
            row = f"`{code}`\0{escaped(one.comment)}".replace("|", "\\|").replace("\0", " | ")
            members.append(f"| {row} |\n")
        else:
            flush()
            lines.append(shown(one))
    flush()
    return "".join(lines)


def cpp_index() -> str:
    """Return the list of headers, each with its first sentence."""
    rows = []
    for path in HEADERS:
        first = re.split(r"(?<=[.?:]) |\n\n", opening(path).replace("\n", " "), maxsplit=1)[0]
        rows.append(f"| [{path.name}](cpp-{path.stem}.md) | {escaped(first)} |\n")
    return (
        "# C++ reference\n\n`#include <evenhand/evenhand.h>` has all of it. The [guide](../guide.md) "
        "has programs.\n\n| header | |\n|---|---|\n" + "".join(rows)
    )


def python_page() -> str:
    """Return the reference of Python: each public name, for mkdocstrings to fill in."""
    package = Package(ROOT / "python" / "evenhand")
    lines = ["# Python reference\n\nWhat `import evenhand` has. [Python](../python.md) has examples.\n\n"]
    seen = set()
    for module in package.public_modules():
        for name in package.exported(module):
            found = package.find(module, name)
            if found is None or (found[0], name) in seen:
                continue
            seen.add((found[0], name))
            lines.append(f"::: {found[0]}.{name}\n\n")
    return "".join(lines)


def tool() -> str | None:
    """Return the tool that makes the example of a report; None: this one cannot."""
    path = os.environ.get("EVENHAND", str(ROOT / "build" / "release" / "bin" / "evenhand"))
    if not Path(path).is_file():
        return None
    asked = subprocess.run([path, "report", "--help"], capture_output=True, check=False)
    return path if asked.returncode == 0 else None


def named(nav: Any) -> set[str]:
    """Return all pages in a part of the navigation."""
    if isinstance(nav, str):
        return {nav}
    parts = nav.values() if isinstance(nav, dict) else nav
    return set().union(*map(named, parts))


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the headers below the reference of C++, and pages without a place where they belong."""
    sections = {name: pages for section in config.nav or [] for name, pages in section.items()}
    reference = sections["Reference"]
    for path in sorted((ROOT / "docs").glob("*.md")):
        if path.name not in named(config.nav):
            sections[PLACES.get(path.name, "Reference")].append(path.name)
    headers = [{path.name: f"reference/cpp-{path.stem}.md"} for path in HEADERS]
    reference[reference.index("reference/cpp.md")] = {"C++": ["reference/cpp.md", *headers]}
    return config


def on_post_build(config: MkDocsConfig) -> None:
    """Write the example of a report."""
    if (program := tool()) is None:
        return
    data = ROOT / "data" / "adult-scores.csv"
    columns = ["--score", "score", "--label", "high_income", "--sensitive", "sex"]
    with tempfile.TemporaryDirectory() as folder:
        rule = Path(folder) / "rule.json"
        fit = [program, "fit", data, *columns, "--criterion", "statistical-parity", "-o", rule]
        report = [program, "report", data, "--rule", rule, "-o", Path(config.site_dir) / EXAMPLE]
        for command in (fit, report):
            subprocess.run(command, check=True, capture_output=True)


def on_page_content(html: str, **_: Any) -> str:
    """Drop Sphinx's names of roles from docstrings."""
    return ROLE.sub("", html)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    pages = {"reference/cpp.md": cpp_index(), "reference/python.md": python_page(), "site.css": STYLE}
    pages |= {f"reference/cpp-{path.stem}.md": header_page(path) for path in HEADERS}
    for page, source in BORROWED.items():
        path = ROOT / source
        pages[page] = turned(path.read_text(encoding="utf-8"), path, page)
    for page, text in pages.items():
        files.append(File.generated(config, page, content=text))
    if tool():  # written in the end
        files.append(File.generated(config, EXAMPLE, content=""))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn the links of pages in docs/."""
    source = page.file.src_uri
    if source in BORROWED or source.startswith("reference/"):
        return markdown
    example = EMBEDDED if source == "report.md" and tool() else ""
    return turned(markdown, ROOT / "docs" / source, source) + example
