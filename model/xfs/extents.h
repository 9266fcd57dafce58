// The extents of one fork of a file: sorted, disjoint, as few as can be.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>

namespace fcsim::model::xfs {

enum class ExtentState : std::uint8_t {
  written,
  unwritten,  // allocated, reads as zeros
  delayed,    // reserved in memory, no place on disk yet
};

struct Extent {
  std::uint64_t first = 0;  // file system blocks, as all of these
  std::uint64_t length = 0;
  std::uint64_t block = 0;  // on disk; 0 of delayed ones
  ExtentState state = ExtentState::written;
  [[nodiscard]] std::uint64_t end() const { return first + length; }
  [[nodiscard]] bool real() const { return state != ExtentState::delayed; }
};

// Longest extent of a file (fs/xfs/libxfs/xfs_format.h: XFS_MAX_BMBT_EXTLEN).
inline constexpr std::uint64_t kLongestExtent = (std::uint64_t{1} << 21) - 1;
// Beyond every block of a file.
inline constexpr std::uint64_t kEndOfBlocks = std::uint64_t{1} << 54;

class ExtentList {
 public:
  using Extents = boost::container::small_vector<Extent, 2>;

  // Index of the first extent that ends after `block`; size() if there is none.
  [[nodiscard]] std::size_t find(std::uint64_t block) const;
  // The extent that holds `block`, or nullptr.
  [[nodiscard]] const Extent* at(std::uint64_t block) const;
  // Adds an extent where nothing is; it is merged with neighbours that it continues.
  void insert(const Extent& extent);
  // Takes out what lies in [first, end).
  void erase(std::uint64_t first, std::uint64_t end);
  // Gives [first, end), which lies in one real extent, another state.
  void set_state(std::uint64_t first, std::uint64_t end, ExtentState state);
  // Moves everything from `from` on by `by` blocks; what continues a neighbour is merged.
  void shift(std::uint64_t from, std::int64_t by);
  // Makes `at` a border between two extents; whether there was none before.
  bool split(std::uint64_t at);
  void clear() { extents_.clear(); }

  [[nodiscard]] const Extents& all() const { return extents_; }
  [[nodiscard]] std::size_t size() const { return extents_.size(); }
  [[nodiscard]] bool empty() const { return extents_.empty(); }
  [[nodiscard]] const Extent& operator[](std::size_t i) const { return extents_[i]; }
  // Extents with a place on disk (the kernel's if_nextents).
  [[nodiscard]] std::size_t real_count() const { return extents_.size() - delayed_count_; }
  [[nodiscard]] std::uint64_t delayed_blocks() const { return delayed_blocks_; }

 private:
  void merge_at(std::size_t i);
  void put(std::size_t i, const Extent& extent);
  void take(std::size_t i);

  Extents extents_;
  std::size_t delayed_count_ = 0;
  std::uint64_t delayed_blocks_ = 0;
};

}  // namespace fcsim::model::xfs
