#!/bin/sh
# dist.sh BUILD OUT: the tool as OUT/evenhand-VERSION-linux-x86_64.tar.gz, which runs where it is
# unpacked, and as the wheel evenhand-tool, which has the same files.
set -eu
build=$1
out=$2
here=$(dirname "$0")
root=$here/../..
version=$(sed -n 's/.*EVENHAND_VERSION "\(.*\)"/\1/p' "$root/include/evenhand/version.h")
name=evenhand-$version-linux-$(uname -m)
tree=$out/$name
rm -rf "$tree"
mkdir -p "$out"
cmake --install "$build" --component tool --prefix "$tree" >/dev/null
cp "$build/portable/evenhand" "$tree/bin/evenhand"

private=$tree/lib/evenhand
mkdir -p "$private"
if [ -d "$tree/lib/$(uname -m)-linux-gnu/evenhand" ]; then
  mv "$tree/lib/$(uname -m)-linux-gnu/evenhand/"* "$private"
  rm -r "$tree/lib/$(uname -m)-linux-gnu"
fi
[ -f "$private/libduckdb.so" ] || { echo "dist: DuckDB of the system is not shipped: use -DEVENHAND_DUCKDB=npm" >&2; exit 1; }
for library in libstdc++.so.6 libgcc_s.so.1; do  # of DuckDB
  cp -L "$(g++ -print-file-name=$library)" "$private"
done
strip --strip-unneeded "$private"/libstdc++.so.6

doc=$tree/share/doc/evenhand
mkdir -p "$doc/licenses"
cp "$root/LICENSE" "$root/CHANGELOG.md" "$doc"
mv "$doc/LICENSE.duckdb" "$doc/licenses/duckdb.txt"
"$here/licences.sh" "$doc/licenses" coinor-libclp1 coinor-libcoinutils3v5 libssl3 liblapack3 libblas3 \
  libbz2-1.0 zlib1g libzstd1 libstdc++6 libgcc-s1 libfmt-dev nlohmann-json3-dev libcli11-dev libeigen3-dev

glibc=$("$here/glibc.sh" "$tree/bin/evenhand" "$private"/*)
cat >"$doc/README" <<END
evenhand $version for Linux, $(uname -m), with glibc $glibc or later. Nothing else is needed.

bin/evenhand          the tool: evenhand demo is a tour, evenhand --help a list
lib/evenhand          DuckDB, and the C++ library that it needs; keep it beside bin
share/man             its man page
share/bash-completion, share/zsh, share/fish
                      completion for shells
share/doc/evenhand    licences of all that is inside, and the changelog
END
tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner --mtime='2026-01-01 UTC' -c "$name" |
  gzip -9n >"$out/$name.tar.gz"
python3 "$here/tool_wheel.py" "$tree" "$version" "manylinux_$(echo "$glibc" | tr . _)_$(uname -m)" "$out"
rm -rf "$tree"
echo "$out/$name.tar.gz: $(du -m "$out/$name.tar.gz" | cut -f1) MB, needs glibc $glibc"
for wheel in "$out"/evenhand_tool-"$version"-*.whl; do
  echo "$wheel: $(du -m "$wheel" | cut -f1) MB, needs glibc $glibc"
done
