// XFS as an implementation of the interface that the engine drives.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/file_system.h"
#include "model/xfs/xfs.h"

namespace fcsim::model::xfs {

class FileSystem final : public model::FileSystem {
 public:
  // Throws std::invalid_argument where the configuration describes no mountable file system.
  FileSystem(const Configuration& configuration, const InitialState& initial);

  [[nodiscard]] bool waits(const Operation& operation) const override;
  [[nodiscard]] std::unique_ptr<model::SyncCall> make_sync_call() override;
  void apply(const Operation& operation, Time now) override;
  [[nodiscard]] Sequence take_wait() override;
  void assume_read(FileId, Time) override {}  // whoever listed the files left their times alone

  void end_io(FileId file, Time now) override;
  [[nodiscard]] bool any_dirty() const override { return fs_.any_dirty(); }
  [[nodiscard]] bool flusher_has_work() const override { return fs_.any_dirty(); }
  void write_back(Time now, Time before) override;

  [[nodiscard]] std::span<const LogWrite> log_writes() override { return fs_.log().writes(); }
  void end_log_write(std::uint64_t id, Time now) override;
  [[nodiscard]] Sequence durable() const override { return fs_.log().durable(); }
  [[nodiscard]] std::optional<Time> next_event() const override;
  void happen(Time now) override;
  [[nodiscard]] bool commit_pending() const override { return false; }
  bool commit_rest(Time now) override;

  [[nodiscard]] std::vector<FileId> unnamed_files() const override { return fs_.unnamed_files(); }
  void mount_again(const FilesystemSettings& on_disk, const MountSettings& mount) override;
  void remount(const MountSettings& mount) override;

  void read(Counters& counters) const override;
  void tell_unsupported(Unsupported& unsupported) const override;
  void add_observer(JournalObserver& observer) override;

 private:
  friend class SyncCall;
  void begin_at(Time now);
  // After each act: whose I/O was started, which checkpoints were made.
  void settle();
  void start_io(FileId file, AwaitedBy awaited);
  void tell_sync(const SyncRecord& record) {
    for (JournalObserver* observer : observers_) observer->on_sync(record);
  }

  Xfs fs_;
  bool begun_ = false;
  std::vector<JournalObserver*> observers_;
  std::array<std::uint64_t, kCheckpointCauses> causes_{};
};

}  // namespace fcsim::model::xfs
