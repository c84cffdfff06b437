#!/usr/bin/env python3
"""Every test that docs/paper.md names exists: check_paper.py PAGE TEST_PROGRAM.

A name is Suite.Test in backquotes, with * for any text. Exits with 1 if one matches no test.
"""

import fnmatch
import pathlib
import re
import subprocess
import sys


def tests_of(program: str) -> list[str]:
    listing = subprocess.run(
        [program, "--gtest_list_tests"], capture_output=True, text=True, check=True
    ).stdout
    tests = []
    suite = ""
    for line in listing.splitlines():
        name = line.split("#")[0].strip()
        if line.startswith("  "):
            tests.append(suite + name)
        else:
            suite = name.split("/")[-1]  # without the prefix of an instantiation
    return tests


def main() -> int:
    page, program = sys.argv[1:]
    names = re.findall(r"`([A-Z]\w*\.[A-Z*][\w*]*)`", pathlib.Path(page).read_text())
    tests = tests_of(program)
    if not names or not tests:
        print("found no names, or no tests")
        return 1
    missing = [
        name
        for name in names
        if not fnmatch.filter(tests, name) and not fnmatch.filter(tests, name + "/*")
    ]
    for name in missing:
        print(f"{page}: there is no test {name}")
    print(f"{len(names)} names, {len(missing)} of them of no test")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
