// What a kernel patch, described as a profile, changes over many traces.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/exposure/account.h"
#include "sim/questions/compare/compare.h"

namespace fcsim::questions::evaluate {

struct EvaluateRequest {
  std::vector<std::string> inputs;    // folders with bundles below them, bundles, trace files
  std::string patch;                  // a profile's name or a path ending in .toml
  std::string against;                // likewise; empty: what the patch inherits from
  configuration::LoadRequest shared;  // of both sides; its `profile` is made here
  std::string mount_point;            // as in replay::PredictManyRequest
  bool strict = false;
  bool promises = true;  // look for broken promises, which costs two more replays
  unsigned threads = 1;
  std::function<void(std::size_t done, std::size_t all)> progress;  // on the calling thread
};

// A call whose promise is broken with one side's rules only (sim/questions/exposure).
struct Promise {
  std::string call;  // "fsync of data/log"
  std::string file;  // of the trace
  std::uint64_t line = 0;
  model::exposure::Breach breach = model::exposure::Breach::slept_through;
};

enum class Verdict : std::uint8_t {
  better,  // fewer full commits; with as many, fewer blocks written to the journal
  worse,   // the opposite
  same,
};

struct TraceResult {
  std::string input;
  std::string error;  // why there is no prediction; empty: there is one
  std::vector<compare::CounterPair> counters;
  engine::Latency before, after;
  std::uint64_t sync_calls = 0;
  std::uint64_t changed = 0;  // of them went another way
  std::optional<compare::PathChange> first_change;
  std::string first_change_file;  // of the trace
  bool promises_known = false;
  std::uint64_t broken_before = 0, broken_after = 0;
  std::vector<Promise> newly_broken, newly_kept;

  // A counter by its full name; 0 where a side's kernel does not have it.
  [[nodiscard]] std::uint64_t before_of(const std::string& counter) const;
  [[nodiscard]] std::uint64_t after_of(const std::string& counter) const;
  [[nodiscard]] Verdict verdict() const;
};

struct Evaluation {
  std::string patch, against, summary;      // `summary`: the patch profile's
  std::vector<compare::SettingPair> rules;  // that differ
  std::vector<TraceResult> traces;          // in the order of the inputs
  TraceResult total;                        // sums over those without an error
  std::vector<std::string> warnings;

  [[nodiscard]] std::size_t count(Verdict verdict) const;
  [[nodiscard]] std::size_t failed() const;
};

// Blocks that a side wrote to the journal: fast commits' and full commits' together.
std::uint64_t journal_blocks(std::uint64_t numblks, std::uint64_t blocks_logged);

// Throws InputError for what is wrong with the profiles or the folders; what is wrong with one
// trace is in its result. The same for any number of threads.
Evaluation evaluate(const EvaluateRequest& request);

}  // namespace fcsim::questions::evaluate
