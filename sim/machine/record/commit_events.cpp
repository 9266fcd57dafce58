#include "sim/machine/record/commit_events.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <vector>

#include "sim/machine/record/descriptor.h"
#include "sim/machine/record/small_file.h"
#include "sim/machine/record/time.h"
#include "sim/support/text.h"

namespace fcsim::machine::record {
namespace {

constexpr std::array<const char*, 8> kEvents = {
    "ext4/ext4_sync_file_enter", "ext4/ext4_sync_file_exit", "ext4/ext4_fc_commit_start",
    "ext4/ext4_fc_commit_stop",  "jbd2/jbd2_start_commit",   "jbd2/jbd2_end_commit",
    "jbd2/jbd2_run_stats",       "ext4/ext4_sync_fs"};

constexpr std::string_view kInstance = "fcsim";  // and the recorder's pid

// tracefs as a mount that no folder shows; -1: errno says why.
int open_tracefs() {
  const Descriptor context(fsopen("tracefs", FSOPEN_CLOEXEC));
  if (!context.valid()) return -1;
  if (fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return -1;
  return fsmount(context.get(), FSMOUNT_CLOEXEC, 0);
}

// Instances of recorders that were killed would go on tracing without a reader. One that a recorder
// still reads is in use, and rmdir leaves it alone.
void remove_left_instances(int tracefs) {
  const std::string folder = "/proc/self/fd/" + std::to_string(tracefs) + "/instances";
  std::vector<std::string> left;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kInstance)) continue;
    const std::string pid = name.substr(kInstance.size());
    if (!std::filesystem::exists("/proc/" + pid, error)) left.push_back(name);
  }
  for (const std::string& name : left)
    unlinkat(tracefs, ("instances/" + name).c_str(), AT_REMOVEDIR);
}

// "dev 7,0 " is the same in all lines.
std::string without_device(std::string_view fields) {
  std::string text(fields);
  const std::size_t begin = text.find("dev ");
  if (begin == std::string::npos) return text;
  std::size_t end = text.find_first_not_of("0123456789,", begin + 4);
  if (end == std::string::npos) end = text.size();
  if (end < text.size() && text[end] == ' ') ++end;
  return text.erase(begin, end - begin);
}

// "123.456789" in nanoseconds.
std::optional<std::int64_t> nanoseconds_of(std::string_view text) {
  const std::size_t dot = text.find('.');
  std::int64_t seconds = 0, micro = 0;
  if (dot == std::string_view::npos || text.size() - dot != 7) return std::nullopt;
  const auto whole = std::from_chars(text.data(), text.data() + dot, seconds);
  const auto part = std::from_chars(text.data() + dot + 1, text.data() + text.size(), micro);
  if (whole.ec != std::errc{} || part.ec != std::errc{}) return std::nullopt;
  return seconds * kSecond + micro * 1000;
}

}  // namespace

std::string commit_line(std::string_view line, std::int64_t realtime_of_monotonic0) {
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return "";
  const std::size_t time = line.rfind(' ', colon) + 1;
  const std::size_t bracket = line.substr(0, time).rfind(" [");
  const std::size_t name_end = line.find(": ", colon + 2);
  if (time == 0 || bracket == std::string_view::npos || name_end == std::string_view::npos)
    return "";
  const std::string_view task =
      line.substr(0, line.substr(0, bracket).find_last_not_of(' ') + 1);  // NAME-PID
  const std::size_t dash = task.rfind('-');
  const auto at = nanoseconds_of(line.substr(time, colon - time));
  if (dash == std::string_view::npos || !at) return "";
  return support::seconds_text(*at + realtime_of_monotonic0, 6) + "\t" +
         std::string(line.substr(colon + 2, name_end - colon - 2)) +
         "\tpid=" + std::string(task.substr(dash + 1)) + " " +
         without_device(line.substr(name_end + 2)) + "\n";
}

std::unique_ptr<CommitEvents> CommitEvents::open(const Mounted& mounted, std::string& why) {
  const int tracefs = open_tracefs();
  if (tracefs < 0) {
    why = std::string("tracefs: ") + std::strerror(errno);
    return nullptr;
  }
  std::unique_ptr<CommitEvents> events(new CommitEvents(tracefs));
  remove_left_instances(tracefs);
  const std::string name = std::string(kInstance) + std::to_string(getpid());
  if (mkdirat(tracefs, ("instances/" + name).c_str(), 0700) != 0) {
    why = std::string("tracefs: instances: ") + std::strerror(errno);
    return nullptr;
  }
  events->instance_ = name;
  events->start(mounted.number);
  if (events->pipe_ < 0) {
    why = std::string("tracefs: trace_pipe: ") + std::strerror(errno);
    return nullptr;
  }
  return events;
}

std::string CommitEvents::path(const std::string& file) const {
  return "/proc/self/fd/" + std::to_string(tracefs_) + "/instances/" + instance_ + "/" + file;
}

// Events that the kernel lacks are done without: a reader of commits.tsv takes what there is.
void CommitEvents::start(dev_t device) {
  write_small_file(path("buffer_size_kb"), "8192");
  write_small_file(path("trace_clock"), "mono");
  // The kernel's own number of a device (20 bits of minor), which the events carry.
  const std::string filter = "dev == " + std::to_string((major(device) << 20U) | minor(device));
  for (const char* event : kEvents) {
    const std::string folder = path("events/" + std::string(event));
    if (write_small_file(folder + "/filter", filter)) write_small_file(folder + "/enable", "1");
  }
  realtime_of_monotonic0_ = realtime_ns() - clock_ns(CLOCK_MONOTONIC);
  pipe_ = ::open(path("trace_pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

CommitEvents::~CommitEvents() {
  if (!instance_.empty()) write_small_file(path("tracing_on"), "0");
  if (pipe_ >= 0) close(pipe_);
  if (!instance_.empty()) unlinkat(tracefs_, ("instances/" + instance_).c_str(), AT_REMOVEDIR);
  close(tracefs_);
}

void CommitEvents::drain(const std::function<void(std::string_view)>& put) {
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t count = read(pipe_, buffer.data(), buffer.size());
    if (count <= 0) return;
    rest_.append(buffer.data(), static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end = rest_.find('\n'); end != std::string::npos;
         end = rest_.find('\n', begin)) {
      const std::string_view line = std::string_view(rest_).substr(begin, end - begin);
      if (const std::size_t lost = line.find("[LOST "); lost != std::string_view::npos) {
        std::uint64_t events = 0;
        std::from_chars(line.data() + lost + 6, line.data() + line.size(), events);
        lost_ += events;
      } else if (const std::string text = commit_line(line, realtime_of_monotonic0_);
                 !text.empty()) {
        put(text);
      }
      begin = end + 1;
    }
    rest_.erase(0, begin);
  }
}

}  // namespace fcsim::machine::record
