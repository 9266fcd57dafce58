// The blocks of one directory: which of them an entry lies in, and when it grows.
//
// Facts: fs/ext4/namei.c (add_dirent_to_buf, make_indexed_dir, do_split) of 6.12; measured on 6.18:
// a conversion or split costs three blocks over a plain create. Which half of a split a name falls
// into depends on the file system's hash seed, which no trace shows; the name's own hash stands in.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/common/geometry.h"
#include "model/ext4/inline_entries.h"
#include "model/journal.h"

namespace fcsim::model::ext4 {

class Directory {
 public:
  struct Leaf {
    LogItem block;
    std::uint64_t physical = 0;
    std::uint32_t lowest_hash = 0;  // of an indexed directory: hashes from here on are in this leaf
    std::uint32_t free_bytes = 0;
    struct Entry {
      std::uint32_t hash = 0;
      std::uint16_t bytes = 0;
    };
    std::vector<Entry> entries;
  };

  // What inserting a name needs from outside before it can be done.
  enum class Growth : std::uint8_t { none, new_block, index };  // 0, 1 or 2 blocks to allocate

  // `file`: the directory, for the identity of its blocks.
  Directory(const Geometry& geometry, bool indexable, FileId file)
      : geometry_(&geometry), indexable_(indexable), root_{0, file, ItemKind::directory_block} {}

  void add_first_block(std::uint64_t physical);
  // Its names lie in the inode as long as they fit; then it has no block.
  void be_inline() { inline_ = std::make_unique<InlineEntries>(); }
  [[nodiscard]] InlineEntries* inline_entries() { return inline_.get(); }
  // How many blocks insert() will want; the caller allocates them and passes their numbers.
  [[nodiscard]] Growth growth_for(std::uint64_t name_hash, std::uint32_t name_length) const;
  // Dirties, through the journal, every block that the insertion touches.
  void insert(std::uint64_t name_hash, std::uint32_t name_length, const std::uint64_t (&fresh)[2],
              Journal* journal);
  // False where the name is not known to be here; the first block is then taken.
  bool remove(std::uint64_t name_hash, Journal& journal);

  [[nodiscard]] std::size_t blocks() const { return leaves_.size() + (indexed_ ? 1 : 0); }
  [[nodiscard]] std::vector<Leaf>& leaves() { return leaves_; }
  [[nodiscard]] bool indexed() const { return indexed_; }
  // The block that holds "." and "..": the first leaf, or the index root.
  [[nodiscard]] LogItem& first_block() { return indexed_ ? root_ : leaves_.front().block; }
  [[nodiscard]] std::uint64_t first_physical() const {
    return indexed_ ? root_physical_ : leaves_.front().physical;
  }

 private:
  [[nodiscard]] std::size_t leaf_for(std::uint32_t hash, std::uint32_t bytes) const;
  void split(std::size_t index, std::uint64_t physical);
  void leave_inode(std::uint64_t physical);
  void make_index(const std::uint64_t (&fresh)[2]);
  static std::uint32_t entry_bytes(std::uint32_t name_length) {
    return (8 + name_length + 3) & ~3U;
  }

  const Geometry* geometry_;
  bool indexable_;
  bool indexed_ = false;
  LogItem root_;
  std::uint64_t root_physical_ = 0;
  std::vector<Leaf> leaves_;
  std::unique_ptr<InlineEntries> inline_;  // null: in blocks
};

}  // namespace fcsim::model::ext4
