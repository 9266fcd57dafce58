// The commonest lines by far, read in one pass without looking at anything twice.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "traces/event.h"
#include "traces/strace/text.h"

namespace fcsim::traces::strace {

// Reads, from the call's name on, lines of these shapes:
//
//   write(3</mnt/x/log>, "xxxx"..., 4096) = 4096 <0.000020>     also read, pread64, pwrite64
//   fsync(3</mnt/x/log>) = 0 <0.000412>                         also fdatasync, close
//
// with or without the path and the duration.
class CommonCallParser {
 public:
  // Sets the same fields of `event`, which must be new, as parse_arguments and parse_result do.
  // Returns false, with nothing changed, for all other lines and for all lines of these shapes in
  // which anything is out of the ordinary. The byte after the line must be readable.
  bool parse(const Cursor& line, Event& event);

 private:
  bool take_path(Cursor& cursor, std::string_view& path);

  // The last plain path with its brackets: lines in a row are often about the same file, and
  // comparing is cheaper than searching.
  std::array<char, 128> last_path_{};
  std::size_t last_path_size_ = 0;
};

}  // namespace fcsim::traces::strace
