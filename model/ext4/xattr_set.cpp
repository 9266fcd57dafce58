#include "model/ext4/xattr_set.h"

#include <cassert>

namespace fcsim::model::ext4 {
namespace {

std::uint32_t padded_to_word(std::uint32_t bytes) {
  return (bytes + 3) & ~3U;
}

std::uint64_t hash_of(const ExtendedAttribute& attribute) {
  std::uint64_t mixed =
      attribute.name_hash ^ (attribute.value_hash * 0x9e3779b97f4a7c15ULL) ^ attribute.value_length;
  mixed ^= mixed >> 31;
  return mixed * 0xbf58476d1ce4e5b9ULL;
}

}  // namespace

std::uint32_t xattr_space(const ExtendedAttribute& attribute) {
  constexpr std::uint32_t header = 16;
  return header + padded_to_word(attribute.name_length) + padded_to_word(attribute.value_length);
}

const ExtendedAttribute* XattrSet::find(std::uint64_t name_hash) const {
  const auto at = by_name_.find(name_hash);
  return at == by_name_.end() ? nullptr : &at->second;
}

void XattrSet::put(const ExtendedAttribute& attribute) {
  erase(attribute.name_hash);
  by_name_.emplace(attribute.name_hash, attribute);
  account(attribute, true);
}

void XattrSet::erase(std::uint64_t name_hash) {
  const auto at = by_name_.find(name_hash);
  if (at == by_name_.end()) return;
  account(at->second, false);
  by_name_.erase(at);
}

void XattrSet::account(const ExtendedAttribute& attribute, bool added) {
  if (attribute.in_inode) {
    assert(added || in_inode_ >= xattr_space(attribute));
    in_inode_ += added ? xattr_space(attribute) : 0;
    in_inode_ -= added ? 0 : xattr_space(attribute);
    return;
  }
  assert(added || in_block_ != 0);
  added ? ++in_block_ : --in_block_;
  if (!attribute.value_known)
    added ? ++unknown_ : --unknown_;
  else
    contents_ += added ? hash_of(attribute) : 0 - hash_of(attribute);
}

}  // namespace fcsim::model::ext4
