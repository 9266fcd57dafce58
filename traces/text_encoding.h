// Text that an editor or a shell of another system wrote: byte order marks, UTF-16.
#pragma once

#include <memory>

#include "traces/input.h"

namespace fcsim::traces {

// The source without a mark at its beginning, and as UTF-8 where it is UTF-16 (with a mark, or
// where every second of the first bytes is 0, as of ASCII). Other bytes pass as they are.
std::unique_ptr<ByteSource> as_utf8(std::unique_ptr<ByteSource> source);

}  // namespace fcsim::traces
