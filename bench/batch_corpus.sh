#!/usr/bin/env bash
# fcsim batch over every bundle of a folder by 50 settings: once undisturbed, once killed several
# times on the way. Compares the exports of both and prints a Markdown table.
#
#     bench/batch_corpus.sh [FCSIM] [FOLDER] [KILLS]
#         FCSIM: the command, build/release/fcsim otherwise; FOLDER: ../shared/corpus otherwise
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fcsim=${1:-build/release/fcsim}
bundles=${2:-../shared/corpus}
kills=${3:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# 10 sizes of the fast-commit area by 5 limits of ranges.
grid=(-p 'filesystem.fast_commit_kib=128..65536*2' -p 'range_tracking.max_ranges=1,4,16,64,256')

# Wall time of a batch into the database, in nanoseconds; its status is 1 where bundles fail.
measure() {
  local begin end
  begin=$(date +%s%N)
  "$fcsim" batch -q "$bundles" "${grid[@]}" -o "$1" 2>>"$folder/errors" || (($? == 1))
  end=$(date +%s%N)
  echo $((end - begin))
}
seconds() { awk -v n="$1" 'BEGIN {printf "%.1f s", n / 1e9}'; }
count() { sqlite3 "$folder/whole.db" "$1"; }

whole=$(measure "$folder/whole.db")

for ((i = 1; i <= kills; ++i)); do
  "$fcsim" batch -q "$bundles" "${grid[@]}" -o "$folder/killed.db" 2>/dev/null &
  pid=$!
  sleep "$(awk -v n="$whole" -v k="$kills" 'BEGIN {printf "%.3f", n / 1e9 / (k + 1)}')"
  kill -KILL "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
  sqlite3 -readonly "$folder/killed.db" 'SELECT count(*) FROM result' >>"$folder/after_kill"
done
rest=$(measure "$folder/killed.db")
again=$(measure "$folder/whole.db")

for name in whole killed; do
  begin=$(date +%s%N)
  "$fcsim" batch --export csv "$folder/$name.db" >"$folder/$name.csv"
  export_time=$(($(date +%s%N) - begin))
done
verdict=identical
cmp -s "$folder/whole.csv" "$folder/killed.csv" || verdict=DIFFERENT

printf 'Machine: %s, %s CPUs; commit %s.\n\n' \
  "$(awk -F': ' '/model name/ {print $2; exit}' /proc/cpuinfo)" "$(nproc)" \
  "$(git describe --always --dirty)"
cat <<TABLE
| what | |
|---|--:|
| bundles, settings | $(count 'SELECT count(*) FROM bundle'), $(count 'SELECT count(*) FROM setting') |
| rows, errors among them | $(count 'SELECT count(*) FROM result'), $(count 'SELECT count(error) FROM result') |
| undisturbed | $(seconds "$whole") |
| rows after each of $kills kills | $(tr '\n' ' ' <"$folder/after_kill")|
| the rest after the last kill | $(seconds "$rest") |
| once more with nothing to do | $(seconds "$again") |
| export as CSV, $(stat -c %s "$folder/whole.csv") bytes | $(seconds "$export_time") |
| database | $(stat -c %s "$folder/whole.db") bytes |
| exports of both | $verdict |
TABLE
[[ "$verdict" == identical ]]
