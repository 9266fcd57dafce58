// Descriptors: what opens, duplicates and closes them.
#include <algorithm>
#include <cassert>

#include "traces/resolve/arguments.h"
#include "traces/resolve/engine.h"
#include "traces/resolve/linux_values.h"
#include "traces/resolve/text.h"

namespace fcsim::traces::resolve {

using model::FileId;
using model::FileType;
using model::kNoFile;
using model::Operation;
namespace flag = model::operation_flag;

namespace {

OutsideEffect effect_of(std::string_view path) {
  if (path == "/proc/sys/vm/drop_caches") return OutsideEffect::drop_caches;
  if (path.ends_with("/memory.force_empty") || path.ends_with("/memory.reclaim")) {
    return OutsideEffect::reclaim;
  }
  return OutsideEffect::none;
}

bool opened_for_write(std::uint64_t open_flags) {
  return (open_flags & kAccessMode) != kReadOnly;
}

}  // namespace

void Engine::set_status_flags(OpenDescription& description, std::uint64_t open_flags) {
  description.write_flags &= ~(flag::append | flag::direct);
  description.read_flags = 0;
  if ((open_flags & kAppend) != 0) description.write_flags |= flag::append;
  if ((open_flags & kDirect) != 0) description.write_flags |= flag::direct;
  if ((open_flags & kDirect) != 0) description.read_flags |= flag::direct;
  if ((open_flags & kNoAccessTime) != 0) description.read_flags |= flag::noatime;
}

DescriptionId Engine::make_description(FileId file, std::uint64_t open_flags,
                                       std::string_view outside) {
  const DescriptionId id = descriptions_.make();
  OpenDescription& description = descriptions_.at(id);
  description.file = file;
  description.for_write = opened_for_write(open_flags);
  description.path_only = (open_flags & kPathOnly) == kPathOnly;
  if ((open_flags & kSync) == kSync) {
    description.write_flags |= flag::sync;
  } else if ((open_flags & kDataSync) != 0) {
    description.write_flags |= flag::dsync;
  }
  set_status_flags(description, open_flags);
  if (file != kNoFile) {
    hold(file);
  } else {
    description.outside.assign(outside);
    description.effect = effect_of(outside);
  }
  return id;
}

// A descriptor that the tables do not have: opened before the trace, or received from elsewhere.
// With -y its path makes it known; it is taken as open for reading and writing, at an unknown
// position (the first write without an offset goes to the end of the file, a read to its start).
DescriptionId Engine::repair_descriptor(std::int32_t fd, std::string_view fd_path) {
  if (fd < 0 || fd >= kDescriptorLimit) return kNoDescription;
  const auto named = options_.descriptors.find(fd);
  const bool is_named = fd_path.empty() && named != options_.descriptors.end();
  const ShownPath shown = split_deleted(is_named ? std::string_view(named->second) : fd_path);
  FileId file = kNoFile;
  bool unknown = false;
  if (walk_.is_inside(shown.path)) {
    count(unseen::early_descriptors);
    if (shown.deleted) {
      file = appear_without_name(FileType::regular);
    } else {
      Walked walked;
      walk_shown(shown.path, false, true, walked);
      paths_certain_ = true;
      file = existing(walked, FileType::regular);
      paths_certain_ = false;
    }
  } else if (shown.path.empty() && fd > 2) {
    count(unseen::unexplained_descriptors);
    unknown = !options_.unknown_are_files;
    if (options_.unknown_are_files) {
      assumed_descriptors_ = true;
      file = appear_without_name(FileType::regular);
    }
  }
  const DescriptionId id = make_description(file, kReadWrite, shown.path);
  OpenDescription& description = descriptions_.at(id);
  description.position = -1;
  description.repaired = true;
  description.unknown = unknown;
  description.references = 1;
  process_->table->set(fd, Descriptor{id, false});
  // Opened some time ago; told now, so that each release has its open.
  if (file != kNoFile) emit(OperationKind::open, file).flags = flag::for_write;
  return id;
}

void Engine::drop_description(DescriptionId id) {
  OpenDescription& description = descriptions_.at(id);
  assert(description.references > 0);
  if (--description.references > 0) return;
  const FileId file = description.file;
  if (file != kNoFile) {
    if (!description.path_only) {
      emit(OperationKind::release, file).flags = description.for_write ? flag::for_write : 0;
    }
    let_go(file);
  }
  descriptions_.free(id);
}

void Engine::close_descriptor(DescriptorTable& table, std::int32_t fd) {
  const DescriptionId id = table.find(fd);
  if (id == kNoDescription) return;
  table.clear(fd);
  drop_description(id);
}

void Engine::put(DescriptorTable& table, std::int32_t fd, Descriptor descriptor) {
  close_descriptor(table, fd);  // only where the trace lacks the close
  table.set(fd, descriptor);
}

// A descriptor becomes visible to the other threads when its call returns.
void Engine::install(std::int64_t fd, DescriptionId id, bool close_on_exec) {
  ++descriptions_.at(id).references;
  if (fd < 0 || fd >= kDescriptorLimit) return drop_description(id);
  const auto number = static_cast<std::int32_t>(fd);
  DescriptorTable* table = process_->table.get();
  if (process_->table.use_count() == 1) return put(*table, number, Descriptor{id, close_on_exec});
  pending_.push_back({origin_.end, process_->pid, table, number, Descriptor{id, close_on_exec}});
}

void Engine::install_pending(const Event& event) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const Pending install = pending_[i];
    if (install.pid == event.pid || install.when <= event.start_ns) {
      put(*install.table, install.fd, install.descriptor);
    } else {
      pending_[kept++] = install;
    }
  }
  pending_.resize(kept);
}

void Engine::install_pending_of(std::int32_t pid) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const Pending install = pending_[i];
    if (install.pid == pid) {
      put(*install.table, install.fd, install.descriptor);
    } else {
      pending_[kept++] = install;
    }
  }
  pending_.resize(kept);
}

void Engine::open_call(const Event& event) {
  std::uint64_t flags = event.flags;
  if (event.call == Call::creat) flags |= kCreate | kTruncate | kWriteOnly;
  if (event.result < 0) {
    if (event.error == kEexist) failed_name_call(event);
    if (event.error == kEnospc) fail_to_open(event, flags);
    walk_to_nothing(event, (flags & (kNoFollow | kExclusive)) == 0);
    return;
  }
  if ((flags & kPathOnly) != 0) {  // the kernel ignores the rest
    flags &= kPathOnly | kDirectory | kNoFollow | kCloseOnExec;
  }
  if ((flags & kTemporary) == kTemporary) return open_temporary(event, flags);
  const bool exclusive = (flags & (kCreate | kExclusive)) == (kCreate | kExclusive);
  const bool follow = (flags & kNoFollow) == 0 && !exclusive;
  last_unexplained_ = {kNoFile, 0};
  Walked& walked = walk_first(event, follow);
  if (!event.result_path.empty()) {
    explain_as_foreign(walked, event.path, event.result_path);
    settle_by_shown_path(event.result_path, walked);
  }
  if (!names_file(walked)) return open_outside(event, flags, walked.outside);

  if (exclusive) drop_stale(walked);
  bool created = false;
  FileId file = kNoFile;
  if (walked.kind == Walked::Kind::absent && (flags & kCreate) != 0) {
    created = true;
    const bool certain = exclusive || manifest_known_ || names_.file(walked.parent).all_names_known;
    file = make(OperationKind::create, walked, FileType::regular);
    names_.file(file).taken_as_new = !certain;
    if (!certain) assumed_new_files_ = true;
  } else {
    const bool directory = (flags & kDirectory) != 0;
    paths_certain_ = !event.result_path.empty();
    file = existing(walked, directory ? FileType::directory : FileType::regular);
    paths_certain_ = false;
    if (file == kNoFile) return open_outside(event, flags, {});
    if (directory) learn_type(file, FileType::directory);
  }
  const DescriptionId id = make_description(file, flags, {});
  const OpenDescription& description = descriptions_.at(id);
  if (!description.path_only) {
    Operation& operation = emit(OperationKind::open, file);
    operation.type = names_.file(file).type;
    if (description.for_write) ++sightings_.opened_for_writing;
    operation.flags = (description.for_write ? flag::for_write : 0U) |
                      (description.write_flags & flag::direct) | (created ? flag::created : 0U);
    if ((flags & kTruncate) != 0 && !created && operation.type == FileType::regular) {
      Operation& truncation = emit(OperationKind::truncate, file);
      truncation.flags = flag::by_open;
      names_.file(file).size = 0;
      names_.file(file).size_exact = true;
    }
  }
  install(event.result, id, (flags & kCloseOnExec) != 0);
}

void Engine::fail_to_open(const Event& event, std::uint64_t flags) {
  if ((flags & kTemporary) == kTemporary) {
    const Walked& walked = walk_first(event, true);
    const FileId parent = names_file(walked) ? existing(first_, FileType::directory) : kNoFile;
    if (parent == kNoFile) return;
    const FileId file = names_.new_file(FileType::regular);
    Operation& operation = emit(OperationKind::tmpfile, file);
    operation.parent = parent;
    operation.flags = flag::failed_no_space;
    names_.free_file(file);
  } else if ((flags & kCreate) != 0) {
    fail_to_make(OperationKind::create, walk_first(event, (flags & kExclusive) == 0),
                 FileType::regular);
  }
}

void Engine::open_outside(const Event& event, std::uint64_t flags, std::string_view path) {
  if (path.empty()) path = split_deleted(event.result_path).path;
  const DescriptionId id = make_description(kNoFile, flags, path);
  install(event.result, id, (flags & kCloseOnExec) != 0);
}

void Engine::open_temporary(const Event& event, std::uint64_t flags) {
  Walked& walked = walk_first(event, true);
  if (!names_file(walked)) return open_outside(event, flags, walked.outside);
  const FileId parent = existing(walked, FileType::directory);
  if (parent == kNoFile) return open_outside(event, flags, {});
  const FileId file = names_.new_file(FileType::regular);
  names_.file(file).type_exact = names_.file(file).size_exact = true;
  emit(OperationKind::tmpfile, file).parent = parent;
  const DescriptionId id = make_description(file, flags, {});
  emit(OperationKind::open, file).flags =
      flag::for_write | flag::created | (descriptions_.at(id).write_flags & flag::direct);
  install(event.result, id, (flags & kCloseOnExec) != 0);
}

void Engine::close_range_call(const Event& event) {
  if (event.result < 0) return;
  if (has_flag(event, kCloseRangeUnshare)) copy_table(*process_);
  DescriptorTable& table = *process_->table;
  const auto size = static_cast<std::int32_t>(table.entries().size());
  const std::int32_t last = std::min(last_descriptor(event), size - 1);
  for (std::int32_t fd = std::max(first_descriptor(event), 0); fd <= last; ++fd) {
    if (!has_flag(event, kCloseRangeCloseOnExec)) {
      close_descriptor(table, fd);
    } else if (table.find(fd) != kNoDescription) {
      table.set_close_on_exec(fd, true);
    }
  }
}

void Engine::duplicate(const Event& event, std::int64_t to, bool close_on_exec) {
  if (event.result < 0) return;
  const DescriptionId id = description_of(event.fd, event.fd_path);
  if (id == kNoDescription || to == event.fd) return;
  if (event.call != Call::dup && event.call != Call::fcntl && to < kDescriptorLimit) {
    ++descriptions_.at(id).references;  // it may be the very one that is closed
    close_descriptor(*process_->table, static_cast<std::int32_t>(to));
    --descriptions_.at(id).references;
  }
  install(to, id, close_on_exec);
}

void Engine::fcntl_call(const Event& event) {
  if (event.result < 0) return;
  const std::uint64_t command = fcntl_command(event);
  if (command == kDuplicate || command == kDuplicateCloseOnExec) {
    return duplicate(event, event.result, command == kDuplicateCloseOnExec);
  }
  if (command != kSetDescriptorFlags && command != kGetStatusFlags && command != kSetStatusFlags) {
    return;
  }
  const DescriptionId id = description_of(event.fd, event.fd_path);
  if (id == kNoDescription) return;
  OpenDescription& description = descriptions_.at(id);
  if (command == kSetDescriptorFlags) {
    process_->table->set_close_on_exec(event.fd, (fcntl_value(event) & 1) != 0);
  } else if (command == kSetStatusFlags) {
    set_status_flags(description, fcntl_value(event));
  } else if (description.repaired) {
    const auto flags = static_cast<std::uint64_t>(event.result);
    set_status_flags(description, flags);
    description.for_write = opened_for_write(flags);
    if ((flags & kSync) == kSync) {
      description.write_flags |= flag::sync;
    } else if ((flags & kDataSync) != 0) {
      description.write_flags |= flag::dsync;
    }
  }
}

// Sockets, pipes and the like: known, so that their numbers are not taken for unexplained ones.
void Engine::new_outside_descriptors(const Event& event) {
  if (event.result < 0) return;
  const bool close_on_exec = (event.flags & kCloseOnExec) != 0;
  if (event.call == Call::pipe) {
    install(event.fd, make_description(kNoFile, kReadOnly, event.fd_path), close_on_exec);
    install(event.fd2, make_description(kNoFile, kWriteOnly, event.fd2_path), close_on_exec);
    return;
  }
  const ShownPath shown = split_deleted(event.result_path);
  if (walk_.is_inside(shown.path)) {  // open_tree, open_by_handle_at, pidfd_getfd
    if (event.result < kDescriptorLimit) {
      const auto fd = static_cast<std::int32_t>(event.result);
      close_descriptor(*process_->table, fd);
      repair_descriptor(fd, event.result_path);
    }
    return;
  }
  install(event.result, make_description(kNoFile, kReadWrite, shown.path), close_on_exec);
}

}  // namespace fcsim::traces::resolve
