#include "sim/workload/strace_writer.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace fcsim::workload {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 18;
constexpr std::size_t kResultColumn = 40;  // strace's -a
constexpr std::uint64_t kShownBytes = 32;  // strace's -s
constexpr std::int64_t kPauseNs = 40'000;  // strace's own time between two calls
constexpr std::int64_t kShortCallNs = 18'000;
constexpr std::int64_t kNameCallNs = 60'000;
constexpr std::int64_t kCopyNsPerPage = 400;  // of data copied into the page cache
constexpr std::uint64_t kPageBytes = 4096;

std::int64_t copy_ns(std::uint64_t bytes) {
  return kShortCallNs + static_cast<std::int64_t>(bytes / kPageBytes) * kCopyNsPerPage;
}

}  // namespace

StraceWriter::StraceWriter(TextSink sink, std::string mount_point, StraceClock clock,
                           std::uint64_t seed)
    : sink_(std::move(sink)),
      mount_point_(std::move(mount_point)),
      clock_(clock),
      random_(seed ^ 0x7374726163650000U),  // not the numbers that choose blocks
      now_(clock.start_ns) {}

// ---- a line ---------------------------------------------------------------------------------

void StraceWriter::begin(std::int32_t pid) {
  line_start_ = text_.size();
  put(static_cast<std::uint64_t>(pid));
  put(" ");
  put_microseconds(now_);
  put(" ");
}

void StraceWriter::end(std::int64_t result, std::int64_t length_ns) {
  const std::size_t width = text_.size() - line_start_;
  if (width < kResultColumn) text_.append(kResultColumn - width, ' ');
  put(" = ");
  put(static_cast<std::uint64_t>(result));
  end_call(length_ns);
}

void StraceWriter::end_call(std::int64_t length_ns) {
  const std::int64_t length = scattered(length_ns);
  put(" <");
  put_microseconds(length);
  put(">\n");
  now_ += length + scattered(kPauseNs);
  if (text_.size() >= kFlushBytes) finish();
}

void StraceWriter::finish() {
  if (!text_.empty()) sink_(text_);
  text_.clear();
}

// Within an eighth up or down, in whole microseconds, as strace prints no less.
std::int64_t StraceWriter::scattered(std::int64_t length_ns) {
  const std::int64_t width = length_ns / 4 + 1;
  const auto up = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(width)));
  return (length_ns - length_ns / 8 + up) / 1000 * 1000;
}

void StraceWriter::put(std::uint64_t number) {
  char digits[20];
  text_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void StraceWriter::put_microseconds(std::int64_t ns) {
  put(static_cast<std::uint64_t>(ns / 1'000'000'000));
  char fraction[7] = {'.'};
  std::int64_t rest = ns % 1'000'000'000 / 1000;
  for (int i = 6; i > 0; --i, rest /= 10) fraction[i] = static_cast<char>('0' + rest % 10);
  text_.append(fraction, sizeof fraction);
}

void StraceWriter::put_fd(std::int32_t pid, int fd) {
  put(static_cast<std::uint64_t>(fd));
  put("<");
  put(tables_[pid].at(static_cast<std::size_t>(fd)));
  put(">");
}

void StraceWriter::put_directory() {
  put("AT_FDCWD<");
  put(mount_point_);
  put(">, ");
}

void StraceWriter::put_name(const std::string& name) {
  put("\"");
  put(name);
  put("\"");
}

void StraceWriter::put_data(std::uint64_t bytes) {
  put("\"");
  text_.append(static_cast<std::size_t>(std::min(bytes, kShownBytes)), 'x');
  put(bytes > kShownBytes ? "\"..., " : "\", ");
  put(bytes);
}

// ---- processes ------------------------------------------------------------------------------

void StraceWriter::exec(std::int32_t pid, std::string_view program) {
  begin(pid);
  put("execve(\"");
  put(program);
  put("\", [\"");
  put(program);
  put("\"], 0x7ffd00000000 /* 20 vars */)");
  end(0, 500'000);
  tables_[pid].assign(3, "/dev/null");
}

std::int32_t StraceWriter::fork(std::int32_t parent) {
  const std::int32_t child = next_pid_++;
  begin(parent);
  put("clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD, "
      "child_tidptr=0x7f0000000a10)");
  end(child, 150'000);
  tables_[child] = tables_[parent];
  return child;
}

void StraceWriter::exit(std::int32_t pid) {
  begin(pid);
  put("exit_group(0)");
  const std::size_t width = text_.size() - line_start_;
  if (width < kResultColumn) text_.append(kResultColumn - width, ' ');
  put("= ?\n");
  now_ += scattered(kPauseNs);
  begin(pid);
  put("+++ exited with 0 +++\n");
  now_ += scattered(kPauseNs);
}

// ---- descriptors ----------------------------------------------------------------------------

int StraceWriter::open(std::int32_t pid, const std::string& name, std::string_view flags) {
  std::vector<std::string>& table = tables_[pid];
  const auto free = std::find(table.begin(), table.end(), "");
  const auto fd = static_cast<std::size_t>(free - table.begin());
  const std::string path = name == "." ? mount_point_ : mount_point_ + "/" + name;
  if (free == table.end()) table.emplace_back();
  table[fd] = path;
  begin(pid);
  put("openat(");
  put_directory();
  put_name(name);
  put(", ");
  put(flags);
  if (flags.find("O_CREAT") != std::string_view::npos) put(", 0644");
  put(") = ");
  put_fd(pid, static_cast<int>(fd));
  end_call(kNameCallNs);
  return static_cast<int>(fd);
}

void StraceWriter::close(std::int32_t pid, int fd) {
  begin(pid);
  put("close(");
  put_fd(pid, fd);
  put(")");
  end(0, kShortCallNs);
  tables_[pid].at(static_cast<std::size_t>(fd)).clear();
}

// ---- calls on a descriptor ------------------------------------------------------------------

void StraceWriter::write(std::int32_t pid, int fd, std::uint64_t bytes) {
  begin(pid);
  put("write(");
  put_fd(pid, fd);
  put(", ");
  put_data(bytes);
  put(")");
  end(static_cast<std::int64_t>(bytes), copy_ns(bytes));
}

void StraceWriter::pwrite(std::int32_t pid, int fd, std::uint64_t bytes, std::uint64_t offset) {
  begin(pid);
  put("pwrite64(");
  put_fd(pid, fd);
  put(", ");
  put_data(bytes);
  put(", ");
  put(offset);
  put(")");
  end(static_cast<std::int64_t>(bytes), copy_ns(bytes));
}

void StraceWriter::pread(std::int32_t pid, int fd, std::uint64_t bytes, std::uint64_t offset) {
  begin(pid);
  put("pread64(");
  put_fd(pid, fd);
  put(", ");
  put_data(bytes);
  put(", ");
  put(offset);
  put(")");
  end(static_cast<std::int64_t>(bytes), copy_ns(bytes));
}

void StraceWriter::ftruncate(std::int32_t pid, int fd, std::uint64_t size) {
  begin(pid);
  put("ftruncate(");
  put_fd(pid, fd);
  put(", ");
  put(size);
  put(")");
  end(0, kShortCallNs);
}

void StraceWriter::sync_call(std::int32_t pid, std::string_view name, int fd) {
  begin(pid);
  put(name);
  put("(");
  put_fd(pid, fd);
  put(")");
  end(0, clock_.sync_ns);
}

void StraceWriter::write_out(std::int32_t pid, int fd) {
  begin(pid);
  put("sync_file_range(");
  put_fd(pid, fd);
  put(", 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE|SYNC_FILE_RANGE_WRITE|SYNC_FILE_RANGE_WAIT_AFTER)");
  end(0, clock_.sync_ns);
}

void StraceWriter::stat(std::int32_t pid, int fd, std::uint64_t size) {
  begin(pid);
  put("newfstatat(");
  put_fd(pid, fd);
  put(", \"\", {st_mode=S_IFREG|0644, st_size=");
  put(size);
  put(", ...}, AT_EMPTY_PATH)");
  end(0, kShortCallNs);
}

// ---- names ----------------------------------------------------------------------------------

void StraceWriter::rename(std::int32_t pid, const std::string& from, const std::string& to) {
  begin(pid);
  put("renameat(");
  put_directory();
  put_name(from);
  put(", ");
  put_directory();
  put_name(to);
  put(")");
  end(0, kNameCallNs);
}

void StraceWriter::unlink(std::int32_t pid, const std::string& name) {
  begin(pid);
  put("unlinkat(");
  put_directory();
  put_name(name);
  put(", 0)");
  end(0, kNameCallNs);
}

void StraceWriter::mkdir(std::int32_t pid, const std::string& name) {
  begin(pid);
  put("mkdirat(");
  put_directory();
  put_name(name);
  put(", 0755)");
  end(0, kNameCallNs);
}

}  // namespace fcsim::workload
