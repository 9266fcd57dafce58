// How the calls of a trace are placed in virtual time.
#pragma once

#include <cstdint>

namespace fcsim::configuration {

enum class Placement : std::uint8_t {
  // Calls start when they were recorded to start, and commits end where their callers returned:
  // what the recorded machine did, under the recorded settings.
  recorded,
  // A task's next call starts its recorded think time after its last one has ended, and how long
  // calls wait follows from `[device]`: what another setting would make of the same program.
  closed,
};

}  // namespace fcsim::configuration
