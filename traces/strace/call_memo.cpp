#include "traces/strace/call_memo.h"

#include <cassert>
#include <cstring>

namespace fcsim::traces::strace {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15U;

std::uint64_t load(const char* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, kWord);
  return word;
}

// Two chains, since a multiplication takes longer than a load.
std::uint64_t hash_of(std::string_view text, Call call) {
  std::uint64_t even = text.size() << 16 | static_cast<std::uint64_t>(call);
  std::uint64_t odd = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (; end - at > static_cast<std::ptrdiff_t>(2 * kWord); at += 2 * kWord) {
    even = (even ^ load(at)) * kMultiplier;
    odd = (odd ^ load(at + kWord)) * kMultiplier;
    even ^= even >> 32;
  }
  even = (even ^ load(end - 2 * kWord)) * kMultiplier;
  odd = (odd ^ load(end - kWord)) * kMultiplier;
  return (even ^ (odd >> 29) ^ odd) * kMultiplier;
}

std::uintptr_t place(std::string_view text) {
  return reinterpret_cast<std::uintptr_t>(text.data());
}

// The event's strings as they lie in a copy of the text. False if one is not part of the text.
bool move_views(Event& event, std::string_view text, const char* copy) {
  for (const auto view : {&Event::path, &Event::path2, &Event::text, &Event::fd_path,
                          &Event::fd2_path, &Event::result_path}) {
    std::string_view& string = event.*view;
    const std::size_t offset = place(string) - place(text);  // huge if it lies before
    if (string.empty()) {
      string = {};
    } else if (offset < text.size()) {
      string = {copy + offset, string.size()};
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

CallMemo::CallMemo() : slots_(std::make_unique<Slot[]>(kSlots)) {}

const CallMemo::Entry* CallMemo::find(std::string_view text, Call call) {
  asked_ = {};
  if (text.size() < 2 * kWord || text.size() > kTextMaximum) return nullptr;
  const std::uint64_t hash = hash_of(text, call);
  const Slot& slot = slots_[hash / (UINT64_MAX / kSlots + 1)];
  if (slot.hash == hash && slot.size == text.size() && slot.call == call &&
      std::memcmp(slot.text.data(), text.data(), text.size()) == 0) {
    return &slot.entry;
  }
  asked_ = text;
  asked_call_ = call;
  asked_hash_ = hash;
  return nullptr;
}

void CallMemo::keep(Kind kind, const CallRule& rule, const Event& event) {
  if (asked_.empty()) return;
  Slot& slot = slots_[asked_hash_ / (UINT64_MAX / kSlots + 1)];
  slot.size = 0;
  slot.entry = {kind, &rule, event};
  if (!move_views(slot.entry.event, asked_, slot.text.data())) return;
  std::memcpy(slot.text.data(), asked_.data(), asked_.size());
  slot.hash = asked_hash_;
  slot.call = asked_call_;
  slot.size = static_cast<std::uint32_t>(asked_.size());
  asked_ = {};
}

}  // namespace fcsim::traces::strace
