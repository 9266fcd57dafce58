#include "model/ext4/directory.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace fcsim::model::ext4 {
namespace {

constexpr std::uint32_t kDotEntries = 24;  // "." and ".."

std::uint32_t short_hash(std::uint64_t name_hash) {
  return static_cast<std::uint32_t>(name_hash ^ (name_hash >> 32));
}

}  // namespace

void Directory::add_first_block(std::uint64_t physical) {
  assert(leaves_.empty());
  Leaf& leaf = leaves_.emplace_back();
  leaf.block = {0, root_.owner, ItemKind::directory_block};
  leaf.physical = physical;
  leaf.free_bytes = geometry_->directory_usable_bytes - kDotEntries;
}

std::size_t Directory::leaf_for(std::uint32_t hash, std::uint32_t bytes) const {
  if (indexed_) {
    const auto above =
        std::upper_bound(leaves_.begin(), leaves_.end(), hash,
                         [](std::uint32_t h, const Leaf& leaf) { return h < leaf.lowest_hash; });
    return static_cast<std::size_t>(above - leaves_.begin()) - 1;
  }
  for (std::size_t i = 0; i < leaves_.size(); ++i)
    if (leaves_[i].free_bytes >= bytes) return i;
  return leaves_.size();
}

Directory::Growth Directory::growth_for(std::uint64_t name_hash, std::uint32_t name_length) const {
  const std::uint32_t bytes = entry_bytes(name_length);
  if (inline_) return inline_->fits(bytes) ? Growth::none : Growth::new_block;
  assert(!leaves_.empty());
  const std::size_t index = leaf_for(short_hash(name_hash), bytes);
  if (index < leaves_.size() && leaves_[index].free_bytes >= bytes) return Growth::none;
  return indexed_ || !indexable_ || leaves_.size() > 1 ? Growth::new_block : Growth::index;
}

void Directory::insert(std::uint64_t name_hash, std::uint32_t name_length,
                       const std::uint64_t (&fresh)[2], Journal* journal) {
  const std::uint32_t hash = short_hash(name_hash);
  const std::uint32_t bytes = entry_bytes(name_length);
  const auto touch = [&](LogItem& block) {
    block.owner = root_.owner;
    block.kind = ItemKind::directory_block;
    if (journal != nullptr) journal->log(block);
  };
  if (inline_ && inline_->fits(bytes)) {
    inline_->insert(hash, bytes);
    return;
  }
  if (inline_) leave_inode(fresh[0]);
  switch (growth_for(name_hash, name_length)) {
    case Growth::none:
      break;
    case Growth::index:
      make_index(fresh);
      touch(root_);
      touch(leaves_[0].block);
      touch(leaves_[1].block);
      break;
    case Growth::new_block:
      if (indexed_) {
        const std::size_t index = leaf_for(hash, bytes);
        split(index, fresh[0]);
        touch(root_);
        touch(leaves_[index].block);
        touch(leaves_[index + 1].block);
      } else {
        Leaf& leaf = leaves_.emplace_back();
        leaf.physical = fresh[0];
        leaf.free_bytes = geometry_->directory_usable_bytes;
      }
      break;
  }
  Leaf& leaf = leaves_[leaf_for(hash, bytes)];
  leaf.free_bytes -= std::min(leaf.free_bytes, bytes);
  leaf.entries.push_back({hash, static_cast<std::uint16_t>(bytes)});
  touch(leaf.block);
}

// ext4_finish_convert_inline_dir: the names move to a first block.
void Directory::leave_inode(std::uint64_t physical) {
  const std::unique_ptr<InlineEntries> names = std::move(inline_);
  add_first_block(physical);
  Leaf& leaf = leaves_.front();
  for (const auto& [hash, bytes] : names->all()) {
    leaf.free_bytes -= std::min(leaf.free_bytes, bytes);
    leaf.entries.push_back({hash, static_cast<std::uint16_t>(bytes)});
  }
}

// The only block becomes the index root, its entries move to two new leaves.
void Directory::make_index(const std::uint64_t (&fresh)[2]) {
  root_ = leaves_.front().block;
  root_physical_ = std::exchange(leaves_.front().physical, fresh[0]);
  leaves_.front().block = {0, root_.owner, ItemKind::directory_block};
  leaves_.front().free_bytes += kDotEntries;
  indexed_ = true;
  split(0, fresh[1]);
}

// The upper half of the entries, by bytes in hash order, moves to a new leaf.
void Directory::split(std::size_t index, std::uint64_t physical) {
  Leaf upper;
  upper.physical = physical;
  Leaf& lower = leaves_[index];
  std::stable_sort(lower.entries.begin(), lower.entries.end(),
                   [](const Leaf::Entry& a, const Leaf::Entry& b) { return a.hash < b.hash; });
  std::uint32_t all = 0;
  for (const Leaf::Entry& entry : lower.entries) all += entry.bytes;
  std::uint32_t kept = 0;
  std::size_t cut = 0;
  while (cut + 1 < lower.entries.size() && kept + lower.entries[cut].bytes <= all / 2)
    kept += lower.entries[cut++].bytes;
  const auto at = lower.entries.begin() + static_cast<std::ptrdiff_t>(cut);
  upper.entries.assign(at, lower.entries.end());
  lower.entries.erase(at, lower.entries.end());
  upper.lowest_hash = upper.entries.empty() ? lower.lowest_hash : upper.entries.front().hash;
  upper.free_bytes = geometry_->directory_usable_bytes - (all - kept);
  lower.free_bytes = geometry_->directory_usable_bytes - kept;
  leaves_.insert(leaves_.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(upper));
}

bool Directory::remove(std::uint64_t name_hash, Journal& journal) {
  const std::uint32_t hash = short_hash(name_hash);
  if (inline_) return inline_->remove(hash);
  std::size_t first = 0;
  std::size_t end = leaves_.size();
  if (indexed_) {
    first = leaf_for(hash, 0);
    end = first + 1;
  }
  for (std::size_t i = first; i < end; ++i) {
    auto& entries = leaves_[i].entries;
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&](const Leaf::Entry& e) { return e.hash == hash; });
    if (entry == entries.end()) continue;
    leaves_[i].free_bytes += entry->bytes;
    *entry = entries.back();
    entries.pop_back();
    journal.log(leaves_[i].block);
    return true;
  }
  journal.log(leaves_[first].block);
  return false;
}

}  // namespace fcsim::model::ext4
