// Reads one file of strace's text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "traces/input.h"
#include "traces/reader.h"
#include "traces/strace/call_memo.h"
#include "traces/strace/calls.h"
#include "traces/strace/line_times.h"
#include "traces/strace/order.h"
#include "traces/strace/prefix.h"
#include "traces/strace/processes.h"
#include "traces/strace/result.h"
#include "traces/strace/shortcut.h"
#include "traces/strace/submissions.h"
#include "traces/strace/text.h"

namespace fcsim::traces::strace {

class FileReader final : public TraceReader {
 public:
  // `path` stands for the file in messages, `source` in the events; `pid` is that of lines without
  // a pid column; `fingerprint`, which may be null, is that of `bytes`.
  FileReader(std::unique_ptr<ByteSource> bytes, std::string path, std::uint16_t source,
             std::int32_t pid, const ReaderOptions& options,
             std::shared_ptr<const Fingerprint> fingerprint = nullptr);

  bool next(Event& event) override;
  [[nodiscard]] const ReaderStatistics& statistics() const override { return statistics_; }
  [[nodiscard]] std::vector<SourceFile> sources() const override;

  // From now on start_ns of an event is the number of the line that places it, and each line is
  // told to `times`, which must outlive the reader.
  void place_by_lines(LineTimes& times) { line_times_ = &times; }

  // For tests: read every line the general way, without the shortcut for common lines and without
  // remembering any.
  void disable_shortcut() { shortcut_ = false; }

 private:
  // What came of a line.
  enum class Outcome : std::uint8_t { event, nothing, failed };

  // A call of which the first part was seen.
  struct Pending {
    bool active = false;
    bool held = false;     // a place in order_ is kept for it
    bool ignored = false;  // of no consequence, whatever comes of it
    const CallRule* rule = nullptr;
    EntryOrder::Ticket ticket = 0;
    std::uint64_t line = 0;
    std::int64_t start_ns = 0;
    std::string text;  // from after the '(' up to the interruption
  };

  bool next_line(Event& event, bool& ready);
  Outcome parse_line(std::string_view line, Event& event);
  void place_by_line(const Cursor& cursor, Prefix& prefix);
  [[nodiscard]] const CallRule& rule_of(std::string_view name) const;
  Outcome parse_call(Cursor cursor, const Prefix& prefix, Event& event);
  Outcome parse_named(Cursor cursor, const Prefix& prefix, Event& event);
  bool recall(Cursor cursor, Event& event, Outcome& outcome);
  void remember(CallMemo::Kind kind, const CallRule& rule, const Event& event);
  Outcome parse_returned(Cursor cursor, const CallRule& rule, Event& event);
  Outcome parse_interrupted(std::string_view text, const CallRule& rule, Event& event);
  Outcome keep_pending(std::string_view text, const CallRule& rule, bool ignored, Event& event);
  Outcome parse_resumed(Cursor cursor, const Prefix& prefix, Event& event);
  Outcome parse_orphan(Cursor cursor, const CallRule& rule, const Prefix& prefix, Event& event);
  Outcome parse_joined(const Pending& pending, Event& event);
  Outcome finish_pending(Pending& pending, const Prefix& prefix, Event& event);
  Outcome parse_exit(Cursor cursor, const Prefix& prefix, Event& event);
  Outcome parse_notice(Cursor cursor);
  Outcome parse_table_row(std::string_view line, bool& is_row);

  bool keep_split_line(std::string_view line);
  bool keep_interrupted_write(std::string_view line);
  [[nodiscard]] bool is_notice(std::string_view line) const;
  [[nodiscard]] bool looks_like_call(std::string_view line) const;
  std::string_view join_split_line(std::string_view rest);
  void begin_event(Event& event, const Prefix& prefix);
  void enter(Event& event);
  void count(const Event& event);
  void begin_call(Event& event);
  [[nodiscard]] bool is_nameless(const Event& event) const;
  std::int32_t free_nameless(const Event& event);
  [[nodiscard]] std::int32_t nameless_in(Call call) const;
  void abandon(Pending& pending, std::int32_t pid);
  void abandon_process(std::int32_t pid);
  void release_foremost();
  void abandon_all();
  std::int32_t resolve_pid(const Prefix& prefix);
  void note_time(const Prefix& prefix);
  void recognise() {
    if (!recognised_) recognise_first();
  }
  void recognise_first();
  void report(std::string_view line);
  void finish_input();
  void refuse_other_tracer(std::string_view text) const;
  [[noreturn]] void refuse(const std::string& reason) const;

  LineInput lines_;
  std::string path_;
  std::string name_;  // of the file, for messages
  std::uint16_t source_;
  ReaderOptions options_;
  std::shared_ptr<const Fingerprint> fingerprint_;
  ReaderStatistics statistics_;
  std::string foreign_;  // what the first lines look like where they are not strace's
  PrefixParser prefix_;
  CommonCallParser common_calls_;
  CallMemo memo_;
  LineTimes* line_times_ = nullptr;
  bool memo_timed_ = false;  // the duration is not part of what the memo was asked for
  UnnamedProcesses unnamed_;
  EntryOrder order_;
  Submissions submissions_;
  std::unordered_map<std::int32_t, Pending> pending_;
  std::size_t active_ = 0;     // of pending_
  std::int32_t nameless_ = 0;  // processes beyond the first whose lines do not name them
  StringDecoder decoder_;
  Failure failure_;
  std::string without_colours_;
  std::string split_line_;          // the beginning of a line that strace interrupted with a notice
  std::string joined_line_;         // the same with its rest
  std::string program_ = "strace";  // what strace calls itself
  bool split_by_output_ = false;    // what interrupted it was the program's own text
  std::size_t output_lines_ = 0;    // of that text
  std::uint64_t line_number_ = 0;   // on which what is being parsed began
  std::uint64_t split_line_number_ = 0;
  std::int64_t last_entry_ns_ = 0;
  bool any_entry_ = false;
  bool recognised_ = false;  // at least one line was strace's
  bool in_table_ = false;    // of -c, after the trace
  bool shortcut_ = true;
  bool finished_ = false;
};

}  // namespace fcsim::traces::strace
