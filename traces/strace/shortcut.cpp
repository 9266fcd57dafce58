#include "traces/strace/shortcut.h"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "traces/strace/digits.h"

namespace fcsim::traces::strace {
namespace {

constexpr std::size_t kShortest = 16;  // "fsync(3) = 0" does not matter, wide loads do

// What follows the descriptor.
enum class Shape : std::uint8_t { none, descriptor, buffer, buffer_at_offset };

struct Start {
  Call call = Call::other;
  Shape shape = Shape::none;
  std::string_view name;
};

// Not constexpr: then gcc 12 compares with loops over the text at run time.
consteval std::uint64_t word(std::string_view text) {
  std::uint64_t value = 0;
  for (std::size_t i = text.size(); i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(text[i - 1]);
  }
  return value;
}

[[gnu::always_inline]] inline Start recognise(const char* at) {
  std::uint64_t head = 0;
  std::memcpy(&head, at, sizeof head);
  const std::uint64_t six = head & 0xffffffffffffU;
  if (six == word("write(")) return {Call::write, Shape::buffer, "write"};
  if (six == word("fsync(")) return {Call::fsync, Shape::descriptor, "fsync"};
  if (six == word("close(")) return {Call::close, Shape::descriptor, "close"};
  if (head == word("pwrite64") && at[8] == '(')
    return {Call::pwrite, Shape::buffer_at_offset, "pwrite64"};
  if (head == word("pread64(")) return {Call::pread, Shape::buffer_at_offset, "pread64"};
  if (head == word("fdatasyn") && at[8] == 'c' && at[9] == '(') {
    return {Call::fdatasync, Shape::descriptor, "fdatasync"};
  }
  if ((head & 0xffffffffffU) == word("read(")) return {Call::read, Shape::buffer, "read"};
  return {};
}

// A decimal number without sign and without leading zeros, which would make it octal.
[[gnu::always_inline]] inline bool take_decimal(Cursor& cursor, std::int64_t& value) {
  constexpr std::ptrdiff_t kDigitsMaximum = 18;
  const char* at = cursor.at;
  std::int64_t number = 0;
  while (at != cursor.end && is_digit(*at)) {
    if (at - cursor.at == kDigitsMaximum) return false;
    number = number * 10 + (*at++ - '0');
  }
  if (at == cursor.at || (*cursor.at == '0' && at - cursor.at > 1)) return false;
  cursor.at = at;
  value = number;
  return true;
}

// "</mnt/x/log>", if it is plain. Nothing but the path of a file that may lie on a file system of
// interest is plain; everything else has its rules elsewhere.
bool take_plain_path(Cursor& cursor, std::string_view& path) {
  if (cursor.left() < 2 || cursor.at[1] != '/') return false;
  const char* const begin = cursor.at + 1;
  const char* const close = static_cast<const char*>(
      std::memchr(begin, '>', static_cast<std::size_t>(cursor.end - begin)));
  if (close == nullptr || cursor.end - close < 2 || (close[1] != ',' && close[1] != ')')) {
    return false;
  }
  const std::string_view found(begin, static_cast<std::size_t>(close - begin));
  if (found.back() == ')' || std::memchr(found.data(), '\\', found.size()) != nullptr) return false;
  // "/dev/", "/proc/", "/sys/": only these three letters are worth a closer look.
  const char letter = found.size() > 1 ? found[1] : '\0';
  if ((letter == 'd' || letter == 'p' || letter == 's') &&
      (found.starts_with("/dev/") || found.starts_with("/proc/") || found.starts_with("/sys/"))) {
    return false;
  }
  path = found;
  cursor.at = close + 1;
  return true;
}

// ", "xxxx"..., " with nothing escaped at the end of the string.
[[gnu::always_inline]] inline bool take_plain_buffer(Cursor& cursor) {
  if (!cursor.take(", \"") || cursor.done()) return false;
  const char* const begin = cursor.at;
  const void* const found = std::memchr(begin, '"', cursor.left());
  if (found == nullptr) return false;
  const char* const quote = static_cast<const char*>(found);
  if (quote != begin && quote[-1] == '\\') return false;
  cursor.at = quote + 1;
  cursor.take("...");
  return cursor.take(", ");
}

// The rest of the line, from after the result.
[[gnu::always_inline]] inline bool take_plain_duration(Cursor& cursor, std::int64_t& duration_ns,
                                                       bool& shown) {
  shown = !cursor.done();
  if (!shown) return true;
  constexpr std::size_t kSize = std::string_view(" <0.000020>").size();
  if (cursor.left() != kSize || std::memcmp(cursor.at, " <0.", 4) != 0) return false;
  std::int64_t microseconds = 0;
  if (cursor.at[kSize - 1] != '>' || !take_six_digits(cursor.at + 4, microseconds)) return false;
  duration_ns = microseconds * 1000;
  return true;
}

}  // namespace

[[gnu::always_inline]] inline bool CommonCallParser::take_path(Cursor& cursor,
                                                               std::string_view& path) {
  const std::size_t size = last_path_size_;
  if (size != 0 && cursor.left() > size && std::memcmp(cursor.at, last_path_.data(), size) == 0 &&
      (cursor.at[size] == ',' || cursor.at[size] == ')')) {
    path = std::string_view(cursor.at + 1, size - 2);
    cursor.at += size;
    return true;
  }
  const char* const begin = cursor.at;
  if (!take_plain_path(cursor, path)) return false;
  const std::size_t found = static_cast<std::size_t>(cursor.at - begin);
  if (found <= last_path_.size()) {
    std::memcpy(last_path_.data(), begin, found);
    last_path_size_ = found;
  }
  return true;
}

bool CommonCallParser::parse(const Cursor& line, Event& event) {
  if (line.left() < kShortest) return false;
  const Start start = recognise(line.at);
  if (start.shape == Shape::none) return false;
  Cursor cursor{line.at + start.name.size() + 1, line.end};  // after the '('
  std::int64_t descriptor = 0;
  std::int64_t length = -1;
  std::int64_t offset = -1;
  std::int64_t result = 0;
  std::int64_t duration_ns = 0;
  bool has_duration = false;
  std::string_view path;
  if (!take_decimal(cursor, descriptor) || descriptor > 0x7fffffff) return false;
  if (cursor.peek() == '<' && !take_path(cursor, path)) return false;
  if (start.shape != Shape::descriptor) {
    if (!take_plain_buffer(cursor) || !take_decimal(cursor, length)) return false;
    if (start.shape == Shape::buffer_at_offset &&
        (!cursor.take(", ") || !take_decimal(cursor, offset))) {
      return false;
    }
  }
  if (!cursor.take(')')) return false;
  cursor.skip_spaces();
  if (!cursor.take("= ") || !take_decimal(cursor, result)) return false;
  if (!take_plain_duration(cursor, duration_ns, has_duration)) return false;
  event.call = start.call;
  event.name = start.name;
  event.fd = static_cast<std::int32_t>(descriptor);
  event.fd_path = path;
  event.length = length;
  event.offset = offset;
  event.result = result;
  event.has_result = true;
  event.duration_ns = duration_ns;
  event.has_duration = has_duration;
  return true;
}

}  // namespace fcsim::traces::strace
