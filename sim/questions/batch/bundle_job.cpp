#include "sim/questions/batch/bundle_job.h"

#include <exception>
#include <filesystem>
#include <optional>

#include "model/common/error.h"
#include "sim/replay/inputs.h"
#include "sim/replay/predict_many.h"
#include "sim/support/json.h"

namespace fcsim::questions::batch {
namespace {

// Ends a job early; not an error of the bundle.
struct Stop {
  std::exception_ptr reason;
};

// A setting whose row has to be predicted.
struct Stale {
  std::size_t setting = 0;
  std::size_t row = 0;  // of the result
};

class Job {
 public:
  explicit Job(const JobRequest& request) : request_(request) {}

  JobResult run() {
    try {
      check_folder();
      inputs_ = replay::find_inputs({request_.unit.bundle});
      input_ = hash_of(inputs_);
    } catch (const std::exception&) {
      fail_all(replay::message_of(std::current_exception()));
      return std::move(result_);
    }
    for (std::size_t i = request_.unit.begin; i < request_.unit.end; ++i) look_at(i);
    if (!stale_.empty()) predict();
    return std::move(result_);
  }

 private:
  // A folder that cannot be read would else pass for one without a trace.
  void check_folder() const {
    std::error_code error;
    const std::filesystem::directory_iterator entries(request_.unit.bundle, error);
    if (error) throw model::InputError({request_.unit.bundle, 0, 0}, error.message());
  }

  // A bundle that cannot be read: nothing says whether the rows would still hold.
  void fail_all(const std::string& message) {
    for (std::size_t i = request_.unit.begin; i < request_.unit.end; ++i) {
      ResultRow& row = add_row(i, hash_of(message));
      row.input_hash.reset();
      row.error = message;
    }
  }

  ResultRow& add_row(std::size_t setting, const Hash& configuration) {
    ResultRow& row = result_.rows.emplace_back();
    row.bundle = request_.unit.bundle;
    row.setting = request_.numbers[setting];
    row.input_hash = to_hex(input_);
    row.configuration_hash = to_hex(configuration);
    row.fcsim_version = request_.version;
    row.notes = row.warnings = "[]";
    return row;
  }

  void look_at(std::size_t setting) {
    std::optional<std::string> refusal;
    Hash configuration;
    try {
      configuration = hash_of(
          load_for(inputs_, request_.settings[setting].request, request_.mount_point, loader_),
          request_.strict);
    } catch (const std::exception&) {
      refusal = replay::message_of(std::current_exception());
      configuration = hash_of(*refusal);
    }
    const RowState* const known = request_.known[setting - request_.unit.begin];
    if (known != nullptr && known->same_version && known->input == input_ &&
        known->configuration == configuration) {
      ++result_.kept;
      if (known->failed) ++result_.kept_errors;
      return;
    }
    ResultRow& row = add_row(setting, configuration);
    row.error = refusal;
    if (!refusal) stale_.push_back({setting, result_.rows.size() - 1});
    request_.check_stop();
  }

  void predict() {
    replay::PredictManyRequest many;
    many.inputs = {request_.unit.bundle};
    many.mount_point = request_.mount_point;
    many.strict = request_.strict;
    many.threads = request_.threads;
    many.progress = [this](const replay::Progress&) { check_stop(); };
    for (const Stale& stale : stale_)
      many.configurations.push_back(request_.settings[stale.setting].request);
    try {
      take(predict_many(many));
    } catch (const Stop& stop) {
      std::rethrow_exception(stop.reason);
    } catch (const std::exception&) {
      const std::string message = replay::message_of(std::current_exception());
      for (const Stale& stale : stale_) result_.rows[stale.row].error = message;
    }
  }

  void check_stop() const {
    try {
      request_.check_stop();
    } catch (...) {
      throw Stop{std::current_exception()};
    }
  }

  void take(const replay::Predictions& predictions) {
    for (std::size_t i = 0; i < predictions.outcomes.size(); ++i) {
      const replay::Outcome& outcome = predictions.outcomes[i];
      ResultRow& row = result_.rows[stale_[i].row];
      row.warnings = support::json_line(predictions.warnings);
      row.notes = support::json_line(outcome.configuration.notes);
      if (outcome.error)
        row.error = replay::message_of(outcome.error);
      else
        set_counters(row, outcome.prediction);
    }
  }

  const JobRequest& request_;
  replay::Inputs inputs_;
  configuration::Loader loader_;
  Hash input_;
  std::vector<Stale> stale_;
  JobResult result_;
};

}  // namespace

JobResult run_job(const JobRequest& request) {
  return Job(request).run();
}

}  // namespace fcsim::questions::batch
