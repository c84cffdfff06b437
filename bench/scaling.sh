#!/bin/sh
# scaling.sh pack BUILD DIST OUT: all that a machine without compiler and network needs, in the folder OUT:
#   the program evenhand_scaling with its libraries, and the tool's tarball from DIST. 40 MB.
# scaling.sh run OUT ROWS TOOL_ROWS: the library and the tool on 1, 2, 4, ... cores, as Markdown.
set -eu
case "$1" in
pack)
  build=$2 dist=$3 out=$4
  rm -rf "$out"
  mkdir -p "$out/lib"
  cp "$build/bench/evenhand_scaling" "$out/lib"
  ldd "$out/lib/evenhand_scaling" | grep -o '/[^ ]*' | while read -r library; do cp -L "$library" "$out/lib"; done
  tar -C "$out" -czf "$out/lib.tar.gz" lib
  rm -r "$out/lib"
  cp "$dist"/evenhand-*-linux-*.tar.gz "$out/tool.tar.gz"
  cp "$0" "$out"
  ;;
run)
  out=$2 rows=$3 tool_rows=$4
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  grep -m1 'model name' /proc/cpuinfo | sed 's/.*: //'
  tar -C "$work" -xzf "$out/lib.tar.gz"
  "$work"/lib/ld-linux-*.so.* --library-path "$work/lib" "$work/lib/evenhand_scaling" "$rows"
  mkdir "$work/tool"
  tar -xzf "$out/tool.tar.gz" -C "$work/tool" --strip-components 1
  tool=$work/tool/bin/evenhand
  people="SELECT range AS id, (hash(range) % 1000000007) / 1000000007 AS score,
    ['A', 'B', 'C', 'D'][(1 + hash(range + 1) % 4)::INT] AS g FROM range"
  (umask 077 && head -c 32 /dev/urandom >"$work/key")
  "$tool" fit --sql "$people(1000)" --score score --sensitive g --criterion statistical-parity \
    -o "$work/rule.json" >"$work/log"
  "$tool" apply -q --sql "$people($tool_rows)" --rule "$work/rule.json" --score score --id id \
    --key-file "$work/key" -o "$work/rows.parquet" >"$work/log"
  printf '\n%s rows of Parquet\n\n| what | cores | seconds | times one core |\n|---|---|---|---|\n' "$tool_rows"
  cores=$(nproc)
  for what in fit apply-id apply-seed; do
    threads=1
    while [ "$threads" -le "$cores" ]; do
      start=$(date +%s.%N)
      case "$what" in
      fit) "$tool" fit "$work/rows.parquet" --score score --sensitive g --criterion statistical-parity \
        --threads "$threads" -o "$work/rule.$threads.json" --no-source >"$work/log" ;;
      apply-*)
        by="--id id --key-file $work/key"
        [ "$what" = apply-id ] || by="--seed 7"
        # shellcheck disable=SC2086 # several words
        "$tool" apply -q "$work/rows.parquet" --rule "$work/rule.1.json" --score score $by \
          --probability-name p --decision-name yes --threads "$threads" -o "$work/decided.parquet" >"$work/log"
        ;;
      esac
      time=$(echo "$start $(date +%s.%N)" | awk '{ print $2 - $1 }')
      [ "$threads" -gt 1 ] || alone=$time
      cmp "$work/rule.1.json" "$work/rule.$threads.json"
      echo "$what $threads $time $alone" | awk '{ printf "| %s | %d | %.2f | %.1f |\n", $1, $2, $3, $4 / $3 }'
      threads=$((threads * 2))
    done
  done
  ;;
*)
  echo "scaling.sh: pack or run?" >&2
  exit 2
  ;;
esac
