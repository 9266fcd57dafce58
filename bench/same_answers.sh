#!/usr/bin/env bash
# Whether the JSON of every bundle is the same to the byte from its text and from the binary form,
# and by two builds of the command.
#
#     bench/same_answers.sh FCSIM OTHER_FCSIM FOLDER...     folders that hold bundles
set -euo pipefail
fcsim=$1 other=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
same=0 different=0
for bundle in $(find "$@" -name 'trace.strace*' -printf '%h\n' | sort -u); do
  rm -rf "$work/binary"
  # Refusals count as answers: their messages name the trace, so only the statuses are compared.
  text=0 binary=0
  "$other" run -f json "$bundle" >"$work/text.json" 2>/dev/null || text=$?
  "$fcsim" convert "$bundle" -o "$work/binary" >/dev/null 2>&1 || true
  "$fcsim" run -f json "$work/binary" >"$work/binary.json" 2>/dev/null || binary=$?
  if ((text == binary)) && cmp -s "$work/text.json" "$work/binary.json"; then
    same=$((same + 1))
  else
    different=$((different + 1))
    echo "$bundle"
  fi
done
echo "$same the same, $different different"
((different == 0))
