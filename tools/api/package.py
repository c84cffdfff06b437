"""Reads the public names of the Python package from its sources, without importing it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

Definition = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


class Package:
    """The modules of a package, by their dotted names."""

    def __init__(self, folder: Path) -> None:
        """Parse every module of the package in `folder`."""
        self.name = folder.name
        self.modules: dict[str, ast.Module] = {}
        self.folders = set()
        for path in sorted(folder.rglob("*.py")):
            parts = [self.name, *path.relative_to(folder).with_suffix("").parts]
            if parts[-1] == "__init__":
                parts.pop()
                self.folders.add(".".join(parts))
            self.modules[".".join(parts)] = ast.parse(path.read_text(encoding="utf-8"))

    def public_modules(self) -> list[str]:
        """Return modules without an underscore that say what they export."""
        return [
            name
            for name in self.modules
            if "._" not in name and (name == self.name or self.exported(name))
        ]

    def exported(self, module: str) -> list[str]:
        """Return `__all__` of a module."""
        for node in self.modules[module].body:
            if isinstance(node, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
            ):
                return sorted(ast.literal_eval(node.value))
        return []

    def find(self, module: str, name: str) -> tuple[str, Definition] | None:
        """Return where a name is defined and its definition; None: in compiled code, or a module."""
        if module not in self.modules:
            return None
        found: tuple[str, Definition] | None = None
        for node in ast.walk(self.modules[module]):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        source = self.resolve(module, node)
                        if f"{source}.{alias.name}" in self.modules:
                            return None
                        return self.find(source, alias.name)
        for node in self.modules[module].body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
                found = module, node  # the last one: after the overloads
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                    found = module, node
        return found

    def resolve(self, module: str, node: ast.ImportFrom) -> str:
        """Return the module that `from X import` means."""
        if not node.level:
            return node.module or ""
        parts = module.split(".")
        drop = node.level - (module in self.folders)
        return ".".join([*parts[: len(parts) - drop], *filter(None, [node.module])])

    def members(self, module: str, node: ast.ClassDef) -> Iterator[ast.stmt]:
        """Yield the statements of a class and of those of its bases that are in the package."""
        for base in node.bases:
            if isinstance(base, ast.Name) and (found := self.find(module, base.id)):
                where, definition = found
                if isinstance(definition, ast.ClassDef):
                    yield from self.members(where, definition)
        yield from node.body


def decorators(node: ast.FunctionDef) -> set[str]:
    """Return the names of decorators."""
    return {ast.unparse(decorator) for decorator in node.decorator_list}


def parameters(node: ast.FunctionDef, bound: bool) -> Iterator[str]:
    """Yield a line for each parameter: its name, with * if by keyword only, and its default."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    for argument, default in list(zip(positional, [*defaults, *arguments.defaults], strict=True))[bound:]:
        yield argument.arg + (f"={ast.unparse(default)}" if default else "")
    if arguments.vararg:
        yield f"*{arguments.vararg.arg}"
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield f"{argument.arg}" + (f"={ast.unparse(default)}" if default else "") + ", by keyword"
    if arguments.kwarg:
        yield f"**{arguments.kwarg.arg}"


def made_by_users(node: ast.ClassDef) -> bool:
    """Whether people construct a class themselves: its documentation then lists the parameters."""
    return "Parameters\n" in (ast.get_docstring(node) or "")


def described(package: Package, name: str, module: str, node: Definition) -> Iterator[str]:
    """Yield the lines of the snapshot for one public name."""
    if isinstance(node, ast.FunctionDef):
        yield f"{name}()"
        yield from (f"{name}() {each}" for each in parameters(node, bound=False))
    elif isinstance(node, ast.ClassDef):
        yield f"class {name}"
        seen: dict[str, list[str]] = {}
        for member in package.members(module, node):
            if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
                if not member.target.id.startswith("_"):
                    seen[member.target.id] = [f"{name}.{member.target.id}"]
            elif isinstance(member, ast.FunctionDef):
                if member.name.startswith("_") and not (member.name == "__init__" and made_by_users(node)):
                    continue
                if "property" in decorators(member):
                    seen[member.name] = [f"{name}.{member.name}"]
                    continue
                bound = "staticmethod" not in decorators(member)
                own = f"{name}.{member.name}()"
                seen[member.name] = [own, *(f"{own} {each}" for each in parameters(member, bound))]
        for lines in seen.values():
            yield from lines
    else:
        yield name


def public_lines(folder: Path) -> list[str]:
    """Return the whole public API of the package in `folder`, one line for each name and parameter."""
    package = Package(folder)
    lines = []
    for module in package.public_modules():
        for name in package.exported(module):
            found = package.find(module, name)
            dotted = f"{module}.{name}"
            lines += list(described(package, dotted, *found)) if found else [dotted]
    return sorted(set(lines))
