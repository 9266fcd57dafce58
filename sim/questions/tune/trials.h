// Running the configured trace with a few settings changed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/questions/tune/tune.h"

namespace fcsim::questions::tune {

using Changes = std::vector<std::string>;  // "table.key=value"

class Trials {
 public:
  explicit Trials(const TuneRequest& request) : request_(request) {}

  // Hands each outcome to `sink` in order, with its lists of commits; they are dropped after it,
  // so that few are in memory at a time. Throws what is wrong with any of them.
  void run(const std::vector<Changes>& changes,
           const std::function<void(std::size_t, const replay::Outcome&)>& sink);

  replay::Outcome run_one(const Changes& changes);

  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  const TuneRequest& request_;
  std::vector<std::string> warnings_;
};

// "filesystem.fast_commit_kib=..." for an area of so many blocks.
std::string area_setting(std::uint64_t blocks, std::uint32_t block_size);

// What advise_area finds out with one trial: all but `nearly` and `points`.
AreaAdvice find_area_need(Trials& trials, const configuration::LoadedConfiguration& configuration);
AreaAdvice advise_area(Trials& trials, const configuration::LoadedConfiguration& configuration);
RangeAdvice advise_ranges(Trials& trials);
BreakEven find_break_even(Trials& trials, const configuration::LoadedConfiguration& configuration,
                          const AreaAdvice& area, const std::vector<NamedDevice>& devices);

}  // namespace fcsim::questions::tune
