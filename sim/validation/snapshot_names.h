// The snapshot counters by the names that fc_info prints, in its order.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/prediction.h"

namespace fcsim::sim {

struct SnapshotName {
  std::string_view text;
  std::uint64_t SnapshotCounters::*member;
  bool failure;  // under "Snapshot failures:"
};

inline constexpr std::array<SnapshotName, 10> kSnapshotNames = {{
    {"inodes", &SnapshotCounters::inodes, false},
    {"ranges", &SnapshotCounters::ranges, false},
    {"es_miss", &SnapshotCounters::es_miss, true},
    {"es_delayed", &SnapshotCounters::es_delayed, true},
    {"es_other", &SnapshotCounters::es_other, true},
    {"inodes_cap", &SnapshotCounters::inodes_cap, true},
    {"ranges_cap", &SnapshotCounters::ranges_cap, true},
    {"nomem", &SnapshotCounters::nomem, true},
    {"inode_loc", &SnapshotCounters::inode_loc, true},
    {"no_snap", &SnapshotCounters::no_snap, true},
}};

}  // namespace fcsim::sim
