#!/usr/bin/env python3
"""Compares the public API with its snapshot in tests/api/, so that nobody changes it unawares.

    cpp.txt     every declaration in include/evenhand
    python.txt  every public name of the package, with its parameters and their defaults
    tool.txt    every command of the tool and its options, where --tool names one that was built

What users may rely on (docs/stable.md) must still be there: a line of the snapshot that is gone fails.
New lines are listed; they fail too once CHANGELOG.md has a date for the version at its top, as a
release has. `make api` (--update) rewrites the snapshot: look at its diff, and say in CHANGELOG.md
what changed.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from headers import declarations
from package import public_lines

ROOT = Path(__file__).resolve().parents[2]
SNAPSHOTS = ROOT / "tests" / "api"
OPTION = re.compile(r"^\s+(?:-\w,\s*)?(--[a-z][\w-]*)", re.MULTILINE)
COMMAND = re.compile(r"^  ([a-z]\w*)\s{2,}\S", re.MULTILINE)


def cpp() -> list[str]:
    """Return every public declaration, after the name of its header."""
    lines = []
    for path in sorted((ROOT / "include" / "evenhand").glob("*.h")):
        for one in declarations(path):
            lines.append(f"{path.name}: " + "".join(f"{scope}::" for scope in one.scope) + one.text)
    return lines


def options_of(program: str, *command: str) -> set[str]:
    """Return the long options that the help of a command lists."""
    return set(OPTION.findall(asked(program, *command, "--help")))


def asked(program: str, *arguments: str) -> str:
    """Return what the tool prints."""
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def tool(program: str) -> list[str]:
    """Return every command and option of the tool."""
    lines = []
    for command in sorted(set(COMMAND.findall(asked(program, "--help")))):
        lines.append(command)
        lines += [f"{command} {option}" for option in sorted(options_of(program, command))]
    return lines


def released() -> bool:
    """Whether the changelog has a date for the version at its top."""
    first = re.search(r"^## \[.*", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    return first is not None and not first[0].endswith("Unreleased")


def compare(name: str, now: list[str]) -> bool:
    """Print what differs from a snapshot; return whether that is allowed."""
    path = SNAPSHOTS / name
    before = path.read_text(encoding="utf-8").splitlines()
    gone, new = sorted(set(before) - set(now)), sorted(set(now) - set(before))
    for line in gone:
        print(f"{path.relative_to(ROOT)}: gone or changed: {line}", file=sys.stderr)
    for line in new:
        print(f"{path.relative_to(ROOT)}: new: {line}", file=sys.stderr)
    return not gone and not (new and released())


def main() -> int:
    """Compare or update; 1 if the API has changed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="rewrite the snapshot")
    parser.add_argument("--tool", help="a tool to ask for its commands and options")
    options = parser.parse_args()
    now = {"cpp.txt": cpp(), "python.txt": public_lines(ROOT / "python" / "evenhand")}
    if options.tool:
        now["tool.txt"] = tool(options.tool)
    if any(len(lines) < 20 for lines in now.values()):
        sys.exit("the API has hardly a line: its reader is broken")
    if options.update:
        for name, lines in now.items():
            (SNAPSHOTS / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return 0
    if all([compare(name, lines) for name, lines in now.items()]):
        return 0
    print("if that is meant: make api, and a line in CHANGELOG.md", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
