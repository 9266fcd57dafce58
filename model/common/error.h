// The one way errors travel: an exception that says where in the user's input the fault is.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace fcsim::model {

// A place in some input. Line and column count from 1; 0 means "not known".
// For binary input `line` is 0 and `column` is the byte offset plus one.
struct Position {
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

// "FILE:LINE:COLUMN", leaving out what is not known.
inline std::string to_string(const Position& position) {
  std::string text = position.file;
  if (position.line != 0) text += ":" + std::to_string(position.line);
  if (position.column != 0) text += ":" + std::to_string(position.column);
  return text;
}

// What the input got wrong and what was expected instead. Thrown by readers, the configuration
// and the engine; the command turns it into one line on stderr and exit status 1 (or 2 for usage).
class InputError : public std::runtime_error {
 public:
  InputError(Position position, const std::string& message)
      : std::runtime_error(to_string(position).empty() ? message
                                                       : to_string(position) + ": " + message),
        position_(std::move(position)) {}

  [[nodiscard]] const Position& position() const noexcept { return position_; }

 private:
  Position position_;
};

}  // namespace fcsim::model
