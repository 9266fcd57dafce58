// Brings events into the order of their entry although some are known in full later than others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "traces/event.h"

namespace fcsim::traces::strace {

// A queue in order of entry. Events stand in it complete, or open: a place kept for a call that
// has not returned, which holds back all events after it.
class EntryOrder {
 public:
  using Ticket = std::uint64_t;

  [[nodiscard]] bool empty() const { return first_ == last_; }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(last_ - first_); }

  // True if the foremost event is complete.
  [[nodiscard]] bool ready() const { return !empty() && slot(first_).state != State::open; }

  // Copies the event and its strings to the end of the queue.
  void push(const Event& event);

  // Keeps a place at the end of the queue.
  Ticket push_open();

  // Fills an open place. Its strings are copied.
  void complete(Ticket ticket, const Event& event);

  // Gives an open place up: nothing comes of it.
  void drop(Ticket ticket);

  // The oldest open place, which must be the foremost: whose event is waited for.
  [[nodiscard]] Ticket foremost() const { return first_; }

  // The foremost event, which must be ready; the views live as those of pop().
  [[nodiscard]] const Event& front() const { return slot(first_).event; }

  // Takes the foremost event, which must be ready. False if that place was dropped. The strings
  // of the event live until the next push.
  bool pop(Event& event);

 private:
  enum class State : std::uint8_t { open, complete, dropped };

  struct Held {
    Event event;
    std::string strings;  // all the event's views point into it
    State state = State::open;
  };

  [[nodiscard]] const Held& slot(Ticket ticket) const {
    return slots_[ticket & (slots_.size() - 1)];
  }
  [[nodiscard]] Held& slot(Ticket ticket) { return slots_[ticket & (slots_.size() - 1)]; }
  Held& append();
  static void store(Held& held, const Event& event);

  std::vector<Held> slots_;  // a ring; its size is a power of two
  Ticket first_ = 0;
  Ticket last_ = 0;
};

}  // namespace fcsim::traces::strace
