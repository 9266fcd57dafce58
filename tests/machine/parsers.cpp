// Is each text that kernel and e2fsprogs print about a machine read right, by the one parser that
// there is for it?
#include "sim/machine/dumpe2fs.h"
#include "sim/machine/kernel_counters.h"
#include "sim/machine/mount_options.h"
#include "sim/machine/mountinfo.h"
#include "tests/catch.h"
#include "tests/machine/dumpe2fs_text.h"

using namespace fcsim;

namespace {

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Each line after `quote`.
std::string quoted(const std::string& text, const std::string& quote) {
  std::string result = quote;
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) result += quote;
  }
  return result;
}

machine::DumpedFilesystem parse(const std::string& text) {
  return machine::parse_dumpe2fs(text, "dump");
}

}  // namespace

TEST_CASE("dumpe2fs's text is the file system", "[machine]") {
  const machine::DumpedFilesystem dumped = parse(test::kDump);
  const model::FilesystemSettings& settings = dumped.settings;
  CHECK(settings.block_size == 4096);
  CHECK(settings.block_count == 262144);
  CHECK(settings.inode_size == 256);
  CHECK(settings.extra_isize == 28);
  CHECK(settings.flex_group_size == 16);
  CHECK(settings.journal_blocks == 8320);
  CHECK(settings.fast_commit_blocks == 128);
  CHECK(settings.has("fast_commit"));
  CHECK(dumped.needs_recovery);
  CHECK_FALSE(settings.has("needs_recovery"));
  CHECK_FALSE(settings.has("orphan_present"));
  CHECK_THROWS_AS(parse("dumpe2fs: Permission denied\n"), model::InputError);
}

TEST_CASE("dumpe2fs before 1.46 prints the journal's length", "[machine]") {
  std::string old =
      with(test::kDump, "Total journal blocks:     8320\n", "Journal length:           8192\n");
  old = with(old, "Total journal size:       33280k\n", "Journal size:             32M\n");
  old = with(old, "Fast commit length:       128\n", "");
  CHECK(parse(old).settings.journal_blocks == 8192);
  CHECK(parse(old).settings.fast_commit_blocks == 0);
}

TEST_CASE("dumpe2fs's text may be indented or quoted", "[machine]") {
  const model::FilesystemSettings plain = parse(test::kDump).settings;
  for (const char* quote : {"    ", "\t", "> ", ">", "> > ", ">> "})
    CHECK(parse(quoted(test::kDump, quote)).settings == plain);
  try {
    parse(quoted(with(test::kDump, "65536", "x"), "> "));
    FAIL("no error");
  } catch (const model::InputError& error) {
    CHECK(std::string(error.what()) == "dump:3:29: expected a whole number, found 'x'");
  }
}

TEST_CASE("a journal on another device is refused", "[machine]") {
  CHECK_THROWS_AS(
      parse(with(test::kDump, "Journal features:", "Journal UUID:  1-2\nJournal features:")),
      model::InputError);
}

TEST_CASE("mount options come from the kernel's lists", "[machine]") {
  CHECK(machine::listed_mount_settings({"rw", "relatime"}, false) == model::MountSettings{});
  CHECK(machine::listed_mount_settings({"rw"}, false).atime == model::AtimeMode::strictatime);
  CHECK_FALSE(machine::listed_mount_settings({"rw", "relatime"}, true).dioread_nolock);
  CHECK(machine::listed_mount_settings({"dioread_nolock"}, true).dioread_nolock);
  const auto given = machine::listed_mount_settings(
      {"rw", "dioread_lock", "nodelalloc", "nobarrier", "noauto_da_alloc", "data=writeback",
       "commit=30", "min_batch_time=7", "max_batch_time=9", "stripe=4", "errors=panic", "rw",
       "noatime", "lazytime", "dirsync"},
      true);
  CHECK(given.commit_interval_s == 30);
  CHECK(given.data == model::DataMode::writeback);
  CHECK_FALSE(given.dioread_nolock);
  CHECK_FALSE(given.delalloc);
  CHECK_FALSE(given.barrier);
  CHECK_FALSE(given.auto_da_alloc);
  CHECK(given.atime == model::AtimeMode::noatime);
  CHECK(given.lazytime);
  CHECK(given.dirsync);
  CHECK_FALSE(given.sync);
  CHECK(given.min_batch_time_us == 7);
  CHECK(given.max_batch_time_us == 9);
}

TEST_CASE("a mount option means the same to a user and in the kernel's lists", "[machine]") {
  for (const char* option : {"commit=0", "commit=7", "barrier=0", "barrier=1", "nobarrier",
                             "auto_da_alloc=0", "noauto_da_alloc", "dioread_lock", "data=journal",
                             "lazytime", "sync", "noatime", "max_batch_time=0"}) {
    INFO(option);
    model::MountSettings user, kernel;
    machine::apply_mount_options(option, {}, user);
    machine::apply_known_mount_options({option}, kernel);
    CHECK(user == kernel);
  }
  model::MountSettings mount;
  mount.commit_interval_s = 9;
  machine::apply_mount_options("commit=0", {}, mount);
  CHECK(mount.commit_interval_s == 5);
  CHECK_THROWS_AS(machine::apply_mount_options("stripe", {}, mount), model::InputError);
}

TEST_CASE("mountinfo's lines", "[machine]") {
  const auto entries = machine::parse_mountinfo(
      "1 0 8:1 / / rw - xfs /dev/sda1 rw\n"
      "42 1 7:5 / /with\\040space rw,noatime shared:1 - ext4 /dev/root rw,commit=9\n"
      "43 1 7:5 /part /b rw shared:1 master:2 - ext4 /dev/root rw\n"
      "not such a line\n"
      "44 1 7:x / /c rw - ext4 /dev/root rw\n"
      "45 1 0:30 / /with\\040space/t rw - tmpfs  rw,size=1k\n"
      "46 1 7:6 / /b rw - ext4 /dev/loop6 rw\n");
  REQUIRE(entries.size() == 5);
  CHECK(entries[1].mount_point == "/with space");
  CHECK(entries[1].major_number == 7);
  CHECK(entries[1].minor_number == 5);
  CHECK(entries[1].options == std::vector<std::string>{"rw", "noatime", "rw", "commit=9"});
  CHECK(entries[2].root == "/part");
  CHECK(entries[3].source.empty());
  CHECK(entries[3].options == std::vector<std::string>{"rw", "rw", "size=1k"});
  CHECK(machine::mount_of(entries, "/with space/f") == &entries[1]);
  CHECK(machine::mount_of(entries, "/with space/t") == &entries[3]);
  CHECK(machine::mount_of(entries, "/with spaces") == &entries[0]);
  CHECK(machine::mount_of(entries, "/b/x") == &entries[4]);  // the later mount hides the earlier
  CHECK(machine::mount_of({}, "/") == nullptr);
}

TEST_CASE("fc_info and jbd2/info", "[machine]") {
  const machine::KernelCounters counters = machine::parse_kernel_counters(
      "fc stats:\n12 commits\n3 ineligible\n14 numblks\n70us avg_commit_time\n"
      "Ineligible reasons:\n\"Extended attributes changed\":\t2\n\"Cross rename\":\t0\n",
      "7 transactions (5 requested), each up to 2730 blocks\naverage: \n");
  CHECK(counters.value("fc_info", "commits") == 12);
  CHECK(counters.value("fc_info", "ineligible") == 3);
  CHECK(counters.value("fc_info", "numblks") == 14);
  CHECK(counters.value("fc_info", "avg_commit_time") == 0);  // is not a counter
  CHECK(counters.value("fc_info.reasons", "Extended attributes changed") == 2);
  CHECK(counters.value("jbd2", "transactions") == 7);
  CHECK(counters.value("jbd2", "requested") == 5);
  CHECK(counters.value("jbd2", "max_transaction_blocks") == 2730);
  CHECK(counters.counted.size() == 8);  // with the reason that counts 0
  CHECK(machine::parse_jbd2_info("nothing").counted.empty());
}
