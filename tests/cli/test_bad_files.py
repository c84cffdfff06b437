"""Files of every kind, whole and damaged."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import subprocess
import zipfile

import duckdb
import pytest

from bad_input import PARITY, READERS, ROWS, RULE, WHO, arguments, refuses, with_row
from conftest import Tool


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("row", ["0.5,A", "0.5,A,north,0,1,f,extra"])
def test_ragged_row(tool: Tool, command: str, row: str) -> None:
    """A row with too few or too many values is named by its line."""
    tool.write("data.csv", with_row(row) + ROWS.split("\n", 1)[1])
    refuses(tool, *arguments(command, "data.csv"), says=("data.csv", "7"))


@pytest.mark.parametrize("command", READERS)
def test_group_that_is_not_utf8(tool: Tool, command: str) -> None:
    """Bytes that are no text are named by their line."""
    tool.write("data.csv", ROWS.encode() + b"0.5,A\xff,north,0,1,f\n")
    refuses(tool, *arguments(command, "data.csv"), says=("data.csv", "7", "UTF-8"))


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("share", [0.3, 0.99])
def test_truncated_parquet(tool: Tool, command: str, share: float) -> None:
    """Half a file is refused by its name."""
    duckdb.sql(
        f"COPY (SELECT i / 9 AS score, 'A' AS \"group\" FROM range(9) t(i)) TO "
        f"'{tool.path('whole.parquet')}'"
    )
    whole = tool.path("whole.parquet").read_bytes()
    tool.write("data.parquet", whole[: int(len(whole) * share)])
    refuses(tool, *arguments(command, "data.parquet"), says=("data.parquet", "Parquet"))


@pytest.mark.parametrize("command", READERS)
def test_truncated_gzip(tool: Tool, command: str) -> None:
    """Half a compressed file is refused, even if what is left of it looks whole."""
    rows = [f"{'AB'[i % 2]},0.{i * 7919 % 90000 + 10000}\n" for i in range(3000)]
    whole = gzip.compress(("group,score\n" + "".join(rows)).encode())
    tool.write("data.csv.gz", whole[: len(whole) * 3 // 4])
    refuses(tool, *arguments(command, "data.csv.gz"), says=("data.csv.gz",))


@pytest.mark.parametrize("command", ["fit", "apply"])
@pytest.mark.parametrize(
    "text",
    [
        "[1, 2, 3]",
        '"text"',
        "1",
        '{"score": [0.1, 0.2], "group": ["A", "B"]}',
        "[",
        '{"score": 0.5, "group": "A"',
        "null",
        "[]",
        "{}",
        "[" * 100_000,
    ],
    ids=lambda text: text[:12],
)
def test_json_that_is_not_rows(tool: Tool, command: str, text: str) -> None:
    """JSON has to be objects, one for each row."""
    tool.write("data.json", text)
    refuses(tool, *arguments(command, "data.json"), says=("data.json",))


@pytest.mark.parametrize("command", READERS)
def test_csv_called_parquet(tool: Tool, command: str) -> None:
    """A name that does not fit its content is said."""
    tool.write("data.parquet", ROWS)
    refuses(tool, *arguments(command, "data.parquet"), says=("data.parquet", "not a Parquet file"))


@pytest.mark.parametrize("command", READERS)
def test_csv_called_gzip(inputs: Tool, command: str) -> None:
    """A file that is not compressed is read, whatever its name says."""
    inputs.write("data.csv.gz", ROWS)
    inputs(*arguments(command, "data.csv.gz")).ok()


def test_parquet_called_csv(inputs: Tool) -> None:
    """Parquet under another name is read, or called Parquet in the message."""
    duckdb.sql(f"COPY (FROM '{inputs.path('data.csv')}') TO '{inputs.path('p.parquet')}'")
    inputs.path("p.parquet").rename(inputs.path("p.csv"))
    for command in READERS:
        if inputs(*arguments(command, "p.csv")).status != 0:
            refuses(inputs, *arguments(command, "p.csv"), says=("p.csv", "Parquet"))


def zipped(text: str) -> bytes:
    """Return a zip archive, as xlsx is one."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("sheet.xml", text)
    return out.getvalue()


NO_TEXTS: dict[str, tuple[bytes, str]] = {
    "UTF-16, as Excel writes": (ROWS.replace(",", "\t").encode("utf-16"), "UTF-16"),
    "UTF-16, the other way": (b"\xfe\xff" + ROWS.encode("utf-16-be"), "UTF-16"),
    "UTF-16 without a mark": (ROWS.encode("utf-16-le"), "UTF-16"),
    "UTF-16 in gzip": (gzip.compress(ROWS.encode("utf-16")), "UTF-16"),
    "xz": (lzma.compress(ROWS.encode()), "xz"),
    "bzip2": (bz2.compress(ROWS.encode()), "bzip2"),
    "a pickle": (pickle.dumps({"score": [0.5], "group": ["A"]}), "not UTF-8 text"),
    "xlsx": (zipped(ROWS), "zip"),
    "a program": (b"\x7fELF\x02\x01\x01\x00\x00\x00" + bytes(range(256)), "not UTF-8 text"),
    "Latin-1": ("score,größe,group\n0.5,1,A\n".encode("latin-1"), "not UTF-8 text"),
}


@pytest.mark.parametrize("kind", NO_TEXTS)
@pytest.mark.parametrize("command", ["fit", "apply"])
def test_what_is_not_utf8_text(tool: Tool, command: str, kind: str) -> None:
    """A file that is no text at all is named, with what it is and what to do."""
    content, what = NO_TEXTS[kind]
    tool.write("data.csv", content)
    for name, stdin, called in (("data.csv", None, "data.csv"), ("-", content, "standard input"),
                                ("d*.csv", None, "data.csv")):
        run = refuses(tool, *arguments(command, name), says=(what,), stdin=stdin)
        assert run.err.startswith(f"evenhand: {called}: it"), run.err
        assert any(word in run.err for word in ("save it", "decompress"))


def test_json_that_is_not_utf8_text(tool: Tool) -> None:
    """The same for what is called JSON."""
    tool.write("data.json", json.dumps([{"score": 0.5, "group": "A"}]).encode("utf-16"))
    refuses(tool, *arguments("fit", "data.json"), says=("data.json: it looks like UTF-16",))


def test_a_pickle_by_its_name(tool: Tool) -> None:
    """What cannot be read is said before it is opened."""
    tool.write("data.pkl", pickle.dumps([1]))
    refuses(tool, *arguments("fit", "data.pkl"), says=("data.pkl: ", ".pkl", "CSV"))


def in_quotes(text: str) -> str:
    """Return CSV with every value in quotes."""
    lines = [",".join(f'"{value}"' for value in line.split(",")) for line in text.splitlines()]
    return "\n".join(lines) + "\n"


KINDS: dict[str, bytes] = {
    "CRLF": ROWS.replace("\n", "\r\n").encode(),
    "BOM": b"\xef\xbb\xbf" + ROWS.encode(),
    "BOM and CRLF": b"\xef\xbb\xbf" + ROWS.replace("\n", "\r\n").encode(),
    "semicolons": ROWS.replace(",", ";").encode(),
    "tabs": ROWS.replace(",", "\t").encode(),
    "pipes": ROWS.replace(",", "|").encode(),
    "quotes": in_quotes(ROWS).encode(),
    "quoted newlines": ROWS.replace("north", '"no\nrth"').encode(),
    "quoted separators": ROWS.replace("north", '"no,rth;"').encode(),
    "no last newline": ROWS.rstrip("\n").encode(),
    "gzip": gzip.compress(ROWS.encode()),
    "first row begins with #": ROWS.replace("0.1,A,north", "0.1,A,#1").encode(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_csv_of_every_kind(tool: Tool, kind: str) -> None:
    """CSV as programs write it is read: all five rows, both groups, from a file or a pipe."""
    tool.write("data.csv", KINDS[kind])
    tool.write("rule.json", json.dumps(RULE))
    for name, stdin in (("data.csv", None), ("-", KINDS[kind])):
        rule = tool("fit", name, *WHO, *PARITY, "-o", "-", stdin=stdin).ok().json()
        assert [cell["values"] for cell in rule["rule"]["cells"]] == [["A"], ["B"]]
        assert rule["fit"]["rows"] == 5
        decided = tool("apply", name, "--rule", "rule.json", stdin=stdin).ok()
        assert decided.err.startswith("5 rows decided")


@pytest.mark.parametrize("mark", ["#", "//", "%", ";", "--", "'"])
def test_row_that_looks_like_a_comment(tool: Tool, mark: str) -> None:
    """No row is left out because of how its first value begins."""
    lines = ["id,score,group", f"{mark}1,0.2,A", "2,0.8,B", "3,0.3,A", "4,0.35,B"]
    tool.write("data.csv", "\n".join(lines) + "\n")
    assert tool("fit", "data.csv", *WHO, *PARITY, "-o", "-").ok().json()["fit"]["rows"] == 4


@pytest.mark.parametrize("name", ["data.json", "data.ndjson", "data.jsonl"])
def test_json_rows(tool: Tool, name: str) -> None:
    """JSON, as an array or by lines, is read and written."""
    rows = [{"score": 0.2, "group": "A"}, {"score": 0.8, "group": "B"}]
    text = json.dumps(rows) if name == "data.json" else "\n".join(map(json.dumps, rows))
    tool.write(name, text)
    tool.write("rule.json", json.dumps(RULE))
    for data, stdin in ((name, None), ("-", text.encode())):
        fit = tool("fit", data, *WHO, *PARITY, "-o", "-", stdin=stdin).ok().json()["fit"]
        assert fit["rows"] == 2
    tool("apply", name, "--rule", "rule.json", "-o", "out.json").ok()
    assert [row["decision"] for row in json.loads(tool.path("out.json").read_text())] == [0, 1]


def test_data_from_a_pipe_with_a_name(inputs: Tool) -> None:
    """A pipe, as the shell's <(...) makes, is read whole, or refused in favour of '-'."""
    os.mkfifo(inputs.path("pipe"))
    for command in ("fit", "apply"):
        feeding = ["sh", "-c", "cat data.csv >pipe"]
        with subprocess.Popen(feeding, cwd=inputs.folder) as feed:
            try:
                run = inputs(*arguments(command, "pipe"), timeout=30)
            finally:
                feed.terminate()
        if run.status != 0:
            run.fails(2, "pipe", "-")
