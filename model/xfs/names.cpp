// Names: what makes, moves and removes them (fs/xfs/xfs_inode.c, fs/xfs/xfs_symlink.c).
#include <algorithm>
#include <cassert>

#include "model/xfs/xfs.h"

namespace fcsim::model::xfs {
namespace {

constexpr std::uint32_t kShortHeader = 6;  // of a short-form directory
constexpr std::uint32_t kEntryBytes = 8;   // of an entry there, besides its name
constexpr std::uint32_t kDataHeader = 64;  // of a directory block
constexpr std::uint32_t kDotEntries = 32;  // "." and ".." there
constexpr std::uint32_t kUnusedHead = 6;   // free space's tag and length, at its begin,
constexpr std::uint32_t kUnusedTail = 2;   // and its place, at its end
constexpr std::uint32_t kPieces = 32;      // of 128 bytes in a block of 4 KiB

// xfs_da_format.h: inode number, length, name, type and tag, rounded up to 8.
constexpr std::uint32_t data_entry_bytes(std::uint32_t name_length) {
  return (8 + 1 + name_length + 1 + 2 + 7) / 8 * 8;
}

constexpr std::uint32_t piece_at(std::uint64_t offset) {
  return 1U << std::min<std::uint64_t>(offset / 128, kPieces - 1);
}

// Those that [begin, end) touches.
constexpr std::uint32_t pieces_between(std::uint64_t begin, std::uint64_t end) {
  std::uint32_t pieces = 0;
  for (std::uint64_t at = begin / 128 * 128; at < end; at += 128) pieces |= piece_at(at);
  return pieces;
}

}  // namespace

// The directory's inode and, where it has blocks, the one that the name stands in: its header, the
// entry and the head and tail of the free space after it. The table of hashes stands at the end of
// the block, or in a block of its own when there are more; its lower part is shifted, and as what
// was logged before is logged again until it is written back, that is soon the whole table
// (op-creat-nolazy: exact for each of 50 creates). `whole`: the block is made.
void Xfs::log_directory(Inode& directory, FileId file, std::uint32_t name_length,
                        Transaction& transaction, bool whole) {
  transaction.log(directory, part::core | (directory.block_form ? 0U : part::data));
  if (!directory.block_form) return;
  const std::uint64_t size = settings_.geometry.directory_block_size;
  const std::uint64_t room = size - kDataHeader;
  const auto data =
      static_cast<std::uint64_t>(std::max<std::int64_t>(directory.data_bytes, 0)) + kDotEntries;
  const std::uint64_t table = 8ULL * (directory.entries + 2);
  const bool one_block = data + table + 8 <= room;
  const std::uint64_t block = one_block ? 0 : data / room;
  const std::uint64_t end = kDataHeader + (one_block ? data : data % room);
  const std::uint64_t entry = std::min<std::uint64_t>(data_entry_bytes(name_length), end);
  std::uint32_t pieces = 1 | pieces_between(whole ? 0 : end - entry, end + kUnusedHead);
  const auto id = [&](std::uint64_t number) { return (std::uint64_t{file} << 24) | number; };
  if (one_block) {
    pieces |= pieces_between(size - 8 - table - kUnusedTail, size);
  } else {
    const std::uint64_t leaf = table / size;
    transaction.log(BufferKind::directory_block, id(0x800000 | leaf),
                    pieces_between(0, kDataHeader + table % size) | piece_at(size - 1));
    if (leaf != 0) transaction.log(BufferKind::directory_block, id(0xc00000), 1);  // free space
    pieces |= piece_at(size - 1);
  }
  transaction.log(BufferKind::directory_block, id(block), pieces);
}

void Xfs::add_entry(FileId file, std::uint32_t name_length, Time now, Transaction& transaction) {
  if (!known(file)) return;
  Inode& directory = *inodes_[file];
  ++directory.entries;
  directory.entry_bytes += name_length + kEntryBytes;
  directory.data_bytes += data_entry_bytes(name_length);
  const bool grows =
      !directory.block_form &&
      kShortHeader + static_cast<std::uint64_t>(directory.entry_bytes) > fork_room(directory);
  if (grows) {
    directory.block_form = true;
    const Blocks blocks = find_blocks(directory, directory.data, 0, 1);
    if (blocks.length != 0) {
      directory.data.insert({0, 1, blocks.first, ExtentState::written});
      transaction.allocated(blocks.first);
    }
    transaction.log(directory, part::data);
  }
  change_times(directory, now);
  log_directory(directory, file, name_length, transaction, grows);
}

// The block is freed when the entries fit into the inode again (fs/xfs/libxfs/xfs_dir2_block.c:
// xfs_dir2_block_removename).
bool Xfs::remove_entry(FileId file, std::uint32_t name_length, Time now, Transaction& transaction) {
  if (!known(file)) return false;
  Inode& directory = *inodes_[file];
  if (directory.entries != 0) --directory.entries;
  directory.entry_bytes =
      std::max<std::int64_t>(0, directory.entry_bytes - name_length - kEntryBytes);
  change_times(directory, now);
  directory.data_bytes -= data_entry_bytes(name_length);
  log_directory(directory, file, name_length, transaction);
  if (!directory.block_form ||
      kShortHeader + static_cast<std::uint64_t>(directory.entry_bytes) > fork_room(directory))
    return false;
  directory.block_form = false;
  Unmapped gone;
  for (const Extent& e : directory.data.all()) {
    give_back(directory, e, gone);
    transaction.allocated(e.block);
  }
  directory.data.clear();
  transaction.log(directory, part::core | part::data);
  return true;
}

// open with O_CREAT, mkdir, mknod, symlink: one transaction, and a roll where a chunk of inodes is
// made. RENAME_WHITEOUT's device and O_TMPFILE are made by make_tmpfile().
void Xfs::make_named(const Call& call) {
  const Operation& op = call.operation;
  FileType type = op.type;
  if (op.kind == OperationKind::create) type = FileType::regular;
  if (op.kind == OperationKind::mkdir) type = FileType::directory;
  if (op.kind == OperationKind::symlink) type = FileType::symlink;
  Transaction transaction(*this, call.now, call.origin);
  Inode& inode = make_inode(op.file, type, op.parent, call.stamp);
  place_inode(inode, op.parent, transaction);
  std::uint32_t parts = part::core | part::data | part::attributes;
  if (type == FileType::symlink) {
    inode.link_bytes = static_cast<std::uint32_t>(op.length);
    inode.size = inode.disk_size = op.length;
    if (inode.link_bytes > fork_room(inode)) {  // the target gets blocks of its own
      const Blocks blocks = find_blocks(inode, inode.data, 0, blocks_for(op.length + 56));
      inode.data.insert({0, blocks.length, blocks.first, ExtentState::written});
      transaction.allocated(blocks.first);
      const auto pieces = static_cast<std::uint32_t>((op.length + 56 + 127) / 128);
      transaction.log(BufferKind::link_target, op.file,
                      pieces >= kPieces ? ~0U : (1U << pieces) - 1);
    }
  }
  transaction.log(inode, parts);
  if (inode.attribute_fork && !knows_attributes_) {  // the first ever: xfs_bmap_add_attrfork's bit
    knows_attributes_ = true;
    transaction.log(BufferKind::superblock, 0, 7);
  }
  if (type == FileType::directory && known(op.parent)) ++inodes_[op.parent]->links;
  add_entry(op.parent, op.name_length, call.stamp, transaction);
  transaction.commit(waits_for_names());
}

// O_TMPFILE's inode goes onto the list of unlinked ones, without an attribute fork: no name, no
// security attribute at its birth (fs/xfs/xfs_iops.c:xfs_generic_create).
void Xfs::make_tmpfile(const Call& call) {
  const Operation& op = call.operation;
  Transaction transaction(*this, call.now, call.origin);
  Inode& inode = make_inode(op.file, FileType::regular, op.parent, call.stamp);
  inode.links = 0;
  inode.attribute_fork = false;
  place_inode(inode, op.parent, transaction);
  transaction.log(inode, part::core);
  transaction.log(BufferKind::inode_cluster,
                  std::uint64_t{inode.place.group} << 40 | inode.place.position / 32, 2);
  transaction.commit(wsync_);
}

void Xfs::link(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = *inodes_[op.file];
  Transaction transaction(*this, call.now, call.origin);
  if (inode.links == 0) {
    transaction.log(BufferKind::group_inodes, inode.place.group, 2);
    inode.parent = op.parent;
  }
  ++inode.links;
  set_ctime(inode, call.stamp);
  transaction.log(inode, part::core);
  add_entry(op.parent, op.name_length, call.stamp, transaction);
  transaction.commit(waits_for_names());
}

// unlink and rmdir. An inode whose last name goes enters the list of unlinked ones.
void Xfs::unlink(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = *inodes_[op.file];
  Transaction transaction(*this, call.now, call.origin);
  if (inode.directory()) {
    inode.links = 0;
    if (known(op.parent)) --inodes_[op.parent]->links;
  } else if (inode.links != 0) {
    --inode.links;
  }
  set_ctime(inode, call.stamp);
  transaction.log(inode, part::core);
  if (inode.links == 0) {
    transaction.log(BufferKind::group_inodes, inode.place.group, 2);
    transaction.log(BufferKind::inode_cluster,
                    std::uint64_t{inode.place.group} << 40 | inode.place.position / 32, 2);
  }
  if (remove_entry(op.parent, op.name_length, call.stamp, transaction)) transaction.roll();
  transaction.commit(waits_for_names());
}

// The new name is added before the old one goes, so that a directory at the limit of its short form
// can get a block and give it back in one rename.
void Xfs::rename(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  const bool whiteout = (op.flags & operation_flag::whiteout) != 0;
  const auto whiteout_file = static_cast<FileId>(op.value);
  if (whiteout) {
    Transaction transaction(*this, call.now, call.origin);
    Inode& device = make_inode(whiteout_file, FileType::device, op.parent, call.stamp);
    device.attribute_fork = false;
    place_inode(device, op.parent, transaction);
    transaction.log(device, part::core);
    transaction.log(BufferKind::inode_cluster,
                    std::uint64_t{device.place.group} << 40 | device.place.position / 32, 2);
    transaction.commit(wsync_);
  }
  Inode& inode = *inodes_[op.file];
  Transaction transaction(*this, call.now, call.origin);
  bool freed = false;
  if (op.file2 != kNoFile && known(op.file2)) {
    Inode& replaced = *inodes_[op.file2];
    if (replaced.directory())
      replaced.links = 0;
    else if (replaced.links != 0)
      --replaced.links;
    set_ctime(replaced, call.stamp);
    transaction.log(replaced, part::core);
    if (replaced.links == 0) transaction.log(BufferKind::group_inodes, replaced.place.group, 2);
    if (known(op.parent2)) {
      change_times(*inodes_[op.parent2], call.stamp);
      log_directory(*inodes_[op.parent2], op.parent2, op.name2_length, transaction);
    }
  } else {
    add_entry(op.parent2, op.name2_length, call.stamp, transaction);
  }
  set_ctime(inode, call.stamp);
  transaction.log(inode, part::core);
  if (inode.directory() && op.parent != op.parent2) {
    transaction.log(inode, part::core | part::data);
    if (known(op.parent)) --inodes_[op.parent]->links;
    if (known(op.parent2)) ++inodes_[op.parent2]->links;
  }
  if (whiteout) {
    if (known(op.parent)) {
      change_times(*inodes_[op.parent], call.stamp);
      log_directory(*inodes_[op.parent], op.parent, op.name_length, transaction);
    }
    transaction.log(*inodes_[whiteout_file], part::core);
    transaction.log(BufferKind::group_inodes, inodes_[whiteout_file]->place.group, 2);
  } else {
    freed = remove_entry(op.parent, op.name_length, call.stamp, transaction);
  }
  inode.parent = op.parent2;
  if (freed) transaction.roll();
  transaction.commit(waits_for_names());
}

void Xfs::exchange(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file) || !known(op.file2)) return;
  Transaction transaction(*this, call.now, call.origin);
  for (const FileId file : {op.file, op.file2}) {
    set_ctime(*inodes_[file], call.stamp);
    transaction.log(*inodes_[file], part::core);
  }
  for (const FileId directory : {op.parent, op.parent2}) {
    if (!known(directory)) continue;
    change_times(*inodes_[directory], call.stamp);
    log_directory(*inodes_[directory], directory, op.name_length, transaction);
  }
  std::swap(inodes_[op.file]->parent, inodes_[op.file2]->parent);
  transaction.commit(waits_for_names());
}

}  // namespace fcsim::model::xfs
