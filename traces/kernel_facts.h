// What the kernel did, as events of a trace: which member of Event holds what, by name.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "traces/event.h"

namespace fcsim::traces {

// The members of Event that a fact uses. Those of all facts: pid, start_ns, cpu.
enum class FactMember : std::uint8_t {
  transaction,  // jbd2's tid
  argument,     // inode number, number of handles
  offset,
  length,
  result,
  flags,
  fd_path,  // the file, as an absolute path
};

struct FactField {
  std::string_view name;  // as the kernel's event names it, where it does
  FactMember member;
};

// ext4_fc_commit_stop and so on; sources: the trace events of Linux 6.18,
// include/trace/events/{ext4,jbd2,writeback}.h.
struct FactKind {
  Call call = Call::other;
  std::string_view name;
  std::span<const FactField> fields;
};

std::span<const FactKind> fact_kinds();

// nullptr where the event is not a fact, or there is no fact of that name.
const FactKind* fact_kind(Call call);
const FactKind* fact_kind(std::string_view name);

inline bool is_fact(Call call) {
  return call >= Call::ext4_sync_file_enter;
}

}  // namespace fcsim::traces
