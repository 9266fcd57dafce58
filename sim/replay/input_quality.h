// How far a trace lets its prediction be trusted.
#pragma once

#include "sim/engine/prediction.h"
#include "traces/reader.h"
#include "traces/resolve/resolver.h"

namespace fcsim::replay {

// What was known of the file system when the trace began.
struct KnownBefore {
  bool files = false;    // a manifest lists them
  bool history = false;  // whether the mount had committed
};

engine::InputQuality input_quality(const traces::ReaderStatistics& read,
                                   const traces::resolve::Sightings& seen,
                                   const KnownBefore& before);

}  // namespace fcsim::replay
