"""docs/warehouse.md: its recipe for PostgreSQL runs as it stands, on a real server."""

from __future__ import annotations

import csv
import os
import re
import subprocess
from pathlib import Path

import postgres_server as pg
from conftest import PROJECT, TOOL, Tool


def test_the_recipe_for_postgresql_runs(tool: Tool) -> None:
    """Counts through a pipe, a rule, decisions in a table, and their audit."""
    page = (PROJECT / "docs/warehouse.md").read_text()
    section = page[page.index("## PostgreSQL") : page.index("## Spark")]
    (recipe,) = re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    with (PROJECT / "data/adult-scores.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[:4000]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    typed = {**columns, "score": [float(s) for s in columns["score"]],
             "high_income": [int(y) for y in columns["high_income"]]}
    with pg.running() as server:
        assert server.psql(pg.table("people", typed).replace("CREATE TEMP", "CREATE")).returncode == 0
        path = os.pathsep.join([str(Path(TOOL).parent), str(server.bin), os.environ["PATH"]])
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", recipe], cwd=tool.folder, capture_output=True, text=True, check=False,
            env={**os.environ, "PATH": path, "PGHOST": str(server.home), "PGUSER": "evenhand", "PGDATABASE": "postgres"})
        assert done.returncode == 0, done.stderr
        decided = server.rows("SELECT person, decision FROM decided ORDER BY person;")
    assert "largest difference" in done.stdout
    tool.write("rows.csv", "\n".join([",".join(columns), *(",".join(row) for row in zip(*columns.values()))]) + "\n")
    tool("apply", "rows.csv", "--rule", "rule.json", "--score", "score", "--id", "person", "--key-file", "key", "-o",
         "out.csv").ok()
    with tool.path("out.csv").open(encoding="utf-8", newline="") as file:
        expected = sorted([row["person"], row["decision"]] for row in csv.DictReader(file))
    assert sorted(decided) == expected
