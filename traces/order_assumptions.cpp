#include "traces/order_assumptions.h"

namespace fcsim::traces {

std::vector<std::string> order_assumptions(const ReaderStatistics& statistics) {
  if (statistics.events == 0) return {};
  if (statistics.time_base == TimeBase::none)
    return {statistics.has_durations
                ? "the trace has no times: calls follow each other in the order of their lines, "
                  "each as long as -T shows"
                : "the trace has no times: calls follow each other in the order of their lines; a "
                  "sync call lasts 460 us, any other 50 us"};
  std::vector<std::string> sentences;
  if (statistics.coarse_times)
    sentences.emplace_back(
        "the trace's times are coarse: lines that share one are spread over it in their order");
  if (!statistics.has_durations)
    sentences.emplace_back(
        "the trace does not say how long calls took (no -T): a call on one line had returned "
        "before the next line, a split one when it was resumed");
  return sentences;
}

}  // namespace fcsim::traces
