#include "sim/report/tune_report.h"

#include "sim/report/report.h"
#include "sim/report/table.h"

namespace fcsim::report {
namespace {

std::string kib(const questions::tune::AreaAdvice& area, std::uint64_t blocks) {
  return "mke2fs -J fast_commit_size=" + std::to_string(blocks * area.block_size / 1024);
}

std::string mean(std::uint64_t sum, std::uint64_t count) {
  return count == 0 ? "-" : decimal(static_cast<double>(sum) / static_cast<double>(count), 2);
}

std::vector<std::string> cost_header(const std::string& first) {
  return {first,     "fast commits",   "full commits", "area full",
          "refused", "journal blocks", "flushes",      "device ms"};
}

std::vector<std::string> cost_row(const std::string& first,
                                  const questions::tune::JournalCost& cost) {
  return {first,
          std::to_string(cost.commits),
          std::to_string(cost.transactions),
          std::to_string(cost.area_full),
          std::to_string(cost.snapshot_refused),
          std::to_string(cost.journal_blocks),
          std::to_string(cost.flushes),
          decimal(cost.device_us / 1000, 1)};
}

std::string area_text(const questions::tune::AreaAdvice& area) {
  std::string text = "Fast-commit area\n";
  if (area.limited_by_size)
    text += "  largest that mke2fs makes here: " + std::to_string(area.smallest) +
            " blocks, and even that is full at times\n";
  else
    text += "  smallest that is never full: " + std::to_string(area.smallest) + " blocks (" +
            kib(area, area.smallest) + ")\n    one transaction's fast commits take " +
            std::to_string(area.most_used) + " blocks at most, and one block is never used\n";
  if (area.nearly != area.smallest)
    text += "  from " + std::to_string(area.nearly) + " blocks on (" + kib(area, area.nearly) +
            ") 1 sync in 100 at most finds it full\n";
  text += "  now: " +
          (area.current == 0 ? "the kernel's default" : std::to_string(area.current) + " blocks") +
          "\n  what limits then:\n";
  for (const auto& [cause, count] : area.limits)
    text += "    " + std::to_string(count) + " " + std::string(model::name(cause)) + " (" +
            std::string(explanation(cause)) + ")\n";
  TextTable table(cost_header("area"));
  for (const questions::tune::TunePoint& point : area.points)
    table.add(cost_row(std::to_string(point.value), point.cost));
  return text + "\n" + table.text();
}

std::string ranges_text(const questions::tune::RangeAdvice& ranges) {
  std::string text = "\nRanges an inode\n";
  if (ranges.smallest != 0)
    text +=
        "  smallest max_ranges that is as good as no limit: " + std::to_string(ranges.smallest) +
        "\n";
  else
    text += "  no max_ranges that was tried is as good as no limit\n";
  TextTable table(cost_header("max_ranges"));
  table.add(cost_row("one span", ranges.single_span));
  for (const questions::tune::TunePoint& point : ranges.points)
    table.add(cost_row(point.value == 0 ? "no limit" : std::to_string(point.value), point.cost));
  return text + "\n" + table.text();
}

std::string crossover_text(const questions::tune::BreakEven& even) {
  std::string text =
      "  the full commits that fast commits avoid: " + mean(even.full_blocks, even.pairs) +
      " blocks in the mean, " + std::to_string(even.smallest_full) + " at least (" +
      std::to_string(even.pairs) + " sync calls)\n";
  const std::string from = std::to_string(*even.ranges);
  text += "  journal blocks: a fast commit costs more from " + from + " ranges on; from " +
          std::to_string(even.ranges_against_smallest) + " on against the smallest\n";
  text += "  flushes: one each, so never\n";
  text += "  device time: from " + from +
          " ranges on, as both write their blocks in one request and the last with a flush\n";
  if (even.snapshot_cap != 0 && *even.ranges > even.snapshot_cap)
    text += "  before that the kernel gives up: a snapshot holds " +
            std::to_string(even.snapshot_cap) + " ranges\n";
  text += even.observed ? "  in this trace fast commits of " + std::to_string(*even.observed) +
                              " and more ranges cost more\n"
                        : "  in this trace no group of fast commits costs more\n";
  return text;
}

std::string break_even_text(const questions::tune::BreakEven& even) {
  std::string text = "\nBreak-even: separate ranges in a commit against the full commit\n";
  if (even.pairs == 0) return text + "  no sync call of this trace is both\n";
  text += crossover_text(even);
  TextTable groups({"ranges", "sync calls", "blocks fast", "blocks full"});
  for (const questions::tune::PairedCommits& group : even.groups)
    groups.add({group.least_ranges == group.most_ranges
                    ? std::to_string(group.least_ranges)
                    : std::to_string(group.least_ranges) + "-" + std::to_string(group.most_ranges),
                std::to_string(group.count), mean(group.fast_blocks, group.count),
                mean(group.full_blocks, group.count)});
  TextTable devices({"device", "us fast", "us full", "saved"}, {true});
  for (const questions::tune::DeviceCost& device : even.devices)
    devices.add({device.name, decimal(device.fast_us, 1), decimal(device.full_us, 1),
                 decimal(100 * (1 - device.fast_us / device.full_us), 1) + "%"});
  return text + "\n" + groups.text() + "\n" + devices.text();
}

std::string cost_json(const questions::tune::JournalCost& cost) {
  const auto member = [](const char* name, std::uint64_t value) {
    return ", \"" + std::string(name) + "\": " + std::to_string(value);
  };
  return "\"commits\": " + std::to_string(cost.commits) + member("ineligible", cost.ineligible) +
         member("numblks", cost.numblks) + member("transactions", cost.transactions) +
         member("blocks_logged", cost.blocks_logged) + member("area_full", cost.area_full) +
         member("snapshot_refused", cost.snapshot_refused) +
         member("journal_blocks", cost.journal_blocks) + member("flushes", cost.flushes) +
         ", \"device_us\": " + decimal(cost.device_us, 1);
}

template <class Items, class Write>
std::string json_array(const Items& items, const Write& write) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "\n    " : ",\n    ") + write(item);
  return "[" + text + "]";
}

std::string area_json(const questions::tune::AreaAdvice& area) {
  std::string limits;
  for (const auto& [cause, count] : area.limits)
    limits += (limits.empty() ? "" : ", ") + json_string(model::name(cause)) + ": " +
              std::to_string(count);
  return "{\"current\": " + std::to_string(area.current) +
         ", \"smallest\": " + std::to_string(area.smallest) +
         ", \"nearly\": " + std::to_string(area.nearly) +
         ", \"most_used\": " + std::to_string(area.most_used) +
         ", \"block_size\": " + std::to_string(area.block_size) +
         ", \"limited_by_size\": " + (area.limited_by_size ? "true" : "false") +
         ",\n  \"limits\": {" + limits + "},\n  \"points\": " +
         json_array(area.points,
                    [](const questions::tune::TunePoint& point) {
                      return "{\"area\": " + std::to_string(point.value) + ", " +
                             cost_json(point.cost) + "}";
                    }) +
         "}";
}

std::string ranges_json(const questions::tune::RangeAdvice& ranges) {
  return "{\"smallest\": " + (ranges.smallest == 0 ? "null" : std::to_string(ranges.smallest)) +
         ",\n  \"single_span\": {" + cost_json(ranges.single_span) + "},\n  \"points\": " +
         json_array(ranges.points,
                    [](const questions::tune::TunePoint& point) {
                      return "{\"max_ranges\": " +
                             (point.value == 0 ? "null" : std::to_string(point.value)) + ", " +
                             cost_json(point.cost) + "}";
                    }) +
         "}";
}

std::string group_json(const questions::tune::PairedCommits& group) {
  return "{\"least_ranges\": " + std::to_string(group.least_ranges) +
         ", \"most_ranges\": " + std::to_string(group.most_ranges) +
         ", \"sync_calls\": " + std::to_string(group.count) +
         ", \"fast_blocks\": " + std::to_string(group.fast_blocks) +
         ", \"full_blocks\": " + std::to_string(group.full_blocks) + "}";
}

std::string break_even_json(const questions::tune::BreakEven& even) {
  const auto optional = [](const std::optional<std::uint64_t>& value) {
    return value ? std::to_string(*value) : std::string("null");
  };
  return "{\"sync_calls\": " + std::to_string(even.pairs) +
         ", \"full_blocks\": " + std::to_string(even.full_blocks) +
         ", \"smallest_full\": " + std::to_string(even.smallest_full) +
         ",\n  \"ranges\": {\"journal_blocks\": " + optional(even.ranges) +
         ", \"flushes\": null, \"device_time\": " + optional(even.ranges) +
         ", \"against_smallest\": " +
         (even.pairs == 0 ? "null" : std::to_string(even.ranges_against_smallest)) +
         ", \"observed\": " + optional(even.observed) +
         "},\n  \"snapshot_cap\": " + std::to_string(even.snapshot_cap) +
         ",\n  \"groups\": " + json_array(even.groups, group_json) + ",\n  \"devices\": " +
         json_array(even.devices,
                    [](const questions::tune::DeviceCost& device) {
                      return "{\"device\": " + json_string(device.name) +
                             ", \"fast_us\": " + decimal(device.fast_us, 1) +
                             ", \"full_us\": " + decimal(device.full_us, 1) + "}";
                    }) +
         "}";
}

}  // namespace

std::string tune_text(const questions::tune::Tuning& tuning) {
  return "kernel rules: " + tuning.profile + "\n\n" + area_text(tuning.area) +
         ranges_text(tuning.ranges) + break_even_text(tuning.break_even);
}

std::string tune_json(const questions::tune::Tuning& tuning) {
  return "{\n\"profile\": " + json_string(tuning.profile) +
         ",\n\"area\": " + area_json(tuning.area) + ",\n\"ranges\": " + ranges_json(tuning.ranges) +
         ",\n\"break_even\": " + break_even_json(tuning.break_even) + "\n}\n";
}

}  // namespace fcsim::report
