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
  threads=1 list=
  while [ "$threads" -le "$(nproc)" ]; do
    list="$list $threads" threads=$((threads * 2))
  done
  decide() {
    "$tool" apply -q --json "$work/rows.parquet" --rule "$work/fit.answer" --score score \
      --probability-name p --decision-name yes -o "$work/decided.parquet" "$@" >"$work/answer"
  }
  once() { # what, on so many threads
    case "$1" in
    fit) "$tool" fit "$work/rows.parquet" --score score --sensitive g --criterion statistical-parity \
      --threads "$2" -o "$work/answer" --no-source >"$work/log" ;;
    id) decide --threads "$2" --id id --key-file "$work/key" ;;
    seed) decide --threads "$2" --seed 7 ;;
    esac
  }
  line() { # what, how often, in words: medians on each number of threads, whose answers are the same
    row="| $3 |" alone=
    for threads in $list; do
      times=
      for _ in $(seq "$2"); do
        start=$(date +%s.%N)
        once "$1" "$threads"
        times="$times $(echo "$start $(date +%s.%N)" | awk '{ print $2 - $1 }')"
        [ -f "$work/$1.answer" ] || cp "$work/answer" "$work/$1.answer"
        cmp "$work/answer" "$work/$1.answer"
      done
      time=$(echo "$times" | tr ' ' '\n' | sed '/^$/d' | sort -g | sed -n "$((($2 + 1) / 2))p")
      alone=${alone:-$time}
      row="$row $(echo "$time" | awk '{ printf "%.2f", $1 }') |"
    done
    echo "$row $(echo "$alone $time" | awk '{ printf "%.1f", $1 / $2 }') |"
  }
  printf '\n%s rows of Parquet: seconds\n\n| cores |%s times faster |\n' "$tool_rows" \
    "$(printf ' %s |' $list)"
  echo "|---|$(printf -- '---|%.0s' $list)---|"
  line fit 3 '`fit`, statistical parity'
  line id 1 '`apply --id`, a hash for each coin'
  line seed 1 '`apply --seed`'
  ;;
*)
  echo "scaling.sh: pack or run?" >&2
  exit 2
  ;;
esac
