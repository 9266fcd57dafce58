#include "sim/questions/explain/traced_calls.h"

#include "sim/questions/compare/sync_log.h"

namespace fcsim::questions::explain {

std::size_t TracedCalls::Hash::operator()(const Key& key) const noexcept {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
  std::uint64_t sum = key.line * kOdd;
  sum ^= std::uint64_t{key.file} << 24 ^ std::uint64_t{key.source} << 8 ^
         static_cast<std::uint64_t>(key.kind);
  return static_cast<std::size_t>(sum ^ sum >> 32);
}

TracedCalls::Key TracedCalls::key_of(const model::Origin& origin) {
  return {origin.line, origin.source, origin.kind, origin.file};
}

void TracedCalls::want(const model::Origin& origin) {
  if (origin.line != 0) wanted_.emplace(key_of(origin), kNoCall);
}

void TracedCalls::see(const traces::Event& event, const traces::resolve::Resolver&) {
  programs_.see(event);
  event_ = event;
}

void TracedCalls::observe(const model::Operation& operation,
                          const traces::resolve::Resolver& resolver) {
  if (operation.line != event_.line || operation.source != event_.source) return;
  const bool sync = all_syncs_ && compare::is_sync(operation);
  const auto wanted =
      wanted_.find(Key{operation.line, operation.source, operation.kind, operation.file});
  const bool found = wanted != wanted_.end() && wanted->second == kNoCall;
  if (!sync && !found) return;
  const auto index = static_cast<std::uint32_t>(calls_.size());
  calls_.push_back(make(operation, resolver));
  if (found) wanted->second = index;
  if (sync) syncs_.push_back(index);
}

Call TracedCalls::make(const model::Operation& operation,
                       const traces::resolve::Resolver& resolver) {
  Call call;
  call.origin = {operation.line, operation.source, operation.pid, operation.kind, operation.file};
  call.process = programs_.process_of(operation.pid);
  call.name = strings_.add(event_.name);
  call.path = strings_.add(path_of(operation, resolver));
  call.program = strings_.add(programs_.name_of(operation.pid));
  call.start = operation.start;
  call.end = operation.end;
  return call;
}

// The name that the file has after the call. A file that has none any more keeps what the call
// itself says, below the mount point where that is absolute.
std::string TracedCalls::path_of(const model::Operation& operation,
                                 const traces::resolve::Resolver& resolver) const {
  if (operation.file == model::kNoFile) return "";
  std::string path = resolver.path_of(operation.file);
  if (!path.empty()) return path;
  path = event_.path.empty() ? event_.fd_path : event_.path;
  const std::string below = resolver.mount_point() + "/";
  return path.starts_with(below) ? path.substr(below.size()) : path;
}

std::uint32_t TracedCalls::find(const model::Origin& origin) const {
  if (origin.line == 0) return kNoCall;
  const auto found = wanted_.find(key_of(origin));
  return found == wanted_.end() ? kNoCall : found->second;
}

}  // namespace fcsim::questions::explain
