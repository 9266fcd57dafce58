// Traces in each of their forms.
#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>
#include <vector>

#include "sim/questions/validate/kernel_commits.h"
#include "tests/fuzz/support.h"
#include "tests/fuzz/targets.h"
#include "traces/binary/reader.h"
#include "traces/binary/writer.h"
#include "traces/strace/open.h"

namespace fcsim::fuzz {
namespace {

auto numbers_of(const traces::Event& event) {
  return std::make_tuple(event.call, event.has_result, event.has_duration, event.truncated_text,
                         event.pid, event.error, event.fd, event.fd2, event.source, event.line,
                         event.start_ns, event.duration_ns, event.result, event.offset,
                         event.length, event.flags, event.argument);
}

bool same(const traces::Event& a, const traces::Event& b) {
  return numbers_of(a) == numbers_of(b) && a.cpu == b.cpu && a.cpu_end == b.cpu_end &&
         a.transaction == b.transaction && a.path == b.path && a.path2 == b.path2 &&
         a.text == b.text && a.fd_path == b.fd_path && a.fd2_path == b.fd2_path &&
         a.result_path == b.result_path;
}

// A call of one of a few simple kinds, by a reader that does one thing after the other.
struct PlainCall {
  std::int32_t pid = 0;
  std::int64_t start_ns = 0;
  traces::Call call = traces::Call::other;
  std::int32_t fd = 0;
  std::int64_t length = -1;
  std::int64_t offset = -1;
  std::int64_t result = 0;
  std::int64_t duration_ns = 0;
};

class PlainLine {
 public:
  explicit PlainLine(std::string_view text) : text_(text) {}

  // "PID SECONDS.MICROSECONDS NAME(FD, "..."..., LENGTH[, OFFSET]) = RESULT <SECONDS>", or with the
  // descriptor alone. nullopt: another line.
  std::optional<PlainCall> read() {
    PlainCall call;
    std::int64_t pid = 0;
    std::int64_t fd = 0;
    if (!number(pid) || pid == 0 || pid > 4'000'000 || !take(" ") || !time(10, call.start_ns) ||
        !take(" "))
      return std::nullopt;
    const std::string_view name = text_.substr(0, text_.find('('));
    text_.remove_prefix(name.size());
    if (!take("(") || !number(fd) || fd > 100'000) return std::nullopt;
    const bool positional = name == "pwrite64";
    if (positional || name == "write") {
      if (!take(", \"x\"..., ") || !number(call.length)) return std::nullopt;
      if (positional && (!take(", ") || !number(call.offset))) return std::nullopt;
    }
    call.call = call_of(name);
    if (call.call == traces::Call::other || !take(") = ") || !number(call.result) || !take(" <") ||
        !time(1, call.duration_ns) || text_ != ">")
      return std::nullopt;
    call.pid = static_cast<std::int32_t>(pid);
    call.fd = static_cast<std::int32_t>(fd);
    return call;
  }

 private:
  static traces::Call call_of(std::string_view name) {
    using traces::Call;
    return name == "write"       ? Call::write
           : name == "pwrite64"  ? Call::pwrite
           : name == "fsync"     ? Call::fsync
           : name == "fdatasync" ? Call::fdatasync
           : name == "close"     ? Call::close
                                 : Call::other;
  }

  bool take(std::string_view words) {
    if (!text_.starts_with(words)) return false;
    text_.remove_prefix(words.size());
    return true;
  }

  // Decimal, without a sign and without zeros in front.
  bool number(std::int64_t& value) {
    const bool zeros = text_.size() > 1 && text_[0] == '0' && text_[1] >= '0' && text_[1] <= '9';
    if (zeros || text_.empty() || text_[0] < '0' || text_[0] > '9') return false;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{}) return false;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return true;
  }

  // `digits` of seconds and six of microseconds.
  bool time(std::size_t digits, std::int64_t& nanoseconds) {
    std::int64_t value = 0;
    for (std::size_t i = 0; i < digits + 7; ++i) {
      if (i >= text_.size()) return false;
      if (i == digits ? text_[i] != '.' : text_[i] < '0' || text_[i] > '9') return false;
      if (i != digits) value = value * 10 + (text_[i] - '0');
    }
    text_.remove_prefix(digits + 7);
    nanoseconds = value * 1000;
    return true;
  }

  std::string_view text_;
};

std::vector<PlainCall> read_plainly(std::string_view text) {
  std::vector<PlainCall> calls;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::optional<PlainCall> call = PlainLine(text.substr(0, end)).read();
    // One line that the plain reader does not know, or a time that runs backwards, and it is out.
    if (!call || (!calls.empty() && call->start_ns < calls.back().start_ns)) return {};
    calls.push_back(*call);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return calls;
}

}  // namespace

void strace(std::string_view input) {
  const MemoryFile file(input);
  answer([&] { (void)predict(file.path()); });
}

void strace_binary(std::string_view input) {
  answer([&] {
    const auto text = traces::strace::open_strace_text(std::string(input), "t", {});
    std::string bytes;
    traces::binary::write_binary(*text, {.fcsim_version = "fuzz", .zstd_level = {}},
                                 [&](std::string_view part) { bytes += part; });
    const auto again = traces::strace::open_strace_text(std::string(input), "t", {});
    traces::binary::Reader reader(traces::open_memory(std::move(bytes), "t.fct"), "t.fct", {});
    traces::Event one;
    traces::Event other;
    bool more = true;
    while (more) {
      more = again->next(one);
      require(reader.next(other) == more, "the binary form has more events, or fewer");
      require(!more || same(one, other), "the binary form has another event");
    }
    require(reader.statistics().unparsable == again->statistics().unparsable,
            "the binary form counts other lines that cannot be parsed");
  });
}

void strace_plain(std::string_view input) {
  const std::vector<PlainCall> plain = read_plainly(input);
  if (plain.empty()) return;
  const auto reader = traces::strace::open_strace_text(std::string(input), "t", {});
  traces::Event event;
  for (const PlainCall& call : plain) {
    require(reader->next(event), "the reader has fewer calls");
    require(event.pid == call.pid && event.start_ns == call.start_ns && event.call == call.call &&
                event.fd == call.fd && event.result == call.result &&
                event.duration_ns == call.duration_ns,
            "the reader has another call");
    const bool writes = call.length >= 0;
    require(!writes || (event.length == call.length && event.offset == call.offset),
            "the reader has another range");
  }
  require(!reader->next(event), "the reader has more calls");
}

void binary(std::string_view input) {
  // What begins otherwise would be read as text.
  if (!traces::binary::looks_binary(input)) return;
  const MemoryFile file(input);
  answer([&] { (void)predict(file.path()); });
}

void iolog(std::string_view input) {
  const MemoryFile file("fio version " + std::string(input));
  answer([&] { (void)predict(file.path()); });
}

void commits(std::string_view input) {
  const MemoryFile file(input);
  answer([&] { (void)questions::validate::read_kernel_commits(file.path()); });
}

void kernel_trace(std::string_view input) {
  const MemoryFile file(input);
  answer([&] { (void)questions::validate::read_trace_text(file.path(), ""); });
}

}  // namespace fcsim::fuzz
