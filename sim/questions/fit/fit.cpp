#include "sim/questions/fit/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "model/common/error.h"
#include "sim/questions/fit/robust.h"
#include "sim/replay/decoder.h"
#include "sim/replay/initial_check.h"
#include "sim/support/rereadable_inputs.h"

namespace fcsim::questions::fit {
namespace {

constexpr double kResolution = 0.5;  // strace -T prints whole microseconds

struct Recorded {
  engine::Prediction prediction;
  DeviceCallLog log;
};

// What the fsyncs did to the journal is known once the trace was simulated; what they wrote before,
// and what strace adds to a call, a second decoding tells.
Recorded predict_with_calls(const replay::SessionRequest& request, DeviceFit& fit) {
  replay::SessionRequest with_commits = request;
  with_commits.keep_commits = true;
  replay::Session session = predict(with_commits);
  fit.configuration = std::move(session.configuration);
  replay::require_ext4(fit.configuration.values.filesystem, "fit");
  fit.warnings = std::move(session.warnings);
  Recorded recorded{std::move(session.prediction),
                    DeviceCallLog(fit.configuration.values.filesystem.block_size)};
  DeviceCallLog& log = recorded.log;
  const replay::Inputs inputs = replay::find_inputs(request.inputs);
  replay::TraceDecoder decoder(
      inputs, replay::decode_settings(fit.configuration, request.strict),
      [&log](const model::Operation& operation, const traces::resolve::Resolver&) {
        log.observe(operation);
      },
      [&log](const traces::Event& event, const traces::resolve::Resolver&) { log.see(event); });
  replay::OperationChunk chunk;
  while (decoder.next(chunk)) {
  }
  if (!decoder.has_durations())
    throw model::InputError({request.inputs.front(), 0, 0},
                            "has no durations: expected a trace that was recorded with strace -T");
  return recorded;
}

void check(const Observations& observations, const std::vector<std::string>& inputs) {
  const model::Position where{inputs.front(), 0, 0};
  const std::size_t rows = observations.rows.size();
  if (rows == 0 && observations.without_duration != 0)
    throw model::InputError(where,
                            "has no durations: expected a trace that was recorded with strace -T");
  if (rows <= kDeviceTimes.size())
    throw model::InputError(where, "has " + std::to_string(rows) +
                                       " fsync calls to fit to: expected more than " +
                                       std::to_string(kDeviceTimes.size()));
}

// Writes, flushes and forced unit accesses of a call: its kind.
using Kind = std::array<std::uint64_t, 3>;

Kind kind_of(const Observation& row) {
  return {row.requests.writes, row.requests.flushes, row.requests.fuas};
}

// A time that only a handful of calls tell from the others is what these calls met by chance: of a
// thousand calls that flush once and eight that do it twice, the eight decide what a flush costs,
// and the bound at 0 gives all the rest to one of two times. So a kind is left out that fewer than
// 5 calls have, or fewer than a hundredth of those that the commonest kind has, where that leaves
// enough; what then always comes together is given as a sum. 5 and a hundredth are choices.
void leave_out_rare_kinds(std::vector<Observation>& rows, DeviceFit& fit) {
  std::map<Kind, std::uint64_t> kinds;
  for (const Observation& row : rows) ++kinds[kind_of(row)];
  std::uint64_t most = 0;
  for (const auto& [kind, count] : kinds) most = std::max(most, count);
  const std::uint64_t enough = std::max<std::uint64_t>(5, most / 100);
  const auto rare = [&](const Observation& row) { return kinds.at(kind_of(row)) < enough; };
  const auto left_out = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), rare));
  if (left_out == 0 || 2 * left_out > rows.size() || rows.size() - left_out <= kDeviceTimes.size())
    return;
  std::erase_if(rows, rare);
  fit.warnings.push_back(std::to_string(left_out) +
                         " sync calls were left out, of kinds that fewer than " +
                         std::to_string(enough) + " calls have: too few to carry a time");
}

Eigen::MatrixXd columns_of(const std::vector<Observation>& rows) {
  Eigen::MatrixXd columns(static_cast<Eigen::Index>(rows.size()), 4);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Requests& requests = rows[i].requests;
    columns.row(static_cast<Eigen::Index>(i)) << static_cast<double>(requests.writes),
        static_cast<double>(requests.flushes), static_cast<double>(requests.fuas),
        static_cast<double>(requests.blocks_behind);
  }
  return columns;
}

// A share this small comes from rounding.
constexpr double kShare = 1e-7;

void add_estimates(DeviceFit& fit, const Independent& independent, const RobustFit& robust) {
  for (std::size_t k = 0; k < independent.kept.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    DeviceEstimate estimate;
    estimate.parts.push_back({static_cast<DeviceTime>(independent.kept[k]), 1});
    for (Eigen::Index j = 0; j < independent.share.cols(); ++j) {
      const double share = independent.share(row, j);
      if (static_cast<std::size_t>(j) != independent.kept[k] && std::abs(share) > kShare)
        estimate.parts.push_back({static_cast<DeviceTime>(j), share});
    }
    estimate.us = robust.values[row];
    estimate.standard_error_us = robust.standard_errors[row];
    estimate.at_bound = robust.at_bound[k];
    fit.estimates.push_back(std::move(estimate));
  }
  for (Eigen::Index j = 0; j < independent.share.cols(); ++j)
    if (independent.share.col(j).cwiseAbs().maxCoeff() <= kShare)
      fit.unseen.push_back(static_cast<DeviceTime>(j));
}

void describe_residuals(DeviceFit& fit, const RobustFit& robust, const Eigen::VectorXd& target) {
  const auto sizes = robust.residuals.cwiseAbs().eval();
  fit.median_deviation_us = median({sizes.begin(), sizes.end()});
  fit.median_call_us = median({target.begin(), target.end()});
  std::vector<double> sorted(robust.residuals.begin(), robust.residuals.end());
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t quarter = 1; quarter <= 3; ++quarter)
    fit.residual_quartiles_us[quarter - 1] = sorted[(sorted.size() - 1) * quarter / 4];
  fit.largest_residual_us =
      std::abs(sorted.front()) > std::abs(sorted.back()) ? sorted.front() : sorted.back();
  fit.scale_us = robust.scale;
  fit.outliers = static_cast<std::uint64_t>((robust.weights.array() == 0).count());
  fit.iterations = robust.iterations;
}

DeviceFit fit_rereadable(const replay::SessionRequest& request) {
  DeviceFit fit;
  const Recorded recorded = predict_with_calls(request, fit);
  fit.observations =
      match(recorded.log.calls(), recorded.prediction, fit.configuration.values.mount.barrier);
  check(fit.observations, request.inputs);
  std::vector<Observation> rows = std::exchange(fit.observations.rows, {});
  leave_out_rare_kinds(rows, fit);
  fit.calls = rows.size();
  fit.overhead_us = median(recorded.log.idle_calls_us());
  fit.overhead_calls = recorded.log.idle_calls_us().size();
  fit.block_size = fit.configuration.values.filesystem.block_size;

  const Eigen::MatrixXd columns = columns_of(rows);
  const Independent independent = find_independent(columns);
  if (independent.kept.empty())
    throw model::InputError({request.inputs.front(), 0, 0}, "has no fsync that reaches the device");
  Eigen::VectorXd target(columns.rows());
  for (std::size_t i = 0; i < rows.size(); ++i)
    target[static_cast<Eigen::Index>(i)] = std::max(rows[i].us - fit.overhead_us, 0.0);
  const std::vector<Eigen::Index> kept(independent.kept.begin(), independent.kept.end());
  const RobustFit robust = fit_robustly(columns(Eigen::all, kept), target, kResolution);
  add_estimates(fit, independent, robust);
  describe_residuals(fit, robust, target);
  return fit;
}

}  // namespace

DeviceFit fit(const replay::SessionRequest& request) {
  const support::RereadableInputs inputs(request.inputs);
  replay::SessionRequest rereadable = request;
  rereadable.inputs = inputs.names();
  try {
    DeviceFit fit = fit_rereadable(rereadable);
    for (std::string& warning : fit.warnings) warning = inputs.with_original_names(warning);
    return fit;
  } catch (const model::InputError& error) {
    throw inputs.with_original_names(error);
  }
}

}  // namespace fcsim::questions::fit
