// Which columns a trace has: what its times are good for.
#pragma once

#include <cstdint>
#include <string_view>

namespace fcsim::traces::strace {

struct TraceForm {
  bool has_times = false;
  int fraction_digits = 0;     // of the times, at most 9; 0: whole seconds
  bool has_durations = false;  // -T
  bool has_calls = false;      // false: nothing was recognised

  // Times and durations place every call as the recording did. Otherwise the order of lines must
  // help.
  [[nodiscard]] bool places_calls() const {
    return !has_calls || (has_times && fraction_digits >= 6 && has_durations);
  }
};

// From the first lines of a trace. A last line that is cut is left out.
TraceForm recognise_form(std::string_view head);

// Takes " <0.000020>", in any unit's number of digits, from the end of a line. False if none is
// there.
bool find_duration(std::string_view line, std::int64_t& duration_ns);

}  // namespace fcsim::traces::strace
