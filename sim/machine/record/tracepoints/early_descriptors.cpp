#include "sim/machine/record/tracepoints/early_descriptors.h"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

#include "sim/machine/record/small_file.h"

namespace fcsim::machine::record::tracepoints {
namespace {

using traces::Call;

std::optional<std::uint64_t> number_behind(const std::string& text, const std::string& label,
                                           int base) {
  const std::size_t at = text.find(label);
  std::uint64_t number = 0;
  if (at == std::string::npos) return std::nullopt;
  const char* digits = text.data() + at + label.size();
  while (*digits == '\t' || *digits == ' ') ++digits;
  const auto read = std::from_chars(digits, text.data() + text.size(), number, base);
  return read.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

}  // namespace

void tell_descriptors(pid_t process, const std::string& mount_point, dev_t device, std::int64_t now,
                      const std::function<void(const traces::Event&)>& put) {
  namespace fs = std::filesystem;
  const std::string folder = "/proc/" + std::to_string(process);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder + "/fd", error)) {
    const std::string number = entry.path().filename().string();
    struct stat status {};
    if (stat(entry.path().c_str(), &status) != 0 || status.st_dev != device) continue;
    const std::string path = fs::read_symlink(entry.path(), error).string();
    if (error || !path.starts_with(mount_point) || path.ends_with(" (deleted)")) continue;
    const std::string details = read_small_file(folder + "/fdinfo/" + number).value_or("");
    const auto flags = number_behind(details, "flags:", 8);
    const auto position = number_behind(details, "pos:", 10);
    if (!flags) continue;
    traces::Event event;
    event.pid = process;
    event.start_ns = now;
    event.call = Call::openat;
    event.name = "openat";
    event.fd = traces::kAtFdCwd;
    event.path = path;
    event.flags = *flags;
    event.has_result = true;
    std::int64_t descriptor = 0;
    std::from_chars(number.data(), number.data() + number.size(), descriptor);
    event.result = descriptor;
    event.result_path = path;
    event.cpu = 0;
    put(event);
    if (!position || *position == 0 || !S_ISREG(status.st_mode)) continue;
    event.call = Call::lseek;
    event.name = "lseek";
    event.fd = static_cast<std::int32_t>(descriptor);
    event.fd_path = path;
    event.path = event.result_path = {};
    event.flags = 0;
    event.offset = event.result = static_cast<std::int64_t>(*position);
    event.argument = 0;  // SEEK_SET
    put(event);
  }
}

}  // namespace fcsim::machine::record::tracepoints
