#!/usr/bin/env bash
# What `run` pays for the account of data at risk that nobody asks for, as a row of a Markdown table:
# all instructions of a replay, and those of the source lines that ask whether an observer is there.
#
#     bench/exposure_cost.sh FCSIM [TRACE-OR-BUNDLE...]
#
# Needs valgrind and a build with line numbers (-g1). FSYNCS: of the append trace, 2000 otherwise.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."
fcsim=$(realpath "$1")
shift
export FCSIM_CONFIG_DIR=${FCSIM_CONFIG_DIR:-$PWD/configs}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
traces=("$@")
if ((${#traces[@]} == 0)); then
  "$fcsim" workload append-fsync --fsyncs "${FSYNCS:-2000}" -o "$folder/append-fsync" 2>/dev/null
  traces=("$folder/append-fsync")
fi
echo '| trace | instructions | asking for an observer | share |'
echo '|---|--:|--:|--:|'
for trace in "${traces[@]}"; do
  valgrind -q --tool=callgrind --callgrind-out-file="$folder/out" "$fcsim" run -q "$trace" \
    >/dev/null 2>&1
  callgrind_annotate --auto=yes --threshold=100 --show-percs=no --include="$PWD" "$folder/out" \
    >"$folder/annotated" 2>/dev/null
  awk -v name="$(basename "$trace")" '
    /PROGRAM TOTALS/ { gsub(",", "", $1); all = $1 }
    /changes_ != nullptr/ { gsub(",", "", $1); if ($1 + 0 > 0) asked += $1 }
    END { printf "| %s | %d | %d | %.2f %% |\n", name, all, asked, all > 0 ? 100 * asked / all : 0 }
  ' "$folder/annotated"
done
