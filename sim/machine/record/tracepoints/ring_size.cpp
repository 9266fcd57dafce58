#include <unistd.h>

#include <algorithm>
#include <bit>

#include "sim/machine/record/tracepoints/probe.h"

namespace fcsim::machine::record::tracepoints {

std::size_t default_ring_bytes() {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  const auto count = [](int what) { return static_cast<std::size_t>(std::max(sysconf(what), 1L)); };
  const std::size_t memory = count(_SC_PHYS_PAGES) * count(_SC_PAGESIZE);
  const std::size_t wanted = 32 * kMiB * ((count(_SC_NPROCESSORS_ONLN) + 1) / 2);
  const std::size_t limit = std::bit_floor(std::max(memory / 16, kMiB));
  return std::min({std::bit_ceil(wanted), 256 * kMiB, limit});
}

}  // namespace fcsim::machine::record::tracepoints
