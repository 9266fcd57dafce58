#include "traces/strace/file_reader.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "traces/kernel_facts.h"
#include "traces/strace/arguments.h"
#include "traces/strace/digits.h"
#include "traces/strace/foreign_form.h"
#include "traces/strace/foreign_output.h"
#include "traces/strace/line_facts.h"

namespace fcsim::traces::strace {
namespace {

// So many lines that are not strace's at the beginning make a file no trace.
constexpr std::uint64_t kForeignLinesMaximum = 1000;

constexpr std::string_view kUnfinished = "<unfinished ...>";
constexpr std::string_view kDetached = "<detached ...>";
constexpr std::string_view kProcess = ": Process ";
// The program's own text in the middle of a call is not longer.
constexpr std::size_t kOutputLinesMaximum = 1000;
// Beyond the numbers that Linux gives (PID_MAX_LIMIT): processes whose lines do not name them.
constexpr std::int32_t kFirstNameless = 4'194'305;
constexpr std::int32_t kNamelessMaximum = 64;
constexpr std::uint64_t kCloneAll = 0x10f00;  // CLONE_THREAD, VM, FS, FILES, SIGHAND
constexpr char kEscape = '\x1b';

// Cheap to answer for most lines, which do not end in "...>".
bool is_interrupted(std::string_view text) {
  return text.ends_with("...>") && (text.ends_with(kUnfinished) || text.ends_with(kDetached));
}

std::string_view without_interruption(std::string_view text) {
  text.remove_suffix(text.ends_with(kUnfinished) ? kUnfinished.size() : kDetached.size());
  if (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool has_colours(std::string_view text) {
  return text.find(kEscape) != std::string_view::npos;
}

// Leaves out the sequences "ESC [ parameters letter".
void remove_colours(std::string_view text, std::string& plain) {
  plain.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != kEscape) {
      plain.push_back(text[i]);
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '[') ++i;
    while (i + 1 < text.size() && (is_digit(text[i + 1]) || text[i + 1] == ';')) ++i;
    if (i + 1 < text.size()) ++i;
  }
}

// Takes a duration in its usual form, " <0.000020>", from the end of the text.
bool cut_duration(Cursor& cursor, std::int64_t& duration_ns) {
  constexpr std::size_t kSize = std::string_view(" <0.000020>").size();
  if (cursor.left() < kSize) return false;
  const char* const begin = cursor.end - kSize;
  std::int64_t microseconds = 0;
  if (begin[0] != ' ' || begin[1] != '<' || !is_digit(begin[2]) || begin[3] != '.' ||
      begin[kSize - 1] != '>' || !take_six_digits(begin + 4, microseconds)) {
    return false;
  }
  duration_ns = ((begin[2] - '0') * std::int64_t{1'000'000} + microseconds) * 1000;
  cursor.end = begin;
  return true;
}

// Makes the event that of a call whose text is known.
void refill(Event& event, const Event& known) {
  const Event fresh = event;
  event = known;
  event.source = fresh.source;
  event.line = fresh.line;
  event.pid = fresh.pid;
  event.start_ns = fresh.start_ns;
}

// For calls whose arguments are not looked at: whether the line ends as that of a call does.
bool ends_as_call(std::string_view text) {
  if (is_interrupted(text)) return true;
  for (std::size_t end = text.size(); end >= 4;) {
    const std::size_t found = text.rfind(" = ", end - 1);
    if (found == std::string_view::npos || found == 0) return false;
    const char next = found + 3 < text.size() ? text[found + 3] : '\0';
    std::size_t before = found;
    while (before > 0 && text[before - 1] == ' ') --before;
    const bool closed = before > 0 && text[before - 1] == ')';
    if (closed && (next == '?' || next == '-' || is_digit(next))) return true;
    end = found;
  }
  return false;
}

bool is_program_character(char c) {
  return is_name_character(c) || c == '-' || c == '.' || c == '+' || c == '/';
}

// "strace: Process 75 attached", by whatever name strace goes: where that begins before the colon.
std::size_t begin_of_notice(std::string_view line, std::size_t colon, std::string_view program) {
  if (line.substr(0, colon).ends_with(program)) return colon - program.size();
  std::size_t begin = colon;
  while (begin > 0 && is_program_character(line[begin - 1])) --begin;
  return begin;
}

// The rows of the table that -c prints: "------ ----------- ..." and " 31.47    0.000220 ...".
bool is_table_row(std::string_view line) {
  if (line.starts_with("------ ")) return true;
  Cursor cursor{line.data(), line.data() + line.size()};
  cursor.skip_spaces();
  const char* const begin = cursor.at;
  while (is_digit(cursor.peek())) ++cursor.at;
  if (cursor.at == begin || cursor.at - begin > 3 || !cursor.take('.')) return false;
  for (int i = 0; i < 2; ++i) {
    if (!is_digit(cursor.peek())) return false;
    ++cursor.at;
  }
  return cursor.peek() == ' ';
}

}  // namespace

FileReader::FileReader(std::unique_ptr<ByteSource> bytes, std::string path, std::uint16_t source,
                       std::int32_t pid, const ReaderOptions& options,
                       std::shared_ptr<const Fingerprint> fingerprint)
    : lines_(std::move(bytes)),
      path_(std::move(path)),
      name_(path_ == "-" ? "standard input" : path_),
      source_(source),
      options_(options),
      fingerprint_(std::move(fingerprint)),
      unnamed_(pid) {}

std::vector<SourceFile> FileReader::sources() const {
  SourceFile file{path_, statistics_.lines, 0, 0};
  if (fingerprint_ != nullptr) {
    file.bytes = fingerprint_->bytes;
    file.xxh64 = fingerprint_->xxh64;
  }
  return {std::move(file)};
}

bool FileReader::next(Event& event) {
  for (;;) {
    if (!submissions_.empty()) {
      if (!submissions_.next(event)) continue;
      ++statistics_.events;
      return true;
    }
    if (order_.ready()) {
      if (!order_.pop(event)) continue;
      count(event);
      return true;
    }
    if (order_.size() > kHeldEventsMaximum) {
      release_foremost();
      continue;
    }
    bool ready = false;
    if (!next_line(event, ready)) {
      if (finished_) return false;
      finish_input();
      continue;
    }
    if (!ready) continue;
    if (order_.empty()) {
      count(event);
      return true;
    }
    order_.push(event);
  }
}

// Reads one line; `ready` if it gave an event. False at the end of the input.
bool FileReader::next_line(Event& event, bool& ready) {
  std::string_view line;
  if (!lines_.next(line)) return false;
  ++statistics_.lines;
  line_number_ = statistics_.lines;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (line.empty()) return true;
  decoder_.clear();
  memo_.next_text();
  if (!split_line_.empty() && !is_notice(line)) {
    if (!split_by_output_) {
      line = join_split_line(line);
    } else if (ends_terminal_write(line)) {
      line = join_split_line(line);
    } else if (++output_lines_ < kOutputLinesMaximum && behind_output(line).empty() &&
               !looks_like_call(line)) {
      return true;  // the program's own text
    } else {
      split_line_.clear();
    }
  }
  LineFacts facts;
  const bool has_facts = line.ends_with(']') && cut_facts(line, facts);
  Outcome outcome = parse_line(line, event);
  if (outcome == Outcome::failed && has_colours(line)) {
    remove_colours(line, without_colours_);
    line = without_colours_;
    decoder_.clear();
    outcome = line.empty() ? Outcome::nothing : parse_line(line, event);
  }
  if (outcome == Outcome::failed && recognised_) {
    const std::string_view rest = behind_output(line);
    if (!rest.empty() && !keep_split_line(line)) {
      decoder_.clear();
      outcome = parse_line(rest, event);
    }
  }
  if (outcome == Outcome::failed) {
    if (!keep_split_line(line) && !keep_interrupted_write(line)) report(line);
    return true;
  }
  ready = outcome == Outcome::event;
  if (ready && has_facts) {
    event.cpu = facts.cpu;
    event.cpu_end = facts.cpu_end;
    if (!is_fact(event.call)) event.transaction = facts.transaction;
  }
  return true;
}

// On a terminal, strace breaks a line off to say that it follows a new process:
//   vfork(strace: Process 123 attached
//    <unfinished ...>
// Keeps what was broken off until its rest comes. False if the line is none of these.
bool FileReader::keep_split_line(std::string_view line) {
  const std::size_t colon = line.rfind(kProcess);
  if (colon == std::string_view::npos || !split_line_.empty()) return false;
  const std::size_t notice = begin_of_notice(line, colon, program_);
  if (notice == 0) return false;
  if (parse_notice(Cursor{line.data() + notice, line.data() + line.size()}) == Outcome::failed) {
    return false;
  }
  split_line_ = line.substr(0, notice);
  split_line_number_ = line_number_;
  split_by_output_ = false;
  return true;
}

// "write(2, "hello\n", 6hello" and then ")  = 6": what the program wrote there stands in between.
bool FileReader::keep_interrupted_write(std::string_view line) {
  Cursor cursor{line.data(), line.data() + line.size()};
  Prefix prefix;
  Failure ignored;
  if (!recognised_ && statistics_.lines > kForeignLinesMaximum) return false;
  if (!PrefixParser(prefix_).parse(cursor, prefix, ignored)) return false;
  if (!begins_terminal_write(cursor.rest())) return false;
  const std::size_t quote = cursor.rest().find(", \"");
  std::size_t end = line.size();
  if (quote != std::string_view::npos) {  // up to the length, which the text may follow directly
    Cursor argument{cursor.at + quote + 2, cursor.end};
    std::string_view raw;
    bool truncated = false;
    if (take_string(argument, raw, truncated) && argument.take(", ")) {
      while (is_digit(argument.peek())) ++argument.at;
      end = static_cast<std::size_t>(argument.at - line.data());
    }
  }
  split_line_ = line.substr(0, end);
  split_line_number_ = line_number_;
  split_by_output_ = true;
  output_lines_ = 0;
  return true;
}

bool FileReader::is_notice(std::string_view line) const {
  return line.size() > program_.size() && line.starts_with(program_) &&
         line.substr(program_.size()).starts_with(kProcess);
}

// A line that some column or a call that is known begins.
bool FileReader::looks_like_call(std::string_view line) const {
  Cursor cursor{line.data(), line.data() + line.size()};
  Prefix prefix;
  Failure ignored;
  if (!PrefixParser(prefix_).parse(cursor, prefix, ignored)) return false;
  if (cursor.rest().starts_with("<... ") || cursor.rest().starts_with("+++ ")) return true;
  const std::size_t bracket = cursor.rest().find('(');
  return bracket != std::string_view::npos &&
         find_call(cursor.rest().substr(0, bracket)).call != Call::other;
}

std::string_view FileReader::join_split_line(std::string_view rest) {
  joined_line_ = split_line_;
  joined_line_ += rest;
  split_line_.clear();
  line_number_ = split_line_number_;
  return joined_line_;
}

void FileReader::place_by_line(const Cursor& cursor, Prefix& prefix) {
  line_times_->add(line_number_, prefix, cursor.rest());
  prefix.has_time = true;
  prefix.time_ns = static_cast<std::int64_t>(line_number_);
}

FileReader::Outcome FileReader::parse_line(std::string_view line, Event& event) {
  if (in_table_) {
    bool is_row = false;
    const Outcome outcome = parse_table_row(line, is_row);
    if (is_row) return outcome;
  }
  Cursor cursor{line.data(), line.data() + line.size()};
  Prefix prefix;
  if (!prefix_.parse(cursor, prefix, failure_)) return Outcome::failed;
  note_time(prefix);
  if (line_times_ != nullptr) place_by_line(cursor, prefix);
  switch (cursor.peek()) {
    case '<':
      return parse_resumed(cursor, prefix, event);
    case '+':
      return parse_exit(cursor, prefix, event);
    case '-':
      if (!cursor.take("--- ") || !cursor.rest().ends_with("---")) break;
      recognise();
      return Outcome::nothing;
    case '*':
      begin_event(event, prefix);
      if (!parse_fact(cursor, event, decoder_, failure_)) return Outcome::failed;
      recognise();
      enter(event);
      return Outcome::event;
    case '>':
      if (line.front() == '>' && !recognised_) break;  // a quoted mail
      return Outcome::nothing;                         // a line of a stack (-k)
    case '[':
      if (cursor.rest().starts_with("[ Process PID=")) return Outcome::nothing;
      break;
    case '%':
      if (!cursor.rest().starts_with("% time")) break;
      if (!recognised_) refuse("this is the summary of strace -c, which tells nothing of files");
      in_table_ = true;
      return Outcome::nothing;
    default:
      return parse_call(cursor, prefix, event);
  }
  failure_.at(cursor.at, "expected a system call, a signal or an exit");
  return Outcome::failed;
}

FileReader::Outcome FileReader::parse_call(Cursor cursor, const Prefix& prefix, Event& event) {
  begin_event(event, prefix);
  if (shortcut_ && common_calls_.parse(cursor, event)) {
    if (active_ != 0) begin_call(event);
    recognise();
    statistics_.has_durations = statistics_.has_durations || event.has_duration;
    statistics_.has_fd_paths = statistics_.has_fd_paths || !event.fd_path.empty();
    enter(event);
    return Outcome::event;
  }
  Outcome outcome = Outcome::nothing;
  if (shortcut_ && recall(cursor, event, outcome)) return outcome;
  return parse_named(cursor, prefix, event);
}

// A call whose text was seen before. False if it was not.
bool FileReader::recall(Cursor cursor, Event& event, Outcome& outcome) {
  std::int64_t duration_ns = 0;
  memo_timed_ = cut_duration(cursor, duration_ns);
  const CallMemo::Entry* const known = memo_.find(cursor.rest());
  if (known == nullptr) return false;
  if (active_ != 0) begin_call(event);
  switch (known->kind) {
    case CallMemo::Kind::ignored:
      ++statistics_.ignored_calls;
      outcome = Outcome::nothing;
      return true;
    case CallMemo::Kind::event:
      refill(event, known->event);
      event.has_duration = memo_timed_;
      event.duration_ns = duration_ns;
      statistics_.has_durations = statistics_.has_durations || memo_timed_;
      enter(event);
      outcome = Outcome::event;
      return true;
    case CallMemo::Kind::begun:
    case CallMemo::Kind::begun_ignored:
      break;
  }
  const bool ignored = known->kind == CallMemo::Kind::begun_ignored;
  cursor.at += cursor.rest().find('(') + 1;
  outcome = keep_pending(without_interruption(cursor.rest()), *known->rule, ignored, event);
  return true;
}

// What came of the text that the memo was asked for last.
void FileReader::remember(CallMemo::Kind kind, const CallRule& rule, const Event& event) {
  // A duration in an unusual form would be taken for a part of the text.
  if (event.has_duration == memo_timed_) memo_.keep(kind, rule, event);
}

// Only a name that is not known may be a number, or ltrace's.
const CallRule& FileReader::rule_of(std::string_view name) const {
  const CallRule& rule = find_call(name);
  if (rule.call != Call::other) return rule;
  if (name.starts_with("SYS_")) refuse_other_tracer("@SYS(");
  return name.starts_with("syscall_") ? find_numbered_call(name) : rule;
}

FileReader::Outcome FileReader::parse_named(Cursor cursor, const Prefix& prefix, Event& event) {
  const char* const begin = cursor.at;
  while (!cursor.done() && (is_name_character(*cursor.at) || *cursor.at == '#')) ++cursor.at;
  const std::string_view name(begin, static_cast<std::size_t>(cursor.at - begin));
  if (name.empty() || is_digit(name.front()) || !cursor.take('(')) {
    if (name.empty() || cursor.rest().starts_with("@SYS(")) refuse_other_tracer(cursor.rest());
    return parse_notice(Cursor{begin, cursor.end});
  }
  const CallRule& rule = rule_of(name);
  if (active_ != 0) begin_call(event);
  if (rule.call == Call::other) {
    if (!ends_as_call(cursor.rest())) {
      failure_.at(cursor.end, "expected ') = RESULT' at the end of the line");
      return Outcome::failed;
    }
    recognise();
    remember(CallMemo::Kind::ignored, rule, event);
    ++statistics_.ignored_calls;
    return Outcome::nothing;
  }
  if (is_interrupted(cursor.rest())) return parse_interrupted(cursor.rest(), rule, event);
  const Outcome outcome = parse_returned(cursor, rule, event);
  if (outcome == Outcome::event) {
    enter(event);
    if (event.call == Call::fork && !(prefix.has_pid && !prefix.bracketed)) {
      unnamed_.forked(static_cast<std::int32_t>(event.result));
    }
  }
  return outcome;
}

// From after the '(' to the end of a line, or of the joined halves of a call.
FileReader::Outcome FileReader::parse_returned(Cursor cursor, const CallRule& rule, Event& event) {
  ResultNotes notes;
  if (!parse_arguments(cursor, rule, false, event, decoder_, failure_) ||
      !parse_result(cursor, event, notes, decoder_, failure_)) {
    return Outcome::failed;
  }
  if ((rule.traits & trait::result_in_argument) != 0) {
    if (event.has_result && event.error == 0) event.result = event.length;
    event.length = -1;
  }
  recognise();
  statistics_.has_durations = statistics_.has_durations || event.has_duration;
  statistics_.has_fd_paths = statistics_.has_fd_paths || !event.fd_path.empty();
  if (event.call == Call::other) {
    remember(CallMemo::Kind::ignored, rule, event);
    ++statistics_.ignored_calls;
  } else if (notes.restarted) {
    ++statistics_.restarted_calls;
  } else if (notes.injected) {
    ++statistics_.injected_calls;
  } else {
    if (event.call != Call::fork) remember(CallMemo::Kind::event, rule, event);
    return Outcome::event;
  }
  return Outcome::nothing;
}

// The first part of a call: keeps its place, or yields at once what will not return.
FileReader::Outcome FileReader::parse_interrupted(std::string_view text, const CallRule& rule,
                                                  Event& event) {
  if (has_colours(text)) {
    failure_.at(text.data(), "expected a line without colours");
    return Outcome::failed;
  }
  const bool detached = text.ends_with(kDetached);
  text = without_interruption(text);
  Cursor cursor{text.data(), text.data() + text.size()};
  if (!parse_arguments(cursor, rule, true, event, decoder_, failure_)) return Outcome::failed;
  recognise();
  if ((rule.traits & trait::final) != 0 || detached) {
    if (event.call == Call::other || (detached && (rule.traits & trait::late) != 0)) {
      return Outcome::nothing;
    }
    enter(event);
    return Outcome::event;
  }
  const bool ignored = event.call == Call::other;
  remember(ignored ? CallMemo::Kind::begun_ignored : CallMemo::Kind::begun, rule, event);
  return keep_pending(text, rule, ignored, event);
}

// Keeps the place of a call and the text from after the '(' until the rest comes.
FileReader::Outcome FileReader::keep_pending(std::string_view text, const CallRule& rule,
                                             bool ignored, Event& event) {
  Pending& pending = pending_[event.pid];
  assert(!pending.active);
  pending.active = true;
  ++active_;
  pending.rule = &rule;
  pending.ignored = ignored;
  pending.held = !pending.ignored && (rule.traits & trait::late) == 0;
  pending.line = event.line;
  if (pending.held) {
    enter(event);
    pending.ticket = order_.push_open(event.pid);
  }
  pending.start_ns = event.start_ns;
  pending.text.assign(pending.ignored ? std::string_view{} : text);
  return Outcome::nothing;
}

// "<... write resumed>) = 4096"
FileReader::Outcome FileReader::parse_resumed(Cursor cursor, const Prefix& prefix, Event& event) {
  const char* const begin = cursor.at;
  const std::size_t found = cursor.rest().find(" resumed>");
  if (!cursor.take("<... ") || found == std::string_view::npos || found < 5) {
    failure_.at(begin, "expected '<... CALL resumed>'");
    return Outcome::failed;
  }
  const std::string_view name(begin + 5, found - 5);
  cursor.at = begin + found + std::strlen(" resumed>");
  if (has_colours(cursor.rest())) {
    failure_.at(begin, "expected a line without colours");
    return Outcome::failed;
  }
  const CallRule& rule = find_call(name);
  const bool interrupted = is_interrupted(cursor.rest());
  if (rule.call == Call::other) {
    if (!interrupted) ++statistics_.ignored_calls;
    recognise();
    return Outcome::nothing;
  }
  begin_event(event, prefix);
  if (active_ != 0 && is_nameless(event)) event.pid = nameless_in(rule.call);
  const auto entry = active_ == 0 ? pending_.end() : pending_.find(event.pid);
  if (entry == pending_.end() || !entry->second.active || entry->second.rule->call != rule.call) {
    abandon_process(event.pid);
    return parse_orphan(cursor, rule, prefix, event);
  }
  Pending& pending = entry->second;
  const std::string_view text = cursor.rest();
  if (interrupted) {
    if (!pending.ignored) pending.text += without_interruption(text);
    if (text.ends_with(kDetached)) abandon_process(event.pid);
    return Outcome::nothing;
  }
  if (!pending.ignored) {
    pending.text += text;
    return finish_pending(pending, prefix, event);
  }
  pending.active = false;
  --active_;
  ++statistics_.ignored_calls;
  return Outcome::nothing;
}

// All of the call is in pending.text.
FileReader::Outcome FileReader::finish_pending(Pending& pending, const Prefix& prefix,
                                               Event& event) {
  pending.active = false;
  --active_;
  event.line = pending.line;
  event.start_ns = pending.start_ns;
  const Outcome outcome = parse_joined(pending, event);
  if (outcome == Outcome::event && (prefix.bracketed || !prefix.has_pid) &&
      event.call == Call::fork) {
    unnamed_.forked(static_cast<std::int32_t>(event.result));
  }
  if (!pending.held) {
    event.start_ns = prefix.time_ns;
    event.has_duration = false;
    event.duration_ns = 0;
    if (outcome == Outcome::event) enter(event);
    return outcome;
  }
  if (outcome != Outcome::event) {
    order_.drop(pending.ticket);
    return outcome;
  }
  if (!event.has_duration && prefix.has_time && prefix.time_ns >= pending.start_ns) {
    event.has_duration = true;
    event.duration_ns = prefix.time_ns - pending.start_ns;
  }
  order_.complete(pending.ticket, event);
  return Outcome::nothing;
}

FileReader::Outcome FileReader::parse_joined(const Pending& pending, Event& event) {
  const Cursor text{pending.text.data(), pending.text.data() + pending.text.size()};
  if (!shortcut_) return parse_returned(text, *pending.rule, event);
  Cursor cursor = text;
  std::int64_t duration_ns = 0;
  memo_timed_ = cut_duration(cursor, duration_ns);
  const CallMemo::Entry* const known = memo_.find(cursor.rest(), pending.rule->call);
  if (known == nullptr) return parse_returned(text, *pending.rule, event);
  if (known->kind == CallMemo::Kind::ignored) {
    ++statistics_.ignored_calls;
    return Outcome::nothing;
  }
  assert(known->kind == CallMemo::Kind::event);
  refill(event, known->event);
  event.has_duration = memo_timed_;
  event.duration_ns = duration_ns;
  statistics_.has_durations = statistics_.has_durations || memo_timed_;
  return Outcome::event;
}

// A second half whose first half is not in the trace.
FileReader::Outcome FileReader::parse_orphan(Cursor cursor, const CallRule& rule,
                                             const Prefix& prefix, Event& event) {
  recognise();
  if ((rule.traits & trait::final) != 0) return Outcome::nothing;  // "= ?", yielded at entry
  ++statistics_.orphan_resumed;
  constexpr std::uint8_t kUsable = trait::whole_at_return | trait::path_at_return;
  if ((rule.traits & kUsable) == 0 || is_interrupted(cursor.rest())) return Outcome::nothing;
  CallRule half = rule;
  switch (rule.call) {
    case Call::pipe:
      half.arguments = "v";
      break;
    case Call::getcwd:
      half.arguments = "t";
      break;
    case Call::recvmsg:
      half.arguments = "R";
      break;
    default:
      half.arguments = "";
      break;
  }
  if (cursor.take(',')) cursor.skip_spaces();
  const Outcome outcome = parse_returned(cursor, half, event);
  if (outcome != Outcome::event) return outcome;
  const bool shown = (rule.traits & trait::whole_at_return) != 0 || !event.result_path.empty();
  if (!shown || !event.has_result || event.error != 0) return Outcome::nothing;
  --statistics_.orphan_resumed;
  event.start_ns = prefix.time_ns;
  event.has_duration = false;
  event.duration_ns = 0;
  enter(event);
  return Outcome::event;
}

// "+++ exited with 0 +++", "+++ killed by SIGKILL +++", "+++ superseded by execve in pid 5 +++"
FileReader::Outcome FileReader::parse_exit(Cursor cursor, const Prefix& prefix, Event& event) {
  const char* const begin = cursor.at;
  if (!cursor.take("+++ ") || !cursor.rest().ends_with("+++")) {
    failure_.at(begin, "expected '+++ exited with STATUS +++'");
    return Outcome::failed;
  }
  if (cursor.rest().starts_with("exited (status ")) refuse_other_tracer("@SYS(");
  begin_event(event, prefix);
  event.call = Call::process_exited;
  std::uint64_t number = 0;
  if (cursor.take("superseded by execve in pid ") && take_number(cursor, number)) {
    const std::int32_t successor = static_cast<std::int32_t>(number & 0x7fffffff);
    event.call = Call::process_replaced;
    event.has_result = true;
    event.result = successor;
    if (active_ != 0) abandon_process(event.pid);
    // The thread that called execve goes on under the pid of the process, its call with it.
    const auto caller = pending_.find(successor);
    if (caller != pending_.end() && caller->second.active && successor != event.pid) {
      Pending moved = std::move(caller->second);
      pending_.erase(caller);
      if (moved.held) order_.move_open(moved.ticket, event.pid);
      pending_[event.pid] = std::move(moved);
    }
  } else {
    if (cursor.take("exited with ") && take_number(cursor, number)) event.argument = number;
    if (active_ != 0) abandon_process(event.pid);
    pending_.erase(event.pid);
    unnamed_.exited(event.pid);
  }
  recognise();
  enter(event);
  return Outcome::event;
}

// What strace says of itself: "strace: Process 75 attached", "Process 75 detached".
FileReader::Outcome FileReader::parse_notice(Cursor cursor) {
  const char* const begin = cursor.at;
  const std::size_t colon = cursor.rest().find(kProcess);
  bool named = cursor.take("strace: ");
  if (!named && colon != std::string_view::npos && colon != 0 &&
      std::all_of(begin, begin + colon, is_program_character)) {
    program_.assign(begin, colon);
    cursor.at = begin + colon + 2;
    named = true;
  }
  const bool process = cursor.take("Process ");
  std::uint64_t number = 0;
  if (process && take_number(cursor, number)) {
    const std::int32_t pid = static_cast<std::int32_t>(number & 0x7fffffff);
    if (cursor.take(" attached")) {
      recognise();
      unnamed_.forked(pid);
      return Outcome::nothing;
    }
    if (cursor.take(" detached")) {
      recognise();
      if (active_ != 0) abandon_process(pid);
      return Outcome::nothing;
    }
  }
  if (named) return Outcome::nothing;
  failure_.at(begin, "expected a system call, a signal or an exit");
  return Outcome::failed;
}

// After a trace, the table that -C adds.
FileReader::Outcome FileReader::parse_table_row(std::string_view line, bool& is_row) {
  is_row = is_table_row(line);
  if (!is_row || line.ends_with(" total")) in_table_ = false;
  return Outcome::nothing;
}

void FileReader::begin_event(Event& event, const Prefix& prefix) {
  event = Event{};
  event.source = source_;
  event.line = line_number_;
  event.pid = resolve_pid(prefix);
  event.start_ns = prefix.time_ns;
}

// Gives an event its place after all those before. Entry times must not run backwards: where a
// clock was set back, they stand still.
void FileReader::enter(Event& event) {
  if (any_entry_ && event.start_ns < last_entry_ns_) {
    ++statistics_.reordered;
    event.start_ns = last_entry_ns_;
  }
  any_entry_ = true;
  last_entry_ns_ = event.start_ns;
}

// Called for every event that is yielded.
void FileReader::count(const Event& event) {
  ++statistics_.events;
  if (event.call == Call::io_submit) submissions_.begin(event);
}

std::int32_t FileReader::resolve_pid(const Prefix& prefix) {
  if (!prefix.has_pid) return unnamed_.unnamed();
  statistics_.has_pids = true;
  return prefix.bracketed ? unnamed_.named(prefix.pid) : prefix.pid;
}

void FileReader::note_time(const Prefix& prefix) {
  if (!prefix.has_time) return;
  if (statistics_.time_base == TimeBase::none) {
    statistics_.time_base = prefix_.time_base();
    statistics_.first_time_ns = prefix.time_ns;
  }
  statistics_.last_time_ns = prefix.time_ns;
}

// A process begins a call: one that it was in will not be resumed. In a trace that names no
// process, that one was another's.
void FileReader::begin_call(Event& event) {
  const auto entry = pending_.find(event.pid);
  if (entry == pending_.end() || !entry->second.active) return;
  if (is_nameless(event))
    event.pid = free_nameless(event);
  else
    abandon(entry->second, event.pid);
}

bool FileReader::is_nameless(const Event& event) const {
  return event.pid == 0 && !statistics_.has_pids;
}

// A process that is in no call. It shares descriptors and directories with the first, as far as
// the trace can tell.
std::int32_t FileReader::free_nameless(const Event& event) {
  for (std::int32_t pid = kFirstNameless; pid < kFirstNameless + kNamelessMaximum; ++pid) {
    const auto entry = pending_.find(pid);
    if (entry != pending_.end() && entry->second.active) continue;
    if (pid < kFirstNameless + nameless_) return pid;
    ++nameless_;
    Event fork;
    fork.call = Call::fork;
    fork.name = "clone";
    fork.source = source_;
    fork.line = event.line;
    fork.start_ns = event.start_ns;
    fork.has_result = true;
    fork.result = pid;
    fork.flags = kCloneAll;
    enter(fork);
    order_.push(fork);
    return pid;
  }
  abandon_process(event.pid);
  return event.pid;
}

// The process that is in such a call, for the longest.
std::int32_t FileReader::nameless_in(Call call) const {
  std::int32_t found = 0;
  std::uint64_t line = UINT64_MAX;
  for (std::int32_t k = -1; k < nameless_; ++k) {
    const std::int32_t pid = k < 0 ? 0 : kFirstNameless + k;
    const auto entry = pending_.find(pid);
    if (entry == pending_.end() || !entry->second.active) continue;
    if (entry->second.rule->call != call || entry->second.line >= line) continue;
    found = pid;
    line = entry->second.line;
  }
  return found;
}

// Yields what is known of a call that will not be resumed.
void FileReader::abandon(Pending& pending, std::int32_t pid) {
  assert(pending.active);
  pending.active = false;
  --active_;
  if (!pending.held) return;
  ++statistics_.never_resumed;
  Event event;
  event.source = source_;
  event.line = pending.line;
  event.pid = pid;
  event.start_ns = pending.start_ns;
  Cursor cursor{pending.text.data(), pending.text.data() + pending.text.size()};
  StringDecoder decoder;
  Failure ignored;
  if (parse_arguments(cursor, *pending.rule, true, event, decoder, ignored) &&
      event.call != Call::other) {
    order_.complete(pending.ticket, event);
  } else {
    order_.drop(pending.ticket);
  }
}

void FileReader::abandon_process(std::int32_t pid) {
  const auto entry = pending_.find(pid);
  if (entry != pending_.end() && entry->second.active) abandon(entry->second, pid);
}

void FileReader::release_foremost() {
  const std::int32_t pid = order_.foremost_pid();
  const auto entry = pending_.find(pid);
  assert(entry != pending_.end() && entry->second.active && entry->second.held &&
         entry->second.ticket == order_.foremost());
  ++statistics_.released_early;
  abandon(entry->second, pid);
}

void FileReader::abandon_all() {
  for (auto& [pid, pending] : pending_) {
    if (pending.active) abandon(pending, pid);
  }
}

// At the first line that can only be strace's.
void FileReader::recognise_first() {
  recognised_ = true;
  if (options_.strict && statistics_.unparsable != 0) {
    const Diagnostic& first = statistics_.first_diagnostics.front();
    throw model::InputError(first.position, first.message);
  }
}

// Counts a line that could not be parsed.
void FileReader::report(std::string_view line) {
  ++statistics_.unparsable;
  // The failure may lie in the half of a call that came before: then all of this line is meant.
  const char* const where = failure_.where;
  const bool inside = where >= line.data() && where <= line.data() + line.size();
  const std::uint64_t column =
      inside ? static_cast<std::uint64_t>(where - line.data()) + 1 : std::uint64_t{1};
  std::string message(failure_.expected);
  if (!failure_.found.empty()) message += ", found '" + std::string(failure_.found) + "'";
  if (lines_.ended_within_line()) message += " (the file ends within this line)";
  const model::Position position{name_, line_number_, column};
  if (options_.strict && recognised_) throw model::InputError(position, message);
  if (statistics_.first_diagnostics.size() < kDiagnosticsMaximum) {
    statistics_.first_diagnostics.push_back({position, std::move(message)});
  }
  if (recognised_) return;
  if (foreign_.empty()) foreign_ = describe_foreign(line);
  if (statistics_.unparsable >= kForeignLinesMaximum)
    refuse(foreign_.empty() ? "none of the first lines is strace's" : foreign_);
}

void FileReader::finish_input() {
  finished_ = true;
  if (!recognised_ && statistics_.unparsable != 0)
    refuse(foreign_.empty() ? "none of its lines is strace's" : foreign_);
  abandon_all();
  const std::string_view shortfall = lines_.source().shortfall();
  if (shortfall.empty()) return;
  const model::Position position{name_, statistics_.lines, 0};
  if (options_.strict) throw model::InputError(position, std::string(shortfall));
  ++statistics_.unparsable;
  if (statistics_.first_diagnostics.size() < kDiagnosticsMaximum) {
    statistics_.first_diagnostics.push_back({position, std::string(shortfall)});
  }
}

// ltrace -S shows system calls, but neither their flags nor their results in strace's words.
void FileReader::refuse_other_tracer(std::string_view text) const {
  if (text.starts_with("@SYS("))
    throw model::InputError(
        {name_, line_number_, 0},
        "not strace's text but ltrace's, whose calls have no flags, paths or lengths "
        "that could be used; record one with: " +
            std::string(kRecordingRecipe));
}

void FileReader::refuse(const std::string& reason) const {
  throw model::InputError({name_, 0, 0}, "not a trace: " + reason +
                                             "; record one with: " + std::string(kRecordingRecipe));
}

}  // namespace fcsim::traces::strace
