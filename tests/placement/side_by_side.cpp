// Who makes a fast commit and who sleeps through another's, as far as recorded times tell.
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/replay/session.h"
#include "tests/catch.h"

namespace {

using namespace fcsim;

// A strace -f -ttt -T -y text of calls at given microseconds.
class Trace {
 public:
  explicit Trace(const std::string& name) {
    const std::string folder = std::string(FCSIM_BINARY_DIR) + "/test-files/placement";
    std::filesystem::create_directories(folder);
    path_ = folder + "/" + name;
    file_.open(path_);
  }
  void call(int pid, long at_us, const std::string& text, long took_us) {
    file_ << pid << " " << 1'700'000'000 + at_us / 1'000'000 << "." << six(at_us % 1'000'000) << " "
          << text << " <" << took_us / 1'000'000 << "." << six(took_us % 1'000'000) << ">\n";
  }
  void open(int pid, long at_us, const std::string& name) {
    call(pid, at_us, "openat(AT_FDCWD, \"" + name + "\", O_RDWR|O_CREAT, 0644) = 3<" + name + ">",
         20);
  }
  void append(int pid, long at_us, const std::string& name) {
    call(pid, at_us, "write(3<" + name + ">, \"x\"..., 4096) = 4096", 10);
  }
  void fsync(int pid, long at_us, const std::string& name, long took_us) {
    call(pid, at_us, "fsync(3<" + name + ">) = 0", took_us);
  }
  engine::Prediction predict(const std::vector<std::string>& settings = {}) {
    file_.close();
    replay::SessionRequest request;
    request.inputs = {path_};
    request.mount_point = "/mnt";
    request.configuration.directories = {FCSIM_SOURCE_DIR "/configs"};
    request.configuration.settings = settings;
    return replay::predict(request).prediction;
  }

 private:
  static std::string six(long value) { return std::to_string(1'000'000 + value).substr(1); }

  std::string path_;
  std::ofstream file_;
};

// Appends and fsyncs of one process, one each 10 ms from 0, `took_us` each; the first of them makes
// the mount's first full commit.
void append_alone(Trace& trace, int count, long took_us) {
  trace.open(10, 0, "/mnt/a");
  for (long i = 0; i < count; ++i) {
    trace.append(10, 1'000 + i * 10'000, "/mnt/a");
    trace.fsync(10, 1'100 + i * 10'000, "/mnt/a", took_us);
  }
}

bool assumes_commit_time(const engine::Prediction& prediction) {
  for (const std::string& sentence : prediction.assumed)
    if (sentence.find("first decile") != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("no call waits for a fast commit that ends after its return", "[placement]") {
  Trace trace("returned-before.strace");
  append_alone(trace, 1, 1'000);
  trace.open(11, 20'000, "/mnt/b");
  trace.append(10, 30'000, "/mnt/a");
  trace.append(11, 30'100, "/mnt/b");
  trace.fsync(10, 31'000, "/mnt/a", 20'000);
  trace.fsync(11, 32'000, "/mnt/b", 1'000);
  CHECK(trace.predict().commits == 2);
}

TEST_CASE("a call that slept returns soon after the fast commit it slept through", "[placement]") {
  Trace trace("slept.strace");
  append_alone(trace, 1, 1'000);
  trace.open(11, 20'000, "/mnt/b");
  trace.append(10, 30'000, "/mnt/a");
  trace.append(11, 30'100, "/mnt/b");
  trace.fsync(10, 31'000, "/mnt/a", 1'000);
  trace.fsync(11, 31'300, "/mnt/b", 800);
  const engine::Prediction prediction = trace.predict();
  CHECK(prediction.commits == 1);
  CHECK(prediction.skipped == 1);
}

TEST_CASE("how long a fast commit takes at least is learnt from the trace", "[placement]") {
  // The second process returns 0.5 ms after the first: longer than the default flush, shorter than
  // any commit of this trace.
  const auto recorded = [](const std::string& name) {
    Trace trace(name);
    append_alone(trace, 21, 1'000);
    trace.open(11, 300'000, "/mnt/b");
    trace.append(10, 310'000, "/mnt/a");
    trace.append(11, 310'100, "/mnt/b");
    trace.fsync(10, 311'000, "/mnt/a", 1'000);
    trace.fsync(11, 311'200, "/mnt/b", 1'300);
    return trace;
  };
  SECTION("by default") {
    const engine::Prediction prediction = recorded("learnt.strace").predict();
    CHECK(prediction.commits == 21);
    CHECK(prediction.skipped == 1);
    CHECK(assumes_commit_time(prediction));
  }
  SECTION("not where somebody gave the device") {
    const engine::Prediction prediction = recorded("given.strace").predict({"device.flush_us=300"});
    CHECK(prediction.commits == 22);
    CHECK_FALSE(assumes_commit_time(prediction));
  }
}
