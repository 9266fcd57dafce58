// The typed event that every trace reader yields: one system call, with its arguments as values.
#pragma once

#include <cstdint>
#include <string_view>

namespace fcsim::traces {

// System calls that can touch a file system, a descriptor table or a working directory. Calls that
// do the same with another spelling share a value (pwrite64 = pwrite, _llseek = lseek, stat64,
// ...).
enum class Call : std::uint16_t {
  other,  // known or unknown, but of no consequence here
  // descriptors
  open,
  openat,
  openat2,
  creat,
  close,
  close_range,
  dup,
  dup2,
  dup3,
  fcntl,
  new_descriptor,  // socket, accept, epoll_create, eventfd, memfd_create, ...: result is a foreign
                   // fd
  pipe,            // pipe, pipe2, socketpair: fd and fd2 are the new descriptors
  pidfd_getfd,
  recvmsg,  // may bring descriptors that the trace does not explain
  // data
  read,
  pread,
  readv,
  write,
  pwrite,
  writev,
  pwritev,
  pwritev2,
  lseek,
  sendfile,         // fd = out, fd2 = in
  copy_file_range,  // fd = out, fd2 = in; offset = output offset or -1 for the file position
  splice,           // fd = out, fd2 = in; offset likewise
  tee,
  vmsplice,
  truncate,
  ftruncate,
  fallocate,
  mmap,
  munmap,
  mremap,
  msync,
  io_submit,
  io_getevents,
  io_uring_setup,
  io_uring_enter,
  io_uring_register,
  // durability
  fsync,
  fdatasync,
  sync,
  syncfs,
  sync_file_range,
  // names
  mkdir,
  mkdirat,
  rmdir,
  unlink,
  unlinkat,
  rename,
  renameat,
  renameat2,
  link,
  linkat,
  symlink,
  symlinkat,
  mknod,
  mknodat,
  bind,
  connect,  // a socket: path is where the other one is bound
  readlink,
  readlinkat,
  getdents,
  chdir,
  fchdir,
  chroot,
  getcwd,
  mount,
  umount,
  // attributes
  chmod,
  fchmod,
  fchmodat,
  chown,
  lchown,
  fchown,
  fchownat,
  utime,
  futimesat,
  utimensat,
  setxattr,
  lsetxattr,
  fsetxattr,
  setxattrat,
  removexattrat,
  file_setattr,  // argument: the new flags, as FS_XFLAG_*
  opaque,        // may change a file, and the trace does not say which
  removexattr,
  lremovexattr,
  fremovexattr,
  stat,
  lstat,
  fstat,
  fstatat,
  statx,
  access,
  faccessat,
  ioctl,
  // processes
  fork,  // fork, vfork, clone, clone3: result = child's pid; flags = CLONE_* bits
  unshare,
  execve,
  execveat,
  exit,
  exit_group,
  // not calls
  process_exited,    // "+++ exited with N +++", "+++ killed by SIG +++"
  process_replaced,  // "+++ superseded by execve in pid N +++"
  // what the kernel did, as its trace events of the same names tell; see kernel_facts.h for which
  // member holds what
  ext4_sync_file_enter,
  ext4_sync_file_exit,
  ext4_sync_fs,
  ext4_fc_commit_start,
  ext4_fc_commit_stop,
  jbd2_start_commit,
  jbd2_commit_locking,
  jbd2_commit_flushing,
  jbd2_commit_logging,
  jbd2_end_commit,
  jbd2_run_stats,
  jbd2_handle_start,      // of no call that the trace has, or a call's second transaction
  ext4_allocate_blocks,   // with the CPU, whose window it was
  writeback_dirty_folio,  // by a store through a mapping
  events_lost,            // here the recorder lost events
};

inline constexpr std::int32_t kAtFdCwd = -100;
inline constexpr std::int32_t kNoFd = -1;

// One event. Views point into the reader's buffers and live until the next call of next().
// Numbers not given by the trace keep the defaults below.
struct Event {
  Call call = Call::other;
  bool has_result = false;       // false: "= ?", or the trace ends before the call returned
  bool has_duration = false;     // -T, or both halves of an unfinished call were seen
  bool truncated_text = false;   // `text` was cut by -s ("..." behind the closing quote)
  std::int32_t pid = 0;          // 0 where the trace has no pid column
  std::int32_t error = 0;        // errno value of a failed call (ENOENT = 2), else 0
  std::int32_t fd = kNoFd;       // first descriptor argument; kAtFdCwd for AT_FDCWD
  std::int32_t fd2 = kNoFd;      // second descriptor argument
  std::uint16_t source = 0;      // index of the file among those given together
  std::uint64_t line = 0;        // 1-based, of the line on which the call began
  std::int64_t start_ns = 0;     // entry
  std::int64_t duration_ns = 0;  // 0 unless has_duration
  std::int64_t result = 0;       // -1 for failed calls
  std::int64_t offset = -1;      // file offset or address
  std::int64_t length = -1;      // byte count argument
  std::uint64_t flags = 0;  // O_*, AT_*, RENAME_*, MS_*, MAP_*, fallocate mode, ioctl request, ...
                            // in their Linux x86-64 values
  std::uint64_t argument = 0;  // second number: mode of open/chmod/mknod, fcntl command, PROT_*,
                               // uid of chown (its gid is in `length`), whence of lseek, RWF_*,
                               // ioctl argument value, second of rename, input offset of
                               // copy_file_range plus 1 (0: at the position), ...
  // ---- what only a recording through the kernel's tracepoints has ----
  std::int16_t cpu = -1;          // on which the call began; -1: not known
  std::int16_t cpu_end = -1;      // ... and ended
  std::uint32_t transaction = 0;  // jbd2's tid of the first handle that the call began; 0: none
  std::string_view name;          // of the call as printed; empty for what is no call
  std::string_view path;          // first path, escapes decoded
  std::string_view path2;         // second path; name of an xattr
  std::string_view text;      // value of an xattr, decoded; struct text of stat; buffer of getcwd
  std::string_view fd_path;   // what -y printed behind `fd`, decoded; empty without -y
  std::string_view fd2_path;  // ... behind `fd2`
  std::string_view result_path;  // ... behind the result
};

}  // namespace fcsim::traces
