#include "traces/strace/line_writer.h"

#include "traces/strace/time_units.h"

#include <array>
#include <cstdio>
#include <cstring>

#include "traces/kernel_facts.h"
#include "traces/strace/calls.h"
#include "traces/strace/symbols.h"

namespace fcsim::traces::strace {
namespace {

template <class... Values>
void print(std::string& text, const char* format, Values... values) {
  std::array<char, 96> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, values...);
  text += buffer.data();
}

void number(std::string& text, std::int64_t value) {
  print(text, "%lld", static_cast<long long>(value));
}

void hexadecimal(std::string& text, std::uint64_t value) {
  if (value == 0)
    text += '0';
  else
    print(text, "0x%llx", static_cast<unsigned long long>(value));
}

// As strace escapes: octal for what is not printable ASCII, a backslash in front of `special`.
void escaped(std::string& text, std::string_view value, std::string_view special,
             std::string_view octal) {
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e || octal.find(c) != std::string_view::npos)
      print(text, "\\%03o", static_cast<unsigned>(byte));
    else if (special.find(c) != std::string_view::npos)
      text.append("\\").append(1, c);
    else
      text += c;
  }
}

void quoted(std::string& text, std::string_view value) {
  text += '"';
  escaped(text, value, "\"\\", "");
  text += '"';
}

void descriptor(std::string& text, std::int32_t fd, std::string_view path) {
  if (fd == kAtFdCwd)
    text += "AT_FDCWD";
  else
    number(text, fd);
  if (path.empty()) return;
  text += '<';
  escaped(text, path, "\\", "<>");
  text += '>';
}

void times(std::string& text, std::int64_t nanoseconds) {
  print(text, "%lld.%09lld", static_cast<long long>(nanoseconds / kSecond),
        static_cast<long long>(nanoseconds % kSecond));
}

void facts(const Event& event, bool with_transaction, std::string& text) {
  if (event.cpu < 0) return;
  print(text, " [cpu %d", event.cpu);
  if (event.cpu_end >= 0) print(text, ",%d", event.cpu_end);
  if (with_transaction && event.transaction != 0) print(text, " tid %u", event.transaction);
  text += ']';
}

std::int64_t value_of(const Event& event, FactMember member) {
  switch (member) {
    case FactMember::transaction:
      return event.transaction;
    case FactMember::argument:
      return static_cast<std::int64_t>(event.argument);
    case FactMember::offset:
      return event.offset;
    case FactMember::length:
      return event.length;
    case FactMember::result:
      return event.result;
    case FactMember::flags:
      return static_cast<std::int64_t>(event.flags);
    case FactMember::fd_path:
      break;
  }
  return 0;
}

}  // namespace

void LineWriter::append(const Event& event, std::string& text) {
  if (submission_line_ != 0 && event.line == submission_line_) return;
  submission_line_ = event.call == Call::io_submit ? event.line : 0;
  if (event.pid != 0) print(text, "%d ", event.pid);
  times(text, event.start_ns);
  text += ' ';
  if (is_fact(event.call)) {
    fact(event, text);
  } else if (event.call == Call::process_exited) {
    print(text, "+++ exited with %llu +++", static_cast<unsigned long long>(event.argument));
  } else if (event.call == Call::process_replaced) {
    text += "+++ superseded by execve in pid ";
    number(text, event.result);
    text += " +++";
  } else {
    text += event.name;
    text += '(';
    arguments(event, find_call(event.name).arguments, text);
    text += ')';
    result(event, text);
  }
  facts(event, !is_fact(event.call), text);
  text += '\n';
}

void LineWriter::fact(const Event& event, std::string& text) {
  const FactKind& kind = *fact_kind(event.call);
  text += "*** ";
  text += kind.name;
  for (const FactField& field : kind.fields) {
    if (field.member == FactMember::result && !event.has_result) continue;
    text.append(" ").append(field.name).append("=");
    if (field.member == FactMember::fd_path)
      quoted(text, event.fd_path);
    else
      number(text, value_of(event, field.member));
  }
  text += " ***";
}

void LineWriter::arguments(const Event& event, const char* letters, std::string& text) {
  for (std::size_t index = 0; letters[index] != '\0'; ++index) {
    if (index != 0) text += ", ";
    argument(event, letters[index], index, text);
  }
}

void LineWriter::argument(const Event& event, char letter, std::size_t index, std::string& text) {
  switch (letter) {
    case 'd':
      return descriptor(text, event.fd, event.fd_path);
    case 'D':
      return descriptor(text, event.fd2, event.fd2_path);
    case 'p':
      return quoted(text, event.path);
    case 'P':
      return quoted(text, event.path2);
    case 't':
    case 'b':
      quoted(text, event.text);
      if (event.truncated_text || (letter == 'b' && event.text.empty())) text += "...";
      return;
    case 'o':
      return number(text, event.offset);
    case 'O':
      if (event.offset < 0) {
        text += "NULL";
        return;
      }
      text += '[';
      number(text, event.offset);
      text += ']';
      return;
    case 'l':
      return number(text, event.length);
    case 'a':
      return hexadecimal(text, event.argument);
    case 'f':
    case 'g':
      return hexadecimal(text, event.flags);
    case 'w':
      text += "{flags=";
      hexadecimal(text, event.flags);
      text += ", mode=";
      hexadecimal(text, event.argument);
      text += ", resolve=0}";
      return;
    case 'v':
      text += '[';
      descriptor(text, event.fd, event.fd_path);
      text += ", ";
      descriptor(text, event.fd2, event.fd2_path);
      text += ']';
      return;
    case 's':
    case 'T':
    case 'I':
      text += event.text.empty() ? std::string_view("0x1") : event.text;
      return;
    case 'k':
      hexadecimal(text, event.argument);
      text += ", ";
      return hexadecimal(text, event.flags);
    case 'i':
      hexadecimal(text, event.flags);
      text += ", ";
      if (event.fd2 != kNoFd) return descriptor(text, event.fd2, event.fd2_path);
      text += event.text.empty() ? std::string_view("0") : event.text;
      return;
    case 'c':
      text += "child_stack=NULL, flags=";
      return hexadecimal(text, event.flags);
    case 'u':
      text += "{sa_family=AF_UNIX, sun_path=";
      quoted(text, event.path);
      text += '}';
      return;
    case 'R':
      text += "{msg_control=[{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=";
      text += event.text;
      return;
    case 'r':
      text += '[';
      number(text, event.result);
      text += ']';
      return;
    default:
      text += index == 1 ? "\"\"..." : "0";
      return;
  }
}

void LineWriter::result(const Event& event, std::string& text) {
  text += " = ";
  if (!event.has_result) {
    text += '?';
  } else if (event.error != 0) {
    const char* const name = strerrorname_np(event.error);
    std::int32_t known = 0;
    text += "-1 ";
    if (name != nullptr && find_error(name, known) && known == event.error)
      text += name;
    else
      print(text, "ERRNO_%d", event.error);
    text += " (error)";
  } else if (!event.result_path.empty()) {
    descriptor(text, static_cast<std::int32_t>(event.result), event.result_path);
  } else {
    number(text, event.result);
  }
  if (!event.has_duration) return;
  text += " <";
  times(text, event.duration_ns);
  text += '>';
}

}  // namespace fcsim::traces::strace
