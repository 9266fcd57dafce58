#include "sim/engine/prediction.h"

#include <cassert>

namespace fcsim::engine {
namespace {

// Every member that counts, of both, in one place.
template <class Combine>
void combine_all(Prediction& to, const Prediction& from, const Combine& combine) {
  constexpr std::uint64_t Prediction::*kCounters[] = {
      &Prediction::commits,       &Prediction::ineligible,       &Prediction::numblks,
      &Prediction::transactions,  &Prediction::requested,        &Prediction::blocks,
      &Prediction::blocks_logged, &Prediction::handles,          &Prediction::skipped,
      &Prediction::failed,        &Prediction::directory_fsyncs, &Prediction::operations};
  constexpr std::uint64_t model::SnapshotCounters::*kSnapshot[] = {
      &model::SnapshotCounters::inodes,     &model::SnapshotCounters::ranges,
      &model::SnapshotCounters::es_miss,    &model::SnapshotCounters::es_delayed,
      &model::SnapshotCounters::es_other,   &model::SnapshotCounters::inodes_cap,
      &model::SnapshotCounters::ranges_cap, &model::SnapshotCounters::nomem,
      &model::SnapshotCounters::inode_loc,  &model::SnapshotCounters::no_snap};
  constexpr std::uint64_t SyncCalls::*kCalls[] = {
      &SyncCalls::fsync,      &SyncCalls::fdatasync,      &SyncCalls::msync,
      &SyncCalls::sync_write, &SyncCalls::dsync_write,    &SyncCalls::syncfs,
      &SyncCalls::sync,       &SyncCalls::sync_file_range};
  for (const auto member : kCounters) combine(to.*member, from.*member);
  for (const auto member : kSnapshot) combine(to.snapshot.*member, from.snapshot.*member);
  for (const auto member : kCalls) combine(to.sync_calls.*member, from.sync_calls.*member);
  for (std::size_t i = 0; i < to.causes.size(); ++i) combine(to.causes[i], from.causes[i]);
  assert(to.reasons.size() == from.reasons.size());  // one kernel's
  for (std::size_t i = 0; i < to.reasons.size(); ++i)
    combine(to.reasons[i].second, from.reasons[i].second);
}

Prediction counters_alone(const Prediction& prediction) {
  Prediction counters = prediction;
  counters.fast_commits.clear();
  counters.full_commits.clear();
  counters.assumed.clear();
  counters.unsupported.clear();
  counters.stages.clear();
  return counters;
}

}  // namespace

Prediction difference(const Prediction& later, const Prediction& earlier) {
  Prediction result = counters_alone(later);
  combine_all(result, earlier, [](std::uint64_t& to, std::uint64_t from) {
    assert(to >= from);
    to -= from;
  });
  return result;
}

Prediction sum(const Prediction& earlier, const Prediction& later) {
  Prediction result = counters_alone(later);
  combine_all(result, earlier, [](std::uint64_t& to, std::uint64_t from) { to += from; });
  return result;
}

}  // namespace fcsim::engine
