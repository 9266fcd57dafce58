#include "sim/machine/record/environment_text.h"

#include <algorithm>
#include <functional>

#include "sim/configuration/keys.h"
#include "sim/configuration/toml_writer.h"
#include "sim/machine/record/time.h"

namespace fcsim::machine::record {
namespace {

using Wanted = std::function<bool(std::string_view name)>;

bool any(std::string_view) {
  return true;
}

// A table with those of its keys that have a value and are wanted.
void add_table(configuration::TomlWriter& writer, const configuration::Settings& settings,
               std::string_view table, const Wanted& wanted = any) {
  writer.table("[" + std::string(table) + "]");
  for (const configuration::Key& key : configuration::configuration_keys()) {
    if (key.table != table || !wanted(key.name)) continue;
    if (const auto value = key.get(settings)) writer.value(key.name, *value);
  }
}

void add_kernel(configuration::TomlWriter& writer, const configuration::Settings& settings) {
  add_table(writer, settings, "kernel", [&](std::string_view name) {
    if (name == "smp") return !settings.values.clock.smp;  // else as everywhere
    if (name == "percpu_batch")
      return settings.values.clock.percpu_batch != model::ClockSettings{}.percpu_batch;
    return name != "profile" || !settings.values.kernel.profile.empty();
  });
  add_table(writer, settings, "clock");
}

// What was not read from the superblock is left to the defaults.
void add_filesystem(configuration::TomlWriter& writer, const configuration::Settings& settings,
                    bool whole) {
  add_table(writer, settings, "filesystem", [&](std::string_view name) {
    const bool of_superblock = name == "inode_size" || name == "extra_isize" ||
                               name == "flex_group_size" || name == "features";
    return whole || !of_superblock;
  });
  writer.text("type", "ext4");
}

void add_writeback(configuration::TomlWriter& writer, configuration::Settings& settings,
                   const Environment& environment) {
  std::vector<std::string_view> read;
  for (const auto& [name, value] : environment.writeback) {
    read.push_back(name);
    configuration::find_key("writeback", name)->set(settings, configuration::Value(value));
  }
  add_table(writer, settings, "writeback", [&](std::string_view name) {
    return std::find(read.begin(), read.end(), name) != read.end();
  });
}

// How the trace is to be replayed is not the recording's to say.
void add_trace(configuration::TomlWriter& writer, const configuration::Settings& settings,
               const TraceTable& trace) {
  add_table(writer, settings, "trace", [](std::string_view name) { return name != "timing"; });
  writer.texts("command", trace.command);
}

configuration::Settings settings_of(const Environment& environment, const TraceTable& trace) {
  configuration::Settings settings;
  settings.release = environment.release;
  settings.values.kernel.profile = environment.profile;
  settings.values.clock = environment.clock;
  if (environment.filesystem) settings.values.filesystem = *environment.filesystem;
  if (environment.mount) settings.values.mount = *environment.mount;
  settings.mount_point = trace.mount_point;
  settings.other_mounts = trace.other_mounts;
  settings.also_at = trace.also_at;
  if (trace.manifest_at) {
    settings.start.manifest_at_s = static_cast<double>(*trace.manifest_at) / kSecond;
    settings.start.manifest_moved_atimes = trace.manifest_moved_atimes;
  }
  if (trace.transactions_before)
    settings.start.transactions_before = static_cast<std::int64_t>(*trace.transactions_before);
  return settings;
}

}  // namespace

std::string environment_text(const Environment& environment, const TraceTable& trace) {
  configuration::Settings settings = settings_of(environment, trace);
  configuration::TomlWriter writer;
  add_kernel(writer, settings);
  if (environment.filesystem) add_filesystem(writer, settings, environment.whole_geometry);
  if (environment.mount) add_table(writer, settings, "mount");
  add_writeback(writer, settings, environment);
  add_trace(writer, settings, trace);
  writer.table("[recorded_with]");
  if (!trace.recorder.empty()) writer.text("recorder", trace.recorder);
  if (trace.lost_events)
    writer.integer("lost_events", static_cast<std::int64_t>(*trace.lost_events));
  if (trace.attached) writer.boolean("attached", true);
  writer.texts("lacks", environment.lacks);
  return writer.result();
}

}  // namespace fcsim::machine::record
