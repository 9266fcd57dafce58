// Calls that cannot have succeeded.
#pragma once

#include <cstdint>

#include "model/common/operation.h"

namespace fcsim::replay {

// Whether no file of `largest` bytes at most lets the call succeed: the kernel would have refused
// it (EFBIG, E2BIG), so the line was damaged, or the block size is not that of the recording.
bool is_impossible(const model::Operation& operation, std::int64_t largest);

// What file systems of that block size let a file grow to, in bytes.
inline std::int64_t largest_file(std::uint32_t block_size) {
  return std::int64_t{0xffffffff} * block_size;
}

}  // namespace fcsim::replay
