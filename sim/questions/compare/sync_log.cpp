#include "sim/questions/compare/sync_log.h"

#include <algorithm>
#include <tuple>

namespace fcsim::questions::compare {

bool is_sync(const model::Operation& operation) {
  using enum model::OperationKind;
  constexpr std::uint32_t synchronous = model::operation_flag::sync | model::operation_flag::dsync;
  switch (operation.kind) {
    case fsync:
    case fdatasync:
    case msync:
    case syncfs:
    case sync:
      return true;
    case write:
    case truncate:
    case fallocate:
      return (operation.flags & synchronous) != 0;
    default:
      return false;
  }
}

void SyncLog::observe(const model::Operation& operation,
                      const traces::resolve::Resolver& resolver) {
  if (!is_sync(operation)) return;
  if (!calls_.empty() && calls_.back().line == operation.line &&
      calls_.back().source == operation.source)
    return;
  const std::string path =
      operation.file == model::kNoFile ? std::string() : resolver.path_of(operation.file);
  calls_.push_back({operation.kind, operation.source, operation.pid, operation.line,
                    operation.start, index_of(path)});
}

std::uint32_t SyncLog::index_of(const std::string& path) {
  if (!calls_.empty() && paths_[calls_.back().path] == path) return calls_.back().path;
  const auto [place, added] = indices_.emplace(path, static_cast<std::uint32_t>(paths_.size()));
  if (added) paths_.push_back(path);
  return place->second;
}

std::string describe(const SyncOutcome& outcome) {
  std::string text;
  if (outcome.fast_blocks)
    text = "fast commit, " + std::to_string(*outcome.fast_blocks) +
           (*outcome.fast_blocks == 1 ? " block" : " blocks");
  if (outcome.full_cause)
    text += (text.empty() ? "" : " and ") + std::string("full commit (") +
            std::string(model::name(*outcome.full_cause)) + ")";
  if (!text.empty()) return text;
  if (!outcome.led_to) return "no commit of its own";
  switch (*outcome.led_to) {
    case model::SyncResult::log_write:
      return "log write";
    case model::SyncResult::flush_only:
      return "flush only";
    case model::SyncResult::nothing:
      break;
  }
  return "nothing";
}

SyncOutcomes::SyncOutcomes(const engine::Prediction& prediction) {
  for (const model::FastCommitRecord& record : prediction.fast_commits)
    if (record.outcome == model::Outcome::ok && record.origin.line != 0)
      entries_.push_back({record.origin.line, record.origin.source, {record.blocks, {}, {}}});
  for (const model::FullCommitRecord& record : prediction.full_commits)
    if (record.origin.line != 0)
      entries_.push_back({record.origin.line, record.origin.source, {{}, record.cause, {}}});
  for (const model::SyncRecord& record : prediction.syncs)
    if (record.origin.line != 0)
      entries_.push_back({record.origin.line, record.origin.source, {{}, {}, record.result}});
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.source, a.line) < std::tie(b.source, b.line);
  });
}

SyncOutcome SyncOutcomes::of(const SyncCall& call) const {
  SyncOutcome outcome;
  auto entry = std::lower_bound(entries_.begin(), entries_.end(), call,
                                [](const Entry& a, const SyncCall& b) {
                                  return std::tie(a.source, a.line) < std::tie(b.source, b.line);
                                });
  for (; entry != entries_.end() && entry->source == call.source && entry->line == call.line;
       ++entry) {
    if (entry->outcome.fast_blocks && !outcome.fast_blocks)
      outcome.fast_blocks = entry->outcome.fast_blocks;
    if (entry->outcome.full_cause && !outcome.full_cause)
      outcome.full_cause = entry->outcome.full_cause;
    if (entry->outcome.led_to && !outcome.led_to) outcome.led_to = entry->outcome.led_to;
  }
  return outcome;
}

}  // namespace fcsim::questions::compare
