#include "sim/report/tune_report.h"

#include "sim/report/journal_commands.h"
#include "sim/support/json.h"
#include "sim/support/text.h"

namespace fcsim::report {
namespace {

using support::decimal;

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

void add_area(Document& document, const questions::tune::AreaAdvice& area,
              const model::FilesystemSettings& filesystem) {
  document.heading("Fast-commit area");
  if (area.limited_by_size) {
    document.line("largest that mke2fs makes here: " + std::to_string(area.smallest) +
                      " blocks, and even that is full at times",
                  1);
  } else {
    document.line("smallest that is never full: " + std::to_string(area.smallest) + " blocks", 1);
    document.line("one transaction's fast commits take " + std::to_string(area.most_used) +
                      " blocks at most, and one block is never used",
                  2);
  }
  document.line(area_commands(filesystem, area.smallest), 2);
  if (area.nearly != area.smallest) {
    document.line(
        "with " + std::to_string(area.nearly) + " blocks at most 1 sync in 100 finds it full", 1);
    document.line(area_commands(filesystem, area.nearly), 2);
  }
  document.line("before these commands: " + area_commands_explained(), 1);
  document.line("now: " + (area.current == 0 ? "the kernel's default"
                                             : std::to_string(area.current) + " blocks"),
                1);
  document.line("full commits that remain with the largest area:", 1);
  for (const auto& [cause, count] : area.limits)
    document.line(std::to_string(count) + " " + std::string(model::name(cause)) + " (" +
                      std::string(model::explanation(cause)) + ")",
                  2);
  Table table(cost_header("area"));
  for (const questions::tune::TunePoint& point : area.points)
    table.add(cost_row(std::to_string(point.value), point.cost));
  document.gap();
  document.table(std::move(table));
}

void add_ranges(Document& document, const questions::tune::RangeAdvice& ranges) {
  document.heading("Ranges of an inode");
  document.line(ranges.smallest != 0 ? "smallest max_ranges that is as good as no limit: " +
                                           std::to_string(ranges.smallest)
                                     : "no max_ranges that was tried is as good as no limit",
                1);
  Table table(cost_header("max_ranges"));
  table.add(cost_row("one span", ranges.single_span));
  for (const questions::tune::TunePoint& point : ranges.points)
    table.add(cost_row(point.value == 0 ? "no limit" : std::to_string(point.value), point.cost));
  document.gap();
  document.table(std::move(table));
}

void add_crossover(Document& document, const questions::tune::BreakEven& even) {
  const std::string from = std::to_string(*even.ranges);
  document.line("the full commits that fast commits avoid: " + mean(even.full_blocks, even.pairs) +
                    " blocks on average, at least " + std::to_string(even.smallest_full) + " (" +
                    std::to_string(even.pairs) + " sync calls)",
                1);
  document.line("journal blocks: a fast commit costs more from " + from +
                    " ranges; against the smallest full commit from " +
                    std::to_string(even.ranges_against_smallest),
                1);
  document.line("flushes: one each, so never", 1);
  document.line("device time: from " + from +
                    " ranges, as both write their blocks in one request and the last with a flush",
                1);
  if (even.snapshot_cap != 0 && *even.ranges > even.snapshot_cap)
    document.line("the kernel refuses before that: a snapshot holds " +
                      std::to_string(even.snapshot_cap) + " ranges",
                  1);
  document.line(even.observed ? "in this trace fast commits of " + std::to_string(*even.observed) +
                                    " and more ranges cost more"
                              : "in this trace no group of fast commits costs more",
                1);
}

Table groups_table(const questions::tune::BreakEven& even) {
  Table table({"ranges", "sync calls", "blocks fast", "blocks full"});
  for (const questions::tune::PairedCommits& group : even.groups)
    table.add({group.least_ranges == group.most_ranges
                   ? std::to_string(group.least_ranges)
                   : std::to_string(group.least_ranges) + "-" + std::to_string(group.most_ranges),
               std::to_string(group.count), mean(group.fast_blocks, group.count),
               mean(group.full_blocks, group.count)});
  return table;
}

Table devices_table(const questions::tune::BreakEven& even) {
  Table table({"device", "us fast", "us full", "saved"}, {true});
  for (const questions::tune::DeviceCost& device : even.devices)
    table.add({device.name, decimal(device.fast_us, 1), decimal(device.full_us, 1),
               decimal(100 * (1 - device.fast_us / device.full_us), 1) + "%"});
  return table;
}

void add_break_even(Document& document, const questions::tune::BreakEven& even) {
  document.heading("Break-even: separate ranges in a commit against the full commit");
  if (even.pairs == 0) {
    document.line(
        "no sync call of this trace is a fast commit and, without fast commit, a full one", 1);
    return;
  }
  add_crossover(document, even);
  document.gap();
  document.table(groups_table(even));
  document.gap();
  document.table(devices_table(even));
}

using support::Json;

Json cost_json(const std::string& name, const Json& value,
               const questions::tune::JournalCost& cost) {
  Json object = Json::object();
  if (!name.empty()) object[name] = value;
  object["commits"] = cost.commits;
  object["ineligible"] = cost.ineligible;
  object["numblks"] = cost.numblks;
  object["transactions"] = cost.transactions;
  object["blocks_logged"] = cost.blocks_logged;
  object["area_full"] = cost.area_full;
  object["snapshot_refused"] = cost.snapshot_refused;
  object["journal_blocks"] = cost.journal_blocks;
  object["flushes"] = cost.flushes;
  object["device_us"] = support::json_decimal(cost.device_us, 1);
  return object;
}

// null for what 0 stands for.
Json unless_zero(std::uint64_t value) {
  return value == 0 ? Json(nullptr) : Json(value);
}

Json area_json(const questions::tune::AreaAdvice& area,
               const model::FilesystemSettings& filesystem) {
  Json object = {{"current", area.current},
                 {"smallest", area.smallest},
                 {"nearly", area.nearly},
                 {"most_used", area.most_used},
                 {"block_size", area.block_size},
                 {"limited_by_size", area.limited_by_size},
                 {"commands", area_commands(filesystem, area.smallest)},
                 {"limits", Json::object()},
                 {"points", Json::array()}};
  for (const auto& [cause, count] : area.limits)
    object["limits"][std::string(model::name(cause))] = count;
  for (const questions::tune::TunePoint& point : area.points)
    object["points"].push_back(cost_json("area", point.value, point.cost));
  return object;
}

Json ranges_json(const questions::tune::RangeAdvice& ranges) {
  Json object = {{"smallest", unless_zero(ranges.smallest)},
                 {"single_span", cost_json("", nullptr, ranges.single_span)},
                 {"points", Json::array()}};
  for (const questions::tune::TunePoint& point : ranges.points)
    object["points"].push_back(cost_json("max_ranges", unless_zero(point.value), point.cost));
  return object;
}

Json group_json(const questions::tune::PairedCommits& group) {
  return {{"least_ranges", group.least_ranges},
          {"most_ranges", group.most_ranges},
          {"sync_calls", group.count},
          {"fast_blocks", group.fast_blocks},
          {"full_blocks", group.full_blocks}};
}

Json break_even_json(const questions::tune::BreakEven& even) {
  const auto optional = [](const std::optional<std::uint64_t>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  Json object = {
      {"sync_calls", even.pairs},
      {"full_blocks", even.full_blocks},
      {"smallest_full", even.smallest_full},
      {"ranges",
       {{"journal_blocks", optional(even.ranges)},
        {"flushes", nullptr},
        {"device_time", optional(even.ranges)},
        {"against_smallest", even.pairs == 0 ? Json(nullptr) : Json(even.ranges_against_smallest)},
        {"observed", optional(even.observed)}}},
      {"snapshot_cap", even.snapshot_cap},
      {"groups", Json::array()},
      {"devices", Json::array()}};
  for (const questions::tune::PairedCommits& group : even.groups)
    object["groups"].push_back(group_json(group));
  for (const questions::tune::DeviceCost& device : even.devices)
    object["devices"].push_back({{"device", device.name},
                                 {"fast_us", support::json_decimal(device.fast_us, 1)},
                                 {"full_us", support::json_decimal(device.full_us, 1)}});
  return object;
}

}  // namespace

Document tune_document(const questions::tune::Tuning& tuning) {
  Document document;
  document.line("kernel rules: " + tuning.profile);
  add_area(document, tuning.area, tuning.filesystem);
  add_ranges(document, tuning.ranges);
  add_break_even(document, tuning.break_even);
  return document;
}

std::string tune_json(const questions::tune::Tuning& tuning) {
  return support::json_text({{"profile", tuning.profile},
                             {"area", area_json(tuning.area, tuning.filesystem)},
                             {"ranges", ranges_json(tuning.ranges)},
                             {"break_even", break_even_json(tuning.break_even)}});
}

}  // namespace fcsim::report
