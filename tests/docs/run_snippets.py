#!/usr/bin/env python3
"""Compiles and runs every C++ program in README.md and docs/*.md.

A block that opens with ```cpp is a complete program. If the next fenced block opens with ```text,
that is exactly what the program prints. Exits with 1 if any program fails, or if there is none.
"""

import argparse
import concurrent.futures
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass

FLAGS = ["-std=c++20", "-O0", "-ffp-contract=off"]
FLAGS += ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
LIBRARIES = ["libevenhand.a", "libevenhand_rule.a"]  # in the order of linking
LANGUAGES = ["cpp", "text", "sh", "cmake", "json", "python"]  # of blocks; C++ under no other name
AT_ONCE = 2
TIMEOUT = 300  # seconds, for compiling or running one program


@dataclass
class Block:
    language: str
    line: int  # of the opening fence, from 1
    text: str


@dataclass
class Snippet:
    where: str  # file:line
    program: str
    output: str | None  # None: anything


def blocks_of(path):
    """The fenced blocks of a file, in order."""
    blocks, inside = [], None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if inside is None and line.lstrip().startswith("```"):
            inside = Block(line.removeprefix("```").strip(), number, "")
            if inside.language not in LANGUAGES:
                known = ", ".join(LANGUAGES)
                raise ValueError(f"{path.name}:{number}: a block opens with ``` and one of {known}")
        elif inside is not None and line.rstrip() == "```":
            blocks.append(inside)
            inside = None
        elif inside is not None:
            inside.text += line + "\n"
    if inside is not None:
        raise ValueError(f"{path.name}:{inside.line}: the block is never closed")
    return blocks


def snippets_of(path, name):
    blocks = blocks_of(path)
    for block, after in zip(blocks, [*blocks[1:], Block("", 0, "")]):
        if block.language == "cpp":
            output = after.text if after.language == "text" else None
            yield Snippet(f"{name}:{block.line}", block.text, output)


def command(words, folder):
    return subprocess.run(
        words, cwd=folder, capture_output=True, encoding="utf-8", errors="replace", timeout=TIMEOUT
    )


def problem_with(snippet, compiler, include, libraries):
    """What is wrong with a snippet, as text; empty if nothing is."""
    if not re.search(r"\bint main\(", snippet.program):
        return "not a complete program: it has no int main"
    with tempfile.TemporaryDirectory(prefix="evenhand-docs-") as folder:
        pathlib.Path(folder, "snippet.cpp").write_text(snippet.program, encoding="utf-8")
        words = [*compiler, *FLAGS, f"-I{include}", "snippet.cpp", "-o", "snippet"]
        words += [*libraries, "-lClp", "-lCoinUtils", "-lcrypto", "-lpthread"]
        try:
            built = command(words, folder)
            if built.returncode != 0:
                return "does not compile:\n" + built.stderr
            ran = command(["./snippet"], folder)
        except subprocess.TimeoutExpired as error:
            return f"took more than {error.timeout} seconds"
    if ran.returncode != 0:
        return f"exit status {ran.returncode}:\n{ran.stdout}{ran.stderr}"
    if snippet.output is not None and ran.stdout != snippet.output:
        expected, got = snippet.output.splitlines(True), ran.stdout.splitlines(True)
        diff = difflib.unified_diff(expected, got, "documented", "printed")
        return "prints something else:\n" + "".join(diff)
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source-dir", type=pathlib.Path, required=True)
    parser.add_argument("--build-dir", type=pathlib.Path, required=True)
    parser.add_argument("--cxx", nargs="+", default=["c++"], help="the compiler")
    options = parser.parse_args()
    source = options.source_dir.resolve()
    libraries = [str(options.build_dir.resolve() / name) for name in LIBRARIES]
    for library in libraries:
        if not pathlib.Path(library).is_file():
            sys.exit(f"there is no {library}: build the library first")

    pages = [source / "README.md", *sorted((source / "docs").glob("*.md"))]
    try:
        snippets = [s for page in pages for s in snippets_of(page, page.relative_to(source))]
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    if not snippets:
        sys.exit("found no C++ program in README.md or docs/*.md")

    failures = 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        check = lambda s: problem_with(s, options.cxx, source / "include", libraries)
        for snippet, problem in zip(snippets, pool.map(check, snippets)):
            print(f"{snippet.where}: {problem or 'ok'}", flush=True)
            failures += bool(problem)
    print(f"{len(snippets)} programs, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
