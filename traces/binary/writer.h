// Writes a trace in its binary form, docs/formats.md.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "traces/binary/format.h"
#include "traces/reader.h"

namespace fcsim::traces::binary {

struct BinaryOptions {
  std::string fcsim_version;      // that goes into the file
  std::optional<int> zstd_level;  // compress each block
};

struct BinarySummary {
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;
  std::vector<SourceFile> sources;
};

// Writes events one by one, as they come: for recorders. The bytes go to `sink` block by block;
// memory is one block's. Throws what `sink` throws.
class BinaryWriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  BinaryWriter(const BinaryOptions& options, Origin origin, const std::vector<SourceFile>& sources,
               Sink sink);
  ~BinaryWriter();
  BinaryWriter(const BinaryWriter&) = delete;
  BinaryWriter& operator=(const BinaryWriter&) = delete;

  // In order of start_ns.
  void write(const Event& event);
  void write_unparsable(const Diagnostic& diagnostic);
  // Brings what was written to the sink.
  void flush();
  // Writes the last block; without it the file is cut.
  void end(const ReaderStatistics& statistics, const std::vector<SourceFile>& sources);

  [[nodiscard]] std::uint64_t events() const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  class Blocks;
  std::unique_ptr<Blocks> blocks_;
};

// Reads the trace to its end and hands the file's bytes to `sink`, in order. The bytes depend on
// the trace and the options alone. Memory is one block's, however long the trace is. Throws
// InputError for what is wrong with the trace, and what `sink` throws.
BinarySummary write_binary(TraceReader& trace, const BinaryOptions& options,
                           const std::function<void(std::string_view)>& sink);

// The levels that `zstd_level` may have.
bool is_zstd_level(int level);

}  // namespace fcsim::traces::binary
