// Transactions: reservations, what they log, rolls and commits (fs/xfs/xfs_trans.c).
#include <bit>
#include <cassert>

#include "model/xfs/xfs.h"

namespace fcsim::model::xfs {
namespace {

// A buffer in a checkpoint: its format record, and for each stretch of dirty pieces a header and
// the pieces themselves (measured: fs/xfs/xfs_buf_item.c).
constexpr std::uint32_t kFormatBytes = 36;
constexpr std::uint32_t kRangeBytes = 12;
constexpr std::uint32_t kPieceBytes = 128;

constexpr std::uint32_t buffer_bytes(std::uint32_t pieces) {
  const auto ranges = static_cast<std::uint32_t>(std::popcount(pieces & ~(pieces << 1)));
  return kFormatBytes + ranges * kRangeBytes +
         static_cast<std::uint32_t>(std::popcount(pieces)) * kPieceBytes;
}

}  // namespace

Xfs::Transaction::Transaction(Xfs& fs, Time now, const Origin& origin)
    : fs_(fs), now_(now), origin_(origin) {
  fs_.log_.reserve();
}

// Which sequences a sync must force afterwards is decided here (fs/xfs/xfs_inode_item.c:
// xfs_inode_item_committing), though the transaction is committed later: nothing comes between.
void Xfs::Transaction::log(Inode& inode, std::uint32_t parts) {
  dirty_ = true;
  inode.version_queried = false;
  if (inode.time_deferred) {
    inode.time_deferred = false;
    fs_.held_.erase(inode.file);
  }
  if (!fs_.log_.is_dirty(inode.item)) inode.logged = 0;
  inode.logged |= parts;
  inode.commit_sequence = fs_.log_.current();
  if ((parts & ~part::times) != 0) {
    inode.datasync_sequence = fs_.log_.current();
    inode.core_changed = true;
  }
  fs_.log_.add(inode.item, fs_.item_bytes(inode));
}

void Xfs::Transaction::log(BufferKind kind, std::uint64_t id, std::uint32_t pieces) {
  dirty_ = true;
  Buffer& buffer = fs_.buffers_[static_cast<std::uint64_t>(kind) << 56 | id];
  if (!fs_.log_.is_dirty(buffer.item)) buffer.pieces = 0;
  buffer.pieces |= pieces;
  fs_.log_.add(buffer.item, buffer_bytes(buffer.pieces));
}

// The group's header and both trees of free blocks. With rmapbt the reverse map follows in a
// transaction that is rolled.
void Xfs::Transaction::allocated(std::uint64_t block) {
  const std::uint32_t group = fs_.free_.group_of(block);
  log(BufferKind::group_free, group, 1);
  log(BufferKind::by_block, group, 1);
  log(BufferKind::by_size, group, 1);
  if (!fs_.settings_.geometry.rmapbt) return;
  log(BufferKind::reverse_map, group, 1);
  map_pending_ = true;
}

void Xfs::Transaction::roll(unsigned times) {
  assert(open_);
  for (unsigned i = 0; i < times; ++i) fs_.log_.roll(now_, origin_);
  dirty_ = map_pending_ = false;
}

void Xfs::Transaction::commit(bool synchronous) {
  assert(open_);
  if (map_pending_) roll();
  open_ = false;
  fs_.log_.commit(now_, origin_);
  if (synchronous) fs_.force_now(fs_.log_.current(), now_, origin_);
}

void Xfs::Transaction::cancel() {
  assert(open_);
  open_ = false;
}

void Xfs::force_now(Sequence sequence, Time now, const Origin& origin) {
  const xfs_log::Log::Force force = log_.force(sequence, now, xfs_log::Cause::synchronous, origin);
  if (force.wait_for != 0) wait_ = force.wait_for;
}

std::optional<Sequence> Xfs::take_wait() {
  return std::exchange(wait_, std::nullopt);
}

}  // namespace fcsim::model::xfs
