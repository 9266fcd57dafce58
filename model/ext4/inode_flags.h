// The inode flags of chattr that matter here (include/uapi/linux/fs.h).
#pragma once

#include <cstdint>

namespace fcsim::model::ext4 {

inline constexpr std::uint32_t kSynchronousFlag = 0x8;  // +S
inline constexpr std::uint32_t kEncryptedFlag = 0x800;
inline constexpr std::uint32_t kJournalDataFlag = 0x4000;  // +j
inline constexpr std::uint32_t kDirsyncFlag = 0x10000;     // +D

}  // namespace fcsim::model::ext4
