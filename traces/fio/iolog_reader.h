// Reads fio's iologs, versions 2 and 3 (fio(1), "TRACE FILE FORMAT"), as --write_iolog makes them.
//
// An action is told as the call that fio's engine psync makes for it:
//   open             openat(O_RDWR | O_CREAT, 0600), the descriptor numbers counting from 3
//   close            close
//   read, write      pread, pwrite at the offset; the whole length succeeds
//   sync, datasync   fsync, fdatasync
//   trim             nothing: BLKDISCARD fails on files with ENOTTY (measured with fio 3.33)
//   sync_file_range  nothing: its flags are not in the log
//   wait             time passes (version 2)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "traces/input.h"
#include "traces/reader.h"

namespace fcsim::traces::fio {

// Every iolog begins with this, after which the version stands.
inline constexpr std::string_view kFirstWords = "fio version ";

class IologReader final : public TraceReader {
 public:
  // `name` stands for the file in messages. Throws InputError, here, where the first line is that
  // of another version.
  IologReader(std::unique_ptr<ByteSource> bytes, std::string name, const ReaderOptions& options);

  bool next(Event& event) override;
  [[nodiscard]] const ReaderStatistics& statistics() const override { return statistics_; }
  [[nodiscard]] std::vector<SourceFile> sources() const override {
    return {{name_, statistics_.lines, 0, 0}};
  }
  [[nodiscard]] std::vector<std::string> assumed() const override;
  [[nodiscard]] std::map<std::string, std::uint64_t> unsupported() const override {
    return unsupported_;
  }

 private:
  struct File {
    std::string name;
    std::int32_t fd = kNoFd;  // kNoFd: not open
  };
  // A word of a line and its column, counted from 1.
  struct Word {
    std::string_view text;
    std::uint64_t column = 0;
  };

  void read_first_line();
  // True if the line became an event.
  void check_files() const;
  bool parse(std::string_view line, Event& event);
  bool file_action(const Word& name, const Word& action, Event& event);
  bool io_action(File& file, const std::vector<Word>& words, Event& event);
  bool wait(const Word& microseconds);
  bool take_time(const Word& word);
  void begin(Event& event, Call call, const File& file);
  bool number(const Word& word, std::int64_t& value);
  // Notes the line as unparsable, or throws; always false.
  bool complain(std::uint64_t column, const std::string& message);

  LineInput lines_;
  std::string name_;
  ReaderOptions options_;
  ReaderStatistics statistics_;
  std::map<std::string, std::uint64_t> unsupported_;
  std::map<std::string, File, std::less<>> files_;  // by name
  std::int32_t next_fd_ = 3;
  bool has_times_ = false;  // version 3
  bool first_time_ = true;
  std::int64_t now_ns_ = 0;
  std::int64_t duration_ns_ = 0;  // of the present action, where it is assumed
};

}  // namespace fcsim::traces::fio
