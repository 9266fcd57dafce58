// The way of a call that makes things durable: its data, then the log, then the device.
//
// Source: fs/xfs/xfs_file.c (xfs_file_fsync, xfs_dir_fsync), fs/xfs/xfs_super.c (xfs_fs_sync_fs),
// fs/sync.c.
#pragma once

#include <cstdint>
#include <optional>

#include "model/xfs/file_system.h"

namespace fcsim::model::xfs {

class SyncCall final : public model::SyncCall {
 public:
  // Whether the operation waits for something after its changes were made.
  [[nodiscard]] static bool waits(const Xfs& fs, const Operation& operation);
  // Whether its own transaction may have to be durable before it returns.
  [[nodiscard]] static bool changes_synchronously(const Xfs& fs, const Operation& operation);

  explicit SyncCall(FileSystem& file_system) : file_system_(file_system), fs_(file_system.fs_) {}
  Wait begin(const Operation& operation, Time now, CallTime& time) override;
  Wait next(Time now) override;
  [[nodiscard]] std::optional<SyncResult> result() const override { return result_; }

 private:
  enum class Step : std::uint8_t { data, log, flush, written };

  Wait begin_change(Time now);
  Wait begin_file(Time now, std::uint64_t first, std::uint64_t end);
  Wait begin_sync_file_range(Time now);
  Wait begin_everything(Time now);
  void flush();
  Wait force(Time now);
  Wait force_everything(Time now);
  Wait settled(const Wait& wait, Time now) {
    file_system_.settle();
    if (wait.what == Wait::For::nothing) file_system_.tell_sync({now, origin(), result_, reason_});
    return wait;
  }
  [[nodiscard]] Origin origin() const {
    const Operation& op = *operation_;
    return {op.line, op.source, op.pid, op.kind, op.file};
  }

  FileSystem& file_system_;
  Xfs& fs_;
  const Operation* operation_ = nullptr;
  Step step_ = Step::data;
  bool datasync_ = false;
  bool everything_ = false;
  SyncResult result_ = SyncResult::nothing;
  SyncReason reason_ = SyncReason::nothing_pending;
};

}  // namespace fcsim::model::xfs
