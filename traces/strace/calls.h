// The system calls by the names that strace prints, and how to read the arguments of each.
#pragma once

#include <cstdint>
#include <string_view>

#include "traces/event.h"

namespace fcsim::traces::strace {

// What is peculiar to a call, as bits.
namespace trait {
// Of no consequence on a descriptor that -y shows to be a pipe, a socket, a terminal, ...
inline constexpr std::uint8_t data = 1U << 0;
// May wait for long and acts at its return only: must not hold back the events after it.
inline constexpr std::uint8_t late = 1U << 1;
// Never returns: is yielded at entry.
inline constexpr std::uint8_t final = 1U << 2;
// Without its first half still worth an event, because the second half says all that matters.
inline constexpr std::uint8_t whole_at_return = 1U << 3;
// The same, if the path of the returned descriptor is shown.
inline constexpr std::uint8_t path_at_return = 1U << 4;
// _llseek returns 0 and the position through its third argument.
inline constexpr std::uint8_t result_in_argument = 1U << 5;
}  // namespace trait

// How one call's arguments are read: a letter of `arguments` for each, in order.
//   d D  descriptor -> fd, fd2             p P  string -> path, path2
//   t    string -> text                    b    buffer of a write (kept in text for a few files)
//   o    number -> offset                  O    "[number]" or NULL -> offset
//   l    number -> length                  a    number or symbols -> argument
//   f    symbols of a known set -> flags   g    symbols, unknown ones ignored -> flags
//   w    struct open_how -> flags, argument
//   v    "[3, 4]" -> fd, fd2               s    struct stat, statx -> length, argument, text
//   k    command and value of fcntl        i    request and value of ioctl
//   c    arguments of clone -> flags       u    struct sockaddr -> path
//   T    times of utimensat -> argument (0 explicit, 1 now, 2 both left alone), text
//   R    struct msghdr -> text, the descriptors that were received
//   I    array of struct iocb -> text
//   X    struct xattr_args -> text, length
//   S    struct file_attr -> argument (its flags)
//   r    "[number]" -> length, from where it becomes the result
//   x    skipped
// Arguments after the last letter are skipped.
struct CallRule {
  std::string_view name;
  Call call = Call::other;
  const char* arguments = "";
  std::uint8_t traits = 0;
};

// The rule for a name as printed (an x32 suffix "#64" cut off); that of Call::other for all names
// that are not in the table.
const CallRule& find_call(std::string_view name);

// The rule for "syscall_0x1cf", as an older strace prints the calls of a newer kernel: by the
// number, which is the same on all 64-bit machines from 424 on. Arguments are bare numbers there,
// so paths and structures are missing. That of Call::other for what concerns no file.
const CallRule& find_numbered_call(std::string_view name);

}  // namespace fcsim::traces::strace
