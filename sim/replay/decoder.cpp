#include "sim/replay/decoder.h"

#include <algorithm>
#include <utility>

#include "sim/recorded_setup.h"
#include "traces/manifest.h"

namespace fcsim::sim {
namespace {

model::InitialState read_initial(const Inputs& inputs) {
  return inputs.manifest.empty() ? model::InitialState{} : traces::read_manifest(inputs.manifest);
}

// In either direction: a shuffled trace need not grow.
bool is_far(model::Time time, model::Time other) {
  const auto later = static_cast<std::uint64_t>(std::max(time, other));
  return later - static_cast<std::uint64_t>(std::min(time, other)) >
         static_cast<std::uint64_t>(kLongestGap);
}

}  // namespace

DecodeSettings decode_settings(const LoadedConfiguration& configuration, bool strict) {
  return {configuration.mount_point, configuration.setup, configuration.start, strict};
}

TraceDecoder::TraceDecoder(const Inputs& inputs, const DecodeSettings& settings, Observer observer,
                           CallObserver call_observer)
    : initial_(read_initial(inputs)),
      reader_(traces::open_trace(inputs.trace_files, {.strict = settings.strict})),
      resolver_({settings.mount_point}, initial_),
      observer_(std::move(observer)),
      call_observer_(std::move(call_observer)) {
  apply_setup(settings.setup, resolver_, initial_);
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

bool TraceDecoder::next(OperationChunk& chunk) {
  chunk.clear();
  std::size_t seen = 0;
  traces::Event event;
  while (!finished_ && chunk.size() < kChunkOperations) {
    if (reader_->next(event)) {
      if (call_observer_) call_observer_(event, resolver_);
      resolver_.resolve(event, chunk);
    } else {
      resolver_.finish(chunk);
      finished_ = true;
    }
    if (observer_) observe(chunk, seen);
    seen = chunk.size();
  }
  for (const model::Operation& operation : chunk) {
    if (!begun_) last_start_ = operation.start;
    begun_ = true;
    if (is_far(operation.start, last_start_) || is_far(operation.end, operation.start))
      throw InputError({trace_files()[operation.source], operation.line, 0},
                       "lies more than a year from the call before; a time is damaged");
    last_start_ = operation.start;
    end_ = std::max({end_, operation.start, operation.end});
  }
  return !chunk.empty();
}

void TraceDecoder::observe(const OperationChunk& chunk, std::size_t from) {
  for (std::size_t i = from; i < chunk.size(); ++i) observer_(chunk[i], resolver_);
}

model::Time TraceDecoder::begin() const {
  return reader_->statistics().first_time_ns;
}

std::vector<std::string> TraceDecoder::trace_files() const {
  std::vector<std::string> files;
  for (traces::SourceFile& source : reader_->sources()) files.push_back(std::move(source.path));
  return files;
}

model::Time TraceDecoder::end() const {
  return std::max(end_, reader_->statistics().last_time_ns);
}

void TraceDecoder::add_reservations(Prediction& prediction) const {
  const traces::ReaderStatistics& statistics = reader_->statistics();
  const auto add = [&](const char* what, std::uint64_t count) {
    if (count != 0) prediction.unsupported[what] += count;
  };
  add("lines that could not be parsed", statistics.unparsable);
  add("calls whose second half is missing", statistics.never_resumed);
  add("calls whose first half is missing", statistics.orphan_resumed);
  for (const auto& [what, count] : resolver_.unsupported()) prediction.unsupported[what] += count;
  for (const auto& [what, count] : reader_->unsupported()) prediction.unsupported[what] += count;
  std::vector<std::string> assumed = reader_->assumed();
  for (std::string& sentence : resolver_.assumed()) assumed.push_back(std::move(sentence));
  prediction.assumed.insert(prediction.assumed.begin(), assumed.begin(), assumed.end());
  if (statistics.time_base == traces::TimeBase::none && statistics.events != 0)
    prediction.assumed.emplace_back("the trace has no times: all calls at once, no timer runs");
}

std::vector<std::string> TraceDecoder::warnings() const {
  return warnings_of(reader_->statistics());
}

std::vector<std::string> warnings_of(const traces::ReaderStatistics& statistics) {
  std::vector<std::string> warnings;
  for (const traces::Diagnostic& diagnostic : statistics.first_diagnostics)
    warnings.push_back(to_string(diagnostic.position) + ": line skipped: " + diagnostic.message);
  const std::uint64_t shown = statistics.first_diagnostics.size();
  if (statistics.unparsable > shown)
    warnings.push_back("and " + std::to_string(statistics.unparsable - shown) +
                       " more lines that could not be parsed");
  return warnings;
}

}  // namespace fcsim::sim
