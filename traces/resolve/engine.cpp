#include "traces/resolve/engine.h"

#include <algorithm>
#include <cassert>

#include "traces/kernel_facts.h"
#include "traces/resolve/arguments.h"
#include "traces/resolve/linux_values.h"
#include "traces/resolve/ranges.h"

namespace fcsim::traces::resolve {

using model::AttributeChange;
using model::FileId;
using model::FileType;
using model::kNoFile;
using model::Operation;

Engine::Engine(ResolverOptions options, const model::InitialState& initial)
    : options_(std::move(options)),
      walk_(names_, processes_, descriptions_, *this),
      mount_point_guessed_(options_.mount_point.empty()) {
  walk_.set_mount_point(mount_point_guessed_ ? "/" : options_.mount_point);
  declare(initial);
  learn_places();
}

Operation& Engine::emit(OperationKind kind, FileId file) {
  Operation& operation = out_->emplace_back();
  if (file != kNoFile) sightings_.touched = true;
  operation.kind = kind;
  operation.file = file;
  operation.pid = origin_.pid;
  operation.cpu = origin_.cpu;
  operation.kernel.transaction = origin_.transaction;
  operation.source = origin_.source;
  operation.line = origin_.line;
  operation.start = origin_.start;
  operation.end = origin_.end;
  return operation;
}

Operation& Engine::emit_named(OperationKind kind, FileId file, FileId parent, std::string_view name,
                              std::uint64_t hash) {
  Operation& operation = emit(kind, file);
  operation.parent = parent;
  operation.name_length = static_cast<std::uint16_t>(std::min<std::size_t>(name.size(), 0xffff));
  operation.name_hash = hash;
  return operation;
}

void Engine::resolve(const Event& event, std::vector<Operation>& out) {
  out_ = &out;
  origin_ = {event.pid,        event.cpu,
             event.source,     event.line,
             event.start_ns,   end_of(event.start_ns, std::max<std::int64_t>(event.duration_ns, 0)),
             event.transaction};
  last_time_ = std::max(last_time_, origin_.end);
  if (!pending_.empty()) install_pending(event);
  if (!unconfirmed_children_.empty()) watch_for_children(event);
  if (is_fact(event.call)) return fact(event);
  if (event.call == Call::process_exited) return end_task(event.pid);
  if (event.call == Call::process_replaced) return replaced(event);
  process_ = &task_of(event.pid);
  if (event.fd == kAtFdCwd && !event.fd_path.empty()) correct_working_place(event.fd_path);
  if (event.fd2 == kAtFdCwd && !event.fd2_path.empty()) correct_working_place(event.fd2_path);
  const std::size_t before = out.size();
  dispatch(event);
  if (!event.fd_path.empty() && event.cpu < 0) note_observed(before);
}

// strace -y asks fstat about a descriptor whose file has no name, at each call that takes it.
void Engine::note_observed(std::size_t first) {
  for (std::size_t i = first; i < out_->size(); ++i) {
    Operation& operation = (*out_)[i];
    if (operation.file != kNoFile && operation.file != model::kRootDirectory &&
        operation.kind != OperationKind::evict && names_.exists(operation.file) && names_.file(operation.file).links == 0)
      operation.flags |= model::operation_flag::observed;
  }
}

void Engine::finish(std::vector<Operation>& out) {
  out_ = &out;
  origin_.start = origin_.end = last_time_;
  // Processes whose end began: their last threads' ends were not printed.
  for (const std::int32_t pid : processes_.pids()) {
    const Process* process = processes_.find(pid);
    if (process != nullptr && process->group->exiting) end_task(pid);
  }
  emit(OperationKind::end_of_trace, kNoFile);
}

void Engine::end_processes(std::vector<Operation>& out) {
  out_ = &out;
  origin_.start = origin_.end = last_time_;
  for (const std::int32_t pid : processes_.pids()) end_task(pid);
}

void Engine::set_mount_point(const std::string& mount_point) {
  mount_point_guessed_ = mount_point_guessed_ || mount_point.empty();
  walk_.set_mount_point(mount_point.empty() ? "/" : mount_point);
}

void Engine::count_unreturned(const Event& event) {
  switch (event.call) {
    case Call::write:
    case Call::pwrite:
    case Call::writev:
    case Call::pwritev:
    case Call::pwritev2:
    case Call::ftruncate:
    case Call::fallocate:
    case Call::fsync:
    case Call::fdatasync:
    case Call::syncfs:
      if (file_of(event.fd, event.fd_path) != kNoFile) count(unseen::unreturned);
      return;
    default:
      return;
  }
}

void Engine::dispatch(const Event& event) {
  if (!event.has_result) {
    switch (event.call) {
      case Call::exit:
        return end_task(process_->pid);
      case Call::exit_group:
        return exit_group_call();
      case Call::sync:
        return sync_call(event);
      default:
        return count_unreturned(event);
    }
  }
  switch (event.call) {
    case Call::other:
    case Call::recvmsg:
    case Call::tee:
    case Call::vmsplice:
    case Call::io_getevents:
    case Call::io_uring_register:
    case Call::process_exited:
    case Call::process_replaced:
    case Call::ext4_sync_file_enter:
    case Call::ext4_sync_file_exit:
    case Call::ext4_sync_fs:
    case Call::ext4_fc_commit_start:
    case Call::ext4_fc_commit_stop:
    case Call::jbd2_start_commit:
    case Call::jbd2_commit_locking:
    case Call::jbd2_commit_flushing:
    case Call::jbd2_commit_logging:
    case Call::jbd2_end_commit:
    case Call::jbd2_run_stats:
    case Call::jbd2_handle_start:
    case Call::ext4_allocate_blocks:
    case Call::writeback_dirty_folio:
    case Call::events_lost:
      return;
    case Call::open:
    case Call::openat:
    case Call::openat2:
    case Call::creat:
      return open_call(event);
    case Call::close:
      // The kernel frees the descriptor at once, whatever close() returns but EBADF.
      if (event.error != kEbadf) close_descriptor(*process_->table, event.fd);
      return;
    case Call::close_range:
      return close_range_call(event);
    case Call::dup:
      return duplicate(event, event.result, false);
    case Call::dup2:
      return duplicate(event, event.fd2, false);
    case Call::dup3:
      return duplicate(event, event.fd2, (event.flags & kCloseOnExec) != 0);
    case Call::fcntl:
      return fcntl_call(event);
    case Call::new_descriptor:
    case Call::pidfd_getfd:
    case Call::pipe:
      return new_outside_descriptors(event);
    case Call::read:
    case Call::readv:
      return read_call(event, true);
    case Call::pread:
      return read_call(event, false);
    case Call::write:
    case Call::writev:
      return write_call(event, true);
    case Call::pwrite:
    case Call::pwritev:
    case Call::pwritev2:
      return write_call(event, false);
    case Call::lseek:
      return lseek_call(event);
    case Call::sendfile:
    case Call::copy_file_range:
    case Call::splice:
      return transfer_call(event);
    case Call::truncate:
    case Call::ftruncate:
      return truncate_call(event);
    case Call::fallocate:
      return fallocate_call(event);
    case Call::mmap:
      return mmap_call(event);
    case Call::munmap:
      if (event.result == 0) munmap_call(mapping_address(event), event.length);
      return;
    case Call::mremap:
      return mremap_call(event);
    case Call::msync:
      return msync_call(event);
    case Call::io_submit:
      return count(event.text.starts_with("[...") ? unseen::hidden_submissions : unseen::io_submit);
    case Call::io_uring_setup:
      return new_outside_descriptors(event);
    case Call::io_uring_enter:
      return count(unseen::io_uring);
    case Call::fsync:
    case Call::fdatasync:
    case Call::sync:
    case Call::syncfs:
    case Call::sync_file_range:
      return sync_call(event);
    case Call::mkdir:
    case Call::mkdirat:
      return make_call(event, OperationKind::mkdir, FileType::directory);
    case Call::rmdir:
      return remove_call(event, true);
    case Call::unlink:
      return remove_call(event, false);
    case Call::unlinkat:
      return remove_call(event, has_flag(event, kAtRemoveDirectory));
    case Call::rename:
    case Call::renameat:
    case Call::renameat2:
      return rename_call(event);
    case Call::link:
    case Call::linkat:
      return link_call(event);
    case Call::symlink:
    case Call::symlinkat:
      return symlink_call(event);
    case Call::mknod:
    case Call::mknodat:
      return mknod_call(event);
    case Call::bind:
      return bind_call(event);
    case Call::connect:
      return connect_call(event);
    case Call::readlink:
    case Call::readlinkat:
      return readlink_call(event);
    case Call::getdents:
      return getdents_call(event);
    case Call::chdir:
    case Call::fchdir:
      return change_directory(event, false);
    case Call::chroot:
      return change_directory(event, true);
    case Call::getcwd:
      return getcwd_call(event);
    case Call::mount:
      return mount_call(event);
    case Call::umount:
      return umount_call(event);
    case Call::chmod:
    case Call::fchmod:
      return attribute_call(event, AttributeChange::mode, true);
    case Call::fchmodat:
      return attribute_call(event, AttributeChange::mode, !has_flag(event, kAtNoFollow));
    case Call::chown:
    case Call::fchown:
      return attribute_call(event, AttributeChange::owner, true);
    case Call::lchown:
      return attribute_call(event, AttributeChange::owner, false);
    case Call::fchownat:
      return attribute_call(event, AttributeChange::owner, !has_flag(event, kAtNoFollow));
    case Call::utime:
    case Call::futimesat:
    case Call::utimensat:
      return times_call(event);
    case Call::setxattr:
      return xattr_call(event, true, true);
    case Call::lsetxattr:
      return xattr_call(event, true, false);
    case Call::fsetxattr:
      return xattr_call(event, true, true);
    case Call::setxattrat:
      return xattr_call(event, true, !has_flag(event, kAtNoFollow));
    case Call::removexattrat:
      return xattr_call(event, false, !has_flag(event, kAtNoFollow));
    case Call::file_setattr:
      return file_setattr_call(event);
    case Call::opaque:
      if (event.result >= 0) count(unseen::opaque_calls);
      return;
    case Call::removexattr:
      return xattr_call(event, false, true);
    case Call::lremovexattr:
      return xattr_call(event, false, false);
    case Call::fremovexattr:
      return xattr_call(event, false, true);
    case Call::stat:
    case Call::fstat:
      return stat_call(event, true);
    case Call::lstat:
      return stat_call(event, false);
    case Call::fstatat:
    case Call::statx:
      return stat_call(event, !has_flag(event, kAtNoFollow));
    case Call::access:
      return access_call(event, true);
    case Call::faccessat:
      return access_call(event, !has_flag(event, kAtNoFollow));
    case Call::ioctl:
      return ioctl_call(event);
    case Call::fork:
      return fork_call(event);
    case Call::unshare:
      return unshare_call(event);
    case Call::execve:
    case Call::execveat:
      return exec_call(event);
    case Call::exit:
      return end_task(process_->pid);
    case Call::exit_group:
      return exit_group_call();
  }
}

std::vector<std::string> Engine::assumed() const {
  std::vector<std::string> sentences;
  if (mount_point_guessed_) {
    sentences.emplace_back(
        "mount point not given: everything but /proc, /sys, /dev and /run is taken to be one file "
        "system");
  }
  if (assumed_directory_) {
    sentences.emplace_back(
        "working directory not shown: relative paths start at the root of the file system");
  }
  if (assumed_old_files_) {
    sentences.emplace_back(
        "files that turn up without being created existed before, in one name, with the size that "
        "stat, lseek or reads show");
    if (!manifest_known_)
      sentences.emplace_back(
          "what existed before is plain: no chattr flags (S, D, j), default ACLs, encryption, "
          "verity, inline data, security labels or projects");
  }
  if (assumed_new_files_) {
    sentences.emplace_back(
        "files opened with O_CREAT that the trace had not shown before are taken as new");
  }
  if (assumed_positions_) {
    sentences.emplace_back(
        "descriptors opened before the trace are open for reading and writing, and write at the "
        "end of the file");
  }
  if (assumed_descriptors_)
    sentences.emplace_back(
        "descriptors above 2 that nothing explains are files of the file system, of unknown names");
  for (const std::string& path : inferred_mounts_)
    sentences.push_back(path +
                        " is used and the manifest does not have it: another file system is "
                        "mounted there");
  return sentences;
}

std::string Engine::path_of(FileId file) const {
  if (!names_.exists(file)) return {};
  std::string path;
  if (!names_.append_path(file, path)) return {};
  return path.empty() ? "." : path;
}

std::string Engine::path_of_descriptor(std::int32_t pid, std::int32_t fd) {
  const Process* process = processes_.find(pid);
  const DescriptionId id = process == nullptr ? kNoDescription : process->table->find(fd);
  if (id == kNoDescription) return {};
  const OpenDescription& description = descriptions_.at(id);
  std::string path;
  if (description.file == kNoFile) return description.outside;
  return walk_.append_absolute(description.file, path) ? path : std::string{};
}

FileId Engine::file_at(std::string_view absolute_path) {
  Process observer;
  observer.directories = std::make_shared<Directories>();
  looking_ = true;
  walk_.walk(observer, observer.directories->root, absolute_path, false, shown_);
  looking_ = false;
  return shown_.kind == Walked::Kind::present ? shown_.file : kNoFile;
}

FileId Engine::file_of_descriptor(std::int32_t pid, std::int32_t fd) {
  const Process* process = processes_.find(pid);
  const DescriptionId id = process == nullptr ? kNoDescription : process->table->find(fd);
  return id == kNoDescription ? kNoFile : descriptions_.at(id).file;
}

}  // namespace fcsim::traces::resolve
