#!/bin/sh
# How many disjoint ranges an inode should keep: fallback and cost of the RFC's workload (scattered
# 4 KiB writes in a sparse file of 1 GiB, fsync, 300 times) for R writes per fsync by max_ranges, on
# the kernel with snapshots and disjoint ranges. Prints three Markdown tables.
#
#     bench/range_limits.sh [FCSIM]          FCSIM: the command, build/release/fcsim otherwise
set -eu

fcsim=${1:-build/release/fcsim}
writes="4 8 16 32 64 128 256 512"
limits="1,2,4,8,16,32,64,128,256,512"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for r in $writes; do
  "$fcsim" workload sparse-random --span 1GiB --writes "$r" --fsyncs 300 --seed 1 -o "$folder/$r"
  for grid in "range_tracking.policy=disjoint range_tracking.max_ranges=$limits" \
              "range_tracking.policy=unlimited range_tracking.max_ranges=1"; do
    # shellcheck disable=SC2086  # two words, two options
    set -- $grid
    "$fcsim" sweep "$folder/$r" -k 7.2-disjoint -p "$1" -p "$2" -f csv | sed "s/^/$r,/"
  done
done > "$folder/points.csv"

awk -F, -v writes="$writes" -v limits="$limits,no limit" '
  $2 == "range_tracking.policy" {
    for (i = 1; i <= NF; ++i) column[$i] = i
    next
  }
  {
    limit = $2 == "unlimited" ? "no limit" : $3
    commits = $column["fc_info.commits"]
    fallback[$1, limit] = 100 * $column["fc_info.ineligible"] / 300
    blocks[$1, limit] = ($column["fc_info.numblks"] + $column["jbd2.blocks_logged"]) / 300
    ranges[$1, limit] = commits == 0 ? 0 : $column["fc_info.snapshot.ranges"] / commits
  }
  function table(title, value, form,   i, j, line) {
    print "### " title "\n"
    line = "| max_ranges |"
    for (i = 1; i <= rows; ++i) line = line " R=" row[i] " |"
    print line
    gsub(/[^|]+/, "---:", line)
    print line
    for (j = 1; j <= columns; ++j) {
      line = "| " limit_name[j] " |"
      for (i = 1; i <= rows; ++i) line = line sprintf(" " form " |", value[row[i], limit_name[j]])
      print line
    }
    print ""
  }
  END {
    rows = split(writes, row, " ")
    columns = split(limits, limit_name, ",")
    table("fsyncs that fall back to a full commit, percent", fallback, "%.1f")
    table("journal blocks an fsync, fast and full commits together", blocks, "%.1f")
    table("ranges a fast commit", ranges, "%.0f")
  }' "$folder/points.csv"
