"""Wheels as files: writing one, and adding licences to one."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Member:
    """A file inside a wheel."""

    name: str
    content: bytes
    executable: bool = False


def _recorded(member: Member) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(member.content).digest()).rstrip(b"=")
    return f"{member.name},sha256={digest.decode()},{len(member.content)}\n"


def write(path: Path, info: str, members: list[Member]) -> None:
    """Write a wheel of these members, and its RECORD in the folder `info`; the same bytes every time."""
    record = f"{info}/RECORD"
    text = "".join(map(_recorded, members)) + f"{record},,\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for member in [*members, Member(record, text.encode())]:
            entry = zipfile.ZipInfo(member.name, (2026, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if member.executable else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, member.content)


def read(path: Path) -> tuple[str, list[Member]]:
    """Return the name of a wheel's dist-info folder, and its members but for the RECORD."""
    with zipfile.ZipFile(path) as wheel:
        infos = [item for item in wheel.infolist() if not item.is_dir()]
        record = next(item.filename for item in infos if item.filename.endswith(".dist-info/RECORD"))
        members = [
            Member(item.filename, wheel.read(item), bool(item.external_attr >> 16 & 0o100))
            for item in infos
            if item.filename != record
        ]
    return record.removesuffix("/RECORD"), members
