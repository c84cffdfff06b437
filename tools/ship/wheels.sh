#!/bin/sh
# wheels.sh LIBRARY OUT: wheels of the Python package in OUT, for each CPython from 3.10 to 3.13 that is
# here, linked with the library installed in LIBRARY. auditwheel puts the shared libraries that they
# need inside. One wheel serves 3.12 and all later ones. Prints size and oldest glibc.
set -eu
library=$(cd "$1" && pwd)
out=$2
here=$(dirname "$0")
root=$here/../..
rm -rf "$out"
mkdir -p "$out/raw"
"$here/interpreters.sh" >"$out/interpreters"
grep -q '^3.11 ' "$out/interpreters" || { echo "wheels: CPython 3.11 is not here" >&2; exit 1; }
"$here/../python_env.sh" build/ship-env "$here/requirements.txt"
"$here/licences.sh" "$out/licenses" coinor-libclp1 coinor-libcoinutils3v5 libssl3 liblapack3 libblas3 \
  libgfortran5 libquadmath0 libbz2-1.0 libfmt-dev nlohmann-json3-dev libeigen3-dev

# `make wheel` has made that of python3's own version already.
cp build/wheel/evenhand-*.whl "$out/raw"
own=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
env=build/python-build
stable=no
case $own in 3.1[2-9]) stable=yes ;; esac
while read -r version python; do
  [ "$version" != "$own" ] || continue
  case $version in 3.1[2-9]) [ "$stable" = no ] || continue; stable=yes ;; esac
  env=build/wheel-env-$version
  PYTHON=$python "$here/../python_env.sh" "$env" python/requirements-build.txt </dev/null
  echo "wheels: CPython $version" >&2
  EVENHAND_PREBUILT=$library EVENHAND_WERROR=ON CMAKE_BUILD_PARALLEL_LEVEL=2 "$env/bin/python" -m pip wheel "$root" \
    --quiet --disable-pip-version-check --no-deps --no-build-isolation --config-settings build-dir="build/python-$version" \
    -w "$out/raw" </dev/null
done <"$out/interpreters"
cp "$env"/lib/python3*/site-packages/nanobind-*.dist-info/licenses/LICENSE "$out/licenses/nanobind.txt"

PATH=$(pwd)/build/ship-env/bin:$PATH
for wheel in "$out"/raw/*.whl; do
  python "$here/add_licences.py" "$wheel" "$out/licenses"
  auditwheel --verbose repair --strip -w "$out" "$wheel" >"$out/auditwheel.log" 2>&1 || { cat "$out/auditwheel.log" >&2; exit 1; }
done
rm -r "$out/raw" "$out/licenses"
for wheel in "$out"/*.whl; do
  echo "$wheel: $(du -m "$wheel" | cut -f1) MB, needs glibc $(echo "$wheel" | sed 's/.*manylinux_\([0-9]*\)_\([0-9]*\)_.*/\1.\2/')"
done
