// Pseudo-random numbers that are the same on every machine and with every compiler, unlike those of
// the standard library's distributions.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace fcsim::workload {

// xoshiro256** 1.0 by Blackman and Vigna, its state filled by splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15U;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
      word = z ^ (z >> 31);
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform from 0 to limit - 1; limit > 0.
  std::uint64_t below(std::uint64_t limit) {
    assert(limit > 0);
    const std::uint64_t uneven = (0 - limit) % limit;  // 2^64 modulo limit
    for (;;) {
      const std::uint64_t value = next();
      if (value >= uneven) return value % limit;
    }
  }

  // `count` different numbers from 0 to limit - 1, in random order; count <= limit.
  std::vector<std::uint64_t> distinct(std::uint64_t count, std::uint64_t limit) {
    assert(count <= limit);
    std::vector<std::uint64_t> chosen;
    // Fisher and Yates' shuffle of 0 .. limit - 1, ended after `count` steps; only what was moved
    // is kept. Looked up by number, never walked.
    std::unordered_map<std::uint64_t, std::uint64_t> moved;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t at = i + below(limit - i);
      const auto taken = moved.find(at);
      const auto first = moved.find(i);
      chosen.push_back(taken == moved.end() ? at : taken->second);
      const std::uint64_t displaced = first == moved.end() ? i : first->second;
      moved[at] = displaced;
    }
    return chosen;
  }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace fcsim::workload
