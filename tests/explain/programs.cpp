// Which program runs in a thread, and whose thread it is, from execve and clone alone?
#include "sim/questions/explain/programs.h"

#include "tests/catch.h"

using namespace fcsim;

namespace {

traces::Event executes(std::int32_t pid, std::string_view path, std::int32_t error = 0) {
  traces::Event event;
  event.call = traces::Call::execve;
  event.pid = pid;
  event.path = path;
  event.has_result = true;
  event.error = error;
  return event;
}

traces::Event clones(std::int32_t pid, std::int64_t child, std::uint64_t flags) {
  traces::Event event;
  event.call = traces::Call::fork;
  event.pid = pid;
  event.flags = flags;
  event.has_result = true;
  event.result = child;
  return event;
}

constexpr std::uint64_t kThread = 0x10000;

}  // namespace

TEST_CASE("programs and threads", "[explain]") {
  questions::explain::Programs programs;
  CHECK(programs.name_of(10).empty());
  CHECK(programs.process_of(10) == 10);
  programs.see(executes(10, "/usr/bin/postgres"));
  programs.see(executes(10, "/usr/bin/none", 2));
  programs.see(clones(10, 11, kThread));
  programs.see(clones(10, 12, 0));
  programs.see(clones(11, 13, kThread));
  programs.see(clones(12, -1, 0));
  programs.see(executes(12, "cp"));
  CHECK(programs.name_of(10) == "postgres");
  CHECK(programs.name_of(13) == "postgres");
  CHECK(programs.process_of(13) == 10);
  CHECK(programs.name_of(12) == "cp");
  CHECK(programs.process_of(12) == 12);
}
