// The snapshot counters by the names that fc_info prints, in its order.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/engine/prediction.h"

namespace fcsim::questions::validate {

struct SnapshotName {
  std::string_view text;
  std::uint64_t model::SnapshotCounters::*member;
  bool failure;  // under "Snapshot failures:"
};

inline constexpr std::array<SnapshotName, 10> kSnapshotNames = {{
    {"inodes", &model::SnapshotCounters::inodes, false},
    {"ranges", &model::SnapshotCounters::ranges, false},
    {"es_miss", &model::SnapshotCounters::es_miss, true},
    {"es_delayed", &model::SnapshotCounters::es_delayed, true},
    {"es_other", &model::SnapshotCounters::es_other, true},
    {"inodes_cap", &model::SnapshotCounters::inodes_cap, true},
    {"ranges_cap", &model::SnapshotCounters::ranges_cap, true},
    {"nomem", &model::SnapshotCounters::nomem, true},
    {"inode_loc", &model::SnapshotCounters::inode_loc, true},
    {"no_snap", &model::SnapshotCounters::no_snap, true},
}};

}  // namespace fcsim::questions::validate
