// Which reader a trace needs.
#include <algorithm>
#include <cstring>
#include <utility>

#include "traces/fio/iolog_reader.h"
#include "traces/input.h"
#include "traces/reader.h"

namespace fcsim::traces {
namespace {

// A source of which the first bytes were looked at.
class PeekedSource final : public ByteSource {
 public:
  PeekedSource(std::unique_ptr<ByteSource> source, std::size_t count) : source_(std::move(source)) {
    first_.resize(count);
    std::size_t size = 0;
    while (size < count) {
      const std::size_t more = source_->read(first_.data() + size, count - size);
      if (more == 0) break;
      size += more;
    }
    first_.resize(size);
  }

  std::size_t read(char* target, std::size_t size) override {
    if (used_ == first_.size()) return source_->read(target, size);
    const std::size_t count = std::min(size, first_.size() - used_);
    std::memcpy(target, first_.data() + used_, count);
    used_ += count;
    return count;
  }

  [[nodiscard]] std::string_view shortfall() const override { return source_->shortfall(); }
  [[nodiscard]] const std::string& first() const { return first_; }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string first_;
  std::size_t used_ = 0;
};

}  // namespace

std::unique_ptr<TraceReader> open_trace(const std::vector<std::string>& paths,
                                        const ReaderOptions& options) {
  if (paths.size() != 1) return open_strace(paths, options);
  const std::string& path = paths.front();
  auto source = std::make_unique<PeekedSource>(open_source(path), fio::kFirstWords.size());
  if (source->first() != fio::kFirstWords)
    return open_strace_source(std::move(source), path, options);
  return std::make_unique<fio::IologReader>(std::move(source),
                                            path == "-" ? "standard input" : path, options);
}

}  // namespace fcsim::traces
