#include "sim/machine/geometry/mounted.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "model/common/error.h"

namespace fcsim::machine::geometry {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc()) return std::nullopt;
  return number;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

// mountinfo writes space, tab, line feed and backslash as octal numbers.
std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view digits = text.substr(i + 1, 3);
    unsigned value = 0;
    if (text[i] == '\\' && digits.size() == 3 &&
        std::from_chars(digits.data(), digits.data() + 3, value, 8).ptr == digits.data() + 3) {
      result += static_cast<char>(value);
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

// A line of mountinfo (Documentation/filesystems/proc.rst, 3.5).
struct MountLine {
  std::string device_numbers;  // "7:0"
  std::string mount_point;
  std::string type;
  std::vector<std::string> options;  // of the mount, then of the file system
};

std::optional<MountLine> parse_line(const std::string& text) {
  const std::vector<std::string> words = split(text, ' ');
  const auto dash = std::find(words.begin(), words.end(), "-");
  if (dash - words.begin() < 6 || words.end() - dash < 4) return std::nullopt;
  MountLine line;
  line.device_numbers = words[2];
  line.mount_point = unescaped(words[4]);
  line.type = dash[1];
  line.options = split(words[5], ',');
  for (const std::string& option : split(dash[3], ',')) line.options.push_back(option);
  return line;
}

std::vector<MountLine> mount_lines(const SystemFolders& system) {
  const std::string path = system.proc + "/self/mountinfo";
  const auto text = read_text(path);
  if (!text) throw model::InputError({path, 0, 0}, std::strerror(errno));
  std::vector<MountLine> lines;
  for (const std::string& line : split(*text, '\n'))
    if (auto parsed = parse_line(line)) lines.push_back(std::move(*parsed));
  return lines;
}

bool holds(const std::string& mount_point, const std::string& folder) {
  if (mount_point == "/" || mount_point == folder) return true;
  return folder.starts_with(mount_point + "/");
}

// The commits that fc_info counts, on its second line.
std::optional<std::uint64_t> commits_in(const std::optional<std::string>& fc_info) {
  if (!fc_info) return std::nullopt;
  const std::vector<std::string> lines = split(*fc_info, '\n');
  return lines.size() < 2 ? std::nullopt : number_in<std::uint64_t>(lines[1]);
}

// "4 transactions (4 requested), each up to 1365 blocks"
std::optional<std::uint32_t> limit_in(const std::optional<std::string>& info) {
  constexpr std::string_view kBefore = "each up to ";
  if (!info) return std::nullopt;
  const std::size_t at = info->find(kBefore);
  if (at == std::string::npos) return std::nullopt;
  return number_in<std::uint32_t>(std::string_view(*info).substr(at + kBefore.size()));
}

MountedFilesystem describe(const MountLine& line, const SystemFolders& system) {
  MountedFilesystem mounted;
  mounted.mount_point = line.mount_point;
  std::error_code error;
  const fs::path link = fs::read_symlink(system.sys + "/dev/block/" + line.device_numbers, error);
  mounted.name = error ? "" : link.filename().string();
  if (mounted.name.empty())
    throw model::InputError({line.mount_point, 0, 0}, "its device " + line.device_numbers +
                                                          " is not listed in " + system.sys);
  mounted.device = system.dev + "/" + mounted.name;
  std::replace(mounted.device.begin(), mounted.device.end(), '!', '/');
  const std::string ext4 = system.proc + "/fs/ext4/" + mounted.name;
  if (const auto options = read_text(ext4 + "/options")) {
    mounted.options = split(*options, '\n');
    mounted.options_known = true;
  }
  mounted.options.insert(mounted.options.end(), line.options.begin(), line.options.end());
  mounted.fast_commits = commits_in(read_text(ext4 + "/fc_info"));
  mounted.max_transaction_blocks =
      limit_in(read_text(system.proc + "/fs/jbd2/" + mounted.name + "-8/info"));
  const auto release = read_text(system.proc + "/sys/kernel/osrelease");
  mounted.release = release ? release->substr(0, release->find('\n')) : "";
  return mounted;
}

template <class Number>
void set_number(const std::string& value, Number& target) {
  if (const auto number = number_in<Number>(value)) target = *number;
}

void apply_valued(const std::string& name, const std::string& value, model::MountSettings& mount) {
  if (name == "data") {
    mount.data = value == "journal"     ? model::DataMode::journal
                 : value == "writeback" ? model::DataMode::writeback
                                        : model::DataMode::ordered;
  } else if (name == "commit") {
    set_number(value, mount.commit_interval_s);
    if (mount.commit_interval_s == 0) mount.commit_interval_s = 5;  // 0 asks for the default
  } else if (name == "max_batch_time") {
    set_number(value, mount.max_batch_time_us);
  } else if (name == "min_batch_time") {
    set_number(value, mount.min_batch_time_us);
  } else if (name == "barrier") {
    mount.barrier = value != "0";
  } else if (name == "auto_da_alloc") {
    mount.auto_da_alloc = value != "0";
  }
}

}  // namespace

bool MountedFilesystem::has_option(const std::string& option) const {
  return std::find(options.begin(), options.end(), option) != options.end();
}

MountedFilesystem mounted_at(const std::string& folder, const SystemFolders& system) {
  std::error_code error;
  const std::string whole = fs::canonical(folder, error).string();
  if (error) throw model::InputError({folder, 0, 0}, error.message());
  const std::vector<MountLine> lines = mount_lines(system);
  const MountLine* best = nullptr;
  for (const MountLine& line : lines)  // of several at one place, the last covers the others
    if (holds(line.mount_point, whole) &&
        (best == nullptr || line.mount_point.size() >= best->mount_point.size()))
      best = &line;
  if (best == nullptr)
    throw model::InputError(
        {folder, 0, 0},
        "is on no file system that /proc/self/mountinfo lists; in a chroot only what is "
        "mounted inside of it can be seen");
  if (best->type != "ext4")
    throw model::InputError({folder, 0, 0}, "is on " + best->type + " (mounted on " +
                                                best->mount_point + "); expected ext4");
  return describe(*best, system);
}

std::optional<MountedFilesystem> mounted_from(unsigned major_number, unsigned minor_number,
                                              const SystemFolders& system) {
  const std::string numbers = std::to_string(major_number) + ":" + std::to_string(minor_number);
  for (const MountLine& line : mount_lines(system))
    if (line.device_numbers == numbers && line.type == "ext4") return describe(line, system);
  return std::nullopt;
}

model::MountSettings mount_settings(const MountedFilesystem& mounted) {
  model::MountSettings settings;
  settings.atime = model::AtimeMode::strictatime;              // the one that is not listed
  if (mounted.options_known) settings.dioread_nolock = false;  // listed where it is on
  apply_options(mounted.options, settings);
  return settings;
}

void apply_options(const std::vector<std::string>& options, model::MountSettings& mount) {
  for (const std::string& option : options) {
    if (const std::size_t equals = option.find('='); equals != std::string::npos)
      apply_valued(option.substr(0, equals), option.substr(equals + 1), mount);
    else if (option == "delalloc" || option == "nodelalloc")
      mount.delalloc = option == "delalloc";
    else if (option == "barrier" || option == "nobarrier")
      mount.barrier = option == "barrier";
    else if (option == "dioread_nolock" || option == "dioread_lock")
      mount.dioread_nolock = option == "dioread_nolock";
    else if (option == "auto_da_alloc" || option == "noauto_da_alloc")
      mount.auto_da_alloc = option == "auto_da_alloc";
    else if (option == "lazytime")
      mount.lazytime = true;
    else if (option == "sync")
      mount.sync = true;
    else if (option == "dirsync")
      mount.dirsync = true;
    else if (option == "relatime")
      mount.atime = model::AtimeMode::relatime;
    else if (option == "noatime")
      mount.atime = model::AtimeMode::noatime;
  }
}

}  // namespace fcsim::machine::geometry
