// Which program a thread runs and which process it belongs to, as far as the trace shows it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "traces/event.h"

namespace fcsim::questions::explain {

class Programs {
 public:
  // Calls in the order of the trace.
  void see(const traces::Event& event);

  // Last component of the path that was executed, by the process itself or by the parent it was
  // copied from; "" where the trace shows neither.
  [[nodiscard]] const std::string& name_of(std::int32_t pid) const;
  // The pid of the process that the thread belongs to; its own where no clone says otherwise.
  [[nodiscard]] std::int32_t process_of(std::int32_t pid) const;

 private:
  struct Thread {
    std::string name;
    std::int32_t process = 0;
  };
  std::unordered_map<std::int32_t, Thread> threads_;
};

}  // namespace fcsim::questions::explain
