// Random numbers that are the same everywhere: the seed is fixed and named when a test fails.
#pragma once

#include <cstdint>
#include <random>

namespace fcsim::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  // Uniform in [low, high]; std::uniform_int_distribution differs between libraries.
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + engine_() % (high - low + 1);
  }
  bool one_in(std::uint64_t n) { return between(1, n) == 1; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace fcsim::test
