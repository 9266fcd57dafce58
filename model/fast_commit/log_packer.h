// How records fill the blocks of one fast commit.
//
// A fast commit starts on a block of its own. A record never crosses a block, and 4 bytes stay free
// in each for a PAD header; a record that does not fit starts the next block
// (fs/ext4/fast_commit.c:ext4_fc_reserve_space, ext4_fc_write_tail; decoded from 98 random layouts
// in 7 geometries on 6.18 without a mismatch).
#pragma once

#include <cstdint>

namespace fcsim::model::fast_commit {

// Bytes that records take in the log: its format on disk, the same for every kernel (the structures
// of fs/ext4/fast_commit.h).
namespace record_bytes {
inline constexpr std::uint32_t word = 4;        // inode numbers, blocks, tids, checksums
inline constexpr std::uint32_t header = 2 + 2;  // ext4_fc_tl: tag and length
inline constexpr std::uint32_t extent = 12;     // ext4_extent
inline constexpr std::uint32_t add_range = header + word + extent;  // inode, extent
inline constexpr std::uint32_t del_range = header + 3 * word;       // inode, first block, length
inline constexpr std::uint32_t head = header + 2 * word;            // features, tid
inline constexpr std::uint32_t tail = header + 2 * word;            // tid, checksum
inline constexpr std::uint32_t pad_header = header;
// CREAT, LINK and UNLINK: parent, inode and the name without padding.
constexpr std::uint32_t dentry(std::uint32_t name_length) {
  return header + 2 * word + name_length;
}
// INODE: inode number and the raw inode.
constexpr std::uint32_t inode(std::uint32_t raw_bytes) {
  return header + word + raw_bytes;
}
}  // namespace record_bytes

class LogPacker {
 public:
  explicit LogPacker(std::uint32_t block_size) : capacity_(block_size - record_bytes::pad_header) {}

  void add(std::uint32_t bytes) {
    if (bytes <= capacity_ - used_) {
      used_ += bytes;
      return;
    }
    ++blocks_;
    used_ = bytes;
    if (bytes > capacity_) too_long_ = true;
  }

  // A record cannot be made at all.
  void fail() { failed_ = true; }

  [[nodiscard]] std::uint32_t blocks() const { return blocks_; }
  [[nodiscard]] bool failed() const { return failed_; }
  // A record that no block can hold was added: the fast commit fails.
  [[nodiscard]] bool too_long() const { return too_long_; }

  std::uint32_t ranges =
      0;  // ADD_RANGE and DEL_RANGE records added so far, counted by their writer
  std::uint32_t inodes = 0;
  std::uint32_t names = 0;

 private:
  std::uint32_t capacity_;
  std::uint32_t used_ = 0;
  std::uint32_t blocks_ = 1;
  bool too_long_ = false;
  bool failed_ = false;
};

}  // namespace fcsim::model::fast_commit
