// Files of /proc and /sys: read whole, as they are.
#pragma once

#include <optional>
#include <string>

namespace fcsim::machine::record {

// nullopt: does not exist or may not be read.
std::optional<std::string> read_small_file(const std::string& path);

// The file's first number, "" and what is none: nullopt.
std::optional<long long> read_number(const std::string& path);

// False where it could not be written.
bool write_small_file(const std::string& path, const std::string& text);

}  // namespace fcsim::machine::record
