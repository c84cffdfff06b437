#!/usr/bin/env python3
"""Prints which folder of src/ includes which, and fails unless CONTRIBUTING.md draws every edge.

Also fails on a cycle, on a header of src/ in the tool or in Python's extension, and on a source file of more than
400 lines. CONTRIBUTING.md draws the edges in the block that starts with "    support ->".
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_LINES = 400
problems = []


def sources(*suffixes):
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    return [ROOT / name for name in listed if name.endswith(suffixes) and (ROOT / name).exists()]


def included(path):
    """The included names, those in quotes and those of the library's public headers."""
    return re.findall(r'^#include (?:"([^"]+)"|<(evenhand/[^>]+)>)', path.read_text(), re.MULTILINE)


def drawn():
    block = re.search(r"^    support +->.*?\n\n", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE | re.DOTALL)
    if not block:
        sys.exit("CONTRIBUTING.md draws no folders of src/")
    edges = {}
    for line in block.group().split("\n"):
        if line.strip():
            folder, to = line.split("->")
            edges[folder.strip()] = set(to.split())
    return edges


def actual():
    edges = {}
    for path in sources(".h", ".cpp"):
        parts = path.relative_to(ROOT).parts
        if parts[0] != "src":
            continue
        folder = parts[1] if len(parts) > 2 else "."
        edges.setdefault(folder, set())
        for private in filter(None, (own for own, _ in included(path))):
            if not (ROOT / "src" / private).exists():
                problems.append(f"{path.relative_to(ROOT)} includes {private}, which is not in src/")
            to = private.split("/")[0] if "/" in private else "."
            if to != folder:
                edges[folder].add(to)
    return edges


def find_cycle(edges):
    done = set()

    def visit(folder, path):
        if folder in path:
            return path[path.index(folder) :] + [folder]
        if folder in done:
            return None
        for to in sorted(edges.get(folder, ())):
            if cycle := visit(to, [*path, folder]):
                return cycle
        done.add(folder)
        return None

    return next((cycle for folder in sorted(edges) if (cycle := visit(folder, []))), None)


edges = actual()
for folder, to in sorted(edges.items()):
    print(f"{folder:10} -> {' '.join(sorted(to))}".rstrip())
if cycle := find_cycle(edges):
    problems.append("folders of src/ include each other: " + " -> ".join(cycle))
map_of_src = drawn()
for folder in sorted(edges.keys() | map_of_src.keys()):
    for to in sorted(edges.get(folder, set()) - map_of_src.get(folder, set())):
        problems.append(f"src/{folder} includes src/{to}, which CONTRIBUTING.md does not draw")
    for to in sorted(map_of_src.get(folder, set()) - edges.get(folder, set())):
        problems.append(f"CONTRIBUTING.md draws {folder} -> {to}, which no file includes")

# The tool and the extension build against the installed package: public headers and their own.
for top in ("cli", "python/src"):
    for path in sources(".h", ".cpp"):
        if not path.is_relative_to(ROOT / top):
            continue
        for own, public in included(path):
            here = [ROOT / top / own, path.parent / own] if own else [ROOT / "include" / public]
            if ".." in own or not any(file.is_file() for file in here):
                problems.append(f"{path.relative_to(ROOT)} includes {own or public}, which is no public header")

# The library and the extension are portable; docs/platforms.md lists what the tool asks of the system.
SYSTEM = re.compile(r"#include <(?:unistd|fcntl|signal|termios|dlfcn|pthread|sys/\w+|linux/\w+)\.h>|/proc/")
LINUX_ONLY = {"cli/data/files.cpp", "cli/output/output.cpp"}  # the latter knows names of pipes
for path in sources(".h", ".cpp"):
    name = path.relative_to(ROOT).as_posix()
    found = SYSTEM.search(path.read_text())
    advice = name == "src/tally/large_array.cpp"  # does nothing elsewhere
    if found and name.startswith(("src/", "include/", "python/")) and not advice:
        problems.append(f"{name} has platform code: {found[0]}")
    if found and name.startswith("cli/") and "/proc/" in path.read_text() and name not in LINUX_ONLY:
        problems.append(f"{name} has code for Linux alone; cli/data/files.cpp is the place for it")

for path in sources(".h", ".cpp", ".py", ".js", ".mjs"):
    name = path.relative_to(ROOT).as_posix()
    lines = path.read_text().count("\n")
    if lines > MOST_LINES:
        problems.append(f"{name} has {lines} lines; split it by idea, at most {MOST_LINES}")

for problem in problems:
    print(problem, file=sys.stderr)
sys.exit(1 if problems else 0)
