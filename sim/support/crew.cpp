#include "sim/support/crew.h"

namespace fcsim::support {

Crew::Crew(unsigned threads) {
  for (unsigned i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
}

Crew::~Crew() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  begin_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Crew::run(std::size_t count, const std::function<void(std::size_t)>& job,
               const std::function<void()>& aside) {
  job_ = &job;
  count_ = count;
  next_.store(0);
  {
    const std::lock_guard lock(mutex_);
    busy_ = workers_.size();
    ++round_;
  }
  begin_.notify_all();
  std::exception_ptr failure;
  try {
    aside();
  } catch (...) {
    failure = std::current_exception();
  }
  take_jobs();
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  if (failure) std::rethrow_exception(failure);
}

void Crew::take_jobs() {
  for (std::size_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) (*job_)(i);
}

void Crew::work() {
  for (std::size_t seen = 0;;) {
    {
      std::unique_lock lock(mutex_);
      begin_.wait(lock, [&] { return stopping_ || round_ != seen; });
      if (stopping_) return;
      seen = round_;
    }
    take_jobs();
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace fcsim::support
