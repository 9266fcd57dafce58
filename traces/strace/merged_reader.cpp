#include "traces/strace/merged_reader.h"

#include "traces/strace/time_units.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace fcsim::traces::strace {
namespace {

void add(ReaderStatistics& sum, const ReaderStatistics& part, std::int64_t shift_ns) {
  if (part.time_base != TimeBase::none) {
    const std::int64_t first = part.first_time_ns + shift_ns;
    const std::int64_t last = part.last_time_ns + shift_ns;
    const bool known = sum.time_base != TimeBase::none;
    sum.first_time_ns = known ? std::min(sum.first_time_ns, first) : first;
    sum.last_time_ns = known ? std::max(sum.last_time_ns, last) : last;
    sum.time_base = part.time_base;
  }
  sum.lines += part.lines;
  sum.events += part.events;
  sum.ignored_calls += part.ignored_calls;
  sum.unparsable += part.unparsable;
  sum.restarted_calls += part.restarted_calls;
  sum.injected_calls += part.injected_calls;
  sum.orphan_resumed += part.orphan_resumed;
  sum.never_resumed += part.never_resumed;
  sum.released_early += part.released_early;
  sum.reordered += part.reordered;
  sum.coarse_times = sum.coarse_times || part.coarse_times;
  sum.has_pids = sum.has_pids || part.has_pids;
  sum.has_durations = sum.has_durations || part.has_durations;
  sum.has_fd_paths = sum.has_fd_paths || part.has_fd_paths;
  for (const Diagnostic& diagnostic : part.first_diagnostics) {
    if (sum.first_diagnostics.size() == kDiagnosticsMaximum) break;
    sum.first_diagnostics.push_back(diagnostic);
  }
}

}  // namespace

MergedReader::MergedReader(std::vector<std::unique_ptr<TraceReader>> readers) {
  assert(!readers.empty());
  streams_.reserve(readers.size());
  for (std::unique_ptr<TraceReader>& reader : readers) {
    streams_.push_back({std::move(reader), Event{}, 0});
  }
}

bool MergedReader::later(std::size_t a, std::size_t b) const {
  const std::int64_t time_a = streams_[a].event.start_ns;
  const std::int64_t time_b = streams_[b].event.start_ns;
  return time_a != time_b ? time_a > time_b : a > b;
}

void MergedReader::advance(std::size_t index) {
  Stream& stream = streams_[index];
  const std::uint64_t before = stream.reader->unparsable();
  const bool more = stream.reader->next(stream.event);
  unparsable_ += stream.reader->unparsable() - before;
  if (!more) return;
  stream.event.start_ns += stream.shift_ns;
  heap_.push_back(index);
  std::push_heap(heap_.begin(), heap_.end(),
                 [this](std::size_t a, std::size_t b) { return later(a, b); });
}

// Times of day say no date: a file that begins after midnight belongs after those that begin
// before. The widest gap between the beginnings, on the circle of a day, is where none was traced.
void MergedReader::align_days() {
  std::vector<std::int64_t> begins;
  for (const std::size_t index : heap_) {
    if (streams_[index].reader->statistics().time_base != TimeBase::time_of_day) return;
    begins.push_back(streams_[index].event.start_ns % kDay);
  }
  if (begins.size() < 2) return;
  std::sort(begins.begin(), begins.end());
  std::int64_t origin = begins.front();
  std::int64_t widest = begins.front() + kDay - begins.back();
  for (std::size_t i = 1; i < begins.size(); ++i) {
    if (begins[i] - begins[i - 1] <= widest) continue;
    widest = begins[i] - begins[i - 1];
    origin = begins[i];
  }
  for (const std::size_t index : heap_) {
    Stream& stream = streams_[index];
    if (stream.event.start_ns % kDay >= origin) continue;
    stream.shift_ns = kDay;
    stream.event.start_ns += kDay;
  }
  std::make_heap(heap_.begin(), heap_.end(),
                 [this](std::size_t a, std::size_t b) { return later(a, b); });
}

bool MergedReader::next(Event& event) {
  if (!started_) {
    started_ = true;
    for (std::size_t index = 0; index < streams_.size(); ++index) advance(index);
    align_days();
  } else {
    advance(current_);
  }
  if (heap_.empty()) return false;
  std::pop_heap(heap_.begin(), heap_.end(),
                [this](std::size_t a, std::size_t b) { return later(a, b); });
  current_ = heap_.back();
  heap_.pop_back();
  event = streams_[current_].event;
  return true;
}

std::vector<SourceFile> MergedReader::sources() const {
  std::vector<SourceFile> files;
  for (const Stream& stream : streams_)
    for (SourceFile& file : stream.reader->sources()) files.push_back(std::move(file));
  return files;
}

std::vector<std::string> MergedReader::assumed() const {
  std::vector<std::string> sentences;
  for (const Stream& stream : streams_)
    for (std::string& sentence : stream.reader->assumed())
      if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end())
        sentences.push_back(std::move(sentence));
  if (statistics().time_base == TimeBase::none && statistics().events != 0)
    sentences.emplace_back(
        "the files have no times: how the calls of one lie to those of another is not known");
  return sentences;
}

std::map<std::string, std::uint64_t> MergedReader::unsupported() const {
  std::map<std::string, std::uint64_t> counts;
  for (const Stream& stream : streams_)
    for (const auto& [what, count] : stream.reader->unsupported()) counts[what] += count;
  return counts;
}

const ReaderStatistics& MergedReader::statistics() const {
  statistics_ = ReaderStatistics{};
  for (const Stream& stream : streams_) {
    add(statistics_, stream.reader->statistics(), stream.shift_ns);
  }
  return statistics_;
}

}  // namespace fcsim::traces::strace
