#include "sim/report/fit_report.h"

#include <cmath>

#include "sim/report/table.h"

namespace fcsim::report {
namespace {

std::string name_of(questions::fit::DeviceTime time) {
  return std::string(questions::fit::kDeviceTimes[static_cast<std::size_t>(time)]);
}

// "flush_us + fua_us", "write_us + 0.5 block_us".
std::string name_of(const questions::fit::DeviceEstimate& estimate) {
  std::string text;
  for (const questions::fit::DeviceEstimate::Part& part : estimate.parts) {
    const double size = std::abs(part.share);
    text += text.empty() ? "" : part.share < 0 ? " - " : " + ";
    if (std::abs(size - 1) > 1e-6) text += decimal(size, 4) + " ";
    text += name_of(part.time);
  }
  return text;
}

std::string counted(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
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

std::string remark_of(const questions::fit::DeviceEstimate& estimate) {
  if (estimate.at_bound) return "taken as 0: the best estimate is below";
  if (!is_alone(estimate)) return "this sum alone: no call has one without the other";
  return "";
}

std::string estimates_text(const questions::fit::DeviceFit& fit) {
  TextTable table({"time", "us", "standard error"}, {true});
  for (const questions::fit::DeviceEstimate& estimate : fit.estimates)
    table.add_remark({name_of(estimate), decimal(estimate.us, 2),
                      estimate.at_bound ? "-" : decimal(estimate.standard_error_us, 2)},
                     remark_of(estimate));
  for (const questions::fit::DeviceTime time : fit.unseen)
    table.add_remark({name_of(time), "-", "-"}, "no call of this trace depends on it");
  std::string text = table.text();
  for (const questions::fit::DeviceEstimate& estimate : fit.estimates)
    if (has_bandwidth(estimate)) {
      const double rate = bandwidth(fit, estimate.us);
      text += "block_us is one block of " + std::to_string(fit.block_size) +
              " bytes behind the first of a write: bandwidth_mib_s = " + decimal(rate, 1) +
              ", standard error " + decimal(rate * estimate.standard_error_us / estimate.us, 1) +
              "\n";
    }
  return text;
}

std::string basis_text(const questions::fit::DeviceFit& fit) {
  const questions::fit::Observations& observations = fit.observations;
  std::string text = "\nRests on " + counted(fit.calls, "fsync or fdatasync call") + ": " +
                     counted(observations.fast_commits, "fast commit") + ", " +
                     counted(observations.full_commits, "full commit") + ", " +
                     std::to_string(observations.flushes_alone) + " with nothing to commit\n";
  const auto left_out = [&](std::uint64_t count, const char* why) {
    if (count != 0) text += "  left out: " + std::to_string(count) + " " + why + "\n";
  };
  left_out(observations.overlapping, "at the same time as another thread's, for which they wait");
  left_out(observations.unclear, "with more than one commit");
  left_out(observations.without_duration, "without a duration");
  if (fit.overhead_calls == 0)
    return text + "  no call shows what strace adds to each: it is in the times above\n";
  return text + "  taken off each: " + decimal(fit.overhead_us, 1) + " us, the median of " +
         std::to_string(fit.overhead_calls) + " calls of close, lseek and fstat\n";
}

std::string residuals_text(const questions::fit::DeviceFit& fit) {
  return "\nResiduals (recorded minus fitted), us\n  quartiles " +
         decimal(fit.residual_quartiles_us[0], 1) + ", " +
         decimal(fit.residual_quartiles_us[1], 1) + ", " +
         decimal(fit.residual_quartiles_us[2], 1) + "; robust scale " + decimal(fit.scale_us, 1) +
         "; largest " + decimal(fit.largest_residual_us, 1) + "\n  " +
         counted(fit.outliers, "call") + " beyond 4.685 scales had no weight\n" +
         "  iteratively reweighted least squares, no time below 0: Huber's weights, then Tukey's "
         "bisquare\n";
}

template <class Items, class Write>
std::string array_of(const Items& items, const Write& write) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "\n  " : ",\n  ") + write(item);
  return "[" + text + "]";
}

std::string estimate_json(const questions::fit::DeviceEstimate& estimate) {
  std::string parts;
  for (const questions::fit::DeviceEstimate::Part& part : estimate.parts)
    parts += (parts.empty() ? "" : ", ") + json_string(name_of(part.time)) + ": " +
             decimal(part.share, 6);
  return "{\"parts\": {" + parts + "}, \"us\": " + decimal(estimate.us, 6) +
         ", \"standard_error_us\": " +
         (estimate.at_bound || !std::isfinite(estimate.standard_error_us)
              ? "null"
              : decimal(estimate.standard_error_us, 6)) +
         ", \"at_bound\": " + (estimate.at_bound ? "true" : "false") + "}";
}

}  // namespace

std::string fit_text(const questions::fit::DeviceFit& fit) {
  return estimates_text(fit) + basis_text(fit) + residuals_text(fit);
}

std::string fit_json(const questions::fit::DeviceFit& fit) {
  const questions::fit::Observations& observations = fit.observations;
  const auto member = [](const char* name, std::uint64_t value) {
    return ", \"" + std::string(name) + "\": " + std::to_string(value);
  };
  const auto name = [](questions::fit::DeviceTime time) { return json_string(name_of(time)); };
  return "{\n\"estimates\": " + array_of(fit.estimates, estimate_json) +
         ",\n\"unseen\": " + array_of(fit.unseen, name) +
         ",\n\"calls\": {\"all\": " + std::to_string(fit.calls) +
         member("fast_commits", observations.fast_commits) +
         member("full_commits", observations.full_commits) +
         member("flushes_alone", observations.flushes_alone) +
         member("overlapping", observations.overlapping) + member("unclear", observations.unclear) +
         member("without_duration", observations.without_duration) +
         "},\n\"overhead_us\": " + decimal(fit.overhead_us, 3) +
         ",\n\"overhead_calls\": " + std::to_string(fit.overhead_calls) +
         ",\n\"residuals_us\": {\"quartiles\": [" + decimal(fit.residual_quartiles_us[0], 3) +
         ", " + decimal(fit.residual_quartiles_us[1], 3) + ", " +
         decimal(fit.residual_quartiles_us[2], 3) + "], \"scale\": " + decimal(fit.scale_us, 3) +
         ", \"largest\": " + decimal(fit.largest_residual_us, 3) +
         "},\n\"outliers\": " + std::to_string(fit.outliers) +
         ",\n\"iterations\": " + std::to_string(fit.iterations) + "\n}\n";
}

std::string fit_toml(const questions::fit::DeviceFit& fit) {
  std::string text = "# Fitted to " + counted(fit.calls, "fsync or fdatasync call") +
                     " of a trace; +- standard error.\n[device]\n";
  for (const questions::fit::DeviceEstimate& estimate : fit.estimates) {
    const std::string error = estimate.at_bound ? "the best estimate is below 0"
                                                : "+- " + decimal(estimate.standard_error_us, 3);
    if (has_bandwidth(estimate))
      text += "bandwidth_mib_s = " + decimal(std::max(1.0, bandwidth(fit, estimate.us)), 3) +
              "  # a block takes " + decimal(estimate.us, 3) + " us " + error + "\n";
    else if (is_bandwidth(estimate))
      text += "# bandwidth_mib_s: a block takes no time that can be seen\n";
    else if (is_alone(estimate))
      text += name_of(estimate) + " = " + decimal(estimate.us, 3) + "  # " + error + "\n";
    else
      text += "# " + name_of(estimate) + " = " + decimal(estimate.us, 3) + " " + error +
              ": the trace cannot tell them apart\n";
  }
  for (const questions::fit::DeviceTime time : fit.unseen)
    text += "# " + (time == questions::fit::DeviceTime::block ? "bandwidth_mib_s" : name_of(time)) +
            ": no call depends on it\n";
  return text;
}

}  // namespace fcsim::report
