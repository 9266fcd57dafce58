#include "sim/questions/validate/trace_lines.h"

#include <filesystem>

#include "traces/bundle/open.h"
#include "traces/input.h"
#include "traces/reader.h"

namespace fcsim::questions::validate {
namespace {

// Lines are for reading: a write's buffer need not fill the screen.
constexpr std::size_t kTextMaximum = 200;

std::optional<TraceLine> read_line(const std::string& path, std::uint64_t number,
                                   std::int32_t pid) {
  if (path == "-") return TraceLine{{"standard input", number, 0}, pid, ""};
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return TraceLine{{path, number, 0}, pid, ""};
  traces::LineInput input(traces::open_source(path));
  std::string_view line;
  for (std::uint64_t i = 0; i < number; ++i)
    if (!input.next(line)) return std::nullopt;
  std::string text(line.substr(0, kTextMaximum));
  if (line.size() > kTextMaximum) text += "...";
  return TraceLine{{path, number, 0}, pid, text};
}

}  // namespace

std::optional<TraceLine> line_of(const model::Origin& origin,
                                 const std::vector<std::string>& trace_files) {
  if (origin.line == 0 || origin.source >= trace_files.size()) return std::nullopt;
  return read_line(trace_files[origin.source], origin.line, origin.pid);
}

std::optional<TraceLine> line_at(model::Time time, std::int32_t pid,
                                 const std::vector<std::string>& inputs) {
  for (const std::string& file : inputs)
    if (file == "-") return std::nullopt;
  const auto reader = traces::bundle::open_trace(inputs, {});
  std::uint64_t line = 0;
  std::uint16_t source = 0;
  std::int32_t found_pid = 0;
  for (traces::Event event; reader->next(event) && event.start_ns <= time;) {
    if (pid != 0 && event.pid != 0 && event.pid != pid) continue;
    line = event.line;
    source = event.source;
    found_pid = event.pid;
  }
  if (line == 0) return std::nullopt;
  return read_line(reader->sources().at(source).path, line, found_pid);
}

}  // namespace fcsim::questions::validate
