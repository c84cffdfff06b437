#!/bin/sh
# bare.sh DIST WHEELS WORK: everything that is shipped, as somebody meets it who has no compiler and none
# of our libraries: the tarball and the tool's wheel where there is only libc, the Python wheels where
# there are libc, the C++ library (NumPy needs it) and a CPython, for each of those that are here.
# bubblewrap makes these places; they have no network.
set -eu
dist=$(cd "$1" && pwd)
wheels=$(cd "$2" && pwd)
mkdir -p "$3"
work=$(cd "$3" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
triple=$(uname -m)-linux-gnu

libraries() {  # FOLDER NAME...: copies these libraries of the system
  folder=$1
  shift
  mkdir -p "$folder/lib/$triple" "$folder/lib64" "$folder/tmp" "$folder/home" "$folder/bin" "$folder/usr"
  cp -L /lib64/ld-linux-x86-64.so.2 "$folder/lib64"
  for name in "$@"; do cp -L "/lib/$triple/$name" "$folder/lib/$triple"; done
}
c_library="libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 libutil.so.1 libresolv.so.2"

in_bare() {  # ROOT [OPTIONS OF BWRAP] -- COMMAND
  place=$1
  shift
  bwrap --bind "$place" / --proc /proc --dev /dev --tmpfs /tmp --unshare-all --die-with-parent --clearenv \
    --setenv HOME /home --setenv EVENHAND /env/bin/evenhand --setenv LC_ALL C.UTF-8 --setenv PATH /env/bin:/bin --chdir /home "$@" </dev/null
}

rm -rf "$work"
mkdir -p "$work/unpacked"
# shellcheck disable=SC2086  # a list of words
libraries "$work/c" $c_library
tar -C "$work/unpacked" -xzf "$dist"/evenhand-*-linux-*.tar.gz
tool=$(basename "$work"/unpacked/evenhand-*)
echo "bare: $tool, with libc alone"
in_bare "$work/c" --ro-bind "$work/unpacked/$tool" /bin -- /bin/bin/evenhand demo -o demo >"$work/demo.txt"
grep -q 'proven optimal' "$work/demo.txt"

"$here/interpreters.sh" | while read -r version python; do
  prefix=$("$python" -c 'import sys; print(sys.base_prefix)')
  place=$work/$version
  # shellcheck disable=SC2086
  libraries "$place" $c_library libstdc++.so.6 libgcc_s.so.1 libz.so.1
  cp -L "/lib/$triple"/libffi.so.* "/usr/lib/$triple"/libffi.so.* "$place/lib/$triple" 2>/dev/null || true
  mkdir -p "$place/source" "$place/dist" "$place$prefix" "$place/packages" "$place/wheels" "$place/project"
  # What the tests need comes from the package index before the network is gone.
  packages=$root/build/bare-packages-$version
  if ! cmp -s "$here/bare-requirements.txt" "$packages/requirements.txt"; then
    rm -rf "$packages"
    "$python" -m pip download --quiet --disable-pip-version-check --only-binary :all: -d "$packages" \
      -r "$here/bare-requirements.txt" -r "$root/python/requirements-build.txt" </dev/null
    cp "$here/bare-requirements.txt" "$packages/requirements.txt"
  fi
  echo "bare: CPython $version"
  set -- --ro-bind "$prefix" "$prefix" --ro-bind "$packages" /packages --ro-bind "$wheels" /wheels \
    --ro-bind "$dist" /dist --ro-bind "$root/python/tests" /project/python/tests \
    --ro-bind "$root/tests" /project/tests --ro-bind "$root/data" /project/data \
    --ro-bind "$root/CMakeLists.txt" /project/CMakeLists.txt --ro-bind "$root/pyproject.toml" /project/pyproject.toml --
  mkdir -p "$place/project/python" && touch "$place/project/CMakeLists.txt" "$place/project/pyproject.toml"
  in_bare "$place" "$@" "$prefix/bin/python3" -I -m venv /env
  in_bare "$place" "$@" /env/bin/python -m pip install --quiet --disable-pip-version-check --no-index \
    --find-links /packages --find-links /wheels --find-links /dist 'evenhand[tool]' -r /packages/requirements.txt
  in_bare "$place" "$@" /env/bin/evenhand demo -o demo >"$work/demo-$version.txt"
  grep -q 'proven optimal' "$work/demo-$version.txt"
  in_bare "$place" "$@" /env/bin/python -m pytest -q -p no:cacheprovider -n 2 --import-mode=append \
    -c /project/pyproject.toml -m "not full" --rootdir /project $(sed 's|^|/project/python/tests/|' "$here/bare-tests.txt")
  # From the sources it cannot be installed here; one line says why.
  if in_bare "$place" --ro-bind "$root" /source "$@" /env/bin/python -m pip install --no-index \
    --disable-pip-version-check --find-links /packages /source >"$work/source-$version.txt" 2>&1; then
    echo "bare: installed from the sources, without a compiler" >&2
    exit 1
  fi
  grep 'evenhand: cannot compile here: .*g++' "$work/source-$version.txt"
done
