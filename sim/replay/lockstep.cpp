#include "sim/replay/lockstep.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "sim/replay/crew.h"
#include "sim/replay/initial_check.h"
#include "sim/replay/lanes/lane_group.h"

namespace fcsim::sim {
namespace {

// Whether no file of `largest` bytes at most lets the call succeed: the kernel would have refused
// it (EFBIG, E2BIG), so the line was damaged, or the block size is not that of the recording.
bool is_impossible(const model::Operation& operation, std::int64_t largest) {
  constexpr std::int64_t kLargestXattr = 65536;
  using enum model::OperationKind;
  switch (operation.kind) {
    case appear:
    case truncate:
      return operation.length < 0 || operation.length > largest;
    case read:
    case write:
    case fallocate:
    case map_shared:
    case unmap:
    case msync:
    case sync_file_range:
    case move_extents:
      return operation.offset < 0 || operation.length < 0 || operation.offset > largest ||
             operation.length > largest - operation.offset;
    case set_xattr:
      return operation.length > kLargestXattr;
    default:
      return false;
  }
}

// Something that takes chunks of operations.
class Replayer {
 public:
  Replayer() = default;
  Replayer(const Replayer&) = delete;
  Replayer& operator=(const Replayer&) = delete;
  virtual ~Replayer() = default;
  virtual void replay(const OperationChunk& chunk) = 0;
  virtual void finish(model::Time end) = 0;
  // One for each configuration.
  virtual std::vector<Replayed> take() = 0;
};

std::int64_t largest_file(const model::Configuration& configuration) {
  return std::int64_t{0xffffffff} * configuration.filesystem.block_size;
}

constexpr const char* kImpossible = "calls beyond the largest file, left out";

// One configuration's engine and what became of it.
class Runner final : public Replayer {
 public:
  Runner(const model::Configuration& configuration, const TraceDecoder& decoder,
         EngineOptions options)
      : largest_file_(largest_file(configuration)) {
    guard([&] {
      check_initial(decoder.initial(), configuration.filesystem);
      engine_ = std::make_unique<Engine>(configuration, decoder.initial(), options);
    });
  }

  void replay(const OperationChunk& chunk) override {
    if (engine_ == nullptr) return;
    guard([&] {
      for (const model::Operation& operation : chunk) {
        if (is_impossible(operation, largest_file_))
          ++impossible_;
        else
          engine_->replay(operation);
      }
    });
  }

  void finish(model::Time end) override {
    if (engine_ == nullptr) return;
    guard([&] { result_.prediction = engine_->finish(end); });
    if (impossible_ != 0)
      result_.prediction.unsupported[kImpossible] = impossible_;
    engine_.reset();
  }

  std::vector<Replayed> take() override { return {std::move(result_)}; }

 private:
  template <class Step>
  void guard(const Step& step) {
    try {
      step();
    } catch (...) {
      result_.error = std::current_exception();
      engine_.reset();
    }
  }

  std::int64_t largest_file_;
  std::uint64_t impossible_ = 0;
  std::unique_ptr<Engine> engine_;
  Replayed result_;
};

// Configurations that share a file system.
class LaneRunner final : public Replayer {
 public:
  LaneRunner(const std::vector<const model::Configuration*>& configurations,
             const TraceDecoder& decoder)
      : largest_file_(largest_file(*configurations.front())),
        group_(std::make_unique<LaneGroup>(configurations, decoder.initial())),
        results_(configurations.size()) {}

  void replay(const OperationChunk& chunk) override {
    guard([&] {
      for (const model::Operation& operation : chunk) {
        if (is_impossible(operation, largest_file_))
          ++impossible_;
        else if (!group_->deserted())
          group_->replay(operation);
      }
    });
  }

  void finish(model::Time end) override {
    guard([&] {
      std::vector<std::optional<Prediction>> predictions = group_->finish(end);
      for (std::size_t i = 0; i < results_.size(); ++i) {
        results_[i].alone = !predictions[i];
        if (!predictions[i]) continue;
        results_[i].prediction = std::move(*predictions[i]);
        if (impossible_ != 0) results_[i].prediction.unsupported[kImpossible] = impossible_;
      }
      statistics_ = group_->statistics();
    });
    group_.reset();
  }

  std::vector<Replayed> take() override { return std::move(results_); }
  [[nodiscard]] const LaneStatistics& statistics() const { return statistics_; }

 private:
  // What goes wrong may go wrong for one configuration only.
  template <class Step>
  void guard(const Step& step) {
    if (group_ == nullptr) return;
    try {
      step();
    } catch (...) {
      for (Replayed& result : results_) result.alone = true;
      group_.reset();
    }
  }

  std::int64_t largest_file_;
  std::uint64_t impossible_ = 0;
  std::unique_ptr<LaneGroup> group_;
  std::vector<Replayed> results_;
  LaneStatistics statistics_;
};

bool can_be_mounted(const model::Configuration& configuration, const TraceDecoder& decoder) {
  try {
    check_initial(decoder.initial(), configuration.filesystem);
    const model::Geometry geometry(configuration.filesystem, configuration.mount,
                                   configuration.kernel);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

// Which configurations go together: each list is a replayer's.
struct Shares {
  std::vector<std::vector<std::size_t>> lanes;
  std::vector<std::size_t> alone;
};

Shares share(const std::vector<const model::Configuration*>& configurations,
             const TraceDecoder& decoder, const LockstepOptions& options) {
  Shares shares;
  std::vector<std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const model::Configuration& configuration = *configurations[i];
    if (!options.lanes || !can_be_lane(configuration) || !can_be_mounted(configuration, decoder)) {
      shares.alone.push_back(i);
      continue;
    }
    const auto found = std::find_if(alike.begin(), alike.end(), [&](const auto& list) {
      return can_share(*configurations[list.front()], configuration);
    });
    (found == alike.end() ? alike.emplace_back() : *found).push_back(i);
  }
  // Each thread has a leader of its own for its share of the lanes.
  constexpr std::size_t fewest = 3;  // lanes that are worth a leader
  for (const std::vector<std::size_t>& list : alike) {
    if (list.size() < fewest) {
      shares.alone.insert(shares.alone.end(), list.begin(), list.end());
      continue;
    }
    const std::size_t parts =
        std::max<std::size_t>(1, std::min<std::size_t>(options.threads, list.size() / fewest));
    for (std::size_t part = 0; part < parts; ++part)
      shares.lanes.emplace_back(
          list.begin() + static_cast<std::ptrdiff_t>(list.size() * part / parts),
          list.begin() + static_cast<std::ptrdiff_t>(list.size() * (part + 1) / parts));
  }
  return shares;
}

}  // namespace

std::vector<Replayed> replay_in_lockstep(
    TraceDecoder& decoder, const std::vector<const model::Configuration*>& configurations,
    const std::function<model::Time(model::Time)>& end_of_observation,
    const LockstepOptions& options) {
  const Shares shares = share(configurations, decoder, options);
  std::vector<std::unique_ptr<Replayer>> runners;
  std::vector<const LaneRunner*> lane_runners;
  for (const std::vector<std::size_t>& lanes : shares.lanes) {
    std::vector<const model::Configuration*> those;
    for (const std::size_t i : lanes) those.push_back(configurations[i]);
    auto runner = std::make_unique<LaneRunner>(those, decoder);
    lane_runners.push_back(runner.get());
    runners.push_back(std::move(runner));
  }
  for (const std::size_t i : shares.alone)
    runners.push_back(std::make_unique<Runner>(*configurations[i], decoder, options.engine));

  // While the engines take one chunk, the next one is decoded; so two threads serve one engine too.
  Crew crew(std::min<unsigned>(options.threads, static_cast<unsigned>(runners.size()) + 1));
  OperationChunk current;
  OperationChunk following;
  std::uint64_t replayed = 0;
  for (bool more = decoder.next(current); more; std::swap(current, following)) {
    crew.run(
        runners.size(), [&](std::size_t i) { runners[i]->replay(current); },
        [&] { more = decoder.next(following); });
    replayed += current.size();
    if (options.progress) options.progress(replayed);
  }
  const model::Time end = end_of_observation(decoder.end());
  crew.run(
      runners.size(), [&](std::size_t i) { runners[i]->finish(end); }, [] {});

  std::vector<Replayed> results(configurations.size());
  for (std::size_t r = 0; r < runners.size(); ++r) {
    std::vector<Replayed> taken = runners[r]->take();
    for (std::size_t k = 0; k < taken.size(); ++k)
      results[r < shares.lanes.size() ? shares.lanes[r][k] : shares.alone[r - shares.lanes.size()]] =
          std::move(taken[k]);
  }
  if (options.lane_statistics != nullptr)
    for (const LaneRunner* runner : lane_runners) options.lane_statistics->add(runner->statistics());
  return results;
}

}  // namespace fcsim::sim
