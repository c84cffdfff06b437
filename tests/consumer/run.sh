#!/bin/sh
# Installs a build of evenhand into a temporary folder, then builds and runs this outside project
# against it: what a user's first five minutes depend on, and no other test would notice.
# Usage: run.sh SOURCE_DIR BUILD_DIR (the build must be complete)
set -eu
[ $# -eq 2 ] || { echo "usage: run.sh SOURCE_DIR BUILD_DIR" >&2; exit 2; }
consumer=$1/tests/consumer
build=$2
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
trap 'exit 1' HUP INT TERM
log=$temporary/log

fail() {
  echo "consumer: $1" >&2
  [ ! -s "$log" ] || cat "$log" >&2
  exit 1
}

cached() {  # an entry of the build's cache
  sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"
}

# With the build's own generator and compiler; a sanitized library needs the sanitizers linked.
configure() {  # into folder $1, further options after it
  folder=$1
  shift
  cmake -S "$consumer" -B "$folder" -G "$(cached CMAKE_GENERATOR)" \
    -DCMAKE_CXX_COMPILER="$(cached CMAKE_CXX_COMPILER)" \
    -DCMAKE_CXX_FLAGS="${sanitizers:+-fsanitize=$sanitizers}" \
    -DCMAKE_PREFIX_PATH="$temporary/prefix" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF "$@" >"$log" 2>&1
}

prints() {  # program $1 prints exactly $2
  actual=$("$temporary/build/$1" 2>"$log") || fail "$1 fails"
  [ "$actual" = "$2" ] || fail "$1 prints '$actual' instead of '$2'"
}

[ -f "$build/CMakeCache.txt" ] || fail "$build is not a build folder"
sanitizers=$(cached EVENHAND_SANITIZE)
cmake --install "$build" --prefix "$temporary/prefix" >"$log" 2>&1 || fail "cannot install"

configure "$temporary/build" || fail "cannot configure"
case $(sed -n 's/^evenhand_DIR:[A-Z]*=//p' "$temporary/build/CMakeCache.txt") in
  "$temporary"/prefix/*) ;;
  *) fail "found an evenhand other than the one just installed" ;;
esac
cmake --build "$temporary/build" >"$log" 2>&1 || fail "cannot build"

prints decide "1
0
1"
prints fit optimal

# Deciding must not bring what only solving may need.
ldd "$temporary/build/decide" >"$log" || fail "ldd fails"
grep -q "libc[.]" "$log" || fail "ldd does not list what decide links"
! grep -Eq 'libClp|libCoinUtils|[Ee]igen' "$log" || fail "decide links the solver's libraries"

# A version that does not exist yet; CMake folds its message into lines.
! configure "$temporary/newer" -DWANTED_VERSION=99.0 || fail "version 99.0 is found"
tr -s ' \n' ' ' <"$log" | grep -q 'compatible with requested version "99.0"' ||
  fail "version 99.0 is refused for another reason"
