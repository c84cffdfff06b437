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
rm -rf "$folder"
if ! "$python" -m venv "$folder" >/dev/null 2>&1; then
  # Debian ships venv as a package of its own.
  "$(dirname "$0")/setup.sh" python3-venv
  rm -rf "$folder"
  "$python" -m venv "$folder"
fi
# Python compiles modules when they are first imported; most of these never are.
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile -r "$requirements"
cp "$requirements" "$folder/requirements.txt"
