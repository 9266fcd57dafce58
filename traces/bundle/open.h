// Which reader a trace needs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "traces/reader.h"

namespace fcsim::traces::bundle {

// Reads a trace in any format, recognised by how it begins: strace's text, as below, the binary
// form or fio's iologs (docs/formats.md), which are one file each. Throws InputError.
std::unique_ptr<TraceReader> open_trace(const std::vector<std::string>& paths,
                                        const ReaderOptions& options);

}  // namespace fcsim::traces::bundle
