#include "sim/machine/record/mounted.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>

#include "model/common/error.h"
#include "sim/machine/record/small_file.h"

namespace fcsim::machine::record {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// "\040" and the like, as proc(5) writes blanks in paths.
std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int value = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(digits, digits + 3, value, 8).ptr == digits + 3) {
      result += static_cast<char>(value);
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

// One line of /proc/self/mountinfo, see proc(5).
std::optional<Mounted> parse_line(const std::string& line) {
  const std::vector<std::string> fields = split(line, ' ');
  const auto dash = std::find(fields.begin(), fields.end(), "-");
  if (fields.size() < 6 || fields.end() - dash < 4) return std::nullopt;
  Mounted mounted;
  const std::size_t colon = fields[2].find(':');
  if (colon == std::string::npos) return std::nullopt;
  mounted.number = makedev(static_cast<unsigned>(std::stoul(fields[2].substr(0, colon))),
                           static_cast<unsigned>(std::stoul(fields[2].substr(colon + 1))));
  mounted.root = unescaped(fields[3]);
  mounted.whole = mounted.root == "/";
  mounted.mount_point = unescaped(fields[4]);
  mounted.type = dash[1];
  mounted.source = unescaped(dash[2]);
  for (const std::string& list : {fields[5], dash[3]})
    for (std::string& option : split(list, ',')) mounted.options.push_back(std::move(option));
  return mounted;
}

bool holds(const std::string& mount_point, const std::string& path) {
  if (mount_point == "/") return true;
  return path.starts_with(mount_point) &&
         (path.size() == mount_point.size() || path[mount_point.size()] == '/');
}

std::string device_name(dev_t number) {
  std::error_code error;
  const fs::path link = fs::read_symlink(
      "/sys/dev/block/" + std::to_string(major(number)) + ":" + std::to_string(minor(number)),
      error);
  return error ? "" : link.filename().string();
}

bool open_for_writing(const std::string& process, const std::string& descriptor) {
  const std::string text = read_small_file(process + "/fdinfo/" + descriptor).value_or("");
  const std::size_t at = text.find("flags:");
  return at != std::string::npos &&
         (std::strtoul(text.c_str() + at + 6, nullptr, 8) & O_ACCMODE) != O_RDONLY;
}

}  // namespace

bool Mounted::has_option(const std::string& name) const {
  return std::find(options.begin(), options.end(), name) != options.end();
}

Mounted find_mounted(const std::string& path) {
  struct stat status {};
  std::error_code error;
  const std::string real = fs::canonical(path, error).string();
  if (error) throw model::InputError({path, 0, 0}, error.message());
  if (stat(real.c_str(), &status) != 0) throw model::InputError({path, 0, 0}, std::strerror(errno));
  std::optional<Mounted> best;
  std::istringstream lines(read_small_file("/proc/self/mountinfo").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::optional<Mounted> mounted = parse_line(line);
    if (!mounted || !holds(mounted->mount_point, real)) continue;
    // Of two on the same mount point the later one hides the earlier.
    if (!best || mounted->mount_point.size() >= best->mount_point.size()) best = mounted;
  }
  if (!best)
    throw model::InputError(
        {path, 0, 0},
        "is on no file system that /proc/self/mountinfo lists; in a chroot only what is "
        "mounted inside of it can be seen");
  best->device = device_name(best->number);
  return *best;
}

MountTree mounts_around(const Mounted& mounted, const std::string& mountinfo) {
  MountTree tree;
  std::istringstream lines(mountinfo);
  for (std::string line; std::getline(lines, line);) {
    const std::optional<Mounted> other = parse_line(line);
    if (!other || other->mount_point == mounted.mount_point) continue;
    if (other->number == mounted.number && mounted.whole)
      tree.also_at.push_back(other->mount_point + "=" +
                             (other->whole ? "." : other->root.substr(1)));
    else if (holds(mounted.mount_point, other->mount_point))
      tree.other_mounts.push_back(other->mount_point);
  }
  return tree;
}

MountTree mounts_around(const Mounted& mounted) {
  return mounts_around(mounted, read_small_file("/proc/self/mountinfo").value_or(""));
}

std::string mount_point_of_process(pid_t pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  std::error_code error;
  if (!fs::exists(process, error))
    throw model::InputError({process, 0, 0}, "there is no such process");
  std::map<std::string, std::size_t> files;
  for (const auto& entry : fs::directory_iterator(process + "/fd", error)) {
    struct stat status {};
    if (stat(entry.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    const fs::path file = fs::read_symlink(entry.path(), error);
    const std::string number = entry.path().filename().string();
    if (number == "0" || number == "1" || number == "2") continue;  // a log that somebody chose
    if (open_for_writing(process, number) && fs::exists(file, error))
      ++files[find_mounted(file.string()).mount_point];
  }
  if (!error && !files.empty())
    return std::max_element(files.begin(), files.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  const fs::path directory = fs::read_symlink(process + "/cwd", error);
  if (error)
    throw model::InputError({process, 0, 0},
                            "its files cannot be seen (" + error.message() +
                                "); run as its user or as root, or give --mount-point");
  return find_mounted(directory.string()).mount_point;
}

}  // namespace fcsim::machine::record
