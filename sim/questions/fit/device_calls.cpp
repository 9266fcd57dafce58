#include "sim/questions/fit/device_calls.h"

#include <algorithm>

namespace fcsim::questions::fit {

void DeviceCallLog::see(const traces::Event& event) {
  using traces::Call;
  const bool idle =
      event.call == Call::close || event.call == Call::lseek || event.call == Call::fstat;
  if (idle && event.has_duration && event.error == 0)
    idle_calls_us_.push_back(static_cast<double>(event.duration_ns) / 1000.0);
}

void DeviceCallLog::observe(const model::Operation& operation) {
  using enum model::OperationKind;
  switch (operation.kind) {
    case write:
      write_range(operation);
      break;
    case evict:
      dirty_.erase(operation.file);
      break;
    case fsync:
    case fdatasync:
      add_call(operation);
      break;
    default:
      break;
  }
}

// Ranges that touch become one: they are written with one request.
void DeviceCallLog::write_range(const model::Operation& operation) {
  if ((operation.flags & model::operation_flag::direct) != 0 || operation.length <= 0) return;
  std::uint64_t first = static_cast<std::uint64_t>(operation.offset) / block_size_;
  std::uint64_t end =
      (static_cast<std::uint64_t>(operation.offset + operation.length) - 1) / block_size_ + 1;
  Runs& runs = dirty_[operation.file];
  auto run = runs.upper_bound(first);
  if (run != runs.begin() && std::prev(run)->second >= first) --run;
  while (run != runs.end() && run->first <= end) {
    first = std::min(first, run->first);
    end = std::max(end, run->second);
    run = runs.erase(run);
  }
  runs.emplace(first, end);
}

void DeviceCallLog::add_call(const model::Operation& operation) {
  DeviceCall call{
      operation.line, operation.source, operation.pid, operation.start, operation.end, 0, 0};
  const auto dirty = dirty_.find(operation.file);
  if (dirty != dirty_.end()) {
    call.data_writes = dirty->second.size();
    for (const auto& [first, end] : dirty->second) call.data_blocks += end - first;
    dirty_.erase(dirty);
  }
  if ((operation.flags & model::operation_flag::failed) == 0) calls_.push_back(call);
}

Requests requests_of_commit(std::uint64_t blocks, bool barrier) {
  const std::uint64_t once = barrier ? 1 : 0;
  return {blocks > 1 ? std::uint64_t{2} : std::uint64_t{1}, once, once,
          blocks > 2 ? blocks - 2 : 0};
}

namespace {

using Place = std::pair<std::uint16_t, std::uint64_t>;

// What one call did to the journal.
struct Path {
  std::uint64_t fast = 0, full = 0;  // commits
  std::uint64_t blocks = 0;          // of them
  bool waited = false;               // another one's commit was all it needed
};

std::map<Place, Path> paths_of(const engine::Prediction& prediction) {
  std::map<Place, Path> paths;
  for (const model::FastCommitRecord& record : prediction.fast_commits) {
    if (record.origin.line == 0) continue;
    Path& path = paths[{record.origin.source, record.origin.line}];
    if (record.outcome == model::Outcome::ok) {
      ++path.fast;
      path.blocks += record.blocks;
    }
  }
  for (const model::FullCommitRecord& record : prediction.full_commits) {
    if (record.origin.line == 0) continue;
    Path& path = paths[{record.origin.source, record.origin.line}];
    ++path.full;
    path.blocks += record.blocks_logged;
  }
  return paths;
}

// Whether another thread's fsync was under way at the same time. Calls in order of their start.
std::vector<bool> overlaps(const std::vector<DeviceCall>& calls) {
  std::vector<bool> overlapping(calls.size(), false);
  std::size_t latest = 0;  // the call that ends last of those before
  for (std::size_t i = 1; i < calls.size(); ++i) {
    if (calls[i].start < calls[latest].end && calls[i].pid != calls[latest].pid)
      overlapping[i] = overlapping[latest] = true;
    if (calls[i].end > calls[latest].end) latest = i;
  }
  return overlapping;
}

}  // namespace

Observations match(const std::vector<DeviceCall>& calls, const engine::Prediction& prediction,
                   bool barrier) {
  Observations result;
  const std::map<Place, Path> paths = paths_of(prediction);
  const std::vector<bool> overlapping = overlaps(calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const DeviceCall& call = calls[i];
    if (call.end <= call.start) {
      ++result.without_duration;
      continue;
    }
    if (overlapping[i]) {
      ++result.overlapping;
      continue;
    }
    const auto found = paths.find({call.source, call.line});
    const Path path = found == paths.end() ? Path{} : found->second;
    if (path.fast + path.full > 1) {
      ++result.unclear;
      continue;
    }
    Requests requests{0, barrier ? std::uint64_t{1} : 0, 0, 0};  // a flush alone
    if (path.fast + path.full == 1) requests = requests_of_commit(path.blocks, barrier);
    result.fast_commits += path.fast;
    result.full_commits += path.full;
    if (path.fast + path.full == 0) ++result.flushes_alone;
    requests.writes += call.data_writes;
    requests.blocks_behind += call.data_blocks - call.data_writes;
    result.rows.push_back({requests, static_cast<double>(call.end - call.start) / 1000.0});
  }
  return result;
}

}  // namespace fcsim::questions::fit
