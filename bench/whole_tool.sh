#!/usr/bin/env bash
# The whole tool as a user runs it, against grep over the same text in the same run, in turn. Prints
# a Markdown table: processor time (user and system) and wall time, which differ on a busy machine;
# the ratios are of processor times, and for -j2 of wall times.
#
#     bench/whole_tool.sh [FCSIM] [ROUNDS]     FCSIM: the command, build/release/fcsim otherwise
#
# FCSIM_CORPUS names a folder of recorded applications (bundles), ../shared/corpus/apps otherwise;
# without it the rows of mixed traces are left out.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fcsim=$(realpath "${1:-build/release/fcsim}")
rounds=${2:-5}
corpus=${FCSIM_CORPUS:-../shared/corpus/apps}
megabytes=250
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Runs a command and adds a line "processor wall" (seconds) to a file. grep stops early where it
# writes to /dev/null, so all write into a pipe.
measure() {
  local times="$1" TIMEFORMAT='%U %S %R'
  shift
  { time "$@" 2>/dev/null; } 2>&1 >"$folder/pipe" | awk '{print $1 + $2, $3}' >>"$folder/$times"
}
mkfifo "$folder/pipe"
(while :; do cat "$folder/pipe" >/dev/null; done) &
reader=$!
trap 'kill "$reader" 2>/dev/null; rm -rf "$folder"' EXIT

# The median of column $2 in the measurements $1.
median() {
  cut -d' ' -f"$2" "$folder/$1" | sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.2f", a / b}'; }

# The peak of resident memory, KiB.
peak() {
  "$@" >/dev/null 2>&1 &
  local pid=$! most=0 now
  while now=$(awk '/VmHWM/ {print $2}' "/proc/$pid/status" 2>/dev/null) && [[ -n "$now" ]]; do
    most=$now
    sleep 0.005
  done
  wait "$pid"
  echo "$most"
}

# row WHAT MEASUREMENTS [COLUMN BASE]: against BASE in processor (1) or wall time (2).
row() {
  printf '| %s | %.3f s | %.3f s | %s |\n' "$1" "$(median "$2" 1)" "$(median "$2" 2)" \
    "${3:+$(ratio "$(median "$2" "$3")" "$(median "$4" "$3")")}"
}

# The file system has room for all of it: what finds none is placed nowhere, an extent each.
append="$folder/append/trace.strace"
"$fcsim" workload append-fsync --fsyncs 1200000 --size 16GiB --plain -o "$folder/append"
"$fcsim" workload append-fsync --fsyncs 120000 --size 16GiB --plain -o "$folder/short"
"$fcsim" workload append-fsync --fsyncs 50 --plain -o "$folder/tiny"
"$fcsim" convert "$folder/append" -o "$folder/append-binary" >/dev/null
mixed=()
for application in app_pg_pgbench_long app_git_commits_fsync_all; do
  [[ -e "$corpus/$application" ]] || continue
  bench/repeat_trace.py "$corpus/$application" "$megabytes" "$folder/$application"
  "$fcsim" convert "$folder/$application" -o "$folder/$application-binary" >/dev/null
  mixed+=("$application")
done

for ((i = 0; i < rounds; ++i)); do
  measure grep grep -c 'fsync(' "$append"
  measure one "$fcsim" run -j1 "$folder/append"
  measure two "$fcsim" run -j2 "$folder/append"
  measure xfs "$fcsim" run -j1 --set filesystem.type=xfs "$folder/append"
  measure binary-one "$fcsim" run -j1 "$folder/append-binary"
  measure binary-two "$fcsim" run -j2 "$folder/append-binary"
  measure converting "$fcsim" convert "$append" -o "$folder/again.fct"
  for application in ${mixed[@]+"${mixed[@]}"}; do
    measure "$application-grep.times" grep -c 'fsync(' "$folder/$application/trace.strace"
    measure "$application-one.times" "$fcsim" run -j1 "$folder/$application"
    measure "$application-binary.times" "$fcsim" run -j1 "$folder/$application-binary"
  done
  measure tiny.times "$fcsim" run "$folder/tiny"
  measure article "$fcsim" run tests/bundles/art-append-on
  measure nothing true
done
kernel=$(awk '/^wall_s/ {print $3}' tests/bundles/art-append-on/truth.toml)
short=$(peak "$fcsim" run -j1 "$folder/short")
long=$(peak "$fcsim" run -j1 "$folder/append")
xfs_short=$(peak "$fcsim" run -j1 --set filesystem.type=xfs "$folder/short")
xfs_long=$(peak "$fcsim" run -j1 --set filesystem.type=xfs "$folder/append")
long_binary=$(peak "$fcsim" run -j1 "$folder/append-binary")

printf 'Machine: %s, %s CPUs, Linux %s; %s; commit %s. Medians of %s rounds.\n\n' \
  "$(awk -F': ' '/model name/ {print $2; exit}' /proc/cpuinfo)" "$(nproc)" "$(uname -r)" \
  "$(date -u +%F)" "$(git describe --always --dirty)" "$rounds"
printf '| what | processor time | wall time | ratio |\n|---|--:|--:|--:|\n'
row "\`grep -c 'fsync('\`, $(($(stat -c %s "$append") / 1000000)) MB of append and fsync" grep 1 grep
row '`fcsim run -j1`, to grep' one 1 grep
row '`fcsim run -j2`, to grep, wall' two 2 grep
row '`fcsim run -j1` as XFS, to ext4' xfs 1 one
row '`fcsim run -j1` of the binary form, to the text' binary-one 1 one
row '`fcsim run -j2` of the binary form, to the text, wall' binary-two 2 two
row '`fcsim convert`, to grep' converting 1 grep
for application in ${mixed[@]+"${mixed[@]}"}; do
  row "\`grep -c 'fsync('\`, $application repeated, $megabytes MB" "$application-grep.times" 1 "$application-grep.times"
  row '`fcsim run -j1`, to grep' "$application-one.times" 1 "$application-grep.times"
  row '`fcsim run -j1` of the binary form, to grep of the text' "$application-binary.times" 1 "$application-grep.times"
done
row '`fcsim run`, 12,006 fsyncs (art-append-on)' article
printf '| ... the kernel took for them, under strace | | %s s | |\n' "$kernel"
row '`fcsim run`, 100 lines: starting up' tiny.times
row '`true`, measured alike' nothing
printf '\n| peak memory of `fcsim run -j1` | KiB | to a tenth |\n|---|--:|--:|\n'
printf '| 240,006 lines | %s | |\n| 2,400,006 lines | %s | %s |\n| ... binary | %s | |\n' \
  "$short" "$long" "$(ratio "$long" "$short")" "$long_binary"
printf '| as XFS: 240,006 lines | %s | |\n| ... 2,400,006 lines | %s | %s |\n' \
  "$xfs_short" "$xfs_long" "$(ratio "$xfs_long" "$xfs_short")"
