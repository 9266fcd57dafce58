// What the kernel told besides calls: stores through mappings, and that something is missing.
#include <algorithm>

#include "traces/resolve/engine.h"
#include "traces/resolve/ranges.h"
#include "traces/resolve/text.h"

namespace fcsim::traces::resolve {

using model::FileId;
using model::FileType;
using model::kNoFile;
using model::Operation;

void Engine::fact(const Event& event) {
  switch (event.call) {
    case Call::writeback_dirty_folio:
      return dirtied(event);
    case Call::events_lost:
      unseen_[unseen::lost_events] += static_cast<std::uint64_t>(event.length);
      return;
    default:
      return;
  }
}

// The file at a path that the kernel showed; kNoFile where none can be there.
FileId Engine::file_shown(std::string_view fd_path) {
  const ShownPath shown = split_deleted(fd_path);
  if (shown.deleted || !walk_.is_inside(shown.path)) return kNoFile;
  Walked walked;
  walk_shown(shown.path, false, true, walked);
  paths_certain_ = true;
  const FileId file = names_file(walked) ? existing(walked, FileType::regular) : kNoFile;
  paths_certain_ = false;
  return file;
}

// A clean folio became dirty by a store: what a write of it would do, but for the size, which a
// store does not change.
void Engine::dirtied(const Event& event) {
  const FileId file = file_shown(event.fd_path);
  if (file == kNoFile) return count(unseen::stores_to_removed);
  std::int64_t length = event.length;
  if (event.has_result) length = std::min(length, event.result - event.offset);
  if (length <= 0) return;
  Operation& operation = emit(OperationKind::write, file);
  operation.offset = event.offset;
  operation.length = length;
}

}  // namespace fcsim::traces::resolve
