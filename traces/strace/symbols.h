// The numbers of the names that strace prints.
#pragma once

#include <cstdint>
#include <string_view>

namespace fcsim::traces::strace {

// A flag, command, mode bit or ioctl request, as its number on x86-64. False for unknown names.
bool find_symbol(std::string_view name, std::uint64_t& value);

// An errno name such as "ENOENT", as its number. False for unknown names.
bool find_error(std::string_view name, std::int32_t& value);

}  // namespace fcsim::traces::strace
