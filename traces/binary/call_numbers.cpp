#include "traces/binary/call_numbers.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <vector>

namespace fcsim::traces::binary {
namespace {

constexpr std::array kCalls = {
    Call::open,
    Call::openat,
    Call::openat2,
    Call::creat,
    Call::close,
    Call::close_range,
    Call::dup,
    Call::dup2,
    Call::dup3,
    Call::fcntl,
    Call::new_descriptor,
    Call::pipe,
    Call::pidfd_getfd,
    Call::recvmsg,
    Call::read,
    Call::pread,
    Call::readv,
    Call::write,
    Call::pwrite,
    Call::writev,
    Call::pwritev,
    Call::pwritev2,
    Call::lseek,
    Call::sendfile,
    Call::copy_file_range,
    Call::splice,
    Call::tee,
    Call::vmsplice,
    Call::truncate,
    Call::ftruncate,
    Call::fallocate,
    Call::mmap,
    Call::munmap,
    Call::mremap,
    Call::msync,
    Call::io_submit,
    Call::io_getevents,
    Call::io_uring_setup,
    Call::io_uring_enter,
    Call::io_uring_register,
    Call::fsync,
    Call::fdatasync,
    Call::sync,
    Call::syncfs,
    Call::sync_file_range,
    Call::mkdir,
    Call::mkdirat,
    Call::rmdir,
    Call::unlink,
    Call::unlinkat,
    Call::rename,
    Call::renameat,
    Call::renameat2,
    Call::link,
    Call::linkat,
    Call::symlink,
    Call::symlinkat,
    Call::mknod,
    Call::mknodat,
    Call::bind,
    Call::readlink,
    Call::readlinkat,
    Call::getdents,
    Call::chdir,
    Call::fchdir,
    Call::chroot,
    Call::getcwd,
    Call::mount,
    Call::umount,
    Call::chmod,
    Call::fchmod,
    Call::fchmodat,
    Call::chown,
    Call::lchown,
    Call::fchown,
    Call::fchownat,
    Call::utime,
    Call::futimesat,
    Call::utimensat,
    Call::setxattr,
    Call::lsetxattr,
    Call::fsetxattr,
    Call::removexattr,
    Call::lremovexattr,
    Call::fremovexattr,
    Call::stat,
    Call::lstat,
    Call::fstat,
    Call::fstatat,
    Call::statx,
    Call::access,
    Call::faccessat,
    Call::ioctl,
    Call::fork,
    Call::unshare,
    Call::execve,
    Call::execveat,
    Call::exit,
    Call::exit_group,
    Call::process_exited,
    Call::process_replaced,
    Call::connect,
    Call::setxattrat,
    Call::removexattrat,
    Call::file_setattr,
    Call::opaque,
    Call::ext4_sync_file_enter,
    Call::ext4_sync_file_exit,
    Call::ext4_sync_fs,
    Call::ext4_fc_commit_start,
    Call::ext4_fc_commit_stop,
    Call::jbd2_start_commit,
    Call::jbd2_commit_locking,
    Call::jbd2_commit_flushing,
    Call::jbd2_commit_logging,
    Call::jbd2_end_commit,
    Call::jbd2_run_stats,
    Call::jbd2_handle_start,
    Call::ext4_allocate_blocks,
    Call::writeback_dirty_folio,
    Call::events_lost,
};

constexpr std::size_t kSize =
    static_cast<std::size_t>(*std::max_element(kCalls.begin(), kCalls.end())) + 1;

constexpr std::array<std::uint16_t, kSize> kNumbers = [] {
  std::array<std::uint16_t, kSize> numbers{};
  for (std::size_t i = 0; i < kCalls.size(); ++i)
    numbers[static_cast<std::size_t>(kCalls[i])] = static_cast<std::uint16_t>(i + 1);
  return numbers;
}();

}  // namespace

std::span<const Call> numbered_calls() {
  return kCalls;
}

std::uint16_t number_of(Call call) {
  assert(static_cast<std::size_t>(call) < kSize);
  return kNumbers[static_cast<std::size_t>(call)];
}

}  // namespace fcsim::traces::binary
