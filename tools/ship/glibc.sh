#!/bin/sh
# glibc.sh FILE...: the oldest glibc that these programs and libraries run with, as 2.34.
set -eu
for file in "$@"; do objdump -T "$file"; done | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -V | tail -n 1
