// The extended attributes of one inode: found by name, with the sums that say where one fits.
//
// The sums are kept up to date, so that a change takes a time that hardly grows with their number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace fcsim::model::ext4 {

struct ExtendedAttribute {
  std::uint64_t name_hash = 0;  // of the full name
  std::uint64_t value_hash = 0;
  std::uint32_t name_length = 0;  // without the prefix that is stored as an index
  std::uint32_t value_length = 0;
  bool in_inode = true;
  bool value_known = true;
  bool acl = false;
  bool default_acl = false;
  bool mode_only = false;  // an ACL of owner, group and others alone, which a mode says as well
};

// In place of the hash of a name, for those that the model itself asks for.
namespace xattr_name {
inline constexpr std::uint64_t encryption = 1, access_acl = 2, default_acl = 3, label = 4;
}

// fs/ext4/crypto.c:ext4_set_context: the name "c", 40 bytes.
inline ExtendedAttribute encryption_context() {
  ExtendedAttribute context;
  context.name_hash = xattr_name::encryption;
  context.value_hash = 1;
  context.name_length = 1;
  context.value_length = 40;
  return context;
}

// Bytes that an attribute takes in the inode or in a block (fs/ext4/xattr.h:struct
// ext4_xattr_entry): the entry's header, name and value, both padded to 4.
[[nodiscard]] std::uint32_t xattr_space(const ExtendedAttribute& attribute);

class XattrSet {
 public:
  // nullptr: there is none of that name.
  [[nodiscard]] const ExtendedAttribute* find(std::uint64_t name_hash) const;
  // In place of the one of that name, if there is one.
  void put(const ExtendedAttribute& attribute);
  void erase(std::uint64_t name_hash);

  // Of those in the inode, in bytes.
  [[nodiscard]] std::uint64_t space_in_inode() const { return in_inode_; }
  [[nodiscard]] bool any_in_block() const { return in_block_ != 0; }
  // Of those outside the inode, in whatever order they came: equal sets have equal hashes. 0 where
  // a value is not known.
  [[nodiscard]] std::uint64_t block_contents() const { return unknown_ == 0 ? contents_ : 0; }

 private:
  void account(const ExtendedAttribute& attribute, bool added);

  std::map<std::uint64_t, ExtendedAttribute> by_name_;
  std::uint64_t in_inode_ = 0;
  std::size_t in_block_ = 0;
  std::size_t unknown_ = 0;  // of those in the block
  std::uint64_t contents_ = 0;
};

}  // namespace fcsim::model::ext4
