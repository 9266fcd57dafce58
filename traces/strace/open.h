// The two steps of opening strace's text, for who must look at the bytes in between.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "traces/input.h"
#include "traces/reader.h"

namespace fcsim::traces::strace {

struct OpenedFile {
  std::string path;
  std::unique_ptr<ByteSource> bytes;
  std::shared_ptr<Fingerprint> fingerprint;  // null unless asked for
};

// Opens the files of one trace. Throws InputError.
std::vector<OpenedFile> open_files(const std::vector<std::string>& paths,
                                   const ReaderOptions& options);

// A reader of the files, which are those of one trace; at least one.
std::unique_ptr<TraceReader> read_files(std::vector<OpenedFile> files,
                                        const ReaderOptions& options);

}  // namespace fcsim::traces::strace
