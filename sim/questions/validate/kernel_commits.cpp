#include "sim/questions/validate/kernel_commits.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "model/common/error.h"
#include "traces/input.h"

namespace fcsim::questions::validate {
namespace {

// One line: "SECONDS.MICROSECONDS<TAB>EVENT<TAB>field value field value ...". Recordings of both file
// systems have the call, "fsync:12", between event and fields.
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

  // The number after "NAME ", "NAME=" or "NAME = ".
  [[nodiscard]] std::uint32_t field(std::string_view name) const {
    for (std::size_t at = fields_.find(name); at != std::string_view::npos;
         at = fields_.find(name, at + 1)) {
      const std::size_t after = at + name.size();
      const bool begins = at == 0 || fields_[at - 1] == ' ' || fields_[at - 1] == '\t';
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

// An event as ftrace, trace-cmd or perf print it:
//   "  python3-26573   [001] .....   123.456789: ext4_fc_commit_stop: dev 7,0 nblks 1, reason 0,
//   ..." "python3 26573 [001]   123.456789: ext4:ext4_fc_commit_stop: dev 7,0 nblks 1, reason 0,
//   ..."
struct TextLine {
  std::string_view pid, time, event, fields, device;
};

std::string_view last_word(std::string_view text, std::string_view separators) {
  const std::size_t end = text.find_last_not_of(' ');
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  const std::size_t begin = text.find_last_of(separators);
  return begin == std::string_view::npos ? text : text.substr(begin + 1);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<TextLine> parse_text_line(std::string_view line) {
  // The name of a program may hold anything: the event's own name is looked for first.
  std::size_t name = std::string_view::npos;
  for (const std::string_view kind : {"ext4_", "jbd2_"})
    for (std::size_t at = line.find(kind); at != std::string_view::npos && name > at;
         at = line.find(kind, at + 1))
      if (at >= 2 && (line[at - 1] == ' ' || line[at - 1] == ':')) name = at;
  if (name == std::string_view::npos) return std::nullopt;
  TextLine found;
  const std::size_t name_end = line.find(": ", name);
  if (name_end == std::string_view::npos) return std::nullopt;
  found.event = line.substr(name, name_end - name);
  found.fields = line.substr(name_end + 2);
  std::string_view head = line.substr(0, name);
  if (head.ends_with("ext4:") || head.ends_with("jbd2:")) head.remove_suffix(5);
  const std::size_t colon = head.find_last_of(':');
  const std::size_t bracket = head.rfind(" [");
  if (colon == std::string_view::npos || bracket == std::string_view::npos) return std::nullopt;
  found.time = last_word(head.substr(0, colon), " ");
  // "NAME-PID" of ftrace, "NAME PID" or "NAME PID/TID" of perf; ftrace may have the group behind.
  std::string_view task = head.substr(0, bracket);
  if (task.ends_with(')')) task = task.substr(0, task.rfind('('));
  found.pid = last_word(task, " -/");
  const std::size_t device = found.fields.find("dev ");
  if (device != std::string_view::npos) {
    const std::size_t begin = device + 4;
    const std::size_t end = found.fields.find_first_not_of("0123456789,", begin);
    found.device = found.fields.substr(begin, std::min(end, found.fields.size()) - begin);
    while (found.device.ends_with(',')) found.device.remove_suffix(1);
  }
  if (!is_number(found.pid) || found.time.empty()) return std::nullopt;
  return found;
}

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

KernelCommits read_trace_text(const std::string& path, const std::string& device) {
  traces::LineInput input(traces::open_source(path));
  std::map<std::string, Collector> of_device;
  std::uint64_t number = 0;
  for (std::string_view line; input.next(line);) {
    ++number;
    const auto found = parse_text_line(line);
    if (!found || found->device.empty()) continue;
    const std::string plain = std::string(found->time) + "\t" + std::string(found->event) +
                              "\tpid=" + std::string(found->pid) + " " + std::string(found->fields);
    of_device[std::string(found->device)].add(EventLine(plain, {path, number, 0}));
  }
  std::map<std::string, KernelCommits> commits;
  std::string names;
  for (auto& [name, collector] : of_device) {
    KernelCommits of_this = collector.take();
    if (of_this.fast.empty() && of_this.full.empty()) continue;
    names += (names.empty() ? "" : " and ") + name;
    commits.emplace(name, std::move(of_this));
  }
  if (!device.empty()) {
    const auto found = commits.find(device);
    if (found == commits.end())
      throw model::InputError({path, 0, 0}, "has no commits of device " + device +
                                                "; it has those of " +
                                                (names.empty() ? "none" : names));
    return std::move(found->second);
  }
  if (commits.empty())
    throw model::InputError({path, 0, 0},
                            "has no commits; expected the events ext4_fc_commit_start, "
                            "ext4_fc_commit_stop, jbd2_start_commit and jbd2_run_stats as ftrace, "
                            "trace-cmd report or perf script print them");
  if (commits.size() > 1)
    throw model::InputError(
        {path, 0, 0}, "has the commits of " + names + "; name one with --truth-device MAJOR,MINOR");
  return std::move(commits.begin()->second);
}

}  // namespace fcsim::questions::validate
