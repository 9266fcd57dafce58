#include "sim/questions/validate/first_difference.h"

#include <algorithm>
#include <limits>
#include <map>

#include "sim/engine/outcome_name.h"

namespace fcsim::questions::validate {
namespace {

std::string blocks(std::uint32_t count) {
  return std::to_string(count) + (count == 1 ? " block" : " blocks");
}

std::string describe(model::Outcome outcome, std::uint32_t count, model::Tid tid) {
  std::string text = "fast commit " + std::string(engine::outcome_name(outcome));
  if (outcome == model::Outcome::ok) text += ", " + blocks(count);
  return text + ", tid " + std::to_string(tid);
}

std::string describe(const model::FullCommitRecord& commit, model::Tid tid) {
  return "full commit (" + std::string(model::name(commit.cause)) + "), tid " +
         std::to_string(tid) + ", " + blocks(commit.blocks) + ", " +
         std::to_string(commit.blocks_logged) + " logged, " + std::to_string(commit.handles) +
         " handles";
}

std::string describe(const KernelFullCommit& commit) {
  return "full commit, tid " + std::to_string(commit.tid) + ", " + blocks(commit.blocks) + ", " +
         std::to_string(commit.blocks_logged) + " logged, " + std::to_string(commit.handles) +
         " handles";
}

constexpr model::Tid kNoTid = std::numeric_limits<model::Tid>::max();

// What was skipped had been committed before, perhaps before the recording began: its tid says
// nothing about those that follow.
template <class Commits>
model::Tid first_tid_of(const Commits& fast, model::Tid first) {
  for (const auto& commit : fast)
    if (commit.outcome != model::Outcome::skipped) first = std::min(first, commit.tid);
  return first;
}

// Predicted tids as the kernel numbers them.
class TidShift {
 public:
  TidShift(const engine::Prediction& prediction, const KernelCommits& kernel) {
    if (first_tid(kernel) != kNoTid && first_tid(prediction) != kNoTid)
      shift_ = first_tid(kernel) - first_tid(prediction);
  }
  [[nodiscard]] model::Tid operator()(model::Tid predicted) const { return predicted + shift_; }

 private:
  model::Tid shift_ = 0;
};

std::vector<model::FastCommitRecord> in_order_of_start(
    std::vector<model::FastCommitRecord> commits) {
  std::stable_sort(commits.begin(), commits.end(),
                   [](const auto& a, const auto& b) { return a.start < b.start; });
  return commits;
}

std::optional<FirstDifference> first_fast(const engine::Prediction& prediction,
                                          const KernelCommits& kernel, const TidShift& shift) {
  const std::vector<model::FastCommitRecord> predicted = in_order_of_start(prediction.fast_commits);
  const std::size_t count = std::max(predicted.size(), kernel.fast.size());
  for (std::size_t i = 0; i < count; ++i) {
    const model::FastCommitRecord* ours = i < predicted.size() ? &predicted[i] : nullptr;
    const KernelFastCommit* theirs = i < kernel.fast.size() ? &kernel.fast[i] : nullptr;
    if (ours != nullptr && theirs != nullptr && ours->outcome == theirs->outcome &&
        (ours->outcome == model::Outcome::skipped || shift(ours->tid) == theirs->tid) &&
        (ours->outcome != model::Outcome::ok || ours->blocks == theirs->blocks))
      continue;
    FirstDifference difference;
    difference.number = i;
    difference.time = theirs != nullptr ? theirs->start : ours->start;
    difference.in_kernel = theirs != nullptr;
    difference.pid = theirs != nullptr ? theirs->pid : 0;
    difference.predicted =
        ours == nullptr ? "nothing" : describe(ours->outcome, ours->blocks, shift(ours->tid));
    difference.kernel =
        theirs == nullptr ? "nothing" : describe(theirs->outcome, theirs->blocks, theirs->tid);
    difference.has_origin = ours != nullptr;
    if (ours != nullptr) difference.origin = ours->origin;
    return difference;
  }
  return std::nullopt;
}

std::optional<FirstDifference> first_full(const engine::Prediction& prediction,
                                          const KernelCommits& kernel, const TidShift& shift,
                                          bool with_blocks) {
  std::map<model::Tid, std::pair<const model::FullCommitRecord*, const KernelFullCommit*>> by_tid;
  for (const auto& commit : prediction.full_commits) by_tid[shift(commit.tid)].first = &commit;
  for (const auto& commit : kernel.full) by_tid[commit.tid].second = &commit;
  std::size_t number = 0;
  for (const auto& [tid, pair] : by_tid) {
    const auto& [ours, theirs] = pair;
    const bool equal = ours != nullptr && theirs != nullptr &&
                       (!with_blocks || (ours->blocks == theirs->blocks &&
                                         ours->blocks_logged == theirs->blocks_logged));
    if (equal) {
      ++number;
      continue;
    }
    FirstDifference difference;
    difference.full = true;
    difference.number = number;
    difference.time = theirs != nullptr ? theirs->start : ours->start;
    difference.predicted = ours == nullptr ? "nothing" : describe(*ours, tid);
    difference.kernel = theirs == nullptr ? "nothing" : describe(*theirs);
    difference.has_origin = ours != nullptr;
    difference.in_kernel = theirs != nullptr;
    if (ours != nullptr) difference.origin = ours->origin;
    return difference;
  }
  return std::nullopt;
}

}  // namespace

model::Tid first_tid(const KernelCommits& kernel) {
  model::Tid first = first_tid_of(kernel.fast, kNoTid);
  for (const auto& commit : kernel.full) first = std::min(first, commit.tid);
  return first;
}

model::Tid first_tid(const engine::Prediction& prediction) {
  model::Tid first = first_tid_of(prediction.fast_commits, kNoTid);
  for (const auto& commit : prediction.full_commits) first = std::min(first, commit.tid);
  return first;
}

BlockShare compare_blocks(const engine::Prediction& prediction, const KernelCommits& kernel) {
  const TidShift shift(prediction, kernel);
  std::map<model::Tid, const model::FullCommitRecord*> predicted;
  for (const auto& commit : prediction.full_commits) predicted[shift(commit.tid)] = &commit;
  BlockShare share;
  for (const KernelFullCommit& commit : kernel.full) {
    ++share.full_commits;
    const auto found = predicted.find(commit.tid);
    if (found == predicted.end() || found->second->blocks != commit.blocks ||
        found->second->blocks_logged != commit.blocks_logged)
      continue;
    ++share.equal;
    if (found->second->handles == commit.handles) ++share.equal_handles;
  }
  return share;
}

std::optional<FirstDifference> find_first_difference(const engine::Prediction& prediction,
                                                     const KernelCommits& kernel,
                                                     bool with_blocks) {
  const TidShift shift(prediction, kernel);
  auto fast = first_fast(prediction, kernel, shift);
  auto full = first_full(prediction, kernel, shift, with_blocks);
  if (!fast) return full;
  if (!full) return fast;
  return full->time < fast->time ? full : fast;
}

}  // namespace fcsim::questions::validate
