// Is the perfetto form what the trace event format asks for?
#include <boost/property_tree/json_parser.hpp>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "sim/report/explain_report.h"
#include "tests/catch.h"
#include "tests/explain/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

using Tree = boost::property_tree::ptree;

// Throws where the text is not JSON.
Tree parse(const std::string& text) {
  std::istringstream stream(text);
  Tree tree;
  boost::property_tree::read_json(stream, tree);
  return tree;
}

questions::explain::Explanation whole(const std::string& input) {
  questions::explain::ExplainRequest request = explain_request(input);
  request.attempts = true;
  request.sync_calls = true;
  request.advice = false;
  return questions::explain::explain(request);
}

// Nanoseconds, of microseconds with up to three decimals.
std::int64_t nanoseconds(const std::string& microseconds) {
  const double value = std::stod(microseconds) * 1000;
  const std::int64_t whole = std::llround(value);
  CHECK(std::abs(value - static_cast<double>(whole)) < 0.01);
  return whole;
}

struct Seen {
  std::map<std::string, std::size_t> phases;
  std::map<std::pair<std::string, std::string>, std::size_t> slices;  // pid, tid
  std::size_t overlapping = 0;
  std::set<std::pair<std::string, std::string>> names;  // what is named, its tid: once each
};

Seen check_events(const Tree& root) {
  Seen seen;
  std::int64_t before = 0;
  std::map<std::pair<std::string, std::string>, std::int64_t> ends;
  for (const auto& [index, event] : root.get_child("traceEvents")) {
    const std::string phase = event.get<std::string>("ph");
    ++seen.phases[phase];
    CHECK((phase == "X" || phase == "M" || phase == "C"));
    CHECK_FALSE(event.get<std::string>("cat").empty());
    if (phase == "M") {  // has no time
      CHECK(before == 0);
      CHECK_FALSE(event.get_child("args").get<std::string>("name").empty());
      CHECK(
          seen.names.emplace(event.get<std::string>("name"), event.get<std::string>("tid")).second);
      continue;
    }
    const std::int64_t start = nanoseconds(event.get<std::string>("ts"));
    CHECK(start >= before);
    before = start;
    CHECK_FALSE(event.get<std::string>("name").empty());
    const std::pair<std::string, std::string> track(event.get<std::string>("pid"),
                                                    event.get<std::string>("tid"));
    if (phase != "X") continue;
    ++seen.slices[track];
    const std::int64_t duration = nanoseconds(event.get<std::string>("dur"));
    CHECK(duration >= 0);
    if (start < ends[track]) ++seen.overlapping;
    ends[track] = start + duration;
  }
  return seen;
}

}  // namespace

TEST_CASE("events have what each must have, in order of time", "[explain]") {
  for (const char* name :
       {"art-fc128", "setxattr", "mt-append-2", "wb-write-40s", "creat-syncfs", "fs-nojournal"}) {
    INFO(name);
    const questions::explain::Explanation explanation = whole(bundle(name));
    const Seen seen = check_events(parse(report::explain_perfetto(explanation)));
    CHECK(seen.overlapping == 0);
    const auto slices = [&](const char* tid) {
      const auto found = seen.slices.find({"4194305", tid});
      return found == seen.slices.end() ? 0 : found->second;
    };
    CHECK(slices("4194306") == explanation.prediction.transactions);
    CHECK(slices("4194307") == explanation.prediction.transactions);
    CHECK(slices("4194308") == explanation.prediction.commits);
    for (const auto& [track, count] : seen.slices)
      CHECK(seen.names.contains({"thread_name", track.second}));
    CHECK(seen.phases.at("M") >= 4);
    CHECK(seen.phases.at("C") >= 1 + explanation.prediction.commits);
  }
}

TEST_CASE("sync calls are slices of their threads", "[explain]") {
  const questions::explain::Explanation explanation = whole(bundle("mt-append-2"));
  const Seen seen = check_events(parse(report::explain_perfetto(explanation)));
  const engine::SyncCalls& calls = explanation.prediction.sync_calls;
  std::size_t slices = 0;
  std::size_t threads = 0;
  std::string process;
  for (const auto& [track, count] : seen.slices) {
    if (track.first == "4194305") continue;
    if (process.empty()) process = track.first;
    CHECK(track.first == process);  // threads of one process
    slices += count;
    ++threads;
  }
  CHECK(slices == calls.fsync + calls.fdatasync + calls.msync + calls.sync + calls.syncfs);
  CHECK(threads >= 2);
}

TEST_CASE("the JSON form is JSON, with a time for each commit", "[explain]") {
  questions::explain::ExplainRequest request = explain_request(bundle("setxattr"));
  request.attempts = true;
  const questions::explain::Explanation explanation = questions::explain::explain(request);
  const Tree root = parse(report::explain_json(explanation, 0));
  CHECK(root.get<std::uint64_t>("full_commits") == 51);
  CHECK(root.get_child("commits").size() ==
        explanation.commits.size() + explanation.attempts.size());
  std::uint64_t commits = 0;
  for (const auto& [index, cause] : root.get_child("causes"))
    commits += cause.get<std::uint64_t>("full_commits");
  CHECK(commits == 51);
  CHECK(parse(report::explain_json(explanation, 3)).get_child("commits").size() == 3);
}
