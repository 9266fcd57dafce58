// Where the less obvious arguments of a call stand in an Event. In one place, so that reader and
// resolver can be held against each other.
#pragma once

#include "traces/event.h"
#include "traces/resolve/linux_values.h"

namespace fcsim::traces::resolve {

// fcntl: the command is `argument`, its own argument `flags`.
inline std::uint64_t fcntl_command(const Event& event) {
  return event.argument;
}
inline std::uint64_t fcntl_value(const Event& event) {
  return event.flags;
}

// close_range: from `fd` to `fd2`, which is negative where the call said ~0U.
inline std::int32_t first_descriptor(const Event& event) {
  return event.fd;
}
inline std::int32_t last_descriptor(const Event& event) {
  return event.fd2 < 0 ? kDescriptorLimit : event.fd2;
}

// symlink(target, name): the target is `path`, the new name `path2`, relative to `fd`.
inline std::string_view symlink_target(const Event& event) {
  return event.path;
}
inline std::string_view symlink_name(const Event& event) {
  return event.path2;
}

// mount(source, target, type, flags): the target is `path2`.
inline std::string_view mount_target(const Event& event) {
  return event.path2;
}

// mmap: `offset` is the file's, the address is the result. munmap, msync: `offset` is the address.
// mremap: `offset` and `length` are the old ones, `argument` is the new length.
inline std::int64_t mapping_address(const Event& event) {
  return event.offset;
}
inline std::int64_t mremap_new_length(const Event& event) {
  return static_cast<std::int64_t>(event.argument);
}

// statx, fstatat, faccessat, linkat, ...: AT_* in `flags`.
inline bool has_flag(const Event& event, std::uint64_t flag) {
  return (event.flags & flag) == flag;
}

}  // namespace fcsim::traces::resolve
