"""What all commands share: exit statuses, terminals, and where rows come from."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import threading
from pathlib import Path

import pytest
from conftest import LOCALE, TOOL, Sql, Tool

PARITY = ("--score", "score", "--sensitive", "sex", "--criterion", "statistical-parity")
ESCAPE = "\x1b"


# --- Exit statuses.


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ([], ["evenhand demo", "--help"]),
        (["fti"], ["fti"]),
        (["fit", "DATA", *PARITY, "--tolerence", "1"], ["--tolerence"]),
        (["fit", "DATA", *PARITY, "--tolerance"], ["--tolerance"]),
        (["fit", "DATA", *PARITY, "--tolerance", "much"], ["--tolerance", "much"]),
        (["fit", "DATA", *PARITY[:4]], ["--criterion", "--require"]),
        (["fit", "DATA", *PARITY[2:]], ["--score"]),
        (["fit", "DATA", *PARITY[:2], *PARITY[4:]], ["--sensitive"]),
        (["fit", *PARITY], ["DATA"]),
        (["fit", "DATA", *PARITY, "--scale", "odds"], ["odds", "logit"]),
        (["fit", "DATA", *PARITY, "--favorable", "middle"], ["middle"]),
        (["fit", "DATA", *PARITY, "--resolution", "fine"], ["fine", "auto"]),
        (["fit", "DATA", *PARITY, "--across", "all"], ["all", "marginal"]),
        (["fit", "DATA", *PARITY, "--calibrate", "beta"], ["beta", "isotonic"]),
        (["fit", "DATA", *PARITY, "--format", "xml"], ["xml", "csv"]),
        (["fit", "DATA", *PARITY[:5], "parity"], ["parity"]),
        (["fit", "DATA", *PARITY[:5], "equal-rates", "--rho", "most"], ["--rho", "most"]),
        (["apply", "DATA"], ["--rule"]),
        (["tally", "DATA", "--score", "score"], ["--output"]),
        (["show"], ["RULE"]),
        (["merge", "-o", "x.parquet"], ["TALLY"]),
    ],
)
def test_wrong_usage_ends_with_2_and_one_line(
    tool: Tool, people: Path, arguments: list[str], parts: list[str]
) -> None:
    """A wrong command or option, or a missing one: what, and what to do."""
    tool(*(people if word == "DATA" else word for word in arguments)).fails(2, *parts)
    assert tool.files() == set()


def test_each_status_means_what_help_says(tool: Tool, people: Path) -> None:
    """0, 1, 2, 3 and 4."""
    tool("audit", people, "--score", "score", "--sensitive", "sex").ok()
    with open("/dev/full", "wb") as full:
        done = subprocess.run([TOOL, "fit", people, *PARITY], stdout=full, stderr=subprocess.PIPE,
                              check=False)
    assert done.returncode == 1
    assert re.fullmatch(rb"evenhand: .*No space left.*\n", done.stderr)
    assert tool("audit", "none.csv", "--score", "score", "--sensitive", "sex").status == 2
    assert tool("fit", people, *PARITY, "--require", "rate <= 0.1", "--require",
                "rate >= 0.2").status == 3
    assert tool("audit", people, "--score", "score", "--sensitive", "sex", "--fail-above",
                0).status == 4


# --- Terminals.


def on_terminal(
    arguments: list[object], which: str, env: dict[str, str] | None = None
) -> tuple[int, str, str]:
    """Run with standard output ("out"), standard error ("err") or both on a terminal."""
    texts: dict[str, bytes] = {"out": b"", "err": b""}
    ends = {}
    readers = []

    def drain(name: str, descriptor: int) -> None:
        while True:
            try:
                got = os.read(descriptor, 65536)
            except OSError:  # a terminal that nobody has open any more
                break
            if not got:
                break
            texts[name] += got
        os.close(descriptor)

    for name in ("out", "err"):
        ours, theirs = pty.openpty() if name in which else os.pipe()
        ends[name] = theirs
        readers.append(threading.Thread(target=drain, args=(name, ours)))
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    environment |= {"LC_ALL": LOCALE, "TERM": "xterm-256color", **(env or {})}
    with subprocess.Popen([TOOL, *map(str, arguments)], stdin=subprocess.DEVNULL,
                          stdout=ends["out"], stderr=ends["err"], env=environment) as process:
        for descriptor in ends.values():
            os.close(descriptor)
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join(60)
        status = process.wait(60)
    return status, texts["out"].decode(), texts["err"].decode()


def without_colour(text: str) -> str:
    """Drop colour codes, and the carriage returns of a terminal."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text).replace("\r\n", "\n")


@pytest.mark.parametrize("command", ["fit", "audit", "frontier", "show"])
def test_colour_is_for_terminals_and_changes_no_text(
    tool: Tool, people: Path, command: str
) -> None:
    """Coloured on a terminal; plain in a pipe, with NO_COLOR, and on a dumb terminal."""
    tool("fit", people, *PARITY, "-o", "rule.json").ok()
    arguments: list[object] = {
        "fit": ["fit", people, *PARITY],
        "audit": ["audit", people, *PARITY[:4]],
        "frontier": ["frontier", people, *PARITY, "--at", "0,0.1"],
        "show": ["show", tool.path("rule.json")],
    }[command]
    plain = tool(*arguments).ok().out
    assert ESCAPE not in plain
    status, out, _ = on_terminal(arguments, "out,err")
    assert status == 0
    assert ESCAPE in out
    assert without_colour(out) == plain
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert on_terminal(arguments, "out,err", env)[1].replace("\r\n", "\n") == plain, env
    # Only standard output counts for what is printed there.
    assert on_terminal(arguments, "err")[1] == plain
    # An empty NO_COLOR is one that is not set.
    assert ESCAPE in on_terminal(arguments, "out", {"NO_COLOR": ""})[1]


def test_json_and_csv_are_never_coloured(tool: Tool, people: Path) -> None:
    """Programs may have a terminal too."""
    for arguments in (["fit", people, *PARITY, "--json"],
                      ["audit", people, *PARITY[:4], "--json"],
                      ["frontier", people, *PARITY, "--at", "0", "--csv"],
                      ["fit", people, *PARITY, "-o", "-"]):
        status, out, _ = on_terminal(arguments, "out,err")
        assert status == 0
        assert ESCAPE not in out
        assert out.replace("\r\n", "\n") == tool(*arguments).ok().out


SLOW = """SELECT ['F', 'M'][(1 + i % 2)::INTEGER] AS sex,
          (i % 1000) / 1000 + length(sha256(sha256(i::VARCHAR))) - 64 AS score
          FROM range(1200000) t(i)"""


def test_progress_is_shown_on_a_terminal_only_and_leaves_no_trace(tool: Tool) -> None:
    """A bar while work lasts, wiped out in the end; nothing in a log file."""
    arguments = ["fit", "--sql", SLOW, *PARITY, "--threads", "1"]
    status, out, err = on_terminal(arguments, "err")
    assert status == 0
    assert re.search(r"\rreading \[[#.]{30}\] +\d+%", err)
    assert re.search(r"\r +\r$", err)
    assert "reading [" not in out
    ran = tool(*arguments).ok()
    assert ran.err == ""
    assert ran.out == out


def test_quick_work_shows_no_bar(people: Path) -> None:
    """What is done at once needs none."""
    status, _, err = on_terminal(["fit", people, *PARITY], "err")
    assert (status, err) == (0, "")


# --- Where rows come from, for every command that takes them.


@pytest.mark.parametrize("command", ["fit", "audit", "frontier", "tally"])
def test_rows_may_come_from_anywhere_in_every_command(
    tool: Tool, people: Path, sql: Sql, command: str
) -> None:
    """SQL, a format that the name does not say, several files, a pipe; any cores and memory."""
    roles = PARITY[:4] if command in ("audit", "tally") else PARITY
    sql(f"COPY (FROM '{people}') TO '{tool.path('data')}' (FORMAT csv)")
    for part in (0, 1):
        sql(f"""COPY (SELECT * FROM '{people}' WHERE hash(id) % 2 = {part})
                TO '{tool.path(f"part{part}.csv.gz")}' (COMPRESSION gzip)""")

    def result(*data: object, stdin: bytes | None = None) -> object:
        if command == "tally":
            tool("tally", *data, *roles, "-o", "t.parquet", stdin=stdin).ok()
            return sql("SELECT * FROM 't.parquet' ORDER BY ALL")
        found = tool(command, *data, *roles, "--json", stdin=stdin).ok().json()
        found.pop("data", None)
        return found

    wanted = result(people)
    for data in (["--sql", f"SELECT * FROM '{people}' ORDER BY hash(id)"],
                 ["data", "--format", "csv"], ["part*.csv.gz"], [people, "--threads", 1],
                 [people, "--memory", "400MB"]):
        assert result(*data) == wanted, data
    assert result("-", stdin=tool.path("data").read_bytes()) == wanted


@pytest.mark.parametrize("command", ["fit", "apply", "audit", "frontier", "tally"])
def test_cores_and_memory_that_make_no_sense_are_refused(
    tool: Tool, people: Path, command: str
) -> None:
    """Not ignored."""
    tool("fit", people, *PARITY, "-o", "rule.json").ok()
    options = {"apply": ("--rule", "rule.json"), "tally": (*PARITY[:4], "-o", "t.parquet"),
               "audit": PARITY[:4]}.get(command, PARITY)
    tool(command, people, *options, "--threads", 0).fails(2, "--threads")
    tool(command, people, *options, "--memory", "plenty").fails(2, "plenty")
    assert tool.files() == {"rule.json"}
