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

// The prefix of a name is stored as an index.
std::uint32_t stored_name_length(const Operation& op) {
  constexpr std::uint32_t user_prefix = 5;  // "user."
  return op.name_length > user_prefix ? op.name_length - user_prefix : 0U;
}

// On disk an entry without an id takes 4 bytes, in the call's value 8
// (fs/ext4/acl.h:ext4_acl_size).
std::uint32_t stored_acl_length(std::int64_t length) {
  constexpr std::int64_t header = 4, entry = 8;
  constexpr std::uint32_t short_entry = 4, short_entries = 4, long_entry = 8;
  if (length < header + entry) return 0;
  const auto entries = static_cast<std::uint32_t>((length - header) / entry);
  const std::uint32_t longer = entries > short_entries ? entries - short_entries : 0;
  return 4 + short_entry * (entries - longer) + long_entry * longer;
}

ExtendedAttribute acl_of(const Operation& op) {
  ExtendedAttribute attribute;
  attribute.acl = true;
  attribute.default_acl = (op.flags & operation_flag::default_acl) != 0;
  attribute.name_hash = attribute.default_acl ? xattr_name::default_acl : xattr_name::access_acl;
  attribute.value_hash = op.value;
  attribute.value_length = stored_acl_length(op.length);
  attribute.value_known = (op.flags & operation_flag::value_unknown) == 0;
  attribute.mode_only = (op.flags & operation_flag::acl_is_mode) != 0;
  return attribute;
}

constexpr std::uint32_t kMostReferences = 1024;  // EXT4_XATTR_REFCOUNT_MAX

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
  // Those, the header and the closing word.
  auto used = static_cast<std::uint32_t>(inode.attributes.space_in_inode()) + 4 + 4;
  constexpr std::uint32_t inline_data_entry = kEntryHeader + 4, in_block_area = 60;
  if (inode.directory && inode.directory->inline_entries() != nullptr)
    used += inline_data_entry + inode.directory->inline_entries()->bytes_beside_attributes();
  else if (inode.inline_data && inode.size != 0)
    used += inline_data_entry + padded(inode.size > in_block_area
                                           ? static_cast<std::uint32_t>(inode.size) - in_block_area
                                           : 0);
  return area > used ? area - used : 0;
}

// The manifest tells that there are attributes, not their sizes: an ACL with one named user has
// five entries of 8 bytes after 4; "unconfined_u:object_r:user_home_t:s0" is a usual label.
void FileSystem::load_attributes(const InitialFile& file, Inode& inode) {
  constexpr std::uint32_t acl_bytes = 44, label_bytes = 37, label_name = 7;  // "selinux"
  const auto add = [&](ExtendedAttribute attribute) {
    attribute.value_known = false;
    attribute.in_inode = in_inode_xattr_room(inode) >= xattr_space(attribute);
    inode.attributes.put(attribute);
    if (attribute.in_inode || inode.xattr_block != nullptr) return;
    inode.xattr_block = std::make_shared<XattrBlock>();
    inode.xattr_block->physical = blocks_.allocate_metadata(blocks_.first_block(inode.group));
  };
  const auto add_acl = [&](bool is_default) {
    ExtendedAttribute attribute;
    attribute.acl = true;
    attribute.default_acl = is_default;
    attribute.name_hash = is_default ? xattr_name::default_acl : xattr_name::access_acl;
    attribute.value_length = stored_acl_length(acl_bytes);
    add(attribute);
  };
  if (inode.encrypted) add(encryption_context());
  if (file.access_acl) add_acl(false);
  if (file.default_acl && inode.is_directory()) add_acl(true);
  if (!file.label) return;
  ExtendedAttribute label;
  label.name_hash = xattr_name::label;
  label.name_length = label_name;
  label.value_length = label_bytes;
  add(label);
}

// ext4_xattr_set_handle within a handle: true when something changed.
bool FileSystem::store_xattr(Inode& inode, FileId file, const ExtendedAttribute& attribute,
                             const Call& call, Handle& handle) {
  bool moves_in = false;  // from the block, should it now fit into the inode
  const ExtendedAttribute* const old = inode.attributes.find(attribute.name_hash);
  if (old != nullptr) {
    if (old->value_known && attribute.value_known && old->value_hash == attribute.value_hash &&
        old->value_length == attribute.value_length)
      return false;
    moves_in = !old->in_inode;
    inode.attributes.erase(attribute.name_hash);
  }
  ExtendedAttribute stored = attribute;
  stored.in_inode = in_inode_xattr_room(inode) >= xattr_space(attribute);
  inode.attributes.put(stored);
  if (!stored.in_inode || moves_in) update_xattr_block(inode);
  note_xattr_change(inode, file, call, handle);
  return true;
}

void FileSystem::set_xattr(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = inodes_[op.file];
  read_in(inode);
  const IneligibleRules& rules = configuration_.kernel.ineligible;
  if ((op.flags & operation_flag::failed_no_space) != 0) {
    fail_to_set_xattr(inode, call);
    return;
  }
  if ((op.flags & operation_flag::acl) != 0) {
    set_acl(inode, op.file, call);
    return;
  }
  Handle handle(*this, call.now, credits_.xattr, call.origin);
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
    changed = store_xattr(inode, op.file, attribute, call, handle);
    if ((op.flags & operation_flag::capability) != 0) inode.capability = attribute.name_hash;
  }
  if (!changed) reserve_inode(inode, op.file, call.origin);
  fast_commit_.mark(fast_commit::Reason::extended_attributes, rules.xattr_outer, call.origin);
}

// Each attempt marks: both functions, of an ACL the inner one.
void FileSystem::fail_to_set_xattr(Inode& inode, const Call& call) {
  const Operation& op = call.operation;
  const IneligibleRules& rules = configuration_.kernel.ineligible;
  const bool acl = (op.flags & operation_flag::acl) != 0;
  std::uint32_t retries = 0;
  do {
    const Handle handle(*this, call.now, credits_.xattr, call.origin);
    reserve_inode(inode, op.file, call.origin);
    fast_commit_.mark(fast_commit::Reason::extended_attributes,
                      rules.xattr_inner + (acl ? 0 : rules.xattr_outer), call.origin);
  } while (retry_allocation(call, retries, rules.xattr_no_space_attempts - 1));
}

// The inode's buffer was reserved and nothing written to it.
void FileSystem::reserve_inode(Inode& inode, FileId file, const Origin& origin) {
  if (inode.is_directory() || !configuration_.kernel.fast_commit.reserve_tracks_inode) return;
  fast_commit_.track_inode(file, unloggable(inode),
                           configuration_.kernel.ineligible.special_inode_update / 2, origin);
}

// ext4_set_acl: only the inner function marks. An access ACL that says no more than the mode, and
// one without entries, are not stored: what was there before goes. Where nothing was, nothing
// changes (the mode is taken not to).
void FileSystem::set_acl(Inode& inode, FileId file, const Call& call) {
  const Operation& op = call.operation;
  const ExtendedAttribute attribute = acl_of(op);
  Handle handle(*this, call.now, credits_.xattr, call.origin);
  const bool removal = op.kind == OperationKind::remove_xattr || attribute.value_length == 0 ||
                       (attribute.mode_only && !attribute.default_acl);
  const bool changed = removal ? drop_xattr(inode, file, attribute.name_hash, call, handle)
                               : store_xattr(inode, file, attribute, call, handle);
  if (!changed) reserve_inode(inode, file, call.origin);
}

// ext4_xattr_set_handle without a value: true when there was one.
bool FileSystem::drop_xattr(Inode& inode, FileId file, std::uint64_t name_hash, const Call& call,
                            Handle& handle) {
  const ExtendedAttribute* const old = inode.attributes.find(name_hash);
  if (old == nullptr) return false;
  const bool in_inode = old->in_inode;
  inode.attributes.erase(name_hash);
  if (!in_inode) update_xattr_block(inode);
  note_xattr_change(inode, file, call, handle);
  return true;
}

void FileSystem::note_xattr_change(Inode& inode, FileId file, const Call& call, Handle& handle) {
  change_ctime(inode, call.now);
  mark_inode_dirty(inode, file, call.origin);
  handle.synchronous(is_synchronous(inode));
  fast_commit_.mark(fast_commit::Reason::extended_attributes,
                    configuration_.kernel.ineligible.xattr_inner, call.origin);
}

void FileSystem::remove_xattr(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = inodes_[op.file];
  read_in(inode);
  if ((op.flags & operation_flag::acl) != 0) {
    set_acl(inode, op.file, call);
    return;
  }
  Handle handle(*this, call.now, credits_.xattr, call.origin);
  if ((op.flags & operation_flag::failed_missing) != 0) {
    reserve_inode(inode, op.file, call.origin);
  } else if (!drop_xattr(inode, op.file, op.name_hash, call, handle)) {
    note_xattr_change(inode, op.file, call, handle);  // it was there before the trace
  }
  if (inode.capability == op.name_hash) inode.capability.reset();
  fast_commit_.mark(fast_commit::Reason::extended_attributes,
                    configuration_.kernel.ineligible.xattr_outer, call.origin);
}

// ext4_xattr_block_set: a block of one owner is changed in place, a shared one is left; a block
// that holds the same already is shared, else a new one is made; the block that it leaves loses its
// owner.
void FileSystem::update_xattr_block(Inode& inode) {
  const std::shared_ptr<XattrBlock> old = inode.xattr_block;
  const bool any = inode.attributes.any_in_block();
  const std::uint64_t contents = inode.attributes.block_contents();
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
