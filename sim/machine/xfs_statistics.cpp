#include "sim/machine/xfs_statistics.h"

#include <sstream>
#include <string>

namespace fcsim::machine {

XfsStatistics parse_xfs_statistics(std::string_view text) {
  XfsStatistics statistics;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    words >> name >> first >> second >> third;
    if (name == "log") {
      statistics.iclog_writes = first;
      statistics.log_blocks = second;
    } else if (name == "trans") {
      statistics.trans_commit = first + second + third;
    }
  }
  return statistics;
}

XfsStatistics difference(const XfsStatistics& before, const XfsStatistics& after) {
  return {after.iclog_writes - before.iclog_writes, after.log_blocks - before.log_blocks,
          after.trans_commit - before.trans_commit};
}

}  // namespace fcsim::machine
