// How old the oldest write is that a cut would lose, over all moments of a run. Memory is bounded:
// by the greatest age, not by the length of the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "model/common/operation.h"
#include "model/exposure/content.h"

namespace fcsim::model::exposure {

// What a cut would lose, from one moment to the next change. Times are those of the trace.
struct AtRisk {
  Time from = 0;
  std::uint64_t writes = 0;  // acknowledged write calls, whole or in part
  std::int64_t bytes = 0;
  std::uint64_t names = 0;  // changed names
  std::uint64_t files = 0;  // with a write or a name of these
  Time oldest = 0;          // when the oldest lost write was acknowledged; 0: none is lost
  Writer oldest_writer = kZeros;
};

// Ages in seconds.
struct Ages {
  double mean = 0, p50 = 0, p90 = 0, p99 = 0, maximum = 0;
  double below_half_second = 0;  // share of the time
  Time worst_at = 0;
  Writer worst_writer = kZeros;
  std::vector<double> curve;  // the greatest age in each of equal parts of the time, 31 to 60
  std::uint64_t most_writes = 0;
  std::int64_t most_bytes = 0;
  std::uint64_t most_names = 0;
  std::uint64_t most_files = 0;
};

class AgeAccount {
 public:
  // Holds from `risk.from` until the next one. Their times ascend.
  void note(const AtRisk& risk);
  // Of the time from the first note to `end`.
  [[nodiscard]] Ages ages(Time end);
  // The call that would be named as the worst.
  [[nodiscard]] Writer worst_writer() const { return ages_.worst_writer; }

 private:
  // The time during which the age lay between two ages is spread over them evenly.
  struct Edge {
    double slope = 0;  // seconds of time for each second of age, from here on
    double mass = 0;   // seconds of time at this age
  };
  void pass(Time to);
  void add_curve(Time from, Time to);
  [[nodiscard]] double age_at(double time) const;

  AtRisk now_;
  bool begun_ = false;
  Time begin_ = 0;
  double safe_ = 0, weighted_ = 0, early_ = 0;
  std::map<std::int64_t, Edge> edges_;  // by age in microseconds, rounded to 0.1 to 1 %
  Time column_ = 1'000'000'000 / 64;    // how long one part of the curve is
  Ages ages_;
};

}  // namespace fcsim::model::exposure
