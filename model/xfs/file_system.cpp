#include "model/xfs/file_system.h"

#include <stdexcept>

#include "model/xfs/sync_call.h"

namespace fcsim::model::xfs {

FileSystem::FileSystem(const Configuration& configuration, const InitialState& initial)
    : fs_(settings_of(configuration), initial) {}

// The log worker has been running since the mount.
void FileSystem::begin_at(Time now) {
  if (begun_) return;
  begun_ = true;
  fs_.begin(now);
}

void FileSystem::start_io(FileId file, AwaitedBy awaited) {
  started_io_.push_back({file, fs_.bytes_in_flight(file), awaited});
}

void FileSystem::settle() {
  for (const FileId file : fs_.take_started_io()) start_io(file, AwaitedBy::nobody);
  for (const CheckpointRecord& record : fs_.log().take_checkpoints()) {
    ++causes_[static_cast<std::size_t>(record.cause)];
    for (JournalObserver* observer : observers_) observer->on_checkpoint(record);
  }
}

bool FileSystem::waits(const Operation& operation) const {
  return SyncCall::waits(fs_, operation);
}

std::unique_ptr<model::SyncCall> FileSystem::make_sync_call() {
  return std::make_unique<SyncCall>(*this);
}

void FileSystem::apply(const Operation& operation, Time now) {
  begin_at(now);
  fs_.apply(operation, now);
  settle();
}

Sequence FileSystem::take_wait() {
  const std::optional<Sequence> sequence = fs_.take_wait();
  return sequence && *sequence > durable() ? *sequence : 0;
}

void FileSystem::end_io(FileId file, Time now) {
  fs_.complete_io(file, now, {});
  settle();
}

void FileSystem::write_back(Time now, Time before) {
  for (const FileId file : fs_.dirty_files(before))
    if (fs_.start_writeback(file, 0, kEndOfBlocks, now, {})) start_io(file, AwaitedBy::nobody);
  settle();
}

void FileSystem::end_log_write(std::uint64_t id, Time) {
  fs_.log().written(static_cast<Sequence>(id));
  settle();
}

std::optional<Time> FileSystem::next_event() const {
  return begun_ ? fs_.next_event() : std::nullopt;
}

void FileSystem::happen(Time now) {
  fs_.happen(now);
  settle();
}

bool FileSystem::commit_rest(Time now) {
  if (fs_.log().cil_empty()) return false;
  fs_.log().force_all(now, CheckpointCause::sync, {});
  settle();
  return true;
}

void FileSystem::mount_again(const FilesystemSettings&, const MountSettings&) {
  throw std::invalid_argument("XFS is not mounted again within a run");
}

void FileSystem::remount(const MountSettings&) {
  throw std::invalid_argument("XFS is not remounted within a run");
}

void FileSystem::read(Counters& counters) const {
  counters.has_journal = false;
  counters.has_xfs = true;
  static_cast<XfsLogCounters&>(counters.xfs) = fs_.log().counters();
  counters.xfs.update_time = fs_.update_time();
  counters.xfs.causes = causes_;
  counters.has_block_device = true;
  counters.block_device = fs_.device_counters();
}

void FileSystem::tell_unsupported(Unsupported& unsupported) const {
  if (fs_.notes().mapped_stores_guessed != 0)
    unsupported["stores through shared mappings (all of a synced range taken as stored to)"] =
        fs_.notes().mapped_stores_guessed;
  if (fs_.notes().out_of_space != 0)
    unsupported["allocations beyond the free space"] = fs_.notes().out_of_space;
}

void FileSystem::add_observer(JournalObserver& observer) {
  observers_.push_back(&observer);
  fs_.log().keep_changes(true);
}

}  // namespace fcsim::model::xfs
