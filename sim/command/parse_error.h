// What is said of a command line that does not parse.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace fcsim::command {

// CLI11's sentence, or one that names what is not known and what may have been meant.
// `first_argument`: "" where there is none.
std::string describe(const CLI::App& application, const CLI::ParseError& error,
                     const std::string& first_argument);

}  // namespace fcsim::command
