// Is everything predicted as it was, right or not? The digests say so for each bundle under both
// timings, those that differ from the kernel and those within its spread included.
//
//     FCSIM_UPDATE_FROZEN=1 build/dev/tests/test_frozen '*'
//
// writes tests/frozen/digests.tsv and chains.zst anew; the commit that does so says why.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <iostream>

#include "sim/replay/bundle_search.h"
#include "tests/catch.h"
#include "tests/corpus/helper.h"
#include "tests/frozen/digest.h"

using namespace fcsim;

namespace {

constexpr const char* kFolder = FCSIM_SOURCE_DIR "/tests/frozen";
constexpr const char* kTimings[] = {"recorded", "closed"};

struct Job {
  std::string name;  // "SET/BUNDLE TIMING"
  std::string bundle, timing;
};

// The part of a bundle's path below its set's folder, with the set in front.
std::vector<Job> jobs_of(const std::string& set, const std::string& folder) {
  std::vector<Job> jobs;
  for (const std::string& bundle : replay::find_bundles({folder}))
    for (const char* timing : kTimings)
      jobs.push_back({set + "/" + std::filesystem::relative(bundle, folder).string() + " " + timing,
                      bundle, timing});
  return jobs;
}

test::Digests digests_of(const std::vector<Job>& jobs) {
  std::vector<std::future<test::Digest>> parts;
  test::Digests digests;
  for (std::size_t next = 0; next < jobs.size(); next += 2) {
    const auto work = [&](std::size_t i) {
      return digest_of(test::predict_for_digest(jobs[i].bundle, jobs[i].timing));
    };
    auto other = std::async(std::launch::async, work, std::min(next + 1, jobs.size() - 1));
    digests[jobs[next].name] = work(next);
    digests[jobs[std::min(next + 1, jobs.size() - 1)].name] = other.get();
  }
  return digests;
}

// What changed, in words; "" if nothing did.
std::string change(const Job& job, const test::Digest& before, const test::Digest& now) {
  if (before == now) return "";
  const auto where =
      std::mismatch(before.chain.begin(), before.chain.end(), now.chain.begin(), now.chain.end());
  const auto first = static_cast<std::size_t>(where.second - now.chain.begin());
  if (before.commits == now.commits && before.chain == now.chain)
    return job.name + ": counters changed, the commits did not\n";
  const test::Predicted predicted = test::predict_for_digest(job.bundle, job.timing);
  return job.name + ": commit " + std::to_string(first + 1) + " of " +
         std::to_string(now.chain.size()) + " (" + std::to_string(before.chain.size()) +
         " before) is the first that changed; it is now: " +
         (first < predicted.commits.size() ? predicted.commits[first] : "missing") + "\n";
}

bool update_wanted() {
  const char* const update = std::getenv("FCSIM_UPDATE_FROZEN");
  return update != nullptr && *update == '1';
}

void check_set(const std::string& set, const std::string& folder) {
  const std::vector<Job> jobs = jobs_of(set, folder);
  REQUIRE_FALSE(jobs.empty());
  const test::Digests now = digests_of(jobs);
  test::Digests before = test::read_digests(kFolder);
  if (update_wanted()) {
    std::erase_if(before, [&](const auto& entry) { return entry.first.starts_with(set + "/"); });
    before.insert(now.begin(), now.end());
    test::write_digests(kFolder, before);
    return;
  }
  std::string changes;
  for (const Job& job : jobs) {
    const auto found = before.find(job.name);
    changes += found == before.end() ? job.name + ": has no digest\n"
                                     : change(job, found->second, now.at(job.name));
  }
  CHECK(changes == "");
}

}  // namespace

TEST_CASE("predictions for the bundled recordings are as they were", "[frozen]") {
  check_set("bundles", test::bundles_folder());
}

TEST_CASE("predictions for the larger corpus are as they were", "[frozen][shared]") {
  for (const char* set : {"rules", "apps", "kernels", "patched"})
    check_set(set, std::string(FCSIM_SOURCE_DIR) + "/../shared/corpus/" + set);
}
