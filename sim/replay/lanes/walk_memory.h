// Walks over files' ranges that lanes have asked for since the files changed last: most ask for the
// same.
#pragma once

#include <vector>

#include "model/fast_commit/fast_commit.h"

namespace fcsim::replay::lanes {

class WalkMemory {
 public:
  struct Walk {
    model::FileId file = model::kNoFile;
    std::uint32_t limit = 0;  // of the snapshot's ranges
    std::size_t taken = 0;    // records in front of it, which count for the limit
    model::fast_commit::range_tracking::TrackedRanges ranges;
    model::fast_commit::RangeRecords records;
    model::fast_commit::RangeWalk result = model::fast_commit::RangeWalk::complete;
  };

  // `state` tells whether files have changed since the last call.
  [[nodiscard]] const Walk* find(std::size_t state, model::FileId file, std::uint32_t limit,
                                 std::size_t taken,
                                 const model::fast_commit::range_tracking::TrackedRanges& ranges) {
    if (state != state_) used_ = 0;
    state_ = state;
    for (std::size_t i = 0; i < used_; ++i)
      if (walks_[i].file == file && walks_[i].limit == limit && walks_[i].taken == taken &&
          walks_[i].ranges == ranges)
        return &walks_[i];
    return nullptr;
  }
  // For one that was not found; nullptr where there are too many to be worth it.
  [[nodiscard]] Walk* add() {
    constexpr std::size_t most = 32;
    if (used_ == most) return nullptr;
    if (used_ == walks_.size()) walks_.emplace_back();
    walks_[used_].records.clear();
    return &walks_[used_++];
  }
  void forget_all() { used_ = 0; }

 private:
  std::vector<Walk> walks_;
  std::size_t used_ = 0;
  std::size_t state_ = 0;
};

}  // namespace fcsim::replay::lanes
