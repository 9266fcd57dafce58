// What the device holds: on the medium, and in its volatile cache.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/exposure/content.h"

namespace fcsim::model::exposure {

// Which writes a cut leaves.
enum class Kept : std::uint8_t {
  flushed,    // those that ended before the last flush: the volatile cache is lost
  completed,  // every one that ended
};

// Bytes of one block; offsets count from its start.
using Block = std::vector<Piece>;

class Device {
 public:
  void write(std::uint64_t block, Block content) { cached_[block] = std::move(content); }
  void flush() {
    for (auto& [block, content] : cached_) medium_[block] = std::move(content);
    cached_.clear();
  }
  [[nodiscard]] bool dirty() const { return !cached_.empty(); }
  // Null where nothing was written.
  [[nodiscard]] const Block* read(std::uint64_t block, Kept kept) const {
    if (kept == Kept::completed)
      if (const auto found = cached_.find(block); found != cached_.end()) return &found->second;
    const auto found = medium_.find(block);
    return found == medium_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::uint64_t, Block> cached_, medium_;  // never walked into output
};

}  // namespace fcsim::model::exposure
