#!/bin/bash
# How much many settings cost beside one, as a Markdown table: for each trace the processor time of one
# replay after parsing, and that of a grid of settings, medians of ROUNDS rounds in turn.
#
#   bench/settings.sh FOLDER-OF-THE-BUILD [TRACE-OR-BUNDLE...]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: bench/settings.sh FOLDER-OF-THE-BUILD [TRACE-OR-BUNDLE...]}
shift
rounds=${ROUNDS:-3}
export FCSIM_CONFIG_DIR=${FCSIM_CONFIG_DIR:-$PWD/configs}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$build/fcsim" workload append-fsync --fsyncs "${FSYNCS:-500000}" -o "$folder/append-fsync" 2>/dev/null
"$build/fcsim" workload sparse-random --fsyncs 300 -o "$folder/sparse-random" 2>/dev/null
cd "$folder"
echo '| trace | calls | one setting, s | settings | all of them, s | ratio | replayed alone |'
echo '|---|--:|--:|--:|--:|--:|--:|'
for trace in append-fsync sparse-random "$@"; do
  "$build/bench/settings" "$trace" "$rounds" 64
  "$build/bench/settings" "$trace" 1 10 10 10
done
