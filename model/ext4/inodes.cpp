// The life of inodes: the state before the trace, reading in, dirtying, orphans, eviction.
#include <algorithm>
#include <cassert>

#include "model/ext4/filesystem.h"
#include "model/ext4/inode_flags.h"

namespace fcsim::model::ext4 {
namespace {

// Leaf blocks of maps that existed before the trace: on disk, in no transaction.
class OldLeaves final : public LeafStore {
 public:
  explicit OldLeaves(allocation::BlockAllocator& blocks) : blocks_(blocks) {}
  void dirty(LogItem&) override {}
  std::uint64_t allocate_leaf(std::uint64_t near_physical) override {
    return blocks_.allocate_metadata(near_physical);
  }
  void free_leaf(LogItem&, std::uint64_t physical) override { blocks_.free(physical, 1); }

 private:
  allocation::BlockAllocator& blocks_;
};

}  // namespace

Inode& FileSystem::slot(FileId file) {
  while (inodes_.size() <= file)
    inodes_.emplace_back(geometry_.extents_per_leaf, static_cast<FileId>(inodes_.size()));
  return inodes_[file];
}

Inode& FileSystem::make_inode(FileId file, FileType type, std::uint32_t number, FileId parent,
                              Time now) {
  Inode& inode = slot(file);
  assert(!inode.exists);
  inode = Inode(geometry_.extents_per_leaf, file);
  inode.exists = true;
  inode.tracked.file = file;
  inode.type = type;
  inode.number = number;
  inode.group = number == 0 ? 0 : inode_numbers_.group_of(number);
  inode.links = 1;
  inode.parent = parent;
  inode.atime = inode.mtime = inode.ctime = now;
  bind_table(inode);
  if (type == FileType::directory)
    inode.directory =
        std::make_unique<Directory>(geometry_, configuration_.filesystem.has("dir_index"), file);
  return inode;
}

void FileSystem::bind_table(Inode& inode) {
  auto& table = inode_tables_[inode.group];
  if (table.empty())
    table.resize(
        (geometry_.inodes_per_group + geometry_.inodes_per_block - 1) / geometry_.inodes_per_block,
        LogItem{0, inode.group, ItemKind::inode_table});
  const std::uint32_t index = inode.number == 0 ? 0 : inode_numbers_.table_block_of(inode.number);
  inode.table = &table[index];
}

// ---- before the trace -----------------------------------------------------------------------

void FileSystem::load_initial(const InitialState& initial) {
  const Time long_ago = 0;
  if (!initial.known || initial.files.empty()) {
    Inode& root = make_inode(kRootDirectory, FileType::directory, 2, kRootDirectory, long_ago);
    root.directory->add_first_block(blocks_.root_directory_block());
    root.size = root.disk_size = root.written_size = geometry_.block_size;
    return;
  }
  for (const InitialFile& file : initial.files)
    if (file.inode != 0) inode_numbers_.occupy(file.inode, file.type == FileType::directory);
  OldLeaves leaves(blocks_);
  for (const InitialFile& file : initial.files) {
    if (known(file.file)) continue;
    Inode& inode = make_inode(file.file, file.type, file.inode, file.parent, long_ago);
    inode.links = file.links;
    inode.journal_flag = (file.flags & kJournalDataFlag) != 0;
    inode.sync_flag = (file.flags & kSynchronousFlag) != 0;
    inode.dirsync_flag = (file.flags & kDirsyncFlag) != 0;
    inode.encrypted = (file.flags & kEncryptedFlag) != 0;
    load_attributes(file, inode);
    inode.size = inode.disk_size = inode.written_size = file.size;
    if (inode.regular())
      inode.cached.insert(0, blocks_for(file.size));  // the listing of extents read them
    for (const InitialExtent& e : file.extents) {
      inode.extents.insert({e.logical, e.length, e.physical, e.unwritten}, true, leaves);
      blocks_.occupy(e.physical, e.length);
      superblock_stamped_ = true;  // the listing of extents opened the file
    }
    if (file.type == FileType::directory && geometry_.inline_data && file.blocks512 == 0 &&
        file.size != 0 && file.size < geometry_.block_size)
      inode.directory->be_inline();
    else if (file.type == FileType::directory)
      inode.directory->add_first_block(
          file.inode <= geometry_.first_inode &&
                  file.inode != 0  // mke2fs made the root, lost+found
              ? blocks_.root_directory_block()
              : blocks_.allocate_metadata(blocks_.first_block(inode.group)));
  }
  // What was made on this very mount, by one process, is still missing from the lagging counters.
  if (!initial.warm) {
    blocks_.count_exactly();
    inode_numbers_.count_exactly();
  }
  const std::uint64_t none[2] = {0, 0};
  for (const InitialFile& file : initial.files) {
    if (file.parent == kNoFile || !known(file.parent) || !inodes_[file.parent].directory) continue;
    if (InlineEntries* const names = inodes_[file.parent].directory->inline_entries())
      names->offer(in_inode_xattr_room(inodes_[file.parent]));
    inodes_[file.parent].directory->insert(file.name_hash, file.name_length, none, nullptr);
  }
}

// A file that the trace uses without an announcement: fully written at an unknown place, read in
// long ago (the documented guess).
void FileSystem::appear(const Call& call) {
  const Operation& op = call.operation;
  if (known(op.file)) {
    if ((op.flags & operation_flag::again) != 0) learn_size(inodes_[op.file], op.length);
    return;
  }
  const FileId parent = op.parent == kNoFile ? kRootDirectory : op.parent;
  const std::uint32_t parent_group = known(parent) ? inodes_[parent].group : 0;
  const bool directory = op.type == FileType::directory;
  const std::uint32_t number =
      directory ? inode_numbers_.allocate_directory(parent_group, false, op.name_hash)
                : inode_numbers_.allocate_file(parent_group);
  Inode& inode = make_inode(op.file, op.type, number, parent, 0);
  inode.atime = call.now;  // read often enough: its first read here changes nothing
  if (directory) inode.directory->add_first_block(0);
  learn_size(inode, op.length);
  if (known(parent) && inodes_[parent].directory && op.name_length != 0) {
    const std::uint64_t none[2] = {0, 0};
    inodes_[parent].directory->insert(op.name_hash, op.name_length, none, nullptr);
  }
}

// A file was larger all along than was known: its old part is mapped and written.
void FileSystem::learn_size(Inode& inode, std::int64_t size) {
  if (size <= inode.size) return;
  if (inode.regular() && geometry_.has_journal) {
    std::uint64_t block = blocks_for(inode.size);
    const std::uint64_t end = blocks_for(size);
    OldLeaves leaves(blocks_);
    while (block < end) {
      const ExtentTree::Lookup run = inode.extents.lookup(block);
      const std::uint64_t stop = std::min({std::max(run.end, block + 1), end, block + 32768});
      if (!run.mapped) {
        const auto length = static_cast<std::uint32_t>(stop - block);
        inode.extents.insert(
            {static_cast<std::uint32_t>(block), length, next_unplaced_block_, false}, true, leaves);
        next_unplaced_block_ += length;
      }
      block = stop;
    }
    ++next_unplaced_block_;  // two such files never touch on disk
  }
  inode.size = inode.disk_size = inode.written_size = size;
}

// ---- dirtying -------------------------------------------------------------------------------

// All but regular files and directories count as data-journalled, and so does a regular file with
// the j flag where delayed allocation is off (fs/ext4/ext4_jbd2.c:ext4_inode_journal_mode).
bool FileSystem::unloggable(const Inode& inode) const {
  if (inode.is_directory()) return false;
  if (!inode.regular()) return true;
  return inode.journal_flag && !configuration_.mount.delalloc && !inode.encrypted;
}

// ext4_update_inode_fsync_trans
void FileSystem::update_tids(Inode& inode, bool datasync) {
  if (!geometry_.has_journal) return;
  fast_commit_.touch_inode(inode.tracked);
  if (datasync) inode.datasync_tid = journal_->running();
}

// ext4_mark_inode_dirty: the inode is written to its table buffer within a handle.
void FileSystem::mark_inode_dirty(Inode& inode, FileId file, const Origin& origin) {
  if (changes_ != nullptr) changes_->on_inode(file);
  if (!geometry_.has_journal) return;
  if (!inode.is_directory())
    fast_commit_.track_inode(file, unloggable(inode),
                             configuration_.kernel.ineligible.special_inode_update, origin);
  dirty_block(*inode.table);
  const bool size_changed = inode.disk_size != inode.written_size;
  inode.written_size = inode.disk_size;
  update_tids(inode, size_changed);
}

void FileSystem::set_dirty_state(Inode& inode, Time now) {
  inode.vfs_dirty = true;
  if (inode.dirtied_when == 0) {
    inode.dirtied_when = now;
    ++dirty_count_;
  }
}

// mark_inode_dirty of the VFS: a handle of its own.
void FileSystem::vfs_mark_dirty(Inode& inode, FileId file, Time now, const Origin& origin) {
  const Handle handle(*this, now, credits_.inode, origin);
  mark_inode_dirty(inode, file, origin);
  set_dirty_state(inode, now);
  inode.time_deferred = false;
}

void FileSystem::write_deferred_times(FileId file, Time now, const Origin& origin) {
  if (inodes_[file].time_deferred) vfs_mark_dirty(inodes_[file], file, now, origin);
}

void FileSystem::mark_clean(FileId file) {
  Inode& inode = inodes_[file];
  inode.vfs_dirty = false;
  inode.dirty_pages = false;
  if (inode.dirtied_when != 0) {
    inode.dirtied_when = 0;
    --dirty_count_;
  }
}

std::vector<FileId> FileSystem::dirty_files(Time before) const {
  std::vector<FileId> files;
  for (FileId file = 0; file < inodes_.size(); ++file)
    if (inodes_[file].exists && inodes_[file].dirtied_when != 0 &&
        inodes_[file].dirtied_when <= before)
      files.push_back(file);
  std::stable_sort(files.begin(), files.end(), [&](FileId a, FileId b) {
    return inodes_[a].dirtied_when < inodes_[b].dirtied_when;
  });
  return files;
}

Tid FileSystem::sync_tid(FileId file, bool datasync) const {
  const Inode& inode = inodes_[file];
  return datasync ? inode.datasync_tid : inode.tracked.sync_tid;
}

// ---- orphans --------------------------------------------------------------------------------

// The orphan list is threaded through the inodes, newest first, with its head in the superblock;
// with the orphan_file feature it is a file of its own and inodes stay as they are
// (fs/ext4/orphan.c).
void FileSystem::orphan_add(Inode& inode, FileId file, const Origin& origin) {
  if (inode.on_orphan_list) return;
  inode.on_orphan_list = true;
  if (geometry_.orphan_file) {
    dirty_block(orphan_file_block_);
    return;
  }
  orphans_.push_back(file);
  dirty_block(superblock_);
  mark_inode_dirty(inode, file, origin);
}

void FileSystem::orphan_remove(Inode& inode, FileId file, const Origin& origin) {
  if (!inode.on_orphan_list) return;
  inode.on_orphan_list = false;
  if (geometry_.orphan_file) {
    dirty_block(orphan_file_block_);
    return;
  }
  const auto at = std::find(orphans_.begin(), orphans_.end(), file);
  assert(at != orphans_.end());
  if (at + 1 == orphans_.end())
    dirty_block(superblock_);
  else
    mark_inode_dirty(inodes_[*(at + 1)], *(at + 1), origin);
  orphans_.erase(at);
  mark_inode_dirty(inode, file, origin);
}

// ---- leaving --------------------------------------------------------------------------------

// ext4_evict_inode of a file without names: its blocks and its number are given back.
void FileSystem::evict_deleted(FileId file, const Call& call) {
  if (!known(file)) return;
  if (io_in_flight(file)) complete_io(file, call.now);
  Inode& inode = inodes_[file];
  read_in(inode);
  {
    const std::uint32_t leaves = static_cast<std::uint32_t>(inode.extents.leaves());
    const std::uint32_t extra = std::clamp<std::uint32_t>(2 + leaves, 2, 64);
    Handle handle(*this, call.now, credits_.evict + extra, call.origin);
    handle.synchronous(is_synchronous(inode));
    inode.size = inode.disk_size = 0;
    mark_inode_dirty(inode, file, call.origin);
    truncate_blocks(inode, file, call);
    if (inode.xattr_block != nullptr) {
      release_xattr_block(*inode.xattr_block);
      fast_commit_.mark(fast_commit::Reason::extended_attributes, 1, call.origin);
    }
    orphan_remove(inode, file, call.origin);
    mark_inode_dirty(inode, file, call.origin);
    if (geometry_.has_journal) dirty_inode_bitmap(inode.group);
  }
  blocks_.discard(inode.windows);
  inode_numbers_.free(inode.number, inode.is_directory());
  mark_clean(file);
  fast_commit_.forget(file);
  inode = Inode(geometry_.extents_per_leaf, file);
}

// Reclaim wakes the flusher for what is dirty (mm/vmscan.c). ext4 has nothing to write for an inode
// that is only dirty in its times, so it is clean, and can leave memory, once the flusher had its
// turn; a call that is over sooner spares it.
void FileSystem::flush_for_reclaim(const Call& call) {
  const Operation& op = call.operation;
  const Time turn = rules().reclaim.flush_us * 1000;
  if (op.end != op.start && op.end - op.start < turn) return;
  for (const FileId file : dirty_files(call.now)) {
    if (start_writeback(file, 0, ExtentTree::kEnd, call.now,
                        {op.line, op.source, op.pid, op.kind, file}))
      complete_io(file, call.now);
    mark_clean(file);
  }
}

// Clean, unused inodes leave memory. One that is still queued for a fast commit makes the
// transaction ineligible (fs/ext4/inode.c:ext4_evict_inode).
void FileSystem::drop_caches(const Call& call) {
  flush_for_reclaim(call);
  for (FileId file = 0; file < inodes_.size(); ++file) {
    Inode& inode = inodes_[file];
    const bool pinned = inode.opens != 0 || inode.mappings != 0 || inode.vfs_dirty ||
                        inode.dirty_pages || !inode.pending.empty() || !inode.in_flight.empty();
    if (!inode.exists || inode.is_directory() || !inode.in_memory || pinned) continue;
    fast_commit_.leave_memory(file, call.origin);
    inode.in_memory = false;
    inode.cached.clear();
    inode.ctime_queried = false;
  }
}

// Reading an inode from disk sets both tids to the newest transaction
// (fs/ext4/inode.c:__ext4_iget).
void FileSystem::read_in(Inode& inode) {
  if (inode.in_memory) return;
  inode.in_memory = true;
  fast_commit_.read_inode(inode.tracked);
  inode.datasync_tid = journal_->newest();
}

}  // namespace fcsim::model::ext4
