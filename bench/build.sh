#!/usr/bin/env bash
# What `./dev demo` costs from a fresh clone, without ccache: processor time of all processes and
# wall time. Prints one line, and keeps it in bench/build.txt, which README.md shows.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

clone="$(mktemp -d)"
trap 'rm -rf "$clone"' EXIT
git clone --quiet . "$clone/fcsim"

export CCACHE_DISABLE=1
before="$(awk '{print $1 + $2}' <(cut -d' ' -f16,17 "/proc/$$/stat"))"
begin="$(date +%s.%N)"
"$clone/fcsim/dev" demo >"$clone/log" 2>&1 || {
  cat "$clone/log" >&2
  exit 1
}
end="$(date +%s.%N)"
after="$(awk '{print $1 + $2}' <(cut -d' ' -f16,17 "/proc/$$/stat"))"

compiler="$(grep -oE 'compiler identification is .*' "$clone/log" | head -1 | cut -d' ' -f4-)"
LC_ALL=C awk -v ticks="$((after - before))" -v hz="$(getconf CLK_TCK)" -v begin="$begin" \
  -v end="$end" -v cores="$(nproc)" -v compiler="$compiler" -v load="$(cut -d' ' -f1 /proc/loadavg)" \
  'BEGIN {
     printf "./dev demo from a fresh clone: %.0f s of processor time, %.0f s of wall time ",
            ticks / hz, end - begin
     printf "(%d cores, %s, load %s at the end)\n", cores, compiler, load
   }' | tee bench/build.txt
