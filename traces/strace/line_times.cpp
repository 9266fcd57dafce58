#include "traces/strace/line_times.h"

#include <algorithm>
#include <cassert>

#include "traces/assumed_durations.h"

namespace fcsim::traces::strace {
namespace {

// Between two lines of one recording passes at least about this (middle of 100,000 lines of
// several recordings); it also leaves a call room to be entered and to return.
constexpr std::int64_t kLineNs = 50'000;

std::int64_t unit_of(const TraceForm& form) {
  std::int64_t unit = 1'000'000'000;
  for (int digit = 0; digit < form.fraction_digits; ++digit) unit /= 10;
  return std::max<std::int64_t>(unit, 1);
}

std::string_view name_of(std::string_view rest) {
  if (rest.starts_with("<... ")) rest.remove_prefix(5);
  std::size_t size = 0;
  while (size < rest.size() && is_name_character(rest[size])) ++size;
  return rest.substr(0, size);
}

// In place of a process: halves of calls are matched by the call's name.
std::int64_t nameless(std::string_view name) {
  std::int64_t hash = 0;
  for (const char c : name) hash = (hash * 31 + static_cast<unsigned char>(c)) % 1'000'000'007;
  return -1 - hash;
}

bool waits_for_a_commit(std::string_view name) {
  return name == "fsync" || name == "fdatasync" || name == "syncfs" || name == "sync" ||
         name == "msync" || name == "sync_file_range";
}

// What a call is taken to last that shows no duration; 0: as long as its line.
std::int64_t assumed_ns(std::string_view rest) {
  // Reclaim writes pages back and waits for them.
  constexpr std::int64_t kReclaimNs = 10'000'000;
  const std::string_view name = name_of(rest);
  if (waits_for_a_commit(name)) return kAssumedSyncNs;
  if (!name.starts_with("write")) return 0;
  const std::string_view target = rest.substr(0, 80);
  const bool reclaims = target.find("</proc/sys/vm/") != std::string_view::npos ||
                        target.find("</sys/fs/cgroup") != std::string_view::npos;
  return reclaims ? kReclaimNs : 0;
}

}  // namespace

LineTimes::LineTimes(const TraceForm& form) : timed_(form.has_times), unit_ns_(unit_of(form)) {}

void LineTimes::add(std::uint64_t number, const Prefix& prefix, std::string_view rest) {
  if (!lines_.empty() && number <= lines_.back().number) return;
  Line line;
  line.number = number;
  find_duration(rest, line.duration_ns);
  line.first_half = rest.ends_with("<unfinished ...>");
  line.second_half = rest.starts_with("<... ");
  line.assumed_ns = assumed_ns(rest);
  const std::int64_t lasts = line.duration_ns >= 0 ? line.duration_ns : line.assumed_ns;
  const std::int64_t process = prefix.has_pid ? prefix.pid : nameless(name_of(rest));
  if (line.second_half) {
    const auto known = first_halves_.find(process);
    Line* const first = known == first_halves_.end() ? nullptr : find(known->second);
    if (first != nullptr) {
      clock_ns_ = std::max(clock_ns_, first->order_ns + lasts);
      if (!line.first_half) first->end_line = number;
      if (!line.first_half) first->duration_ns = line.duration_ns;
    }
    if (!line.first_half) first_halves_.erase(process);
  } else if (line.first_half) {
    first_halves_[process] = number;
  }
  line.order_ns = clock_ns_;
  begin_group(prefix);
  clock_ns_ += kLineNs + (line.second_half || line.first_half ? 0 : lasts);
  lines_.push_back(line);
  if (timed_) return;
  lines_.back().start_ns = line.order_ns;
  settled_ = lines_.size();
}

// The lines before a later time share the time before it.
void LineTimes::begin_group(const Prefix& prefix) {
  if (!timed_ || !prefix.has_time) return;
  if (any_group_ && prefix.time_ns <= group_ns_) {
    if (prefix.time_ns < group_ns_) ++backwards_;
    return;
  }
  if (any_group_) settle(clock_ns_);
  if (!any_group_) first_ns_ = prefix.time_ns;
  any_group_ = true;
  group_ns_ = last_ns_ = prefix.time_ns;
  group_order_ns_ = clock_ns_;
}

// Spreads the group over the unit of its time; lines before the first time stand at it.
void LineTimes::settle(std::int64_t until_order_ns) {
  const double range =
      static_cast<double>(std::max<std::int64_t>(until_order_ns - group_order_ns_, 1));
  for (; settled_ < lines_.size(); ++settled_) {
    Line& line = lines_[settled_];
    const double part =
        static_cast<double>(std::max<std::int64_t>(line.order_ns - group_order_ns_, 0)) / range;
    const auto offset = static_cast<std::int64_t>(part * static_cast<double>(unit_ns_));
    line.start_ns = group_ns_ + std::min(offset, unit_ns_ - 1);
  }
}

void LineTimes::force() {
  if (timed_) settle(clock_ns_);
}

void LineTimes::end_input() {
  force();
  ended_ = true;
  if (!lines_.empty()) last_ns_ = std::max(last_ns_, lines_.back().start_ns);
}

const LineTimes::Line* LineTimes::find(std::uint64_t number) const {
  const auto found =
      std::lower_bound(lines_.begin(), lines_.end(), number,
                       [](const Line& line, std::uint64_t wanted) { return line.number < wanted; });
  return found == lines_.end() || found->number != number ? nullptr : &*found;
}

LineTimes::Line* LineTimes::find(std::uint64_t number) {
  return const_cast<Line*>(static_cast<const LineTimes*>(this)->find(number));
}

bool LineTimes::knows(std::uint64_t number) const {
  if (ended_) return true;
  // The next line limits how long the call took.
  return settled_ != 0 && lines_[settled_ - 1].number > number;
}

LineTimes::Place LineTimes::place(std::uint64_t number) const {
  const auto at =
      std::lower_bound(lines_.begin(), lines_.end(), number,
                       [](const Line& line, std::uint64_t wanted) { return line.number < wanted; });
  if (at == lines_.end()) return {last_ns_, 0, false};
  Place place{at->start_ns, 0, false};
  if (at->second_half) return place;
  std::int64_t lasts = at->duration_ns >= 0 ? at->duration_ns : at->assumed_ns;
  if (at->first_half) {
    const Line* const end = at->end_line == 0 ? nullptr : find(at->end_line);
    if (end == nullptr) return place;
    const std::int64_t between = std::max<std::int64_t>(end->start_ns - at->start_ns, 0);
    lasts = at->duration_ns >= 0 ? std::min(at->duration_ns, between) : between;
  } else if (at + 1 != lines_.end()) {
    const std::int64_t room = std::max<std::int64_t>((at + 1)->start_ns - at->start_ns, 0);
    // A call of unknown length has at most the time to the next line; where that is long, most of
    // it is not the call's.
    if (lasts == 0 && at->duration_ns < 0 && room <= kAssumedSyncNs) lasts = room;
    lasts = std::min(lasts, room);
  }
  if (lasts == 0 && at->duration_ns < 0) return place;
  place.duration_ns = lasts;
  place.has_duration = true;
  return place;
}

void LineTimes::forget_before(std::uint64_t number) {
  while (settled_ > 1 && lines_.front().number < number) {
    lines_.pop_front();
    --settled_;
  }
}

}  // namespace fcsim::traces::strace
