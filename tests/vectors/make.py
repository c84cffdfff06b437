#!/usr/bin/env python3
"""Writes the test vectors beside this file; with --check, says whether they are up to date."""

import struct
import sys
from pathlib import Path

import evaluate
from rules import all_rules
from sampling import (
    Source,
    ids,
    invalid_scores,
    keys_and_seeds,
    neighbours,
    random_scores,
    specials,
)
from text import COLUMNS, escaped, rule_text

HERE = Path(__file__).resolve().parent


def bits(value):
    return struct.pack(">d", value).hex()


def line(case, unseen, coin, secret, who, score, values):
    prefix = secret if coin == "seed" else evaluate.prefix_of_key(bytes.fromhex(secret))
    try:
        q = evaluate.probability(case.rule, values, score, unseen)
        answer = [bits(q), str(evaluate.decision(q, prefix, who))]
    except evaluate.Refused as refused:
        answer = [str(refused), "-"]
    fields = [repr(score), bits(score), unseen, coin, secret, escaped(who), *answer]
    return fields + [escaped(values[name]) for name in case.columns]


def lines(case):
    """Seen cells at telling scores, by key and by seed; unseen ones by each policy; refusals."""
    source = Source(case.name)
    people = ids(source)
    keys, seeds = keys_and_seeds(source)
    keys = case.keys or keys
    known = [dict(zip(case.rule["attributes"], cell["values"])) for cell in case.rule["cells"]]
    anybody = known[:2] + case.unseen
    border = case.rule["otherwise"]
    at_border = neighbours(case.rule, [0.0 if border is None else border])
    out = []

    def add(unseen, coin, secret, who, score, values):
        out.append(line(case, unseen, coin, secret, who, score, values))

    def by_key(values, score, unseen="error"):
        add(unseen, "key", source.choice(keys).hex(), next(people), score, values)

    def by_seed(count, seed, cells, scores, unseen="error"):
        for position in range(count):
            score, values = source.choice(scores), source.choice(cells)
            add(unseen, "seed", seed, str(position), score, values)

    for values, cell in zip(known, case.rule["cells"]):
        points = [score for score, _ in cell.get("steps", cell.get("ramp"))]
        for score in neighbours(case.rule, points) + random_scores(case.rule, source, 3):
            by_key(values, score)
    for score in specials(case.rule) if known else []:
        for _ in range(2):
            by_key(source.choice(known), score)
    for key, who, values, score in case.exact:
        add("error", "key", key.hex(), who, score, values)
    if known:
        by_seed(case.positions, seeds[0], known, random_scores(case.rule, source, 30))
    for unseen in ("score", "reject"):
        for values in anybody:
            for score in at_border:
                by_key(values, score, unseen)
        by_seed(4, seeds[1], anybody, at_border, unseen)
    for values in case.unseen:
        by_key(values, at_border[0])
    for score in invalid_scores(case.rule) if known else []:
        by_key(known[0], score)
    return out


def check_coverage(case, table):
    drawn = {row[7] for row in table if row[6] not in ("unseen", "invalid", bits(0.0), bits(1.0))}
    assert drawn in (set(), {"0", "1"}), f"{case.name}: every coin falls on the same side"
    assert drawn or not case.drawn, f"{case.name}: no coin is needed"
    assert any(row[6] == "unseen" for row in table), f"{case.name}: nobody is unseen"


def files():
    out = {}
    for case in all_rules():
        table = lines(case)
        check_coverage(case, table)
        header = COLUMNS + [escaped(name) for name in case.columns]
        rows = "".join("\t".join(fields) + "\n" for fields in [header, *table])
        out[f"{case.name}.rule.json"] = rule_text(case)
        out[f"{case.name}.tsv"] = rows
    return {name: text.encode("utf-8") for name, text in out.items()}


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit("usage: make.py [--check]")
    wanted = files()
    there = {p.name: p.read_bytes() for p in [*HERE.glob("*.tsv"), *HERE.glob("*.rule.json")]}
    if not arguments:
        for name in there.keys() - wanted.keys():
            (HERE / name).unlink()
        for name, content in wanted.items():
            (HERE / name).write_bytes(content)
    elif there != wanted:
        names = sorted(n for n in there.keys() | wanted.keys() if there.get(n) != wanted.get(n))
        sys.exit("not what make.py writes: " + ", ".join(names))
    count = sum(content.count(b"\n") - 1 for name, content in wanted.items() if name[-3:] == "tsv")
    assert count < 5000 and sum(map(len, wanted.values())) < 500_000
    print(f"{len(wanted)} files, {count} rows, {sum(map(len, wanted.values()))} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
