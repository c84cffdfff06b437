"""A PostgreSQL server of the tests' own: its data, its socket, nothing else on the machine."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from needed import unavailable


def programs() -> Path | None:
    """Find the folder of the newest server, as Debian installs it, or the one on the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return Path(initdb).parent if initdb else None


class Postgres:
    """Starts when it is made; `close` ends it and removes all of it."""

    def __init__(self) -> None:
        """Start it, by the user postgres if we are root, whom it refuses."""
        folder = programs()
        assert folder is not None
        self.bin = folder
        self.home = Path(tempfile.mkdtemp(prefix="evenhand-pg-"))
        self.as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        if self.as_user:
            shutil.chown(self.home, "postgres", "postgres")
        self.home.chmod(0o755)
        data = str(self.home / "data")
        self._run("initdb", "-D", data, "-U", "evenhand", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        self._run("pg_ctl", "-D", data, "-w", "-l", str(self.home / "log"), "-o",
                  f"-F -h '' -k {self.home} -c shared_buffers=32MB", "start")

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run([*self.as_user, str(self.bin / program), *arguments], cwd="/", stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        assert done.returncode == 0, done.stdout.decode()

    def psql(self, script: str, key: str = "") -> subprocess.CompletedProcess[bytes]:
        """Run a script; results come as CSV, and the first error stops it."""
        environment = {**os.environ, "PGCLIENTENCODING": "UTF8"}
        if key:
            environment["PGOPTIONS"] = f"-c evenhand.key={key}"
        return subprocess.run(
            [str(self.bin / "psql"), "-X", "-q", "--csv", "-v", "ON_ERROR_STOP=1", "-h", str(self.home), "-U",
             "evenhand", "-d", "postgres", "-f", "-"],
            input=script.encode(), capture_output=True, env=environment, check=False)

    def rows(self, script: str, key: str = "") -> list[list[str]]:
        """Run a script and return all rows that it prints, without headers."""
        done = self.psql("\\pset tuples_only on\n" + script, key)
        assert done.returncode == 0, done.stderr.decode()
        return list(csv.reader(io.StringIO(done.stdout.decode(), newline="")))

    def error(self, script: str, key: str = "") -> str:
        """Run a script that must fail, and return what it says."""
        done = self.psql(script, key)
        assert done.returncode != 0
        return done.stderr.decode()

    def close(self) -> None:
        """End it."""
        self._run("pg_ctl", "-D", str(self.home / "data"), "-m", "immediate", "stop")
        shutil.rmtree(self.home, ignore_errors=True)


def name(text: str) -> str:
    """Quote a name."""
    return '"' + text.replace('"', '""') + '"'


def literal(text: str | None) -> str:
    """Write a text by its bytes: no quoting to get wrong."""
    return "NULL" if text is None else f"convert_from(decode('{text.encode().hex()}', 'hex'), 'UTF8')"


def table(called: str, columns: dict[str, list[object]]) -> str:
    """Write statements that make a table: floats as float8, whole numbers as bigint, else text."""
    kinds = []
    for values in columns.values():
        some = next((value for value in values if value is not None), "")
        kinds.append("float8" if isinstance(some, float) else "bigint" if isinstance(some, int) else "text")

    def value(of: object, kind: str) -> str:
        if of is None:
            return "NULL"
        return literal(str(of)) if kind == "text" else f"'{of!r}'::{kind}"

    rows = [
        "(" + ", ".join(value(v, kind) for v, kind in zip(row, kinds, strict=True)) + ")"
        for row in zip(*columns.values(), strict=True)
    ]
    named = ", ".join(f"{name(column)} {kind}" for column, kind in zip(columns, kinds, strict=True))
    insert = f"INSERT INTO {name(called)} VALUES {', '.join(rows)};\n" if rows else ""
    return f"CREATE TEMP TABLE {name(called)} ({named});\n{insert}"


@contextmanager
def running() -> Iterator[Postgres]:
    """Start a server, and end it after the tests that need it."""
    if programs() is None:
        unavailable("PostgreSQL is not installed: apt-get install postgresql")
    server = Postgres()
    try:
        yield server
    finally:
        server.close()
