#!/bin/sh
# Feeds what reads outside text and bytes with hostile input (libFuzzer, with the address and
# undefined-behaviour sanitizers).
# Usage: run.sh SOURCE_DIR BUILD_DIR [SECONDS]
# SECONDS (60 unless given) are shared by all targets. Objects stay in BUILD_DIR, so that the next
# run compiles only what changed; the corpus stays as it is.
set -eu
case $# in 2 | 3) ;; *) echo "usage: run.sh SOURCE_DIR BUILD_DIR [SECONDS]" >&2; exit 2 ;; esac
seconds=${3:-60}
case $seconds in
  '' | *[!0-9]*) echo "fuzz: SECONDS is a whole number, not '$seconds'" >&2; exit 2 ;;
esac
[ -f "$1/fuzz/run.sh" ] || { echo "fuzz: $1 is not the source folder of evenhand" >&2; exit 2; }
source=$(cd "$1" && pwd)
mkdir -p "$2"
build=$(cd "$2" && pwd)
targets="monitor_state requirement rule_json soft_rule_json tally_bytes"
compiler=clang++-14
sanitizers=address,undefined

command -v "$compiler" >/dev/null 2>&1 || {
  echo "fuzz: $compiler is missing; on Debian: apt-get install clang-14 libclang-rt-14-dev" >&2
  exit 1
}
runtime=$("$compiler" -print-resource-dir)/lib
[ -n "$(find "$runtime" -name 'libclang_rt.fuzzer*' 2>/dev/null)" ] || {
  echo "fuzz: $compiler has no libFuzzer; on Debian: apt-get install libclang-rt-14-dev" >&2
  exit 1
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

is_current() {  # object $1 is newer than source $2, the headers and this script
  [ -f "$1" ] || return 1
  [ -z "$(find "$2" "$source/fuzz/run.sh" -newer "$1")" ] || return 1
  [ -z "$(find "$source/include" "$source/src/rule" "$source/src/support" "$source/src/tally" \
    "$source/src/requirement" "$source/src/confidence" \
    "$source/fuzz" -name '*.h' -newer "$1")" ]
}

compile() {  # source $1 into object $2
  ! is_current "$2" "$1" || return 0
  "$compiler" -std=c++20 -O1 -g -ffp-contract=off \
    -fsanitize="fuzzer-no-link,$sanitizers" -fno-sanitize-recover=all -fno-omit-frame-pointer \
    -I"$source/include" -I"$source/src" -c "$1" -o "$2.new" ||
    { echo "fuzz: cannot compile $1" >&2; exit 1; }
  mv "$2.new" "$2"  # an interrupted compiler leaves nothing that looks complete
}

objects=""
for file in "$source"/src/rule/*.cpp "$source"/src/support/*.cpp "$source"/src/tally/*.cpp \
  "$source"/src/requirement/*.cpp "$source/src/audit/rates.cpp" \
  "$source/src/confidence/evidence.cpp" "$source/src/confidence/monitor.cpp" \
  "$source/src/confidence/monitor_state.cpp"; do
  folder=${file%/*}
  object="$build/${folder##*/}_$(basename "$file" .cpp).o"
  compile "$file" "$object"
  objects="$objects $(basename "$object")"
done
for target in $targets; do
  compile "$source/fuzz/${target}_fuzz.cpp" "$build/${target}_fuzz.o"
  # shellcheck disable=SC2086  # a list of words, without white space inside them
  (cd "$build" && "$compiler" -fsanitize="fuzzer,$sanitizers" "${target}_fuzz.o" $objects \
    -o "${target}_fuzz" -lcrypto -lpthread)
done

seeds() {  # of target $1 into folder $2; rules also from the test vectors, the small ones
  cp "$source/fuzz/corpus/$1"/* "$2"
  [ "$1" != rule_json ] ||
    find "$source/tests/vectors" -name '*.rule.json' -size -8 -exec cp {} "$2" \;
}

count=0
for target in $targets; do count=$((count + 1)); done
share=$((seconds / count))
[ "$share" -gt 0 ] || share=1  # 0 would mean for ever
findings=$build/findings
mkdir -p "$findings"
failed=""
for target in $targets; do
  mkdir "$scratch/$target"
  seeds "$target" "$scratch/$target"
  dictionary=""
  [ ! -f "$source/fuzz/$target.dict" ] || dictionary="-dict=$source/fuzz/$target.dict"
  log=$build/$target.log
  if "$build/${target}_fuzz" ${dictionary:+"$dictionary"} -max_total_time="$share" -max_len=4096 \
    -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$findings/$target-" "$scratch/$target" >"$log" 2>&1; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    echo "fuzz: $target: $runs inputs in $share s, no finding"
  else
    failed="$failed $target"
    echo "fuzz: $target: a finding:" >&2
    grep -E 'broken promise|ERROR|SUMMARY|runtime error|what\(\)' "$log" >&2 || tail -n 20 "$log" >&2
    input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
    echo "fuzz: the whole log is $log" >&2
    [ -z "$input" ] || echo "fuzz: again with: '$build/${target}_fuzz' '$input'" >&2
  fi
done
[ -z "$failed" ]
