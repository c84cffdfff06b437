#!/bin/sh
# make.sh TOOL: rules, decisions and tallies as this tool writes them, in tests/released/VERSION. Run once
# for each release, with its tool; what is there is never changed. test_released.py reads all of it.
set -eu
tool=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
version=$("$tool" --version | cut -d' ' -f2)
folder=$here/$version
[ ! -e "$folder" ] || { echo "$folder is there already" >&2; exit 1; }
mkdir "$folder"
cd "$folder"
head -n 251 "$here/../../data/adult-scores.csv" >people.csv
printf 'a key that every version knows' >key

rule() {  # NAME OPTIONS...: a rule, and what it decides
  name=$1
  shift
  "$tool" fit people.csv --score score "$@" -o "$name.rule.json" >/dev/null
  "$tool" apply people.csv --rule "$name.rule.json" --id person --key-file key -q -o all.csv
  cut -d, -f1,8,9 all.csv >"$name.decided.csv"
  rm all.csv
}
rule parity --sensitive sex --criterion statistical-parity
rule parity-within --sensitive sex --within education --criterion statistical-parity --tolerance 0.1
rule odds --sensitive sex --label high_income --criterion equalized-odds --tolerance 0.02
rule ramps --sensitive sex --criterion statistical-parity --gamma 0.2
rule calibrated --sensitive sex --label high_income --criterion statistical-parity --calibrate platt
rule rounded --sensitive sex --criterion four-fifths --resolution 6
rule required --sensitive sex,race --require 'rate[sex=Female] >= 0.2' --cost-fn 2
# A soft column: here one that is known.
"$tool" fit --sql "SELECT *, CASE sex WHEN 'Female' THEN 0.9 ELSE 0.2 END AS female FROM 'people.csv'" \
  --score score --soft female --criterion statistical-parity -o soft.rule.json >/dev/null
"$tool" tally people.csv --score score --sensitive sex --label high_income -o labelled.parquet
"$tool" tally people.csv --score score --sensitive sex --within race --resolution 8 -o rounded.parquet
"$tool" tally people.csv --score score --sensitive sex --label high_income --min-count 5 -o pooled.parquet
