#include "sim/machine/mount_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "sim/configuration/nearest.h"
#include "sim/support/text.h"

namespace fcsim::machine {
namespace {

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

struct Switch {
  std::string_view option;
  bool model::MountSettings::*member;
  bool value;
};

constexpr std::array<Switch, 16> kSwitches = {{
    {"delalloc", &model::MountSettings::delalloc, true},
    {"nodelalloc", &model::MountSettings::delalloc, false},
    {"barrier", &model::MountSettings::barrier, true},
    {"nobarrier", &model::MountSettings::barrier, false},
    {"dioread_nolock", &model::MountSettings::dioread_nolock, true},
    {"dioread_lock", &model::MountSettings::dioread_nolock, false},
    {"nodioread_nolock", &model::MountSettings::dioread_nolock, false},
    {"auto_da_alloc", &model::MountSettings::auto_da_alloc, true},
    {"noauto_da_alloc", &model::MountSettings::auto_da_alloc, false},
    {"lazytime", &model::MountSettings::lazytime, true},
    {"nolazytime", &model::MountSettings::lazytime, false},
    {"sync", &model::MountSettings::sync, true},
    {"async", &model::MountSettings::sync, false},
    {"dirsync", &model::MountSettings::dirsync, true},
    {"norelatime", nullptr, false},
    {"nostrictatime", nullptr, false},
}};

// Of no consequence for what is counted.
constexpr std::array<std::string_view, 17> kIndifferent = {"",
                                                           "defaults",
                                                           "rw",
                                                           "loop",
                                                           "suid",
                                                           "nosuid",
                                                           "dev",
                                                           "nodev",
                                                           "exec",
                                                           "noexec",
                                                           "diratime",
                                                           "user_xattr",
                                                           "acl",
                                                           "noacl",
                                                           "silent",
                                                           "errors=remount-ro",
                                                           "errors=continue"};

bool take_word(const std::string& option, model::MountSettings& mount) {
  for (const Switch& known : kSwitches) {
    if (known.option != option) continue;
    if (known.member == nullptr)
      mount.atime = model::AtimeMode::relatime;
    else
      mount.*known.member = known.value;
    return true;
  }
  if (option == "relatime")
    mount.atime = model::AtimeMode::relatime;
  else if (option == "noatime")
    mount.atime = model::AtimeMode::noatime;
  else if (option == "strictatime")
    mount.atime = model::AtimeMode::strictatime;
  else if (option == "data=ordered")
    mount.data = model::DataMode::ordered;
  else if (option == "data=writeback")
    mount.data = model::DataMode::writeback;
  else if (option == "data=journal")
    mount.data = model::DataMode::journal;
  else
    return std::find(kIndifferent.begin(), kIndifferent.end(), option) != kIndifferent.end();
  return true;
}

bool take_number(const std::string& option, model::MountSettings& mount) {
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos) return false;
  const std::optional<std::int64_t> value = number_of(std::string_view(option).substr(equals + 1));
  if (!value || *value > 2'000'000) return false;
  const std::string key = option.substr(0, equals);
  if (key == "commit")
    mount.commit_interval_s = *value == 0 ? model::MountSettings{}.commit_interval_s : *value;
  else if (key == "max_batch_time")
    mount.max_batch_time_us = *value;
  else if (key == "min_batch_time")
    mount.min_batch_time_us = *value;
  else if (key == "barrier")
    mount.barrier = *value != 0;
  else if (key == "auto_da_alloc")
    mount.auto_da_alloc = *value != 0;
  else
    return false;
  return true;
}

bool take_option(const std::string& option, model::MountSettings& mount) {
  return take_word(option, mount) || take_number(option, mount);
}

[[noreturn]] void unknown_mount_option(const std::string& option, const model::Position& position) {
  std::vector<std::string_view> names = {"relatime",     "noatime",         "strictatime",
                                         "data=ordered", "data=journal",    "data=writeback",
                                         "commit=",      "max_batch_time=", "min_batch_time="};
  for (const Switch& known : kSwitches) names.push_back(known.option);
  throw model::InputError(position, "the mount option '" + option + "' is not understood" +
                                        configuration::suggest_nearest(option, names));
}

// "32k", in KiB; 0 where it is no size.
std::uint32_t kib_of(std::string_view text) {
  std::uint64_t unit = 1;
  if (text.ends_with('k')) unit = 1024;
  if (text.ends_with('m')) unit = 1024 * 1024;
  if (text.ends_with('g')) unit = 1024 * 1024 * 1024;
  if (unit != 1) text.remove_suffix(1);
  const std::optional<std::int64_t> value = number_of(text);
  if (!value || *value < 0 || *value > 1'000'000'000) return 0;
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(*value) * unit / 1024);
}

void take_xfs_option(const std::string& option, model::MountSettings& mount) {
  const std::size_t equals = option.find('=');
  if (option == "wsync") mount.wsync = true;
  if (equals == std::string::npos) return;
  const std::string key = option.substr(0, equals);
  const std::string_view value = std::string_view(option).substr(equals + 1);
  if (key == "logbufs") {
    if (const auto number = number_of(value); number && *number >= 2 && *number <= 8)
      mount.logbufs = static_cast<std::uint32_t>(*number);
  } else if (key == "logbsize") {
    if (const std::uint32_t kib = kib_of(value); kib >= 16 && kib <= 256) mount.logbsize_kib = kib;
  } else if (key == "allocsize") {
    mount.allocsize_kib = kib_of(value);
  }
}

struct RemountWords {
  bool read_only = false;  // the last of ro and rw counts
  std::string others;
};

RemountWords remount_words(const std::string& options) {
  RemountWords words;
  for (const std::string& option : support::split(options, ',')) {
    if (option == "ro" || option == "rw")
      words.read_only = option == "ro";
    else
      words.others += (words.others.empty() ? "" : ",") + option;
  }
  return words;
}

}  // namespace

void apply_mount_options(const std::string& options, const model::Position& position,
                         model::MountSettings& mount) {
  model::MountSettings changed = mount;
  for (const std::string& option : support::split(options, ','))
    if (!take_option(option, changed)) unknown_mount_option(option, position);
  mount = changed;
}

bool apply_remount_options(const std::string& options, const model::Position& position,
                           model::MountSettings& mount) {
  model::MountSettings changed = mount;
  const RemountWords words = remount_words(options);
  apply_mount_options(words.others, position, changed);
  if (changed.data != mount.data)
    throw model::InputError(position, "the kernel refuses to change data= by a remount");
  if (changed.delalloc != mount.delalloc)
    throw model::InputError(position,
                            "the kernel refuses to change delayed allocation by a remount");
  changed.dirsync = mount.dirsync;
  mount = changed;
  return words.read_only;
}

void check_remount_options(const std::string& options, const model::Position& position) {
  model::MountSettings any;
  apply_mount_options(remount_words(options).others, position, any);
}

void apply_known_mount_options(const std::vector<std::string>& options,
                               model::MountSettings& mount) {
  for (const std::string& option : options) take_option(option, mount);
}

model::MountSettings listed_xfs_mount_settings(const std::vector<std::string>& options) {
  model::MountSettings settings;
  settings.atime = model::AtimeMode::strictatime;  // the one that is not listed
  for (const std::string& option : options) {
    take_word(option, settings);
    take_xfs_option(option, settings);
  }
  return settings;
}

model::MountSettings listed_mount_settings(const std::vector<std::string>& options, bool complete) {
  model::MountSettings settings;
  settings.atime = model::AtimeMode::strictatime;  // the one that is not listed
  if (complete) settings.dioread_nolock = false;   // listed where it is on
  apply_known_mount_options(options, settings);
  return settings;
}

}  // namespace fcsim::machine
