#include "sim/questions/batch/batch.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "model/common/error.h"
#include "sim/questions/batch/bundle_job.h"
#include "sim/replay/bundle_search.h"

namespace fcsim::questions::batch {
namespace {

// Finished units that wait to be written. More than this and the predictions wait too, so that a
// slow disk costs no memory.
constexpr std::size_t kQueueMaximum = 64;
constexpr auto kProgressInterval = std::chrono::milliseconds(250);

struct Stopped {};

struct Finished {
  std::size_t unit = 0;
  JobResult result;
};

// Threads that predict unit after unit, and the queue to the one thread that writes.
class Predictors {
 public:
  using Work = std::function<JobResult(std::size_t unit, unsigned threads,
                                       const std::function<void()>& check_stop)>;

  Predictors(std::size_t units, unsigned threads, Work work)
      : units_(units), threads_(threads), work_(std::move(work)) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < std::min<std::size_t>(threads, units); ++i) {
      try {
        workers_.emplace_back([this] { run(); });
        ++running_;
      } catch (const std::system_error&) {  // the system gives no more of them
        if (workers_.empty()) throw;
        break;
      }
    }
  }
  ~Predictors() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    room_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }
  Predictors(const Predictors&) = delete;
  Predictors& operator=(const Predictors&) = delete;

  // Replaces `finished` by all that is finished, waiting a while for something; false when all was
  // handed out. Rethrows what a thread failed with, after all that it had finished.
  bool take(std::deque<Finished>& finished) {
    finished.clear();
    std::unique_lock lock(mutex_);
    news_.wait_for(lock, kProgressInterval, [&] { return !queue_.empty() || running_ == 0; });
    finished.swap(queue_);
    if (finished.empty() && running_ == 0) {
      if (failure_) std::rethrow_exception(failure_);
      return false;
    }
    lock.unlock();
    room_.notify_all();
    return true;
  }

 private:
  void run() {
    try {
      std::size_t unit = 0;
      unsigned threads = 1;
      while (next(unit, threads)) {
        Finished finished{unit, work_(unit, threads, [this] { check_stop(); })};
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return stop_ || queue_.size() < kQueueMaximum; });
        queue_.push_back(std::move(finished));
        news_.notify_one();
      }
    } catch (const Stopped&) {  // another thread, or the writer, has failed and says why
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
    }
    const std::lock_guard lock(mutex_);
    --running_;
    news_.notify_one();
  }

  // The next unit and how many threads it may use: all, once there are fewer units than threads.
  bool next(std::size_t& unit, unsigned& threads) {
    const std::lock_guard lock(mutex_);
    if (stop_ || next_ == units_) return false;
    unit = next_++;
    const std::size_t left = units_ - unit;
    threads = std::max(1U, threads_ / static_cast<unsigned>(std::min<std::size_t>(threads_, left)));
    return true;
  }

  void check_stop() {
    const std::lock_guard lock(mutex_);
    if (stop_) throw Stopped{};
  }

  const std::size_t units_;
  const unsigned threads_;
  const Work work_;
  std::mutex mutex_;
  std::condition_variable news_;  // for the writer
  std::condition_variable room_;  // for the predictors
  std::deque<Finished> queue_;    // guarded by mutex_, as all below
  std::size_t next_ = 0;
  std::size_t running_ = 0;
  bool stop_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> workers_;
};

class Batch {
 public:
  explicit Batch(const BatchRequest& request)
      : request_(request),
        settings_(make_settings(request.configuration, request.mount_point, request.strict,
                                request.parameters)),
        units_(make_units(replay::find_bundles(request.folders), settings_.size(), request.shard)),
        database_(ResultDatabase::create(request.database)) {}

  BatchProgress run() {
    number_settings();
    states_ = database_.states(request_.version);
    progress_.bundles = units_.size();
    for (const Unit& unit : units_) {
      progress_.rows += unit.end - unit.begin;
      weight_all_ += static_cast<double>(unit.weight);
    }
    Predictors predictors(
        units_.size(), request_.threads,
        [this](std::size_t unit, unsigned threads, const std::function<void()>& check_stop) {
          return predict(units_[unit], threads, check_stop);
        });
    std::deque<Finished> finished;
    while (predictors.take(finished)) {
      if (!finished.empty()) write(finished);
      if (request_.progress) request_.progress(progress_);
    }
    database_.finish();
    return progress_;
  }

 private:
  // Every shard writes all settings first, so that they have the same numbers everywhere.
  void number_settings() {
    Transaction transaction = database_.begin();
    for (const Setting& setting : settings_)
      numbers_.push_back(database_.setting_number(setting.description));
    transaction.commit();
  }

  JobResult predict(const Unit& unit, unsigned threads,
                    const std::function<void()>& check_stop) const {
    check_stop();
    std::vector<const RowState*> known;
    for (std::size_t i = unit.begin; i < unit.end; ++i)
      known.push_back(find_state(unit.bundle, numbers_[i]));
    return run_job({unit, settings_, numbers_, known, request_.mount_point, request_.strict,
                    request_.version, threads, check_stop});
  }

  const RowState* find_state(const std::string& bundle, std::int64_t setting) const {
    const auto found =
        std::lower_bound(states_.begin(), states_.end(), bundle,
                         [&](const RowState& state, const std::string& wanted) {
                           const int order = state.bundle.compare(wanted);
                           return order < 0 || (order == 0 && state.setting < setting);
                         });
    if (found == states_.end() || found->bundle != bundle || found->setting != setting)
      return nullptr;
    return &*found;
  }

  void write(const std::deque<Finished>& finished) {
    const bool news = std::any_of(finished.begin(), finished.end(),
                                  [](const Finished& f) { return !f.result.rows.empty(); });
    if (news) {
      Transaction transaction = database_.begin();
      for (const Finished& one : finished)
        for (const ResultRow& row : one.result.rows) database_.put(row);
      transaction.commit();
    }
    for (const Finished& one : finished) count(one);
  }

  void count(const Finished& finished) {
    const Unit& unit = units_[finished.unit];
    const JobResult& result = finished.result;
    ++progress_.bundles_finished;
    progress_.kept += result.kept;
    progress_.made += result.rows.size();
    progress_.errors += result.kept_errors;
    for (const ResultRow& row : result.rows)
      if (row.error) ++progress_.errors;
    const double weight = static_cast<double>(unit.weight);
    weight_finished_ += weight;
    weight_made_ += weight * static_cast<double>(result.rows.size()) /
                    static_cast<double>(unit.end - unit.begin);
    progress_.share_open = 1 - weight_finished_ / weight_all_;
    progress_.share_made = weight_made_ / weight_all_;
  }

  const BatchRequest& request_;
  std::vector<Setting> settings_;
  std::vector<Unit> units_;
  ResultDatabase database_;
  std::vector<std::int64_t> numbers_;  // of settings_ in the database
  std::vector<RowState> states_;       // what was there at the start
  BatchProgress progress_;
  double weight_all_ = 0;
  double weight_finished_ = 0;
  double weight_made_ = 0;
};

}  // namespace

BatchProgress run_batch(const BatchRequest& request) {
  return Batch(request).run();
}

}  // namespace fcsim::questions::batch
