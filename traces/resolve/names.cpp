// Names: what makes, moves and removes them, and what only looks at them.
#include <algorithm>
#include <charconv>

#include "traces/resolve/arguments.h"
#include "traces/resolve/engine.h"
#include "traces/resolve/linux_values.h"

namespace fcsim::traces::resolve {

using model::FileId;
using model::FileType;
using model::kNoFile;
using model::Operation;
namespace flag = model::operation_flag;

void Engine::make_call(const Event& event, OperationKind kind, FileType type) {
  if (event.result < 0) {
    if (event.error == kEnospc) fail_to_make(kind, walk_first(event, false), type);
    return failed_name_call(event);
  }
  Walked& walked = walk_first(event, false);
  if (names_file(walked) && walked.parent != kNoFile) make(kind, walked, type);
}

void Engine::symlink_call(const Event& event) {
  if (event.result < 0) {
    if (event.error == kEnospc) {
      walk_path(event.fd, event.fd_path, symlink_name(event), false, first_);
      fail_to_make(OperationKind::symlink, first_, FileType::symlink);
    }
    return failed_name_call(event);
  }
  walk_path(event.fd, event.fd_path, symlink_name(event), false, first_);
  const std::string_view target = symlink_target(event);
  if (first_.kind == Walked::Kind::outside) walk_.learn_outside_link(first_.outside, target);
  if (!names_file(first_) || first_.parent == kNoFile) return;
  const FileId file = make(OperationKind::symlink, first_, FileType::symlink);
  out_->back().length = static_cast<std::int64_t>(target.size());
  names_.file(file).size = static_cast<std::int64_t>(target.size());
  names_.set_target(file, target);
}

void Engine::mknod_call(const Event& event) {
  const std::uint64_t type = event.argument & kTypeMask;
  if (type == 0 || type == kTypeRegular) {
    return make_call(event, OperationKind::create, FileType::regular);
  }
  make_call(event, OperationKind::mknod, file_type(type));
}

// A UNIX socket that is bound to a path gets an inode there.
void Engine::bind_call(const Event& event) {
  if (event.result != 0 || event.path.empty()) return;
  walk_path(kAtFdCwd, {}, event.path, false, first_);
  if (names_file(first_) && first_.parent != kNoFile) {
    make(OperationKind::mknod, first_, FileType::socket);
  }
}

// The path of the socket is looked up as an open would, and its access time read
// (net/unix/af_unix.c:unix_find_bsd touches the access time of a socket that it found).
void Engine::connect_call(const Event& event) {
  if (event.result != 0 || event.path.empty()) return;
  walk_path(kAtFdCwd, {}, event.path, true, first_);
  if (!names_file(first_)) return;
  const FileId file = existing(first_, FileType::socket);
  if (file == kNoFile) return;
  learn_type(file, FileType::socket);
  emit(OperationKind::lookup, file).type = FileType::socket;
  emit(OperationKind::read, file).type = FileType::socket;
}

void Engine::remove_call(const Event& event, bool directory) {
  const bool refused = directory && event.error == kEnotempty;
  if (event.result != 0 && !refused) return;
  Walked& walked = walk_first(event, false);
  if (!names_file(walked) || walked.parent == kNoFile) return;
  const FileId file = existing(walked, directory ? FileType::directory : FileType::regular);
  if (file == kNoFile) return;
  if (refused) {
    emit(OperationKind::refused, file).type = FileType::directory;
    return;
  }
  emit_named(directory ? OperationKind::rmdir : OperationKind::unlink, file, walked.parent,
             walked.name, walked.hash)
      .type = names_.file(file).type;
  names_.remove_name(names_.find(walked.parent, walked.name, walked.hash));
  evict_if_gone(file);
}

void Engine::link_call(const Event& event) {
  if (event.result != 0) return failed_name_call(event);
  Walked& from = walk_first(event, has_flag(event, kAtFollow));
  walk_path(event.fd2, event.fd2_path, event.path2, false, second_);
  if (!names_file(second_) || second_.parent == kNoFile) return;
  const FileId file = names_file(from) ? existing(from, FileType::regular) : kNoFile;
  if (file == kNoFile || names_.file(file).type == FileType::directory) return;
  drop_stale(second_);
  // Dropping may have taken the very file, if the names were wrong.
  if (!names_.exists(file)) return;
  names_.add_name(second_.parent, second_.name, second_.hash, file);
  emit_named(OperationKind::link, file, second_.parent, second_.name, second_.hash).type =
      names_.file(file).type;
}

void Engine::rename_call(const Event& event) {
  if (event.result != 0) return failed_name_call(event);
  Walked& from = walk_first(event, false);
  walk_path(event.fd2, event.fd2_path, event.path2, false, second_);
  Walked& to = second_;
  if (!names_file(from) || !names_file(to)) return;
  if (from.parent == kNoFile || to.parent == kNoFile) return;
  const FileId file = existing(from, FileType::regular);
  if (file == kNoFile) return;
  if ((event.flags & kRenameExchange) != 0) return exchange();
  if ((event.flags & kRenameNoReplace) != 0) drop_stale(to);
  // Dropping may have taken what is to be moved, if the names were wrong.
  if (names_.find(from.parent, from.name, from.hash) == kNoName || to.file == file) return;
  if (names_.is_within(to.parent, file)) return count(unseen::outside_changes);

  const FileId replaced = to.file;
  const FileType type = names_.file(file).type;
  names_.remove_name(names_.find(from.parent, from.name, from.hash));
  if (replaced == kNoFile) {
    names_.add_name(to.parent, to.name, to.hash, file);
  } else {
    names_.set_file_of_name(names_.find(to.parent, to.name, to.hash), file);
  }
  Operation& operation = emit_named(OperationKind::rename, file, from.parent, from.name, from.hash);
  operation.type = type;
  operation.file2 = replaced;
  operation.parent2 = to.parent;
  operation.name2_length = static_cast<std::uint16_t>(to.name.size());
  operation.name2_hash = to.hash;
  if ((event.flags & kRenameWhiteout) != 0) {
    const FileId whiteout = names_.new_file(FileType::device);
    names_.file(whiteout).type_exact = names_.file(whiteout).size_exact = true;
    names_.add_name(from.parent, from.name, from.hash, whiteout);
    operation.flags |= flag::whiteout;
    operation.value = whiteout;
  }
  if (replaced != kNoFile) evict_if_gone(replaced);
}

// The two walks are done: first_ and second_ change places.
void Engine::exchange() {
  const FileId file = first_.file;
  const FileId other = existing(second_, FileType::regular);
  if (other == kNoFile || file == other) return;
  if (names_.is_within(second_.parent, file) || names_.is_within(first_.parent, other)) {
    return count(unseen::outside_changes);
  }
  names_.set_file_of_name(names_.find(first_.parent, first_.name, first_.hash), other);
  names_.set_file_of_name(names_.find(second_.parent, second_.name, second_.hash), file);
  Operation& operation =
      emit_named(OperationKind::exchange, file, first_.parent, first_.name, first_.hash);
  operation.type = names_.file(file).type;
  operation.file2 = other;
  operation.parent2 = second_.parent;
  operation.name2_length = static_cast<std::uint16_t>(second_.name.size());
  operation.name2_hash = second_.hash;
}

void Engine::readlink_call(const Event& event) {
  if (event.result < 0 && event.error != kEinval) return;
  Walked& walked = walk_first(event, false);
  const bool is_link = event.result >= 0;
  const bool has_target = is_link && !event.truncated_text && !event.text.empty();
  if (walked.kind == Walked::Kind::outside && has_target && walked.description == kNoDescription) {
    walk_.learn_outside_link(walked.outside, event.text);
  }
  if (!names_file(walked)) return;
  const FileId file = existing(walked, is_link ? FileType::symlink : FileType::regular);
  if (file == kNoFile) return;
  if (is_link) learn_type(file, FileType::symlink);
  emit(OperationKind::lookup, file).type = names_.file(file).type;
  if (!is_link || names_.file(file).type != FileType::symlink) return;
  if (has_target) names_.set_target(file, event.text);
  Operation& operation = emit(OperationKind::read, file);
  operation.type = FileType::symlink;
  operation.length = event.result;
}

// EEXIST tells of a file: its inode was looked up.
void Engine::failed_name_call(const Event& event) {
  if (event.error != kEexist) return;
  switch (event.call) {
    case Call::symlink:
    case Call::symlinkat:
      walk_path(event.fd, event.fd_path, symlink_name(event), false, first_);
      break;
    case Call::link:
    case Call::linkat:
    case Call::rename:
    case Call::renameat:
    case Call::renameat2:
      walk_path(event.fd2, event.fd2_path, event.path2, false, first_);
      break;
    default:
      walk_first(event, false);
  }
  if (!names_file(first_)) return;
  const FileId file = existing(first_, FileType::regular);
  if (file == kNoFile) return;
  emit(OperationKind::lookup, file).type = names_.file(file).type;
}

void Engine::access_call(const Event& event, bool follow) {
  if (event.result != 0) return walk_to_nothing(event, follow);
  Walked& walked = walk_first(event, follow);
  if (!names_file(walked)) return;
  const FileId file = existing(walked, FileType::regular);
  if (file == kNoFile) return;
  emit(OperationKind::lookup, file).type = names_.file(file).type;
}

namespace {

// The last "commit=N" among a mount's options, in seconds; 0 where there is none.
std::int64_t commit_option(std::string_view options) {
  constexpr std::string_view key = "commit=";
  std::int64_t seconds = 0;
  while (!options.empty()) {
    const std::string_view option = options.substr(0, options.find(','));
    options.remove_prefix(std::min(options.size(), option.size() + 1));
    if (!option.starts_with(key)) continue;
    std::int64_t value = 0;
    const char* const end = option.data() + option.size();
    const auto [stop, error] = std::from_chars(option.data() + key.size(), end, value);
    if (error == std::errc() && stop == end && value >= 0) seconds = value == 0 ? 5 : value;
  }
  return seconds;
}

}  // namespace

void Engine::mount_call(const Event& event) {
  if (event.result != 0 || (event.flags & kPropagationMask) != 0) return;
  walk_path(kAtFdCwd, {}, mount_target(event), true, first_);
  const bool binds = (event.flags & kBindMount) != 0 && (event.flags & kRemount) == 0;
  if (binds && learn_bind_mount(event)) return;
  if (first_.kind != Walked::Kind::present && first_.kind != Walked::Kind::absent) return;
  const FileId file = existing(first_, FileType::directory);
  if (file == kNoFile) return;
  const bool bind_remount = (event.flags & kBindMount) != 0;
  if ((event.flags & kRemount) != 0) {
    if (file == model::kRootDirectory && !bind_remount) {
      Operation& operation = emit(OperationKind::remount, file);
      operation.value = event.flags;
      operation.length = commit_option(event.text);
    }
    return;
  }
  if (file == model::kRootDirectory) return;  // the traced file system itself comes into being
  std::string path;
  if (!walk_.append_absolute(file, path)) return;
  names_.file(file).covered = true;
  hold(file);
  covered_.insert_or_assign(path, file);
}

// A directory of ours gets another path. True if that is all there is to it.
bool Engine::learn_bind_mount(const Event& event) {
  std::string target = first_.outside;
  if (first_.kind == Walked::Kind::present && !walk_.append_absolute(first_.file, target))
    return false;
  walk_path(kAtFdCwd, {}, event.path, true, second_);
  if (second_.kind != Walked::Kind::present || target.empty()) return false;
  if (names_.file(second_.file).type != FileType::directory) return false;
  walk_.learn_alias(target, second_.file);
  return true;
}

void Engine::umount_call(const Event& event) {
  if (event.result != 0) return;
  walk_path(kAtFdCwd, {}, event.path, true, first_);
  if (first_.kind == Walked::Kind::present && first_.file == model::kRootDirectory) {
    emit(OperationKind::unmount, first_.file);
    return;
  }
  const auto covered = covered_.find(first_.outside);
  if (first_.kind != Walked::Kind::outside || covered == covered_.end()) return;
  const FileId file = covered->second;
  covered_.erase(covered);
  names_.file(file).covered = false;
  let_go(file);
}

}  // namespace fcsim::traces::resolve
