#include "sim/questions/tune/cost.h"

#include <cassert>

#include "model/fast_commit/log_packer.h"

namespace fcsim::questions::tune {
namespace {

std::uint32_t raw_inode_bytes(const model::FilesystemSettings& filesystem) {
  return filesystem.inode_size > 128 ? 128 + filesystem.extra_isize : 128;
}

}  // namespace

JournalCost cost_of(const engine::Prediction& prediction,
                    const model::Configuration& configuration) {
  const bool barrier = configuration.mount.barrier;
  const auto us = [&](std::uint64_t blocks) {
    return engine::commit_microseconds(blocks, configuration.filesystem.block_size, barrier,
                                       configuration.device);
  };
  JournalCost cost;
  cost.commits = prediction.commits;
  cost.ineligible = prediction.ineligible;
  cost.numblks = prediction.numblks;
  cost.transactions = prediction.transactions;
  cost.blocks_logged = prediction.blocks_logged;
  cost.area_full = prediction.causes[static_cast<std::size_t>(model::Cause::area_full)];
  cost.snapshot_refused =
      prediction.causes[static_cast<std::size_t>(model::Cause::snapshot_refused)];
  cost.journal_blocks = cost.numblks + cost.blocks_logged;
  if (barrier) cost.flushes = cost.commits + cost.transactions;
  for (const model::FastCommitRecord& record : prediction.fast_commits)
    if (record.outcome == model::Outcome::ok) cost.device_us += us(record.blocks);
  for (const model::FullCommitRecord& record : prediction.full_commits)
    cost.device_us += us(record.blocks_logged);
  return cost;
}

std::uint64_t fast_commit_blocks(std::uint64_t ranges,
                                 const model::FilesystemSettings& filesystem) {
  model::fast_commit::LogPacker packer(filesystem.block_size);
  for (std::uint64_t i = 0; i < ranges; ++i)
    packer.add(model::fast_commit::record_bytes::add_range);
  packer.add(model::fast_commit::record_bytes::inode(raw_inode_bytes(filesystem)));
  packer.add(model::fast_commit::record_bytes::tail);
  return packer.blocks();
}

std::uint64_t ranges_beyond(std::uint64_t blocks, std::uint64_t count,
                            const model::FilesystemSettings& filesystem) {
  assert(count > 0);
  // Each block holds the same number of ranges, so the last ones of a block are the candidates.
  const std::uint64_t a_block =
      (filesystem.block_size - model::fast_commit::record_bytes::pad_header) /
      model::fast_commit::record_bytes::add_range;
  std::uint64_t high = (blocks / count + 2) * a_block;
  std::uint64_t low = 0;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (fast_commit_blocks(middle, filesystem) * count > blocks)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace fcsim::questions::tune
