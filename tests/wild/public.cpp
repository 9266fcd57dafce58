// Every recording and file of the public reports: the kernel's counters, or what it lacks is told.
#include <filesystem>
#include <map>

#include "model/common/error.h"
#include "sim/questions/validate/validate.h"
#include "tests/wild/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(FCSIM_SOURCE_DIR) / "../shared/findings/public";

questions::validate::BundleResult validated(const fs::path& bundle,
                                            const std::vector<std::string>& settings = {}) {
  questions::validate::ValidateRequest request;
  request.configuration.settings = settings;
  request.configuration.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  return questions::validate::validate_bundle(bundle.string(), request);
}

// The bundle with another manifest.
fs::path with_manifest(const std::string& name, const std::string& from, const std::string& to) {
  const fs::path copy = fs::path(FCSIM_BINARY_DIR) / ("wild-bundle-" + name);
  fs::remove_all(copy);
  fs::copy(kFolder / name, copy, fs::copy_options::recursive);
  std::string text = read_file((copy / "manifest.tsv").string());
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  std::ofstream(copy / "manifest.tsv", std::ios::binary) << text;
  return copy;
}

// What these recordings lack was not recorded when they were made; with it they are exact.
const std::map<std::string, std::string> kIncomplete = {
    {"connect-touches-socket", "connect was not traced: tests/wild/data has the trace with it"},
    {"default-acl-before-trace", "the manifest had no column for ACLs"},
    {"external-journal", "the journal's size and its counters were not read"},
};

}  // namespace

TEST_CASE("recordings of the public reports", "[shared]") {
  if (!fs::exists(kFolder)) {
    WARN("there is no folder " << kFolder.string());
    return;
  }
  std::size_t exact = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() || kIncomplete.count(name) != 0) continue;
    INFO(name);
    CHECK(validated(entry.path()).verdict == questions::validate::Verdict::exact);
    ++exact;
  }
  CHECK(exact >= 9);
}

TEST_CASE("what the incomplete recordings lack makes them right", "[shared]") {
  if (!fs::exists(kFolder)) {
    WARN("there is no folder " << kFolder.string());
    return;
  }
  using questions::validate::Verdict;
  CHECK(
      validated(with_manifest("default-acl-before-trace", "\tj\t", "\tj\t\tdefault-acl")).verdict ==
      Verdict::exact);
  // A journal on another device: refused with the setting that is missing.
  CHECK(validated(kFolder / "external-journal").reason.find("filesystem.journal_blocks") !=
        std::string::npos);
}

TEST_CASE("files of the public reports", "[shared]") {
  if (!fs::exists(kFolder)) {
    WARN("there is no folder " << kFolder.string());
    return;
  }
  const auto counters = [](const char* name, const std::string& mount_point = "") {
    const engine::Prediction prediction = predict((kFolder / name).string(), mount_point);
    return std::to_string(prediction.commits) + "/" + std::to_string(prediction.transactions);
  };
  CHECK(counters("seq-two-pids-notime.strace") == "7/1");
  CHECK(counters("fast-device-ttt-noT.strace") == "6/1");
  CHECK(counters("root-mount-pseudo-fs.strace", "/") == "2/1");
  CHECK(counters("strace-n.strace") == "0/1");
  CHECK_THROWS_AS(counters("ltrace-S-accepted.txt"), model::InputError);
  CHECK_THROWS_AS(counters("device-only.iolog"), model::InputError);
  for (const char* name : {"attached-no-y.strace", "no-writes-recorded.strace", "empty.strace",
                           "times-backwards.iolog"}) {
    INFO(name);
    CHECK_FALSE(predict((kFolder / name).string()).quality.lacking.empty());
  }
}
