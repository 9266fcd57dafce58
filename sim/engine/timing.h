// How long things take, as far as the trace and `[device]` tell.
#pragma once

#include <algorithm>

#include "model/configuration.h"
#include "model/operation.h"

namespace fcsim::sim {

class Timing {
 public:
  explicit Timing(const model::DeviceSettings& device) : device_(device) {}

  // When a call's effect takes place. strace stamps the stop at the call's entry and again at its
  // return; the kernel runs the call 11 to 29 microseconds after the first stamp and right before the
  // second (middle half of 124,872 recorded fsyncs; 0.2 us between return and stamp in the median).
  // A call that waits begins right after its entry; any other runs in the last part of its time.
  [[nodiscard]] model::Time effect(const model::Operation& op) const {
    const model::Time late = (op.end - op.start) * 3 / 4;
    return op.start + (waits(op) ? std::min(late, kEntryNs) : late);
  }
  // A commit that this call waits for ends where the call returned, if it was recorded later.
  [[nodiscard]] model::Time commit_end(model::Time now, model::Time recorded_end) const {
    const model::Time latest = recorded_end - kEntryNs;
    return latest > now ? latest : now + commit_ns();
  }
  // A synchronous call's data reaches the device before the rest of the call.
  [[nodiscard]] model::Time data_end(model::Time now, model::Time recorded_end) const {
    const model::Time left = recorded_end - now;
    return now + (left > 0 ? std::min<model::Time>(data_ns(), left * 2 / 5) : data_ns());
  }
  [[nodiscard]] bool recorded(const model::Operation& op) const { return op.end > op.start; }
  // No commit is shorter than the flush that it waits for.
  [[nodiscard]] bool leaves_time_to_commit(model::Time now, model::Time recorded_end) const {
    return recorded_end - now > nanoseconds(device_.flush_us);
  }
  [[nodiscard]] model::Time data_ns() const { return nanoseconds(device_.write_us); }
  [[nodiscard]] model::Time commit_ns() const {
    return nanoseconds(device_.write_us + device_.flush_us + device_.fua_us);
  }

 private:
  static constexpr model::Time kEntryNs = 15'000;

  [[nodiscard]] static bool waits(const model::Operation& op) {
    using enum model::OperationKind;
    constexpr std::uint32_t synchronous = model::operation_flag::sync | model::operation_flag::dsync;
    return op.kind == fsync || op.kind == fdatasync || op.kind == msync || op.kind == sync ||
           op.kind == syncfs || op.kind == sync_file_range || (op.flags & synchronous) != 0;
  }
  static model::Time nanoseconds(double us) { return static_cast<model::Time>(us * 1000.0); }

  model::DeviceSettings device_;
};

}  // namespace fcsim::sim
