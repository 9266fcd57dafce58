#include "traces/fio/iolog_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "traces/assumed_durations.h"

namespace fcsim::traces::fio {
namespace {

constexpr std::uint64_t kOpenFlags = 0102;  // O_RDWR | O_CREAT on x86-64
constexpr std::uint64_t kOpenMode = 0600;
constexpr std::int64_t kLongestUs = std::numeric_limits<std::int64_t>::max() / 1000;

}  // namespace

IologReader::IologReader(std::unique_ptr<ByteSource> bytes, std::string name,
                         const ReaderOptions& options)
    : lines_(std::move(bytes)), name_(std::move(name)), options_(options) {
  read_first_line();
  statistics_.time_base = TimeBase::relative;
  statistics_.has_durations = !has_times_;
}

void IologReader::read_first_line() {
  std::string_view line;
  lines_.next(line);
  ++statistics_.lines;
  if (line.ends_with('\r')) line.remove_suffix(1);
  has_times_ = line == "fio version 3 iolog";
  if (!has_times_ && line != "fio version 2 iolog")
    throw model::InputError({name_, 1, kFirstWords.size() + 1},
                            "expected 'fio version 2 iolog' or 'fio version 3 iolog'");
}

bool IologReader::next(Event& event) {
  std::string_view line;
  while (lines_.next(line)) {
    ++statistics_.lines;
    if (lines_.ended_within_line()) {
      complain(line.size() + 1, "the log is cut: its last line has no end");
      break;
    }
    if (!parse(line, event)) continue;
    ++statistics_.events;
    return true;
  }
  if (const std::string_view missing = lines_.source().shortfall(); !missing.empty())
    complain(0, std::string(missing));
  check_files();
  return false;
}

// What was done to a device passed by every file system.
void IologReader::check_files() const {
  const auto is_device = [](const auto& file) { return file.second.name.starts_with("/dev/"); };
  if (files_.empty() || !std::all_of(files_.begin(), files_.end(), is_device)) return;
  throw model::InputError({name_, 0, 0},
                          "is an iolog of the device " + files_.begin()->second.name +
                              ", which no file system sees; record a job that works on files (fio "
                              "--directory=/MOUNT-POINT --write_iolog=FILE)");
}

bool IologReader::parse(std::string_view line, Event& event) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < line.size();) {
    at = line.find_first_not_of(" \t\r", at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back({line.substr(at, end - at), at + 1});
    at = end;
  }
  if (words.empty()) return false;
  if (has_times_) {
    if (!take_time(words.front())) return false;
    words.erase(words.begin());
  } else {
    now_ns_ += std::exchange(duration_ns_, 0);
    statistics_.last_time_ns = now_ns_;
  }
  if (words.size() == 2) return file_action(words[0], words[1], event);
  if (words.size() != 4)
    return complain(words.empty() ? line.size() + 1 : words.back().column,
                    "expected a file and an action, or a file, an action, an offset and a length");
  if (!has_times_ && words[1].text == "wait") return wait(words[2]);
  const auto file = files_.find(words[0].text);
  if (file == files_.end())
    return complain(words[0].column,
                    "the file '" + std::string(words[0].text) + "' was not added before");
  return io_action(file->second, words, event);
}

bool IologReader::take_time(const Word& word) {
  std::int64_t microseconds = 0;
  if (!number(word, microseconds)) return false;
  if (microseconds > kLongestUs) return complain(word.column, "a time out of range");
  const std::int64_t time_ns = microseconds * 1000;
  if (!first_time_ && time_ns < now_ns_)
    ++statistics_.reordered;
  else
    now_ns_ = time_ns;
  if (std::exchange(first_time_, false)) statistics_.first_time_ns = now_ns_;
  statistics_.last_time_ns = now_ns_;
  return true;
}

bool IologReader::wait(const Word& word) {
  std::int64_t microseconds = 0;
  if (!number(word, microseconds)) return false;
  if (microseconds > kLongestUs - now_ns_ / 1000)
    return complain(word.column, "a wait out of range");
  now_ns_ += microseconds * 1000;
  statistics_.last_time_ns = now_ns_;
  return false;
}

bool IologReader::file_action(const Word& name, const Word& action, Event& event) {
  if (action.text == "add") {
    files_.try_emplace(std::string(name.text)).first->second.name = name.text;
    return false;
  }
  if (action.text != "open" && action.text != "close")
    return complain(action.column,
                    "expected add, open or close, found '" + std::string(action.text) + "'");
  const auto found = files_.find(name.text);
  if (found == files_.end())
    return complain(name.column, "the file '" + std::string(name.text) + "' was not added before");
  File& file = found->second;
  if (action.text == "open") {
    if (file.fd != kNoFd) return complain(action.column, "the file is open already");
    file.fd = next_fd_++;
    begin(event, Call::openat, file);
    event.fd = kAtFdCwd;
    event.fd_path = {};
    event.path = file.name;
    event.flags = kOpenFlags;
    event.argument = kOpenMode;
    event.result = file.fd;
    return true;
  }
  if (file.fd == kNoFd) return complain(action.column, "the file is not open");
  begin(event, Call::close, file);
  file.fd = kNoFd;
  return true;
}

bool IologReader::io_action(File& file, const std::vector<Word>& words, Event& event) {
  const std::string_view action = words[1].text;
  std::int64_t offset = 0;
  std::int64_t length = 0;
  if (action == "wait") return complain(words[1].column, "version 3 has no wait");
  if (!number(words[2], offset) || !number(words[3], length)) return false;
  if (length > std::numeric_limits<std::int64_t>::max() - offset)
    return complain(words[3].column, "offset and length exceed the largest file");
  if (action == "trim" || action == "sync_file_range") {
    ++unsupported_[action == "trim"
                       ? "trim actions of an iolog, which change no file (they discard devices)"
                       : "sync_file_range actions of an iolog, whose flags it does not hold"];
    return false;
  }
  const bool transfer = action == "read" || action == "write";
  if (!transfer && action != "sync" && action != "datasync")
    return complain(words[1].column, "expected read, write, sync, datasync, trim or wait, found '" +
                                         std::string(action) + "'");
  if (file.fd == kNoFd) return complain(words[0].column, "the file is not open");
  duration_ns_ = has_times_ ? 0 : transfer ? kAssumedTransferNs : kAssumedSyncNs;
  begin(event,
        action == "read"    ? Call::pread
        : action == "write" ? Call::pwrite
        : action == "sync"  ? Call::fsync
                            : Call::fdatasync,
        file);
  if (!transfer) return true;
  event.offset = offset;
  event.length = event.result = length;
  return true;
}

void IologReader::begin(Event& event, Call call, const File& file) {
  event = Event{};
  event.call = call;
  event.has_result = true;
  event.has_duration = duration_ns_ != 0;
  event.duration_ns = duration_ns_;
  event.fd = file.fd;
  if (file.name.starts_with('/')) event.fd_path = file.name;
  event.line = statistics_.lines;
  event.start_ns = now_ns_;
}

bool IologReader::number(const Word& word, std::int64_t& value) {
  const char* const end = word.text.data() + word.text.size();
  const auto result = std::from_chars(word.text.data(), end, value);
  if (result.ec == std::errc() && result.ptr == end && value >= 0) return true;
  return complain(word.column, "expected a whole number, found '" + std::string(word.text) + "'");
}

bool IologReader::complain(std::uint64_t column, const std::string& message) {
  const model::Position position{name_, statistics_.lines, column};
  if (options_.strict) throw model::InputError(position, message);
  ++statistics_.unparsable;
  if (statistics_.first_diagnostics.size() < kDiagnosticsMaximum)
    statistics_.first_diagnostics.push_back({position, message});
  return false;
}

std::vector<std::string> IologReader::assumed() const {
  std::vector<std::string> sentences = {
      "an iolog does not say what existed before: files that no manifest lists are created by "
      "their first open, and what fio did before the log began (laying files out) is not in it",
      "an iolog does not say how files were opened: buffered, without O_SYNC, one process; every "
      "read and write was complete"};
  if (!has_times_)
    sentences.emplace_back(
        "the iolog has no times (version 2): a read or write lasts 10 us, a sync 460 us, one "
        "after the other; waits are kept");
  else
    sentences.emplace_back("the iolog has no clock: its beginning lies on a tick");
  return sentences;
}

}  // namespace fcsim::traces::fio
