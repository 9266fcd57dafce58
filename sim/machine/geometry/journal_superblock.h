// The journal's superblock, its first block: what it says and whether it can be believed.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace fcsim::machine::geometry {

// Numbers of the journal are big-endian, those of ext4 and of fast commits little-endian. The
// bytes must be there.
std::uint16_t big16(std::span<const std::uint8_t> bytes, std::size_t at);
std::uint32_t big32(std::span<const std::uint8_t> bytes, std::size_t at);
std::uint16_t little16(std::span<const std::uint8_t> bytes, std::size_t at);
std::uint32_t little32(std::span<const std::uint8_t> bytes, std::size_t at);

inline constexpr std::uint32_t kJournalMagic = 0xc03b3998;
inline constexpr std::size_t kJournalSuperblockBytes = 1024;

// Layout: Documentation/filesystems/ext4/journal.rst, "Super Block".
struct JournalSuperblock {
  std::uint32_t block_size = 0;          // bytes
  std::uint32_t blocks = 0;              // total, fast-commit area included
  std::uint32_t first = 0;               // first block of the log
  std::uint32_t sequence = 0;            // first tid that the log may hold
  std::uint32_t start = 0;               // block where it begins; 0: the log is empty
  std::uint32_t error = 0;               // errno of an aborted journal
  std::uint32_t fast_commit_blocks = 0;  // as stored; 0: the kernel's default
  std::array<std::uint8_t, 16> uuid{};
  bool checksum_v1 = false;
  bool wide = false;  // 64-bit block numbers
  bool checksum_v2 = false;
  bool checksum_v3 = false;
  bool fast_commit = false;  // the mount that wrote it had fast commit active

  [[nodiscard]] bool checksums() const { return checksum_v2 || checksum_v3; }
  // Names of the features as dumpe2fs prints them, with spaces between; "(none)" without any.
  [[nodiscard]] std::string features() const;
};

// `fault` is empty, or says what is wrong at byte `fault_at`; then the values are not to be used.
struct ParsedJournalSuperblock {
  JournalSuperblock values;
  std::string fault;
  std::size_t fault_at = 0;
};

// `bytes` holds at least kJournalSuperblockBytes. `file_blocks` is the size of the journal's file
// in blocks of `block_size` bytes, both as the file system has them.
ParsedJournalSuperblock parse_journal_superblock(std::span<const std::uint8_t> bytes,
                                                 std::uint32_t block_size,
                                                 std::uint64_t file_blocks);

}  // namespace fcsim::machine::geometry
