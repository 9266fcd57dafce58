// The fast-commit area of a journal, read tag by tag. Internal to the log reader.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/machine/geometry/journal_log.h"

namespace fcsim::machine::geometry {

// Reads blocks in order and tells each fast commit once it is complete.
class FastCommitReader {
 public:
  // `expected_tid`: the transaction that recovery is in when it comes to the area; nullopt: any.
  FastCommitReader(std::optional<std::uint32_t> expected_tid,
                   std::function<void(const LogRecord&)> record);

  // False: recovery would stop at this block.
  bool block(std::uint64_t number, std::span<const std::uint8_t> bytes);
  // Call when no block follows.
  void finish();

  [[nodiscard]] std::uint64_t commits() const { return commits_; }

 private:
  enum class Step : std::uint8_t { next_record, next_block, stop };

  Step tag(std::uint64_t number, std::span<const std::uint8_t> bytes, std::size_t at);
  Step tail(LogRecord record, std::span<const std::uint8_t> bytes, std::size_t at);
  Step damaged(LogRecord record, std::string fault);
  Step stale(const LogRecord& record, std::uint32_t tid);
  void flush();

  std::optional<std::uint32_t> expected_tid_;
  std::function<void(const LogRecord&)> record_;
  std::vector<LogRecord> pending_;  // of the fast commit that is being read
  std::uint32_t checksum_ = 0;      // over its blocks before the present one
  std::uint64_t commits_ = 0;
};

}  // namespace fcsim::machine::geometry
