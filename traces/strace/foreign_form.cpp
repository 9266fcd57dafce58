#include "traces/strace/foreign_form.h"

#include <algorithm>
#include <array>

#include "traces/strace/foreign_output.h"
#include "traces/strace/text.h"

namespace fcsim::traces::strace {
namespace {

struct OtherTracer {
  std::string_view mark;
  std::string_view name;
};

// What stands in such a line, and in none of strace's outside of strings.
constexpr std::array<OtherTracer, 14> kOtherTracers = {{
    {" ms): ", "perf trace"},
    {" [continued]: ", "perf trace"},
    {"SYSCALL(args)", "dtruss"},
    {")\t\t = ", "dtruss or truss"},
    {" CALL  ", "kdump"},
    {" NAMI  ", "kdump"},
    {"# tracer: ", "ftrace"},
    {"Attaching ", "bpftrace"},
    {"Attached ", "bpftrace"},
    {"dirfd=-100(AT_FDCWD)", "sysdig"},
    {"PID    COMM ", "a BCC tool"},
    {"Tracing ext4 operations", "a BCC tool"},
    {"type=SYSCALL msg=audit(", "auditd"},
    {"\"Time of Day\",\"Process Name\"", "Process Monitor"},
}};

bool has_comma_time(std::string_view line) {
  const std::size_t comma = line.find(',');
  if (comma == std::string_view::npos || comma < 8 || comma + 7 > line.size()) return false;
  for (std::size_t i = comma - 2; i < comma + 7; ++i)
    if (i != comma && !is_digit(line[i])) return false;
  return true;
}

}  // namespace

bool has_results_of_truss(std::string_view head) {
  constexpr std::size_t kLines = 20;
  for (std::size_t line = 0; line < kLines && !head.empty(); ++line) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    std::string_view text = head.substr(0, end);
    head.remove_prefix(std::min(end + 1, head.size()));
    while (text.ends_with('\r') || text.ends_with(' ')) text.remove_suffix(1);
    const std::size_t open = text.rfind(" (0x");
    if (open == std::string_view::npos || !text.ends_with(')')) continue;
    const std::size_t equals = text.rfind("= ", open);
    if (equals == std::string_view::npos || equals + 2 == open) continue;
    std::string_view call = text.substr(0, equals);
    while (call.ends_with(' ') || call.ends_with('\t')) call.remove_suffix(1);
    if (!call.ends_with(')')) continue;  // a line of the program's own
    const std::string_view result = text.substr(equals + 2, open - equals - 2);
    const std::string_view hexadecimal = text.substr(open + 4, text.size() - open - 5);
    constexpr std::string_view kDigits = "0123456789abcdef";
    if (result.find_first_not_of("0123456789") == std::string_view::npos && !hexadecimal.empty() &&
        hexadecimal.find_first_not_of(kDigits) == std::string_view::npos)
      return true;
  }
  return false;
}

std::string describe_foreign(std::string_view line) {
  if (line.starts_with('>')) return "its lines are quoted: sed 's/^> //' FILE takes the marks away";
  if (line.find("&lt;") != std::string_view::npos || line.find("&quot;") != std::string_view::npos)
    return "it is the source of a page, with &lt; and &quot; in place of < and \": copy what the "
           "browser shows";
  if (has_comma_time(line))
    return "its times have a comma where strace writes a point: sed -E "
           "'s/([0-9]),([0-9]{6})/\\1.\\2/g' FILE";
  for (const OtherTracer& tracer : kOtherTracers)
    if (line.find(tracer.mark) != std::string_view::npos)
      return "this is the text of " + std::string(tracer.name) +
             ", which lacks what a prediction needs";
  if (line.find(" = ") == std::string_view::npos) return "";  // no call's result
  std::string_view rest = behind_output(line);
  // "trace.77:77 1700000000.000000 ...", as grep writes: the end of the file's name is not a time.
  if (rest.starts_with('.'))
    rest.remove_prefix(std::min(rest.find_first_of(": ") + 1, rest.size()));
  if (rest.empty() || rest.size() == line.size()) return "";
  const std::string before(line.substr(0, line.size() - rest.size()));
  return "other text stands before each call ('" + before + "'): sed -E 's/^.{" +
         std::to_string(before.size()) + "}//' FILE takes so many characters away";
}

}  // namespace fcsim::traces::strace
