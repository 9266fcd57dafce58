// Do the times of sync calls add up, and are they where people look for them?
#include "sim/engine/latency.h"

#include <cmath>

#include "sim/questions/explain/explain.h"
#include "sim/replay/session.h"
#include "sim/support/json.h"
#include "tests/catch.h"
#include "tests/cli/helper.h"
#include "tests/sweep/helper.h"

using namespace fcsim;
using namespace fcsim::test;
using engine::Distribution;

namespace {

engine::Prediction predict(const std::string& name, const std::vector<std::string>& settings) {
  replay::SessionRequest request;
  request.inputs = {bundle(name)};
  request.configuration = configured();
  request.configuration.settings = settings;
  request.keep_commits = true;
  return replay::predict(request).prediction;
}

model::Time sum(const std::array<model::Time, engine::kWaitedFor>& waited) {
  model::Time total = 0;
  for (const model::Time time : waited) total += time;
  return total;
}

}  // namespace

TEST_CASE("percentiles are off by less than a hundredth", "[latency]") {
  Distribution times;
  for (model::Time us = 1; us <= 10'000; ++us) times.add(us * 1000);
  CHECK(times.count() == 10'000);
  CHECK(times.maximum() == 10'000'000);
  CHECK(times.total() == model::Time{10'000} * 10'001 / 2 * 1000);
  for (const double share : {0.001, 0.25, 0.5, 0.9, 0.99, 1.0}) {
    INFO(share);
    const double exact = share * 1e7;
    CHECK(std::abs(static_cast<double>(times.percentile(share)) - exact) <= exact / 100);
  }
}

TEST_CASE("small durations are kept exactly, negative ones are none", "[latency]") {
  Distribution times;
  for (const model::Time ns : {-5, 0, 1, 63, 64, 127}) times.add(ns);
  CHECK(times.percentile(1.0 / 6) == 0);
  CHECK(times.percentile(4.0 / 6) == 63);
  CHECK(times.percentile(1) == 127);
  CHECK(Distribution().percentile(0.5) == 0);
}

TEST_CASE("the sum of two distributions is that of all durations", "[latency]") {
  Distribution low;
  Distribution high;
  Distribution all;
  for (model::Time ns = 1; ns < 1'000'000; ns = ns * 5 / 4 + 1) {
    (ns < 5000 ? low : high).add(ns);
    all.add(ns);
  }
  low.add(high);
  CHECK(low.count() == all.count());
  CHECK(low.total() == all.total());
  CHECK(low.percentile(0.7) == all.percentile(0.7));
  std::uint64_t counted = 0;
  for (const auto& [end, count] : all.quarters()) counted += count;
  CHECK(counted == all.count());
}

TEST_CASE("every sync call is timed once", "[latency]") {
  for (const char* name : {"append-fsync", "mt-append-2", "o-dsync-append", "creat-syncfs",
                           "mo-sync", "art-fc128", "rename-dir"})
    for (const char* timing : {"recorded", "closed"}) {
      INFO(name << " " << timing);
      const engine::Prediction prediction = predict(name, {std::string("trace.timing=") + timing});
      const std::uint64_t calls = model::total_sync_calls(prediction);
      CHECK(prediction.sync_times.size() == calls);
      CHECK(prediction.latency.predicted == (std::string(timing) == "closed"));
      CHECK(prediction.latency.times.count() == (prediction.latency.predicted ? calls : 0));
      CHECK(prediction.latency.recorded.count() <= calls);
    }
}

TEST_CASE("a call waits no longer than it takes", "[latency]") {
  for (const char* name : {"append-fsync", "mt-append-2", "art-fc128"}) {
    INFO(name);
    const engine::Prediction prediction = predict(name, {"trace.timing=closed"});
    for (const engine::SyncTime& call : prediction.sync_times) {
      CHECK(call.end >= call.start);
      CHECK(sum(call.waited) <= call.duration());
    }
    CHECK(sum(prediction.latency.waited) <= prediction.latency.times.total());
    CHECK(sum(prediction.latency.waited) > prediction.latency.times.total() / 2);
  }
}

TEST_CASE("a slower flush makes the calls take that much longer", "[latency]") {
  const std::vector<std::string> fast = {"trace.timing=closed", "device.flush_us=100",
                                         "device.fua_us=0"};
  const std::vector<std::string> slow = {"trace.timing=closed", "device.flush_us=1100",
                                         "device.fua_us=0"};
  const model::Time before = predict("append-fsync", fast).latency.times.percentile(0.5);
  const model::Time after = predict("append-fsync", slow).latency.times.percentile(0.5);
  CHECK(std::abs(static_cast<double>(after - before) - 1e6) < 2e4);
}

TEST_CASE("nobody waits for others where there is one process", "[latency]") {
  const engine::Prediction one = predict("append-fsync", {"trace.timing=closed"});
  CHECK(one.latency.waited[static_cast<std::size_t>(engine::WaitedFor::others)] == 0);
  const engine::Prediction two =
      predict("mt-append-2", {"trace.timing=closed", "device.flush_us=5000"});
  CHECK(two.latency.waited[static_cast<std::size_t>(engine::WaitedFor::others)] > 0);
}

TEST_CASE("times by program and file add up to all", "[latency]") {
  questions::explain::ExplainRequest request;
  request.session.inputs = {bundle("art-fc128")};
  request.session.configuration = configured();
  request.advice = false;
  const auto explanation = questions::explain::explain(request);
  std::uint64_t by_program = 0;
  std::uint64_t by_file = 0;
  for (const auto& share : explanation.program_times) by_program += share.latency.recorded.count();
  for (const auto& share : explanation.file_times) by_file += share.latency.recorded.count();
  CHECK(by_program == explanation.prediction.latency.recorded.count());
  CHECK(by_file == explanation.prediction.latency.recorded.count());
  const auto full = static_cast<std::size_t>(model::Cause::area_full);
  CHECK(explanation.prices.full[full].count() == 187);
  CHECK(explanation.prices.fast.count() == explanation.prediction.commits);
}

TEST_CASE("each command says how long sync calls take", "[latency]") {
  const std::string closed = " --timing closed -c configs/devices/nvme.toml";
  const std::string input = " tests/bundles/append-fsync";
  const auto json = support::Json::parse(run("run" + input + closed + " -f json").output);
  CHECK(json["latency"]["recorded"]["calls"] == 51);
  CHECK(json["latency"]["predicted"]["calls"] == 51);
  CHECK(json["latency"]["predicted"]["waited_us"]["journal"] > 0);
  const auto recorded = support::Json::parse(run("run" + input + " -f json").output);
  CHECK(recorded["latency"]["predicted"].is_null());
  for (const char* command : {"run", "compare --set-b mount.barrier=false", "explain"}) {
    INFO(command);
    const Outcome outcome = run(command + input + closed);
    CHECK(outcome.status == 0);
    CHECK(outcome.output.find("How long sync calls take") != std::string::npos);
  }
  const std::string sweep = "sweep" + input + closed + " -p device.flush_us=100,1000";
  CHECK(run(sweep).output.find("p50 us") != std::string::npos);
  CHECK(run(sweep + " -f csv").output.find("latency.p50_us") != std::string::npos);
  CHECK(run("sweep" + input + " -p device.flush_us=100,1000").output.find("p50 us") ==
        std::string::npos);
}
