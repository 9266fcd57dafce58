// The names of a directory that lies in its inode (feature inline_data).
//
// Two pieces hold entries: i_block after the parent's number and, once that is full, what the
// extended attributes leave of the inode. An entry keeps the bytes up to the next one, as in a
// directory block (fs/ext4/inline.c:ext4_try_add_inline_entry, fs/ext4/namei.c:ext4_find_dest_de).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace fcsim::model::ext4 {

class InlineEntries {
 public:
  InlineEntries();

  // Bytes that the attributes leave, while the second piece is not in use.
  void offer(std::uint32_t bytes);
  [[nodiscard]] bool fits(std::uint32_t bytes) const;
  // Of a name that fits.
  void insert(std::uint32_t hash, std::uint32_t bytes);
  bool remove(std::uint32_t hash);
  // Hash and bytes of each name.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> all() const;
  [[nodiscard]] std::uint32_t bytes_beside_attributes() const { return in_use_ ? second_ : 0; }
  [[nodiscard]] std::uint32_t size() const;  // i_size

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t used = 0;    // bytes; 0: nothing is here
    std::uint32_t length = 0;  // bytes up to the next slot
  };
  using Piece = std::vector<Slot>;

  [[nodiscard]] static bool fits(const Piece& piece, std::uint32_t bytes);
  static bool insert(Piece& piece, std::uint32_t hash, std::uint32_t bytes);

  Piece pieces_[2];
  std::uint32_t second_ = 0;  // bytes that the second piece has or would have
  bool in_use_ = false;       // the second piece
};

}  // namespace fcsim::model::ext4
