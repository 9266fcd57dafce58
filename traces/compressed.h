// Sources that decompress on the way: zstd, gzip and xz.
#pragma once

#include <memory>
#include <string>

#include "traces/input.h"

namespace fcsim::traces {

// Decompresses what begins with the magic number of one of the three; passes all else through.
// `name` stands for the file in messages. Reading throws InputError for damaged data; where the
// data ends too early, shortfall() says so. Throws InputError, here, for compressed data that
// cannot be read (bzip2, lz4, a zip archive).
std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> source,
                                         const std::string& name);

}  // namespace fcsim::traces
