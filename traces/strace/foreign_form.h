// What a text is that is not strace's, as far as its first line tells.
#pragma once

#include <string>
#include <string_view>

namespace fcsim::traces::strace {

// A clause for the refusal: "this is perf trace's text, ..."; what to do where the text can be
// mended. "" where nothing is known of it.
std::string describe_foreign(std::string_view line);

// Whether results are written as truss and dtruss do, "= 17 (0x11)": their calls look like
// strace's. `head`: the first lines of a text.
bool has_results_of_truss(std::string_view head);

}  // namespace fcsim::traces::strace
