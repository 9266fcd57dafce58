#!/usr/bin/env bash
# How much many settings cost as a user asks for them, parsing and starting up included: for every
# bundle of a folder one run, a sweep over 64 areas and one over 1,000 settings, in turn; and tune. All
# with one thread, in processor time (user and system). Prints a Markdown table.
#
#     bench/applications.sh [FCSIM]     FCSIM: the command, build/release/fcsim otherwise
#
# FCSIM_CORPUS names the folder, ../shared/corpus/apps otherwise.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fcsim=$(realpath "${1:-build/release/fcsim}")
corpus=${FCSIM_CORPUS:-../shared/corpus/apps}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

measure() {
  local TIMEFORMAT='%U %S'
  { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{printf "%.3f", $1 + $2}'
}

echo '| many settings, one thread, processor time, all included | to one run |'
echo '|---|--:|'
if [[ -d "$corpus" ]]; then
  for bundle in "$corpus"/*/; do
    [[ -e "$bundle/env.toml" ]] || continue
    one=$(measure "$fcsim" run -q -j1 "$bundle")
    large=$(measure "$fcsim" sweep -q -j1 "$bundle" -p 'filesystem.fast_commit_kib=256..16384+256')
    small=$(measure "$fcsim" sweep -q -j1 "$bundle" -p 'filesystem.fast_commit_kib=64..4096+64')
    grid=$(measure "$fcsim" sweep -q -j1 "$bundle" -p 'filesystem.fast_commit_kib=256..2560+256' \
      -p 'mount.commit_interval_s=3..30+3' -p 'range_tracking.max_ranges=1..512*2')
    echo "$one $large $small $grid $(basename "$bundle")"
  done >"$folder/times"
  awk '
    {one += $1; for (i = 2; i <= 4; ++i) {sum[i] += $i; if ($i / $1 > worst[i]) {worst[i] = $i / $1; who[i] = $5}}}
    END {
      name[2] = "64 areas, 256 KiB to 16 MiB"; name[3] = "64 areas, 64 KiB to 4 MiB"
      name[4] = "1,000 settings: areas by intervals by range limits"
      for (i = 2; i <= 4; ++i) {
        printf "| %s: all %d bundles | %.1f |\n", name[i], NR, sum[i] / one
        printf "| ... the worst, %s | %.1f |\n", who[i], worst[i]
      }
    }' "$folder/times"
fi
"$fcsim" workload append-fsync --fsyncs 20000 --plain -o "$folder/append" 2>/dev/null
one=$(measure "$fcsim" run -q -j1 "$folder/append")
tune=$(measure "$fcsim" tune -q -j1 "$folder/append")
awk -v a="$tune" -v b="$one" 'BEGIN {printf "| tune on 40,000 lines of append and fsync | %.1f |\n", a / b}'
