#include "sim/questions/validate/validate.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "sim/replay/bundle_search.h"
#include "sim/replay/inputs.h"
#include "sim/replay/session.h"

namespace fcsim::questions::validate {
namespace {

namespace fs = std::filesystem;

std::string commits_file(const std::string& bundle) {
  std::error_code error;
  for (const char* name : {"commits.tsv.zst", "commits.tsv"})
    if (fs::exists(fs::path(bundle) / name, error)) return (fs::path(bundle) / name).string();
  return "";
}

// What commits say of the counters. fs/ext4/fast_commit.c, ext4_fc_update_stats (Linux 6.18): a
// commit counts as ineligible whether it failed or was never tried; those who slept count nothing.
std::vector<machine::Counter> counters_of(const KernelCommits& kernel) {
  std::uint64_t commits = 0, ineligible = 0, blocks = 0;
  for (const KernelFastCommit& fast : kernel.fast) {
    if (fast.outcome == model::Outcome::ok) {
      ++commits;
      blocks += fast.blocks;
    } else if (fast.outcome != model::Outcome::skipped) {
      ++ineligible;
    }
  }
  return {{"commits", commits},
          {"ineligible", ineligible},
          {"numblks", blocks},
          {"transactions", kernel.full.size()}};
}

void look_into_commits(BundleResult& result, const replay::Session& session,
                       const ValidateRequest& request, const KernelCommits& kernel) {
  if (request.blocks) result.blocks = compare_blocks(session.prediction, kernel);
  if (!request.first_difference) return;
  result.first = find_first_difference(session.prediction, kernel, request.blocks);
  if (!result.first) return;
  if (result.first->has_origin)
    result.predicted_line = line_of(result.first->origin, session.trace_files);
  if (result.first->in_kernel)
    result.kernel_line = line_at(result.first->time, result.first->pid,
                                 replay::find_inputs({result.path}).trace_files);
}

// A stage has no spread: each must be exact, or as far off as the totals may be.
void compare_stages(BundleResult& result, const engine::Prediction& prediction,
                    const machine::Truth& truth) {
  if (prediction.stages.size() != truth.stages.size())
    throw model::InputError({(fs::path(result.path) / "truth.toml").string(), 0, 0},
                            std::to_string(truth.stages.size()) +
                                " [[stage]] tables, but env.toml and trace hold " +
                                std::to_string(prediction.stages.size()) + " runs");
  for (std::size_t i = 0; i < truth.stages.size(); ++i) {
    machine::Truth of_stage;
    of_stage.counters = truth.stages[i].counters;
    StageResult& stage = result.stages.emplace_back();
    stage.admin = truth.stages[i].admin;
    stage.counters = compare(prediction.stages[i].counted, of_stage);
    stage.verdict = judge(stage.counters);
    if (stage.verdict != Verdict::exact && result.verdict == Verdict::exact)
      result.verdict = Verdict::differs;
  }
}

replay::Session predict_for(const BundleResult& result, const ValidateRequest& request) {
  replay::SessionRequest session_request;
  session_request.inputs = {result.path};
  session_request.configuration = request.configuration;
  session_request.strict = request.strict;
  session_request.keep_commits = request.blocks || request.first_difference;
  return predict(session_request);
}

void compare_with_text(BundleResult& result, const ValidateRequest& request) {
  const KernelCommits kernel = read_trace_text(request.truth, request.truth_device);
  machine::Truth truth;
  truth.counters = counters_of(kernel);
  const replay::Session session = predict_for(result, request);
  result.counters = compare(session.prediction, truth);
  // The reasons are in no event.
  std::erase_if(result.counters, [](const ComparedCounter& counter) {
    return counter.name.starts_with("reasons.");
  });
  result.verdict = judge(result.counters);
  look_into_commits(result, session, request, kernel);
}

void predict_and_compare(BundleResult& result, const ValidateRequest& request) {
  if (!request.truth.empty()) return compare_with_text(result, request);
  const fs::path truth_file = fs::path(result.path) / "truth.toml";
  std::error_code error;
  if (!fs::exists(truth_file, error)) {
    if (error) throw std::runtime_error("cannot be read: " + error.message());
    result.verdict = Verdict::skipped;
    result.reason = "no truth.toml";
    return;
  }
  const machine::Truth truth = machine::read_truth(truth_file.string());
  const replay::Session session = predict_for(result, request);
  result.counters = compare(session.prediction, truth);
  result.verdict = judge(result.counters);
  compare_stages(result, session.prediction, truth);
  const std::string file = commits_file(result.path);
  if (!file.empty()) look_into_commits(result, session, request, read_kernel_commits(file));
}

// Results in order from workers that finish in any.
class Queue {
 public:
  explicit Queue(std::size_t count) : results_(count), done_(count, false) {}

  std::size_t take() { return next_.fetch_add(1); }

  void put(std::size_t index, BundleResult result) {
    const std::lock_guard lock(mutex_);
    results_[index] = std::move(result);
    done_[index] = true;
    ready_.notify_one();
  }

  BundleResult wait(std::size_t index) {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return static_cast<bool>(done_[index]); });
    return std::move(results_[index]);
  }

  void stop() { next_.store(results_.size()); }

 private:
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<BundleResult> results_;
  std::vector<bool> done_;
};

}  // namespace

BundleResult validate_bundle(const std::string& bundle, const ValidateRequest& request) {
  BundleResult result;
  result.path = bundle;
  try {
    predict_and_compare(result, request);
  } catch (const std::exception& error) {
    result.verdict = Verdict::failed;
    result.reason = error.what();
    result.counters.clear();
    result.stages.clear();
  }
  return result;
}

void validate(const ValidateRequest& request,
              const std::function<void(const BundleResult&)>& sink) {
  const std::vector<std::string> bundles = replay::find_bundles(request.paths);
  Queue queue(bundles.size());
  const auto work = [&] {
    for (std::size_t i = queue.take(); i < bundles.size(); i = queue.take())
      queue.put(i, validate_bundle(bundles[i], request));
  };
  std::vector<std::jthread> workers;
  const std::size_t count = std::clamp<std::size_t>(request.threads, 1, bundles.size());
  for (std::size_t i = 0; i < count; ++i) workers.emplace_back(work);
  try {
    for (std::size_t i = 0; i < bundles.size(); ++i) sink(queue.wait(i));
  } catch (...) {
    queue.stop();  // the workers end with what they have in hand
    throw;
  }
}

}  // namespace fcsim::questions::validate
