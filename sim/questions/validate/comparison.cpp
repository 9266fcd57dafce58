#include "sim/questions/validate/comparison.h"

#include <algorithm>
#include <string_view>

namespace fcsim::questions::validate {
namespace {

const model::KernelCounter* find(const std::vector<model::KernelCounter>& counters,
                                 const std::string& name) {
  const auto found =
      std::find_if(counters.begin(), counters.end(),
                   [&](const model::KernelCounter& counter) { return counter.name == name; });
  return found == counters.end() ? nullptr : &*found;
}

// Counts that the kernel lists where they are not 0: "reasons.X", "fsync:log_write".
bool is_listed_when_counted(const std::string& name) {
  return name.starts_with("reasons.") || name.find(':') != std::string::npos;
}

// Of the tables [block_device] and [sync_results].
bool is_of_device(const std::string& name) {
  return name.find(':') != std::string::npos || name == "log_writes" || name == "empty_flushes" ||
         name == "device_flushes";
}

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::exact:
      return "exact";
    case Verdict::within_spread:
      return "within spread";
    case Verdict::differs:
      return "differs";
    case Verdict::failed:
      return "failed";
    case Verdict::skipped:
      return "skipped";
  }
  return "";
}

std::vector<ComparedCounter> compare(const engine::Prediction& prediction,
                                     const machine::Truth& truth) {
  const std::vector<model::KernelCounter> predicted = model::kernel_counters(prediction);
  std::vector<ComparedCounter> compared;
  const auto add = [&](const std::string& name, std::uint64_t prediction_value,
                       std::uint64_t truth_value) {
    ComparedCounter counter{name, prediction_value, truth_value, false, {}};
    if (const auto spread = truth.spread.find(name); spread != truth.spread.end()) {
      counter.has_spread = true;
      counter.spread = spread->second;
    }
    compared.push_back(counter);
  };
  for (const model::KernelCounter& counter : truth.counters) {
    const model::KernelCounter* other = find(predicted, counter.name);
    if (other == nullptr && !prediction.has_block_device && is_of_device(counter.name)) continue;
    add(counter.name, other == nullptr ? 0 : other->value, counter.value);
  }
  // Most recordings of ext4 do not say what the device was asked for.
  const bool tells_device = std::any_of(truth.counters.begin(), truth.counters.end(),
                                        [](const auto& c) { return is_of_device(c.name); });
  // ... and those that do, count what was ineligible and do not say why.
  const bool tells_reasons =
      !tells_device || std::any_of(truth.counters.begin(), truth.counters.end(),
                                   [](const auto& c) { return c.name.starts_with("reasons."); });
  const auto told = [&](const std::string& name) {
    return is_of_device(name) ? tells_device : tells_reasons;
  };
  for (const model::KernelCounter& counter : predicted)
    if (is_listed_when_counted(counter.name) && find(truth.counters, counter.name) == nullptr &&
        told(counter.name))
      add(counter.name, counter.value, 0);
  return compared;
}

Verdict judge(const std::vector<ComparedCounter>& counters) {
  Verdict verdict = Verdict::exact;
  for (const ComparedCounter& counter : counters) {
    if (counter.exact()) continue;
    if (!counter.within_spread()) return Verdict::differs;
    verdict = Verdict::within_spread;
  }
  return verdict;
}

}  // namespace fcsim::questions::validate
