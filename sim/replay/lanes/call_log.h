// What an engine asked of its file system, call by call, and what each call did to the journal.
#pragma once

#include <cstdint>
#include <vector>

#include "model/common/operation.h"
#include "model/jbd2/journal_log.h"

namespace fcsim::replay::lanes {

struct LoggedCall {
  enum class Kind : std::uint8_t {
    apply,  // a = line, b = kind of the operation
    assume_read,
    start_writeback,  // a .. b = blocks; result, bytes in flight behind it
    end_io,
    complete_io,
    deferred_times,
    store,        // a = offset, b = length
    dirty_files,  // a = before; files
    mark_clean,
    pages_written,
    touch_journal,
  };
  Kind kind = Kind::apply;
  bool result = false;
  bool pending = false;      // start_writeback: the file had blocks to write
  bool any_dirty = false;    // behind the call
  bool synchronous = false;  // apply: writes to the file are synchronous
  model::FileId file = model::kNoFile;
  std::uint64_t a = 0, b = 0;
  std::uint64_t bytes = 0;
  model::Time now = 0;
  std::size_t events_end = 0;                  // one past its last event in the journal's log
  std::size_t files_begin = 0, files_end = 0;  // files listed, or whose I/O was started
};

struct CallLog {
  model::jbd2::JournalLog journal;
  std::vector<LoggedCall> calls;
  std::vector<model::FileId> files;
  std::size_t applied = 0;  // one past the last call of kind apply

  void clear() {
    journal.clear();
    calls.clear();
    files.clear();
    applied = 0;
  }
};

}  // namespace fcsim::replay::lanes
