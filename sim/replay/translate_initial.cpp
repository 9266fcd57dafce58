#include "sim/replay/translate_initial.h"

#include <algorithm>
#include <unordered_map>

namespace fcsim::replay {
namespace {

constexpr std::uint64_t kExt4Root = 2;

// The data areas of the file system, in order: each allocation or block group without its first
// blocks, where its tables lie, and without the group in the middle, which has the log or journal.
class DataArea {
 public:
  explicit DataArea(const model::FilesystemSettings& filesystem)
      : group_blocks_(filesystem.type == model::FilesystemType::xfs ? filesystem.xfs.ag_blocks
                                                                    : filesystem.blocks_per_group),
        end_(filesystem.block_count) {
    const std::uint64_t groups = (end_ + group_blocks_ - 1) / group_blocks_;
    middle_ = groups / 2;
    group_ = groups > 1 ? 1 : 0;
    enter();
  }

  // The next free blocks, `length` at most; length 0 in the answer: there is no room.
  model::InitialExtent take(std::uint64_t length) {
    while (at_ >= group_end() && at_ < end_) {
      ++group_;
      enter();
    }
    model::InitialExtent extent;
    if (at_ >= end_) return extent;
    extent.physical = at_;
    extent.length = static_cast<std::uint32_t>(std::min(length, group_end() - at_));
    at_ += extent.length;
    return extent;
  }

 private:
  [[nodiscard]] std::uint64_t group_end() const {
    return std::min(end_, (group_ + 1) * group_blocks_);
  }
  void enter() {
    if (group_ == middle_) ++group_;
    at_ = group_ * group_blocks_ + group_blocks_ / 8;
  }

  std::uint64_t group_blocks_, end_;
  std::uint64_t middle_ = 0, group_ = 0, at_ = 0;
};

void place_extents(model::InitialFile& file, DataArea& area) {
  std::vector<model::InitialExtent> placed;
  for (const model::InitialExtent& extent : file.extents) {
    for (std::uint64_t done = 0; done < extent.length;) {
      model::InitialExtent part = area.take(extent.length - done);
      if (part.length == 0) break;
      part.logical = extent.logical + static_cast<std::uint32_t>(done);
      part.unwritten = extent.unwritten;
      done += part.length;
      const bool goes_on = !placed.empty() && placed.back().unwritten == part.unwritten &&
                           placed.back().logical + placed.back().length == part.logical &&
                           placed.back().physical + placed.back().length == part.physical;
      if (goes_on)
        placed.back().length += part.length;
      else
        placed.push_back(part);
    }
  }
  file.extents = std::move(placed);
}

}  // namespace

std::optional<model::InitialState> translate_initial(const model::InitialState& initial,
                                                     const model::FilesystemSettings& filesystem) {
  const auto root =
      std::find_if(initial.files.begin(), initial.files.end(), [](const model::InitialFile& file) {
        return file.file == model::kRootDirectory && file.inode != 0;
      });
  if (root == initial.files.end()) return std::nullopt;
  const bool to_xfs = filesystem.type == model::FilesystemType::xfs;
  if ((root->inode == kExt4Root) != to_xfs) return std::nullopt;
  model::InitialState translated = initial;
  DataArea area(filesystem);
  std::unordered_map<model::FileId, std::size_t> seen;  // other names of a file repeat it
  for (std::size_t i = 0; i < translated.files.size(); ++i) {
    model::InitialFile& file = translated.files[i];
    const auto [first, is_first] = seen.emplace(file.file, i);
    if (is_first) {
      // 0: numbered as a new inode is
      file.inode = !to_xfs && file.file == model::kRootDirectory ? kExt4Root : 0;
      if (file.type == model::FileType::directory) file.size = filesystem.block_size;
      place_extents(file, area);
      for (model::InitialExtent& extent : file.extents) extent.shared = false;
    } else {
      const model::InitialFile& other = translated.files[first->second];
      file.inode = other.inode;
      file.size = other.size;
      file.extents = other.extents;
    }
  }
  return translated;
}

}  // namespace fcsim::replay
