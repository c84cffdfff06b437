"""add_licences.py WHEEL FOLDER: puts the licences in FOLDER into a wheel, and names them in its metadata."""

from __future__ import annotations

import sys
from pathlib import Path

from wheel_file import Member, read, write

wheel, folder = Path(sys.argv[1]), Path(sys.argv[2])
info, members = read(wheel)
licences = sorted(folder.iterdir())
for member in members:
    if member.name == f"{info}/METADATA":
        head, blank, body = member.content.partition(b"\n\n")
        listed = "".join(f"\nLicense-File: {each.name}" for each in licences)
        member.content = head + listed.encode() + blank + body
members += [Member(f"{info}/licenses/{each.name}", each.read_bytes()) for each in licences]
write(wheel, info, members)
