#include "model/ext4/inline_entries.h"

#include <algorithm>
#include <cstddef>

namespace fcsim::model::ext4 {
namespace {

constexpr std::uint32_t kInBlockArea = 60;    // EXT4_MIN_INLINE_DATA_SIZE
constexpr std::uint32_t kParent = 4;          // EXT4_INLINE_DOTDOT_SIZE
constexpr std::uint32_t kSmallestEntry = 12;  // ext4_dir_rec_len(1)

}  // namespace

InlineEntries::InlineEntries() {
  pieces_[0].push_back({0, 0, kInBlockArea - kParent});
}

void InlineEntries::offer(std::uint32_t bytes) {
  if (!in_use_) second_ = bytes > kSmallestEntry ? bytes : 0;
}

bool InlineEntries::fits(const Piece& piece, std::uint32_t bytes) {
  return std::any_of(piece.begin(), piece.end(),
                     [&](const Slot& slot) { return slot.length - slot.used >= bytes; });
}

bool InlineEntries::fits(std::uint32_t bytes) const {
  return fits(pieces_[0], bytes) || (in_use_ ? fits(pieces_[1], bytes) : second_ >= bytes);
}

bool InlineEntries::insert(Piece& piece, std::uint32_t hash, std::uint32_t bytes) {
  for (std::size_t i = 0; i < piece.size(); ++i) {
    Slot& slot = piece[i];
    if (slot.length - slot.used < bytes) continue;
    if (slot.used == 0) {
      slot.hash = hash;
      slot.used = bytes;
      return true;
    }
    const Slot after{hash, bytes, slot.length - slot.used};
    slot.length = slot.used;
    piece.insert(piece.begin() + static_cast<std::ptrdiff_t>(i) + 1, after);
    return true;
  }
  return false;
}

void InlineEntries::insert(std::uint32_t hash, std::uint32_t bytes) {
  if (insert(pieces_[0], hash, bytes)) return;
  if (!in_use_) pieces_[1].push_back({0, 0, second_});
  in_use_ = true;
  insert(pieces_[1], hash, bytes);
}

bool InlineEntries::remove(std::uint32_t hash) {
  for (Piece& piece : pieces_) {
    const auto slot = std::find_if(piece.begin(), piece.end(),
                                   [&](const Slot& s) { return s.used != 0 && s.hash == hash; });
    if (slot == piece.end()) continue;
    slot->used = 0;
    if (slot == piece.begin()) return true;
    (slot - 1)->length += slot->length;
    piece.erase(slot);
    return true;
  }
  return false;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> InlineEntries::all() const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> names;
  for (const Piece& piece : pieces_)
    for (const Slot& slot : piece)
      if (slot.used != 0) names.emplace_back(slot.hash, slot.used);
  return names;
}

std::uint32_t InlineEntries::size() const {
  return kInBlockArea + bytes_beside_attributes();
}

}  // namespace fcsim::model::ext4
