// Are synthetic traces the same everywhere, and do they stand for what a kernel counted?
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "model/common/error.h"
#include "sim/configuration/mke2fs.h"
#include "sim/support/size.h"
#include "sim/workload/random.h"
#include "tests/catch.h"
#include "tests/workload/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

// FNV-1a, 64 bits.
std::uint64_t hash(const std::string& text) {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return value;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

}  // namespace

TEST_CASE("a seed gives the same bytes, here and elsewhere", "[workload]") {
  const std::map<std::string, std::uint64_t> hashes = {
      {"append-fsync", 0x51029af7b82af28fU},  {"files-per-round", 0x24bce039c612839fU},
      {"sparse-random", 0x61aae4d31fef10f4U}, {"overwrite-random", 0x5a67a8bdd006acaeU},
      {"create-rename", 0xedfd696e848584f2U}, {"mixed", 0xcfb9789c21a16936U}};
  REQUIRE(workload::workloads().size() == hashes.size());
  for (const workload::WorkloadSummary& workload : workload::workloads()) {
    const std::string name(workload.name);
    INFO(name);
    const std::string text = text_of({name, {{"fsyncs", 20}, {"seed", 7}}});
    CHECK(hash(text) == hashes.at(name));
    CHECK(text != text_of({name, {{"fsyncs", 20}, {"seed", 8}}}));
  }
}

TEST_CASE("every line is understood and nothing is left out of the answer", "[workload]") {
  for (const workload::WorkloadSummary& workload : workload::workloads()) {
    const std::string name(workload.name);
    INFO(name);
    const replay::Session session = predict(make_bundle(name, {name, {{"fsyncs", 100}}}));
    CHECK(session.warnings.empty());
    CHECK(session.prediction.unsupported.empty());
    CHECK(session.prediction.assumed.empty());
    CHECK(session.configuration.assumed.empty());
    CHECK(session.prediction.commits > 0);
  }
}

TEST_CASE("the article's program, whatever the area", "[workload]") {
  // corpus/rules art-fc128 ... art-fc2048: what Linux 6.18 counted for the recorded program.
  struct Row {
    std::int64_t kib;
    std::uint64_t commits, ineligible;
  };
  for (const Row& row : {Row{128, 5813, 188}, Row{256, 5907, 94}, Row{512, 5954, 47},
                         Row{1024, 5977, 24}, Row{2048, 5989, 12}}) {
    INFO(row.kib);
    const replay::Session session =
        predict(make_bundle("article", {"append-fsync", {{"fsyncs", 6000}}}, row.kib));
    CHECK(session.prediction.commits == row.commits);
    CHECK(session.prediction.ineligible == row.ineligible);
    CHECK(session.prediction.numblks == row.commits);
    CHECK(session.prediction.transactions == row.ineligible);
    CHECK(session.prediction.requested == row.ineligible);
  }
}

TEST_CASE("several files, a block a sync", "[workload]") {
  // corpus/rules art-files4: 1500 rounds of four files.
  const engine::Prediction prediction =
      predict(make_bundle("files4", {"files-per-round", {{"fsyncs", 1500}, {"files", 4}}}))
          .prediction;
  CHECK(prediction.sync_calls.fsync == 6004);
  CHECK(prediction.commits == 5954);
  CHECK(prediction.ineligible == 47);
}

TEST_CASE("the blocks of one round differ", "[workload]") {
  const std::string text = text_of({"sparse-random", {{"writes", 64}, {"span", 64 * 4096}}});
  std::istringstream stream(text);
  std::set<std::string> seen;
  std::size_t rounds = 0;
  for (std::string line; std::getline(stream, line);) {
    if (line.find(" pwrite64(") != std::string::npos) {
      const std::size_t end = line.find(") ");
      seen.insert(line.substr(line.rfind(' ', end), end - line.rfind(' ', end)));
    } else if (line.find(" fsync(") != std::string::npos) {
      CHECK(seen.size() == 64);
      seen.clear();
      ++rounds;
    }
  }
  CHECK(rounds == 300);
}

TEST_CASE("parameters do what they say", "[workload]") {
  CHECK(count(text_of({"append-fsync", {{"fsyncs", 5}, {"rounds", 2}, {"files", 3}}}), " fsync(") ==
        2 * 3 * 6);
  CHECK(count(text_of({"append-fsync", {{"fsyncs", 5}, {"fdatasync", 1}}}), " fdatasync(") == 6);
  CHECK(count(text_of({"sparse-random", {{"cold", 0}}}), " syncfs(") == 1);
  CHECK(count(text_of({"sparse-random", {{"cold", 1}}}), " syncfs(") == 0);
  CHECK(count(text_of({"create-rename", {{"fsyncs", 9}, {"sync-directory", 1}}}), " fsync(") == 18);
}

TEST_CASE("nonsense is refused with what was expected", "[workload]") {
  const auto message = [](const workload::WorkloadRequest& request) {
    try {
      workload::completed(request);
      return std::string();
    } catch (const model::InputError& error) {
      return std::string(error.what());
    }
  };
  CHECK(message({"no-such", {}}).starts_with("there is no workload 'no-such'; known are append-"));
  CHECK(message({"append-fsync", {{"span", 1 << 20}}}) ==
        "--span: the workload append-fsync has no such parameter");
  CHECK(message({"append-fsync", {{"fsyncs", 0}}}) ==
        "--fsyncs: expected 1 to 1000000000, found 0");
  CHECK(message({"sparse-random", {{"span", 8192}, {"writes", 3}}}) ==
        "--span: expected room for 3 different blocks of 4 KiB, found 8192 bytes");
}

TEST_CASE("a folder with something in it is left alone", "[workload]") {
  workload::WorkloadBundleRequest request;
  request.workload = {"append-fsync", {{"fsyncs", 1}}};
  request.folder = make_bundle("occupied", request.workload);
  CHECK_THROWS_AS(workload::write_workload_bundle(request), model::InputError);
  request.replace = true;
  request.compress = false;
  workload::write_workload_bundle(request);
  CHECK_FALSE(std::filesystem::exists(request.folder + "/trace.strace.zst"));
  CHECK(read_file(request.folder + "/trace.strace") == text_of(request.workload));
}

TEST_CASE("random numbers keep within their limits", "[workload]") {
  workload::Random random(1);
  for (std::uint64_t limit : {1U, 2U, 3U, 1000U})
    for (int i = 0; i < 100; ++i) CHECK(random.below(limit) < limit);
  for (std::uint64_t size : {0U, 1U, 17U, 100U}) {
    std::vector<std::uint64_t> chosen = random.distinct(size, 100);
    std::sort(chosen.begin(), chosen.end());
    CHECK(chosen.size() == size);
    CHECK(std::adjacent_find(chosen.begin(), chosen.end()) == chosen.end());
    CHECK((chosen.empty() || chosen.back() < 100));
  }
}

TEST_CASE("sizes as people write them", "[workload]") {
  CHECK(support::parse_size("4096") == 4096);
  CHECK(support::parse_size("4KiB") == 4096);
  CHECK(support::parse_size("2g") == std::uint64_t{2} << 30);
  CHECK(support::parse_size("1TiB") == std::uint64_t{1} << 40);
  for (const char* text : {"", "x", "-1", "4kb", "4 KiB", "99999999999999999999", "8388608T"})
    CHECK_FALSE(support::parse_size(text));
}

TEST_CASE("the file systems that mke2fs 1.47 makes", "[workload]") {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  struct Row {
    std::uint64_t bytes;
    std::optional<std::int64_t> kib;
    std::uint32_t block_size, journal, area;
  };
  for (const Row& row :
       {Row{512 * kMiB, {}, 4096, 4160, 64}, Row{1024 * kMiB, {}, 4096, 8320, 128},
        Row{2048 * kMiB, {}, 4096, 16640, 256}, Row{8192 * kMiB, {}, 4096, 16640, 256},
        Row{32768 * kMiB, {}, 4096, 66560, 1024}, Row{204800 * kMiB, {}, 4096, 266240, 4096},
        Row{256 * kMiB, {}, 1024, 8320, 128}, Row{1024 * kMiB, 255, 4096, 8255, 63},
        Row{1024 * kMiB, 1, 4096, 8192, 0}, Row{1024 * kMiB, 0, 4096, 8320, 128}}) {
    INFO(row.bytes);
    const model::FilesystemSettings fs = configuration::make_file_system(row.bytes, row.kib);
    CHECK(fs.block_size == row.block_size);
    CHECK(fs.block_count == row.bytes / row.block_size);
    CHECK(fs.journal_blocks == row.journal);
    CHECK(fs.fast_commit_blocks == row.area);
  }
  const model::FilesystemSettings fs = configuration::make_file_system(2048 * kMiB, {});
  CHECK(fs.inode_count == 131072);
  CHECK(fs.inodes_per_group == 8192);
  CHECK_THROWS_AS(configuration::make_file_system(kMiB, {}), model::InputError);
  CHECK_THROWS_AS(configuration::make_file_system(1024 * kMiB, 1 << 30), model::InputError);
}
