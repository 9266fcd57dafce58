// Threads that share out numbered jobs, over and over.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fcsim::support {

class Crew {
 public:
  // `threads` counts the caller's own: 1 starts none.
  explicit Crew(unsigned threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Runs job(0) .. job(count - 1), each once, in any order and on any thread. Meanwhile the caller
  // runs `aside`, then helps. Returns when all are done; rethrows what `aside` throws. Jobs must
  // not throw.
  void run(std::size_t count, const std::function<void(std::size_t)>& job,
           const std::function<void()>& aside);

 private:
  void work();
  void take_jobs();

  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable done_;
  std::size_t round_ = 0;  // guarded by mutex_, as the next two
  std::size_t busy_ = 0;   // workers that have not finished this round
  bool stopping_ = false;
  const std::function<void(std::size_t)>* job_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_{0};
  std::vector<std::thread> workers_;
};

}  // namespace fcsim::support
