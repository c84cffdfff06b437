"""Help, completion and the man page know every command and option."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import PROJECT, TOOL, Tool
from needed import unavailable

COMMANDS = ["demo", "fit", "apply", "show", "explain", "audit", "report", "frontier", "calibrate",
            "tally", "merge", "sql", "plan", "monitor", "verify", "theory", "man", "completion"]
CALCULATORS = ["impossibility", "excess-risk", "sgd-error", "gamma"]
STATUSES = ["0 done", "2 wrong input", "3 no rule", "4 a check failed", "5 too few rows to certify",
            "6 not proven optimal", "1 anything else"]
PARITY = ("--score", "score", "--sensitive", "sex", "--criterion", "statistical-parity")


def long_options(text: str) -> set[str]:
    """Find the long options that a help text lists."""
    return set(re.findall(r"^ +(?:-\w, ?)?(--[a-z-]+)", text, re.MULTILINE))


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_lists_every_command_and_the_exit_statuses(tool: Tool, flag: str) -> None:
    """Where to start, what there is, what the status means."""
    ran = tool(flag).ok()
    listed = re.findall(r"^  ([a-z]+) {3,}\S", ran.out, re.MULTILINE)
    assert listed == COMMANDS
    assert "evenhand demo" in ran.out
    for status in STATUSES:
        assert status in " ".join(ran.out.split())
    assert ran.err == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_a_line_for_each_option(tool: Tool, command: str) -> None:
    """Help goes to standard output, and says something about every option."""
    ran = tool(command, "--help").ok()
    assert ran.err == ""
    assert f"evenhand {command}" in ran.out
    assert "--help" in long_options(ran.out)
    described = ran.out.split("\nExample")[0]
    after = re.split(r"^ +(?:-\w,)?--[a-z-]+", described, flags=re.MULTILINE)[1:]
    for text in after:
        assert len(text.split()) >= 2, text
    assert tool(command, "-h").ok().out == ran.out


@pytest.mark.parametrize("command", ["fit", "apply", "audit", "frontier", "tally", "merge", "show", "plan", "monitor"])
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


def test_zsh_completes_commands_options_and_words(tool: Tool) -> None:
    """By zsh's own engine, in a terminal of its own; every option of help is offered."""
    if not shutil.which("zsh"):
        unavailable("zsh is not installed")
    script = tool("completion", "zsh").ok().out
    assert script.startswith("#compdef evenhand\n")
    tool.write("_evenhand", script)
    check = subprocess.run(["zsh", "-n", tool.path("_evenhand")], capture_output=True, check=False)
    assert (check.returncode, check.stderr) == (0, b"")
    # compadd and _describe as plain printing: what would be offered.
    harness = f"""compdef() {{ :; }}; _files() {{ print files; }}; compadd() {{ print -l -- "${{@:2}}"; }}
_describe() {{ local name=$@[-1]; print -l -- ${{(P)name}}; }}
source {tool.path("_evenhand")}
words=("$@"); CURRENT=$#; _evenhand"""

    def offered(*words: str) -> set[str]:
        done = subprocess.run(["zsh", "-fc", harness, "zsh", *words], capture_output=True, text=True,
                              check=True)
        assert done.stderr == ""
        return {line.split(":")[0] for line in done.stdout.splitlines()}

    assert offered("evenhand", "") == set(COMMANDS)
    for command in ("fit", "apply", "audit", "monitor"):
        assert long_options(tool(command, "--help").ok().out) <= offered("evenhand", command, "--")
    assert {"equal-rates", "four-fifths"} < offered("evenhand", "fit", "--criterion", "")
    assert set(CALCULATORS) == offered("evenhand", "theory", "")
    assert offered("evenhand", "completion", "") == {"bash", "zsh", "fish"}
    assert offered("evenhand", "fit", "peo") == {"files"}


def test_fish_completes_commands_options_and_words(tool: Tool) -> None:
    """By fish itself."""
    if not shutil.which("fish"):
        unavailable("fish is not installed")
    script = tool.write("evenhand.fish", tool("completion", "fish").ok().out)

    def offered(line: str) -> set[str]:
        program = f"complete -e evenhand; source {script}; complete -C '{line}'"
        done = subprocess.run(["fish", "--no-config", "-c", program], capture_output=True, text=True,
                              check=True, env={**os.environ, "HOME": str(tool.folder)})
        assert done.stderr == ""
        return {each.split("\t")[0] for each in done.stdout.splitlines()}

    assert set(COMMANDS) <= offered("evenhand ")
    for command in ("fit", "apply", "audit", "monitor"):
        assert long_options(tool(command, "--help").ok().out) <= offered(f"evenhand {command} --")
    assert {"equal-rates", "four-fifths"} <= offered("evenhand fit --criterion ")
    assert set(CALCULATORS) <= offered("evenhand theory ")
    assert {"bash", "zsh", "fish"} <= offered("evenhand completion ")


def test_a_shell_without_completion(tool: Tool) -> None:
    """What there is, is named."""
    tool("completion", "tcsh").fails(2, "tcsh", "bash, zsh or fish")


def test_every_word_that_completion_offers_is_taken(tool: Tool, people: Path) -> None:
    """No offer leads to an error."""
    for option, more in (("--criterion", []), ("--scale", PARITY), ("--favorable", PARITY),
                         ("--resolution", PARITY), ("--calibrate", PARITY), ("--across", PARITY),
                         ("--calibrate-by", PARITY), ("--gamma", PARITY), ("--solver", PARITY),
                         ("--null", PARITY), ("--format", PARITY), ("--bound", PARITY),
                         ("--lottery", PARITY), ("--no-worse", PARITY)):
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
    statuses = page[page.index(".SH EXIT STATUS") :]
    assert re.findall(r"^\.B (\d+)$", statuses, re.MULTILINE) == [str(n) for n in range(7)]


def test_the_docs_have_every_option(tool: Tool) -> None:
    """docs/tool.md, or the report's own page, names each option of each command."""
    page = "".join((PROJECT / "docs" / name).read_text() for name in ("tool.md", "report.md"))
    calls = [(command,) for command in COMMANDS] + [("theory", each) for each in CALCULATORS]
    calls += [("sql", each) for each in ("tally", "apply", "audit", "key")]
    for call in calls:
        for option in long_options(tool(*call, "--help").ok().out):
            assert re.search(rf"{option}(?![\w-])", page), (call, option)


def test_the_man_page_is_correct_roff(tool: Tool) -> None:
    """Groff has nothing to complain about."""
    if not shutil.which("groff"):
        unavailable("there is no groff")
    page = tool("man").ok().out
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, text=True,
                          capture_output=True, check=True)
    assert done.stderr == ""
