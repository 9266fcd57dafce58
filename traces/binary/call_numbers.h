// The numbers that stand for calls in the binary form of a trace.
#pragma once

#include <cstdint>
#include <span>

#include "traces/event.h"

namespace fcsim::traces::binary {

// The calls in the order of their numbers, the first of which is 1. Files last longer than the
// order of the enumerators: what is new here comes at the end.
std::span<const Call> numbered_calls();

// 0 for Call::other, which is in no file.
std::uint16_t number_of(Call call);

}  // namespace fcsim::traces::binary
