"""`apply --log` says why each decision was made; `verify --log` checks every line again."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable

import pytest
from conftest import Sql, Tool
from test_verify import PARITY, fitted

COLUMNS = ["id", "rule", "key", "cell", "score", "threshold", "probability", "coin", "decision",
           "reason"]  # fmt: skip
Line = dict[str, str]


def decided(tool: Tool, *fit: str, log: str = "log.csv", extra: tuple[str, ...] = ()) -> list[Line]:
    """Fit, decide with a key, and return the lines of the log."""
    fitted(tool, *(fit or PARITY))
    coins = tool.coins() if "--seed" not in extra else ()
    tool(
        "apply", "people.csv", "--rule", "rule.json", *coins, "--log", log, "-o", "out.csv", *extra
    ).ok()
    if not log.endswith(".csv"):
        return []
    return list(csv.DictReader(io.StringIO(tool.path(log).read_text(), newline="")))


def write(tool: Tool, lines: list[Line]) -> None:
    """Write a log again."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS)
    writer.writeheader()
    writer.writerows(lines)
    tool.write("log.csv", out.getvalue())


def check(tool: Tool, *options: str) -> int:
    """Verify the log; return the exit status."""
    return tool("verify", "--log", "log.csv", "--rule", "rule.json", *options).status


def test_a_line_for_each_decision(tool: Tool) -> None:
    """It repeats the decision, by the coin that the key gives, and never names the key."""
    lines = decided(tool)
    assert list(lines[0]) == COLUMNS
    out = list(csv.DictReader(io.StringIO(tool.path("out.csv").read_text())))
    assert [line["id"] for line in lines] == [row["id"] for row in out]
    assert [line["decision"] for line in lines] == [row["decision"] for row in out]
    assert [line["probability"] for line in lines] == [row["probability"] for row in out]
    prefix = hashlib.sha256(b"a key").hexdigest()
    by_lot = [line for line in lines if line["coin"]]
    assert by_lot
    for line in by_lot:
        digest = hashlib.sha256(f"{prefix}\x1f{line['id']}".encode()).digest()
        coin = int.from_bytes(digest[:8], "big") / 2**64
        assert abs(coin - float(line["coin"])) < 2**-51
        assert int(line["decision"]) == (float(line["coin"]) < float(line["probability"]))
        answer = "positive" if line["decision"] == "1" else "negative"
        assert line["reason"].startswith(f"{answer}: with a score of ")
        assert "a draw decides" in line["reason"]
    assert {line["key"] for line in lines} == {hashlib.sha256(prefix.encode()).hexdigest()}
    rule = json.loads(tool.path("rule.json").read_text())
    assert {line["rule"] for line in lines} == {rule["fit"]["rule_fingerprint"]}
    for line in lines:
        if not line["coin"]:
            above = float(line["score"]) >= float(line["threshold"])
            assert above == (line["decision"] == "1")
    assert check(tool, "--key-file", "key") == 0
    assert check(tool) == 0


def test_reasons_are_those_of_explain(tool: Tool) -> None:
    """A person who asks gets the words of the log."""
    lines = decided(tool)
    explain = ("explain", "people.csv", "--rule", "rule.json", *tool.coins(), "--json")
    said = tool(*explain).ok().json()
    assert [line["reason"] for line in lines] == [one["words"] for one in said]


@pytest.mark.parametrize("log", ["log.parquet", "log.csv", "log.json"])
@pytest.mark.parametrize(
    "fit", [PARITY, ("--criterion", "statistical-parity", "--gamma", "0.2"), (*PARITY, "--blind")]
)
def test_every_format_and_kind_is_accepted(tool: Tool, log: str, fit: tuple[str, ...]) -> None:
    """Steps, ramps and blind rules, with coins checked."""
    decided(tool, *fit, log=log)
    found = (
        tool("verify", "--log", log, "--rule", "rule.json", "--key-file", "key", "--json")
        .ok()
        .json()
    )
    assert found["passed"]
    assert found["log"]["lines"] == 400
    assert found["log"]["coins_checked"]


def test_seeds_low_scores_and_unseen_groups(tool: Tool, sql: Sql) -> None:
    """Positions are ids, reasons turn with the scale, groups never seen say how."""
    lines = decided(tool, *PARITY, "--favorable", "low", extra=("--seed", "7"))
    assert lines[0]["key"] == "seed 7"
    assert [line["id"] for line in lines[:3]] == ["0", "1", "2"]
    assert check(tool, "--seed", "7") == 0
    assert check(tool, "--seed", "8") == 4
    text = tool.path("people.csv").read_text().replace('"F"', '"new ""one"", <i>"', 3)
    tool.write("people.csv", text)
    for unseen in ("score", "reject"):
        tool("apply", "people.csv", "--rule", "rule.json", *tool.coins(), "--log", "log.csv",
             "-o", "out.csv", "--unseen", unseen).ok()  # fmt: skip
        assert check(tool, "--key-file", "key") == 0
        reasons = sql("SELECT reason FROM 'log.csv' WHERE reason LIKE 'the rule does not know%'")
        assert len(reasons) == 3


def swap(column: str, value: str | Callable[[Line], str]) -> Callable[[list[Line]], None]:
    """Change a column of the first line that was decided by lot."""

    def edit(lines: list[Line]) -> None:
        line = next(one for one in lines if one["coin"])
        before = line[column]
        line[column] = value(line) if callable(value) else value
        assert line[column] != before

    return edit


TAMPERED = {
    "decision": swap("decision", lambda line: "0" if line["decision"] == "1" else "1"),
    "score": swap("score", lambda line: str(float(line["score"]) - 0.3)),
    "probability": swap("probability", "0.999"),
    "threshold": swap("threshold", "0.0001"),
    "coin": swap("coin", "0.00001"),
    "no coin": swap("coin", ""),
    "cell": swap("cell", "nobody"),
    "reason": swap("reason", "by the mayor"),
    "id": swap("id", "somebody else"),
    "key": swap("key", "f" * 64),
    "rule": swap("rule", "0" * 64),
    "score out of range": swap("score", "7"),
    "decision is no decision": swap("decision", "yes"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_rejects_a_tampered_log(tool: Tool, what: str) -> None:
    """One changed value suffices, and its line is named."""
    lines = decided(tool)
    TAMPERED[what](lines)
    write(tool, lines)
    ran = tool("verify", "--log", "log.csv", "--rule", "rule.json", "--key-file", "key")
    assert ran.status == 4, ran.out
    assert "  line " in ran.out
    assert "1 of 400 lines are wrong" in ran.out


def test_a_log_of_another_rule_or_key_is_rejected(tool: Tool) -> None:
    """Every line of it."""
    decided(tool)
    tool.write("other", b"another key")
    assert check(tool, "--key-file", "other") == 4
    fitted(tool, "--criterion", "four-fifths")
    assert check(tool) == 4


def test_bad_options(tool: Tool) -> None:
    """One line each, and nothing is left behind."""
    decided(tool)
    before = tool.files()
    apply = ("apply", "people.csv", "--rule", "rule.json", "--seed", "1")
    tool(*apply, "-o", "x.csv", "--log", "x.csv").fails(2, "same file")
    tool(*apply, "-o", "x.csv", "--log", "-").fails(2, "--log needs a file")
    tool(*apply, "-o", "x.csv", "--log", "people.csv").fails(2, "people.csv")
    tool(*apply, "-o", "x.csv", "--log", "rule.json").fails(2, "rule.json")
    tool(*apply, "-o", "x.csv", "--log", "none/such.csv").fails(2, "none/such.csv")
    tool("verify", "--log", "people.csv", "--rule", "rule.json").fails(2, "no column", "--log")
    tool(
        "verify", "--log", "log.csv", "--rule", "rule.json", "--key-file", "key", "--seed", "1"
    ).fails(2, "not both")
    assert tool.files() == before
