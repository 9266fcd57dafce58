#include "traces/strace/order.h"

#include <array>
#include <cassert>
#include <string_view>
#include <utility>

namespace fcsim::traces::strace {
namespace {

constexpr std::size_t kFirstCapacity = 64;

// Strings longer than this are given back to the system once their event was yielded.
constexpr std::size_t kKeptCapacity = 4096;

using View = std::string_view Event::*;
constexpr std::array<View, 6> kViews = {&Event::path,    &Event::path2,    &Event::text,
                                        &Event::fd_path, &Event::fd2_path, &Event::result_path};

}  // namespace

void EntryOrder::store(Held& held, const Event& event) {
  held.event = event;
  held.strings.clear();
  if (held.strings.capacity() > kKeptCapacity) held.strings.shrink_to_fit();
  std::size_t size = 0;
  for (const View view : kViews) size += (event.*view).size();
  held.strings.reserve(size);
  for (const View view : kViews) {
    const std::string_view text = event.*view;
    const std::size_t offset = held.strings.size();
    held.strings.append(text);
    held.event.*view = std::string_view(held.strings.data() + offset, text.size());
  }
}

EntryOrder::Held& EntryOrder::append() {
  if (size() == slots_.size()) {
    std::vector<Held> larger(slots_.empty() ? kFirstCapacity : 2 * slots_.size());
    for (Ticket ticket = first_; ticket != last_; ++ticket) {
      Held& moved = larger[ticket & (larger.size() - 1)];
      // Short strings live inside of their object: moved views would point into the old one.
      store(moved, slot(ticket).event);
      moved.state = slot(ticket).state;
    }
    slots_ = std::move(larger);
  }
  return slot(last_++);
}

void EntryOrder::push(const Event& event) {
  Held& held = append();
  store(held, event);
  held.state = State::complete;
}

EntryOrder::Ticket EntryOrder::push_open(std::int32_t pid) {
  Held& held = append();
  held.event = Event{};
  held.event.pid = pid;
  held.state = State::open;
  return last_ - 1;
}

void EntryOrder::move_open(Ticket ticket, std::int32_t pid) {
  assert(ticket >= first_ && ticket < last_ && slot(ticket).state == State::open);
  slot(ticket).event.pid = pid;
}

void EntryOrder::complete(Ticket ticket, const Event& event) {
  assert(ticket >= first_ && ticket < last_ && slot(ticket).state == State::open);
  store(slot(ticket), event);
  slot(ticket).state = State::complete;
}

void EntryOrder::drop(Ticket ticket) {
  assert(ticket >= first_ && ticket < last_ && slot(ticket).state == State::open);
  slot(ticket).state = State::dropped;
}

bool EntryOrder::pop(Event& event) {
  assert(ready());
  const Held& held = slot(first_++);
  if (held.state == State::dropped) return false;
  event = held.event;
  return true;
}

}  // namespace fcsim::traces::strace
