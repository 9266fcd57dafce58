#include "sim/report/fit_report.h"

#include <cmath>

#include "sim/support/json.h"
#include "sim/support/text.h"

namespace fcsim::report {
namespace {

using support::counted;
using support::decimal;

std::string device_key(questions::fit::DeviceTime time) {
  return std::string(questions::fit::kDeviceTimes[static_cast<std::size_t>(time)]);
}

// "flush_us + fua_us", "write_us + 0.5 block_us".
std::string device_key(const questions::fit::DeviceEstimate& estimate) {
  std::string text;
  for (const questions::fit::DeviceEstimate::Part& part : estimate.parts) {
    const double size = std::abs(part.share);
    text += text.empty() ? "" : part.share < 0 ? " - " : " + ";
    if (std::abs(size - 1) > 1e-6) text += decimal(size, 4) + " ";
    text += device_key(part.time);
  }
  return text;
}

bool is_alone(const questions::fit::DeviceEstimate& estimate) {
  return estimate.parts.size() == 1;
}

bool is_bandwidth(const questions::fit::DeviceEstimate& estimate) {
  return is_alone(estimate) && estimate.parts.front().time == questions::fit::DeviceTime::block;
}

// A block that takes no time that can be seen has no bandwidth.
bool has_bandwidth(const questions::fit::DeviceEstimate& estimate) {
  return is_bandwidth(estimate) && estimate.us > 0;
}

// MiB a second that one block of so many microseconds makes, as sim/tune/cost.cpp turns it.
double bandwidth(const questions::fit::DeviceFit& fit, double block_us) {
  return fit.block_size / (block_us * 1.048576);
}

std::string estimate_remark(const questions::fit::DeviceEstimate& estimate) {
  if (estimate.at_bound) return "taken as 0: the best estimate is below";
  if (!is_alone(estimate)) return "this sum alone: no call has one without the other";
  return "";
}

void add_estimates(Document& document, const questions::fit::DeviceFit& fit) {
  Table table({"time", "us", "standard error"}, {true});
  for (const questions::fit::DeviceEstimate& estimate : fit.estimates)
    table.add({device_key(estimate), decimal(estimate.us, 2),
               estimate.at_bound ? "-" : decimal(estimate.standard_error_us, 2)},
              estimate_remark(estimate));
  for (const questions::fit::DeviceTime time : fit.unseen)
    table.add({device_key(time), "-", "-"}, "no call of this trace depends on it");
  document.table(std::move(table));
  for (const questions::fit::DeviceEstimate& estimate : fit.estimates)
    if (has_bandwidth(estimate)) {
      const double rate = bandwidth(fit, estimate.us);
      document.line("block_us is one block of " + std::to_string(fit.block_size) +
                    " bytes after the first of a write: bandwidth_mib_s = " + decimal(rate, 1) +
                    ", standard error " +
                    decimal(rate * estimate.standard_error_us / estimate.us, 1));
    }
}

void add_fit_basis(Document& document, const questions::fit::DeviceFit& fit) {
  const questions::fit::Observations& observations = fit.observations;
  document.gap();
  document.line("Fitted to " + counted(fit.calls, "fsync or fdatasync call") + ": " +
                counted(observations.fast_commits, "fast commit") + ", " +
                counted(observations.full_commits, "full commit") + ", " +
                std::to_string(observations.flushes_alone) + " with nothing to commit");
  const auto left_out = [&](std::uint64_t count, const char* why) {
    if (count != 0) document.line("left out: " + std::to_string(count) + " " + why, 1);
  };
  left_out(observations.overlapping, "that waited for a call of another thread");
  left_out(observations.unclear, "with more than one commit");
  left_out(observations.without_duration, "without a duration");
  document.line(fit.overhead_calls == 0
                    ? "no call shows what strace adds to each: it is in the times above"
                    : "taken off each: " + decimal(fit.overhead_us, 1) + " us, the median of " +
                          std::to_string(fit.overhead_calls) + " calls of close, lseek and fstat",
                1);
}

void add_residuals(Document& document, const questions::fit::DeviceFit& fit) {
  document.gap();
  document.line("Residuals (recorded minus fitted), us");
  document.line("quartiles " + decimal(fit.residual_quartiles_us[0], 1) + ", " +
                    decimal(fit.residual_quartiles_us[1], 1) + ", " +
                    decimal(fit.residual_quartiles_us[2], 1) + "; robust scale " +
                    decimal(fit.scale_us, 1) + "; largest " + decimal(fit.largest_residual_us, 1),
                1);
  document.line(counted(fit.outliers, "call") + " beyond 4.685 scales had no weight", 1);
  document.line(
      "iteratively reweighted least squares, no time below 0: Huber's weights, then "
      "Tukey's bisquare",
      1);
}

using support::Json;

Json estimate_json(const questions::fit::DeviceEstimate& estimate) {
  Json parts = Json::object();
  for (const questions::fit::DeviceEstimate::Part& part : estimate.parts)
    parts[device_key(part.time)] = support::json_decimal(part.share, 6);
  return {
      {"parts", parts},
      {"us", support::json_decimal(estimate.us, 6)},
      {"standard_error_us",
       estimate.at_bound ? Json(nullptr) : support::json_decimal(estimate.standard_error_us, 6)},
      {"at_bound", estimate.at_bound}};
}

Json residuals_json(const questions::fit::DeviceFit& fit) {
  Json quartiles = Json::array();
  for (const double quartile : fit.residual_quartiles_us)
    quartiles.push_back(support::json_decimal(quartile, 3));
  return {{"quartiles", quartiles},
          {"scale", support::json_decimal(fit.scale_us, 3)},
          {"largest", support::json_decimal(fit.largest_residual_us, 3)}};
}

}  // namespace

std::string fit_reliability(const questions::fit::DeviceFit& fit) {
  if (fit.reliable()) return "";
  std::string text = "This fit is unreliable: ";
  if (fit.too_scattered())
    text += "half of the calls differ by " + decimal(fit.median_deviation_us, 1) +
            " us or more from what was fitted, and a call takes " + decimal(fit.median_call_us, 1) +
            " us (median)";
  else
    text += std::to_string(fit.outliers) + " of " + std::to_string(fit.calls) +
            " calls fit so badly that they had no weight";
  return text + ". Something other than the journal's writes decides how long these calls take.";
}

Document fit_document(const questions::fit::DeviceFit& fit) {
  Document document;
  if (!fit.reliable()) {
    document.line(fit_reliability(fit));
    document.gap();
  }
  add_estimates(document, fit);
  add_fit_basis(document, fit);
  add_residuals(document, fit);
  return document;
}

std::string fit_json(const questions::fit::DeviceFit& fit) {
  const questions::fit::Observations& observations = fit.observations;
  Json root = {{"reliable", fit.reliable()},
               {"estimates", Json::array()},
               {"unseen", Json::array()},
               {"calls",
                {{"all", fit.calls},
                 {"fast_commits", observations.fast_commits},
                 {"full_commits", observations.full_commits},
                 {"flushes_alone", observations.flushes_alone},
                 {"overlapping", observations.overlapping},
                 {"unclear", observations.unclear},
                 {"without_duration", observations.without_duration}}},
               {"median_call_us", support::json_decimal(fit.median_call_us, 3)},
               {"median_deviation_us", support::json_decimal(fit.median_deviation_us, 3)},
               {"overhead_us", support::json_decimal(fit.overhead_us, 3)},
               {"overhead_calls", fit.overhead_calls},
               {"residuals_us", residuals_json(fit)},
               {"outliers", fit.outliers},
               {"iterations", fit.iterations}};
  for (const questions::fit::DeviceEstimate& estimate : fit.estimates)
    root["estimates"].push_back(estimate_json(estimate));
  for (const questions::fit::DeviceTime time : fit.unseen)
    root["unseen"].push_back(device_key(time));
  return support::json_text(root);
}

std::string fit_toml(const questions::fit::DeviceFit& fit) {
  std::string text = "# Fitted to " + counted(fit.calls, "fsync or fdatasync call") +
                     " of a trace; +- standard error.\n" +
                     (fit.reliable() ? "" : "# " + fit_reliability(fit) + "\n") + "[device]\n";
  for (const questions::fit::DeviceEstimate& estimate : fit.estimates) {
    const std::string error = estimate.at_bound ? "the best estimate is below 0"
                                                : "+- " + decimal(estimate.standard_error_us, 3);
    if (has_bandwidth(estimate))
      text += "bandwidth_mib_s = " + decimal(std::max(1.0, bandwidth(fit, estimate.us)), 3) +
              "  # a block takes " + decimal(estimate.us, 3) + " us " + error + "\n";
    else if (is_bandwidth(estimate))
      text += "# bandwidth_mib_s: a block takes no time that can be seen\n";
    else if (is_alone(estimate))
      text += device_key(estimate) + " = " + decimal(estimate.us, 3) + "  # " + error + "\n";
    else
      text += "# " + device_key(estimate) + " = " + decimal(estimate.us, 3) + " " + error +
              ": the trace cannot tell them apart\n";
  }
  for (const questions::fit::DeviceTime time : fit.unseen)
    text += "# " +
            (time == questions::fit::DeviceTime::block ? "bandwidth_mib_s" : device_key(time)) +
            ": no call depends on it\n";
  return text;
}

}  // namespace fcsim::report
