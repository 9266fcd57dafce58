#include "sim/machine/record/tracepoints/commit_line.h"

#include <array>
#include <cstdio>

#include "traces/kernel_facts.h"

namespace fcsim::machine::record::tracepoints {

std::string commit_line(const traces::Event& event) {
  using traces::Call;
  if (!traces::is_fact(event.call)) return "";
  std::string fields;
  const auto number = [&](const char* name, auto value) {
    fields += std::string(" ") + name + " " + std::to_string(value);
  };
  switch (event.call) {
    case Call::ext4_sync_file_enter:
      number("ino", event.argument);
      number("datasync", event.flags);
      break;
    case Call::ext4_sync_file_exit:
      number("ino", event.argument);
      number("ret", event.result);
      break;
    case Call::ext4_sync_fs:
      number("wait", event.flags);
      break;
    case Call::ext4_fc_commit_start:
      number("tid", event.transaction);
      break;
    case Call::ext4_fc_commit_stop:
      number("nblks", event.length);
      number("reason", event.result);
      number("tid", event.transaction);
      break;
    case Call::jbd2_start_commit:
    case Call::jbd2_commit_locking:
    case Call::jbd2_end_commit:
      number("transaction", event.transaction);
      break;
    case Call::jbd2_run_stats:
      number("tid", event.transaction);
      number("handle_count", event.argument);
      number("blocks", event.length);
      number("blocks_logged", event.offset);
      break;
    default:
      return "";
  }
  std::array<char, 40> time{};
  std::snprintf(time.data(), time.size(), "%lld.%09lld",
                static_cast<long long>(event.start_ns / 1'000'000'000),
                static_cast<long long>(event.start_ns % 1'000'000'000));
  return std::string(time.data()) + "\t" + std::string(traces::fact_kind(event.call)->name) +
         "\tpid=" + std::to_string(event.pid) + fields + "\n";
}

}  // namespace fcsim::machine::record::tracepoints
