#!/usr/bin/env bash
# The whole tool as a user runs it, against grep over the same file in the same run, in turn. Prints
# a Markdown table.
#
#     bench/whole_tool.sh [FCSIM] [ROUNDS]     FCSIM: the command, build/release/fcsim otherwise
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fcsim=${1:-build/release/fcsim}
rounds=${2:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Wall time of a command, in nanoseconds.
measure() {
  local begin end
  begin=$(date +%s%N)
  "$@" 2>/dev/null | cat >/dev/null  # grep stops early where it writes to /dev/null
  end=$(date +%s%N)
  echo $((end - begin))
}

median() { sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

# The peak of resident memory, MiB.
peak() {
  "$@" >/dev/null 2>&1 &
  local pid=$! most=0 now
  while now=$(awk '/VmHWM/ {print $2}' "/proc/$pid/status" 2>/dev/null) && [[ -n "$now" ]]; do
    most=$now
    sleep 0.01
  done
  wait "$pid"
  awk -v k="$most" 'BEGIN {printf "%.1f MiB", k / 1024}'
}

seconds() { awk -v n="$1" 'BEGIN {printf "%.3f s", n / 1e9}'; }

"$fcsim" workload append-fsync --fsyncs 1500000 -f strace -o "$folder/long.strace"
"$fcsim" workload append-fsync --fsyncs 150000 -f strace -o "$folder/short.strace"
"$fcsim" workload append-fsync --fsyncs 50 --plain -o "$folder/tiny"
size=$(stat -c %s "$folder/long.strace")
cat "$folder/long.strace" >/dev/null  # into the page cache

for ((i = 0; i < rounds; ++i)); do
  measure grep -c 'fsync(' "$folder/long.strace" >>"$folder/grep"
  measure "$fcsim" run -j1 "$folder/long.strace" >>"$folder/one"
  measure "$fcsim" run -j2 "$folder/long.strace" >>"$folder/two"
  measure "$fcsim" run "$folder/tiny" >>"$folder/tiny.times"
  measure "$fcsim" run tests/bundles/art-append-on >>"$folder/article"
  measure true >>"$folder/nothing"
done
of_grep=$(median <"$folder/grep")
against() { awk -v a="$1" -v b="$of_grep" 'BEGIN {printf "%.2f", a / b}'; }
kernel=$(awk '/^wall_s/ {print $3}' tests/bundles/art-append-on/truth.toml)
article=$(median <"$folder/article")

printf 'Machine: %s, %s CPUs, Linux %s; %s; commit %s. Medians of %s rounds.\n\n' \
  "$(awk -F': ' '/model name/ {print $2; exit}' /proc/cpuinfo)" "$(nproc)" "$(uname -r)" \
  "$(date -u +%F)" "$(git describe --always --dirty)" "$rounds"
cat <<TABLE
| what | time or size | against grep |
|---|--:|--:|
| \`grep -c 'fsync('\`, a trace of $((size / 1000000)) MB | $(seconds "$of_grep") | 1.00 |
| \`fcsim run -j1\` of it | $(seconds "$(median <"$folder/one")") | $(against "$(median <"$folder/one")") |
| \`fcsim run -j2\` of it | $(seconds "$(median <"$folder/two")") | $(against "$(median <"$folder/two")") |
| \`fcsim run\`, 12,006 fsyncs (art-append-on) | $(seconds "$article") | |
| ... the kernel took for them, under strace | $kernel s | |
| \`fcsim run\`, 50 fsyncs: starting up | $(seconds "$(median <"$folder/tiny.times")") | |
| \`true\`, measured alike | $(seconds "$(median <"$folder/nothing")") | |
| peak memory, a tenth of the trace | $(peak "$fcsim" run -j1 "$folder/short.strace") | |
| peak memory, the whole trace | $(peak "$fcsim" run -j1 "$folder/long.strace") | |
TABLE
