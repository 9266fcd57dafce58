// Is fast_commit_kib what mke2fs 1.47.0 does with -J fast_commit_size=? Every row was run.
#include "sim/configuration/mke2fs.h"

#include "tests/catch.h"
#include "tests/config/helper.h"

using namespace fcsim;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

struct Default {
  std::uint64_t bytes;
  std::uint32_t block_size;
  std::uint32_t total;
  std::uint32_t area;
};

}  // namespace

TEST_CASE("default journal and area by size", "[config]") {
  const std::vector<Default> rows = {
      {512 * kMiB, 4096, 4160, 64},   {kGiB, 4096, 8320, 128},
      {2 * kGiB, 4096, 16640, 256},   {8 * kGiB, 4096, 16640, 256},
      {32 * kGiB, 4096, 66560, 1024}, {200 * kGiB, 4096, 266240, 4096},
      {256 * kMiB, 1024, 8320, 128},  {kGiB, 1024, 16640, 256},
      {kGiB, 2048, 16640, 256}};
  for (const Default& row : rows) {
    model::FilesystemSettings filesystem;
    filesystem.features = {"has_journal", "fast_commit"};
    filesystem.block_size = row.block_size;
    filesystem.block_count = row.bytes / row.block_size;
    filesystem.journal_blocks = configuration::default_journal_blocks(filesystem.block_count);
    filesystem.fast_commit_blocks = 0;
    const configuration::FastCommitSize size = configuration::fast_commit_size(filesystem, 0);
    CHECK(size.area_blocks == row.area);
    CHECK(size.journal_blocks == row.total);
  }
}

TEST_CASE("fast_commit_kib on 1 GiB with blocks of 4 KiB", "[config]") {
  const auto load = [](const std::string& kib) {
    return test::load_settings({"filesystem.fast_commit_kib=" + kib}).values.filesystem;
  };
  const auto check = [&](const std::string& kib, std::uint32_t area, std::uint32_t total) {
    INFO(kib);
    CHECK(load(kib).fast_commit_blocks == area);
    CHECK(load(kib).journal_blocks == total);
  };
  check("256", 64, 8192 + 64);
  check("255", 63, 8192 + 63);
  check("10", 2, 8192 + 2);
  check("8", 2, 8192 + 2);
  check("4", 1, 8192 + 1);
  check("1", 0, 8192);
  check("0", 128, 8320);
  check("-5", 128, 8320);
  check("131072", 32768, 8192 + 32768);
  CHECK(test::error_of_setting("filesystem.fast_commit_kib=1000000").find("mke2fs refuses") !=
        std::string::npos);
  CHECK(test::error_of_setting("filesystem.fast_commit_kib=256K") ==
        "--set filesystem.fast_commit_kib=256K: 'fast_commit_kib' in [filesystem] expects an "
        "integer (KiB), found the string \"256K\"");
}

TEST_CASE("fast_commit_kib without the feature changes nothing", "[config]") {
  const auto loaded =
      test::load_settings({"filesystem.fast_commit=false", "filesystem.fast_commit_blocks=0",
                           "filesystem.journal_blocks=8192", "filesystem.fast_commit_kib=256"});
  CHECK(loaded.values.filesystem.fast_commit_blocks == 0);
  CHECK(loaded.values.filesystem.journal_blocks == 8192);
  CHECK(loaded.notes.back() ==
        "fast_commit_kib: mke2fs ignores it without the feature fast_commit");
}
