// From the durations of a trace's fsyncs and the paths they are predicted to have taken: the times
// of the device they were recorded on.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/questions/fit/device_calls.h"
#include "sim/replay/session.h"

namespace fcsim::questions::fit {

// The keys of [device] that are estimated; block_us is the time of one more block of a write, and
// becomes bandwidth_mib_s.
inline constexpr std::array<std::string_view, 4> kDeviceTimes = {"write_us", "flush_us", "fua_us",
                                                                 "block_us"};
enum class DeviceTime : std::uint8_t { write, flush, fua, block };

// An estimate of one time, or of a sum of several that the trace cannot tell apart.
struct DeviceEstimate {
  struct Part {
    DeviceTime time = DeviceTime::write;
    double share = 1;  // the estimate is the sum of share * time
  };
  std::vector<Part> parts;  // the first has share 1
  double us = 0;
  double standard_error_us = 0;
  bool at_bound = false;  // the best estimate would be negative: taken as 0
};

struct DeviceFit {
  std::vector<DeviceEstimate> estimates;
  std::vector<DeviceTime> unseen;  // no call depends on them
  Observations observations;       // without the rows
  std::uint64_t calls = 0;         // rows
  double overhead_us = 0;          // taken off each call, see fit()
  std::uint64_t overhead_calls = 0;
  double scale_us = 0;                            // of the residuals, robust
  std::array<double, 3> residual_quartiles_us{};  // 25 %, 50 %, 75 %
  double largest_residual_us = 0;                 // by size
  double median_call_us = 0;                      // of what was fitted to
  double median_deviation_us = 0;                 // of the residuals' sizes
  std::uint64_t outliers = 0;                     // calls without any weight
  unsigned iterations = 0;
  std::uint32_t block_size = 0;
  configuration::LoadedConfiguration configuration;
  std::vector<std::string> warnings;

  // Half of the calls are off by a quarter of a call's time or more: the estimates then say little
  // about the device. A quarter is a choice, not a measurement.
  [[nodiscard]] bool too_scattered() const { return 4 * median_deviation_us > median_call_us; }
  // So too where a quarter of the calls had no weight.
  [[nodiscard]] bool reliable() const { return !too_scattered() && 4 * outliers <= calls; }
};

// Throws InputError, also where the trace has no durations (strace -T) or too few fsyncs.
//
// The model is the one of sim/questions/tune/cost.h with the file's data added: each queued write
// takes write_us, each block after the first of a write block_us, a commit with barriers flush_us
// and fua_us, and a call that finds everything committed flush_us alone. What strace and the kernel
// add to any call is measured by the median of the calls that touch memory only and taken off.
DeviceFit fit(const replay::SessionRequest& request);

}  // namespace fcsim::questions::fit
