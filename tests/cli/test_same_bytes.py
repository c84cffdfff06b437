"""The same bytes give the same answer, plain or compressed, from a file or standard input."""

from __future__ import annotations

import csv
import gzip
import io
import random
import subprocess

import pytest

from conftest import TOOL, Tool
from needed import unavailable

BREAKS = ["\n", "\r\n", "\r"]
NAMES = ["g", "a name", "with,comma", "with;both|\t", 'a "quoted" one', "line\nbreak",
         "line\r\nbreak", "Größe", "x" * 300]
TEXTS = ["", "A", " padded ", "1.50", "007", "a,b", "a;b|c\t", 'say "no"', "two\nlines",
         "two\r\nlines", "NULL", "nan", "p,g", "#no comment", "ü" * 50, "'"]


def zstd(content: bytes) -> bytes:
    """Compress as the program zstd does."""
    try:
        return subprocess.run(["zstd", "-q", "-c"], input=content, capture_output=True,
                              check=True).stdout
    except FileNotFoundError:
        unavailable("zstd is missing")


def odd_file(choose: random.Random) -> tuple[bytes, list[list[str]]]:
    """Write rows in one of the many ways that programs write CSV; return them, too."""
    names = ["p", *choose.sample(NAMES, choose.randint(1, 3))]
    rows = [[str(choose.random()), *(choose.choice(TEXTS) for _ in names[1:])]
            for _ in range(choose.choice([1, 2, 5, 40]))]
    if choose.random() < 0.3:  # a second header among the rows is a row that is wrong, not a header
        rows.insert(choose.randrange(len(rows)), ["0.5", *(n for n in names[1:])])
    out = io.StringIO()
    writer = csv.writer(out, delimiter=choose.choice(",;\t|"), lineterminator=choose.choice(BREAKS),
                        quoting=choose.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    writer.writerows([names, *rows])
    text = out.getvalue()
    if choose.random() < 0.2:
        text = text.rstrip("\r\n")
    return (b"\xef\xbb\xbf" if choose.random() < 0.2 else b"") + text.encode(), [names, *rows]


def read_as(tool: Tool, name: str, content: bytes, stdin: bytes | None = None) -> tuple[int, str]:
    """Return what `apply` says of these bytes; its output is every column, and two more."""
    if stdin is None:
        tool.write(name, content)
    ran = subprocess.run([TOOL, "apply", name, "--rule", "rule.json", "--score", "p", "-q"],
                         cwd=tool.folder, input=stdin or b"", capture_output=True, check=False)
    return ran.returncode, ran.stdout.decode()


RULE = """{"evenhand": 1, "rule": {"attributes": [], "scale": "probability", "favorable": "high",
  "otherwise": 0.5, "cells": [{"values": [], "start": 0, "steps": [[0.5, 1]]}]}, "fit": {}}"""


@pytest.mark.parametrize("seed", range(4))
def test_odd_files_are_read_alike_or_refused(tool: Tool, seed: int) -> None:
    """Every row comes out as it went in, whatever the compression; else there is an error."""
    tool.write("rule.json", RULE)
    choose = random.Random(seed)
    read = 0
    for _ in range(15):
        content, rows = odd_file(choose)
        status, out = read_as(tool, "a.csv", content)
        assert read_as(tool, "a.csv.gz", gzip.compress(content)) == (status, out), content
        assert read_as(tool, "a.csv.zst", zstd(content)) == (status, out), content
        assert read_as(tool, "-", b"", content) == (status, out), content
        assert status in (0, 2)
        if status == 0:
            found = list(csv.reader(io.StringIO(out, newline="")))
            assert [row[:-2] for row in found] == rows, content
            read += 1
    assert read >= 10


@pytest.mark.parametrize("ends", BREAKS)
@pytest.mark.parametrize("inside", BREAKS)
def test_line_break_inside_a_name(tool: Tool, ends: str, inside: str) -> None:
    """Excel's Alt+Enter in a header is part of a name, whatever the lines end in."""
    tool.write("rule.json", RULE)
    text = ends.join([f'p,"two{inside}lines"', "0.2,A", "0.7,B", ""])
    status, out = read_as(tool, "a.csv", text.encode())
    if status == 2 and "\r" in (ends, inside):
        return  # refused, not misread
    assert status == 0
    assert out.count(",0.0,0") + out.count(",1.0,1") == 2


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_cut_off_compressed_file(tool: Tool, ending: str) -> None:
    """Wherever a compressed file is cut, it is refused."""
    tool.write("rule.json", RULE)
    content = "p,g\n" + "".join(f"0.{i * 7919 % 90000 + 10000},{'AB'[i % 2]}\n"
                                for i in range(30000))
    pack = gzip.compress if ending == "gz" else zstd
    whole = pack(content.encode())
    for share in (0.02, 0.3, 0.5, 0.9, 0.999):
        tool.write(f"a.csv.{ending}", whole[: int(len(whole) * share)])
        tool("apply", f"a.csv.{ending}", "--rule", "rule.json", "--score", "p").fails(
            2, "a.csv", "cut off")


def test_second_header_is_a_row(tool: Tool) -> None:
    """No row is dropped because another looks like names: it is refused as what it is."""
    tool.write("rule.json", RULE)
    half = "".join(f"0.{i},A\n" for i in range(10, 60))
    content = ("p,g\n" + half + "p,g\n" + half).encode()
    for name, packed in (("a.csv", content), ("a.csv.gz", gzip.compress(content)),
                         ("a.csv.zst", zstd(content))):
        tool.write(name, packed)
        tool("apply", name, "--rule", "rule.json", "--score", "p").fails(2, "row 51", "p")
