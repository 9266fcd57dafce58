#include "sim/machine/geometry/journal_log.h"

#include <ext2fs/ext2fs.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "sim/machine/geometry/fast_commit_area.h"
#include "sim/support/json.h"

namespace fcsim::machine::geometry {
namespace {

enum BlockType : std::uint32_t { kDescriptor = 1, kCommit = 2, kRevoke = 5 };

constexpr std::size_t kBlockHeaderBytes = 12;
constexpr std::size_t kRevokeHeaderBytes = 16;
constexpr std::size_t kUuidBytes = 16;
constexpr std::size_t kAtCommitChecksum = 16;
constexpr std::size_t kAtCommitSeconds = 0x30;
constexpr std::size_t kAtCommitNanoseconds = 0x38;

// Flags of a tag.
constexpr std::uint32_t kEscaped = 1;  // the block began with the magic number
constexpr std::uint32_t kSameUuid = 2;
constexpr std::uint32_t kLastTag = 8;

using Bytes = std::span<const std::uint8_t>;

struct BlockTag {
  std::uint64_t block = 0;  // of the file system
  std::uint32_t flags = 0;
  std::uint32_t checksum = 0;
};

class LogReader {
 public:
  LogReader(const JournalSuperblock& superblock, JournalFile& file, const LogRequest& request)
      : superblock_(superblock),
        file_(file),
        request_(request),
        bytes_(superblock.block_size),
        seed_(ext2fs_crc32c_le(~0U, superblock.uuid.data(), superblock.uuid.size())) {
    const std::uint64_t usable = std::min<std::uint64_t>(superblock.blocks, file.blocks());
    log_end_ = usable > request.area_blocks ? usable - request.area_blocks : 0;
    area_begin_ = log_end_ + 1;  // the block between belongs to neither
    area_end_ = request.area_blocks == 0 ? area_begin_ : usable;
  }

  void read() {
    tell_superblock();
    if (log_end_ <= superblock_.first) {
      fault(0, "an area of " + std::to_string(request_.area_blocks) + " blocks leaves no log");
      return;
    }
    if (request_.scope == LogScope::whole)
      read_whole();
    else
      read_live();
  }

 private:
  void tell(std::uint64_t block, std::string kind, std::string text, std::string fault = "") {
    pass_on({block, 0, std::move(kind), std::move(text), std::move(fault)});
  }
  // What earlier commits left is overwritten bit by bit: there a wrong checksum is not damage.
  void pass_on(LogRecord record) {
    if (request_.scope == LogScope::whole && !record.fault.empty()) {
      record.text += (record.text.empty() ? "" : ", ") + ("left over or damaged: " + record.fault);
      record.fault.clear();
    }
    request_.record(record);
  }
  void note(std::uint64_t block, std::string text) { tell(block, "note", std::move(text)); }
  void fault(std::uint64_t block, std::string text) { tell(block, "note", "", std::move(text)); }

  void tell_superblock() {
    std::string text = std::to_string(superblock_.blocks) + " blocks of " +
                       std::to_string(superblock_.block_size) + " bytes, log from block " +
                       std::to_string(superblock_.first) + ", ";
    text += superblock_.start == 0 ? "empty" : "begins at " + std::to_string(superblock_.start);
    text += ", first tid " + std::to_string(superblock_.sequence) + ", area " +
            std::to_string(superblock_.fast_commit_blocks) + ", features " + superblock_.features();
    tell(0, "superblock", std::move(text));
  }

  // What recovery does (fs/jbd2/recovery.c, do_one_pass): follow the log while tids follow on.
  void read_live() {
    if (superblock_.start == 0) {
      note(0, "the log is empty: there is nothing to recover");
      return;
    }
    if (superblock_.start < superblock_.first || superblock_.start >= log_end_) {
      fault(superblock_.start, "the log begins outside of its blocks " +
                                   std::to_string(superblock_.first) + " to " +
                                   std::to_string(log_end_ - 1));
      return;
    }
    const std::uint32_t next = follow(superblock_.start);
    if (!superblock_.fast_commit) return;
    read_area(next);
  }

  // Returns the tid that the log does not hold any more.
  std::uint32_t follow(std::uint64_t block) {
    std::uint32_t tid = superblock_.sequence;
    bool open = false;  // records of `tid` were seen
    std::uint64_t left = log_end_ - superblock_.first;
    while (true) {
      if (left == 0 || !load(block)) break;
      if (big32(bytes_, 0) != kJournalMagic || big32(bytes_, 8) != tid) break;
      const std::uint32_t type = big32(bytes_, 4);
      const std::uint64_t step = std::min(record(block), left);
      if (step == 0) break;
      open = type != kCommit;
      if (type == kCommit) ++tid;
      left -= step;
      block = wrapped(block + step);
    }
    note(block, open ? "tid " + std::to_string(tid) + " has no commit block: recovery leaves it out"
                     : "no block of tid " + std::to_string(tid) + " follows: the log ends here");
    return tid;
  }

  void read_area(std::optional<std::uint32_t> tid) {
    FastCommitReader reader(tid, [this](const LogRecord& record) { pass_on(record); });
    std::uint64_t block = area_begin_;
    for (; block < area_end_; ++block) {
      if (!load(block)) break;
      if (!reader.block(block, bytes_) && tid) break;
    }
    reader.finish();
    note(std::min(block, area_end_), std::to_string(reader.commits()) + " fast commits" +
                                         (tid ? " that recovery would apply" : " in the area"));
  }

  void read_whole() {
    std::uint64_t block = superblock_.first;
    while (block < log_end_) {
      if (!load(block)) return;
      const bool has_header = big32(bytes_, 0) == kJournalMagic;
      block += has_header ? std::max<std::uint64_t>(record(block), 1) : 1;
    }
    if (request_.area_blocks != 0) read_area(std::nullopt);
  }

  [[nodiscard]] std::uint64_t wrapped(std::uint64_t block) const {
    return block < log_end_ ? block : block - (log_end_ - superblock_.first);
  }

  bool load(std::uint64_t block) {
    if (file_.read(block, bytes_)) return true;
    fault(block, "this block of the journal cannot be read: the image is cut");
    return false;
  }

  // Tells the record in bytes_; the blocks that it takes, 0 for none that is known.
  std::uint64_t record(std::uint64_t block) {
    switch (big32(bytes_, 4)) {
      case kDescriptor:
        return descriptor(block);
      case kCommit:
        commit(block);
        return 1;
      case kRevoke:
        revoke(block);
        return 1;
      default:
        fault(block, "expected a descriptor (1), commit (2) or revoke block (5), found type " +
                         std::to_string(big32(bytes_, 4)));
        return 0;
    }
  }

  // CRC-32C of the block with the four bytes at `at` taken as 0.
  [[nodiscard]] std::uint32_t checksum_without(std::size_t at) const {
    std::vector<std::uint8_t> copy = bytes_;
    std::fill_n(copy.begin() + static_cast<std::ptrdiff_t>(at), 4, std::uint8_t{0});
    return ext2fs_crc32c_le(seed_, copy.data(), copy.size());
  }

  [[nodiscard]] std::string checksum_fault(std::size_t at) const {
    if (!superblock_.checksums()) return "";
    const std::uint32_t right = checksum_without(at);
    if (right == big32(bytes_, at)) return "";
    return "its checksum at byte " + std::to_string(at) + " is " +
           std::to_string(big32(bytes_, at)) + ", expected " + std::to_string(right);
  }

  [[nodiscard]] std::size_t body_end() const {
    return bytes_.size() - (superblock_.checksums() ? 4 : 0);
  }

  // Bytes of a tag (fs/jbd2/journal.c, journal_tag_bytes).
  [[nodiscard]] std::size_t tag_bytes() const {
    if (superblock_.checksum_v3) return 16;
    return (superblock_.wide ? 12U : 8U) + (superblock_.checksum_v2 ? 2U : 0U);
  }

  [[nodiscard]] BlockTag tag_at(std::size_t at) const {
    BlockTag tag;
    tag.block = big32(bytes_, at);
    if (superblock_.checksum_v3) {
      tag.flags = big32(bytes_, at + 4);
      tag.checksum = big32(bytes_, at + 12);
    } else {
      tag.checksum = big16(bytes_, at + 4);
      tag.flags = big16(bytes_, at + 6);
    }
    if (superblock_.wide) tag.block |= static_cast<std::uint64_t>(big32(bytes_, at + 8)) << 32;
    return tag;
  }

  [[nodiscard]] std::vector<BlockTag> tags() const {
    std::vector<BlockTag> found;
    std::size_t at = kBlockHeaderBytes;
    while (at + tag_bytes() <= body_end()) {
      found.push_back(tag_at(at));
      at += tag_bytes() + ((found.back().flags & kSameUuid) == 0 ? kUuidBytes : 0);
      if ((found.back().flags & kLastTag) != 0) break;
    }
    return found;
  }

  std::uint64_t descriptor(std::uint64_t block) {
    const std::uint32_t tid = big32(bytes_, 8);
    const std::vector<BlockTag> found = tags();
    std::string text =
        "tid " + std::to_string(tid) + ", " + std::to_string(found.size()) + " blocks:";
    for (const BlockTag& tag : found)
      text += " " + std::to_string(tag.block) + ((tag.flags & kEscaped) != 0 ? " (escaped)" : "");
    tell(block, "descriptor", std::move(text), checksum_fault(bytes_.size() - 4));
    if (superblock_.checksums() && request_.scope == LogScope::live) check_data(block, tid, found);
    return 1 + found.size();
  }

  void check_data(std::uint64_t block, std::uint32_t tid, const std::vector<BlockTag>& found) {
    std::array<std::uint8_t, 4> sequence{};
    for (std::size_t i = 0; i < 4; ++i)
      sequence[i] = static_cast<std::uint8_t>(tid >> (24 - 8 * i));
    const std::uint32_t begin = ext2fs_crc32c_le(seed_, sequence.data(), sequence.size());
    for (const BlockTag& tag : found) {
      block = wrapped(block + 1);
      if (!load(block)) return;
      std::uint32_t right = ext2fs_crc32c_le(begin, bytes_.data(), bytes_.size());
      if (!superblock_.checksum_v3) right &= 0xffff;
      if (right != tag.checksum)
        tell(block, "data", "block " + std::to_string(tag.block) + " of tid " + std::to_string(tid),
             "its checksum is " + std::to_string(right) + ", the descriptor says " +
                 std::to_string(tag.checksum));
    }
  }

  void commit(std::uint64_t block) {
    const std::uint64_t seconds = static_cast<std::uint64_t>(big32(bytes_, kAtCommitSeconds))
                                      << 32 |
                                  big32(bytes_, kAtCommitSeconds + 4);
    std::string fraction = std::to_string(big32(bytes_, kAtCommitNanoseconds));
    if (fraction.size() < 9) fraction.insert(0, 9 - fraction.size(), '0');
    tell(block, "commit",
         "tid " + std::to_string(big32(bytes_, 8)) + ", at " + std::to_string(seconds) + "." +
             fraction + (superblock_.checksum_v1 ? ", checksum of version 1 not checked" : ""),
         checksum_fault(kAtCommitChecksum));
  }

  void revoke(std::uint64_t block) {
    const std::size_t size = superblock_.wide ? 8 : 4;
    const std::uint32_t used = big32(bytes_, kBlockHeaderBytes);
    std::string wrong = checksum_fault(bytes_.size() - 4);
    std::string text = "tid " + std::to_string(big32(bytes_, 8));
    if (used < kRevokeHeaderBytes || used > body_end()) {
      wrong = "it claims " + std::to_string(used) + " bytes of " + std::to_string(body_end());
    } else {
      text += ", " + std::to_string((used - kRevokeHeaderBytes) / size) + " blocks revoked:";
      for (std::size_t at = kRevokeHeaderBytes; at + size <= used; at += size) {
        std::uint64_t revoked = big32(bytes_, at);
        if (size == 8) revoked = revoked << 32 | big32(bytes_, at + 4);
        text += " " + std::to_string(revoked);
      }
    }
    tell(block, "revoke", std::move(text), std::move(wrong));
  }

  const JournalSuperblock& superblock_;
  JournalFile& file_;
  const LogRequest& request_;
  std::vector<std::uint8_t> bytes_;  // the block that is being read
  std::uint32_t seed_;
  std::uint64_t log_end_ = 0;
  std::uint64_t area_begin_ = 0;
  std::uint64_t area_end_ = 0;
};

}  // namespace

void read_log(const JournalSuperblock& superblock, JournalFile& file, const LogRequest& request) {
  LogReader(superblock, file, request).read();
}

std::string log_line(const LogRecord& record) {
  constexpr std::size_t kPlaceWidth = 12;
  constexpr std::size_t kKindWidth = 10;
  const auto padded = [](std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
  };
  std::string line =
      padded(std::to_string(record.block) + "+" + std::to_string(record.byte), kPlaceWidth) + "  " +
      padded(record.kind, kKindWidth);
  if (!record.text.empty()) line += "  " + record.text;
  if (!record.fault.empty()) line += "  WRONG: " + record.fault;
  return line + "\n";
}

std::string log_json(const LogRecord& record) {
  return support::json_line({{"block", record.block},
                             {"byte", record.byte},
                             {"kind", record.kind},
                             {"text", record.text},
                             {"fault", record.fault}});
}

}  // namespace fcsim::machine::geometry
