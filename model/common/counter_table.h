// The table of counters: every number of a prediction by group and name, with unit, documentation
// and accessor. Predictions, validation, every report, recordings, the database of a batch and the
// manual are fed from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/common/counters.h"

namespace fcsim::model {

// Who else counts it.
enum class CountedBy : std::uint8_t {
  kernel,  // the kernel prints it: truth.toml holds it and `validate` compares it
  model,   // the kernel counts it nowhere, or prints averages only
};

// What a counter of two parts of one run comes to.
enum class Combination : std::uint8_t {
  sum,
  latest,  // a limit, or a state: the later part's
};

struct Accessor {
  std::uint64_t (*read)(const Counters&);
  std::uint64_t& (*write)(Counters&);
};

struct Counter {
  std::string_view name;           // as the kernel prints it, where the kernel does
  std::string_view unit;           // plural: "blocks", "calls"
  std::string_view documentation;  // one sentence, Markdown; says where the kernel counts it
  Accessor value;
  CountedBy counted_by = CountedBy::model;
  bool main = false;              // one of the few that every table shows
  std::string_view label = {};    // the text report's name for it; "": `name`
  std::string_view remark = {};   // what it means, in a few words; may be ""
  std::string_view heading = {};  // the line of the kernel's file under which it stands; may be ""
  Combination combination = Combination::sum;
  std::string_view truth_table = {};  // the table of truth.toml that has it; "": the group's

  [[nodiscard]] std::string_view title() const { return label.empty() ? name : label; }
};

struct CounterGroup {
  std::string_view name;  // "fc_info", "fc_info.reasons"; a dot is a level of the JSON form
  std::string_view documentation;
  // In front of the names in truth.toml's [spread] and in the output of `validate`.
  std::string_view truth_prefix;
  std::span<const Counter> counters = {};
  // Instead of `counters`: counts whose names are data. Not nullptr for such a group.
  NamedCounts Counters::*named = nullptr;
  std::string_view named_unit = {};  // of those
  // Whether the file system and the kernel of these counters have the group at all.
  bool (*present)(const Counters&);

  // Whether the kernel has counters of this group: then truth.toml has a table of its name.
  [[nodiscard]] bool counted_by_kernel() const;

  // The counter of that name; nullptr: none.
  [[nodiscard]] const Counter* find(std::string_view counter) const;

  // Table and key in truth.toml, and the name in CSV and databases, have the form "group.name".
  [[nodiscard]] std::string full_name(std::string_view counter) const;
};

// In the order of output: the kernel's files first.
std::span<const CounterGroup> counter_groups();

// The group of that name. Asserts that there is one.
const CounterGroup& counter_group(std::string_view name);

// One number under its name.
struct NamedCounter {
  std::string group;
  std::string name;  // any characters, where names are data
  std::uint64_t value = 0;

  [[nodiscard]] std::string full_name() const { return group + "." + name; }
};

// Every counter of the groups that are present, zeros included, in the order of the groups.
std::vector<NamedCounter> named_counters(const Counters& counters);

// The names that named_counters() would give if every group were present; none of a group whose
// names are data.
std::vector<std::string> counter_names();

// A counter as the kernel shows it, so that a prediction and the truth can be compared without
// either side knowing the other.
struct KernelCounter {
  std::string name;  // "commits", "reasons.Cross rename", "snapshot.ranges", ...
  std::uint64_t value = 0;
};

// Those that the kernel counts too, in the order of its files. Counts whose names are data are
// listed where they are not 0.
std::vector<KernelCounter> kernel_counters(const Counters& counters);

// The flags stay those of `later`. `difference` asserts that no sum shrank; both assert that the
// named counts are the same kernel's.
Counters difference(const Counters& later, const Counters& earlier);
Counters sum(const Counters& earlier, const Counters& later);

// All calls of SyncCalls.
std::uint64_t total_sync_calls(const Counters& counters);

// What a cause means, in a few words.
std::string_view explanation(Cause cause);

}  // namespace fcsim::model
