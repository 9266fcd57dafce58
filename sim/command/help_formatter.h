// How `--help` prints options: without the lists and ranges that CLI11 adds to a value's type, as
// the descriptions name them, and in lines that fit a terminal.
#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}

namespace fcsim::command {

std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace fcsim::command
