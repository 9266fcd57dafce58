// The vocabulary between a trace and the model: one file-system operation with its files resolved.
//
// An operation is what one system call did to the traced file system, free of descriptors, paths
// and of everything that depends on the configuration. It is made once for a trace and replayed by
// every configuration of a sweep, so it is a small trivially copyable record.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace fcsim::model {

// A file of the traced file system: a slot number, dense from 0, reused after `evict`.
// The root directory of the file system is always file 0.
using FileId = std::uint32_t;
inline constexpr FileId kNoFile = 0xffffffffU;
inline constexpr FileId kRootDirectory = 0;

// Nanoseconds of CLOCK_REALTIME (or since an arbitrary start where a trace has no absolute times).
using Time = std::int64_t;

enum class FileType : std::uint8_t { regular, directory, symlink, fifo, socket, device };

enum class OperationKind : std::uint8_t {
  none,
  // ---- the life of files ----
  appear,   // `file` turns out to have existed all along (no manifest told of it):
            //   type, length = size, parent, name (parent kNoFile: unknown place)
  create,   // new regular file: parent, name
  mkdir,    // new directory: parent, name
  symlink,  // new symbolic link: parent, name; length = bytes of the target
  mknod,    // new fifo, socket or device: parent, name, type
  tmpfile,  // O_TMPFILE: new regular file without a name; parent = directory whose group it takes
  link,     // new name parent/name for `file` (also linkat of an O_TMPFILE)
  unlink,   // the name parent/name of `file`, not a directory, goes
  rmdir,    // the directory `file`, named parent/name, goes
  rename,   // `file` moves from parent/name to parent2/name2; file2 = what was replaced, or kNoFile
            //   flags: whiteout (the old name becomes a character device, whose slot is `value`)
  exchange,  // RENAME_EXCHANGE of `file` at parent/name and file2 at parent2/name2
  evict,     // last reference to an unlinked `file` is gone (close, munmap, exit, or unlink itself)
  // ---- descriptors ----
  open,     // an open(2) of an existing or just created file succeeded; flags: for_write, direct
  release,  // last descriptor of an open file description is closed; flags: for_write as opened
  // ---- data ----
  read,        // offset, length read (may be 0); also directories' getdents, readlink, execve,
               //   mmap: whatever tests atime. flags: noatime
  write,       // offset, length > 0; flags: direct, sync, dsync, append
  truncate,    // length = new size; flags: by_open (O_TRUNC), sync (the descriptor is O_SYNC)
  fallocate,   // offset, length, value = mode as in fallocate(2); flags: sync
  map_shared,  // mmap(MAP_SHARED, PROT_WRITE): offset, length
  unmap,       // such a mapping goes: offset, length
  // ---- durability ----
  fsync,
  fdatasync,
  msync,            // MS_SYNC: offset, length; flags: mapped_for_write
  sync_file_range,  // offset, length (0: to the end), value = flags as in sync_file_range(2)
  syncfs,
  sync,
  // ---- attributes ----
  set_attributes,  // chmod, chown, utimensat, ...: value = AttributeChange;
                   //   owner: offset = uid, length = gid, -1: not given
  set_xattr,       // name, length = bytes of the value, value_hash; flags: acl, failed_exists,
                   //   failed_missing, failed_no_space
  remove_xattr,    // name; flags: failed_missing, acl
  get_attributes,  // stat family: reads ctime and mtime (multigrain timestamps mark it)
  follow_symlink,  // path resolution went through this symbolic link: tests its atime
  lookup,          // path resolution looked at this file (its inode is in memory afterwards)
  // ---- ioctls ----
  set_flags,     // FS_IOC_SETFLAGS: value = new flags where the trace shows them, else ~0
  swap_boot,     // EXT4_IOC_SWAP_BOOT
  move_extents,  // EXT4_IOC_MOVE_EXT: `file` exchanges length bytes at offset with file2
  migrate,       // EXT4_IOC_MIGRATE
  resize,        // EXT4_IOC_RESIZE_FS, GROUP_ADD, GROUP_EXTEND
  enable_verity,
  set_encryption,  // FS_IOC_SET_ENCRYPTION_POLICY on a directory
  // ---- the machine ----
  drop_caches,  // /proc/sys/vm/drop_caches or a memory cgroup's reclaim: clean inodes leave memory
  freeze,       // FIFREEZE
  remount,      // mount(2) with MS_REMOUNT of the traced file system
  unmount,
  end_of_trace,
  // ---- what only some file systems can do ----
  clone,    // FICLONE, FICLONERANGE: `length` bytes (0: to the end) of file2 from `value` on become
            //   shared with `file` at offset
  dedupe,   // FIDEDUPERANGE: the same, of equal contents
  refused,  // a change of `file` that was begun and found impossible: rmdir of what is not empty
};

// Bits of Operation::flags.
namespace operation_flag {
inline constexpr std::uint32_t for_write = 1U << 0;
inline constexpr std::uint32_t direct = 1U << 1;           // O_DIRECT
inline constexpr std::uint32_t sync = 1U << 2;             // O_SYNC or RWF_SYNC: fsync of the range
inline constexpr std::uint32_t dsync = 1U << 3;            // O_DSYNC or RWF_DSYNC: fdatasync of it
inline constexpr std::uint32_t append = 1U << 4;           // O_APPEND or RWF_APPEND
inline constexpr std::uint32_t by_open = 1U << 5;          // truncation by O_TRUNC
inline constexpr std::uint32_t whiteout = 1U << 6;         // RENAME_WHITEOUT
inline constexpr std::uint32_t acl = 1U << 7;              // system.posix_acl_access or _default
inline constexpr std::uint32_t default_acl = 1U << 8;      // ... _default
inline constexpr std::uint32_t failed_exists = 1U << 9;    // EEXIST
inline constexpr std::uint32_t failed_missing = 1U << 10;  // ENODATA
inline constexpr std::uint32_t failed_no_space = 1U << 11;   // ENOSPC
inline constexpr std::uint32_t noatime = 1U << 12;           // O_NOATIME
inline constexpr std::uint32_t mapped_for_write = 1U << 13;  // msync: stores there were possible
inline constexpr std::uint32_t acl_is_mode = 1U << 14;       // ACL equal to the mode bits: no xattr
inline constexpr std::uint32_t value_unknown = 1U << 15;     // set_xattr: the trace hides the value
inline constexpr std::uint32_t failed = 1U << 16;            // fsync and friends: returned an error
inline constexpr std::uint32_t created = 1U << 17;     // open: this very call created the file
inline constexpr std::uint32_t capability = 1U << 19;  // of the xattr security.capability
inline constexpr std::uint32_t observed = 1U << 22;    // strace -y asked fstat about `file` before
inline constexpr std::uint32_t copied = 1U << 21;  // write: by copy_file_range, of file2 at `value`
inline constexpr std::uint32_t again = 1U << 18;   // appear: of a file that appeared before, whose
                                                   // size or type is known better now
inline constexpr std::uint32_t read_only = 1U << 20;  // remount to read-only, by a scenario's step
}  // namespace operation_flag

// Operation::value of set_attributes.
enum class AttributeChange : std::uint8_t { mode, owner, times, times_now };

// What the kernel told of a sync call, in a recording through tracepoints; 0: not known. Times of
// the recorded machine, so under another setting only `asked` says something.
struct KernelTimes {
  std::uint32_t transaction = 0;  // jbd2's tid of the first handle that the call began
  Time allocated = 0;             // it took blocks for its data (ext4_allocate_blocks)
  Time converted = 0;  // the data is there, a handle marks its blocks as written (EXT_CONVERT)
  Time asked = 0;      // the call asked for a fast commit (ext4_fc_commit_start)
  Time answered = 0;   // and had its answer (ext4_fc_commit_stop)
  bool wrote = false;  // which was that it had written one itself
  Time locked = 0;     // since then, the first transaction was locked (jbd2_commit_locking)
  Time durable = 0;    // and that transaction's commit ended (jbd2_end_commit)
};

struct Operation {
  OperationKind kind = OperationKind::none;
  FileType type = FileType::regular;
  std::uint16_t name_length = 0;   // bytes of the name (or of the xattr's full name)
  std::uint16_t name2_length = 0;  // bytes of the second name
  std::uint16_t source = 0;        // which of the trace files given together `line` counts in
  std::uint32_t flags = 0;         // operation_flag
  std::int32_t pid = 0;
  std::int16_t cpu = -1;  // on which the call began; -1: not known, the trace is not of tracepoints
  FileId file = kNoFile;
  FileId parent = kNoFile;
  FileId file2 = kNoFile;
  FileId parent2 = kNoFile;
  std::uint64_t line = 0;       // 1-based line of the trace that the call began on
  Time start = 0;               // entry of the call
  Time end = 0;                 // return of the call; == start where the trace has no durations
  std::int64_t offset = 0;      // bytes
  std::int64_t length = 0;      // bytes
  std::uint64_t value = 0;      // per kind, see above
  std::uint64_t name_hash = 0;  // hash of the name's bytes, the same on every machine
  std::uint64_t name2_hash = 0;
  KernelTimes kernel;
};
static_assert(std::is_trivially_copyable_v<Operation>);

// One run of blocks of a file: logical and physical block numbers in units of the block size.
struct InitialExtent {
  std::uint32_t logical = 0;
  std::uint64_t physical = 0;
  std::uint32_t length = 0;
  bool unwritten = false;
  bool shared = false;  // with another file
};

// One name of a file that existed before the trace. A file with several names (hard links) stands
// in the list once for each name, with the same `file`; extents only with the first.
struct InitialFile {
  FileId file = kNoFile;
  FileId parent = kNoFile;  // kNoFile for the root
  FileType type = FileType::regular;
  std::uint32_t mode = 0;      // permission bits
  std::uint32_t inode = 0;     // inode number
  std::uint32_t links = 1;     // nlink
  std::uint32_t flags = 0;     // inode flags as in FS_IOC_GETFLAGS, as far as known
  std::uint32_t project = 0;   // quota project
  bool access_acl = false;     // has an ACL beyond the mode
  bool default_acl = false;    // directory: what is made in it inherits an ACL
  bool label = false;          // has security.selinux
  std::int64_t size = 0;       // bytes
  std::int64_t blocks512 = 0;  // st_blocks: data and metadata blocks, in units of 512 bytes
  bool times_known = false;    // the next three are given, in ns
  Time atime = 0;
  Time mtime = 0;
  Time ctime = 0;
  std::uint16_t name_length = 0;
  std::uint64_t name_hash = 0;
  std::vector<InitialExtent> extents;
  std::string name;        // last component of the path; empty for the root
  std::uint64_t line = 0;  // where the manifest says so
};

// What is on the file system when the trace begins.
struct InitialState {
  bool known = false;             // false: no manifest; files turn up by `appear`
  std::string source;             // the manifest's name, for messages
  bool attributes_known = false;  // flags, ACLs and the like of all files are told
  bool warm = false;              // a full commit has happened on this mount before the trace
  std::vector<InitialFile> files;
};

}  // namespace fcsim::model
