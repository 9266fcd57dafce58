// How long things take, as far as the trace and `[device]` tell.
#pragma once

#include <algorithm>

#include "model/common/configuration.h"
#include "model/common/operation.h"
#include "sim/engine/commit_cost.h"
#include "sim/engine/commit_times.h"
#include "sim/engine/placement.h"

namespace fcsim::engine {

class Timing {
 public:
  // Under Placement::recorded, where [device] was not given, how long a fast commit takes at least
  // is learnt from the trace.
  Timing(const model::Configuration& configuration, Placement placement)
      : measures_(placement == Placement::recorded && !configuration.device.given),
        device_(configuration.device),
        block_size_(configuration.filesystem.block_size),
        barrier_(configuration.mount.barrier),
        settings_(configuration.timing),
        entry_ns_(configuration.timing.entry_us * 1000),
        commit_times_(configuration.timing) {}

  // When a call's effect takes place. strace stamps the stop at the call's entry and again at its
  // return; the kernel runs the call entry_us after the first stamp and right before the second
  // (0.2 us between return and stamp in the median of 124,872 recorded fsyncs). A call that waits
  // begins right after its entry; any other runs in the last part of its time.
  [[nodiscard]] model::Time effect(const model::Operation& op) const {
    if (op.cpu >= 0) return op.start;
    const model::Time late = (op.end - op.start) * settings_.effect_percent / 100;
    return op.start + (waits(op) ? std::min(late, entry_ns(op)) : late);
  }
  // The same of a call that could not begin, as far as the trace tells: else 0.
  [[nodiscard]] static model::Time effect_when_stopped(const model::Operation& op) {
    if (waits(op)) return op.kernel.allocated;
    return op.cpu >= 0 ? op.end : 0;
  }
  // When the fast commit that this call wrote had ended; later than the start of that where the
  // trace tells.
  [[nodiscard]] model::Time written_by(const model::Operation& op) const {
    return op.kernel.answered != 0 ? op.kernel.answered : op.end - entry_ns(op);
  }
  // Likewise the full commit that it waited for.
  [[nodiscard]] model::Time durable_by(const model::Operation& op) const {
    return op.kernel.durable != 0 ? op.kernel.durable : op.end - entry_ns(op);
  }
  // A commit of `blocks` blocks ends where the recorded one did, if that was later.
  [[nodiscard]] model::Time commit_end(model::Time now, model::Time recorded,
                                       std::uint64_t blocks) const {
    return recorded > now ? recorded : now + commit_ns(blocks);
  }
  // A synchronous call's `bytes` of data reach the device before the rest of the call: at the
  // latest when data_percent of it are over, or when no more is left of it than a commit takes.
  [[nodiscard]] model::Time data_end(model::Time now, const model::Operation& op,
                                     std::uint64_t bytes) const {
    if (op.kernel.converted > now) return op.kernel.converted;
    if (op.kernel.asked > now) return op.kernel.asked;
    const model::Time left = op.end - now;
    if (left <= 0) return now + data_ns(bytes);
    return now + std::min(data_ns(bytes),
                          std::max(left * settings_.data_percent / 100, left - commit_ns(1)));
  }
  // A call that only waits for data returns when the data is there.
  [[nodiscard]] model::Time wait_end(model::Time now, const model::Operation& op,
                                     std::uint64_t bytes) const {
    const model::Time latest = op.end - entry_ns(op);
    return latest > now ? latest : now + data_ns(bytes);
  }
  // fsync and its kin, and writes through O_SYNC or O_DSYNC descriptors.
  [[nodiscard]] static bool waits(const model::Operation& op) {
    using enum model::OperationKind;
    constexpr std::uint32_t synchronous =
        model::operation_flag::sync | model::operation_flag::dsync;
    return op.kind == fsync || op.kind == fdatasync || op.kind == msync || op.kind == sync ||
           op.kind == syncfs || op.kind == sync_file_range || (op.flags & synchronous) != 0;
  }
  [[nodiscard]] bool recorded(const model::Operation& op) const { return op.end > op.start; }
  // What the trace shows of the call's time has passed.
  [[nodiscard]] bool is_over(model::Time now, const model::Operation& op) const {
    return recorded(op) && now >= op.end - entry_ns(op);
  }
  // A fast commit that was asked for at `asked` by a call that had waited for no other's.
  [[nodiscard]] model::Time commit_time(model::Time asked, const model::Operation& op) const {
    return written_by(op) - asked;
  }
  void note_commit(model::Time ns) {
    if (measures_) commit_times_.add(ns);
  }
  // Nothing is shorter than the shortest commit of this machine or, where that is not known, than
  // the flush that a commit waits for.
  [[nodiscard]] bool leaves_time_to_commit(model::Time now, model::Time recorded_end) {
    const bool known = commit_times_.known();
    used_commit_times_ |= known;
    const model::Time shortest = known ? commit_times_.shortest() : nanoseconds(device_.flush_us);
    return recorded_end - now > shortest;
  }
  // What the trace said of commits, if anything depended on it.
  [[nodiscard]] const CommitTimes* used_commit_times() const {
    return used_commit_times_ ? &commit_times_ : nullptr;
  }
  // I/O that no call waits for overlaps with whatever comes next; of the 993 sync_file_range calls
  // of an initdb all had ended 1.1 ms after the last one, so its size is left out.
  [[nodiscard]] model::Time unawaited_ns() const { return data_ns(0); }
  [[nodiscard]] model::Time data_ns(std::uint64_t bytes) const {
    const double mib = static_cast<double>(bytes) / (1024.0 * 1024.0);
    return nanoseconds(device_.write_us + mib / device_.bandwidth_mib_s * 1e6);
  }
  [[nodiscard]] model::Time commit_ns(std::uint64_t blocks) const {
    return nanoseconds(commit_microseconds(blocks, block_size_, barrier_, device_));
  }

 private:
  // Between strace's stamp of a call's entry and the entry. A recording through tracepoints, which
  // alone tells the processor, stamps the entry itself.
  [[nodiscard]] model::Time entry_ns(const model::Operation& op) const {
    return op.cpu >= 0 ? 0 : entry_ns_;
  }

  static model::Time nanoseconds(double us) { return static_cast<model::Time>(us * 1000.0); }

  bool measures_;
  model::DeviceSettings device_;
  std::uint32_t block_size_;
  bool barrier_;
  model::TimingSettings settings_;
  model::Time entry_ns_;
  CommitTimes commit_times_;
  bool used_commit_times_ = false;
};

}  // namespace fcsim::engine
