// How long sync calls take: as the trace has it, and as the engine places them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/common/commit.h"
#include "model/common/operation.h"

namespace fcsim::engine {

// How often each duration came. Durations are kept in classes of a 64th of an octave, so that
// memory does not grow with the trace: a percentile is off by 0.8 % at most, sum and maximum are
// exact.
class Distribution {
 public:
  // Negative durations, which clocks that were set back give, count as 0.
  void add(model::Time ns);
  void add(const Distribution& other);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] model::Time total() const { return total_; }
  [[nodiscard]] model::Time maximum() const { return maximum_; }
  // The duration that `share` of all do not exceed, 0 < share <= 1, in nanoseconds; 0 of none.
  [[nodiscard]] model::Time percentile(double share) const;
  // The durations of equal classes of a quarter of an octave: {upper end in nanoseconds, how many},
  // from the first that holds any to the last.
  [[nodiscard]] std::vector<std::pair<model::Time, std::uint64_t>> quarters() const;

 private:
  static constexpr int kBits = 6;
  static constexpr std::size_t kParts = std::size_t{1} << kBits;  // of an octave

  std::vector<std::uint64_t> classes_;  // as long as the largest duration asks for
  std::uint64_t count_ = 0;
  model::Time total_ = 0;
  model::Time maximum_ = 0;
};

// What a sync call waits for.
enum class WaitedFor : std::uint8_t {
  data,     // the data of its file, or of all files, to reach the device
  journal,  // a commit of its own: fast, or a full one that it asked for
  others,   // a commit that had begun for another call, or for the timer
};
inline constexpr std::size_t kWaitedFor = 3;

// One sync call. Times are the engine's.
struct SyncTime {
  model::Origin origin;
  model::Time start = 0, end = 0;                // nanoseconds since the epoch of the trace
  model::Time recorded = -1;                     // how long the trace says it took; -1: it does not
  std::array<model::Time, kWaitedFor> waited{};  // nanoseconds
  [[nodiscard]] model::Time duration() const { return end - start; }
};

struct Latency {
  Distribution recorded;   // of the calls whose duration the trace has
  bool predicted = false;  // Placement::closed: what follows is filled in
  Distribution times;
  std::array<model::Time, kWaitedFor> waited{};  // sums, nanoseconds

  void add(const SyncTime& call);
  // Another part of the same run.
  void add(const Latency& other);
};

}  // namespace fcsim::engine
