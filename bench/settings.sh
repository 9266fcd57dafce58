#!/usr/bin/env bash
# How much many settings cost beside one, as a Markdown table: for each trace the processor time of
# one replay after parsing, and that of a grid of settings, medians of ROUNDS rounds in turn; and how
# many runs the grid took.
#
#     bench/settings.sh [FOLDER-OF-THE-BUILD] [TRACE-OR-BUNDLE...]
#
# FCSIM_CORPUS names a folder of recorded applications (bundles), ../shared/corpus/apps otherwise;
# without it the mixed application is left out. FSYNCS: of the append trace, 500000 otherwise.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=$(realpath "${1:-build/release}")
shift || true
rounds=${ROUNDS:-3}
corpus=$(realpath -m "${FCSIM_CORPUS:-../shared/corpus/apps}")
export FCSIM_CONFIG_DIR=${FCSIM_CONFIG_DIR:-$PWD/configs}
traces=()
for trace in "$@"; do traces+=("$(realpath "$trace")"); done
[[ ! -e "$corpus/app_pg_pgbench_long" ]] || traces+=("$corpus/app_pg_pgbench_long")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The file system has room for all of it: what finds none is placed nowhere, an extent each.
"$build/fcsim" workload append-fsync --fsyncs "${FSYNCS:-500000}" --size 16GiB -o "$folder/append-fsync" 2>/dev/null
"$build/fcsim" workload sparse-random --fsyncs 300 -o "$folder/sparse-random" 2>/dev/null
cd "$folder"
echo '| trace | calls | one setting, s | settings | all of them, s | ratio | runs |'
echo '|---|--:|--:|--:|--:|--:|--:|'
for trace in append-fsync sparse-random ${traces[@]+"${traces[@]}"}; do
  "$build/bench/settings" "$trace" "$rounds" 64
  "$build/bench/settings" "$trace" 1 10 10 10
done
