// Numbers of the Linux x86-64 system call interface that the resolver has to tell apart.
#pragma once

#include <cstdint>

namespace fcsim::traces::resolve {

// errno
inline constexpr std::int32_t kEnoent = 2;
inline constexpr std::int32_t kEbadf = 9;
inline constexpr std::int32_t kEexist = 17;
inline constexpr std::int32_t kEnotempty = 39;
inline constexpr std::int32_t kEinval = 22;
inline constexpr std::int32_t kEnospc = 28;
inline constexpr std::int32_t kEnodata = 61;

// open
inline constexpr std::uint64_t kAccessMode = 03;
inline constexpr std::uint64_t kReadOnly = 0;
inline constexpr std::uint64_t kWriteOnly = 01;
inline constexpr std::uint64_t kReadWrite = 02;
inline constexpr std::uint64_t kCreate = 0100;
inline constexpr std::uint64_t kExclusive = 0200;
inline constexpr std::uint64_t kTruncate = 01000;
inline constexpr std::uint64_t kAppend = 02000;
inline constexpr std::uint64_t kDataSync = 010000;
inline constexpr std::uint64_t kDirect = 040000;
inline constexpr std::uint64_t kDirectory = 0200000;
inline constexpr std::uint64_t kNoFollow = 0400000;
inline constexpr std::uint64_t kNoAccessTime = 01000000;
inline constexpr std::uint64_t kCloseOnExec = 02000000;
inline constexpr std::uint64_t kSync = 04010000;
inline constexpr std::uint64_t kPathOnly = 010000000;
inline constexpr std::uint64_t kTemporary = 020200000;  // O_TMPFILE holds O_DIRECTORY

// pwritev2
inline constexpr std::uint64_t kWriteDataSync = 0x2;
inline constexpr std::uint64_t kWriteSync = 0x4;
inline constexpr std::uint64_t kWriteAppend = 0x10;

// fcntl
inline constexpr std::uint64_t kDuplicate = 0;
inline constexpr std::uint64_t kSetDescriptorFlags = 2;
inline constexpr std::uint64_t kGetStatusFlags = 3;
inline constexpr std::uint64_t kSetStatusFlags = 4;
inline constexpr std::uint64_t kDuplicateCloseOnExec = 1030;

// close_range
inline constexpr std::uint64_t kCloseRangeUnshare = 2;
inline constexpr std::uint64_t kCloseRangeCloseOnExec = 4;

// AT_*
inline constexpr std::uint64_t kAtNoFollow = 0x100;
inline constexpr std::uint64_t kAtRemoveDirectory = 0x200;
inline constexpr std::uint64_t kAtFollow = 0x400;
inline constexpr std::uint64_t kAtEmptyPath = 0x1000;

// lseek
inline constexpr std::uint64_t kSeekEnd = 2;

// renameat2
inline constexpr std::uint64_t kRenameNoReplace = 1;
inline constexpr std::uint64_t kRenameExchange = 2;
inline constexpr std::uint64_t kRenameWhiteout = 4;

// fallocate
inline constexpr std::uint64_t kKeepSize = 0x1;
inline constexpr std::uint64_t kPunchHole = 0x2;
inline constexpr std::uint64_t kCollapseRange = 0x8;
inline constexpr std::uint64_t kZeroRange = 0x10;
inline constexpr std::uint64_t kInsertRange = 0x20;

// mmap, msync, mremap
inline constexpr std::uint64_t kProtectWrite = 2;
inline constexpr std::uint64_t kMapTypeMask = 0xf;
inline constexpr std::uint64_t kMapShared = 1;
inline constexpr std::uint64_t kMapSharedValidate = 3;
inline constexpr std::uint64_t kMapAnonymous = 0x20;
inline constexpr std::uint64_t kSyncMapping = 4;  // MS_SYNC

// clone, unshare
inline constexpr std::uint64_t kCloneMemory = 0x100;
inline constexpr std::uint64_t kCloneFs = 0x200;
inline constexpr std::uint64_t kCloneFiles = 0x400;
inline constexpr std::uint64_t kCloneThread = 0x10000;

// mount
inline constexpr std::uint64_t kRemount = 0x20;
inline constexpr std::uint64_t kBindMount = 0x1000;
inline constexpr std::uint64_t kMoveMount = 0x2000;
inline constexpr std::uint64_t kPropagationMask = 0x1e0000;  // MS_UNBINDABLE .. MS_SHARED

// mknod
inline constexpr std::uint64_t kTypeMask = 0170000;
inline constexpr std::uint64_t kTypeSocket = 0140000;
inline constexpr std::uint64_t kTypeSymlink = 0120000;
inline constexpr std::uint64_t kTypeRegular = 0100000;
inline constexpr std::uint64_t kTypeBlock = 0060000;
inline constexpr std::uint64_t kTypeDirectory = 0040000;
inline constexpr std::uint64_t kTypeCharacter = 0020000;
inline constexpr std::uint64_t kTypeFifo = 0010000;

// ioctl
inline constexpr std::uint64_t kSetFlags = 0x40086602;
inline constexpr std::uint64_t kSetFlags32 = 0x40046602;
inline constexpr std::uint64_t kSetExtendedFlags = 0x401c5820;  // FS_IOC_FSSETXATTR
inline constexpr std::uint64_t kSwapBoot = 0x6611;
inline constexpr std::uint64_t kMigrate = 0x6609;
inline constexpr std::uint64_t kMoveExtents = 0xc028660f;
inline constexpr std::uint64_t kCloneFile = 0x40049409;
inline constexpr std::uint64_t kCloneRange = 0x4020940d;
inline constexpr std::uint64_t kDedupeRange = 0xc0189436;
inline constexpr std::uint64_t kResize = 0x40086610;
inline constexpr std::uint64_t kGroupExtend = 0x40086607;
inline constexpr std::uint64_t kGroupAdd = 0x40286608;
inline constexpr std::uint64_t kEnableVerity = 0x40806685;
inline constexpr std::uint64_t kSetEncryptionPolicy = 0x800c6613;
inline constexpr std::uint64_t kFreeze = 0xc0045877;

// Path walk
inline constexpr int kMaximumSymlinks = 40;
// Largest descriptor number a process can have (the default of fs.nr_open).
inline constexpr std::int32_t kDescriptorLimit = 1 << 20;

}  // namespace fcsim::traces::resolve
