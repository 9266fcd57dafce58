// Reads the files of `strace -ff` as one trace.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "traces/reader.h"

namespace fcsim::traces::strace {

class MergedReader final : public TraceReader {
 public:
  // Takes at least one reader; reads the first event of each.
  explicit MergedReader(std::vector<std::unique_ptr<TraceReader>> readers);

  bool next(Event& event) override;
  [[nodiscard]] const ReaderStatistics& statistics() const override;
  [[nodiscard]] std::vector<std::string> assumed() const override;
  [[nodiscard]] std::map<std::string, std::uint64_t> unsupported() const override;
  [[nodiscard]] std::vector<SourceFile> sources() const override;
  [[nodiscard]] std::uint64_t unparsable() const override { return unparsable_; }

 private:
  struct Stream {
    std::unique_ptr<TraceReader> reader;
    Event event;                // the one it comes next with
    std::int64_t shift_ns = 0;  // added to its times
  };

  void advance(std::size_t index);
  void align_days();
  [[nodiscard]] bool later(std::size_t a, std::size_t b) const;

  std::vector<Stream> streams_;
  std::vector<std::size_t> heap_;  // of streams that have an event, the earliest on top
  std::size_t current_ = 0;        // the stream that gave the last event
  std::uint64_t unparsable_ = 0;
  bool started_ = false;
  mutable ReaderStatistics statistics_;
};

}  // namespace fcsim::traces::strace
