// Writes hand-made event sequences and the operations they become as short text.
//
// Each event starts 1000 ns after the one before and returns after 100 ns, unless said otherwise.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/common/operation.h"
#include "traces/event.h"
#include "traces/resolve/resolver.h"

namespace fcsim::test {

using traces::Call;

// A manifest of one file, "f".
inline constexpr const char* kOneFile = "f\t644\t12\t1\t5000\t16\tf\t0:34304:2\n";

// An event under construction; every setter returns the event.
struct Make {
  traces::Event event;

  explicit Make(Call call) {
    event.call = call;
    event.has_result = true;
    event.has_duration = true;
    event.duration_ns = 100;
    event.pid = 1;
    event.fd = traces::kNoFd;
  }
  Make& pid(std::int32_t value) { return event.pid = value, *this; }
  Make& fd(std::int32_t value) { return event.fd = value, *this; }
  Make& fd2(std::int32_t value) { return event.fd2 = value, *this; }
  Make& at(std::string_view directory = {}) {
    return event.fd = traces::kAtFdCwd, event.fd_path = directory, *this;
  }
  Make& path(std::string_view value) { return event.path = value, *this; }
  Make& path2(std::string_view value) { return event.path2 = value, *this; }
  Make& text(std::string_view value) { return event.text = value, *this; }
  Make& flags(std::uint64_t value) { return event.flags = value, *this; }
  Make& argument(std::uint64_t value) { return event.argument = value, *this; }
  Make& offset(std::int64_t value) { return event.offset = value, *this; }
  Make& length(std::int64_t value) { return event.length = value, *this; }
  Make& result(std::int64_t value) { return event.result = value, *this; }
  Make& shown(std::string_view value) { return event.fd_path = value, *this; }
  Make& result_shown(std::string_view value) { return event.result_path = value, *this; }
  Make& error(std::int32_t value) { return event.error = value, event.result = -1, *this; }
  Make& start(std::int64_t value) { return event.start_ns = value, *this; }
  Make& duration(std::int64_t value) { return event.duration_ns = value, *this; }
  Make& unfinished() { return event.has_result = false, *this; }
};

// Short forms for what most tests need.
Make opens(std::string_view path, std::uint64_t flags, std::int64_t result);
Make closes(std::int32_t fd);
Make writes(std::int32_t fd, std::int64_t length);
Make reads(std::int32_t fd, std::int64_t length);

namespace o {  // open flags
inline constexpr std::uint64_t read = 0;
inline constexpr std::uint64_t write = 01;
inline constexpr std::uint64_t both = 02;
inline constexpr std::uint64_t create = 0102;  // with O_RDWR
inline constexpr std::uint64_t exclusive = 0200;
inline constexpr std::uint64_t truncate = 01000;
inline constexpr std::uint64_t append = 02000;
inline constexpr std::uint64_t data_sync = 010000;
inline constexpr std::uint64_t direct = 040000;
inline constexpr std::uint64_t directory = 0200000;
inline constexpr std::uint64_t no_follow = 0400000;
inline constexpr std::uint64_t no_access_time = 01000000;
inline constexpr std::uint64_t close_on_exec = 02000000;
inline constexpr std::uint64_t sync = 04010000;
inline constexpr std::uint64_t path_only = 010000000;
inline constexpr std::uint64_t temporary = 020200000;
}  // namespace o

// A resolver for a file system on /m whose first process has its working directory there.
class Scenario {
 public:
  // `manifest`: the lines of a manifest; "" = an empty file system; null = no manifest.
  explicit Scenario(const char* manifest = "", std::string mount_point = "/m");

  // Resolves one event; returns its operations, see text_of.
  std::string operator()(const Make& make);
  std::string finish();

  traces::resolve::Resolver& resolver() { return resolver_; }
  [[nodiscard]] std::uint64_t count(const std::string& what) const;
  // The operations of the last event.
  [[nodiscard]] const std::vector<model::Operation>& operations() const { return operations_; }

 private:
  traces::resolve::Resolver resolver_;
  std::vector<model::Operation> operations_;
  std::int64_t clock_ = 0;
  std::uint64_t line_ = 0;
};

// "kind:file" and what matters of the rest, separated by "; ". For example
// "create:2 in 0; open:2 w new; write:2 0+100 append".
std::string text_of(const std::vector<model::Operation>& operations);

inline Make symlinks(std::string_view target, std::string_view path) {
  return Make(Call::symlink).path(target).path2(path);
}

}  // namespace fcsim::test
