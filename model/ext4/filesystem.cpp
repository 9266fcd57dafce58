#include "model/ext4/filesystem.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "model/jbd2/journal.h"
#include "model/jbd2/no_journal.h"

namespace fcsim::model::ext4 {

namespace {

// Blocks of one kind, each owned by its place.
void number(std::vector<LogItem>& items, ItemKind kind) {
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    items[i].owner = i;
    items[i].kind = kind;
  }
}

}  // namespace

std::unique_ptr<Journal> make_journal(const Geometry& geometry, const Clock& clock,
                                      const Configuration& configuration) {
  if (!geometry.has_journal) return std::make_unique<jbd2::NoJournal>();
  return std::make_unique<jbd2::Journal>(geometry, clock, configuration.kernel,
                                         configuration.mount);
}

FileSystem::FileSystem(const Configuration& configuration, const InitialState& initial,
                       const JournalFactory& journal)
    : configuration_(configuration),
      geometry_(configuration.filesystem, configuration.mount, configuration.kernel),
      clock_(configuration.clock),
      journal_(journal(geometry_, clock_, configuration_)),
      blocks_(geometry_, configuration.filesystem, configuration.clock.smp),
      inode_numbers_(geometry_, blocks_),
      fast_commit_(geometry_, configuration_.kernel, *journal_, *this),
      block_bitmaps_(geometry_.group_count),
      inode_bitmaps_(geometry_.group_count),
      descriptors_(geometry_.group_count / geometry_.descriptors_per_block + 1),
      inode_tables_(geometry_.group_count),
      next_unplaced_block_(geometry_.block_count) {
  const Jbd2Rules& jbd2 = configuration_.kernel.jbd2;
  credits_.one_extent = metadata_credits(1);
  credits_.create = credits_.data + 12 + 3 + 7 * jbd2.security_xattr_slots;
  credits_.tmpfile = 4 + 6 + 7 * jbd2.security_xattr_slots;
  credits_.link = credits_.data + 12 + 1;
  credits_.unlink = credits_.data;
  credits_.rename = 2 * credits_.data + 12 + 2;
  credits_.conversion = jbd2.conversion_credits;
  superblock_.kind = ItemKind::superblock;
  orphan_file_block_.kind = ItemKind::orphan_file;
  number(block_bitmaps_, ItemKind::block_bitmap);
  number(inode_bitmaps_, ItemKind::inode_bitmap);
  number(descriptors_, ItemKind::group_descriptors);
  journal_->add_observer(fast_commit_);  // first: it completes the records that others are told
  journal_->add_observer(*this);
  load_initial(initial);
  if (initial.warm) journal_->assume_committed_before();
}

// ext4_meta_trans_blocks: index blocks, then the bitmaps and descriptors they may come from.
std::uint32_t FileSystem::metadata_credits(std::uint32_t extents) const {
  const Jbd2Rules& jbd2 = configuration_.kernel.jbd2;
  const std::uint32_t index = extents > 1 ? jbd2.index_credits_many : jbd2.index_credits_one;
  const auto descriptor_blocks =
      static_cast<std::uint32_t>((geometry_.group_count + geometry_.descriptors_per_block - 1) /
                                 geometry_.descriptors_per_block);
  return index + std::min(index + extents, geometry_.group_count) +
         std::min(index + extents, descriptor_blocks) + 6;
}

void FileSystem::apply(const Operation& operation, Time now) {
  using enum OperationKind;
  const Call call{
      operation,
      now,
      {operation.line, operation.source, operation.pid, operation.kind, operation.file}};
  const bool no_space = (operation.flags & operation_flag::failed_no_space) != 0;
  if (no_space && operation.kind != set_xattr && operation.kind != fallocate) {
    fail_without_space(call);
    return;
  }
  if (changes_ != nullptr) changes_->on_operation(operation, now);
  apply_kind(call);
  if (changes_ != nullptr) changes_->on_operation_done(operation, now);
}

void FileSystem::apply_kind(const Call& call) {
  using enum OperationKind;
  const Operation& operation = call.operation;
  const Time now = call.now;
  switch (operation.kind) {
    case appear:
      this->appear(call);
      break;
    case create:
      this->create(call);
      break;
    case mkdir:
      make_directory(call);
      break;
    case symlink:
      make_symlink(call);
      break;
    case mknod:
      make_node(call);
      break;
    case tmpfile:
      make_tmpfile(call);
      break;
    case link:
      this->link(call);
      break;
    case unlink:
      this->unlink(call);
      break;
    case rmdir:
      remove_directory(call);
      break;
    case rename:
      this->rename(call);
      break;
    case exchange:
      this->exchange(call);
      break;
    case evict:
      evict_deleted(operation.file, call);
      break;
    case open:
      this->open(call);
      break;
    case release:
      this->release(call);
      break;
    case read:
    case follow_symlink:
      if (known(operation.file))
        touch_atime(operation.file, now, call.origin,
                    (operation.flags & operation_flag::noatime) != 0);
      break;
    case write:
      this->write(call);
      break;
    case truncate:
      this->truncate(call);
      break;
    case fallocate:
      this->fallocate(call);
      break;
    case map_shared:
      if (known(operation.file)) ++inodes_[operation.file].mappings;
      break;
    case unmap:
      if (known(operation.file) && inodes_[operation.file].mappings != 0)
        --inodes_[operation.file].mappings;
      break;
    case set_attributes:
      this->set_attributes(call);
      break;
    case set_xattr:
      this->set_xattr(call);
      break;
    case remove_xattr:
      this->remove_xattr(call);
      break;
    case get_attributes:
      if (known(operation.file)) {
        read_in(inodes_[operation.file]);
        inodes_[operation.file].ctime_queried = true;
      }
      break;
    case lookup:
      if (known(operation.file)) read_in(inodes_[operation.file]);
      break;
    case set_flags:
      this->set_flags(call);
      break;
    case swap_boot:
      this->swap_boot(call);
      break;
    case move_extents:
      this->move_extents(call);
      break;
    case migrate:
      if (configuration_.kernel.ineligible.migrate)
        fast_commit_.mark(fast_commit::Reason::migration, 1, call.origin);
      break;
    case enable_verity:
      if (configuration_.kernel.ineligible.verity)
        fast_commit_.mark(fast_commit::Reason::verity, 1, call.origin);
      break;
    case resize:  // no handle is open at the mark; the journal is flushed behind it
      fast_commit_.mark(fast_commit::Reason::resize, 1, call.origin);
      commit_on_the_way(now, call.origin);
      break;
    case set_encryption:
      if (known(operation.file)) {
        Inode& directory = inodes_[operation.file];
        directory.encrypted = true;
        Handle handle(*this, now, credits_.xattr, call.origin);
        store_xattr(directory, operation.file, encryption_context(), call, handle);
      }
      break;
    case drop_caches:
      this->drop_caches(call);
      break;
    case none:
    case fsync:
    case fdatasync:
    case msync:
    case sync_file_range:
    case syncfs:
    case sync:
    case freeze:
    case OperationKind::remount:
    case unmount:
    case end_of_trace:
      break;  // the engine's
    case clone:
    case dedupe:
    case refused:
      break;  // nothing that ext4's journal sees
  }
}

void FileSystem::stop_handle(Time now, const Origin& origin, bool synchronous) {
  const Tid tid = journal_->running();
  journal_->end(now, origin, synchronous);
  if (synchronous) wait_ = tid;
}

void FileSystem::commit_on_the_way(Time now, const Origin& origin, Cause cause) {
  journal_->force_now(now, cause, origin);
}

void FileSystem::dirty_bitmap(std::uint32_t group) {
  if (group >= block_bitmaps_.size()) return;
  dirty_block(block_bitmaps_[group]);
  dirty_block(descriptors_[group / geometry_.descriptors_per_block]);
}

void FileSystem::dirty_inode_bitmap(std::uint32_t group) {
  dirty_block(inode_bitmaps_[group]);
  dirty_block(descriptors_[group / geometry_.descriptors_per_block]);
}

// The first open of a regular file writes the mount path into the superblock, once a mount
// (fs/ext4/file.c:ext4_sample_last_mounted).
void FileSystem::stamp_superblock(Time now, const Origin& origin) {
  if (superblock_stamped_) return;
  superblock_stamped_ = true;
  const Handle handle(*this, now, 1, origin);
  dirty_block(superblock_);
}

std::uint64_t FileSystem::allocate_leaf(std::uint64_t near_physical) {
  reclaim_freed();
  const std::uint64_t goal = near_physical < geometry_.block_count ? near_physical : 0;
  const std::uint64_t block = blocks_.allocate_metadata(goal);
  if (block == 0)
    ++notes_.out_of_space;
  else
    dirty_bitmap(blocks_.group_of(block));
  return block;
}

void FileSystem::free_leaf(LogItem& block, std::uint64_t physical) {
  journal_->forget(block);
  if (physical == 0 || physical >= geometry_.block_count) return;
  free_at_commit(physical, 1);
  dirty_bitmap(blocks_.group_of(physical));
}

// Blocks freed in a transaction can be allocated again only when it is on disk
// (fs/ext4/mballoc.c:ext4_process_freed_data).
void FileSystem::free_at_commit(std::uint64_t physical, std::uint32_t length) {
  if (journal_->running() != 0)
    deferred_frees_.push_back({journal_->running(), physical, length});
  else
    blocks_.free(physical, length);
}

void FileSystem::reclaim_freed() {
  while (!deferred_frees_.empty() && deferred_frees_.front().tid <= journal_->durable()) {
    blocks_.free(deferred_frees_.front().physical, deferred_frees_.front().length);
    deferred_frees_.pop_front();
  }
}

// ---- what a fast commit reads of an inode ---------------------------------------------------

std::uint32_t FileSystem::raw_inode_bytes(FileId file) const {
  return inodes_[file].inline_data ? geometry_.inode_size : geometry_.inode_record_bytes;
}

// The walk over the tracked blocks, one record a look-up: mapped runs as the extent status tree
// merges them, holes up to the next extent, delayed blocks as holes of their own
// (fs/ext4/fast_commit.c:ext4_fc_write_inode_data). A snapshot looks into the extent status tree
// alone: a block that is not in it, or is delayed, ends the walk. A file without extents cannot
// have blocks so far out as the range of a shrinking truncation goes, and looking them up is an
// error (fs/ext4/indirect.c:ext4_block_to_path).
fast_commit::RangeWalk FileSystem::walk_ranges(FileId file,
                                               fast_commit::RangeRecords& records) const {
  const Inode& inode = inodes_[file];
  const SnapshotRules& snapshot = configuration_.kernel.snapshot;
  const FastCommitRules& rules = configuration_.kernel.fast_commit;
  const bool status_only = snapshot.enabled && snapshot.source == RangeSource::extent_status;
  for (const fast_commit::range_tracking::TrackedRange& range : inode.tracked.ranges) {
    if (!geometry_.extents && !status_only && range.end() > geometry_.most_indirect_blocks())
      return fast_commit::RangeWalk::unmappable;
    for (std::uint64_t block = range.start; block < range.end();) {
      if (snapshot.enabled && records.size() > snapshot.max_ranges)
        return fast_commit::RangeWalk::complete;
      const ExtentTree::Lookup run = inode.extents.lookup_merged(block);
      std::uint64_t end =
          std::min(run.mapped ? run.end : std::max(run.end, block + 1), range.end());
      if (!run.mapped && run.end >= ExtentTree::kMaxBlock) end = range.end();
      const auto delayed = inode.pending.from(block);
      if (!run.mapped && delayed != inode.pending.runs().end() && delayed->first < end) {
        if (status_only && delayed->first <= block) return fast_commit::RangeWalk::delayed;
        end = std::min(end, delayed->first <= block ? delayed->end : delayed->first);
      }
      if (status_only) {
        const auto cached = inode.cached.from(block);
        if (cached == inode.cached.runs().end() || cached->first > block)
          return fast_commit::RangeWalk::not_cached;
        end = std::min(end, cached->end);
      }
      if (run.mapped)
        end =
            std::min<std::uint64_t>(end, block + (run.unwritten ? rules.max_unwritten_extent_blocks
                                                                : rules.max_written_extent_blocks));
      else if (!status_only && rules.max_lookup_blocks != 0)
        end = std::min(end, block + rules.max_lookup_blocks);
      records.push_back(static_cast<std::uint8_t>(run.mapped
                                                      ? fast_commit::record_bytes::add_range
                                                      : fast_commit::record_bytes::del_range));
      assert(end > block);
      block = end;
    }
  }
  return fast_commit::RangeWalk::complete;
}

// Looking a block up where the status tree does not know it brings in its whole leaf: the extents,
// the holes between them, and the hole around the block (fs/ext4/extents.c:ext4_cache_extents,
// ext4_ext_determine_insert_hole).
void FileSystem::cache_status(Inode& inode, std::uint64_t block) {
  if (!configuration_.kernel.snapshot.enabled || inode.cached.contains(block)) return;
  const auto [first, end] = inode.extents.leaf_span(block);
  inode.cached.insert(first, end);
  const ExtentTree::Lookup run = inode.extents.lookup(block);
  if (run.mapped) return;
  const Extent* left = inode.extents.left_of(block);
  inode.cached.insert(left == nullptr ? 0 : left->end(),
                      run.end >= ExtentTree::kMaxBlock ? ExtentTree::kEnd : run.end);
}

}  // namespace fcsim::model::ext4
