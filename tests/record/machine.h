// What this machine offers to recordings, and a file system to record.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/cli/helper.h"

namespace fcsim::test {

inline bool succeeds(const std::string& shell) {
  return std::system(("{ " + shell + "; } >/dev/null 2>&1").c_str()) == 0;
}

// "" where strace can trace here, else why not.
inline std::string no_strace() {
  static const std::string why = succeeds("strace -o /dev/null true") ? ""
                                 : succeeds("strace -V")              ? "strace may not trace here"
                                                                      : "no strace here";
  return why;
}

// "" where loop devices can be mounted, else why not.
inline std::string no_loop_devices() {
  if (!no_strace().empty()) return no_strace();
  if (geteuid() != 0) return "not root";
  if (!std::filesystem::exists("/dev/loop-control")) return "no loop devices here";
  static const bool mounts = succeeds(
      "d=$(mktemp -d) && truncate -s 8M $d/i && mke2fs -q -F $d/i && mkdir $d/m && "
      "mount -o loop $d/i $d/m && umount $d/m; s=$?; rm -rf $d; exit $s");
  return mounts ? "" : "a loop device cannot be mounted here";
}

// Runs the command again, up to three times, where another program's sync(2) ran into the
// recording.
inline Outcome run_undisturbed(const std::string& arguments, const std::string& before = "") {
  Outcome outcome = run(arguments, before);
  for (int again = 0; again < 3; ++again) {
    if (outcome.errors.find("another program called sync") == std::string::npos) break;
    outcome = run(arguments, before);
  }
  return outcome;
}

// A new folder below the build folder.
inline std::string new_folder(const std::string& name) {
  const std::string path = std::string(FCSIM_BINARY_DIR) + "/test-files/record-" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

// What is attached to loop devices, what is mounted below `folder`, and what it holds.
inline std::string left_behind(const std::string& folder) {
  std::string text;
  for (const auto& device : std::filesystem::directory_iterator("/sys/block")) {
    const std::string backing = read_file(device.path().string() + "/loop/backing_file");
    if (backing.find(folder) != std::string::npos) text += "loop device: " + backing;
  }
  if (read_file("/proc/self/mountinfo").find(folder) != std::string::npos) text += "a mount\n";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    text += "file: " + entry.path().string() + "\n";
  return text;
}

// A fresh ext4 with fast_commit on a loop device, gone with the object.
class LoopMount {
 public:
  explicit LoopMount(const std::string& name) : folder_(new_folder(name)) {
    ready_ =
        succeeds("cd '" + folder_ +
                 "' && truncate -s 256M image && mkdir mnt && mke2fs -q -t ext4 -O fast_commit "
                 "-E lazy_itable_init=0,lazy_journal_init=0 image && mount -o loop image mnt");
  }
  ~LoopMount() {
    succeeds("umount '" + folder_ + "/mnt'");
    std::filesystem::remove_all(folder_);
  }
  LoopMount(const LoopMount&) = delete;
  LoopMount& operator=(const LoopMount&) = delete;
  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] std::string path() const { return folder_ + "/mnt"; }

 private:
  std::string folder_;
  bool ready_ = false;
};

}  // namespace fcsim::test
