// A set of block numbers kept as sorted, disjoint, non-touching runs.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace fcsim::model {

// Blocks first .. end-1 of a file, 64-bit so that end = 2^32 is representable.
struct BlockRun {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  [[nodiscard]] std::uint64_t length() const { return end - first; }
  friend bool operator==(const BlockRun&, const BlockRun&) = default;
};

// The runs lie in pieces of limited size, so that a change in the middle of a million moves few.
class BlockSet {
  using Piece = boost::container::small_vector<BlockRun, 1>;
  using Pieces = boost::container::small_vector<Piece, 1>;

 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = BlockRun;
    using difference_type = std::ptrdiff_t;
    using pointer = const BlockRun*;
    using reference = const BlockRun&;

    Iterator() = default;
    Iterator(const Pieces& pieces, std::size_t piece, std::size_t index)
        : pieces_(&pieces), piece_(piece), index_(index) {}
    reference operator*() const { return (*pieces_)[piece_][index_]; }
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
      if (++index_ == (*pieces_)[piece_].size()) {
        ++piece_;
        index_ = 0;
      }
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const Pieces* pieces_ = nullptr;
    std::size_t piece_ = 0;
    std::size_t index_ = 0;
  };

  class Runs {
   public:
    explicit Runs(const Pieces& pieces) : pieces_(pieces) {}
    [[nodiscard]] Iterator begin() const { return {pieces_, 0, 0}; }
    [[nodiscard]] Iterator end() const { return {pieces_, pieces_.size(), 0}; }

   private:
    const Pieces& pieces_;
  };

  void insert(std::uint64_t first, std::uint64_t end);
  void erase(std::uint64_t first, std::uint64_t end);
  void clear() { pieces_.clear(); }

  [[nodiscard]] bool empty() const { return pieces_.empty(); }
  [[nodiscard]] bool contains(std::uint64_t block) const;
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] Runs runs() const { return Runs(pieces_); }

  // First run that ends beyond `block`, or end(): where a walk from `block` begins.
  [[nodiscard]] Iterator from(std::uint64_t block) const;

 private:
  static constexpr std::size_t kPieceMaximum = 256;  // runs: 4 KiB

  struct Place {
    std::size_t piece = 0;
    std::size_t index = 0;
  };

  // First run that ends at `end` or beyond; {pieces, 0}: there is none.
  [[nodiscard]] Place place(std::uint64_t end) const;
  [[nodiscard]] BlockRun* at(Place p);
  [[nodiscard]] Place after(Place p) const;
  void insert_at(Place p, BlockRun run);
  // Where the run after the removed one lies.
  Place erase_at(Place p);

  Pieces pieces_;  // none is empty
};

}  // namespace fcsim::model
