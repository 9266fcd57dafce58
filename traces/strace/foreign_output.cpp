#include "traces/strace/foreign_output.h"

#include <algorithm>

#include "traces/strace/calls.h"
#include "traces/strace/text.h"

namespace fcsim::traces::strace {
namespace {

constexpr std::size_t kProgramNameMaximum = 24;

// The columns in front of a call: "100 1700000000.001000 ", "[pid 100] 12:00:01 ".
std::size_t columns_before(std::string_view line, std::size_t call) {
  std::size_t begin = call;
  while (begin > 0) {
    std::size_t at = begin;
    while (at > 0 && line[at - 1] == ' ') --at;
    if (at == begin || at == 0) break;
    const std::size_t end = at;
    if (line[at - 1] == ']') {
      const std::size_t open = line.rfind("[pid ", at);
      if (open == std::string_view::npos) break;
      begin = open;
      continue;
    }
    while (at > 0 && (is_digit(line[at - 1]) || line[at - 1] == '.' || line[at - 1] == ':')) --at;
    if (at == end) break;
    begin = at;
  }
  return begin;
}

}  // namespace

std::string_view behind_output(std::string_view line) {
  for (std::size_t bracket = line.find('('); bracket != std::string_view::npos;
       bracket = line.find('(', bracket + 1)) {
    std::size_t name = bracket;
    while (name > 0 && is_name_character(line[name - 1])) --name;
    name = std::max(name, bracket - std::min(bracket, kProgramNameMaximum));
    // The longest end of the word that is a call's name.
    for (; name < bracket; ++name) {
      if (find_call(line.substr(name, bracket - name)).call == Call::other) continue;
      const std::size_t begin = columns_before(line, name);
      return begin == 0 ? std::string_view{} : line.substr(begin);
    }
  }
  return {};
}

bool begins_terminal_write(std::string_view call) {
  for (const std::string_view begin : {"write(1", "write(2", "writev(1", "writev(2"})
    if (call.starts_with(begin) && call.size() > begin.size())
      return call[begin.size()] == ',' || call[begin.size()] == '<';
  return false;
}

bool ends_terminal_write(std::string_view line) {
  if (!line.starts_with(')')) return false;
  line.remove_prefix(1);
  const std::size_t at = std::min(line.find_first_not_of(' '), line.size());
  return at != 0 && line.substr(at).starts_with("= ");
}

}  // namespace fcsim::traces::strace
