#!/usr/bin/env python3
"""Runs every C++ program and every use of the tool in README.md and docs/*.md.

A block that opens with ```cpp is a complete program. One that opens with ```sh and has a line that
starts with "evenhand " is run by sh -e; those of one page run in order, in one folder that holds
data/adult-scores.csv. If the next fenced block opens with ```text, that is exactly what is printed
(by the shell: on standard output and standard error). Exits with 1 if anything fails, or if there
is no program. The tool is $EVENHAND, else bin/evenhand of the build; if that was not built, the
shell blocks are skipped. With --update, pages are rewritten to say what is printed.
"""

import argparse
import concurrent.futures
import difflib
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

FLAGS = ["-std=c++20", "-O0", "-ffp-contract=off"]
FLAGS += ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
LIBRARIES = ["libevenhand.a", "libevenhand_rule.a"]  # in the order of linking
DATA = "data/adult-scores.csv"  # there for the shell
LANGUAGES = ["cpp", "text", "sh", "cmake", "json", "python"]  # of blocks; C++ under no other name
AT_ONCE = 2
TIMEOUT = 300  # seconds, for compiling or running one snippet


@dataclass
class Block:
    language: str
    line: int  # of the opening fence, from 1
    text: str


@dataclass
class Snippet:
    where: str  # file:line
    language: str  # cpp or sh
    program: str
    output: str | None  # None: anything
    output_line: int = 0  # of the opening fence of `output`
    printed: str = ""


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
        uses_tool = block.language == "sh" and re.search(r"^evenhand ", block.text, re.MULTILINE)
        if block.language == "cpp" or uses_tool:
            output = after.text if after.language == "text" else None
            yield Snippet(f"{name}:{block.line}", block.language, block.text, output, after.line)


def command(words, folder):
    return subprocess.run(
        words, cwd=folder, capture_output=True, encoding="utf-8", errors="replace", timeout=TIMEOUT
    )


def precompile(compiler, include, folder):
    """Compile the header that nearly all programs start with, once: it takes longer than they do."""
    header = pathlib.Path(folder, "evenhand", "evenhand.h.gch")
    header.parent.mkdir()
    words = [*compiler, *FLAGS, "-w", f"-I{include}", "-x", "c++-header"]
    command([*words, f"{include}/evenhand/evenhand.h", "-o", header], folder)


def problem_with(snippet, compiler, includes, libraries):
    """What is wrong with a snippet, as text; empty if nothing is."""
    if not re.search(r"\bint main\(", snippet.program):
        return "not a complete program: it has no int main"
    with tempfile.TemporaryDirectory(prefix="evenhand-docs-") as folder:
        pathlib.Path(folder, "snippet.cpp").write_text(snippet.program, encoding="utf-8")
        words = [*compiler, *FLAGS, *(f"-I{one}" for one in includes), "snippet.cpp", "-o", "snippet"]
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
    return difference(snippet, ran.stdout)


def difference(snippet, printed):
    snippet.printed = printed
    if snippet.output is None or printed == snippet.output:
        return ""
    expected, got = snippet.output.splitlines(True), printed.splitlines(True)
    diff = difflib.unified_diff(expected, got, "documented", "printed")
    return "prints something else:\n" + "".join(diff)


def problems_of_session(snippets, tool, data):
    """The same for the shell blocks of one page, one after the other."""
    with tempfile.TemporaryDirectory(prefix="evenhand-docs-") as scratch:
        folder, programs = pathlib.Path(scratch, "here"), pathlib.Path(scratch, "bin")
        programs.mkdir()
        (programs / "evenhand").symlink_to(tool)
        (folder / DATA).parent.mkdir(parents=True)
        shutil.copy(data, folder / DATA)
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        for snippet in snippets:
            try:
                ran = subprocess.run(
                    ["sh", "-e", "-c", snippet.program],
                    cwd=folder,
                    env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    encoding="utf-8",
                    errors="replace",
                    timeout=TIMEOUT,
                )
            except subprocess.TimeoutExpired as error:
                yield snippet, f"took more than {error.timeout} seconds"
                continue
            failed = f"exit status {ran.returncode}:\n{ran.stdout}" if ran.returncode else ""
            yield snippet, failed or difference(snippet, ran.stdout)


def update(page, snippets):
    """Rewrite the outputs of a page that differ from what was printed."""
    lines = page.read_text(encoding="utf-8").splitlines(True)
    for snippet in sorted(snippets, key=lambda s: -s.output_line):
        if snippet.output is not None and snippet.printed not in ("", snippet.output):
            end = snippet.output_line + len(snippet.output.splitlines())
            lines[snippet.output_line : end] = [snippet.printed]
    page.write_text("".join(lines), encoding="utf-8")


def find_tool(build):
    """The tool, or None where it was not built; one that was asked for has to be there."""
    asked = os.environ.get("EVENHAND")
    tool = pathlib.Path(asked) if asked else build / "bin" / "evenhand"
    if tool.is_file():
        return tool.resolve()
    if asked:
        sys.exit(f"there is no {asked}, which EVENHAND names")
    print(f"there is no {tool}: shell blocks are skipped")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source-dir", type=pathlib.Path, required=True)
    parser.add_argument("--build-dir", type=pathlib.Path, required=True)
    parser.add_argument("--update", action="store_true", help="rewrite what the pages say")
    parser.add_argument("--cxx", nargs="+", default=["c++"], help="the compiler")
    options = parser.parse_args()
    source = options.source_dir.resolve()
    libraries = [str(options.build_dir.resolve() / name) for name in LIBRARIES]
    for library in libraries:
        if not pathlib.Path(library).is_file():
            sys.exit(f"there is no {library}: build the library first")

    tool = find_tool(options.build_dir.resolve())
    pages = [source / "README.md", *sorted((source / "docs").glob("*.md"))]
    try:
        by_page = [list(snippets_of(page, page.relative_to(source))) for page in pages]
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    programs = [s for snippets in by_page for s in snippets if s.language == "cpp"]
    sessions = [[s for s in snippets if s.language == "sh"] for snippets in by_page if tool]
    if not programs:
        sys.exit("found no C++ program in README.md or docs/*.md")

    failures = 0
    include = source / "include"
    with (
        tempfile.TemporaryDirectory(prefix="evenhand-docs-") as compiled,
        concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool,
    ):
        precompile(options.cxx, include, compiled)
        check = lambda s: problem_with(s, options.cxx, [compiled, include], libraries)
        results = zip(programs, pool.map(check, programs))
        shells = (r for s in sessions for r in problems_of_session(s, tool, source / DATA))
        for snippet, problem in itertools.chain(results, shells):
            print(f"{snippet.where}: {problem or 'ok'}", flush=True)
            failures += bool(problem)
    if options.update:
        for page, snippets in zip(pages, by_page):
            update(page, snippets)
    print(f"{len(programs)} programs, {sum(map(len, sessions))} shell blocks, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
