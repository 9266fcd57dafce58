// Does explain name the call, the file and the program of each full commit, and count right?
#include "sim/questions/explain/explain.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "sim/report/explain_report.h"
#include "tests/catch.h"
#include "tests/explain/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

const std::string& name_of(const questions::explain::Explanation& explanation, std::uint32_t call) {
  return explanation.traced.strings()[explanation.call(call)->name];
}

const std::string& path_of(const questions::explain::Explanation& explanation, std::uint32_t call) {
  return explanation.traced.strings()[explanation.call(call)->path];
}

std::string advice(const questions::explain::Explanation& explanation, model::Cause cause) {
  for (const questions::explain::CauseShare& share : explanation.causes)
    if (share.cause == cause) return report::explain_advice(explanation, share);
  return "";
}

}  // namespace

TEST_CASE("every full commit of a run is explained", "[explain]") {
  std::vector<std::string> inputs = corpus_bundles();
  for (const char* name :
       {"art-fc128", "setxattr", "mo-dirsync", "creat-syncfs", "wb-commit1-nofsync", "press-mkdir",
        "mt-append-2", "unlink", "fs-nojournal"})
    inputs.push_back(bundle(name));
  for (const std::string& input : inputs) {
    INFO(input);
    questions::explain::ExplainRequest request = explain_request(input);
    request.attempts = true;
    request.advice = false;
    const questions::explain::Explanation explanation = questions::explain::explain(request);
    replay::SessionRequest run;
    run.inputs = {input};
    run.configuration = configured();
    run.keep_commits = true;
    const engine::Prediction prediction = replay::predict(run).prediction;
    CHECK(explanation.commits.size() == prediction.transactions);
    CHECK(explanation.attempts.size() == prediction.fast_commits.size());
    std::uint64_t commits = 0;
    for (const questions::explain::CauseShare& share : explanation.causes) {
      CHECK(share.share.commits == prediction.causes[static_cast<std::size_t>(share.cause)]);
      commits += share.share.commits;
    }
    CHECK(commits == prediction.transactions);
    for (const questions::explain::ExplainedCommit& commit : explanation.commits) {
      // Whatever has a line has a call, with a name; what has none is the kernel's own doing.
      CHECK((commit.asked_by == questions::explain::kNoCall) == (commit.record.origin.line == 0));
      if (commit.asked_by != questions::explain::kNoCall)
        CHECK_FALSE(name_of(explanation, commit.asked_by).empty());
      CHECK(commit.record.opened <= commit.record.start);
      CHECK(commit.record.start <= commit.record.end);
    }
  }
}

TEST_CASE("an ineligible commit is the fault of the call that marked", "[explain]") {
  const questions::explain::Explanation explanation =
      questions::explain::explain(explain_request(bundle("setxattr")));
  std::size_t ineligible = 0;
  for (const questions::explain::ExplainedCommit& commit : explanation.commits) {
    if (commit.record.cause != model::Cause::ineligible) continue;
    ++ineligible;
    CHECK(name_of(explanation, commit.caused_by) == "setxattr");
    CHECK(name_of(explanation, commit.asked_by) == "fsync");
    CHECK(path_of(explanation, commit.caused_by) == "f0");
    CHECK(path_of(explanation, commit.asked_by) == "log");
    CHECK(explanation.reason_of(commit.record) == "Extended attributes changed");
    CHECK(explanation.call(commit.caused_by)->origin.line <
          explanation.call(commit.asked_by)->origin.line);
  }
  CHECK(ineligible == 50);
  CHECK(explanation.programs.size() == 1);
  CHECK(explanation.programs.front().name == "python3");
  CHECK(advice(explanation, model::Cause::ineligible)
            .starts_with("\"Extended attributes changed\" by setxattr (50): "));
}

TEST_CASE("the area that is advised holds all fast commits, one block less does not", "[explain]") {
  const questions::explain::Explanation explanation =
      questions::explain::explain(explain_request(bundle("art-fc128")));
  REQUIRE(explanation.alternatives.area);
  const questions::tune::AreaAdvice& area = *explanation.alternatives.area;
  const auto full = [&](std::uint64_t blocks) {
    replay::SessionRequest run;
    run.inputs = {bundle("art-fc128")};
    run.configuration = configured();
    run.configuration.settings = {"filesystem.fast_commit_kib=" +
                                  std::to_string(blocks * area.block_size / 1024)};
    return replay::predict(run).prediction;
  };
  constexpr auto cause = static_cast<std::size_t>(model::Cause::area_full);
  CHECK(full(area.smallest).causes[cause] == 0);
  CHECK(full(area.smallest - 1).causes[cause] != 0);
  CHECK(advice(explanation, model::Cause::area_full)
            .find("full commits then: " + std::to_string(full(area.smallest).transactions) +
                  " instead of 188. tune2fs -O ^has_journal DEV; ") != std::string::npos);
}

TEST_CASE("kernels that treat fsync of a directory otherwise are found by their rules",
          "[explain]") {
  const std::string folder = std::string(FCSIM_BINARY_DIR) + "/test-files/explain";
  std::filesystem::create_directories(folder + "/kernels");
  std::ofstream(folder + "/kernels/own.toml")
      << "inherits = \"6.18\"\n[fast_commit]\ndirectory_fsync = \"own-tid\"\n";
  questions::explain::ExplainRequest request = explain_request(bundle("art-unlink-dir"));
  CHECK(questions::explain::explain(request).alternatives.directory_kernels.empty());
  request.session.configuration.directories.push_back(folder);
  const questions::explain::Explanation explanation = questions::explain::explain(request);
  REQUIRE(explanation.alternatives.directory_kernels.size() == 1);
  const questions::explain::OtherOutcome& other =
      explanation.alternatives.directory_kernels.front();
  CHECK(other.name == "own");
  request.session.configuration.profile = "own";
  const engine::Prediction prediction = replay::predict(request.session).prediction;
  CHECK(prediction.causes[static_cast<std::size_t>(model::Cause::directory_fsync)] == 0);
  CHECK(other.full_commits == prediction.transactions);
  CHECK(other.fast_commits == prediction.commits);
}

TEST_CASE("what the feature would bring", "[explain]") {
  const questions::explain::Explanation explanation = questions::explain::explain(
      explain_request(bundle("art-plain"), {"filesystem.fast_commit=false"}));
  REQUIRE(explanation.alternatives.with_fast_commit);
  CHECK(explanation.alternatives.with_fast_commit->fast_commits == 20);
  CHECK(explanation.alternatives.with_fast_commit->full_commits == 1);
}

TEST_CASE("a timer's commit has no line", "[explain]") {
  const questions::explain::Explanation explanation =
      questions::explain::explain(explain_request(bundle("wb-write-40s")));
  const auto timer =
      std::find_if(explanation.commits.begin(), explanation.commits.end(),
                   [](const auto& commit) { return commit.record.cause == model::Cause::timer; });
  REQUIRE(timer != explanation.commits.end());
  CHECK(timer->caused_by == questions::explain::kNoCall);
  CHECK(text_of(report::explain_document(explanation, 0), {}).find("  timer  ") !=
        std::string::npos);
}

TEST_CASE("filters choose by what the list shows", "[explain]") {
  const questions::explain::Explanation all =
      questions::explain::explain(explain_request(bundle("setxattr")));
  questions::explain::ExplainRequest request = explain_request(bundle("setxattr"));
  request.filter.cause = model::Cause::ineligible;
  CHECK(questions::explain::explain(request).commits.size() == 50);
  request.filter.cause.reset();
  const std::string path = path_of(all, all.commits.back().caused_by);
  request.filter.file = path;
  const std::size_t relative = questions::explain::explain(request).commits.size();
  CHECK(relative != 0);
  request.filter.file = "/mnt/setxattr/" + path;
  CHECK(questions::explain::explain(request).commits.size() == relative);
  request.filter.file = "no/such/file";
  CHECK(questions::explain::explain(request).commits.empty());
  request.filter.file.clear();
  request.filter.pid = all.call(all.commits.back().caused_by)->origin.pid;
  CHECK(questions::explain::explain(request).commits.size() == all.commits.size());
  request.filter.pid = 1;
  CHECK(questions::explain::explain(request).commits.empty());
}

TEST_CASE("a pipe is explained like the file", "[explain]") {
  const std::string trace = bundle("setxattr") + "/trace.strace.zst";
  const std::string pipe = std::string(FCSIM_BINARY_DIR) + "/test-explain-pipe";
  unlink(pipe.c_str());
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] {
    std::ifstream from(trace, std::ios::binary);
    std::ofstream(pipe, std::ios::binary) << from.rdbuf();
  });
  questions::explain::ExplainRequest request = explain_request(pipe);
  request.session.mount_point = "/mnt/setxattr";
  const questions::explain::Explanation piped = questions::explain::explain(request);
  writer.join();
  unlink(pipe.c_str());
  request.session.inputs = {trace};
  questions::explain::Explanation filed = questions::explain::explain(request);
  CHECK(piped.trace_files == std::vector<std::string>{pipe});
  filed.trace_files = {pipe};
  CHECK(report::explain_json(piped, 0) == report::explain_json(filed, 0));
}

TEST_CASE("errors in a pipe name the pipe", "[explain]") {
  const std::string pipe = std::string(FCSIM_BINARY_DIR) + "/test-explain-pipe-2";
  unlink(pipe.c_str());
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(pipe) << "no trace at all\nnor this\n"; });
  std::string message;
  try {
    questions::explain::explain(explain_request(pipe));
  } catch (const model::InputError& error) {
    message = error.what();
  }
  writer.join();
  unlink(pipe.c_str());
  INFO(message);
  CHECK(message.starts_with(pipe));
}
