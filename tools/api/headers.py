"""Reads the declarations of C++ headers that are written the way ours are.

No compiler: a scanner that knows comments, braces and access labels. The API snapshot and the
reference on the site both come from it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(struct|class|union)\s+(\w+)", re.DOTALL)
ENUM = re.compile(r"^enum\s+(?:class\s+)?(\w+)")
ACCESS = re.compile(r"^(public|private|protected)$")
CONTROL = re.compile(r"clang-format|NOLINT|^namespace ")


@dataclass
class Declaration:
    """One declaration: a type, a function, a member, an enumerator, a constant."""

    scope: tuple[str, ...]  # the types around it
    text: str  # on one line, without bodies
    line: int  # where it starts, from 1
    kind: str  # type, enum, value or other
    comment: str = ""
    public: bool = True

    @property
    def name(self) -> str:
        """The name that it declares."""
        if self.kind in ("type", "enum"):
            return self.text.split(" : ")[0].split()[-1]
        if alias := re.match(r"using (\w+)", self.text):
            return alias[1]
        text = re.sub(r"^template <.*?> (?:requires .*? )?(?=\w)", "", self.text)
        if operator := re.search(r"operator\s*(?:\(\)|[^\s\w(]+)", text):
            return operator[0]
        head = re.split(r" = |\(|;|\{", text, maxsplit=1)[0]
        return head.split()[-1].lstrip("*&") if head.split() else text


@dataclass
class _Scope:
    kind: str  # namespace, type or enum
    name: str
    public: bool = True


@dataclass
class _Scanner:
    text: str
    at: int = 0
    buffer: str = ""
    start: int = 0
    comment: list[str] = field(default_factory=list)
    scopes: list[_Scope] = field(default_factory=list)
    found: list[Declaration] = field(default_factory=list)

    def line(self, at: int) -> int:
        return self.text.count("\n", 0, at) + 1

    def types(self) -> tuple[str, ...]:
        return tuple(scope.name for scope in self.scopes if scope.kind != "namespace")

    def public(self) -> bool:
        return all(scope.public for scope in self.scopes)

    def record(self, text: str, kind: str) -> None:
        text = re.sub(r"\s+", " ", text).strip()
        text = re.sub(r"(?<=[(<\[]) | (?=[)>\],])", "", text)
        if text:
            self.found.append(
                Declaration(
                    self.types(), text, self.line(self.start), kind, " ".join(self.comment), self.public()
                )
            )
        self.buffer, self.comment = "", []

    def matching(self, at: int) -> int:
        """The position after the brace that closes the one at `at`."""
        depth = 0
        while True:
            character = self.text[at]
            if self.text.startswith("//", at):
                at = self.text.index("\n", at)
            elif character in "\"'":
                at = self.quoted(at)
                continue
            depth += (character == "{") - (character == "}")
            at += 1
            if depth == 0:
                return at

    def quoted(self, at: int) -> int:
        quote, at = self.text[at], at + 1
        while self.text[at] != quote:
            at += 2 if self.text[at] == "\\" else 1
        return at + 1

    def take_comment(self) -> None:
        end = self.text.index("\n", self.at)
        words = self.text[self.at + 2 : end].strip()
        before = self.text[self.text.rfind("\n", 0, self.at) + 1 : self.at].strip()
        if not CONTROL.search(words):
            of_last = self.found and self.found[-1].line <= self.line(self.at)
            if before and not self.buffer.strip() and of_last and not before.endswith(("{", ":")):
                last = self.found[-1]
                last.comment = f"{last.comment} {words}".strip()
                self.follow(end, last)
                return
            self.comment.append(words)
        self.at = end

    def follow(self, end: int, last: Declaration) -> None:
        """Take comments that go on below one at the end of a line, in the same column."""
        column = self.at - self.text.rfind("\n", 0, self.at) - 1
        further = re.compile(r"\n {%d}//(.*)" % column)
        while column and (more := further.match(self.text, end)):
            last.comment = f"{last.comment} {more[1].strip()}"
            end = more.end()
        self.at = end

    def open_brace(self) -> None:
        head = self.buffer.strip()
        depth = head.count("(") - head.count(")")
        if head.startswith("namespace"):
            self.scopes.append(_Scope("namespace", head.removeprefix("namespace").strip()))
            self.buffer, self.comment = "", []
        elif found := ENUM.match(head):
            self.record(head, "enum")
            self.scopes.append(_Scope("enum", found[1]))
        elif depth == 0 and (found := TYPE.match(head)) and "(" not in head:
            self.record(head, "type")
            self.scopes.append(_Scope("type", found[2], found[1] != "class"))
        elif depth == 0 and ")" in head and "=" not in head.rsplit(")", 1)[1]:
            self.at = self.matching(self.at)  # the body of a function
            self.record(re.sub(r"\) : \w+[({].*", ")", re.sub(r"\s+", " ", head)), "other")
            return
        else:
            end = self.matching(self.at)
            inside = self.text[self.at : end]
            self.buffer += inside if len(inside) < 60 else "{...}"
            self.at = end
            return
        self.at += 1

    def close_brace(self) -> None:
        if self.scopes[-1].kind == "enum":
            self.record(self.buffer, "value")
        scope = self.scopes.pop()
        self.at += 1
        if scope.kind != "namespace":
            self.at = self.text.index(";", self.at) + 1
        self.buffer, self.comment = "", []

    def step(self) -> None:
        character = self.text[self.at]
        in_enum = bool(self.scopes) and self.scopes[-1].kind == "enum"
        if self.text.startswith("//", self.at):
            self.take_comment()
        elif character == "#" and not self.buffer.strip():
            end = self.text.index("\n", self.at)
            while self.text[end - 1] == "\\":
                end = self.text.index("\n", end + 1)
            self.at, self.comment = end, []
        elif self.text.startswith("\n\n", self.at) and not self.buffer.strip():
            self.comment = []  # it was about what follows in general
            self.at += 1
        elif character in "\"'" and not self.buffer[-1:].isdigit():
            end = self.quoted(self.at)
            self.buffer += self.text[self.at : end]
            self.at = end
        elif character == "{":
            self.open_brace()
        elif character == "}":
            self.close_brace()
        elif character == ";" or (character == "," and in_enum):
            self.at += 1
            self.record(self.buffer, "value" if in_enum else "other")
        elif character == ":" and ACCESS.match(self.buffer.strip()):
            self.scopes[-1].public = self.buffer.strip() == "public"
            self.buffer, self.comment, self.at = "", [], self.at + 1
        else:
            if not self.buffer.strip():
                self.start = self.at
            self.buffer += character
            self.at += 1


def declarations(path: Path) -> list[Declaration]:
    """Every public declaration of a header, in order."""
    scanner = _Scanner(path.read_text(encoding="utf-8") + "\n")
    while scanner.at < len(scanner.text):
        scanner.step()
    if scanner.scopes:
        raise ValueError(f"{path.name}: {scanner.scopes[-1].name} is never closed")
    return [one for one in scanner.found if one.public and not one.text.startswith("friend ")]


def opening(path: Path) -> str:
    """The comment that a header starts with."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].removeprefix(" "))
    return "\n".join(lines)
