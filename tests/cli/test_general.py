"""What all commands share: help, exit statuses, terminals, where rows come from, and the locale."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from conftest import LOCALE, PROJECT, TOOL, Sql, Tool, unavailable

COMMANDS = ["demo", "fit", "apply", "show", "audit", "frontier", "calibrate", "tally", "merge",
            "theory", "man", "completion"]
CALCULATORS = ["impossibility", "excess-risk", "sgd-error", "gamma"]
PARITY = ("--score", "score", "--sensitive", "sex", "--criterion", "statistical-parity")
ESCAPE = "\x1b"


def long_options(text: str) -> set[str]:
    """Find the long options that a help text lists."""
    return set(re.findall(r"^ +(?:-\w, ?)?(--[a-z-]+)", text, re.MULTILINE))


# --- Help.


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_lists_every_command_and_the_exit_statuses(tool: Tool, flag: str) -> None:
    """Where to start, what there is, what the status means."""
    ran = tool(flag).ok()
    listed = re.findall(r"^  ([a-z]+) {3,}\S", ran.out, re.MULTILINE)
    assert listed == COMMANDS
    assert "evenhand demo" in ran.out
    for status in ("0 done", "2 wrong input", "3 no rule", "4 audit"):
        assert status in ran.out
    assert ran.err == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_a_line_for_each_option(tool: Tool, command: str) -> None:
    """Help goes to standard output, and says something about every option."""
    ran = tool(command, "--help").ok()
    assert ran.err == ""
    assert f"evenhand {command}" in ran.out
    assert "--help" in long_options(ran.out)
    after = re.split(r"^ +(?:-\w,)?--[a-z-]+", ran.out, flags=re.MULTILINE)[1:]
    for text in after:
        assert len(text.split()) >= 2, text
    assert tool(command, "-h").ok().out == ran.out


@pytest.mark.parametrize("command", ["fit", "apply", "audit", "frontier", "tally", "merge", "show"])
def test_examples_in_help_use_options_that_exist(tool: Tool, command: str) -> None:
    """An example that does not parse is worse than none."""
    out = tool(command, "--help").ok().out
    examples = out.split("Example", 1)[1]
    used = set(re.findall(r"--[a-z][a-z-]*", examples))
    assert used <= long_options(out)


def test_the_version_is_the_projects(tool: Tool) -> None:
    """One line."""
    version = re.search(r'EVENHAND_VERSION "(.+)"',
                        (PROJECT / "include/evenhand/version.h").read_text())
    assert version
    out = tool("--version").ok().out
    assert out.startswith(f"evenhand {version[1]}")
    assert len(out.splitlines()) == 1


def complete(*words: str) -> list[str]:
    """Complete the last word as bash would."""
    script = f"""source <("{TOOL}" completion)
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _evenhand; printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True,
                          check=True)
    assert done.stderr == ""
    return done.stdout.split()


def test_completion_knows_commands_options_and_words(tool: Tool) -> None:
    """Commands first, then each command's own options, then the words that an option takes."""
    assert set(complete("evenhand", "")) >= set(COMMANDS)
    assert complete("evenhand", "fr") == ["frontier"]
    for command in COMMANDS:
        wanted = long_options(tool(command, "--help").ok().out)
        assert set(complete("evenhand", command, "--")) == wanted, command
        assert "-h" in complete("evenhand", command, "-")
    assert complete("evenhand", "fit", "--criterion", "equal-") == ["equal-opportunity",
                                                                   "equal-rates"]
    assert {"-o", "-q"} < set(complete("evenhand", "apply", "-"))
    assert complete("evenhand", "apply", "--unseen", "") == ["error", "score", "reject"]
    assert complete("evenhand", "fit", "--across", "m") == ["marginal"]
    for calculator in CALCULATORS:
        assert calculator in complete("evenhand", "theory", "")
        wanted = long_options(tool("theory", calculator, "--help").ok().out)
        assert set(complete("evenhand", "theory", calculator, "--")) == wanted, calculator


def test_completion_finds_files(tool: Tool) -> None:
    """DATA is a file."""
    tool.write("people-of-today.csv", "x")
    assert complete("evenhand", "fit", str(tool.path("people-of"))) == [
        str(tool.path("people-of-today.csv"))
    ]


def test_every_word_that_completion_offers_is_taken(tool: Tool, people: Path) -> None:
    """No offer leads to an error."""
    for option, more in (("--criterion", []), ("--scale", PARITY), ("--favorable", PARITY),
                         ("--resolution", PARITY), ("--calibrate", PARITY), ("--across", PARITY),
                         ("--calibrate-by", PARITY), ("--gamma", PARITY), ("--solver", PARITY),
                         ("--null", PARITY), ("--format", PARITY)):
        for word in complete("evenhand", "fit", option, ""):
            if (option, word) in (("--format", "csv"), ("--format", "json")):
                continue  # the file is Parquet
            score = {"signed": "f", "logit": "logit"}.get(word, "score")
            roles = ("--score", score, "--sensitive", "sex", "--label", "y")
            criterion = () if option == "--criterion" else more[4:]
            calibrated = (
                ("--calibrate", "platt") if word == "raw" or option == "--calibrate-by" else ()
            )
            tool("fit", people, *roles, *criterion, option, word, *calibrated).ok()


def test_the_man_page_has_every_command_and_option(tool: Tool) -> None:
    """The same as --help, in the form that man reads."""
    page = tool("man").ok().out.replace("\\-", "-")
    assert page.startswith(".TH EVENHAND 1")
    for command in COMMANDS:
        start = page.index(f'.SH "EVENHAND {command.upper()}"')
        section = page[start : page.index("\n.SH", start + 1)]
        text = tool(command, "--help").ok().out
        for option in long_options(text):
            assert option in section, (command, option)
        for both in re.findall(r"^ +(-\w, --[\w-]+)", text, re.MULTILINE):
            assert both in section, (command, both)
    for calculator in CALCULATORS:
        assert f'.SS "evenhand theory {calculator}"' in page
    assert "NO_COLOR" in page


def test_the_man_page_is_correct_roff(tool: Tool) -> None:
    """Groff has nothing to complain about."""
    if not shutil.which("groff"):
        unavailable("there is no groff")
    page = tool("man").ok().out
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, text=True,
                          capture_output=True, check=True)
    assert done.stderr == ""


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


# --- The locale.


@pytest.fixture(scope="session")
def comma_locale(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Build a locale that writes 0,5; the variables that choose it."""
    if not shutil.which("localedef") or not Path("/usr/share/i18n/locales/de_DE").exists():
        unavailable("localedef or its sources are missing")
    folder = tmp_path_factory.mktemp("locale")
    done = subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", str(folder / "de_DE.UTF-8")],
        capture_output=True, check=False,
    )
    assert (folder / "de_DE.UTF-8").is_dir(), done.stderr
    chosen = {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "LOCPATH": str(folder)}
    point = subprocess.run(["locale", "decimal_point"], env={**os.environ, **chosen},
                           capture_output=True, text=True, check=True).stdout
    assert point == ",\n"
    return chosen


def test_a_locale_with_a_decimal_comma_changes_no_byte(
    tool: Tool, people: Path, sql: Sql, comma_locale: dict[str, str]
) -> None:
    """Numbers are read and written the same everywhere."""
    sql(f"COPY (FROM '{people}') TO '{tool.path('people.csv')}'")
    steps: list[tuple[object, ...]] = [
        ("fit", "people.csv", *PARITY, "--label", "y", "--tolerance", "0.0125", "--require",
         "rate <= 0.375", "-o", "rule.json"),
        ("fit", people, *PARITY, "--gamma", "0.05", "--json"),
        ("show", "rule.json"),
        ("apply", "people.csv", "--rule", "rule.json", "--seed", "7", "-o", "out.csv"),
        ("apply", people, "--rule", "rule.json", "-o", "out.json"),
        ("audit", "out.csv", "--decision", "decision", "--sensitive", "sex", "--label", "y"),
        ("audit", people, "--rule", "rule.json", "--confidence", "0.995", "--json"),
        ("audit", people, *PARITY[:4], "--fail-above", "0.05"),
        ("frontier", people, *PARITY, "--at", "0,0.0125", "--csv"),
        ("frontier", people, *PARITY, "--at", "0,0.0125"),
        ("tally", people, *PARITY[:4], "--resolution", "6", "--min-count", "2", "-o",
         "t.parquet"),
        ("fit", "--tally", "t.parquet", "--criterion", "four-fifths", "--ratio", "0.95"),
        ("fit", people, *PARITY, "--require", "rate <= 0.1", "--require", "rate >= 0.25"),
    ]
    results = []
    for env in ({"LC_ALL": "C"}, comma_locale):
        ran = [tool(*step, env=env) for step in steps]
        assert {r.status for r in ran} == {0, 3, 4}
        files = {name: tool.path(name).read_bytes()
                 for name in ("rule.json", "out.csv", "out.json", "t.parquet")}
        results.append(([(r.status, r.out, r.err) for r in ran], files))
    for step, one, other in zip(steps, results[0][0], results[1][0]):
        assert one == other, step
    assert results[0][1] == results[1][1]


def test_a_decimal_comma_is_refused_everywhere(
    tool: Tool, people: Path, comma_locale: dict[str, str]
) -> None:
    """0,5 is two numbers or none, also where people write it so."""
    for env in (None, comma_locale):
        tool("fit", people, *PARITY, "--tolerance", "0,5", env=env).fails(2, "--tolerance", "0,5")
