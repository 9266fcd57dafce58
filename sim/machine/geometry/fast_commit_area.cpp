#include "sim/machine/geometry/fast_commit_area.h"

#include <ext2fs/ext2fs.h>

#include "sim/support/json.h"

namespace fcsim::machine::geometry {
namespace {

enum Tag : std::uint16_t {
  kAddRange = 1,
  kDelRange = 2,
  kCreat = 3,
  kLink = 4,
  kUnlink = 5,
  kInode = 6,
  kPad = 7,
  kTail = 8,
  kHead = 9,
};

struct TagLayout {
  const char* name;
  std::uint32_t least_bytes;  // of the value
};

constexpr std::size_t kHeaderBytes = 4;  // tag, length
constexpr std::uint32_t kInodeBytes = 128;
constexpr std::uint32_t kUnwrittenFrom = 32768;  // a longer extent is unwritten

constexpr TagLayout kLayouts[] = {
    {"", 0},       {"ADD_RANGE", 16},          {"DEL_RANGE", 12}, {"CREAT", 9}, {"LINK", 9},
    {"UNLINK", 9}, {"INODE", 4 + kInodeBytes}, {"PAD", 0},        {"TAIL", 8},  {"HEAD", 8},
};

using Bytes = std::span<const std::uint8_t>;

std::string add_range(Bytes value) {
  std::uint32_t length = little16(value, 8);
  const bool unwritten = length > kUnwrittenFrom;
  if (unwritten) length -= kUnwrittenFrom;
  const std::uint64_t physical =
      static_cast<std::uint64_t>(little16(value, 10)) << 32 | little32(value, 12);
  return "inode " + std::to_string(little32(value, 0)) + ", blocks " +
         std::to_string(little32(value, 4)) + "+" + std::to_string(length) + " at " +
         std::to_string(physical) + (unwritten ? ", unwritten" : "");
}

std::string name_record(Bytes value) {
  const std::string_view name(reinterpret_cast<const char*>(value.data()) + 8, value.size() - 8);
  return "inode " + std::to_string(little32(value, 4)) + ", directory " +
         std::to_string(little32(value, 0)) + ", " + support::json_string(name);
}

// The type of the file in the upper bits of its mode.
const char* type_of(std::uint16_t mode) {
  switch (mode >> 12) {
    case 1:
      return "fifo";
    case 2:
      return "character device";
    case 4:
      return "directory";
    case 6:
      return "block device";
    case 8:
      return "file";
    case 10:
      return "symlink";
    case 12:
      return "socket";
    default:
      return "no type";
  }
}

std::string inode(Bytes value) {
  const Bytes raw = value.subspan(4);
  const std::uint16_t mode = little16(raw, 0);
  std::string octal;
  for (int shift = 9; shift >= 0; shift -= 3)
    octal += static_cast<char>('0' + ((mode >> shift) & 7));
  const std::uint64_t size =
      static_cast<std::uint64_t>(little32(raw, 108)) << 32 | little32(raw, 4);
  return "inode " + std::to_string(little32(value, 0)) + ", " + type_of(mode) + " " + octal +
         ", links " + std::to_string(little16(raw, 26)) + ", size " + std::to_string(size) + ", " +
         std::to_string(raw.size()) + " bytes";
}

std::string describe(std::uint16_t tag, Bytes value) {
  switch (tag) {
    case kAddRange:
      return add_range(value);
    case kDelRange:
      return "inode " + std::to_string(little32(value, 0)) + ", blocks " +
             std::to_string(little32(value, 4)) + "+" + std::to_string(little32(value, 8));
    case kCreat:
    case kLink:
    case kUnlink:
      return name_record(value);
    case kInode:
      return inode(value);
    case kHead:
      return "tid " + std::to_string(little32(value, 4)) + ", features " +
             std::to_string(little32(value, 0));
    case kTail:
      return "tid " + std::to_string(little32(value, 0)) + ", crc " +
             std::to_string(little32(value, 4));
    default:
      return std::to_string(value.size()) + " bytes";
  }
}

}  // namespace

FastCommitReader::FastCommitReader(std::optional<std::uint32_t> expected_tid,
                                   std::function<void(const LogRecord&)> record)
    : expected_tid_(expected_tid), record_(std::move(record)) {}

bool FastCommitReader::block(std::uint64_t block_number, Bytes bytes) {
  std::size_t at = 0;
  Step step = Step::next_record;
  while (step == Step::next_record && at + kHeaderBytes <= bytes.size()) {
    step = tag(block_number, bytes, at);
    if (step == Step::next_record) at += kHeaderBytes + little16(bytes, at + 2);
  }
  // A block without PAD or TAIL is continued by the next one.
  if (!pending_.empty() && step != Step::stop)
    checksum_ = ext2fs_crc32c_le(checksum_, bytes.data(), bytes.size());
  return step != Step::stop;
}

FastCommitReader::Step FastCommitReader::tag(std::uint64_t block_number, Bytes bytes,
                                             std::size_t at) {
  LogRecord record;
  record.block = block_number;
  record.byte = static_cast<std::uint32_t>(at);
  const std::uint16_t tag = little16(bytes, at);
  const std::uint16_t length = little16(bytes, at + 2);
  const bool known = tag >= kAddRange && tag <= kHead;
  if (!known && pending_.empty()) return Step::stop;  // never written, or not a fast commit
  record.kind = known ? kLayouts[tag].name : "note";
  if (!known)
    return damaged(std::move(record), "expected a tag from 1 to 9, found " + std::to_string(tag) +
                                          ": the fast commit is cut");
  if (at + kHeaderBytes + length > bytes.size())
    return damaged(std::move(record),
                   "its " + std::to_string(length) + " bytes cross the block's end");
  if (length < kLayouts[tag].least_bytes)
    return damaged(std::move(record), "expected at least " +
                                          std::to_string(kLayouts[tag].least_bytes) +
                                          " bytes, found " + std::to_string(length));
  const Bytes value = bytes.subspan(at + kHeaderBytes, length);
  if (tag == kHead && !pending_.empty())
    return damaged(std::move(record), "a new fast commit begins, the one before has no TAIL");
  record.text = describe(tag, value);
  if (tag == kHead && expected_tid_ && little32(value, 4) != *expected_tid_)
    return stale(record, little32(value, 4));
  if (tag == kTail) return tail(std::move(record), bytes, at);
  pending_.push_back(std::move(record));
  return tag == kPad ? Step::next_block : Step::next_record;
}

FastCommitReader::Step FastCommitReader::tail(LogRecord record, Bytes bytes, std::size_t at) {
  const std::uint32_t tid = little32(bytes, at + kHeaderBytes);
  if (expected_tid_ && tid != *expected_tid_) return stale(record, tid);
  const std::size_t covered = at + kHeaderBytes + 4;  // up to the checksum itself
  const std::uint32_t checksum = ext2fs_crc32c_le(checksum_, bytes.data(), covered);
  const std::uint32_t stored = little32(bytes, covered);
  if (checksum != stored)
    return damaged(std::move(record), "the fast commit's checksum is " + std::to_string(checksum) +
                                          ": recovery stops before it");
  record.text += " ok";
  pending_.push_back(std::move(record));
  flush();
  ++commits_;
  return Step::next_block;
}

FastCommitReader::Step FastCommitReader::damaged(LogRecord record, std::string fault) {
  record.fault = std::move(fault);
  pending_.push_back(std::move(record));
  flush();
  return Step::stop;
}

FastCommitReader::Step FastCommitReader::stale(const LogRecord& record, std::uint32_t tid) {
  LogRecord note = record;
  if (!pending_.empty()) note = pending_.front();
  pending_.clear();
  checksum_ = 0;
  note.kind = "note";
  note.text = "a fast commit of tid " + std::to_string(tid) + ", not of tid " +
              std::to_string(*expected_tid_) + ": left from before, recovery stops here";
  record_(note);
  return Step::stop;
}

void FastCommitReader::flush() {
  for (const LogRecord& record : pending_) record_(record);
  pending_.clear();
  checksum_ = 0;
}

void FastCommitReader::finish() {
  if (pending_.empty()) return;
  LogRecord note = pending_.back();
  note.kind = "note";
  note.text.clear();
  damaged(std::move(note), "the area ends here, the fast commit has no TAIL");
}

}  // namespace fcsim::machine::geometry
