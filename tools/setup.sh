#!/bin/sh
# Makes sure that what the build needs is there: tools by their command, wherever it comes from;
# libraries, and packages named as arguments, as Debian packages. Installs what is missing with
# apt-get where it may, otherwise says what to install.
set -eu
libraries="libssl-dev libfmt-dev nlohmann-json3-dev libgtest-dev coinor-libclp-dev libeigen3-dev libcli11-dev zlib1g-dev libzstd-dev"

has() { command -v "$1" >/dev/null 2>&1; }

cmake_is_new_enough() {  # 3.25 or later
  version=$(cmake --version 2>/dev/null) || return 1
  version=${version#cmake version }
  major=${version%%.*}
  minor=${version#*.}
  minor=${minor%%.*}
  [ "$major" -gt 3 ] 2>/dev/null || { [ "$major" -eq 3 ] && [ "$minor" -ge 25 ]; } 2>/dev/null
}

missing_tools() {  # by the name of their package
  has g++ || printf ' g++'
  cmake_is_new_enough || printf ' cmake'
  has ninja || printf ' ninja-build'
  for tool in python3 git make npm; do has "$tool" || printf ' %s' "$tool"; done
}

missing_packages() {  # of those named; one question for all of them, since each takes a while
  installed=$(dpkg-query -W -f '|${Package} ${db:Status-Status}|' "$@" 2>/dev/null || true)
  for package in "$@"; do
    case $installed in
      *"|$package installed|"*) ;;
      *) printf ' %s' "$package" ;;
    esac
  done
}

missing=$(missing_tools)
others=""
for package in "$@"; do has "$package" || others="$others $package"; done

if ! has apt-get || ! has dpkg-query; then
  # Not Debian: libraries have other names here, and CMake is the one to find them.
  if [ -n "$missing$others" ]; then
    echo "evenhand: please install these first (cmake 3.25 or later):$missing$others" >&2
    exit 1
  fi
  echo "evenhand: no apt-get here; the build needs, by their Debian names: $libraries" >&2
  exit 0
fi

# shellcheck disable=SC2086  # lists of words
missing=$missing$(missing_packages $libraries $others)
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -ne 0 ]; then
  echo "evenhand: please install these packages first: apt-get install$missing" >&2
  exit 1
fi

install_missing() {
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing </dev/null
}
echo "evenhand: installing$missing" >&2
# The first try fails where the lists of packages are absent or old; the second one may say why.
if ! install_missing >/dev/null 2>&1; then
  apt-get update -q >/dev/null || true
  install_missing >/dev/null || { echo "evenhand: could not install:$missing" >&2; exit 1; }
fi
still=$(missing_tools)
if [ -n "$still" ]; then
  echo "evenhand: still missing, or older than needed (cmake 3.25):$still" >&2
  exit 1
fi
