#include "sim/machine/geometry/journal_superblock.h"

#include <ext2fs/ext2fs.h>

#include <algorithm>
#include <cassert>
#include <vector>

namespace fcsim::machine::geometry {
namespace {

enum : std::size_t {
  kAtType = 0x4,
  kAtBlockSize = 0xc,
  kAtBlocks = 0x10,
  kAtFirst = 0x14,
  kAtSequence = 0x18,
  kAtStart = 0x1c,
  kAtError = 0x20,
  kAtCompatible = 0x24,
  kAtIncompatible = 0x28,
  kAtUuid = 0x30,
  kAtFastCommitBlocks = 0x54,
  kAtChecksum = 0xfc,
};

constexpr std::uint32_t kVersion1 = 3;
constexpr std::uint32_t kVersion2 = 4;
constexpr std::uint32_t kKnownIncompatible = 0x3f;

std::uint32_t checksum(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint8_t> copy(bytes.begin(), bytes.begin() + kJournalSuperblockBytes);
  std::fill_n(copy.begin() + kAtChecksum, 4, std::uint8_t{0});
  return ext2fs_crc32c_le(~0U, copy.data(), copy.size());
}

JournalSuperblock values_of(std::span<const std::uint8_t> bytes) {
  JournalSuperblock values;
  values.block_size = big32(bytes, kAtBlockSize);
  values.blocks = big32(bytes, kAtBlocks);
  values.first = big32(bytes, kAtFirst);
  values.sequence = big32(bytes, kAtSequence);
  values.start = big32(bytes, kAtStart);
  values.error = big32(bytes, kAtError);
  if (big32(bytes, kAtType) == kVersion1) return values;
  const std::uint32_t incompatible = big32(bytes, kAtIncompatible);
  values.checksum_v1 = (big32(bytes, kAtCompatible) & 1) != 0;
  values.wide = (incompatible & 0x02) != 0;
  values.checksum_v2 = (incompatible & 0x08) != 0;
  values.checksum_v3 = (incompatible & 0x10) != 0;
  values.fast_commit = (incompatible & 0x20) != 0;
  values.fast_commit_blocks = big32(bytes, kAtFastCommitBlocks);
  std::copy_n(bytes.begin() + kAtUuid, values.uuid.size(), values.uuid.begin());
  return values;
}

std::string hexadecimal(std::uint32_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[(value >> shift) & 15];
  return text;
}

}  // namespace

std::uint16_t big16(std::span<const std::uint8_t> bytes, std::size_t at) {
  assert(at + 2 <= bytes.size());
  return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

std::uint32_t big32(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint32_t>(big16(bytes, at)) << 16 | big16(bytes, at + 2);
}

std::uint16_t little16(std::span<const std::uint8_t> bytes, std::size_t at) {
  assert(at + 2 <= bytes.size());
  return static_cast<std::uint16_t>(bytes[at + 1] << 8 | bytes[at]);
}

std::uint32_t little32(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint32_t>(little16(bytes, at + 2)) << 16 | little16(bytes, at);
}

std::string JournalSuperblock::features() const {
  std::string names;
  const auto add = [&](bool present, const char* name) {
    if (present) names += (names.empty() ? "" : " ") + std::string(name);
  };
  add(checksum_v1, "journal_checksum");
  add(wide, "journal_64bit");
  add(checksum_v2, "journal_checksum_v2");
  add(checksum_v3, "journal_checksum_v3");
  add(fast_commit, "fast_commit");
  return names.empty() ? "(none)" : names;
}

ParsedJournalSuperblock parse_journal_superblock(std::span<const std::uint8_t> bytes,
                                                 std::uint32_t block_size,
                                                 std::uint64_t file_blocks) {
  assert(bytes.size() >= kJournalSuperblockBytes);
  ParsedJournalSuperblock parsed;
  const auto fault = [&](std::size_t at, std::string text) {
    parsed.fault = std::move(text);
    parsed.fault_at = at;
    return parsed;
  };
  if (big32(bytes, 0) != kJournalMagic)
    return fault(0, "expected the journal's magic number " + hexadecimal(kJournalMagic) +
                        ", found " + hexadecimal(big32(bytes, 0)));
  const std::uint32_t type = big32(bytes, kAtType);
  if (type != kVersion1 && type != kVersion2)
    return fault(kAtType, "expected a journal superblock (block type 3 or 4), found type " +
                              std::to_string(type));
  parsed.values = values_of(bytes);
  const JournalSuperblock& values = parsed.values;
  if (type == kVersion2 && (big32(bytes, kAtIncompatible) & ~kKnownIncompatible) != 0)
    return fault(kAtIncompatible, "the journal has features that are not known: " +
                                      hexadecimal(big32(bytes, kAtIncompatible)));
  if (values.checksums() && checksum(bytes) != big32(bytes, kAtChecksum))
    return fault(kAtChecksum, "the checksum of the journal's superblock is wrong: expected " +
                                  hexadecimal(checksum(bytes)) + ", found " +
                                  hexadecimal(big32(bytes, kAtChecksum)));
  if (values.block_size != block_size)
    return fault(kAtBlockSize, "the journal has blocks of " + std::to_string(values.block_size) +
                                   " bytes, the file system of " + std::to_string(block_size));
  if (values.blocks > file_blocks)
    return fault(kAtBlocks, "the journal claims " + std::to_string(values.blocks) +
                                " blocks, its file has " + std::to_string(file_blocks));
  if (values.first == 0 || values.first >= values.blocks)
    return fault(kAtFirst, "the log begins at block " + std::to_string(values.first) + " of " +
                               std::to_string(values.blocks));
  return parsed;
}

}  // namespace fcsim::machine::geometry
