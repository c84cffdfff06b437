#!/bin/sh
# python_env.sh FOLDER REQUIREMENTS: a virtual environment with those packages, made once and again
# when the list changes. PYTHON is the interpreter, python3 unless it is set.
set -eu
python=${PYTHON:-python3}
folder=$1
requirements=$2
if [ -f "$folder/requirements.txt" ] && cmp -s "$requirements" "$folder/requirements.txt"; then
  exit 0
fi
echo "evenhand: making a Python environment in $folder" >&2
# Python takes seconds to put pip into an environment: once, into an empty one that all others copy.
empty="$(dirname "$folder")/empty-env-$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])')"
if [ ! -f "$empty/ready" ]; then
  rm -rf "$empty"
  if ! "$python" -m venv "$empty" >/dev/null 2>&1; then
    # Debian ships venv as a package of its own.
    "$(dirname "$0")/setup.sh" python3-venv
    rm -rf "$empty"
    "$python" -m venv "$empty"
  fi
  touch "$empty/ready"
fi
rm -rf "$folder"
"$python" -m venv --without-pip "$folder"
cp -R "$empty"/lib/python*/site-packages/. "$folder"/lib/python*/site-packages/
# Python compiles modules when they are first imported; most of these never are.
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile -r "$requirements"
cp "$requirements" "$folder/requirements.txt"
