// The table of configuration keys. Parsing, validation, `--set`, the JSON dump and the manual's
// reference are all driven by it, so none can know a key that another does not.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/common/configuration.h"
#include "sim/configuration/document.h"
#include "sim/configuration/placement.h"

namespace fcsim::configuration {

// [trace]: in what state the recording found the file system, as far as the recorder wrote it down.
struct RecordingStart {
  std::optional<double> manifest_at_s;  // CLOCK_REALTIME at which the directories were read
  // The directories, relative to the mount point, whose access times that moved; not given: all.
  std::optional<std::vector<std::string>> manifest_moved_atimes;
  std::optional<std::int64_t> transactions_before;
  friend bool operator==(const RecordingStart&, const RecordingStart&) = default;
};

// What a configuration says: the model's values and what only the reader of traces needs.
struct Settings {
  model::Configuration values;
  std::string release;                    // of the recorded machine; never looked at, only shown
  std::string mount_point;                // of the traced file system; empty: not given
  std::vector<std::string> other_mounts;  // absolute paths of other file systems below it
  std::vector<std::string> also_at;       // "PATH=DIRECTORY": bind mounts of its directories
  std::vector<std::string> descriptors;   // "N=PATH": descriptors that no call explains
  bool unknown_are_files = false;         // descriptors that nothing explains are files of it
  std::string setup;                      // shell text that ran before the recording; empty: none
  Placement placement = Placement::recorded;
  RecordingStart start;
  std::vector<std::string> stages;  // shell texts that ran between the runs of the command
};

enum class KeyKind : std::uint8_t { boolean, integer, real, text, text_list };

// Who may give a key.
enum class KeyRole : std::uint8_t {
  setting,      // any configuration file
  rule,         // any configuration file, and profiles
  information,  // accepted and not used: how a bundle was recorded
  derived,      // sets other keys; applied after the plain keys of the same file
};

struct Key {
  std::string_view table;
  std::string_view name;
  KeyKind kind = KeyKind::integer;
  KeyRole role = KeyRole::setting;
  std::string_view unit;  // "" where there is none
  double minimum = 0;     // integer, real
  double maximum = std::numeric_limits<double>::max();
  bool power_of_two = false;              // integer
  std::vector<std::string_view> choices;  // text: the allowed values; empty: any
  std::string_view documentation;         // one line
  // The file system that the key is of; nullopt: of both.
  std::optional<model::FilesystemType> file_system;
  std::function<void(Settings&, const Value&)> set;          // the value was checked before
  std::function<std::optional<Value>(const Settings&)> get;  // nullopt: not known

  [[nodiscard]] std::string full_name() const {
    return std::string(table) + "." + std::string(name);
  }
};

// All keys, in the order of the manual: tables in the order of the design, keys by importance.
const std::vector<Key>& configuration_keys();

// nullptr: no such key.
const Key* find_key(std::string_view table, std::string_view name);
bool is_known_table(std::string_view table);
bool is_rule_table(std::string_view table);

// What `settings` say for `key`; nullopt: not known, or a key of the other file system.
std::optional<Value> value_of(const Key& key, const Settings& settings);

// Why `value` cannot be given to `key`, or nullopt. An integer is accepted where a real is asked
// for.
std::optional<std::string> complaint(const Key& key, const Value& value);

// "an integer from 1 to 100 (seconds)": what the key takes, for messages and the manual.
std::string expectation(const Key& key);

// "; did you mean '...'?" for a table or key that does not exist; empty when nothing is near.
std::string suggest_table(std::string_view table);
std::string suggest_key(std::string_view table, std::string_view name);

}  // namespace fcsim::configuration
