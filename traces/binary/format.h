// What writer and reader of the binary form of a trace share. docs/formats.md describes every byte.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fcsim::traces::binary {

static_assert(std::endian::native == std::endian::little,
              "the files are little-endian and are read without conversion");

// The first byte is not text, the line ends show a transfer that changed them.
inline constexpr std::string_view kMagic =
    "\x89"
    "FCT\r\n\x1a\n";
inline constexpr std::uint32_t kVersion = 2;
// Version 1 lacks the origin in the header and kHasFacts; it is still read.
inline constexpr std::uint32_t kOldestVersion = 1;

// What a file was made from. A recording may have been cut: it has no end block then.
enum class Origin : std::uint32_t { text = 0, recording = 1 };

// A file's beginning: magic, version, size of what follows.
inline constexpr std::size_t kPreambleSize = 16;

inline constexpr std::uint32_t kHeaderMaximum = std::uint32_t{1} << 30;

// A block's content, before and after compression. A line of text, all that one event's strings
// can come from, is cut at 64 MiB.
inline constexpr std::uint32_t kContentMaximum = std::uint32_t{1} << 30;

enum class BlockKind : std::uint32_t {
  events = 1,
  unparsable = 2,  // where the first line that could not be parsed was met
  end = 3,
};

enum class Codec : std::uint32_t { none = 0, zstd = 1 };

struct BlockHeader {
  BlockKind kind = BlockKind::events;
  std::uint32_t sequence = 0;  // 0 for the first block of a file
  Codec codec = Codec::none;
  std::uint32_t stored_size = 0;   // of the content in the file
  std::uint32_t content_size = 0;  // of the content itself
  std::uint32_t events = 0;
  std::uint32_t strings = 0;
  std::uint32_t reserved = 0;      // 0
  std::uint64_t content_hash = 0;  // XXH64 of the content as stored
};
inline constexpr std::size_t kBlockHeaderSize = 40;  // its own XXH64 follows
static_assert(sizeof(BlockHeader) == kBlockHeaderSize);
inline constexpr std::size_t kHashSize = 8;

// ---- records ---------------------------------------------------------------------------------

// A record tells how an event differs from the one before it in the same slot. Which slot a call
// takes is the writer's choice; calls that are alike should share one.
inline constexpr std::size_t kSlots = 64;

// Columns of every record, in the order of their two bits in its second and third byte.
enum Column : unsigned { kLine, kStart, kDuration, kResult, kOffset, kLength, kColumns };

// The bits above them: changes follow; facts follow, in front of the changes: 8 bytes with the CPU
// at the beginning (16 bits), at the end (16) and the transaction (32). What is between is 0.
inline constexpr std::uint16_t kHasChanges = 0x8000;
inline constexpr std::uint16_t kHasFacts = 0x1000;
inline constexpr std::uint16_t kUnusedCodes = 0x6000;

// Bytes of a column's value by its two bits.
inline constexpr std::array<std::uint8_t, 4> kWidths = {0, 2, 4, 8};

// What seldom changes from one call to the next of its kind, in the order of their bits.
enum Change : unsigned {
  kCall,
  kPid,
  kSource,
  kError,
  kFd,
  kFd2,
  kFdPath,
  kFd2Path,
  kPath,
  kPath2,
  kText,
  kResultPath,
  kName,
  kFlags,  // this and the next take 8 bytes, those before 4
  kArgument,
  kChanges
};

// Bits of the value of kCall, above the call's number.
inline constexpr std::uint32_t kCallMask = 0xffff;
inline constexpr std::uint32_t kHasResult = 0x10000;
inline constexpr std::uint32_t kHasDuration = 0x20000;
inline constexpr std::uint32_t kTruncatedText = 0x40000;
inline constexpr std::uint32_t kKnownCallBits = 0x7ffff;

inline constexpr std::size_t kRecordMinimum = 3;
inline constexpr std::size_t kRecordMaximum = kRecordMinimum + 8 * kColumns + 8 + 2 + 8 * kChanges;

// Small numbers of either sign become small numbers.
constexpr std::uint64_t zigzag(std::uint64_t value) {
  return (value << 1) ^ (std::uint64_t{0} - (value >> 63));
}
constexpr std::uint64_t unzigzag(std::uint64_t value) {
  return (value >> 1) ^ (std::uint64_t{0} - (value & 1));
}

template <class Number>
Number load(const char* from) {
  Number value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace fcsim::traces::binary
