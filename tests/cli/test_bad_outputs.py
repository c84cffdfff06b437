"""Outputs that cannot be written."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bad_input import OUTPUTS, READERS, arguments, content, refuses, tally_call
from conftest import TOOL, Ran, Tool


@pytest.fixture
def disk(tool: Tool) -> Iterator[Callable[[str], Path]]:
    """Make small disks of their own, read-only or full, if this machine lets us."""
    mounted: list[Path] = []

    def make(kind: str) -> Path:
        path = tool.path(f"{kind}-disk")
        path.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(path)]
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            pytest.skip("no disk can be mounted here; /dev/full is tested")
        mounted.append(path)
        (path / "old").write_bytes(b"old bytes")
        if kind == "full":
            with (path / "filler").open("wb", buffering=0) as filler:
                try:
                    while filler.write(b"x" * 4096):
                        pass
                except OSError:
                    pass
        else:
            subprocess.run(["mount", "-o", "remount,ro", str(path)], check=True)
        return path

    yield make
    for path in mounted:
        subprocess.run(["umount", "-l", str(path)], check=False)


def writer(command: str, output: object) -> list[object]:
    """Return a run of a command that writes to this output."""
    call = (
        arguments(command, "data.csv") if command != "merge" else tally_call("merge", "t.parquet")
    )
    call[call.index("-o") + 1] = output
    return [*call, "--output-format", "csv"] if command == "apply" else call


WRITERS = [*OUTPUTS, "merge"]


@pytest.mark.parametrize("command", WRITERS)
def test_full_disk(inputs: Tool, disk: Callable[[str], Path], command: str) -> None:
    """A full disk ends with status 1, the old file and nothing else."""
    path = disk("full").relative_to(inputs.folder)
    for name in ("old", "new"):
        before = content(inputs.folder)
        inputs(*writer(command, path / name)).fails(1, f"{path / name}", "No space left on device")
        assert content(inputs.folder) == before


@pytest.mark.parametrize("command", WRITERS)
def test_full_device(inputs: Tool, command: str) -> None:
    """A device that takes nothing is like a full disk."""
    before = inputs.files()
    inputs(*writer(command, "/dev/full")).fails(1, "/dev/full", "No space left on device")
    assert inputs.files() == before


def test_full_temporary_folder(inputs: Tool, disk: Callable[[str], Path]) -> None:
    """What goes to standard output needs room for a while; without it there is a message."""
    env = {"TMPDIR": str(disk("full"))}
    call = ["apply", "data.csv", "--rule", "rule.json"]
    inputs(*call, env=env).fails(1, "No space left on device")


@pytest.mark.parametrize("command", [*READERS, "show"])
def test_full_standard_output(inputs: Tool, command: str) -> None:
    """Results that standard output does not take are an error."""
    call = arguments(command, "data.csv")
    if command == "show":
        call = ["show", "rule.json"]
    elif command == "tally":
        call[-1] = "-"
    elif "-o" in call:
        del call[call.index("-o") :]
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run(
            [TOOL, *map(str, call)],
            cwd=inputs.folder,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    Ran(run.returncode, "", run.stderr).fails(1, "standard output", "No space left on device")


@pytest.mark.parametrize("status", [0, 2])
def test_full_standard_error(inputs: Tool, status: int) -> None:
    """Messages that standard error does not take change nothing else."""
    call = ["apply", "data.csv" if status == 0 else "absent.csv", "--rule", "rule.json"]
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run(
            [TOOL, *call, "-o", "out.csv"], cwd=inputs.folder, stderr=full, check=False
        )
    assert run.returncode == status
    assert inputs.path("out.csv").exists() == (status == 0)


@pytest.mark.parametrize("command", WRITERS)
def test_unwritable_folder(inputs: Tool, disk: Callable[[str], Path], command: str) -> None:
    """A folder that cannot be written to is named before any work is done."""
    output = disk("read-only").relative_to(inputs.folder) / "new"
    inputs(*writer(command, output)).fails(2, str(output), "Read-only file system")


@pytest.mark.parametrize("command", WRITERS)
def test_missing_folder(inputs: Tool, command: str) -> None:
    """A folder that is not there is named."""
    refuses(inputs, *writer(command, "nowhere/out"), says=("nowhere/out", "no folder nowhere"))


@pytest.mark.parametrize("command", WRITERS)
def test_output_that_is_a_folder(inputs: Tool, command: str) -> None:
    """A folder is not overwritten, and is called a folder."""
    inputs.path("folder").mkdir()
    call = [word for word in writer(command, "folder") if word not in ("--output-format", "csv")]
    refuses(inputs, *call, says=("folder is a folder",))


@pytest.mark.parametrize("command", WRITERS)
@pytest.mark.parametrize("how", ["same path", "other path", "symbolic link", "hard link"])
def test_output_that_is_also_the_input(inputs: Tool, command: str, how: str) -> None:
    """The input is never overwritten, by whatever name."""
    source = "t.parquet" if command == "merge" else "data.csv"
    name = {"same path": source, "other path": f"./x/../{source}"}.get(how, "link")
    inputs.path("x").mkdir()
    if how == "symbolic link":
        inputs.path("link").symlink_to(source)
    elif how == "hard link":
        inputs.path("link").hardlink_to(inputs.path(source))
    refuses(inputs, *writer(command, name), says=("also the input", "choose another"))


@pytest.mark.parametrize("name", ["rule.json", "key"])
def test_output_that_is_the_rule_or_the_key(inputs: Tool, name: str) -> None:
    """Neither the rule nor the key, which nobody can make again, is overwritten."""
    inputs.write("key", b"secret")
    call = [*writer("apply", name), "--id", "id", "--key-file", "key"]
    refuses(inputs, *call, says=(name, "choose another"))


def test_output_that_is_the_input_of_sql(inputs: Tool) -> None:
    """A file that SQL reads is not overwritten either."""
    refuses(
        inputs,
        "apply",
        "--sql",
        "FROM 'data.csv'",
        "--rule",
        "rule.json",
        "-o",
        "data.csv",
        says=("data.csv", "also the input"),
    )


def test_output_without_a_known_ending(inputs: Tool) -> None:
    """An ending that says nothing is asked about."""
    refuses(
        inputs,
        "apply",
        "data.csv",
        "--rule",
        "rule.json",
        "-o",
        "out.doc",
        says=("out.doc", ".csv", "--output-format"),
    )


def test_temporary_folder_that_is_absent(inputs: Tool) -> None:
    """A TMPDIR that is not there is named."""
    run = inputs(*arguments("fit", "data.csv"), env={"TMPDIR": "/nowhere"})
    if run.status != 0:  # nothing has to be written there
        assert run.status in (1, 2)
        assert run.err.startswith("evenhand: ")
        assert "/nowhere" in run.err
        assert "filesystem error" not in run.err


@pytest.mark.parametrize("option", [["-o", ""], ["--output", ""], ["--output="]])
def test_empty_name_of_an_output(inputs: Tool, option: list[str]) -> None:
    """An empty variable of a script is not standard output."""
    inputs("apply", "data.csv", "--rule", "rule.json", *option).fails(2, "-o is empty")


@pytest.mark.parametrize(
    "option",
    [
        ["--log", ""],
        ["--seed", ""],
        ["--null="],
        ["--score", ""],
        ["--decision-name", ""],
    ],
)
def test_empty_value_of_an_option(inputs: Tool, option: list[str]) -> None:
    """An empty variable of a script does not leave out the option that it was meant for."""
    said = option[0].removesuffix("=") + " is empty"
    inputs("apply", "data.csv", "--rule", "rule.json", "-o", "out.csv", *option).fails(2, said)
    assert not inputs.path("out.csv").exists()


@pytest.mark.parametrize("option", ["--within", "--label", "--weight", "--tolerance", "--null"])
def test_empty_column_of_a_fit(inputs: Tool, option: str) -> None:
    """Nor does it leave out a column."""
    inputs(*arguments("fit", "data.csv", option, "")).fails(2, f"{option} is empty")


def test_output_keeps_permissions(inputs: Tool) -> None:
    """Those of the file that it replaces."""
    for mode in (0o600, 0o640, 0o664):
        inputs.write("out.csv", "old").chmod(mode)
        inputs("apply", "data.csv", "--rule", "rule.json", "-o", "out.csv").ok()
        assert inputs.path("out.csv").stat().st_mode & 0o7777 == mode


def test_output_to_devices_and_pipes(inputs: Tool) -> None:
    """The shell's own names for standard output and pipes are outputs like any other."""
    wanted = inputs("apply", "data.csv", "--rule", "rule.json", "-q").ok().out
    assert inputs("apply", "data.csv", "--rule", "rule.json", "-q", "-o", "/dev/stdout").out == wanted
    for command in (f"{TOOL} apply data.csv --rule rule.json -q -o >(gzip > a.gz; touch done)",
                    f"{TOOL} apply data.csv --rule rule.json -q -o /dev/stdout | gzip > a.gz"):
        subprocess.run(["bash", "-c", command + "; sleep 0.2"], cwd=inputs.folder, check=True)
        assert gzip.decompress(inputs.path("a.gz").read_bytes()).decode() == wanted


def test_output_over_the_file_of_standard_input(inputs: Tool) -> None:
    """The same as any other input."""
    before = inputs.path("data.csv").read_bytes()
    with inputs.path("data.csv").open("rb") as stdin:
        run = subprocess.run([TOOL, "apply", "-", "--rule", "rule.json", "-o", "data.csv"],
                             cwd=inputs.folder, stdin=stdin, capture_output=True, check=False)
    assert run.returncode == 2
    assert b"also the input" in run.stderr
    assert inputs.path("data.csv").read_bytes() == before


def test_numbers_that_json_has_no_word_for(inputs: Tool) -> None:
    """NaN and infinity are null."""
    query = "SELECT 0.9::DOUBLE AS score, 'A' AS \"group\", 'nan'::DOUBLE AS x, 'inf'::FLOAT AS y"
    inputs("apply", "--sql", query, "--rule", "rule.json", "-o", "out.json").ok()
    row = json.loads(inputs.path("out.json").read_text())[0]
    assert (row["x"], row["y"], row["decision"]) == (None, None, 1)
