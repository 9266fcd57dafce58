#include "tests/fuzz/targets.h"

namespace fcsim::fuzz {

std::span<const Target> targets() {
  static constexpr Target kTargets[] = {{"strace", strace},
                                        {"strace-binary", strace_binary},
                                        {"strace-plain", strace_plain},
                                        {"binary", binary},
                                        {"iolog", iolog},
                                        {"manifest", manifest},
                                        {"truth", truth},
                                        {"commits", commits},
                                        {"kernel-trace", kernel_trace},
                                        {"configuration", configuration},
                                        {"settings", settings},
                                        {"sweep", sweep},
                                        {"scenario", scenario},
                                        {"dumpe2fs", dumpe2fs},
                                        {"mountinfo", mountinfo},
                                        {"image", image},
                                        {"tracepoints", tracepoints},
                                        {"calls", calls},
                                        {"many-settings", many_settings}};
  return kTargets;
}

}  // namespace fcsim::fuzz
