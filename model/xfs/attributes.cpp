// Attributes: chmod and its kin, extended attributes (fs/xfs/xfs_iops.c, fs/xfs/libxfs/xfs_attr.c).
#include <algorithm>

#include "model/xfs/xfs.h"

namespace fcsim::model::xfs {
namespace {

constexpr std::uint32_t kAttributeHeader = 4;  // of the short form
constexpr std::uint32_t kAttributeEntry = 3;   // besides name and value
// "user." and the other prefixes are a flag on disk; an ACL has a name of its own there
// ("SGI_ACL_FILE") (fs/xfs/libxfs/xfs_da_format.h, fs/xfs/libxfs/xfs_attr_sf.h).
constexpr std::uint32_t kPrefix = 5;
constexpr std::uint32_t kAclName = 12;

std::uint32_t stored_bytes(const Operation& op) {
  const bool acl = (op.flags & operation_flag::acl) != 0;
  const std::uint32_t prefix = (op.flags & operation_flag::capability) != 0 ? 9 : kPrefix;
  const std::uint32_t name = acl                       ? kAclName
                             : op.name_length > prefix ? op.name_length - prefix
                                                       : op.name_length;
  // An ACL's entries have 8 bytes in the call and 12 on disk, after headers of 4 bytes both.
  const auto value = static_cast<std::uint32_t>(std::max<std::int64_t>(0, op.length));
  return name + (acl && value >= 4 ? 4 + (value - 4) / 8 * 12 : value);
}

}  // namespace

// The attribute fork may take what the data fork leaves, which keeps room for its extents and never
// less than a small tree's root (fs/xfs/libxfs/xfs_attr_leaf.c:xfs_attr_shortform_bytesfit).
bool Xfs::fits_inside(const Inode& inode, std::uint32_t bytes) const {
  const std::uint32_t literal = settings_.geometry.inode_size - 176;
  std::uint32_t data = 16 * static_cast<std::uint32_t>(inode.data.real_count());
  if (inode.directory() && !inode.block_form)
    data = 6 + static_cast<std::uint32_t>(inode.entry_bytes);
  else if (inode.type == FileType::symlink && inode.data.empty())
    data = inode.link_bytes;
  const std::uint32_t least = 24;
  return (std::max(data, least) + 7) / 8 * 8 + bytes <= literal;
}

void Xfs::set_attributes(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = *inodes_[op.file];
  Transaction transaction(*this, call.now, call.origin);
  set_ctime(inode, call.stamp);
  switch (static_cast<AttributeChange>(op.value)) {
    case AttributeChange::times:
      inode.mtime = inode.atime = 0;  // whatever was asked: not the clock's time
      break;
    case AttributeChange::times_now:
      inode.mtime = inode.atime = inode.ctime;
      break;
    default:
      break;
  }
  transaction.log(inode, part::core);
  transaction.commit(wsync_);
}

void Xfs::set_xattr(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = *inodes_[op.file];
  Transaction transaction(*this, call.now, call.origin);
  constexpr std::uint32_t failed = operation_flag::failed_exists | operation_flag::failed_missing |
                                   operation_flag::failed_no_space;
  if ((op.flags & failed) != 0) {
    transaction.cancel();
    return;
  }
  if ((op.flags & operation_flag::acl_is_mode) != 0) {
    // The ACL that is not there is removed, which finds nothing; then the mode is set.
    transaction.cancel();
    Transaction mode(*this, call.now, call.origin);
    set_ctime(inode, call.stamp);
    mode.log(inode, part::core);
    mode.commit(wsync_);
    return;
  }
  const std::uint32_t bytes = stored_bytes(op);
  const auto found = std::find_if(inode.attributes.begin(), inode.attributes.end(),
                                  [&](const Attribute& a) { return a.name_hash == op.name_hash; });
  const bool replaces = found != inode.attributes.end();
  if (replaces)
    found->bytes = bytes;
  else
    inode.attributes.push_back({op.name_hash, bytes});
  if (!inode.attribute_fork) {  // the fork is added in a transaction of its own
    inode.attribute_fork = true;
    transaction.log(inode, part::core);
    transaction.commit();
    Transaction rest(*this, call.now, call.origin);
    set_ctime(inode, call.stamp);
    rest.log(inode, part::core | part::attributes);
    rest.commit(wsync_);
    return;
  }
  set_ctime(inode, call.stamp);
  transaction.log(inode, part::core | part::attributes);
  if (!inode.attribute_block && !fits_inside(inode, attribute_bytes(inode))) {
    inode.attribute_block = true;
    const Blocks blocks = find_blocks(inode, ExtentList{}, 0, 1);
    if (blocks.length != 0) transaction.allocated(blocks.first);
    transaction.log(BufferKind::attribute_block, op.file, 0x7);
    transaction.roll();
    transaction.log(inode, part::core);
  } else if (inode.attribute_block) {
    const std::uint32_t pieces = (bytes + 127) / 128;
    transaction.log(BufferKind::attribute_block, op.file,
                    1U | (pieces >= 31 ? ~0U : ((1U << pieces) - 1) << (32 - pieces)));
    if (replaces) {  // the new value beside the old one, the names turned round, the old one gone
      transaction.roll(2);
      transaction.log(inode, part::core);
    }
  }
  transaction.commit(wsync_);
}

void Xfs::remove_xattr(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = *inodes_[op.file];
  Transaction transaction(*this, call.now, call.origin);
  const auto found = std::find_if(inode.attributes.begin(), inode.attributes.end(),
                                  [&](const Attribute& a) { return a.name_hash == op.name_hash; });
  const bool missing = (op.flags & operation_flag::failed_missing) != 0 ||
                       ((op.flags & operation_flag::acl) != 0 && found == inode.attributes.end());
  if (missing) {
    transaction.cancel();
    return;
  }
  if (found != inode.attributes.end()) inode.attributes.erase(found);
  set_ctime(inode, call.stamp);
  transaction.log(inode, part::core | part::attributes);
  if (inode.attribute_block) {
    transaction.log(BufferKind::attribute_block, op.file, 0x80000001U);
    if (fits_inside(inode, attribute_bytes(inode))) {
      inode.attribute_block = false;
      transaction.roll();
      transaction.log(inode, part::core);
    }
  }
  transaction.commit(wsync_);
}

}  // namespace fcsim::model::xfs
