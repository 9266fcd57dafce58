// Writes a trace in its binary form, docs/formats.md.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

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

// Reads the trace to its end and hands the file's bytes to `sink`, in order. The bytes depend on
// the trace and the options alone. Memory is one block's, however long the trace is. Throws
// InputError for what is wrong with the trace, and what `sink` throws.
BinarySummary write_binary(TraceReader& trace, const BinaryOptions& options,
                           const std::function<void(std::string_view)>& sink);

// The levels that `zstd_level` may have.
bool is_zstd_level(int level);

}  // namespace fcsim::traces::binary
