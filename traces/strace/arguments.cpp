#include "traces/strace/arguments.h"

#include <cassert>
#include <cstdint>
#include <limits>

#include "traces/strace/symbols.h"

namespace fcsim::traces::strace {
namespace {

constexpr std::uint64_t kCloneSignalMask = 0xff;
constexpr std::uint64_t kHiddenFlags = ~std::uint64_t{0};
constexpr std::uint64_t kUtimeNow = 0x3fffffff;
constexpr std::uint64_t kUtimeOmit = 0x3ffffffe;

// Commands of fcntl on record locks, which may wait for long and change nothing on the disk.
bool is_lock_command(std::uint64_t command) {
  return (command >= 5 && command <= 7) || (command >= 12 && command <= 14) ||
         (command >= 36 && command <= 38);
}

bool is_hex_digit(char c) {
  return is_digit(c) || static_cast<unsigned char>((c | 0x20) - 'a') < 6;
}

bool is_letter(char c) {
  return static_cast<unsigned char>((c | 0x20) - 'a') < 26;
}

std::int64_t to_signed(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

// " /* O_RDWR|O_CREAT */", the translation that -X verbose puts behind numbers.
void skip_translation(Cursor& cursor) {
  if (!cursor.rest().starts_with(" /*")) return;
  const std::size_t close = cursor.rest().find("*/");
  if (close != std::string_view::npos) cursor.at += close + 2;
}

// "name=" in front of a value: --arg-names, and the members of a struct.
void skip_argument_name(Cursor& cursor) {
  const char* at = cursor.at;
  while (at != cursor.end && is_name_character(*at)) ++at;
  if (at != cursor.at && at != cursor.end && *at == '=' && !is_digit(*cursor.at))
    cursor.at = at + 1;
}

std::string_view take_name(Cursor& cursor) {
  const char* const begin = cursor.at;
  while (is_name_character(cursor.peek())) ++cursor.at;
  return {begin, static_cast<std::size_t>(cursor.at - begin)};
}

// One operand of '|'.
bool take_operand(Cursor& cursor, bool strict, std::uint64_t& value, Failure& failure) {
  const char* const begin = cursor.at;
  const bool inverted = cursor.take('~');
  if (!take_number(cursor, value)) {
    const std::string_view name = take_name(cursor);
    if (name.empty()) return failure.at(begin, "expected a flag");
    value = 0;
    if (!find_symbol(name, value) && strict && name != "NULL") {
      return failure.at(begin, "expected a flag that strace prints", name);
    }
  }
  if (cursor.take("<<")) {
    std::uint64_t shift = 0;
    if (!take_number(cursor, shift) && !find_symbol(take_name(cursor), shift)) shift = 0;
    value = shift < 64 ? value << shift : 0;
  }
  if (inverted) value = ~value;
  return true;
}

// Decodes the arguments of one call. Each method takes one value and leaves the cursor at its end
// or inside of it; run() goes on to the next comma.
class ArgumentParser {
 public:
  ArgumentParser(Cursor& cursor, bool cut, Event& event, StringDecoder& decoder, Failure& failure)
      : cursor_(cursor), cut_(cut), event_(event), decoder_(decoder), failure_(failure) {}

  bool run(const char* letters) {
    for (; *letters != '\0' && cursor_.peek() != ')'; ++letters) {
      if (cursor_.done()) return cut_ || unexpected_end();
      if (*letters != 'x' && !value(*letters)) return cut_ || located();
      if (!next_argument()) return cut_ || unexpected_end();
    }
    // The rest is of no interest but for its end.
    while (!cursor_.take(')')) {
      if (!next_argument()) return cut_ || unexpected_end();
    }
    return true;
  }

 private:
  // Goes to the closing bracket or behind the next comma. False at the end of the text.
  bool next_argument() {
    if (!skip_value(cursor_)) return false;
    if (cursor_.take(',')) cursor_.skip_spaces();
    return !cursor_.done() && (cursor_.peek() != ']' && cursor_.peek() != '}');
  }

  bool unexpected_end() { return failure_.at(cursor_.at, "expected ')' behind the arguments"); }

  bool located() {
    assert(failure_.where != nullptr);
    return false;
  }

  bool value(char letter) {
    const char c = cursor_.peek();
    if (is_letter(c) && letter != 'c') skip_argument_name(cursor_);
    switch (letter) {
      case 'd':
        return descriptor(event_.fd, event_.fd_path);
      case 'D':
        return descriptor(event_.fd2, event_.fd2_path);
      case 'p':
        return string(event_.path);
      case 'P':
        return string(event_.path2);
      case 't':
        return text();
      case 'b':
        return buffer();
      case 'o':
        return signed_number(event_.offset);
      case 'O':
        return number_in_brackets(event_.offset);
      case 'q':
        return input_offset();
      case 'r':
        return number_in_brackets(event_.length);
      case 'l':
        return signed_number(event_.length);
      case 'a':
        return take_flags(cursor_, false, event_.argument, failure_);
      case 'f':
        return take_flags(cursor_, true, event_.flags, failure_);
      case 'g':
        return take_flags(cursor_, false, event_.flags, failure_);
      default:
        return structure(letter);
    }
  }

  bool structure(char letter) {
    switch (letter) {
      case 'w':
        return open_how();
      case 'v':
        return descriptor_pair();
      case 's':
        return status();
      case 'k':
        return fcntl_command();
      case 'i':
        return ioctl_request();
      case 'c':
        return clone_arguments();
      case 'u':
        return socket_address();
      case 'T':
        return times();
      case 'I':
        return raw_value(event_.text);
      case 'X':
        return xattr_arguments();
      case 'S':
        return file_attributes();
      case 'R':
        return received_message();
      default:
        assert(false);
        return true;
    }
  }

  bool descriptor(std::int32_t& number, std::string_view& path) {
    std::uint64_t value = 0;
    if (cursor_.take("AT_FDCWD")) {
      number = kAtFdCwd;
    } else if (take_number(cursor_, value)) {
      // Descriptors are 32 bits wide: 0xffffff9c is AT_FDCWD, 4294967295 all there are.
      number = static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
    } else {
      return failure_.at(cursor_.at, "expected a descriptor");
    }
    skip_translation(cursor_);
    if (cursor_.peek() != '<') return true;
    const char* const begin = cursor_.at;
    std::string_view raw;
    if (!take_descriptor_path(cursor_, raw)) {
      return failure_.at(begin, "expected '>' behind the descriptor's path");
    }
    path = decoder_.decode(raw);
    return true;
  }

  // A string, or the pointer that strace could not follow.
  bool string(std::string_view& decoded) {
    bool truncated = false;
    return string(decoded, truncated);
  }

  bool string(std::string_view& decoded, bool& truncated) {
    const char* const begin = cursor_.at;
    if (cursor_.peek() == '"') {
      std::string_view raw;
      if (!take_string(cursor_, raw, truncated)) {
        return failure_.at(begin, "expected a closing quote");
      }
      decoded = decoder_.decode(raw);
      return true;
    }
    std::uint64_t pointer = 0;
    if (take_number(cursor_, pointer) || cursor_.take("NULL")) return true;
    return failure_.at(begin, "expected a string in quotes");
  }

  bool text() { return string(event_.text, event_.truncated_text); }

  // What a write writes matters for the files that steer the kernel's memory only.
  bool buffer() {
    if (event_.fd_path.starts_with("/proc/sys/vm/") ||
        event_.fd_path.starts_with("/sys/fs/cgroup")) {
      return text();
    }
    return true;
  }

  bool signed_number(std::int64_t& number) {
    std::uint64_t value = 0;
    if (!take_number(cursor_, value)) {
      if (!cursor_.take("NULL")) return failure_.at(cursor_.at, "expected a number");
      value = 0;
    }
    number = to_signed(value);
    return true;
  }

  bool number_in_brackets(std::int64_t& number) {
    Cursor inside = cursor_;
    std::uint64_t value = 0;
    if (inside.take('[') && take_number(inside, value)) number = to_signed(value);
    return true;
  }

  // "{flags=O_RDWR|O_CREAT, mode=0600, resolve=0}"
  bool open_how() {
    Cursor inside = cursor_;
    if (!inside.take("{flags=")) return true;
    if (!take_flags(inside, true, event_.flags, failure_)) return false;
    skip_translation(inside);
    if (!inside.take(", mode=")) return true;
    return take_flags(inside, false, event_.argument, failure_);
  }

  // "[3<pipe:[1]>, 4<pipe:[1]>]"
  bool descriptor_pair() {
    Cursor whole = cursor_;
    if (cursor_.rest().starts_with("[...]") || !cursor_.take('[')) return true;  // -s 0
    if (!descriptor(event_.fd, event_.fd_path)) return false;
    if (!cursor_.take(", ")) return failure_.at(cursor_.at, "expected a second descriptor");
    if (!descriptor(event_.fd2, event_.fd2_path)) return false;
    cursor_ = whole;
    return true;
  }

  // Takes a whole value as it is printed.
  bool raw_value(std::string_view& raw) {
    Cursor end = cursor_;
    if (!skip_value(end)) {
      if (!cut_) return failure_.at(cursor_.at, "expected the end of this value");
      end.at = end.end;
    }
    raw = std::string_view(cursor_.at, static_cast<std::size_t>(end.at - cursor_.at));
    cursor_.at = end.at;
    return true;
  }

  // The number or flags behind `name` in a struct, 0 if it is not shown.
  bool member(std::string_view raw, std::string_view name, std::uint64_t& number) {
    const std::size_t found = raw.find(name);
    if (found == std::string_view::npos) return false;
    Cursor inside{raw.data() + found + name.size(), raw.data() + raw.size()};
    Failure ignored;
    return take_flags(inside, false, number, ignored);
  }

  bool status() {
    if (!raw_value(event_.text)) return false;
    if (!event_.text.starts_with('{')) event_.text = {};  // a pointer: the call failed
    std::uint64_t size = 0;
    if (member(event_.text, "_size=", size)) event_.length = to_signed(size);
    member(event_.text, "_mode=", event_.argument);
    return true;
  }

  bool fcntl_command() {
    if (!take_flags(cursor_, false, event_.argument, failure_)) return false;
    if (is_lock_command(event_.argument)) event_.call = Call::other;
    if (!skip_value(cursor_)) return cut_ || unexpected_end();
    if (!cursor_.take(", ")) return true;
    skip_argument_name(cursor_);
    Failure ignored;  // a struct, of a command that changes no file
    take_flags(cursor_, false, event_.flags, ignored);
    return true;
  }

  // "FS_IOC_SETFLAGS", "BTRFS_IOC_CLONE or FICLONE", "_IOC(_IOC_READ, 0x66, 0xf, 0x28)", 0x6611
  bool take_request() {
    if (cursor_.take("_IOC(")) return take_composed_request();
    if (take_number(cursor_, event_.flags)) return true;
    bool known = false;
    do {
      std::uint64_t value = 0;
      if (find_symbol(take_name(cursor_), value)) {
        event_.flags = value;
        known = true;
      }
    } while (cursor_.take(" or "));
    if (!known) event_.call = Call::other;
    return true;
  }

  bool take_composed_request() {
    std::uint64_t parts[4] = {};
    for (std::uint64_t& part : parts) {
      if (!take_flags(cursor_, false, part, failure_)) return false;
      if (!cursor_.take(", ") && &part != &parts[3]) {
        return failure_.at(cursor_.at, "expected _IOC(DIRECTION, TYPE, NUMBER, SIZE)");
      }
    }
    event_.flags =
        parts[0] << 30 | (parts[3] & 0x3fff) << 16 | (parts[1] & 0xff) << 8 | (parts[2] & 0xff);
    cursor_.take(')');
    return true;
  }

  bool ioctl_request() {
    if (!take_request()) return false;
    constexpr std::uint64_t kCloseOnExec =
        0x5450;  // FIONCLEX, FIOCLEX: the only ones of their type
    const std::uint64_t type = event_.flags >> 8 & 0xff;
    if (type == 'T' && (event_.flags & ~std::uint64_t{1}) != kCloseOnExec) {
      event_.call = Call::other;
    } else if (type != 'T' && is_foreign_path(event_.fd_path)) {
      event_.call = Call::other;
    }
    if (!skip_value(cursor_)) return cut_ || unexpected_end();
    if (!cursor_.take(", ")) return true;
    skip_argument_name(cursor_);
    return ioctl_argument();
  }

  // Where copy_file_range reads, plus 1; 0: at the file's position.
  bool input_offset() {
    std::int64_t offset = -1;
    if (!number_in_brackets(offset)) return false;
    event_.argument = static_cast<std::uint64_t>(offset) + 1;
    return true;
  }

  bool ioctl_argument() {
    constexpr std::uint64_t kClone = 0x40049409;  // FICLONE: the argument is a descriptor
    if (event_.flags == kClone) return descriptor(event_.fd2, event_.fd2_path);
    Cursor inside = cursor_;
    inside.take('[');
    Failure ignored;
    take_flags(inside, false, event_.argument, ignored);
    return raw_value(event_.text);
  }

  // "child_stack=NULL, flags=CLONE_VM|SIGCHLD, ..." and "{flags=CLONE_VM, ...} => {...}, 88"
  bool clone_arguments() {
    cursor_.take("cl_args=");
    for (;;) {
      cursor_.take('{');
      if (cursor_.take("flags=")) {
        if (!take_flags(cursor_, false, event_.flags, failure_)) return false;
        event_.flags &= ~kCloneSignalMask;
      }
      if (!skip_value(cursor_)) return cut_ || unexpected_end();
      if (cursor_.peek() == '}') ++cursor_.at;
      if (cursor_.peek() == ')') return true;
      if (cursor_.take(',')) {
        cursor_.skip_spaces();
      } else if (cursor_.done() || cursor_.peek() == ']') {
        return cut_ || unexpected_end();
      } else if (!skip_value(cursor_)) {
        return cut_ || unexpected_end();
      }
    }
  }

  // "{sa_family=AF_UNIX, sun_path="/run/socket"}": only a socket with a name is a file.
  bool socket_address() {
    std::string_view raw;
    if (!raw_value(raw)) return false;
    constexpr std::string_view kMember = "sun_path=";
    const std::size_t found = raw.find(kMember);
    if (found == std::string_view::npos || !raw.substr(found + kMember.size()).starts_with('"')) {
      event_.call = Call::other;
      return true;
    }
    Cursor inside{raw.data() + found + kMember.size(), raw.data() + raw.size()};
    bool truncated = false;
    std::string_view path;
    if (!take_string(inside, path, truncated)) {
      return failure_.at(inside.at, "expected a closing quote");
    }
    event_.path = decoder_.decode(path);
    if (event_.path.empty()) event_.call = Call::other;
    return true;
  }

  bool times() {
    if (!raw_value(event_.text)) return false;
    const bool named_now = event_.text.find("UTIME_NOW") != std::string_view::npos;
    bool any_explicit = false;
    bool any_now = named_now || event_.text.starts_with("NULL");
    std::string_view rest = event_.text;
    constexpr std::string_view kMember = "tv_nsec=";
    for (std::size_t found; (found = rest.find(kMember)) != std::string_view::npos;) {
      rest.remove_prefix(found + kMember.size());
      Cursor inside{rest.data(), rest.data() + rest.size()};
      std::uint64_t nanoseconds = 0;
      if (!take_number(inside, nanoseconds)) continue;
      any_now = any_now || nanoseconds == kUtimeNow;
      any_explicit = any_explicit || (nanoseconds != kUtimeNow && nanoseconds != kUtimeOmit);
    }
    const bool old_form = event_.text.find("tv_usec=") != std::string_view::npos ||
                          event_.text.find("actime=") != std::string_view::npos;
    const bool omitted = event_.text.find("OMIT") != std::string_view::npos ||
                         event_.text.find("1073741822") != std::string_view::npos;
    if (any_explicit || old_form) {
      event_.argument = 0;
    } else {
      event_.argument = any_now ? 1 : (omitted ? 2 : 0);
    }
    return true;
  }

  // "{value="v0", size=2, flags=0}"
  bool xattr_arguments() {
    std::string_view raw;
    if (!raw_value(raw)) return false;
    std::uint64_t size = 0;
    if (member(raw, "size=", size)) event_.length = to_signed(size);
    const std::size_t found = raw.find("value=\"");
    event_.truncated_text = found == std::string_view::npos;
    if (event_.truncated_text) return true;
    Cursor inside{raw.data() + found + 6, raw.data() + raw.size()};
    std::string_view text;
    if (take_string(inside, text, event_.truncated_text)) event_.text = decoder_.decode(text);
    return true;
  }

  // "{fa_xflags=FS_XFLAG_SYNC, fa_extsize=0, ...}"
  bool file_attributes() {
    std::string_view raw;
    if (!raw_value(raw)) return false;
    if (!member(raw, "fa_xflags=", event_.argument)) event_.argument = kHiddenFlags;
    return true;
  }

  // Only a message that brings descriptors is of consequence.
  bool received_message() {
    std::string_view raw;
    if (!raw_value(raw)) return false;
    std::size_t rights = raw.find("SCM_RIGHTS");
    if (rights == std::string_view::npos) rights = raw.find("cmsg_type=0x1, cmsg_data=[");
    if (rights == std::string_view::npos) {
      event_.call = Call::other;
      return true;
    }
    event_.text = raw.substr(rights);
    return true;
  }

  Cursor& cursor_;
  bool cut_;
  Event& event_;
  StringDecoder& decoder_;
  Failure& failure_;
};

bool is_foreign_data(const Event& event) {
  if (event.fd_path.empty() || !is_foreign_path(event.fd_path)) return false;
  return event.fd2_path.empty() || is_foreign_path(event.fd2_path);
}

}  // namespace

bool is_foreign_path(std::string_view path) {
  if (path.empty()) return false;
  if (path.front() != '/') return true;
  return path.starts_with("/dev/") && !path.starts_with("/dev/shm/");
}

bool take_number(Cursor& cursor, std::uint64_t& value) {
  Cursor at = cursor;
  const bool negative = at.take('-');
  if (!is_digit(at.peek())) return false;
  std::uint64_t number = 0;
  if (at.take("0x") || at.take("0X")) {
    if (!is_hex_digit(at.peek())) return false;
    for (; is_hex_digit(at.peek()); ++at.at) {
      const char c = *at.at;
      number =
          number << 4 | static_cast<std::uint64_t>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
  } else if (at.peek() == '0') {
    for (; is_digit(at.peek()); ++at.at)
      number = number << 3 | static_cast<std::uint64_t>(*at.at - '0');
  } else {
    for (; is_digit(at.peek()); ++at.at)
      number = number * 10 + static_cast<std::uint64_t>(*at.at - '0');
  }
  value = negative ? 0 - number : number;
  cursor = at;
  return true;
}

bool take_flags(Cursor& cursor, bool strict, std::uint64_t& value, Failure& failure) {
  std::uint64_t sum = 0;
  cursor.take('|');  // -X raw leaves it behind where it leaves out the first name of two groups
  do {
    std::uint64_t operand = 0;
    if (!take_operand(cursor, strict, operand, failure)) return false;
    sum |= operand;
  } while (cursor.take('|'));
  value = sum;
  return true;
}

bool parse_arguments(Cursor& cursor, const CallRule& rule, bool cut, Event& event,
                     StringDecoder& decoder, Failure& failure) {
  event.call = rule.call;
  event.name = rule.name;
  ArgumentParser parser(cursor, cut, event, decoder, failure);
  if (!parser.run(rule.arguments)) return false;
  if ((rule.traits & trait::data) != 0 && is_foreign_data(event)) event.call = Call::other;
  return true;
}

}  // namespace fcsim::traces::strace
