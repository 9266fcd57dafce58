// Lives of inodes: what is there before the trace, new ones, and their size in a checkpoint.
#include <algorithm>
#include <bit>
#include <cassert>

#include "model/xfs/xfs.h"

namespace fcsim::model::xfs {
namespace {

constexpr std::uint32_t kCoreBytes = 176;  // of an inode on disk (xfs_format.h: v5)
// Room for extents and a short directory beside the attribute fork that a security module asks
// for (measured; xfs_bmap.c:xfs_default_attroffset).
constexpr std::uint32_t kRoomBesideAttributes = 192;
constexpr std::uint32_t kExtentBytes = 16;
// A checkpoint's bytes of an inode: format record and core, and a header for each part more.
constexpr std::uint32_t kItemBytes = 256;
constexpr std::uint32_t kPartBytes = 12;
constexpr std::uint32_t kTreeRootBytes = 24;
constexpr std::uint32_t kShortDirectoryHeader = 6;

constexpr std::uint32_t round4(std::uint64_t bytes) {
  return static_cast<std::uint32_t>((bytes + 3) / 4 * 4);
}

xfs_log::Settings log_settings(const Settings& s) {
  xfs_log::Settings log;
  log.iclog_bytes = s.mount.logbsize_bytes;
  log.log_bytes = s.geometry.log_blocks * s.geometry.block_size;
  // fs/xfs/xfs_log.c:xlog_alloc_log: l_iclog_roundoff
  log.unit_bytes = s.geometry.log_stripe_unit_blocks != 0
                       ? s.geometry.log_stripe_unit_blocks * s.geometry.block_size
                       : s.geometry.log_sector_size;
  log.worker_interval_centisecs = s.worker_interval_centisecs;
  return log;
}

}  // namespace

Xfs::Xfs(const Settings& settings, const InitialState& initial)
    : settings_(settings),
      clock_(settings.clock),
      block_bits_(static_cast<std::uint32_t>(std::countr_zero(settings.geometry.block_size))),
      wsync_(settings.mount.wsync || settings.mount.sync),
      device_(settings.device),
      log_(log_settings(settings), clock_, device_),
      free_(settings.geometry.block_count, settings.geometry.ag_count, settings.geometry.ag_blocks),
      chunks_(settings.geometry.ag_count) {
  load_initial(initial);
}

void Xfs::begin(Time start) {
  log_.mounted(start - settings_.mounted_before_start_ns);
  while (next_event() && *next_event() < start) happen(*next_event());
}

// What mkfs.xfs made: headers and tree roots at the start of each group, six blocks that fill the
// free list give back, the first chunk of inodes, and the log in the middle group
// (`xfs_db freesp` of a new file system; manifests of recordings show where data go).
void Xfs::load_initial(const InitialState& initial) {
  const Geometry& g = settings_.geometry;
  const std::uint32_t inodes_per_block = g.block_size / g.inode_size;
  const std::uint64_t chunk_blocks = std::max<std::uint32_t>(1, kChunkInodes / inodes_per_block);
  // Superblock, AGF, AGI, AGFL: four sectors; then the roots of the trees and the free list.
  const std::uint64_t headers = (4ULL * g.sector_size + g.block_size - 1) / g.block_size;
  const std::uint64_t roots = 3 + (g.finobt ? 1 : 0) + (g.rmapbt ? 1 : 0) + (g.reflink ? 1 : 0);
  const std::uint64_t reserved = headers + roots + 4;
  for (std::uint32_t group = 0; group < g.ag_count; ++group)
    free_.take(free_.group_start(group), reserved);
  const std::uint64_t root_chunk = (reserved + chunk_blocks - 1) / chunk_blocks * chunk_blocks;
  free_.take(root_chunk, chunk_blocks);
  const auto root_position = static_cast<std::uint32_t>(root_chunk * inodes_per_block);
  for (std::uint32_t i = 0; i < 3; ++i) chunks_.occupy({0, root_position + i});
  free_.take(free_.group_start(g.ag_count / 2) + reserved, g.log_blocks);

  const auto agino_bits = static_cast<std::uint32_t>(
      std::bit_width(g.ag_blocks - 1) + std::bit_width(std::uint64_t{inodes_per_block} - 1));
  bool root_seen = false;
  std::uint32_t unnumbered = 3;  // inodes of the first chunk that mkfs.xfs takes
  for (const InitialFile& file : initial.files) {
    if (file.file >= inodes_.size()) inodes_.resize(file.file + 1U);
    if (file.parent != kNoFile && known(file.parent)) {
      Inode& directory = *inodes_[file.parent];
      ++directory.entries;
      directory.entry_bytes += file.name_length + 8;
      directory.data_bytes += (file.name_length + 19) / 8 * 8;
    }
    if (inodes_[file.file] != nullptr) continue;
    root_seen = root_seen || file.parent == kNoFile;
    inodes_[file.file] = std::make_unique<Inode>();
    Inode& inode = *inodes_[file.file];
    inode.file = file.file;
    inode.type = file.type;
    inode.parent = file.parent;
    inode.links = file.links;
    inode.size = inode.disk_size = file.size;
    inode.attribute_fork = settings_.security_module && file.parent != kNoFile;
    knows_attributes_ = knows_attributes_ || inode.attribute_fork;
    inode.version_queried = settings_.inodes_from_disk;
    if (file.inode != 0)
      inode.place = {file.inode >> agino_bits, file.inode & ((1U << agino_bits) - 1)};
    else
      inode.place = {0, root_position + (file.parent == kNoFile ? 0 : unnumbered++)};
    if (inode.place.group < g.ag_count) {
      chunks_.occupy(inode.place);
      const std::uint32_t chunk = inode.place.position / kChunkInodes * kChunkInodes;
      free_.take(free_.group_start(inode.place.group) + chunk / inodes_per_block, chunk_blocks);
    }
    for (const InitialExtent& e : file.extents) {
      free_.take(e.physical, e.length);
      inode.data.insert({e.logical, e.length, e.physical,
                         e.unwritten ? ExtentState::unwritten : ExtentState::written});
      if (e.shared) {
        inode.reflink = true;
        shared_.share(e.physical, e.length);
      }
    }
    if (file.type == FileType::symlink) inode.link_bytes = static_cast<std::uint32_t>(file.size);
    if (file.times_known) {
      inode.atime = file.atime;
      inode.mtime = file.mtime;
      inode.ctime = file.ctime;
    }
    settle_tree(inode);
    if (settings_.warm && file.parent != kNoFile) {
      log_.assume_in_ail(inode.item);
      inode.logged = part::core | part::data | part::attributes;
    }
  }
  if (!root_seen) {
    if (inodes_.empty()) inodes_.resize(1);
    if (inodes_[kRootDirectory] == nullptr) inodes_[kRootDirectory] = std::make_unique<Inode>();
    Inode& root = *inodes_[kRootDirectory];
    root.file = kRootDirectory;
    root.type = FileType::directory;
    root.links = 2;
    root.place = {0, root_position};
    root.version_queried = settings_.inodes_from_disk;
  }
  for (const std::unique_ptr<Inode>& inode : inodes_)
    if (inode != nullptr && inode->directory())
      inode->block_form = kShortDirectoryHeader + static_cast<std::uint64_t>(inode->entry_bytes) >
                          fork_room(*inode);
  if (settings_.warm) log_.assume_written();
}

Inode& Xfs::make_inode(FileId file, FileType type, FileId parent, Time now) {
  if (file >= inodes_.size()) inodes_.resize(file + 1U);
  inodes_[file] = std::make_unique<Inode>();
  Inode& inode = *inodes_[file];
  inode.file = file;
  inode.type = type;
  inode.parent = parent;
  inode.links = type == FileType::directory ? 2 : 1;
  inode.attribute_fork = settings_.security_module;
  set_ctime(inode, now);
  inode.mtime = inode.atime = inode.ctime;
  return inode;
}

// A file of the trace that nothing told of before.
void Xfs::appear_file(const Call& call) {
  const Operation& op = call.operation;
  if (known(op.file)) {
    Inode& inode = *inodes_[op.file];
    if (inode.regular() && op.length > inode.size) inode.size = inode.disk_size = op.length;
    return;
  }
  Inode& inode = make_inode(op.file, op.type, op.parent, 0);
  inode.atime = inode.mtime = inode.ctime = 0;
  inode.version_queried = settings_.inodes_from_disk;
  inode.size = inode.disk_size = op.length;
  if (inode.regular() && op.length > 0) {
    const Blocks blocks = free_.allocate(0, blocks_for(op.length), true);
    if (blocks.length != 0)
      inode.data.insert({0, blocks_for(op.length), blocks.first, ExtentState::written});
  }
  inode.link_bytes = op.type == FileType::symlink ? static_cast<std::uint32_t>(op.length) : 0;
  if (op.parent != kNoFile && known(op.parent)) {
    Inode& directory = *inodes_[op.parent];
    inode.place = directory.place;
    ++directory.entries;
    directory.entry_bytes += op.name_length + 8;
    directory.data_bytes += (op.name_length + 19) / 8 * 8;
    directory.block_form =
        kShortDirectoryHeader + static_cast<std::uint64_t>(directory.entry_bytes) >
        fork_room(directory);
  }
}

// xfs_dialloc: a file goes into its directory's group, directories go round the groups; where no
// inode is free a chunk is made, in a transaction that is rolled.
bool Xfs::place_inode(Inode& inode, FileId parent, Transaction& transaction) {
  const InodePlace near = known(parent) ? inodes_[parent]->place : InodePlace{};
  std::uint32_t group = near.group;
  if (inode.directory()) group = directory_rotor_++ % settings_.geometry.ag_count;
  const bool new_chunk = !chunks_.has_free(group);
  const std::uint32_t per_block = settings_.geometry.block_size / settings_.geometry.inode_size;
  if (new_chunk) {
    const std::uint64_t length = std::max<std::uint32_t>(1, kChunkInodes / per_block);
    const std::uint64_t start = free_.group_start(group);
    std::uint64_t block = start + chunks_.newest_end(group) / per_block;
    if (chunks_.newest_end(group) == 0 || !free_.allocate_exactly(block, length))
      block = free_.allocate_aligned(group, length, length).first;
    chunks_.add_chunk(group, static_cast<std::uint32_t>((block - start) * per_block));
    transaction.allocated(block);
  }
  transaction.log(BufferKind::group_inodes, group, 1);
  transaction.log(BufferKind::inode_tree, group, 1);
  if (settings_.geometry.finobt) transaction.log(BufferKind::free_inode_tree, group, 1);
  if (new_chunk) transaction.roll();
  inode.place = chunks_.allocate(group, group == near.group ? near.position : 0);
  return new_chunk;
}

std::uint32_t Xfs::fork_room(const Inode& inode) const {
  const std::uint32_t literal = settings_.geometry.inode_size - kCoreBytes;
  return inode.attribute_fork ? std::min(literal, kRoomBesideAttributes) : literal;
}

std::uint32_t Xfs::attribute_bytes(const Inode& inode) const {
  std::uint32_t bytes = 4;
  for (const Attribute& a : inode.attributes) bytes += 3 + a.bytes;
  return bytes;
}

std::uint32_t Xfs::item_bytes(const Inode& inode) const {
  std::uint32_t bytes = kItemBytes;
  if ((inode.logged & part::data) != 0) {
    const std::size_t extents = inode.data.real_count();
    if (inode.directory() && !inode.block_form)
      bytes += kPartBytes +
               round4(kShortDirectoryHeader + static_cast<std::uint64_t>(inode.entry_bytes));
    else if (inode.directory())
      bytes += kPartBytes + kExtentBytes;
    else if (inode.type == FileType::symlink && inode.data.empty())
      bytes += kPartBytes + round4(inode.link_bytes);
    else if (inode.tree)
      bytes += kPartBytes + kTreeRootBytes;
    else if (extents != 0)
      bytes += kPartBytes + kExtentBytes * static_cast<std::uint32_t>(extents);
  }
  if ((inode.logged & part::attributes) != 0 && !inode.attributes.empty())
    bytes += kPartBytes + (inode.attribute_block ? kExtentBytes : round4(attribute_bytes(inode)));
  return bytes;
}

// The extents of a fork hang from a tree when they do not fit into the inode; when they fit again
// the tree's block is freed, which costs a roll
// (fs/xfs/libxfs/xfs_bmap.c:xfs_bmap_btree_to_extents).
bool Xfs::settle_tree(Inode& inode) {
  const bool was = inode.tree;
  inode.tree = inode.data.real_count() > fork_room(inode) / kExtentBytes;
  return was && !inode.tree;
}

void Xfs::set_dirty(Inode& inode, FileId file, std::uint64_t first, std::uint64_t end, Time now) {
  if (first >= end) return;
  if (inode.dirty.empty()) {
    inode.dirty_since = now;
    dirty_.insert({now, file});
  }
  inode.dirty.insert(first, end);
}

void Xfs::clean(Inode& inode, FileId file, std::uint64_t first, std::uint64_t end) {
  if (inode.dirty.empty()) return;
  inode.dirty.erase(first, end);
  if (inode.dirty.empty()) dirty_.erase({inode.dirty_since, file});
}

std::vector<FileId> Xfs::dirty_files(Time before) const {
  std::vector<FileId> files;
  for (const auto& [since, file] : dirty_) {
    if (since > before) break;
    files.push_back(file);
  }
  return files;
}

std::vector<FileId> Xfs::unnamed_files() const {
  std::vector<FileId> files;
  for (const std::unique_ptr<Inode>& inode : inodes_)
    if (inode != nullptr && inode->links == 0) files.push_back(inode->file);
  return files;
}

std::vector<FileId> Xfs::files_with_held_times() const {
  return {held_.begin(), held_.end()};
}

}  // namespace fcsim::model::xfs
