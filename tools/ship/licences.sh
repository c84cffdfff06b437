#!/bin/sh
# licences.sh FOLDER PACKAGE...: what these Debian packages say about their licences, as FOLDER/PACKAGE.txt.
set -eu
folder=$1
shift
mkdir -p "$folder"
for package in "$@"; do
  cp "/usr/share/doc/$package/copyright" "$folder/$package.txt"
done
