// What the file system asks of journal and fast-commit log, written down instead of carried out.
//
// What the layers above do to files does not depend on when transactions commit, but for the few
// questions that are events of their own here (`reservation`, `allocate`). So one file system can
// write down its handles, and any number of journals that differ in their commit interval, their
// fast-commit area and the like can play them back (sim/replay/lanes/).
//
// Handles are numbered: a number, called stamp, stands wherever a journal keeps a transaction's id.
// A player knows at which stamp each of its transactions began, hence into which one a block or an
// inode went that bears a stamp. 0 means never; stamps begin at 2, as transactions' ids do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/common/commit.h"

namespace fcsim::model::jbd2 {

struct JournalEvent {
  enum class Kind : std::uint8_t {
    start_handle,  // a = credits asked for, b = stamp
    stop_handle,   // small = synchronous
    dirty,         // a = stamp of the handle that dirtied the block last
    forget,        // the same
    reserve,       // a = credits
    release,       // a = credits
    reservation,   // a = credits: were they too many? Answered with no
    commit_now,    // small = cause
    track_inode,   // a = file, small = unloggable, count = marks
    track_range,   // a = file, b .. c = blocks
    track_dentry,  // a = file, small = kind, count = length of the name
    touch_inode,   // a = file: its sync tid is the running transaction's
    read_inode,    // a = file: its sync tid is the newest transaction's
    forget_inode,  // a = file
    leave_memory,  // a = file
    mark,          // small = reason, count = times
    mark_once,     // small = reason, unless the flag is set already
    allocate,      // blocks freed up to stamp a can be taken again, those from stamp b on cannot
    beyond,        // something that no player can follow
  };
  Kind kind = Kind::beyond;
  std::uint8_t small = 0;
  std::uint16_t count = 0;
  std::uint32_t a = 0, b = 0, c = 0;
};

// Players commit at different times, so blocks freed in one transaction can be taken again at
// different times. Whoever records gives them back when all players have, and where it matters as
// most have.
class FreedBlocksVote {
 public:
  struct Result {
    std::size_t least = 0;   // how many are on disk everywhere
    std::size_t likely = 0;  // ... with most players
    bool unanimous = true;   // with all players as many, without a doubt
  };
  virtual ~FreedBlocksVote() = default;
  // `waiting`: stamps of what was freed and is held back, ascending.
  [[nodiscard]] virtual Result on_disk(const std::vector<Tid>& waiting) = 0;
};

// Events, and a summary of those since begin_summary() that lets a player pass over them at once.
class JournalLog {
 public:
  static constexpr Tid kNoStamp = 0xffffffffU;

  struct Summary {
    Tid first_stamp = 0;  // of the next handle when the summary began
    std::uint32_t handles = 0;
    std::uint32_t credits = 0;   // most that a handle asked for
    std::uint32_t reserved = 0;  // most that was reserved, beyond what was at the beginning
    std::uint32_t reserved_now = 0;
    // Blocks dirtied, each once: the stamps that they bore before.
    std::vector<Tid> blocks;
    Tid oldest_block = kNoStamp;
    Tid reclaimed = 0;       // newest of `allocate` events
    Tid waiting = kNoStamp;  // oldest
    // Handles, blocks and tracking only: nothing that asks for a commit, marks, frees or is asked.
    bool plain = true;
  };

  [[nodiscard]] const std::vector<JournalEvent>& events() const { return events_; }
  [[nodiscard]] const Summary& summary() const { return summary_; }
  void clear() { events_.clear(); }
  void set_vote(FreedBlocksVote* vote) { vote_ = vote; }
  [[nodiscard]] FreedBlocksVote* vote() const { return vote_; }
  void begin_summary(Tid next_stamp) {
    summary_.first_stamp = next_stamp;
    summary_.handles = summary_.credits = summary_.reserved = summary_.reserved_now = 0;
    summary_.blocks.clear();
    summary_.oldest_block = summary_.waiting = kNoStamp;
    summary_.reclaimed = 0;
    summary_.plain = true;
  }

  void start_handle(std::uint32_t credits, Tid stamp) {
    tracked_ = touched_ = kNoFile;
    ++summary_.handles;
    summary_.credits = std::max(summary_.credits, credits);
    add({Kind::start_handle, 0, 0, credits, stamp, 0});
  }
  void stop_handle(bool synchronous) {
    if (synchronous) summary_.plain = false;
    add({Kind::stop_handle, synchronous, 0, 0, 0, 0});
  }
  void dirty(Tid before) {
    if (before < summary_.first_stamp) {
      summary_.blocks.push_back(before);
      summary_.oldest_block = std::min(summary_.oldest_block, before);
    }
    add({Kind::dirty, 0, 0, before, 0, 0});
  }
  void forget(Tid before) { add_special({Kind::forget, 0, 0, before, 0, 0}); }
  void reserve(std::uint32_t credits) {
    summary_.reserved_now += credits;
    summary_.reserved = std::max(summary_.reserved, summary_.reserved_now);
    add({Kind::reserve, 0, 0, credits, 0, 0});
  }
  void release(std::uint32_t credits) {
    if (credits > summary_.reserved_now) summary_.plain = false;
    summary_.reserved_now -= std::min(credits, summary_.reserved_now);
    add({Kind::release, 0, 0, credits, 0, 0});
  }
  // Most of the time the answer is clear: no summary that its player accepts reserves that much.
  void reservation(std::uint32_t credits) {
    summary_.credits = std::max(summary_.credits, credits);
    add({Kind::reservation, 0, 0, credits, 0, 0});
  }
  void commit_now(Cause cause) {
    add_special({Kind::commit_now, static_cast<std::uint8_t>(cause), 0, 0, 0, 0});
  }
  void track_inode(FileId file, bool unloggable, std::uint32_t marks) {
    if (unloggable) {
      add_special({Kind::track_inode, 1, static_cast<std::uint16_t>(marks), file, 0, 0});
    } else if (file != tracked_) {
      tracked_ = file;
      add({Kind::track_inode, 0, 0, file, 0, 0});
    }
  }
  void track_range(FileId file, std::uint32_t start, std::uint32_t end) {
    add({Kind::track_range, 0, 0, file, start, end});
  }
  void track_dentry(std::uint8_t kind, FileId file, std::uint32_t name_length) {
    add({Kind::track_dentry, kind, static_cast<std::uint16_t>(name_length), file, 0, 0});
  }
  void touch_inode(FileId file) {
    if (file == touched_) return;
    touched_ = file;
    add({Kind::touch_inode, 0, 0, file, 0, 0});
  }
  void read_inode(FileId file) {
    touched_ = kNoFile;
    add_special({Kind::read_inode, 0, 0, file, 0, 0});
  }
  void forget_inode(FileId file) {
    tracked_ = touched_ = kNoFile;
    add({Kind::forget_inode, 0, 0, file, 0, 0});
  }
  void leave_memory(FileId file) {
    tracked_ = touched_ = kNoFile;
    add_special({Kind::leave_memory, 0, 0, file, 0, 0});
  }
  void mark(std::uint8_t reason, std::uint32_t times) {
    tracked_ = kNoFile;
    add_special({Kind::mark, reason, static_cast<std::uint16_t>(times), 0, 0, 0});
  }
  void mark_once(std::uint8_t reason) {
    tracked_ = kNoFile;
    add_special({Kind::mark_once, reason, 0, 0, 0, 0});
  }
  // `reclaimed`: newest stamp of blocks freed that were given back; `waiting`: oldest of the
  // others.
  void allocate(Tid reclaimed, Tid waiting) {
    if (reclaimed == 0 && waiting == kNoStamp) return;
    summary_.reclaimed = std::max(summary_.reclaimed, reclaimed);
    summary_.waiting = std::min(summary_.waiting, waiting);
    add({Kind::allocate, 0, 0, reclaimed, waiting, 0});
  }
  void beyond() { add_special({Kind::beyond, 0, 0, 0, 0, 0}); }

 private:
  using Kind = JournalEvent::Kind;
  void add(const JournalEvent& event) { events_.push_back(event); }
  void add_special(const JournalEvent& event) {
    summary_.plain = false;
    add(event);
  }

  std::vector<JournalEvent> events_;
  FreedBlocksVote* vote_ = nullptr;
  Summary summary_;
  FileId tracked_ = kNoFile;  // the file of this handle's last track_inode, nothing else since
  FileId touched_ = kNoFile;
};

}  // namespace fcsim::model::jbd2
