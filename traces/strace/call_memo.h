// Calls repeat themselves: a text that was parsed before says the same again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "traces/event.h"
#include "traces/strace/calls.h"

namespace fcsim::traces::strace {

// Remembers what came of the texts of calls, from the name up to the result, without process, time
// and duration, on which nothing in a call depends. One text a slot: what was seen last.
//
// Programs that wait, look up and seek do so in the same words: of the lines that the shortcut does
// not read, a table of this size knows 45 to 93 % (PostgreSQL's, git's, dpkg's, SQLite's traces).
class CallMemo {
 public:
  enum class Kind : std::uint8_t {
    event,          // a call that returned
    ignored,        // a call that returned and is of no consequence
    begun,          // the first part of a call that will be resumed
    begun_ignored,  // ... of no consequence, whatever comes of it
  };

  struct Entry {
    Kind kind = Kind::event;
    const CallRule* rule = nullptr;
    Event event;  // line, process, times and duration are not set
  };

  CallMemo();

  // nullptr: not known. The entry, and the strings that its event points to, live until the next
  // keep(). A text that begins after the '(' is known for one call only, which is then given.
  [[nodiscard]] const Entry* find(std::string_view text, Call call = Call::other);

  // Another text follows: nothing is kept until find() is asked again.
  void next_text() { asked_ = {}; }

  // Remembers what came of the text that find() was asked for last and did not know. Does nothing
  // where the event has strings that are not part of that text (decoded ones).
  void keep(Kind kind, const CallRule& rule, const Event& event);

 private:
  static constexpr std::size_t kTextMaximum = 256;
  static constexpr std::size_t kSlots = 2048;  // 1 MiB: more would leave the caches

  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t size = 0;  // of the text; 0: free
    Call call = Call::other;
    Entry entry;
    std::array<char, kTextMaximum> text;
  };

  std::unique_ptr<Slot[]> slots_;
  std::string_view asked_;  // empty: not to be kept
  Call asked_call_ = Call::other;
  std::uint64_t asked_hash_ = 0;
};

}  // namespace fcsim::traces::strace
