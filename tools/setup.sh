#!/bin/sh
# Installs the Debian packages that the build needs (and those named as arguments) if they are
# missing: with apt-get where we may, otherwise by saying which.
set -eu
packages="g++ cmake ninja-build python3 libssl-dev libfmt-dev nlohmann-json3-dev libgtest-dev
coinor-libclp-dev $*"
missing=""
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
    missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -ne 0 ]; then
  echo "evenhand: please install these packages first: apt-get install$missing" >&2
  exit 1
fi
echo "evenhand: installing$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
apt-get install -y -q $missing >/dev/null 2>&1 ||
  { apt-get update -q >/dev/null && apt-get install -y -q $missing >/dev/null; }
