// Gives the events of a file their times by the order of its lines; see line_times.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "traces/reader.h"
#include "traces/strace/file_reader.h"
#include "traces/strace/form.h"
#include "traces/strace/line_times.h"
#include "traces/strace/order.h"

namespace fcsim::traces::strace {

class OrderedReader final : public TraceReader {
 public:
  // `reader` is at its first line.
  OrderedReader(std::unique_ptr<FileReader> reader, const TraceForm& form);

  bool next(Event& event) override;
  [[nodiscard]] const ReaderStatistics& statistics() const override;
  [[nodiscard]] std::vector<SourceFile> sources() const override { return reader_->sources(); }
  [[nodiscard]] std::uint64_t unparsable() const override { return reader_->unparsable(); }
  [[nodiscard]] std::map<std::string, std::uint64_t> unsupported() const override {
    return reader_->unsupported();
  }
  [[nodiscard]] std::vector<std::string> assumed() const override;

 private:
  std::unique_ptr<FileReader> reader_;
  TraceForm form_;
  LineTimes times_;
  EntryOrder held_;  // until their lines have times; start_ns is the line that places them
  bool ended_ = false;
  mutable ReaderStatistics statistics_;
};

}  // namespace fcsim::traces::strace
