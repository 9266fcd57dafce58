// Parsing and resolving a trace: what is done once, whatever is asked of its operations.
//
// The operations come in chunks, so that any number of engines can take each chunk in turn while
// memory holds two chunks at most, however long the trace is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/common/operation.h"
#include "sim/configuration/configuration.h"
#include "sim/engine/prediction.h"
#include "sim/replay/input_quality.h"
#include "sim/replay/inputs.h"
#include "sim/replay/kernel_times.h"
#include "traces/reader.h"
#include "traces/resolve/resolver.h"

namespace fcsim::replay {

// The part of a configuration on which decoding depends. Configurations with equal ones share it.
struct DecodeSettings {
  std::string mount_point;               // "" = not known
  std::string setup;                     // shell text that ran before the recording
  configuration::RecordingStart start;   // how the recording found the file system
  bool strict = false;                   // a line that cannot be parsed is an error
  std::vector<std::string> stages = {};  // shell texts that ran between the runs
  std::vector<std::string> other_mounts = {};
  std::vector<std::string> also_at = {};      // "PATH=DIRECTORY"
  std::vector<std::string> descriptors = {};  // "N=PATH"
  bool unknown_are_files = false;
  std::int64_t manifest_lead_us = 0;  // from the listing of the files to the first line
  friend bool operator==(const DecodeSettings&, const DecodeSettings&) = default;
};

[[nodiscard]] DecodeSettings decode_settings(
    const configuration::LoadedConfiguration& configuration, bool strict);

using OperationChunk = std::vector<model::Operation>;

class TraceDecoder {
 public:
  // About 1 MiB: stays in a cache while the engines take it one after the other.
  static constexpr std::size_t kChunkOperations = 8192;

  // Sees each operation when it is decoded, while the resolver still knows its files.
  using Observer = std::function<void(const model::Operation&, const traces::resolve::Resolver&)>;

  // Sees each call before it is resolved, while the resolver still has what it is about to change.
  using CallObserver = std::function<void(const traces::Event&, const traces::resolve::Resolver&)>;

  // Throws InputError.
  TraceDecoder(const Inputs& inputs, const DecodeSettings& settings, Observer observer = {},
               CallObserver call_observer = {});

  // The files before the trace begins, for the engines.
  [[nodiscard]] const model::InitialState& initial() const { return initial_; }

  // The directories whose access times the manifest's reads moved, sorted; nullopt: not known.
  [[nodiscard]] const std::optional<std::vector<model::FileId>>& moved_by_listing() const {
    return moved_by_listing_;
  }
  // The files of text that Operation::source counts in. Those that were read, or those that the
  // binary form was made from.
  [[nodiscard]] std::vector<std::string> trace_files() const;

  // Replaces the chunk's content by the next operations; false when there is none left.
  // Throws InputError.
  bool next(OperationChunk& chunk);

  // ---- runs of a command, one after the other ----
  // When the next run begins; it does when every process of the one before has ended. nullopt: the
  // trace is over.
  std::optional<model::Time> begin_run();
  // As next(), of the run that begin_run() began; false at its end.
  bool next_of_run(OperationChunk& chunk);
  // The file system is made anew and holds `initial`: what was known of files is forgotten.
  void forget_files(model::InitialState initial);
  // Another trace follows, of the same files mounted on `mount_point`; the processes of the one
  // before end (their last operations are appended to `chunk`). Where it does not begin after the
  // last time seen, or more than a year later, its times are moved, by whole seconds, to begin
  // within the second after. `inputs` must outlive the decoder. Throws InputError.
  void end_processes(OperationChunk& chunk);
  void go_on_with(const Inputs& inputs, const std::string& mount_point);

  // ---- after the last chunk ----

  // The time of the first line, whatever it is about.
  [[nodiscard]] model::Time begin() const;
  // Whether the trace says how long calls took.
  [[nodiscard]] bool has_durations() const { return reader_->statistics().has_durations; }
  // The time of the last thing seen.
  [[nodiscard]] model::Time end() const;
  // Adds what reader and resolver could not see, which is part of the answer.
  void add_reservations(engine::Prediction& prediction) const;
  // For standard error: lines skipped and the like.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  void check_touched() const;
  void find_moved(const std::vector<std::string>& directories);
  void observe(const OperationChunk& chunk, std::size_t from);
  void check_times(const OperationChunk& chunk);
  bool peek();  // fills event_; false at the trace's end
  void place_trace();
  void move_times();

  const Inputs* inputs_;
  DecodeSettings settings_;
  bool strict_;
  model::InitialState initial_;
  std::unique_ptr<traces::TraceReader> reader_;
  std::optional<model::Time> recorded_at_;
  bool placed_ = false;  // the trace's times count from the epoch, if that is known
  traces::resolve::Resolver resolver_;
  KernelTimes kernel_times_;
  Observer observer_;
  CallObserver call_observer_;
  std::optional<std::vector<model::FileId>> moved_by_listing_;
  traces::Event event_;  // read and not yet resolved, if
  bool has_event_ = false;
  model::Time shift_ = 0;           // of the trace's times
  bool shift_known_ = true;         // false: until the first event of a trace that follows another
  std::uint16_t first_source_ = 0;  // of the trace, among all files
  bool run_begun_ = false;          // an event of the run was resolved
  std::vector<std::string> warnings_;  // of the traces before
  engine::Prediction reservations_;    // of the traces and file systems before
  model::Time end_ = 0;
  model::Time last_start_ = 0;
  bool begun_ = false;  // last_start_ is a call's
  bool finished_ = false;
};

// For standard error, what a reader could not use.
std::vector<std::string> warnings_of(const traces::ReaderStatistics& statistics);

}  // namespace fcsim::replay
