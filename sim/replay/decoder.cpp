#include "sim/replay/decoder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "sim/machine/recorded_setup.h"
#include "sim/machine/truth.h"
#include "traces/bundle/manifest.h"
#include "traces/bundle/open.h"

namespace fcsim::replay {
namespace {

model::InitialState read_initial(const Inputs& inputs) {
  return inputs.manifest.empty() ? model::InitialState{}
                                 : traces::bundle::read_manifest(inputs.manifest);
}

// When the recording began, as its bundle tells: once the files had been listed.
std::optional<model::Time> recorded_at(const Inputs& inputs,
                                       const configuration::RecordingStart& start) {
  if (start.manifest_at_s) return std::llround(*start.manifest_at_s * 1e6) * 1000;
  if (inputs.truth.empty()) return std::nullopt;
  return machine::read_truth(inputs.truth).started;
}

// "NAME=VALUE"; `what` names the key in the complaint. Throws InputError.
std::pair<std::string, std::string> split_pair(const std::string& text, const char* what) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
    throw model::InputError({std::string("trace.") + what, 0, 0},
                            "expected NAME=VALUE, found '" + text + "'");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

traces::resolve::ResolverOptions resolver_options(const DecodeSettings& settings) {
  traces::resolve::ResolverOptions options;
  options.mount_point = settings.mount_point;
  for (const std::string& path : settings.other_mounts)
    options.other_mounts.push_back(normal_mount_point(path));
  for (const std::string& text : settings.also_at) {
    auto [path, directory] = split_pair(text, "also_at");
    options.also_at.emplace_back(normal_mount_point(path), std::move(directory));
  }
  for (const std::string& text : settings.descriptors) {
    const auto [number, path] = split_pair(text, "descriptors");
    std::int32_t fd = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), fd);
    if (read.ec != std::errc() || read.ptr != number.data() + number.size() || fd < 0 ||
        !path.starts_with('/'))
      throw model::InputError(
          {"trace.descriptors", 0, 0},
          "expected N=PATH with a descriptor's number and an absolute path, found '" + text + "'");
    options.descriptors[fd] = path;
  }
  options.unknown_are_files = settings.unknown_are_files;
  return options;
}

// In either direction: a shuffled trace need not grow.
bool is_far(model::Time time, model::Time other) {
  const auto later = static_cast<std::uint64_t>(std::max(time, other));
  return later - static_cast<std::uint64_t>(std::min(time, other)) >
         static_cast<std::uint64_t>(kLongestGap);
}

// A sentence is told once, however many traces it holds for.
void assume(const std::string& sentence, engine::Prediction& prediction) {
  std::vector<std::string>& assumed = prediction.assumed;
  if (std::find(assumed.begin(), assumed.end(), sentence) == assumed.end())
    assumed.push_back(sentence);
}

void add_resolved(const traces::resolve::Resolver& resolver, engine::Prediction& prediction) {
  for (const auto& [what, count] : resolver.unsupported()) prediction.unsupported[what] += count;
  for (const std::string& sentence : resolver.assumed()) assume(sentence, prediction);
}

void add_read(const traces::TraceReader& reader, engine::Prediction& prediction) {
  const traces::ReaderStatistics& statistics = reader.statistics();
  for (const auto& [what, count] : reader.unsupported()) prediction.unsupported[what] += count;
  for (const std::string& sentence : reader.assumed()) assume(sentence, prediction);
  const auto add = [&](const char* what, std::uint64_t count) {
    if (count != 0) prediction.unsupported[what] += count;
  };
  add("lines that could not be parsed", statistics.unparsable);
  add("calls whose second half is missing", statistics.never_resumed);
  add("calls whose first half is missing", statistics.orphan_resumed);
  add("times that ran backwards, taken as the one before", statistics.reordered);
}

}  // namespace

DecodeSettings decode_settings(const configuration::LoadedConfiguration& configuration,
                               bool strict) {
  return {configuration.mount_point,
          configuration.setup,
          configuration.start,
          strict,
          configuration.stages,
          configuration.other_mounts,
          configuration.also_at,
          configuration.descriptors,
          configuration.unknown_are_files,
          configuration.values.timing.manifest_lead_us};
}

TraceDecoder::TraceDecoder(const Inputs& inputs, const DecodeSettings& settings, Observer observer,
                           CallObserver call_observer)
    : inputs_(&inputs),
      settings_(settings),
      strict_(settings.strict),
      initial_(read_initial(inputs)),
      reader_(traces::bundle::open_trace(inputs.trace_files, {.strict = settings.strict})),
      recorded_at_(recorded_at(inputs, settings.start)),
      resolver_(resolver_options(settings), initial_),
      observer_(std::move(observer)),
      call_observer_(std::move(call_observer)) {
  machine::apply_setup(settings.setup, resolver_, initial_);
  if (settings.start.transactions_before) initial_.warm = *settings.start.transactions_before != 0;
  if (settings.start.manifest_moved_atimes) find_moved(*settings.start.manifest_moved_atimes);
}

void TraceDecoder::find_moved(const std::vector<std::string>& directories) {
  std::string root = resolver_.mount_point();
  if (root == "/") root.clear();
  std::vector<model::FileId>& moved = moved_by_listing_.emplace();
  for (const std::string& directory : directories)
    moved.push_back(directory == "." ? model::kRootDirectory
                                     : resolver_.file_at(root + "/" + directory));
  std::sort(moved.begin(), moved.end());
}

bool TraceDecoder::peek() {
  if (has_event_) return true;
  if (finished_ || !reader_->next(event_)) return false;
  if (!placed_) place_trace();
  if (!shift_known_) move_times();
  event_.start_ns += shift_;
  event_.source = static_cast<std::uint16_t>(event_.source + first_source_);
  has_event_ = true;
  return true;
}

bool TraceDecoder::next(OperationChunk& chunk) {
  chunk.clear();
  std::size_t seen = 0;
  while (!finished_ && chunk.size() < kChunkOperations) {
    if (peek()) {
      if (call_observer_) call_observer_(event_, resolver_);
      resolver_.resolve(event_, chunk);
      has_event_ = false;
      if (observer_) observe(chunk, seen);
      kernel_times_.pass(event_, chunk, seen);
    } else {
      kernel_times_.end(chunk);
      seen = chunk.size();
      resolver_.finish(chunk);
      finished_ = true;
      check_touched();
      if (observer_) observe(chunk, seen);
    }
    seen = chunk.size();
  }
  check_times(chunk);
  return !chunk.empty();
}

std::optional<model::Time> TraceDecoder::begin_run() {
  if (!peek()) return std::nullopt;
  run_begun_ = false;
  return event_.start_ns;
}

bool TraceDecoder::next_of_run(OperationChunk& chunk) {
  chunk.clear();
  std::size_t seen = 0;
  while (chunk.size() < kChunkOperations && peek()) {
    // The line that tells of an exit follows the call that did it.
    if (run_begun_ && resolver_.idle() && event_.call != traces::Call::process_exited) break;
    run_begun_ = true;
    if (call_observer_) call_observer_(event_, resolver_);
    resolver_.resolve(event_, chunk);
    has_event_ = false;
    if (observer_) observe(chunk, seen);
    kernel_times_.pass(event_, chunk, seen);
    seen = chunk.size();
  }
  if (chunk.size() < kChunkOperations) kernel_times_.end(chunk);
  check_times(chunk);
  return !chunk.empty();
}

// A mount point that was given for a bare trace, and that no call concerned, is a mistake.
void TraceDecoder::check_touched() const {
  const traces::resolve::Sightings& seen = resolver_.sightings();
  const bool bare = inputs_->manifest.empty() && inputs_->environment.empty();
  if (seen.touched || settings_.mount_point.empty() || !bare) return;
  if (reader_->statistics().events == 0) return;
  const std::uint64_t elsewhere = seen.syncs_elsewhere + seen.syncs_unknown;
  throw model::InputError({inputs_->trace_files.front(), 0, 0},
                          "no call of the trace concerns a file below the mount point " +
                              settings_.mount_point + "; " + std::to_string(elsewhere) +
                              (elsewhere == 1 ? " sync call is" : " sync calls are") +
                              " of files elsewhere or unknown; give the right --mount-point");
}

void TraceDecoder::check_times(const OperationChunk& chunk) {
  for (const model::Operation& operation : chunk) {
    if (!begun_) last_start_ = operation.start;
    begun_ = true;
    if (is_far(operation.start, last_start_) || is_far(operation.end, operation.start))
      throw model::InputError(
          {trace_files().at(static_cast<std::size_t>(operation.source - first_source_)),
           operation.line, 0},
          "lies more than a year from the call before; a time is damaged");
    last_start_ = operation.start;
    end_ = std::max({end_, operation.start, operation.end});
  }
}

void TraceDecoder::forget_files(model::InitialState initial) {
  add_resolved(resolver_, reservations_);
  initial_ = std::move(initial);
  DecodeSettings settings = settings_;
  settings.mount_point = resolver_.mount_point();
  resolver_ = traces::resolve::Resolver(resolver_options(settings), initial_);
}

void TraceDecoder::end_processes(OperationChunk& chunk) {
  resolver_.end_processes(chunk);
}

void TraceDecoder::go_on_with(const Inputs& inputs, const std::string& mount_point) {
  std::unique_ptr<traces::TraceReader> reader =
      traces::bundle::open_trace(inputs.trace_files, {.strict = strict_});
  end_ = end();
  add_read(*reader_, reservations_);
  for (std::string& warning : warnings_of(reader_->statistics()))
    warnings_.push_back(std::move(warning));
  first_source_ = static_cast<std::uint16_t>(first_source_ + reader_->sources().size());
  reader_ = std::move(reader);
  inputs_ = &inputs;
  resolver_.set_mount_point(mount_point);
  finished_ = false;
  shift_known_ = !begun_;
  shift_ = 0;
}

// A trace without the date begins when its environment says that the recording began, as soon after
// as its times of day allow; time zones are whole quarters of an hour.
void TraceDecoder::place_trace() {
  constexpr model::Time kQuarter = model::Time{900} * 1'000'000'000;
  placed_ = true;
  const traces::TimeBase base = reader_->statistics().time_base;
  // The binary form says at its end only what its times count from; those of a day or more count
  // from the epoch.
  constexpr model::Time day = model::Time{86'400} * 1'000'000'000;
  if (!recorded_at_ || base == traces::TimeBase::epoch || event_.start_ns >= day) return;
  shift_ = *recorded_at_ + settings_.manifest_lead_us * 1000 - event_.start_ns;
  if (base == traces::TimeBase::time_of_day)
    shift_ = (*recorded_at_ - event_.start_ns + kQuarter - 1) / kQuarter * kQuarter;
}

void TraceDecoder::move_times() {
  constexpr model::Time kSecond = 1'000'000'000;
  shift_known_ = true;
  const model::Time start = event_.start_ns;
  if (start > end_ && !is_far(start, end_)) return;
  const model::Time whole = (end_ - start) / kSecond * kSecond;
  shift_ = start + whole > end_ ? whole : whole + kSecond;
}

void TraceDecoder::observe(const OperationChunk& chunk, std::size_t from) {
  for (std::size_t i = from; i < chunk.size(); ++i) observer_(chunk[i], resolver_);
}

model::Time TraceDecoder::begin() const {
  return reader_->statistics().first_time_ns + shift_;
}

std::vector<std::string> TraceDecoder::trace_files() const {
  std::vector<std::string> files;
  for (traces::SourceFile& source : reader_->sources()) files.push_back(std::move(source.path));
  return files;
}

model::Time TraceDecoder::end() const {
  return std::max(end_, reader_->statistics().last_time_ns + shift_);
}

void TraceDecoder::add_reservations(engine::Prediction& prediction) const {
  engine::Prediction all = reservations_;
  add_resolved(resolver_, all);
  add_read(*reader_, all);
  for (const auto& [what, count] : all.unsupported) prediction.unsupported[what] += count;
  prediction.assumed.insert(prediction.assumed.begin(), all.assumed.begin(), all.assumed.end());
  prediction.quality = input_quality(
      reader_->statistics(), resolver_.sightings(),
      {initial_.known, settings_.start.transactions_before || !inputs_->environment.empty()});
}

std::vector<std::string> TraceDecoder::warnings() const {
  std::vector<std::string> warnings = warnings_;
  for (std::string& warning : warnings_of(reader_->statistics()))
    warnings.push_back(std::move(warning));
  return warnings;
}

std::vector<std::string> warnings_of(const traces::ReaderStatistics& statistics) {
  std::vector<std::string> warnings;
  if (statistics.lines == 0)
    warnings.emplace_back("the trace is empty");
  else if (statistics.events == 0)
    warnings.emplace_back("the trace has no call that concerns files or descriptors");
  for (const traces::Diagnostic& diagnostic : statistics.first_diagnostics)
    warnings.push_back(to_string(diagnostic.position) + ": line skipped: " + diagnostic.message);
  const std::uint64_t shown = statistics.first_diagnostics.size();
  if (statistics.unparsable > shown)
    warnings.push_back("and " + std::to_string(statistics.unparsable - shown) +
                       " more lines that could not be parsed");
  return warnings;
}

}  // namespace fcsim::replay
