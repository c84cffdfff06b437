"""The two file formats: README.md describes them."""

import json

COLUMNS = ["score", "score_bits", "unseen", "coin", "secret", "who", "q_bits", "decision"]


def escaped(text):
    for plain, escape in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(plain, escape)
    return text


def rule_text(case):
    """One line for each cell, so that a difference can be read."""

    def to_json(value):
        return json.dumps(value, ensure_ascii=case.ascii, allow_nan=False)

    members = []
    for name, value in case.rule.items():
        if name == "cells":
            cells = ",\n      ".join(map(to_json, value))
            members.append(f'"cells": [\n      {cells}\n    ]' if value else '"cells": []')
        else:
            members.append(f"{to_json(name)}: {to_json(value)}")
    body = ",\n    ".join(members)
    fit = f',\n  "fit": {to_json(case.fit)}' if case.fit is not None else ""
    return f'{{\n  "evenhand": 1,\n  "rule": {{\n    {body}\n  }}{fit}\n}}\n'
