#!/bin/sh
# interpreters.sh: the interpreters of CPython 3.10 to 3.13 that are here, one "3.11 /path/to/python" a
# line; on the path or kept by pyenv.
set -eu
works() { [ -x "$2" ] && [ "$("$2" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$1" ]; }
pyenv_root=${PYENV_ROOT:-${HOME:-/}/.pyenv}
for version in 3.11 3.10 3.12 3.13; do
  for python in "$pyenv_root/versions/$version".*/bin/python3 "$(command -v "python$version" || true)" \
    "$(command -v python3 || true)"; do
    if works "$version" "$python"; then
      echo "$version $python"
      break
    fi
  done
done
