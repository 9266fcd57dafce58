// A set of block numbers kept as sorted, disjoint, non-touching runs.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>

namespace fcsim::model {

// Blocks first .. end-1 of a file, 64-bit so that end = 2^32 is representable.
struct BlockRun {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  [[nodiscard]] std::uint64_t length() const { return end - first; }
  friend bool operator==(const BlockRun&, const BlockRun&) = default;
};

class BlockSet {
 public:
  using Runs = boost::container::small_vector<BlockRun, 1>;

  void insert(std::uint64_t first, std::uint64_t end);
  void erase(std::uint64_t first, std::uint64_t end);
  void clear() { runs_.clear(); }

  [[nodiscard]] bool empty() const { return runs_.empty(); }
  [[nodiscard]] bool contains(std::uint64_t block) const;
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] const Runs& runs() const { return runs_; }

  // First run that ends beyond `block`, or end(): where a walk from `block` begins.
  [[nodiscard]] Runs::const_iterator from(std::uint64_t block) const;

 private:
  Runs runs_;
};

}  // namespace fcsim::model
