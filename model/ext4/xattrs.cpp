// Extended attributes: where they are stored and how often a change marks the transaction
// (fs/ext4/xattr.c).
#include <algorithm>

#include "model/ext4/filesystem.h"

namespace fcsim::model::ext4 {
namespace {

constexpr std::uint32_t kEntryHeader = 16;  // struct ext4_xattr_entry

std::uint32_t padded(std::uint32_t bytes) {
  return (bytes + 3) & ~3U;
}

std::uint32_t space(const ExtendedAttribute& attribute) {
  return kEntryHeader + padded(attribute.name_length) + padded(attribute.value_length);
}

// The prefix of a name is stored as an index; its length depends on the name space.
std::uint32_t stored_name_length(const Operation& op) {
  if ((op.flags & operation_flag::acl) != 0) return 0;
  constexpr std::uint32_t user_prefix = 5;  // "user."
  return op.name_length > user_prefix ? op.name_length - user_prefix : 0U;
}

constexpr std::uint32_t kMostReferences = 1024;  // EXT4_XATTR_REFCOUNT_MAX

// Of the attributes outside the inode, in whatever order they came; 0 where a value is not known.
std::uint64_t contents_of_block(const std::vector<ExtendedAttribute>& attributes) {
  std::uint64_t sum = 0;
  for (const ExtendedAttribute& a : attributes) {
    if (a.in_inode) continue;
    if (!a.value_known) return 0;
    std::uint64_t mixed = a.name_hash ^ (a.value_hash * 0x9e3779b97f4a7c15ULL) ^ a.value_length;
    mixed ^= mixed >> 31;
    sum += mixed * 0xbf58476d1ce4e5b9ULL;
  }
  return sum;
}

using BlocksByContents = std::unordered_multimap<std::uint64_t, std::shared_ptr<XattrBlock>>;

void forget_contents(BlocksByContents& blocks, const XattrBlock& block) {
  const auto [first, end] = blocks.equal_range(block.contents);
  const auto at =
      std::find_if(first, end, [&](const auto& entry) { return entry.second.get() == &block; });
  if (at != end) blocks.erase(at);
}

}  // namespace

std::uint32_t FileSystem::in_inode_xattr_room(const Inode& inode) const {
  const std::uint32_t area = geometry_.inode_size - 128 - geometry_.extra_isize;
  std::uint32_t used = 4 + 4;  // header and closing word
  for (const ExtendedAttribute& attribute : inode.attributes)
    if (attribute.in_inode) used += space(attribute);
  return area > used ? area - used : 0;
}

// ext4_xattr_set_handle within a handle: true when something changed.
bool FileSystem::store_xattr(Inode& inode, FileId file, const ExtendedAttribute& attribute,
                             const Call& call) {
  bool moves_in = false;  // from the block, should it now fit into the inode
  const auto old =
      std::find_if(inode.attributes.begin(), inode.attributes.end(),
                   [&](const ExtendedAttribute& a) { return a.name_hash == attribute.name_hash; });
  if (old != inode.attributes.end()) {
    if (old->value_known && attribute.value_known && old->value_hash == attribute.value_hash &&
        old->value_length == attribute.value_length)
      return false;
    moves_in = !old->in_inode;
    inode.attributes.erase(old);
  }
  ExtendedAttribute stored = attribute;
  stored.in_inode = in_inode_xattr_room(inode) >= space(attribute);
  inode.attributes.push_back(stored);
  if (!stored.in_inode || moves_in) update_xattr_block(inode);
  change_ctime(inode, call.now);
  mark_inode_dirty(inode, file, call.origin);
  fast_commit_.mark(fast_commit::Reason::extended_attributes,
                    configuration_.kernel.ineligible.xattr_inner, call.origin);
  return true;
}

void FileSystem::set_xattr(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = inodes_[op.file];
  read_in(inode);
  const IneligibleRules& rules = configuration_.kernel.ineligible;
  if ((op.flags & operation_flag::acl) != 0) {
    set_acl(inode, op.file, call);
    return;
  }
  if ((op.flags & operation_flag::failed_no_space) != 0) {
    for (std::uint32_t i = 0; i < rules.xattr_no_space_attempts; ++i) {
      const Handle handle(*this, call.now, credits_.xattr, call.origin);
      reserve_inode(inode, op.file, call.origin);
      fast_commit_.mark(fast_commit::Reason::extended_attributes,
                        rules.xattr_inner + rules.xattr_outer, call.origin);
    }
    return;
  }
  const Handle handle(*this, call.now, credits_.xattr, call.origin);
  constexpr std::uint32_t refused =
      operation_flag::failed_exists | operation_flag::failed_missing | operation_flag::failed;
  bool changed = false;
  if ((op.flags & refused) == 0) {
    ExtendedAttribute attribute;
    attribute.name_hash = op.name_hash;
    attribute.value_hash = op.value;
    attribute.name_length = stored_name_length(op);
    attribute.value_length = static_cast<std::uint32_t>(std::max<std::int64_t>(0, op.length));
    attribute.value_known = (op.flags & operation_flag::value_unknown) == 0;
    changed = store_xattr(inode, op.file, attribute, call);
    if ((op.flags & operation_flag::capability) != 0) inode.capability = attribute.name_hash;
  }
  if (!changed) reserve_inode(inode, op.file, call.origin);
  fast_commit_.mark(fast_commit::Reason::extended_attributes, rules.xattr_outer, call.origin);
}

// The inode's buffer was reserved and nothing written to it.
void FileSystem::reserve_inode(Inode& inode, FileId file, const Origin& origin) {
  if (inode.is_directory() || !configuration_.kernel.fast_commit.reserve_tracks_inode) return;
  fast_commit_.track_inode(file, unloggable(inode),
                           configuration_.kernel.ineligible.special_inode_update / 2, origin);
}

// ext4_set_acl: only the inner function marks; an ACL that says no more than the mode is not
// stored.
void FileSystem::set_acl(Inode& inode, FileId file, const Call& call) {
  const Operation& op = call.operation;
  const Handle handle(*this, call.now, credits_.xattr, call.origin);
  change_ctime(inode, call.now);
  const bool default_acl = (op.flags & operation_flag::default_acl) != 0;
  if (!default_acl) {
    mark_inode_dirty(inode, file, call.origin);
  }
  ExtendedAttribute attribute;
  attribute.name_hash = op.name_hash;
  attribute.value_hash = op.value;
  attribute.value_length = static_cast<std::uint32_t>(std::max<std::int64_t>(0, op.length));
  attribute.value_known = (op.flags & operation_flag::value_unknown) == 0;
  attribute.acl = true;
  attribute.default_acl = default_acl;
  if ((op.flags & operation_flag::acl_is_mode) == 0) {
    store_xattr(inode, file, attribute, call);
    return;
  }
  const auto old =
      std::find_if(inode.attributes.begin(), inode.attributes.end(),
                   [&](const ExtendedAttribute& a) { return a.name_hash == op.name_hash; });
  if (old == inode.attributes.end()) return;
  inode.attributes.erase(old);
  fast_commit_.mark(fast_commit::Reason::extended_attributes,
                    configuration_.kernel.ineligible.xattr_inner, call.origin);
}

void FileSystem::remove_xattr(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = inodes_[op.file];
  read_in(inode);
  const IneligibleRules& rules = configuration_.kernel.ineligible;
  const Handle handle(*this, call.now, credits_.xattr, call.origin);
  if ((op.flags & operation_flag::failed_missing) == 0) {
    const auto old =
        std::find_if(inode.attributes.begin(), inode.attributes.end(),
                     [&](const ExtendedAttribute& a) { return a.name_hash == op.name_hash; });
    const bool in_inode = old == inode.attributes.end() || old->in_inode;
    if (old != inode.attributes.end()) inode.attributes.erase(old);
    if (inode.capability == op.name_hash) inode.capability.reset();
    if (!in_inode) update_xattr_block(inode);
    change_ctime(inode, call.now);
    mark_inode_dirty(inode, op.file, call.origin);
    fast_commit_.mark(fast_commit::Reason::extended_attributes, rules.xattr_inner, call.origin);
  } else {
    reserve_inode(inode, op.file, call.origin);
  }
  if ((op.flags & operation_flag::acl) == 0)
    fast_commit_.mark(fast_commit::Reason::extended_attributes, rules.xattr_outer, call.origin);
}

// ext4_xattr_block_set: a block of one owner is changed in place, a shared one is left; a block
// that holds the same already is shared, else a new one is made; the block left behind loses its
// owner.
void FileSystem::update_xattr_block(Inode& inode) {
  const std::shared_ptr<XattrBlock> old = inode.xattr_block;
  const bool any = std::any_of(inode.attributes.begin(), inode.attributes.end(),
                               [](const ExtendedAttribute& a) { return !a.in_inode; });
  const std::uint64_t contents = contents_of_block(inode.attributes);
  const bool in_place = old != nullptr && old->references == 1;
  if (in_place) {
    dirty_block(old->block);
    forget_contents(xattr_blocks_, *old);
    old->contents = 0;
  }
  const std::shared_ptr<XattrBlock> same = any ? find_xattr_block(contents) : nullptr;
  if (!any) {
    inode.xattr_block.reset();
  } else if (same != nullptr) {
    if (same != old) ++same->references;
    inode.xattr_block = same;
    dirty_block(same->block);
  } else {
    if (!in_place) {
      inode.xattr_block = std::make_shared<XattrBlock>();
      inode.xattr_block->physical = allocate_leaf(blocks_.inode_goal(inode.group, false));
      dirty_block(inode.xattr_block->block);
    }
    inode.xattr_block->contents = contents;
    if (contents != 0) xattr_blocks_.emplace(contents, inode.xattr_block);
  }
  if (old != nullptr && old != inode.xattr_block) release_xattr_block(*old);
}

std::shared_ptr<XattrBlock> FileSystem::find_xattr_block(std::uint64_t contents) const {
  if (contents == 0) return nullptr;
  const auto [first, end] = xattr_blocks_.equal_range(contents);
  for (auto at = first; at != end; ++at)
    if (at->second->references < kMostReferences) return at->second;
  return nullptr;
}

void FileSystem::release_xattr_block(XattrBlock& block) {
  if (--block.references != 0) {
    dirty_block(block.block);
    return;
  }
  forget_contents(xattr_blocks_, block);
  free_leaf(block.block, block.physical);
}

}  // namespace fcsim::model::ext4
