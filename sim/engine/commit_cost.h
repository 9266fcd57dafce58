// How long a device works on one commit.
//
// A fast commit of n blocks is n - 1 consecutive writes, which merge into one request, then the
// TAIL block with PREFLUSH and FUA. A full commit of n blocks logged (descriptors and commit record
// included) is n - 1 blocks in one merged request, then the commit record with PREFLUSH and FUA. So
// both cost the same for the same number of blocks, and one flush each.
#pragma once

#include <cstdint>

#include "model/common/configuration.h"

namespace fcsim::engine {

// Microseconds that the device works on a commit of `blocks` >= 1 blocks of `block_size` bytes.
// Without barriers there is neither flush nor FUA.
inline double commit_microseconds(std::uint64_t blocks, std::uint32_t block_size, bool barrier,
                                  const model::DeviceSettings& device) {
  const double block_us = block_size / (device.bandwidth_mib_s * 1.048576);
  double us = device.write_us + (barrier ? device.flush_us + device.fua_us : 0);
  if (blocks > 1) us += device.write_us + static_cast<double>(blocks - 2) * block_us;
  return us;
}

}  // namespace fcsim::engine
