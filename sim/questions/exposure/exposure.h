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

// The age of the oldest lost write over all moments, in seconds.
struct Ages {
  double mean = 0, p50 = 0, p90 = 0, p99 = 0, maximum = 0;
  double below_half_second = 0;  // share of the time
  model::Time worst_at = 0;
  model::exposure::Writer worst_writer = model::exposure::kZeros;
  std::vector<double> curve;  // the greatest age in each of equal parts of the time
  std::uint64_t most_writes = 0;
  std::int64_t most_bytes = 0;
  std::uint64_t most_names = 0;
  std::uint64_t most_files = 0;
};

// How many files are in a state between, at the worst of the moments that were looked at.
struct HalfStates {
  std::uint64_t empty = 0;  // there, with data written, and of size 0
  std::uint64_t zeros = 0;  // zeros where a call wrote
};

struct ExposureRequest {
  replay::SessionRequest session;
  std::vector<Cut> cuts;
  bool seconds_after_begin = false;  // the cuts' times count from the trace's first line
  bool risks = true;
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
  Ages ages[2];  // by Kept
  std::vector<model::exposure::BrokenPromise> broken;
  std::vector<std::pair<model::Time, model::Time>> unmountable;
  std::map<model::exposure::Writer, std::string> calls;  // of those named above: "write FILE"
};

// Throws InputError.
Exposure expose(const ExposureRequest& request);

// The moments in a file: a crash.toml's points, or one time a line. Throws InputError.
std::vector<Cut> read_cuts(const std::string& path);
// [clock] flusher_wakeup_realtime_ns of an env.toml.
std::optional<model::Time> read_flusher_wakeup(const std::string& path);
// "12.5" in nanoseconds. Throws std::invalid_argument.
model::Time parse_seconds(const std::string& text);

}  // namespace fcsim::questions::exposure
