// ext4's way through the calls that wait: fsync and its kin, and whatever else must be durable
// before it returns (fs/ext4/fsync.c, fs/sync.c, fs/ext4/fast_commit.c:ext4_fc_commit).
#pragma once

#include <cstdint>

#include "model/ext4/filesystem.h"
#include "model/file_system.h"

namespace fcsim::model::ext4 {

class SyncCall final : public model::SyncCall {
 public:
  explicit SyncCall(FileSystem& fs) : fs_(fs) {}

  Wait begin(const Operation& operation, Time now, CallTime& time) override;
  Wait next(Time now) override;
  Wait take_over_write(Time now) override;
  Wait give_up_write(Time now) override;

 private:
  enum class Step : std::uint8_t {
    applied,      // a write or the like has taken effect: what must follow?
    synchronous,  // a synchronous handle's transaction is being committed
    stored,       // msync: the stores through the mapping have taken effect
    written,      // writeback is started: does anybody wait for I/O?
    data,         // waits for I/O
    fast_commit,  // sleeps until a fast or full commit ends, then asks again
    locking,      // its fast commit waits for reserved handles
    own_commit,   // its fast commit is being written
    full_commit,  // waits for transaction `tid_`
  };

  [[nodiscard]] Origin origin() const;
  Wait first_step(const Operation& operation, Time now, CallTime& time);
  Wait next_step(Time now);
  Wait write_range(Time now, std::uint64_t first, std::uint64_t end);
  Wait begin_sync_file_range(Time now);
  Wait begin_sync_all(Time now);
  Wait after_applied(Time now);
  Wait after_data(Time now);
  Wait ask_fast_commit(Time now);
  Wait write_fast_commit(Time now);
  void note_attempt(Time now, Outcome outcome);
  Wait complete_transaction(Time now, Cause cause);
  Wait force_commit(Time now, Cause cause);
  Wait wait_for(Tid tid, bool begun_before);
  Wait after_full_commit(Time now);
  Wait commit_everything(Time now);
  [[nodiscard]] bool everything() const;  // the call is about the whole file system

  FileSystem& fs_;
  const Operation* operation_ = nullptr;
  CallTime* time_ = nullptr;
  Step step_ = Step::data;
  bool datasync_ = false;
  Tid tid_ = 0;
  std::uint32_t generation_ = 0;  // of fast commits, when the call began or last started over
  Tid durable_ = 0;               // the last transaction on disk when the call began
  bool undisturbed_ = false;      // no commit had ended within the call when it asked
  bool asked_ = false;            // it has asked for a fast commit, at
  Time asked_at_ = 0;
  bool journalled_pages_ = false;  // data=journal: pages go home after the commit, with a handle
  int passes_ = 0;                 // sync, syncfs: commits already waited for
};

}  // namespace fcsim::model::ext4
