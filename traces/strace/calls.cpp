#include "traces/strace/calls.h"

#include <array>
#include <cassert>
#include <charconv>
#include <cstring>

namespace fcsim::traces::strace {
namespace {

using enum Call;

constexpr std::uint8_t kLateDescriptor = trait::late | trait::whole_at_return;
constexpr std::uint8_t kWhole = trait::whole_at_return;
constexpr std::uint8_t kPath = trait::path_at_return;
constexpr std::uint8_t kData = trait::data;

constexpr CallRule kRules[] = {
    // descriptors
    {"open", open, "pfa", kPath},
    {"openat", openat, "dpfa", kPath},
    {"openat2", openat2, "dpw", kPath},
    {"creat", creat, "pa", kPath},
    {"close", Call::close, "d"},
    {"close_range", close_range, "dDg"},
    {"dup", dup, "d", kPath},
    {"dup2", dup2, "dD", kPath},
    {"dup3", dup3, "dDf", kPath},
    {"fcntl", fcntl, "dk"},
    {"fcntl64", fcntl, "dk"},
    {"pipe", pipe, "v", kWhole},
    {"pipe2", pipe, "vf", kWhole},
    {"socketpair", pipe, "xxxv", kWhole},
    {"socket", new_descriptor, "xg", kWhole},
    {"accept", new_descriptor, "", kLateDescriptor},
    {"accept4", new_descriptor, "xxxg", kLateDescriptor},
    {"epoll_create", new_descriptor, "", kWhole},
    {"epoll_create1", new_descriptor, "g", kWhole},
    {"eventfd", new_descriptor, "", kWhole},
    {"eventfd2", new_descriptor, "xg", kWhole},
    {"memfd_create", new_descriptor, "xg", kWhole},
    {"memfd_secret", new_descriptor, "g", kWhole},
    {"inotify_init", new_descriptor, "", kWhole},
    {"inotify_init1", new_descriptor, "g", kWhole},
    {"fanotify_init", new_descriptor, "g", kWhole},
    {"timerfd_create", new_descriptor, "xg", kWhole},
    {"signalfd", new_descriptor, "d", kWhole},
    {"signalfd4", new_descriptor, "dxxg", kWhole},
    {"pidfd_open", new_descriptor, "xg", kWhole},
    {"userfaultfd", new_descriptor, "g", kWhole},
    {"perf_event_open", new_descriptor, "", kWhole},
    {"open_by_handle_at", new_descriptor, "dxg", kWhole},
    {"open_tree", new_descriptor, "dpg", kWhole},
    {"open_tree_attr", new_descriptor, "dpg", kWhole},
    {"fsopen", new_descriptor, "", kWhole},
    {"fspick", new_descriptor, "", kWhole},
    {"fsmount", new_descriptor, "", kWhole},
    {"mq_open", new_descriptor, "", kWhole},
    {"landlock_create_ruleset", new_descriptor, "", kWhole},
    {"pidfd_getfd", pidfd_getfd, "dD", kWhole},
    {"recvmsg", recvmsg, "dR", kLateDescriptor},
    {"recvmmsg", recvmsg, "dR", kLateDescriptor},
    {"recvmmsg_time64", recvmsg, "dR", kLateDescriptor},
    // data
    {"read", Call::read, "dxl", kData},
    {"pread", pread, "dxlo", kData},
    {"pread64", pread, "dxlo", kData},
    {"readv", readv, "d", kData},
    {"preadv", pread, "dxxo", kData},
    {"preadv2", pread, "dxxoa", kData},
    {"write", Call::write, "dbl", kData},
    {"pwrite", pwrite, "dxlo", kData},
    {"pwrite64", pwrite, "dxlo", kData},
    {"writev", writev, "d", kData},
    {"pwritev", pwritev, "dxxo", kData},
    {"pwritev2", pwritev2, "dxxoa", kData},
    {"lseek", lseek, "doa", kData},
    {"_llseek", lseek, "dora", kData | trait::result_in_argument},
    {"llseek", lseek, "dora", kData | trait::result_in_argument},
    {"sendfile", sendfile, "dDxl", kData},
    {"sendfile64", sendfile, "dDxl", kData},
    {"copy_file_range", copy_file_range, "DqdOlg", kData},
    {"splice", splice, "DxdOlg", kData},
    {"tee", tee, "Ddlg", kData},
    {"vmsplice", vmsplice, "dxxg", kData},
    {"truncate", truncate, "pl"},
    {"truncate64", truncate, "pl"},
    {"ftruncate", ftruncate, "dl", kData},
    {"ftruncate64", ftruncate, "dl", kData},
    {"fallocate", fallocate, "dfol", kData},
    {"mmap", mmap, "xlagdo"},
    {"mmap2", mmap, "xlagdo"},
    {"old_mmap", mmap, "xlagdo"},
    {"munmap", munmap, "ol"},
    {"mremap", mremap, "olag"},
    {"msync", msync, "olf"},
    {"io_submit", io_submit, "xlI"},
    {"io_getevents", io_getevents, "", trait::late},
    {"io_pgetevents", io_getevents, "", trait::late},
    {"io_pgetevents_time64", io_getevents, "", trait::late},
    {"io_uring_setup", io_uring_setup, "", kWhole},
    {"io_uring_enter", io_uring_enter, "dlxg", trait::late},
    {"io_uring_register", io_uring_register, "d"},
    // durability
    {"fsync", Call::fsync, "d", kData},
    {"fdatasync", Call::fdatasync, "d", kData},
    {"sync", Call::sync, "", kWhole},
    {"syncfs", Call::syncfs, "d", kData},
    {"sync_file_range", Call::sync_file_range, "dolf", kData},
    {"sync_file_range2", Call::sync_file_range, "dfol", kData},
    {"arm_sync_file_range", Call::sync_file_range, "dfol", kData},
    // names
    {"mkdir", mkdir, "pa"},
    {"mkdirat", mkdirat, "dpa"},
    {"rmdir", rmdir, "p"},
    {"unlink", unlink, "p"},
    {"unlinkat", unlinkat, "dpf"},
    {"rename", Call::rename, "pP"},
    {"renameat", renameat, "dpDP"},
    {"renameat2", renameat2, "dpDPf"},
    {"link", Call::link, "pP"},
    {"linkat", linkat, "dpDPf"},
    {"symlink", symlink, "pP"},
    {"symlinkat", symlinkat, "pdP"},
    {"mknod", mknod, "pa"},
    {"mknodat", mknodat, "dpa"},
    {"bind", bind, "du"},
    {"connect", Call::connect, "du"},
    {"readlink", readlink, "pt"},
    {"readlinkat", readlinkat, "dpt"},
    {"getdents", getdents, "dxl"},
    {"getdents64", getdents, "dxl"},
    {"chdir", chdir, "p"},
    {"fchdir", fchdir, "d"},
    {"chroot", chroot, "p"},
    {"getcwd", getcwd, "t", kWhole},
    {"mount", mount, "pPxgt"},
    {"move_mount", mount, "xxDP"},
    {"umount", umount, "pg"},
    {"umount2", umount, "pg"},
    {"oldumount", umount, "p"},
    // attributes
    {"chmod", chmod, "pa"},
    {"fchmod", fchmod, "da", kData},
    {"fchmodat", fchmodat, "dpa"},
    {"fchmodat2", fchmodat, "dpag"},
    {"chown", chown, "pal"},
    {"chown32", chown, "pal"},
    {"lchown", lchown, "pal"},
    {"lchown32", lchown, "pal"},
    {"fchown", fchown, "dal", kData},
    {"fchown32", fchown, "dal", kData},
    {"fchownat", fchownat, "dpalf"},
    {"utime", utime, "pT"},
    {"utimes", utime, "pT"},
    {"futimesat", futimesat, "dpT"},
    {"utimensat", utimensat, "dpTf"},
    {"utimensat_time64", utimensat, "dpTf"},
    {"setxattr", setxattr, "pPtlf"},
    {"setxattrat", setxattrat, "dpfPX"},
    {"removexattrat", removexattrat, "dpfP"},
    {"file_setattr", file_setattr, "dpSlf"},
    {"lsetxattr", lsetxattr, "pPtlf"},
    {"fsetxattr", fsetxattr, "dPtlf", kData},
    {"removexattr", removexattr, "pP"},
    {"lremovexattr", lremovexattr, "pP"},
    {"fremovexattr", fremovexattr, "dP", kData},
    {"stat", Call::stat, "ps"},
    {"stat64", Call::stat, "ps"},
    {"oldstat", Call::stat, "ps"},
    {"lstat", lstat, "ps"},
    {"lstat64", lstat, "ps"},
    {"oldlstat", lstat, "ps"},
    {"fstat", fstat, "ds", kData},
    {"fstat64", fstat, "ds", kData},
    {"oldfstat", fstat, "ds", kData},
    {"newfstatat", fstatat, "dpsf", kData},
    {"fstatat64", fstatat, "dpsf", kData},
    {"statx", statx, "dpfxs", kData},
    {"access", Call::access, "pa"},
    {"faccessat", faccessat, "dpa"},
    {"faccessat2", faccessat, "dpaf"},
    {"ioctl", ioctl, "di"},
    // processes
    {"fork", fork, "", kWhole},
    {"vfork", fork, "", kWhole},
    {"clone", fork, "c", kWhole},
    {"clone2", fork, "c", kWhole},
    {"clone3", fork, "c", kWhole},
    {"unshare", unshare, "g"},
    {"execve", execve, "p", kWhole},
    {"execveat", execveat, "dpxxf", kWhole},
    {"exit", Call::exit, "a", trait::final},
    {"exit_group", exit_group, "a", trait::final},
};

// What a number alone tells of a call: its name and that it cannot be followed.
struct NumberedCall {
  std::uint32_t number;
  CallRule rule;
};

// The calls that may change a file, or that make a descriptor, by their number from 424 on
// (arch/x86/entry/syscalls/syscall_64.tbl of Linux 6.18).
constexpr NumberedCall kNumbered[] = {
    {428, {"open_tree", new_descriptor, "", kWhole}},
    {430, {"fsopen", new_descriptor, "", kWhole}},
    {432, {"fsmount", new_descriptor, "", kWhole}},
    {433, {"fspick", new_descriptor, "", kWhole}},
    {434, {"pidfd_open", new_descriptor, "", kWhole}},
    {435, {"clone3", fork, "", kWhole}},
    {436, {"close_range", close_range, "dDg"}},
    {437, {"openat2", opaque, "d"}},
    {438, {"pidfd_getfd", new_descriptor, "", kWhole}},
    {439, {"faccessat2", Call::other, ""}},
    {444, {"landlock_create_ruleset", new_descriptor, "", kWhole}},
    {447, {"memfd_secret", new_descriptor, "", kWhole}},
    {452, {"fchmodat2", opaque, "d"}},
    {463, {"setxattrat", opaque, "d"}},
    {466, {"removexattrat", opaque, "d"}},
    {467, {"open_tree_attr", new_descriptor, "", kWhole}},
    {469, {"file_setattr", opaque, "d"}},
};
constexpr std::uint32_t kNewestNumber = 470;  // listns is the last that is known, and reads only
constexpr CallRule kUnknownNumber{"a call newer than Linux 6.18", opaque, "", 0};

constexpr CallRule kOther{"", Call::other, "", 0};
constexpr std::size_t kNameMaximum = 32;

// The hash looks at the length and at the first and last eight bytes only; the table is checked
// at start to have few collisions, and names are compared in the end.
constexpr std::size_t kSlots = 1024;

std::uint64_t load(const char* from, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, size);
  return word;
}

std::size_t slot_of(std::string_view name) {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (name.size() >= 8) {
    first = load(name.data(), 8);
    last = load(name.data() + name.size() - 8, 8);
  } else if (name.size() >= 4) {
    first = load(name.data(), 4);
    last = load(name.data() + name.size() - 4, 4);
  } else {
    for (const char c : name) first = first << 8 | static_cast<unsigned char>(c);
  }
  const std::uint64_t mixed =
      (first + name.size()) * 0x9e3779b97f4a7c15U ^ last * 0xc2b2ae3d27d4eb4fU;
  return (mixed * 0x9e3779b97f4a7c15U) >> 54;
}

class CallTable {
 public:
  CallTable() {
    for (const CallRule& rule : kRules) {
      assert(rule.name.size() <= kNameMaximum);
      std::size_t slot = slot_of(rule.name);
      while (!slots_[slot].name.empty()) slot = (slot + 1) % kSlots;
      slots_[slot] = rule;
    }
  }

  [[nodiscard]] const CallRule& find(std::string_view name) const {
    std::size_t slot = slot_of(name);
    while (!slots_[slot].name.empty()) {
      if (slots_[slot].name == name) return slots_[slot];
      slot = (slot + 1) % kSlots;
    }
    return kOther;
  }

 private:
  std::array<CallRule, kSlots> slots_{};
};

const CallTable kTable;

}  // namespace

const CallRule& find_call(std::string_view name) {
  const std::size_t suffix = name.find('#');
  if (suffix != std::string_view::npos) name = name.substr(0, suffix);
  if (name.size() > kNameMaximum) return kOther;
  return kTable.find(name);
}

const CallRule& find_numbered_call(std::string_view name) {
  constexpr std::string_view kHead = "syscall_";
  assert(name.starts_with(kHead));
  name.remove_prefix(kHead.size());
  const bool hexadecimal = name.starts_with("0x");
  if (hexadecimal) name.remove_prefix(2);
  std::uint32_t number = 0;
  const auto read =
      std::from_chars(name.data(), name.data() + name.size(), number, hexadecimal ? 16 : 10);
  if (read.ec != std::errc() || read.ptr != name.data() + name.size()) return kOther;
  for (const NumberedCall& call : kNumbered)
    if (call.number == number) return call.rule;
  return number > kNewestNumber && number < 1024 ? kUnknownNumber : kOther;
}

}  // namespace fcsim::traces::strace
