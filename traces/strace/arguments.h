// The arguments of a call, from after its opening to its closing bracket.
#pragma once

#include "traces/event.h"
#include "traces/strace/calls.h"
#include "traces/strace/text.h"

namespace fcsim::traces::strace {

// Fills `event` as `rule` says, and event.call. With the cursor after the '(', moves it after the
// ')'. Where `cut` is set, the text may end anywhere: that is not a failure, the rest keeps
// defaults. A call that turns out to be of no consequence becomes Call::other. Returns false, with
// the failure, for what cannot be understood.
bool parse_arguments(Cursor& cursor, const CallRule& rule, bool cut, Event& event,
                     StringDecoder& decoder, Failure& failure);

// True for what -y shows for descriptors that are not of a file system: pipes, sockets,
// anonymous inodes, devices.
bool is_foreign_path(std::string_view path);

// A number, or names and numbers joined by '|'. Unknown names fail if `strict`, else count 0.
bool take_flags(Cursor& cursor, bool strict, std::uint64_t& value, Failure& failure);

// A number in decimal, hexadecimal or octal notation, negative ones included. False if none.
bool take_number(Cursor& cursor, std::uint64_t& value);

}  // namespace fcsim::traces::strace
