// The snapshot counters by the names that fc_info prints, in its order.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/engine/prediction.h"

namespace fcsim::questions::validate {

struct SnapshotName {
  std::string_view text;
  std::uint64_t engine::SnapshotCounters::*member;
  bool failure;  // under "Snapshot failures:"
};

inline constexpr std::array<SnapshotName, 10> kSnapshotNames = {{
    {"inodes", &engine::SnapshotCounters::inodes, false},
    {"ranges", &engine::SnapshotCounters::ranges, false},
    {"es_miss", &engine::SnapshotCounters::es_miss, true},
    {"es_delayed", &engine::SnapshotCounters::es_delayed, true},
    {"es_other", &engine::SnapshotCounters::es_other, true},
    {"inodes_cap", &engine::SnapshotCounters::inodes_cap, true},
    {"ranges_cap", &engine::SnapshotCounters::ranges_cap, true},
    {"nomem", &engine::SnapshotCounters::nomem, true},
    {"inode_loc", &engine::SnapshotCounters::inode_loc, true},
    {"no_snap", &engine::SnapshotCounters::no_snap, true},
}};

}  // namespace fcsim::questions::validate
