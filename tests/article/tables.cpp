// Do the published tables of fast-commit counts come out, integer for integer?
//
// Where the recording adds a transaction for its preparation (one syncfs), the table's number is
// one lower; the rows say what is counted here.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/replay/session.h"
#include "tests/catch.h"

using namespace fcsim;

namespace {

engine::Prediction predict(const std::string& bundle, std::vector<std::string> settings = {}) {
  replay::SessionRequest request;
  request.inputs = {std::string(FCSIM_SOURCE_DIR) + "/tests/bundles/" + bundle};
  request.configuration.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  request.configuration.settings = std::move(settings);
  return replay::predict(request).prediction;
}

std::uint64_t reason(const engine::Prediction& prediction, const std::string& name) {
  for (const auto& [text, count] : prediction.reasons)
    if (text == name) return count;
  return 0;
}

// fast commits, fallbacks, full commits
void check(const engine::Prediction& prediction, std::uint64_t commits, std::uint64_t ineligible,
           std::uint64_t transactions) {
  CHECK(prediction.commits == commits);
  CHECK(prediction.ineligible == ineligible);
  CHECK(prediction.transactions == transactions);
}

}  // namespace

TEST_CASE("12006 fsyncs are 11912 fast and 94 full commits", "[article]") {
  const engine::Prediction on = predict("art-append-on");
  CHECK(on.sync_calls.fsync == 12006);
  check(on, 11912, 94, 94);
  check(predict("art-append-on", {"filesystem.fast_commit=false"}), 0, 0, 12006);
}

TEST_CASE("full commits by the size of the area", "[article]") {
  struct Row {
    std::string kib;
    std::uint64_t fast;
    std::uint64_t full;
  };
  // 32, 64, 128, 256 and 512 blocks of 4 KiB
  for (const Row& row : std::vector<Row>{{"128", 5813, 188},
                                         {"256", 5907, 94},
                                         {"512", 5954, 47},
                                         {"1024", 5977, 24},
                                         {"2048", 5989, 12}}) {
    INFO(row.kib);
    check(predict("art-fc128", {"filesystem.fast_commit_kib=" + row.kib}), row.fast, row.full,
          row.full);
  }
}

TEST_CASE("one, four and sixteen files a round", "[article]") {
  check(predict("art-files1"), 1489, 12, 12);
  check(predict("art-files4"), 5954, 47, 47);
  check(predict("art-files16"), 23813, 188, 188);
}

TEST_CASE("the modes of fallocate", "[article]") {
  for (const char* bundle : {"art-plain", "art-punch", "art-zero", "art-zero-keep"}) {
    INFO(bundle);
    check(predict(bundle), 20, 0, 1);
  }
  for (const char* bundle : {"art-collapse", "art-insert"}) {
    INFO(bundle);
    const engine::Prediction prediction = predict(bundle);
    check(prediction, 0, 20, 21);
    CHECK(reason(prediction, "Falloc range op") == 20);
  }
  check(predict("art-zero200"), 199, 1, 2);
}

TEST_CASE("what fast commits cannot log", "[article]") {
  const engine::Prediction xattr = predict("art-xattr");
  check(xattr, 50, 50, 51);
  CHECK(reason(xattr, "Extended attributes changed") == 100);
  const engine::Prediction exchange = predict("art-exchange");
  check(exchange, 0, 0, 51);
  CHECK(reason(exchange, "Cross rename") == 50);
  const engine::Prediction directory = predict("art-renamedir");
  check(directory, 0, 0, 51);
  CHECK(reason(directory, "Dir renamed") == 50);
  // With an fsync of a file after it, each rename of a directory is a fallback.
  const engine::Prediction fallbacks = predict("rename-dir");
  check(fallbacks, 0, 50, 51);
  CHECK(reason(fallbacks, "Dir renamed") == 50);
}

TEST_CASE("unlink and what is synced after it", "[article]") {
  check(predict("art-unlink-dir"), 0, 0, 101);
  check(predict("art-unlink-parent"), 0, 0, 101);
  check(predict("art-unlink-other"), 100, 0, 1);
}

TEST_CASE("data=journal has no fast commits", "[article]") {
  check(predict("art-datajournal"), 0, 0, 1001);
}

TEST_CASE("an area made by tune2fs is 256 blocks", "[article]") {
  check(predict("art-tune-area"), 1993, 8, 8);
  check(predict("art-tune-size"), 5954, 47, 47);
}
