// How long calls are taken to last where a trace does not say it. No measurements: they only spread
// calls over time in the order of the trace. Where a count hangs on them, the trace cannot tell it.
#pragma once

#include <cstdint>

namespace fcsim::traces {

// A read or write: a copy in memory.
inline constexpr std::int64_t kAssumedTransferNs = 10'000;
// fsync and its kin: one write, flush and forced unit access as in the defaults of [device].
inline constexpr std::int64_t kAssumedSyncNs = 460'000;

}  // namespace fcsim::traces
