// Nearly normal noise that is the same on every machine.
#pragma once

#include <random>

namespace fcsim::test {

inline double noise(std::mt19937_64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) / 9007199254740992.0;
  return sum;
}

}  // namespace fcsim::test
