// Small readings of the texts that strace prints.
#pragma once

#include <cstdint>
#include <string_view>

namespace fcsim::traces::resolve {

// Whether an ACL value (u32 version 2, then 8-byte entries) of `length` bytes holds only the three
// base entries, so that it is kept in the mode bits. A cut value is enough if it shows the tags.
bool acl_is_mode_only(std::string_view value, std::int64_t length);

// strace -y marks files without a name: "/a/b (deleted)" or "/a/b(deleted)".
struct ShownPath {
  std::string_view path;
  bool deleted = false;
};
ShownPath split_deleted(std::string_view shown);

}  // namespace fcsim::traces::resolve
