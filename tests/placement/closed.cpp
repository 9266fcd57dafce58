// Does `--timing closed` keep think times, let waits follow from the device, and lose nothing?
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/replay/session.h"
#include "tests/catch.h"

namespace {

using namespace fcsim;

replay::Session predict(const std::string& input, const std::vector<std::string>& settings) {
  replay::SessionRequest request;
  request.inputs = {input};
  request.configuration.directories = {FCSIM_SOURCE_DIR "/configs"};
  request.configuration.settings = settings;
  return replay::predict(request);
}

std::string microseconds(long value) {
  const std::string digits = std::to_string(1'000'000 + value % 1'000'000);
  return std::to_string(value / 1'000'000) + "." + digits.substr(1);
}

// One process that appends 4 KiB and calls fsync, `think_us` between its calls, each fsync recorded
// with `wait_us` (0: the trace does not say).
std::string appends(const std::string& name, int count, long think_us, long wait_us) {
  const std::string folder = std::string(FCSIM_BINARY_DIR) + "/test-files/placement";
  std::filesystem::create_directories(folder);
  const std::string path = folder + "/" + name;
  std::ofstream trace(path);
  const std::string took = wait_us == 0 ? "" : " <0.000010>";
  long now = 1'700'000'000'000'000;
  const auto line = [&](const std::string& text) {
    trace << "10 " << microseconds(now) << " " << text << "\n";
  };
  line("openat(AT_FDCWD, \"/mnt/a\", O_RDWR|O_CREAT|O_TRUNC, 0644) = 3</mnt/a>" + took);
  for (int i = 0; i < count; ++i) {
    now += think_us;
    line("write(3</mnt/a>, \"x\"..., 4096) = 4096" + took);
    now += think_us;
    line("fsync(3</mnt/a>) = 0" + (wait_us == 0 ? "" : " <" + microseconds(wait_us) + ">"));
    now += wait_us;
  }
  return path;
}

// What a shell does that replaces a file `count` times: each step is a process of its own, which
// begins when the one before has ended. fsyncs are recorded with `wait_us`.
std::string replacing_shell(const std::string& name, int count, long wait_us) {
  const std::string folder = std::string(FCSIM_BINARY_DIR) + "/test-files/placement";
  std::filesystem::create_directories(folder);
  const std::string path = folder + "/" + name;
  std::ofstream trace(path);
  long now = 1'700'000'000'000'000;
  int pid = 100;
  const auto call = [&](const std::string& text, long took_us) {
    trace << pid << " " << microseconds(now) << " " << text << " <" << microseconds(took_us)
          << ">\n";
    now += took_us + 50;
  };
  for (int i = 0; i < count; ++i) {
    call("openat(AT_FDCWD, \"/mnt/new\", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 3</mnt/new>", 20);
    call("write(3</mnt/new>, \"x\"..., 4096) = 4096", 20);
    call("close(3</mnt/new>) = 0", 5);
    ++pid;
    call("openat(AT_FDCWD, \"/mnt/new\", O_RDONLY) = 3</mnt/new>", 10);
    call("fsync(3</mnt/new>) = 0", wait_us);
    ++pid;
    call("rename(\"/mnt/new\", \"/mnt/current\") = 0", 20);
    ++pid;
    call("openat(AT_FDCWD, \"/mnt\", O_RDONLY|O_DIRECTORY) = 3</mnt>", 10);
    call("fsync(3</mnt>) = 0", wait_us);
    ++pid;
  }
  return path;
}

std::uint64_t timer_commits(const engine::Prediction& prediction) {
  return prediction.causes[static_cast<std::size_t>(model::Cause::timer)] +
         prediction.causes[static_cast<std::size_t>(model::Cause::expired)];
}

const std::vector<std::string> kMount = {"trace.mount_point=/mnt",
                                         "filesystem.fast_commit_blocks=1024"};

std::vector<std::string> with(std::vector<std::string> settings,
                              const std::vector<std::string>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

}  // namespace

TEST_CASE("what no clock decides is the same in both placements", "[placement]") {
  for (const char* name : {"art-fc128", "setxattr", "unlink", "creat"}) {
    INFO(name);
    const std::string bundle = std::string(FCSIM_SOURCE_DIR "/tests/bundles/") + name;
    const auto recorded = predict(bundle, {}).prediction;
    const auto closed = predict(bundle, {"trace.timing=closed"}).prediction;
    CHECK(closed.commits == recorded.commits);
    CHECK(closed.ineligible == recorded.ineligible);
    CHECK(closed.numblks == recorded.numblks);
    CHECK(closed.transactions == recorded.transactions);
    CHECK(closed.causes == recorded.causes);
    CHECK(closed.operations == recorded.operations);
  }
}

TEST_CASE("a slower device stretches a closed run over commit intervals", "[placement]") {
  const std::string trace = appends("slow.strace", 100, 1000, 500);
  const std::vector<std::string> slow =
      with(kMount, {"device.flush_us=200000", "trace.timing=closed"});
  const auto recorded = predict(trace, with(kMount, {"device.flush_us=200000"})).prediction;
  const auto closed = predict(trace, slow).prediction;
  CHECK(timer_commits(recorded) == 0);  // 0.25 s as recorded, whatever the device is said to be
  // 100 flushes of 0.2 s and the think times: 20.2 s, a commit interval of 5 s fits in 4 times; the
  // first transaction ends with the first fsync.
  CHECK(timer_commits(closed) >= 3);
  CHECK(timer_commits(closed) <= 4);
  CHECK(closed.commits + closed.ineligible == recorded.commits + recorded.ineligible);
  const auto longer = predict(trace, with(slow, {"mount.commit_interval_s=60"})).prediction;
  CHECK(timer_commits(longer) == 0);
}

TEST_CASE("think times stay: a faster device does not shorten them", "[placement]") {
  // Every 0.1 s a call, fsyncs of 0.1 s: 30 s as recorded, 20 s with a device that takes no time.
  const std::string trace = appends("think.strace", 100, 100'000, 100'000);
  const auto fast = with(kMount, {"device.flush_us=0", "device.fua_us=0", "device.write_us=0"});
  const auto recorded = predict(trace, fast).prediction;
  const auto closed = predict(trace, with(fast, {"trace.timing=closed"})).prediction;
  CHECK(timer_commits(recorded) == 5);
  CHECK(timer_commits(closed) == 3);
}

TEST_CASE("a trace that does not say how long calls took keeps its times", "[placement]") {
  const std::string trace = appends("no-durations.strace", 100, 100'000, 0);
  const auto recorded = predict(trace, kMount).prediction;
  const auto closed = predict(trace, with(kMount, {"trace.timing=closed"})).prediction;
  CHECK(closed.commits == recorded.commits);
  CHECK(closed.transactions == recorded.transactions);
  CHECK(timer_commits(closed) == timer_commits(recorded));
}

TEST_CASE("a process begins after the one that its maker waited for", "[placement]") {
  const std::string trace = replacing_shell("shell.strace", 40, 500);
  const auto slow = with(kMount, {"device.flush_us=5000"});
  const auto recorded = predict(trace, slow).prediction;
  const auto closed = predict(trace, with(slow, {"trace.timing=closed"})).prediction;
  CHECK(recorded.transactions == 41);  // each directory, and the mount's first fsync
  CHECK(closed.commits == recorded.commits);
  CHECK(closed.ineligible == recorded.ineligible);
  CHECK(closed.transactions == recorded.transactions);
}

TEST_CASE("no call of several threads is lost", "[placement]") {
  for (const char* name : {"mt-append-2", "mt-shared-2", "same-fsync"}) {
    INFO(name);
    const std::string bundle = std::string(FCSIM_SOURCE_DIR "/tests/bundles/") + name;
    if (!std::filesystem::exists(bundle)) continue;
    const auto recorded = predict(bundle, {}).prediction;
    const auto closed = predict(bundle, {"trace.timing=closed"}).prediction;
    CHECK(closed.operations == recorded.operations);
    CHECK(closed.sync_calls.fsync == recorded.sync_calls.fsync);
    CHECK(closed.commits + closed.ineligible + closed.skipped >= closed.sync_calls.fsync);
  }
}
