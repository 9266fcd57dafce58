#!/usr/bin/env bash
# Instructions that `fcsim run` takes for a pair of append and fsync, counted by callgrind: the
# difference between two traces of the workload, so that the start of the program does not count.
# usage: bench/instructions.sh FCSIM
set -euo pipefail
fcsim="$(realpath "$1")"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

instructions() {
  "$fcsim" workload append-fsync --fsyncs "$1" -o "$folder/$1" >/dev/null
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$fcsim" run -f kernel "$folder/$1" \
    2>&1 >/dev/null | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

few=2000
many=12000
first="$(instructions $few)"
second="$(instructions $many)"
echo "fcsim run: $(((second - first) / (many - few))) instructions a pair of append and fsync"
