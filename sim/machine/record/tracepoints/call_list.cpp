#include "sim/machine/record/tracepoints/call_list.h"

#include <sys/syscall.h>

#include <array>

#include "sim/machine/record/tracepoints/records.h"
#include "traces/resolve/linux_values.h"

namespace fcsim::machine::record::tracepoints {
namespace {

// Architectures whose kernels lack the older calls have the others.
constexpr RecordedCall kCalls[] = {
#ifdef __NR_open
    {__NR_open, "openat", traces::Call::openat, "@pfa", 0, 0, 0,
     TP_RESULT_FD | TP_WORKING_DIRECTORY},
#endif
    {__NR_openat, "openat", traces::Call::openat, "dpfa", 0, 0, 0, TP_RESULT_FD},
    {__NR_openat2, "openat2", traces::Call::openat2, "dpw", 0, 3, 24,
     TP_RESULT_FD | TP_EXTRA_AT_ENTRY},
#ifdef __NR_creat
    {__NR_creat, "openat", traces::Call::openat, "@pa",
     traces::resolve::kCreate | traces::resolve::kWriteOnly | traces::resolve::kTruncate, 0, 0,
     TP_RESULT_FD | TP_WORKING_DIRECTORY},
#endif
    {__NR_close, "close", traces::Call::close, "d", 0, 0, 0, TP_DATA},
    {__NR_close_range, "close_range", traces::Call::close_range, "dDg", 0, 0, 0, 0},
    {__NR_dup, "dup", traces::Call::dup, "d", 0, 0, 0, TP_RESULT_FD | TP_DATA},
#ifdef __NR_dup2
    {__NR_dup2, "dup2", traces::Call::dup2, "dD", 0, 0, 0, TP_RESULT_FD | TP_DATA},
#endif
    {__NR_dup3, "dup3", traces::Call::dup3, "dDf", 0, 0, 0, TP_RESULT_FD | TP_DATA},
    {__NR_fcntl, "fcntl", traces::Call::fcntl, "dk", 0, 0, 0, TP_DATA},
    {__NR_read, "read", traces::Call::read, "dxl", 0, 0, 0, TP_DATA | TP_READS},
    {__NR_pread64, "pread64", traces::Call::pread, "dxlo", 0, 0, 0, TP_DATA | TP_READS},
    {__NR_readv, "readv", traces::Call::readv, "d", 0, 0, 0, TP_DATA | TP_READS},
    {__NR_preadv, "preadv", traces::Call::pread, "dxxo", 0, 0, 0, TP_DATA | TP_READS},
    {__NR_preadv2, "preadv2", traces::Call::pread, "dxxoxa", 0, 0, 0, TP_DATA | TP_READS},
    {__NR_write, "write", traces::Call::write, "dbl", 0, 2, 24,
     TP_DATA | TP_EXTRA_AT_ENTRY | TP_STEERS},
    {__NR_pwrite64, "pwrite64", traces::Call::pwrite, "dxlo", 0, 0, 0, TP_DATA},
    {__NR_writev, "writev", traces::Call::writev, "d", 0, 0, 0, TP_DATA},
    {__NR_pwritev, "pwritev", traces::Call::pwritev, "dxxo", 0, 0, 0, TP_DATA},
    {__NR_pwritev2, "pwritev2", traces::Call::pwritev2, "dxxoxa", 0, 0, 0, TP_DATA},
    {__NR_lseek, "lseek", traces::Call::lseek, "doa", 0, 0, 0, TP_DATA},
    {__NR_sendfile, "sendfile", traces::Call::sendfile, "dDxl", 0, 0, 0, TP_DATA},
    {__NR_copy_file_range, "copy_file_range", traces::Call::copy_file_range, "DxdOlg", 0, 4, 8,
     TP_DATA | TP_EXTRA_AT_ENTRY},
    {__NR_splice, "splice", traces::Call::splice, "DxdOlg", 0, 4, 8, TP_DATA | TP_EXTRA_AT_ENTRY},
    {__NR_truncate, "truncate", traces::Call::truncate, "@pl", 0, 0, 0, TP_WORKING_DIRECTORY},
    {__NR_ftruncate, "ftruncate", traces::Call::ftruncate, "dl", 0, 0, 0, TP_DATA},
    {__NR_fallocate, "fallocate", traces::Call::fallocate, "dfol", 0, 0, 0, TP_DATA},
    {__NR_mmap, "mmap", traces::Call::mmap, "xlagdo", 0, 0, 0, TP_DATA},
    {__NR_munmap, "munmap", traces::Call::munmap, "ol", 0, 0, 0, 0},
    {__NR_mremap, "mremap", traces::Call::mremap, "olag", 0, 0, 0, 0},
    {__NR_msync, "msync", traces::Call::msync, "olf", 0, 0, 0, 0},
    {__NR_fsync, "fsync", traces::Call::fsync, "d", 0, 0, 0, TP_DATA},
    {__NR_fdatasync, "fdatasync", traces::Call::fdatasync, "d", 0, 0, 0, TP_DATA},
    {__NR_sync, "sync", traces::Call::sync, "", 0, 0, 0, 0},
    {__NR_syncfs, "syncfs", traces::Call::syncfs, "d", 0, 0, 0, TP_DATA},
    {__NR_sync_file_range, "sync_file_range", traces::Call::sync_file_range, "dolf", 0, 0, 0,
     TP_DATA},
#ifdef __NR_mkdir
    {__NR_mkdir, "mkdirat", traces::Call::mkdirat, "@pa", 0, 0, 0, TP_WORKING_DIRECTORY},
#endif
    {__NR_mkdirat, "mkdirat", traces::Call::mkdirat, "dpa", 0, 0, 0, 0},
#ifdef __NR_rmdir
    {__NR_rmdir, "unlinkat", traces::Call::unlinkat, "@p", traces::resolve::kAtRemoveDirectory, 0,
     0, TP_WORKING_DIRECTORY | TP_MOVES_NAMES},
#endif
#ifdef __NR_unlink
    {__NR_unlink, "unlinkat", traces::Call::unlinkat, "@p", 0, 0, 0, TP_WORKING_DIRECTORY},
#endif
    {__NR_unlinkat, "unlinkat", traces::Call::unlinkat, "dpf", 0, 0, 0, 0},
#ifdef __NR_rename
    {__NR_rename, "renameat", traces::Call::renameat, "@p%P", 0, 0, 0,
     TP_WORKING_DIRECTORY | TP_MOVES_NAMES},
#endif
    {__NR_renameat, "renameat", traces::Call::renameat, "dpDP", 0, 0, 0, TP_MOVES_NAMES},
    {__NR_renameat2, "renameat2", traces::Call::renameat2, "dpDPf", 0, 0, 0, TP_MOVES_NAMES},
#ifdef __NR_link
    {__NR_link, "linkat", traces::Call::linkat, "@p%P", 0, 0, 0, TP_WORKING_DIRECTORY},
#endif
    {__NR_linkat, "linkat", traces::Call::linkat, "dpDPf", 0, 0, 0, 0},
#ifdef __NR_symlink
    {__NR_symlink, "symlinkat", traces::Call::symlinkat, "p@P", 0, 0, 0, TP_WORKING_DIRECTORY},
#endif
    {__NR_symlinkat, "symlinkat", traces::Call::symlinkat, "pdP", 0, 0, 0, 0},
#ifdef __NR_mknod
    {__NR_mknod, "mknodat", traces::Call::mknodat, "@pa", 0, 0, 0, TP_WORKING_DIRECTORY},
#endif
    {__NR_mknodat, "mknodat", traces::Call::mknodat, "dpa", 0, 0, 0, 0},
    {__NR_bind, "bind", traces::Call::bind, "du", 0, 2, 64, 0},
#ifdef __NR_readlink
    {__NR_readlink, "readlinkat", traces::Call::readlinkat, "@pt", 0, 0, 0, TP_WORKING_DIRECTORY},
#endif
    {__NR_readlinkat, "readlinkat", traces::Call::readlinkat, "dpt", 0, 0, 0, 0},
#ifdef __NR_getdents
    {__NR_getdents, "getdents", traces::Call::getdents, "dxl", 0, 0, 0, TP_DATA | TP_READS},
#endif
    {__NR_getdents64, "getdents64", traces::Call::getdents, "dxl", 0, 0, 0, TP_DATA | TP_READS},
    {__NR_chdir, "chdir", traces::Call::chdir, "@p", 0, 0, 0, TP_WORKING_DIRECTORY},
    {__NR_fchdir, "fchdir", traces::Call::fchdir, "d", 0, 0, 0, TP_DATA},
    {__NR_chroot, "chroot", traces::Call::chroot, "@p", 0, 0, 0, TP_WORKING_DIRECTORY},
    {__NR_mount, "mount", traces::Call::mount, "pPxgx", 0, 0, 0, 0},
    {__NR_umount2, "umount2", traces::Call::umount, "pg", 0, 0, 0, 0},
#ifdef __NR_chmod
    {__NR_chmod, "fchmodat", traces::Call::fchmodat, "@pa", 0, 0, 0, TP_WORKING_DIRECTORY},
#endif
    {__NR_fchmod, "fchmod", traces::Call::fchmod, "da", 0, 0, 0, TP_DATA},
    {__NR_fchmodat, "fchmodat", traces::Call::fchmodat, "dpa", 0, 0, 0, 0},
#ifdef __NR_chown
    {__NR_chown, "fchownat", traces::Call::fchownat, "@pal", 0, 0, 0, TP_WORKING_DIRECTORY},
#endif
#ifdef __NR_lchown
    {__NR_lchown, "fchownat", traces::Call::fchownat, "@pal", traces::resolve::kAtNoFollow, 0, 0,
     TP_WORKING_DIRECTORY},
#endif
    {__NR_fchown, "fchown", traces::Call::fchown, "dal", 0, 0, 0, TP_DATA},
    {__NR_fchownat, "fchownat", traces::Call::fchownat, "dpalf", 0, 0, 0, 0},
#ifdef __NR_utime
    {__NR_utime, "utimensat", traces::Call::utimensat, "@pT", 0, 2, 16, TP_WORKING_DIRECTORY},
#endif
#ifdef __NR_utimes
    {__NR_utimes, "utimensat", traces::Call::utimensat, "@pT", 0, 2, 32, TP_WORKING_DIRECTORY},
#endif
#ifdef __NR_futimesat
    {__NR_futimesat, "utimensat", traces::Call::utimensat, "dpT", 0, 3, 32, 0},
#endif
    {__NR_utimensat, "utimensat", traces::Call::utimensat, "dpTf", 0, 3, 32, 0},
    {__NR_setxattr, "setxattr", traces::Call::setxattr, "@pPtlf", 0, 3, 64,
     TP_WORKING_DIRECTORY | TP_SIZED},
    {__NR_lsetxattr, "lsetxattr", traces::Call::lsetxattr, "@pPtlf", 0, 3, 64,
     TP_WORKING_DIRECTORY | TP_SIZED},
    {__NR_fsetxattr, "fsetxattr", traces::Call::fsetxattr, "dPtlf", 0, 3, 64, TP_DATA | TP_SIZED},
    {__NR_removexattr, "removexattr", traces::Call::removexattr, "@pP", 0, 0, 0,
     TP_WORKING_DIRECTORY},
    {__NR_lremovexattr, "lremovexattr", traces::Call::lremovexattr, "@pP", 0, 0, 0,
     TP_WORKING_DIRECTORY},
    {__NR_fremovexattr, "fremovexattr", traces::Call::fremovexattr, "dP", 0, 0, 0, TP_DATA},
#ifdef __NR_stat
    {__NR_stat, "newfstatat", traces::Call::fstatat, "@ps", 0, 2, 64, TP_WORKING_DIRECTORY},
#endif
#ifdef __NR_lstat
    {__NR_lstat, "newfstatat", traces::Call::fstatat, "@ps", traces::resolve::kAtNoFollow, 2, 64,
     TP_WORKING_DIRECTORY},
#endif
    {__NR_fstat, "fstat", traces::Call::fstat, "ds", 0, 2, 64, TP_DATA},
    {__NR_newfstatat, "newfstatat", traces::Call::fstatat, "dpsf", 0, 3, 64, 0},
    {__NR_statx, "statx", traces::Call::statx, "dpfxs", 0, 5, 64, 0},
#ifdef __NR_access
    {__NR_access, "faccessat", traces::Call::faccessat, "@pa", 0, 0, 0, TP_WORKING_DIRECTORY},
#endif
    {__NR_faccessat, "faccessat", traces::Call::faccessat, "dpa", 0, 0, 0, 0},
    {__NR_faccessat2, "faccessat2", traces::Call::faccessat, "dpaf", 0, 0, 0, 0},
    {__NR_ioctl, "ioctl", traces::Call::ioctl, "di", 0, 3, 24, TP_DATA | TP_EXTRA_AT_ENTRY},
#ifdef __NR_fork
    {__NR_fork, "fork", traces::Call::fork, "", 0, 0, 0, TP_FORKS},
#endif
#ifdef __NR_vfork
    {__NR_vfork, "vfork", traces::Call::fork, "", 0, 0, 0, TP_FORKS},
#endif
    {__NR_clone, "clone", traces::Call::fork, "", 0, 1, 0, TP_FORKS},
    {__NR_clone3, "clone3", traces::Call::fork, "", 0, 1, 8, TP_FORKS},
    {__NR_unshare, "unshare", traces::Call::unshare, "g", 0, 0, 0, 0},
    {__NR_execve, "execve", traces::Call::execve, "", 0, 0, 0, 0},
    {__NR_execveat, "execveat", traces::Call::execveat, "", 0, 0, 0, 0},
    {__NR_io_submit, "io_submit", traces::Call::other, "", 0, 3, 0, TP_SUBMITS},
    {__NR_io_uring_enter, "io_uring_enter", traces::Call::other, "", 0, 0, 0, TP_SUBMITS},
};

}  // namespace

std::span<const RecordedCall> recorded_calls() {
  return kCalls;
}

}  // namespace fcsim::machine::record::tracepoints
