// The records of a journal: JBD2's blocks and the tags of fast commits.
//
// Layout: Documentation/filesystems/ext4/journal.rst; for fast commits section 4 of the facts
// (fs/ext4/fast_commit.h). A fast commit begins at the start of a block, its records (tag, length,
// value) do not cross blocks, TAIL ends it with a CRC-32C over all its bytes before the CRC.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/machine/geometry/image.h"
#include "sim/machine/geometry/journal_superblock.h"

namespace fcsim::machine::geometry {

struct LogRecord {
  std::uint64_t block = 0;  // of the journal
  std::uint32_t byte = 0;   // within the block
  std::string kind;         // "superblock", "descriptor", ..., "HEAD", ..., "note"
  std::string text;         // one line
  std::string fault;        // what is wrong there; empty: nothing
};

enum class LogScope : std::uint8_t {
  live,   // what recovery would read, in its order
  whole,  // every block, with what earlier commits left there; nothing of it is a fault
};

struct LogRequest {
  LogScope scope = LogScope::live;
  std::uint32_t area_blocks = 0;                 // at the journal's end; 0: no fast-commit area
  std::function<void(const LogRecord&)> record;  // called for each, in order
};

// Never throws for what the journal holds: damage is told as a record's fault.
void read_log(const JournalSuperblock& superblock, JournalFile& file, const LogRequest& request);

// "    12+0     descriptor  ..." and a line feed.
std::string log_line(const LogRecord& record);

// The same as a JSON object, without a line feed.
std::string log_json(const LogRecord& record);

}  // namespace fcsim::machine::geometry
