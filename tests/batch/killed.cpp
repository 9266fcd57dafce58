// Killed at any point and started again: is the content the same as of a run that nobody disturbed?
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>

#include "tests/batch/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> arguments(const std::string& database) {
  const std::string bundles = std::string(FCSIM_SOURCE_DIR) + "/tests/bundles/";
  std::vector<std::string> words = {command(), "batch", "-q", "-j2", "-o", database};
  for (const char* parameter :
       {"filesystem.fast_commit_kib=128..512*2", "range_tracking.max_ranges=1,16"}) {
    words.emplace_back("-p");
    words.emplace_back(parameter);
  }
  for (const char* name : {"acl", "append-fsync", "art-punch", "art-fc128", "art-xattr", "creat",
                           "fifo", "link", "mkdir", "rename", "rename-dir", "rmdir"})
    words.push_back(bundles + name);
  return words;
}

constexpr std::size_t kRows = 12 * 3 * 2;

pid_t start(const std::string& database) {
  std::vector<std::string> words = arguments(database);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = -1;
  REQUIRE(posix_spawn(&child, words.front().c_str(), nullptr, nullptr, pointers.data(), environ) ==
          0);
  return child;
}

// 0 where it cannot be read: it is not made yet, or `why` says more.
std::size_t rows_in(const std::string& database, std::string& why) {
  try {
    return questions::batch::ResultDatabase::open(database).states("").size();
  } catch (const model::InputError& error) {
    why = error.what();
    return 0;
  }
}

// True where the process was still there to be killed.
bool kill_and_wait(pid_t child) {
  kill(child, SIGKILL);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGKILL;
  CHECK(WEXITSTATUS(status) == 0);
  return false;
}

bool is_running(pid_t child) {
  siginfo_t information{};
  return waitid(P_PID, static_cast<id_t>(child), &information, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         information.si_pid == 0;
}

}  // namespace

TEST_CASE("a batch that was killed goes on and ends with the same content", "[batch]") {
  const char* const given = std::getenv("FCSIM_TEST_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 20240601;
  std::cout << "batch killed: seed " << seed << " (FCSIM_TEST_SEED)\n";
  INFO("seed " << seed);
  std::mt19937_64 random(seed);

  const Folder folder;
  const auto begin = Clock::now();
  const pid_t undisturbed = start(folder / "whole.db");
  int status = 0;
  REQUIRE(waitpid(undisturbed, &status, 0) == undisturbed);
  REQUIRE(status == 0);
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  const std::string expected = export_text(folder / "whole.db");
  REQUIRE(lines_of(expected) == kRows + 1);

  constexpr int kCutShort = 8;  // kills that must leave a part of the rows
  const std::string database = folder / "killed.db";
  std::size_t before = 0;
  std::string why;
  int cut_short = 0;
  int kills = 0;
  for (int round = 0; round < 200 && cut_short < kCutShort; ++round) {
    const pid_t child = start(database);
    if (random() % 2 == 0) {  // any moment, from before there is a database
      const auto delay = random() % static_cast<std::uint64_t>(whole.count() + 1);
      std::this_thread::sleep_for(std::chrono::microseconds(delay));
    } else {  // as soon as there are some rows more, whatever the machine's load
      const std::size_t wanted = before + 1 + random() % (kRows - before);
      while (is_running(child) && rows_in(database, why) < wanted) std::this_thread::yield();
    }
    kills += kill_and_wait(child) ? 1 : 0;
    const std::size_t now = rows_in(database, why);
    INFO("could not be read last because: " << why);
    CHECK(now >= before);  // what was committed stays
    cut_short += now > 0 && now < kRows ? 1 : 0;
    before = now;
    if (now < kRows) continue;
    CHECK(export_text(database) == expected);
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(database + suffix);
    before = 0;
  }
  std::cout << "batch killed: " << kills << " kills, " << cut_short << " with a part of the rows\n";
  CHECK(cut_short == kCutShort);

  const pid_t last = start(database);
  REQUIRE(waitpid(last, &status, 0) == last);
  CHECK(status == 0);
  CHECK(export_text(database) == expected);
  CHECK(export_text(database, true) == export_text(folder / "whole.db", true));
  CHECK_FALSE(std::filesystem::exists(database + "-wal"));
}
