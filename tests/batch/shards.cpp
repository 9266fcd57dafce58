// Do the shards of a batch make up the whole, and is that what merging them gives?
#include "sim/questions/batch/merge.h"
#include "tests/batch/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

const std::vector<std::string> kSome = {kBundles + "acl", kBundles + "creat", kBundles + "link",
                                        kBundles + "mkdir", kBundles + "rename"};

std::string message_of_merge(const std::vector<std::string>& inputs, const std::string& output) {
  try {
    questions::batch::merge_batches(inputs, output);
  } catch (const model::InputError& error) {
    return error.what();
  }
  return "";
}

// The shard that SLURM's variables stand for, by the bundle of six that it does.
std::string slurm(const Folder& folder, const std::string& variables) {
  const std::string database = folder / "slurm.db";
  std::filesystem::remove(database);
  std::string words;
  for (const std::string& bundle : kSome) words += " '" + bundle + "'";
  const auto outcome =
      run("batch -q --shard slurm -o '" + database + "'" + words, "env " + variables);
  if (outcome.status != 0) return std::to_string(outcome.status) + " " + outcome.errors;
  std::string done;
  for (const auto& state : questions::batch::ResultDatabase::open(database).states(""))
    done += std::filesystem::path(state.bundle).filename().string() + " ";
  return done;
}

}  // namespace

TEST_CASE("merged shards are the same bytes as one run", "[batch]") {
  const Folder folder;
  const std::vector<std::string> grid = {"range_tracking.max_ranges=4,1"};
  questions::batch::run_batch(request_for(kSome, folder / "whole.db", grid));
  std::vector<std::string> parts;
  for (const char* text : {"3/3", "1/3", "2/3"}) {
    parts.push_back(folder / (std::string(text).substr(0, 1) + ".db"));
    auto request = request_for(kSome, parts.back(), grid);
    request.shard = questions::batch::parse_shard(text);
    questions::batch::run_batch(request);
  }
  const auto result = questions::batch::merge_batches(parts, folder / "all.db");
  CHECK(result.rows == 10);
  CHECK(result.added == 10);
  CHECK(export_text(folder / "all.db") == export_text(folder / "whole.db"));
  CHECK(export_text(folder / "all.db", true) == export_text(folder / "whole.db", true));
  CHECK(questions::batch::merge_batches(parts, folder / "all.db").added ==
        0);  // once more changes nothing
  CHECK(export_text(folder / "all.db") == export_text(folder / "whole.db"));
}

TEST_CASE("settings decide how finely the work is dealt out", "[batch]") {
  const std::vector<std::string> bundles = {"a", "b"};
  std::vector<std::string> seen;
  for (const char* shard : {"1/3", "2/3", "3/3"})
    for (const auto& unit :
         questions::batch::make_units(bundles, 2200, questions::batch::parse_shard(shard)))
      seen.push_back(unit.bundle + std::to_string(unit.begin) + "-" + std::to_string(unit.end));
  CHECK(seen == std::vector<std::string>{"a0-1024", "b1024-2048", "a1024-2048", "a2048-2200",
                                         "b0-1024", "b2048-2200"});
}

TEST_CASE("shards have the same work where sizes are skewed", "[batch]") {
  const Folder folder;
  std::vector<std::string> bundles;
  for (std::size_t i = 1; i <= 40; ++i) {  // the first is as large as all others together
    const std::string bundle = folder / std::to_string(i);
    std::filesystem::create_directories(bundle);
    write_file(bundle + "/env.toml", "");
    write_file(bundle + "/trace.strace", std::string(4'000'000 / (i * i), '\n'));
    bundles.push_back(bundle);
  }
  std::vector<double> weights(3);
  std::size_t units = 0;
  for (std::size_t shard = 0; shard < weights.size(); ++shard)
    for (const auto& unit : questions::batch::make_units(bundles, 10, {shard, weights.size()})) {
      weights[shard] += static_cast<double>(unit.weight);
      ++units;
    }
  CHECK(units == 40);
  std::sort(weights.begin(), weights.end());
  const double all = weights[0] + weights[1] + weights[2];
  const double largest = 10 * (4'000'000.0 + 16384);  // a unit is not dealt out in parts
  CHECK(weights[2] <= std::max(largest, 1.02 * all / 3));
  CHECK(weights[0] >= 0.98 * (all - largest) / 2);
}

TEST_CASE("malformed shards", "[batch]") {
  for (const char* text : {"", "1", "0/2", "3/2", "1/", "/2", "-1/2", "1/2/3", "a/b", "1 /2"}) {
    INFO(text);
    CHECK_THROWS_AS(questions::batch::parse_shard(text), model::InputError);
  }
  CHECK(run("batch x -o y.db --shard 3/2").status == 2);
}

TEST_CASE("a job array's task does its shard", "[batch]") {
  const Folder folder;
  const std::string two = "SLURM_ARRAY_TASK_COUNT=2 ";
  CHECK(slurm(folder, two + "SLURM_ARRAY_TASK_ID=0") == "link rename ");
  CHECK(slurm(folder, two + "SLURM_ARRAY_TASK_ID=1") == "acl creat mkdir ");
  CHECK(slurm(folder, two + "SLURM_ARRAY_TASK_ID=2") == "link rename ");
  CHECK(slurm(folder, two + "SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_MAX=8 "
                            "SLURM_ARRAY_TASK_STEP=3") == "link rename ");
  CHECK(slurm(folder, two + "SLURM_ARRAY_TASK_ID=8 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_MAX=8 "
                            "SLURM_ARRAY_TASK_STEP=3") == "acl creat mkdir ");
  CHECK(slurm(folder, two + "SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7")
            .find("have gaps") != std::string::npos);
  CHECK(slurm(folder, "-u SLURM_ARRAY_TASK_ID").starts_with("2 "));
}

TEST_CASE("rows that contradict each other are named and nothing is merged", "[batch]") {
  const Folder folder;
  folder.copy_bundle("link", "in/a");
  folder.copy_bundle("mkdir", "in/b");
  questions::batch::run_batch(request_for({folder / "in"}, folder / "1.db"));
  std::ofstream(folder / "in/b/manifest.tsv", std::ios::app) << "\n";
  questions::batch::run_batch(request_for({folder / "in/b"}, folder / "2.db"));
  questions::batch::merge_batches({folder / "1.db"}, folder / "all.db");
  const std::string before = export_text(folder / "all.db");
  const std::string message = message_of_merge({folder / "2.db"}, folder / "all.db");
  CHECK(message.starts_with((folder / "all.db") + ": nothing was merged: 1 row conflicts:\n  " +
                            (folder / "in/b") + " with '' in " + (folder / "2.db") +
                            ": input_hash '"));
  CHECK(export_text(folder / "all.db") == before);
  CHECK(message_of_merge({folder / "all.db"}, folder / "all.db").find("both input and output") !=
        std::string::npos);
  CHECK(message_of_merge({folder / "none.db"}, folder / "new.db").find("none.db: ") !=
        std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "new.db"));
}
