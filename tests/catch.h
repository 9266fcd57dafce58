// Catch2 as the system has it: version 3 by its own names, version 2 (Debian 12) by its one header.
#pragma once

#if FCSIM_CATCH_VERSION == 3
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <string>

namespace fcsim::test {

// Remembers that the running test did not test: main() then ends with the status that CTest shows
// as skipped. Such tests carry one of the tags of tests/main.cpp, so that they run apart.
void note_skipped(const std::string& reason);

}  // namespace fcsim::test

// Leaves the test where `why` is not empty.
#define SKIP_IF(why)                                       \
  if (const std::string reason = (why); !reason.empty()) { \
    fcsim::test::note_skipped(reason);                     \
    return;                                                \
  }
