// Are the rows what the other commands say, and are those that no longer hold made anew?
#include <unistd.h>

#include "sim/questions/batch/summary.h"
#include "sim/report/batch_report.h"
#include "tests/batch/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

std::vector<questions::batch::ResultRow> rows_of(const std::string& path) {
  std::vector<questions::batch::ResultRow> rows;
  questions::batch::ResultDatabase::open(path).for_each(
      [&](const questions::batch::ResultRow& row) { rows.push_back(row); });
  return rows;
}

}  // namespace

TEST_CASE("each row has the numbers of a run with its options", "[batch]") {
  const Folder folder;
  questions::batch::run_batch(request_for(
      {kBundles + "art-fc128", kBundles + "link", kBundles + "art-xattr"}, folder / "results.db",
      {"filesystem.fast_commit_kib=128,1024", "mount.data=ordered,journal"}));
  auto database = questions::batch::ResultDatabase::open(folder / "results.db");
  const auto settings = database.settings();
  REQUIRE(settings.size() == 4);
  CHECK(settings[1].options == "--set filesystem.fast_commit_kib=128 --set mount.data=journal");
  std::size_t rows = 0;
  database.for_each([&](const questions::batch::ResultRow& row) {
    ++rows;
    const std::string options = settings[static_cast<std::size_t>(row.setting - 1)].options;
    std::string text = run("run -q -f csv '" + row.bundle + "' " + options).output;
    REQUIRE(text.starts_with("counter,value\n"));
    std::istringstream lines(text.substr(text.find('\n') + 1));
    std::map<std::string, std::uint64_t> expected;
    for (std::string line; std::getline(lines, line);) {
      const std::size_t comma = line.rfind(',');
      std::string name = line.substr(0, comma);
      if (name.starts_with('"')) name = name.substr(1, name.size() - 2);
      const std::uint64_t value = std::stoull(line.substr(comma + 1));
      // What sync calls led to has no column: run -f json tells it.
      if (value != 0 && !name.starts_with("sync_results.")) expected[name] = value;
    }
    std::map<std::string, std::uint64_t> found;
    for (const auto& [name, value] : row.counters)
      if (value != 0) found[name] = value;
    for (const auto& [name, value] : row.reasons) found["fc_info.reasons." + name] = value;
    for (const auto& [name, value] : row.unsupported) found["unsupported." + name] = value;
    INFO(row.bundle << " " << options);
    CHECK(found == expected);
  });
  CHECK(rows == 12);
}

TEST_CASE("hashes are those of xxhsum -H2", "[batch]") {
  CHECK(questions::batch::to_hex(questions::batch::hash_of("")) ==
        "99aa06d3014798d86001c324468d497f");
  const questions::batch::Hash hash{0x0123456789abcdef, 0xfedcba9876543210};
  CHECK(questions::batch::hash_from_hex(questions::batch::to_hex(hash)) == hash);
  CHECK_FALSE(questions::batch::hash_from_hex("0123"));
  CHECK_FALSE(questions::batch::hash_from_hex(std::string(32, 'G')));
}

TEST_CASE("the number of threads changes nothing", "[batch]") {
  const Folder folder;
  for (const unsigned threads : {1U, 3U}) {
    auto request =
        request_for({kBundles + "link", kBundles + "mkdir", kBundles + "rename"},
                    folder / (std::to_string(threads) + ".db"), {"range_tracking.max_ranges=1,2"});
    request.threads = threads;
    questions::batch::run_batch(request);
  }
  CHECK(export_text(folder / "1.db") == export_text(folder / "3.db"));
}

TEST_CASE("rows are kept while input, configuration and version are the same", "[batch]") {
  const Folder folder;
  folder.copy_bundle("link", "in/a");
  folder.copy_bundle("mkdir", "in/b");
  const std::string extra = folder / "extra.toml";
  write_file(extra, "[mount]\ncommit_interval_s = 5\n");
  auto request = request_for({folder / "in"}, folder / "r.db", {"range_tracking.max_ranges=1,2"});
  request.configuration.files = {extra};
  CHECK(questions::batch::run_batch(request).made == 4);
  const std::string first = export_text(folder / "r.db");
  CHECK(questions::batch::run_batch(request).made == 0);
  CHECK(questions::batch::run_batch(request).kept == 4);
  CHECK(export_text(folder / "r.db") == first);

  SECTION("a bundle's file") {
    std::ofstream(folder / "in/b/env.toml", std::ios::app) << "# nothing\n";
    CHECK(questions::batch::run_batch(request).made == 2);
    CHECK(export_text(folder / "r.db") != first);
  }
  SECTION("the time at which the counters were read") {
    std::ofstream(folder / "in/a/truth.toml", std::ios::app) << "# nothing\n";
    CHECK(questions::batch::run_batch(request).made == 2);
  }
  SECTION("a configuration file says something else") {
    write_file(extra, "[mount]\ncommit_interval_s = 7\n");
    CHECK(questions::batch::run_batch(request).made == 4);
    CHECK(rows_of(folder / "r.db").size() == 4);
  }
  SECTION("a configuration file says the same in other words") {
    write_file(extra, "# a comment\n[mount]\ncommit_interval_s = 5\n");
    CHECK(questions::batch::run_batch(request).made == 0);
  }
  SECTION("another fcsim") {
    request.version = "test 2";
    CHECK(questions::batch::run_batch(request).made == 4);
    for (const auto& row : rows_of(folder / "r.db")) CHECK(row.fcsim_version == "test 2");
  }
  SECTION("a wider grid adds its rows") {
    request.parameters = {questions::sweep::parse_parameter("range_tracking.max_ranges=1..4*2")};
    const auto done = questions::batch::run_batch(request);
    CHECK(done.made == 2);
    CHECK(done.kept == 4);
  }
}

TEST_CASE("a bundle or a setting that fails is a row with its error", "[batch]") {
  const Folder folder;
  folder.copy_bundle("link", "in/good");
  folder.copy_bundle("link", "in/bad");
  write_file(folder / "in/bad/env.toml", "[filesystem]\nblock_size = 4097\n");
  folder.copy_bundle("link", "in/unreadable");
  std::filesystem::remove(folder / "in/unreadable/trace.strace.zst");
  // A regular file whose first byte cannot be read by anybody.
  std::filesystem::create_symlink("/proc/self/mem", folder / "in/unreadable/trace.strace");
  const std::string arguments = "batch -q -j2 '" + (folder / "in") + "' -o '" + (folder / "r.db") +
                                "' -p filesystem.block_count=1,262144";
  const auto first = run(arguments);
  CHECK(first.status == 1);
  CHECK(first.errors == "fcsim: " + (folder / "r.db") + ": 5 of 6 rows are errors\n");
  const auto rows = rows_of(folder / "r.db");
  REQUIRE(rows.size() == 6);
  REQUIRE(rows[0].error);
  CHECK(rows[0].error->starts_with((folder / "in/bad/env.toml") + ":2:"));
  CHECK(rows[0].input_hash);
  CHECK(rows[0].counters.empty());
  REQUIRE(rows[2].error);  // this setting alone
  CHECK_FALSE(rows[3].error);
  REQUIRE(rows[4].error);
  CHECK(*rows[4].error == (folder / "in/unreadable/trace.strace") + ": Input/output error");
  CHECK_FALSE(rows[4].input_hash);

  const std::string before = export_text(folder / "r.db");
  CHECK(run(arguments).status == 1);
  CHECK(export_text(folder / "r.db") == before);
  std::filesystem::remove(folder / "in/unreadable/trace.strace");
  folder.copy_bundle("link", "in/spare");
  std::filesystem::rename(folder / "in/spare/trace.strace.zst",
                          folder / "in/unreadable/trace.strace.zst");
  std::filesystem::remove_all(folder / "in/spare");
  run(arguments);
  CHECK_FALSE(rows_of(folder / "r.db")[5].error);  // readable now, so done again
}

TEST_CASE("the summary has quartiles, better and worse settings", "[batch]") {
  const Folder folder;
  engine::Prediction prediction;
  {
    auto database = questions::batch::ResultDatabase::create(folder / "r.db");
    auto transaction = database.begin();
    for (const char* value : {"1", "2", "3"})
      database.setting_number({std::string("--set a.b=") + value, "", {{"a.b", value}}});
    const std::vector<std::vector<std::uint64_t>> transactions = {
        {1, 2, 3, 10}, {1, 1, 4, 4}, {2, 2, 3, 11}};
    for (std::size_t setting = 0; setting < 3; ++setting)
      for (std::size_t bundle = 0; bundle < 4; ++bundle) {
        questions::batch::ResultRow row;
        row.bundle = std::string("b") + std::to_string(bundle);
        row.setting = static_cast<std::int64_t>(setting + 1);
        row.notes = row.warnings = "[]";
        prediction.transactions = transactions[setting][bundle];
        questions::batch::set_counters(row, prediction);
        database.put(row);
      }
    transaction.commit();
  }
  auto database = questions::batch::ResultDatabase::open(folder / "r.db");
  const auto summary_of = [&](const questions::batch::SummaryRequest& request) {
    return report::text_of(report::batch_document(questions::batch::summarize(database, request)),
                           {});
  };
  const std::string text = summary_of({{"jbd2.transactions"}, "jbd2.transactions", ""});
  CHECK(text ==
        (folder / "r.db") +
            ": 4 bundles, 3 settings, 12 rows, 0 of them errors\n"
            "\n"
            "jbd2.transactions\n"
            "setting  a.b  traces  min    q1  median    q3  max  mean\n"
            "      1    1       4    1  1.75    2.50  4.75   10  4.00\n"
            "      2    2       4    1     1    2.50     4    4  2.50\n"
            "      3    3       4    2     2    2.50     5   11  4.50\n"
            "\n"
            "jbd2.transactions against setting 1 (--set a.b=1): the better settings\n"
            "setting  a.b  traces  better  equal  worse  change  percent  gains most  loses most\n"
            "      2    2       4       2      1      1      -6    -37.5  b3 -6       b2 +1\n"
            "\n"
            "jbd2.transactions against setting 1 (--set a.b=1): the worse settings\n"
            "setting  a.b  traces  better  equal  worse  change  percent  gains most  loses most\n"
            "      3    3       4       0      2      2      +2     12.5  -           b0 +1\n");
  const auto of = [&](const std::string& baseline) {
    return summary_of({{"jbd2.transactions"}, "jbd2.transactions", baseline});
  };
  CHECK(of("2") == of("--set a.b=2"));
  CHECK_THROWS_AS(of("4"), model::InputError);
  CHECK_THROWS_AS(summary_of({{"jbd2.nothing"}, "jbd2.transactions", ""}), model::InputError);
}
