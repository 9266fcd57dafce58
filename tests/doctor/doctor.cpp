// Does the doctor name what keeps a file system from fast commits, and commands that mend it?
#include <cstdlib>

#include "sim/questions/doctor/findings.h"
#include "sim/report/doctor_report.h"
#include "tests/cli/helper.h"
#include "tests/geometry/helper.h"

using namespace fcsim;
using namespace fcsim::test;
using questions::doctor::Finding;
using questions::doctor::Subject;
using questions::doctor::Weight;

namespace {

machine::geometry::FilesystemOnDisk gibibyte(std::uint32_t journal_blocks, std::uint32_t area,
                                             bool feature) {
  machine::geometry::FilesystemOnDisk disk;
  disk.source = "disk.img";
  disk.settings = configured().values.filesystem;
  disk.settings.journal_blocks = journal_blocks;
  disk.settings.fast_commit_blocks = area;
  if (!feature) std::erase(disk.settings.features, "fast_commit");
  return disk;
}

Subject image(const machine::geometry::FilesystemOnDisk& disk,
              const std::vector<std::string>& settings = {}) {
  Subject subject;
  subject.source = disk.source;
  subject.geometry = machine::geometry::answer_geometry(disk, {}, configured(settings));
  return subject;
}

// Mounted on /mnt/data with that largest transaction.
Subject mounted(const machine::geometry::FilesystemOnDisk& disk, std::uint32_t limit,
                const std::string& mount_point = "/mnt/data") {
  machine::geometry::MountedFilesystem mount;
  mount.mount_point = mount_point;
  mount.device = "/dev/vdb";
  mount.name = "vdb";
  mount.options = {"rw", "relatime", "dioread_nolock"};
  mount.options_known = true;
  mount.fast_commits = 0;
  mount.max_transaction_blocks = limit;
  Subject subject;
  subject.source = subject.mount_point = mount_point;
  subject.device = mount.device;
  subject.geometry = machine::geometry::answer_geometry(disk, mount, configured());
  return subject;
}

std::string commands_of(const Finding& finding) {
  std::string text;
  for (const questions::doctor::Step& step : finding.steps)
    text += (text.empty() ? "" : "; ") + step.command + (step.destroys_data ? " [destroys]" : "");
  return text;
}

}  // namespace

TEST_CASE("nothing to mend", "[doctor]") {
  CHECK(findings_of(image(gibibyte(8320, 128, true))).empty());
}

TEST_CASE("the feature is missing", "[doctor]") {
  const auto findings = findings_of(image(gibibyte(8192, 0, false)));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].weight == Weight::no_gain);
  CHECK(commands_of(findings[0]) ==
        "tune2fs -O fast_commit disk.img; mke2fs -t ext4 -O fast_commit disk.img [destroys]");
  const auto live = findings_of(mounted(gibibyte(8192, 0, false), 2730));
  REQUIRE(live.size() == 1);
  CHECK(commands_of(live[0]) ==
        "umount /mnt/data; tune2fs -O fast_commit /dev/vdb; mount /dev/vdb /mnt/data; "
        "mke2fs -t ext4 -O fast_commit /dev/vdb [destroys]");
  const auto root = findings_of(mounted(gibibyte(8192, 0, false), 2730, "/"));
  CHECK(commands_of(root.at(0)).find("tune2fs -O fast_commit /dev/vdb; reboot") == 0);
}

TEST_CASE("a mount that is older than the feature", "[doctor]") {
  const auto findings = findings_of(mounted(gibibyte(8192, 0, true), 2730));
  REQUIRE(findings.size() == 1);
  CHECK(commands_of(findings[0]) == "umount /mnt/data; mount /dev/vdb /mnt/data");
}

TEST_CASE("no journal, one that is too small, an area of one block", "[doctor]") {
  auto none = gibibyte(0, 0, false);
  std::erase(none.settings.features, "has_journal");
  CHECK(commands_of(findings_of(image(none)).at(0)).find("tune2fs -O has_journal,fast_commit") ==
        0);
  const auto small = findings_of(image(gibibyte(1024, 0, false)));
  CHECK(small.at(0).what.find("too small") != std::string::npos);
  CHECK(commands_of(small[0]).find("tune2fs -J size=4 disk.img") != std::string::npos);
  const auto refused = findings_of(image(gibibyte(1279, 0, true)));
  CHECK(commands_of(refused.at(0)).find("tune2fs -O ^fast_commit disk.img") == 0);
  const auto one = findings_of(image(gibibyte(8193, 1, true)));
  CHECK(commands_of(one.at(0)).find("tune2fs -J size=32 disk.img") != std::string::npos);
}

TEST_CASE("mount options", "[doctor]") {
  const auto journal = findings_of(image(gibibyte(8320, 128, true), {"mount.data=journal"}));
  REQUIRE(journal.size() == 1);
  CHECK(journal[0].what == "it is mounted with data=journal");
  const auto both =
      findings_of(image(gibibyte(8320, 128, true), {"mount.sync=true", "mount.barrier=false"}));
  REQUIRE(both.size() == 2);
  CHECK(both[0].weight == Weight::danger);
  CHECK(commands_of(both[1]).find("mount -o remount,async") == 0);
}

TEST_CASE("the counters name reasons, and those that have none", "[doctor]") {
  Subject subject = image(gibibyte(8320, 128, true));
  subject.counters.emplace();
  subject.counters->counted = {{"fc_info", "commits", 10},
                               {"fc_info", "ineligible", 12},
                               {"fc_info.reasons", "Resize", 0},
                               {"fc_info.reasons", "Dir renamed", 15},
                               {"jbd2", "requested", 40},
                               {"jbd2", "transactions", 41}};
  const auto findings = findings_of(subject);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].what == "\"Dir renamed\" was marked 15 times");
  CHECK(findings[1].what.find("28 full commits") == 0);
}

TEST_CASE("the command takes images, texts and bundles", "[doctor]") {
  const Outcome bundle = run("doctor tests/bundles/setxattr");
  CHECK(bundle.status == 0);
  CHECK(bundle.output.find("\"Extended attributes changed\"") != std::string::npos);
  CHECK(bundle.output.find("fcsim explain tests/bundles/setxattr") != std::string::npos);
  const Outcome text = run("doctor tests/geometry/data/unclean.dumpe2fs");
  CHECK(text.status == 0);
  CHECK(text.output.find("waits for recovery") != std::string::npos);
  CHECK(run("doctor -f json tests/bundles/setxattr").output.find("\"sections\"") !=
        std::string::npos);
  CHECK(run("doctor no/such/image").status == 1);
}

// The advice is followed word by word on an image, and the next examination finds nothing.
TEST_CASE("what it says to type mends it", "[doctor]") {
  const Folder folder("doctor");
  const std::string path = folder.file("d.img");
  const auto shell = [](const std::string& line) {
    return std::system(("(" + line + ") >/dev/null 2>&1").c_str());
  };
  if (shell("command -v mke2fs tune2fs") != 0) return;
  for (const char* const options : {"-O ^has_journal", "", "-J size=4"}) {
    INFO(options);
    REQUIRE(shell("rm -f " + path + "; truncate -s 256M " + path + "; mke2fs -q -F -t ext4 " +
                  std::string(options) + " " + path) == 0);
    const auto examined = [&] {
      machine::geometry::Image disk(path);
      machine::geometry::FilesystemOnDisk read = disk.filesystem();
      read.source = path;
      return findings_of(image(read));
    };
    const auto findings = examined();
    REQUIRE(findings.size() == 1);
    for (const questions::doctor::Step& step : findings[0].steps)
      if (!step.destroys_data && !step.command.empty()) CHECK(shell(step.command) == 0);
    CHECK(examined().empty());
  }
}
