#include "sim/replay/input_quality.h"

#include <string>

namespace fcsim::replay {
namespace {

std::string counted(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

engine::InputQuality input_quality(const traces::ReaderStatistics& read,
                                   const traces::resolve::Sightings& seen,
                                   const KnownBefore& before) {
  engine::InputQuality quality;
  const auto lacks = [&](std::string what) { quality.lacking.push_back(std::move(what)); };
  if (read.events == 0) lacks("no call that concerns files");
  if (seen.syncs_unknown != 0)
    lacks(counted(seen.syncs_unknown, "sync call") + " on unknown descriptors (-y)");
  if (seen.syncs != 0 && seen.changes_of_data == 0) lacks("no write was recorded (-e trace)");
  if (seen.opened_for_writing != 0 && seen.syncs + seen.syncs_unknown + seen.syncs_elsewhere == 0 &&
      seen.changes_of_data == 0)
    lacks("no write and no sync call was recorded (-e trace)");
  if (read.events != 0 && read.time_base == traces::TimeBase::none) lacks("no times (-ttt)");
  if (read.coarse_times) lacks("coarse times (-ttt)");
  if (read.events != 0 && !read.has_durations) lacks("no durations (-T)");
  if (read.unparsable != 0) lacks(counted(read.unparsable, "line") + " could not be read");
  if (read.reordered != 0)
    lacks("times run backwards (two traces in one file, or a clock that was set)");
  if (!before.files) quality.unknown.emplace_back("what existed before");
  if (!before.history) quality.unknown.emplace_back("whether the mount is fresh (taken as fresh)");
  return quality;
}

}  // namespace fcsim::replay
