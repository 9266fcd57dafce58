// What a power cut loses, when, and which promises do not hold.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/exposure/account.h"
#include "sim/replay/session.h"
#include "traces/event.h"

namespace fcsim::questions::exposure {

// A moment to cut the power at.
struct Cut {
  std::uint64_t point = 0;  // its number in the answer
  model::Time time = 0;     // on the trace's clock
  model::exposure::Kept kept = model::exposure::Kept::flushed;
};

// What the trace's text says that operations do not: names, modes, calls.
class Texts {
 public:
  void see(const traces::Event& event);
  void add_name(std::uint64_t hash, const std::string& name) { names_.emplace(hash, name); }
  // "?" where the trace does not show it.
  [[nodiscard]] const std::string& name(std::uint64_t hash) const;
  // Permission bits; a umask of 022 is taken off what a call that makes a file asks for.
  [[nodiscard]] std::uint32_t mode(const model::exposure::FileImage& file) const;
  // Of a symbolic link; "-" where the trace does not show it.
  [[nodiscard]] const std::string& target(const model::exposure::FileImage& file) const;
  [[nodiscard]] std::string path(const std::vector<std::uint64_t>& hashes) const;

 private:
  std::unordered_map<std::uint64_t, std::string> names_;
  std::unordered_map<model::exposure::Writer, std::uint32_t> modes_;
  std::unordered_map<model::exposure::Writer, std::string> targets_;
};

struct ExposureRequest {
  replay::SessionRequest session;
  std::vector<Cut> cuts;
  bool seconds_after_begin = false;  // the cuts' times count from the trace's first line
  bool risks = true;
  bool keep_commits = false;  // fill the prediction's lists of commits
  // Whole records of so many bytes in the survivors, each the writer's of its first byte; 0: bytes.
  std::int64_t record_size = 0;
};

struct Exposure {
  configuration::LoadedConfiguration configuration;
  engine::Prediction prediction;
  std::vector<std::string> warnings;
  std::vector<std::string> trace_files;
  Texts texts;
  model::Time begin = 0, end = 0;
  std::optional<model::Time> flusher_wakeup;  // [clock] flusher_wakeup_realtime_ns
  std::vector<Cut> cuts;                      // as asked for
  std::vector<model::exposure::Survivors> survivors;
  std::int64_t record_size = 0;        // as asked for
  model::exposure::Ages ages[2];       // by Kept
  model::exposure::HalfStates half_states;
  std::vector<model::exposure::BrokenPromise> broken;
  std::vector<model::exposure::PossibleBreach> possible;
  std::vector<std::pair<model::Time, model::Time>> unmountable;
  std::map<model::exposure::Writer, std::string> calls;  // of those named above: "write of FILE"
};

// Throws InputError.
Exposure expose(const ExposureRequest& request);

// `record_size` of a crash.toml; 0: it has none, or is none.
std::int64_t read_record_size(const std::string& path);

// The moments in a file: a crash.toml's points, or one time a line. Throws InputError.
std::vector<Cut> read_cuts(const std::string& path);
// [clock] flusher_wakeup_realtime_ns of an env.toml.
std::optional<model::Time> read_flusher_wakeup(const std::string& path);
// "12.5" in nanoseconds. Throws std::invalid_argument.
model::Time parse_seconds(const std::string& text);

}  // namespace fcsim::questions::exposure
