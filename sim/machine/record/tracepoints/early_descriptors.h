// The descriptors that running programs have when a recording begins, told as if they were opened
// then: with the flags and the position that they have.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "traces/event.h"

namespace fcsim::machine::record::tracepoints {

// Those of one process that are on the file system; none where the process has ended.
void tell_descriptors(pid_t process, const std::string& mount_point, dev_t device, std::int64_t now,
                      const std::function<void(const traces::Event&)>& put);

}  // namespace fcsim::machine::record::tracepoints
