"""tool_wheel.py TREE VERSION PLATFORM OUT: the wheel evenhand-tool, of the tool's files in TREE.

pip puts what a wheel calls scripts into bin/ and its data into the prefix, so that the tool finds
its libraries in ../lib/evenhand, as in the tarball; man page and completions come along.
"""

from __future__ import annotations

import sys
from pathlib import Path

from wheel_file import Member, write

METADATA = """\
Metadata-Version: 2.4
Name: evenhand-tool
Version: {version}
Summary: The command line tool of evenhand: even-handed decisions from any model's scores
License-Expression: MIT
{licences}Requires-Python: >=3.8
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence
Description-Content-Type: text/plain

Puts the command evenhand on the path. `evenhand demo` is a tour of it, `evenhand --help` a list.
It needs no Python once it is installed; `pip install 'evenhand[tool]'` brings the Python package too.
"""


def main() -> None:
    """Write the wheel."""
    tree, version, platform, out = Path(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])
    name = f"evenhand_tool-{version}"
    info, data = f"{name}.dist-info", f"{name}.data"
    members, licences = [], []
    for path in sorted(path for path in tree.rglob("*") if path.is_file()):
        inside = path.relative_to(tree)
        content = path.read_bytes()
        if inside.parts[0] == "bin":
            members.append(Member(f"{data}/scripts/{inside.name}", content, executable=True))
        elif inside.parts[:3] == ("share", "doc", "evenhand"):
            if inside.name == "LICENSE" or "licenses" in inside.parts:
                licences.append(inside.name)
                members.append(Member(f"{info}/licenses/{inside.name}", content))
        else:
            members.append(Member(f"{data}/data/{inside.as_posix()}", content))
    listed = "".join(f"License-File: {each}\n" for each in licences)
    members.append(Member(f"{info}/METADATA", METADATA.format(version=version, licences=listed).encode()))
    wheel = f"Wheel-Version: 1.0\nGenerator: evenhand\nRoot-Is-Purelib: false\nTag: py3-none-{platform}\n"
    members.append(Member(f"{info}/WHEEL", wheel.encode()))
    for old in out.glob("evenhand_tool-*.whl"):
        old.unlink()
    write(out / f"{name}-py3-none-{platform}.whl", info, members)


if __name__ == "__main__":
    main()
