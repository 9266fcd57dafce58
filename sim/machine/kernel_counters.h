// The text of /proc/fs/ext4/DEV/fc_info and /proc/fs/jbd2/DEV-8/info.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/common/counter_table.h"

namespace fcsim::machine {

// The counters since the mount, under the groups and names of model::counter_groups() and in the
// order in which the kernel prints them. The list of reasons and the snapshot counters are the
// kernel's own: names that the table does not have are kept.
struct KernelCounters {
  std::vector<model::NamedCounter> counted;

  // 0 where the kernel does not show it.
  [[nodiscard]] std::uint64_t value(std::string_view group, std::string_view name) const;
};

// Parses the text of /proc/fs/ext4/DEV/fc_info and /proc/fs/jbd2/DEV-8/info ("": no journal).
// Throws InputError where fc_info lacks one of the main counters of its group.
KernelCounters parse_kernel_counters(const std::string& fc_info, const std::string& jbd2_info);

// Of jbd2/info alone; what is not of its form counts 0.
KernelCounters parse_jbd2_info(const std::string& text);

}  // namespace fcsim::machine
