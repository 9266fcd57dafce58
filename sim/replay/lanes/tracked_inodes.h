// What a fast-commit log keeps about inodes, for a log that lives apart from the inodes: the few
// that were tracked lately.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "model/fast_commit/fast_commit.h"
#include "model/jbd2/journal_log.h"

namespace fcsim::replay::lanes {

class TrackedInodes {
 public:
  [[nodiscard]] model::fast_commit::TrackedInode* find(model::FileId file) {
    const std::size_t i = index_of(file);
    return i == files_.size() ? nullptr : &inodes_[i];
  }
  // References stay valid until clear().
  [[nodiscard]] model::fast_commit::TrackedInode& get(model::FileId file) {
    const std::size_t i = index_of(file);
    if (i == files_.size()) {
      files_.push_back(file);
      if (files_.size() > kFew) index_.emplace(file, i);
      if (inodes_.size() < files_.size()) inodes_.emplace_back();
      last_ = i;
    }
    return inodes_[i];
  }
  [[nodiscard]] bool any_ranges() const {
    for (std::size_t i = 0; i < files_.size(); ++i)
      if (!inodes_[i].ranges.empty()) return true;
    return false;
  }
  [[nodiscard]] std::size_t size() const { return files_.size(); }
  void clear() {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      model::fast_commit::range_tracking::TrackedRanges ranges = std::move(inodes_[i].ranges);
      ranges.clear();
      inodes_[i] = {};
      inodes_[i].ranges = std::move(ranges);
    }
    files_.clear();
    if (!index_.empty()) index_.clear();
    last_ = 0;
  }

 private:
  static constexpr std::size_t kFew = 16;  // are looked through one by one

  [[nodiscard]] std::size_t index_of(model::FileId file) {
    if (last_ < files_.size() && files_[last_] == file) return last_;
    std::size_t i = 0;
    const std::size_t few = std::min(files_.size(), kFew);
    while (i < few && files_[i] != file) ++i;
    if (i == few && files_.size() > kFew) {
      const auto found = index_.find(file);
      i = found == index_.end() ? files_.size() : found->second;
    }
    if (i < files_.size()) last_ = i;
    return i;
  }

  std::vector<model::FileId> files_;
  std::deque<model::fast_commit::TrackedInode> inodes_;   // of files_, and spare ones behind
  std::unordered_map<model::FileId, std::size_t> index_;  // of the files behind the first few
  std::size_t last_ = 0;
};

// What an event of the leader's log does to a queue of the next fast commit; nothing, if it is none
// of tracking.
inline void play_tracking(const model::jbd2::JournalEvent& event,
                          model::fast_commit::FastCommit& fast_commit, TrackedInodes& inodes) {
  using Kind = model::jbd2::JournalEvent::Kind;
  switch (event.kind) {
    case Kind::track_inode:
      fast_commit.track_inode(event.a, event.small != 0, event.count, {});
      break;
    case Kind::track_range:
      fast_commit.track_range(event.a, event.b, event.c);
      break;
    case Kind::track_dentry:
      fast_commit.track_dentry(static_cast<model::fast_commit::DentryKind>(event.small), event.a,
                               event.count);
      break;
    case Kind::forget_inode:
      if (inodes.find(event.a) != nullptr) fast_commit.forget(event.a);
      break;
    default:
      break;
  }
}

}  // namespace fcsim::replay::lanes
