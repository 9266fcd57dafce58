#include "sim/questions/validate/kernel_commits.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

#include "model/common/error.h"
#include "traces/input.h"

namespace fcsim::questions::validate {
namespace {

// One line: "SECONDS.MICROSECONDS<TAB>EVENT<TAB>field value field value ...".
class EventLine {
 public:
  EventLine(std::string_view line, model::Position position) : position_(std::move(position)) {
    const std::size_t first = line.find('\t');
    const std::size_t second = first == std::string_view::npos ? first : line.find('\t', first + 1);
    if (second == std::string_view::npos) fail("expected time, event and fields");
    time_ = parse_time(line.substr(0, first));
    event_ = line.substr(first + 1, second - first - 1);
    fields_ = line.substr(second + 1);
  }

  [[nodiscard]] std::string_view event() const { return event_; }
  [[nodiscard]] model::Time time() const { return time_; }

  // The number behind "NAME ", "NAME=" or "NAME = ".
  [[nodiscard]] std::uint32_t field(std::string_view name) const {
    for (std::size_t at = fields_.find(name); at != std::string_view::npos;
         at = fields_.find(name, at + 1)) {
      const std::size_t after = at + name.size();
      const bool begins = at == 0 || fields_[at - 1] == ' ';
      if (!begins || after >= fields_.size() || (fields_[after] != ' ' && fields_[after] != '='))
        continue;
      const std::size_t digits = fields_.find_first_not_of(" =", after);
      std::uint32_t value = 0;
      if (digits != std::string_view::npos) {
        const char* const end = fields_.data() + fields_.size();
        if (std::from_chars(fields_.data() + digits, end, value).ec == std::errc{}) return value;
      }
    }
    fail("expected the field '" + std::string(name) + "'");
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw model::InputError(position_, message);
  }

  [[nodiscard]] model::Time parse_time(std::string_view text) const {
    std::int64_t seconds = 0;
    std::int64_t fraction = 0;
    const char* const end = text.data() + text.size();
    const auto whole = std::from_chars(text.data(), end, seconds);
    if (whole.ec != std::errc{} || seconds < 0 || seconds > 9'000'000'000) fail("expected a time");
    if (whole.ptr == end) return seconds * 1'000'000'000;
    const char* digits = whole.ptr + 1;
    std::int64_t unit = 1'000'000'000;
    for (; digits != end && unit > 1; ++digits) {
      if (*whole.ptr != '.' || *digits < '0' || *digits > '9') fail("expected a time");
      unit /= 10;
      fraction += (*digits - '0') * unit;
    }
    return seconds * 1'000'000'000 + fraction;
  }

  model::Position position_;
  model::Time time_ = 0;
  std::string_view event_;
  std::string_view fields_;
};

class Collector {
 public:
  void add(const EventLine& line) {
    if (line.event() == "ext4_fc_commit_start") {
      begin_fast(line);
    } else if (line.event() == "ext4_fc_commit_stop") {
      end_fast(line);
    } else if (line.event() == "jbd2_start_commit") {
      started_[line.field("transaction")] = line.time();
    } else if (line.event() == "jbd2_run_stats") {
      end_full(line);
    }
  }

  KernelCommits take() {
    std::sort(commits_.full.begin(), commits_.full.end(),
              [](const KernelFullCommit& a, const KernelFullCommit& b) { return a.tid < b.tid; });
    // A call without its end was cut off with the recording.
    std::erase_if(commits_.fast, [](const KernelFastCommit& commit) { return commit.end == 0; });
    return std::move(commits_);
  }

 private:
  void begin_fast(const EventLine& line) {
    const auto pid = static_cast<std::int32_t>(line.field("pid"));
    open_[pid] = commits_.fast.size();
    KernelFastCommit commit;
    commit.start = line.time();
    commit.tid = line.field("tid");
    commit.pid = pid;
    commits_.fast.push_back(commit);
  }

  void end_fast(const EventLine& line) {
    const auto open = open_.find(static_cast<std::int32_t>(line.field("pid")));
    if (open == open_.end()) return;  // began before the recording
    KernelFastCommit& commit = commits_.fast[open->second];
    commit.end = line.time();
    commit.outcome = static_cast<model::Outcome>(std::min<std::uint32_t>(line.field("reason"), 3));
    commit.blocks = line.field("nblks");
    open_.erase(open);
  }

  void end_full(const EventLine& line) {
    KernelFullCommit commit;
    commit.tid = line.field("tid");
    const auto started = started_.find(commit.tid);
    commit.start = started == started_.end() ? line.time() : started->second;
    commit.end = line.time();
    commit.blocks = line.field("blocks");
    commit.blocks_logged = line.field("blocks_logged");
    commit.handles = line.field("handle_count");
    commits_.full.push_back(commit);
  }

  KernelCommits commits_;
  std::map<std::int32_t, std::size_t> open_;  // pid -> index of its fast commit
  std::map<model::Tid, model::Time> started_;
};

}  // namespace

KernelCommits read_kernel_commits(const std::string& path) {
  traces::LineInput input(traces::open_source(path));
  Collector collector;
  std::uint64_t number = 0;
  for (std::string_view line; input.next(line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    collector.add(EventLine(line, {path, number, 0}));
  }
  return collector.take();
}

}  // namespace fcsim::questions::validate
