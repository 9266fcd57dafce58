#include "sim/machine/record/without_data.h"

#include <algorithm>
#include <array>

namespace fcsim::machine::record {
namespace {

constexpr std::array<std::string_view, 18> kWithBuffers = {
    "read",   "pread64",  "readv",   "preadv",   "preadv2",  "write",
    "writev", "pwrite64", "pwritev", "pwritev2", "recvmsg",  "recvmmsg",
    "pread",  "pwrite",   "sendmsg", "sendmmsg", "vmsplice", "io_submit"};

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "PID TIME write(", or "PID TIME <... write resumed>".
struct CallAt {
  std::string_view name;
  std::size_t arguments = 0;  // where they begin
  bool resumed = false;
};

CallAt call_of(std::string_view line) {
  constexpr std::string_view kResumed = "<... ";
  std::size_t at = 0;
  while (at < line.size() && (is_digit(line[at]) || line[at] == ' ' || line[at] == '.')) ++at;
  CallAt call;
  call.resumed = line.substr(at).starts_with(kResumed);
  if (call.resumed) at += kResumed.size();
  std::size_t end = at;
  while (end < line.size() && is_name(line[end])) ++end;
  call.name = line.substr(at, end - at);
  const std::size_t opened = line.find(call.resumed ? '>' : '(', end);
  call.arguments = opened == std::string_view::npos ? line.size() : opened + 1;
  return call;
}

// Behind a string whose opening quote is at `at`.
std::size_t end_of_string(std::string_view line, std::size_t at) {
  for (++at; at < line.size(); ++at) {
    if (line[at] == '\\')
      ++at;
    else if (line[at] == '"')
      return at + 1;
  }
  return line.size();
}

// Copies from `at` on without what strings hold. The first `kept` of them stay.
void copy_without_strings(std::string_view line, std::size_t at, int kept, std::string& room) {
  constexpr std::string_view kMore = "...";
  while (at < line.size()) {
    std::size_t end = at + 1;
    if (line[at] == '<' && is_digit(line[at - 1])) {  // a descriptor's path, with any quotes
      end = std::min(line.find('>', at), line.size() - 1) + 1;
    } else if (line[at] == '"') {
      end = end_of_string(line, at);
      if (kept-- <= 0) {
        room += "\"\"...";
        at = line.substr(end).starts_with(kMore) ? end + kMore.size() : end;
        continue;
      }
    }
    room += line.substr(at, end - at);
    at = end;
  }
}

}  // namespace

std::string_view without_data(std::string_view line, std::string& room) {
  const CallAt call = call_of(line);
  const bool executes = call.name == "execve" || call.name == "execveat";
  if (!executes &&
      std::find(kWithBuffers.begin(), kWithBuffers.end(), call.name) == kWithBuffers.end())
    return line;
  const std::string_view arguments = line.substr(call.arguments);
  if (arguments.find('"') == std::string_view::npos) return line;
  const std::string_view target = arguments.substr(0, arguments.find('>'));
  if (call.name == "write" && (target.find("</proc/sys/vm/") != std::string_view::npos ||
                               target.find("</sys/fs/cgroup") != std::string_view::npos))
    return line;
  room.assign(line.substr(0, call.arguments));
  copy_without_strings(line, call.arguments, executes && !call.resumed ? 1 : 0, room);
  return room;
}

}  // namespace fcsim::machine::record
