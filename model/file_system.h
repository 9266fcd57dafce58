// What the engine needs of a file system: calls that take no time, the way through calls that wait,
// writes under way, and the moments at which it acts by itself. The engine decides when I/O and
// writes to the log end; the file system decides what follows.
//
// Implementations: model/ext4/, model/xfs/.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/common/commit.h"
#include "model/common/configuration.h"
#include "model/common/counters.h"
#include "model/common/operation.h"
#include "model/file_system_observer.h"
#include "model/journal.h"

namespace fcsim::model {

// What is known of the time that a call takes. The engine's.
class CallTime {
 public:
  virtual ~CallTime() = default;
  // The trace says when the call returned.
  [[nodiscard]] virtual bool recorded() const = 0;
  // Between `now` and the call's recorded return there is time for a commit of its own.
  [[nodiscard]] virtual bool leaves_time_to_commit(Time now) = 0;
  // When the kernel saw the call ask for a fast commit; nullopt where the trace does not say.
  [[nodiscard]] virtual std::optional<Time> asks_at() const { return std::nullopt; }
  // The kernel saw it write one itself.
  [[nodiscard]] virtual bool wrote_fast_commit() const { return false; }
};

// What a call waits for.
struct Wait {
  enum class For : std::uint8_t {
    nothing,    // it is over
    again,      // no time passes; what it did takes effect, then next() is called
    moment,     // `until`
    data,       // the I/O of `file`
    all_data,   // all I/O under way
    log_write,  // any write to the log to end
    own_write,  // the write to the log that it made itself (LogWrite::by_caller)
    durable,    // `sequence`
  };
  For what = For::nothing;
  FileId file = kNoFile;
  Sequence sequence = 0;
  // log_write, own_write: no commit has ended since the call began, and it asks for the first time.
  bool undisturbed = false;
  Time asked_at = 0;  // own_write: when it asked first
  Time until = 0;     // moment
  // durable: the commit had begun before the call asked.
  bool begun_before = false;
};

// One call's way through fsync and its kin. Made once for a process, used for its calls in turn.
class SyncCall {
 public:
  SyncCall() = default;
  SyncCall(const SyncCall&) = delete;
  SyncCall& operator=(const SyncCall&) = delete;
  virtual ~SyncCall() = default;
  // The call begins; `operation` and `time` outlive it.
  virtual Wait begin(const Operation& operation, Time now, CallTime& time) = 0;
  // What it waited for has happened.
  virtual Wait next(Time now) = 0;
  // The trace shows that this call, which waits for a log_write, made the write itself, and that
  // the one that was taken for its writer waits for it.
  virtual Wait take_over_write(Time) { return {}; }
  virtual Wait give_up_write(Time) { return {}; }
};

// Whether, and for what, a call waits for I/O that was started.
enum class AwaitedBy : std::uint8_t {
  nobody,
  call,         // the call goes on when the data is there
  call_return,  // the call returns when the data is there
};

struct StartedIo {
  FileId file = kNoFile;
  std::uint64_t bytes = 0;  // that change state at its end
  AwaitedBy awaited = AwaitedBy::nobody;
};

class FileSystem {
 public:
  FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;
  virtual ~FileSystem() = default;

  // ---- calls ----
  // Whether the call goes through a SyncCall; all others are applied.
  [[nodiscard]] virtual bool waits(const Operation& operation) const = 0;
  [[nodiscard]] virtual std::unique_ptr<SyncCall> make_sync_call() = 0;
  virtual void apply(const Operation& operation, Time now) = 0;
  // What apply() did must be durable before the call returns: the sequence; 0 if nothing must.
  [[nodiscard]] virtual Sequence take_wait() = 0;
  // The call cannot begin before a write to the log ends.
  [[nodiscard]] virtual bool stopped(const Operation&) const { return false; }
  // What follows happens on this processor; -1: not known.
  virtual void run_on(std::int16_t) {}
  // The file was read at `now`, and its access time did not move, as an earlier read had moved it.
  virtual void assume_read(FileId file, Time now) = 0;

  // ---- data ----
  // I/O started since the engine took the last; the engine empties the list.
  [[nodiscard]] std::vector<StartedIo>& started_io() { return started_io_; }
  virtual void end_io(FileId file, Time now) = 0;
  [[nodiscard]] virtual bool any_dirty() const = 0;  // files
  // Whether the flusher has something to do, now or later.
  [[nodiscard]] virtual bool flusher_has_work() const = 0;
  // The flusher's turn: writes what was dirtied before `before`.
  virtual void write_back(Time now, Time before) = 0;

  // ---- the log ----
  // Writes under way, in the order in which they began.
  [[nodiscard]] virtual std::span<const LogWrite> log_writes() = 0;
  virtual void end_log_write(std::uint64_t id, Time now) = 0;
  [[nodiscard]] virtual Sequence durable() const = 0;
  [[nodiscard]] virtual std::optional<Time> next_event() const = 0;
  virtual void happen(Time now) = 0;
  // A commit was asked for and has not begun.
  [[nodiscard]] virtual bool commit_pending() const = 0;
  // While the commit daemon sleeps, a commit that was asked for does not begin, and handles go on
  // to join its sequence. Where one was asked for, its waking begins it.
  virtual void let_daemon_sleep(Time, bool) {}
  // Unmount's last act: commits what is open. False where nothing is.
  virtual bool commit_rest(Time now) = 0;

  // ---- mounts ----
  // Files without a name that something still held.
  [[nodiscard]] virtual std::vector<FileId> unnamed_files() const = 0;
  // Mounts again what was unmounted, after everything was synced and unnamed files were evicted:
  // what lived in memory is gone, what is on disk stays. Only features may differ from before.
  // Throws std::invalid_argument, and changes nothing, where the kernel refuses the mount.
  virtual void mount_again(const FilesystemSettings& on_disk, const MountSettings& mount) = 0;
  virtual void remount(const MountSettings& mount) = 0;

  // ---- answers ----
  // What the kernel's files show now.
  virtual void read(Counters& counters) const = 0;
  // What the model had to leave out of its answer, counted; sentences.
  virtual void tell_unsupported(Unsupported& unsupported) const = 0;
  // Whether everything would have been the same up to `now` under another setting. What of
  // `counters`, which read() filled, that setting itself decides is put right. False where that is
  // not known.
  [[nodiscard]] virtual bool holds_for(const Configuration& setting, Time now,
                                       Counters& counters) const {
    (void)setting, (void)now, (void)counters;
    return false;
  }
  // Added before the first call; outlives the file system.
  virtual void add_observer(JournalObserver& observer) = 0;
  // The same, told of files and data too. One at most.
  virtual void observe(FileSystemObserver&) {}

 protected:
  std::vector<StartedIo> started_io_;
};

}  // namespace fcsim::model
