#include "sim/replay/shell.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "sim/machine/options.h"

namespace fcsim::replay {
namespace {

constexpr std::string_view kFirstOptions = "{opts}";

class ShellParser {
 public:
  ShellParser(const model::Position& position, const ShellNames& names)
      : position_(position), names_(names) {}

  void command(const std::string& text) {
    text_ = text;
    words_ = machine::words_of(text, position_);
    if (words_.empty()) return;
    const std::string& program = words_.front();
    if (program == "mke2fs" || program == "mkfs.ext4")
      add(StepKind::mkfs, options_before_device());
    else if (program == "tune2fs")
      add(StepKind::tune2fs, options_before_device());
    else if (program == "mount")
      mount();
    else if (program == "umount")
      umount();
    else if (program == "sync")
      sync();
    else if (program == "echo")
      echo();
    else if (program == "sysctl")
      sysctl();
    else if (program != "cd" && program != "true" && program != "sleep")
      fail();
  }

  std::vector<Step> take() { return std::move(steps_); }

 private:
  [[noreturn]] void fail() const {
    throw model::InputError(position_,
                            "the administrator's step \"" + text_ + "\" is not understood");
  }

  Step& add(StepKind kind, std::string text = {}) {
    Step& step = steps_.emplace_back();
    step.kind = kind;
    step.text = std::move(text);
    step.position = position_;
    return step;
  }

  [[nodiscard]] static bool is_device(const std::string& word) {
    return word == "{dev}" || word == "{img}";
  }
  [[nodiscard]] bool is_mount_point(const std::string& word) const {
    return word == "{mnt}" || (!names_.mount_point.empty() && word == names_.mount_point);
  }

  // The words between the program and the device, which must be there.
  std::string options_before_device() {
    std::string options;
    bool device = false;
    for (std::size_t i = 1; i < words_.size(); ++i) {
      if (is_device(words_[i]))
        device = true;
      else
        options += (options.empty() ? "" : " ") + words_[i];
    }
    if (!device) fail();
    return options;
  }

  void mount() {
    std::string options;
    bool ours = false;
    for (std::size_t i = 1; i < words_.size(); ++i) {
      const std::string& word = words_[i];
      if (word == "-o" && i + 1 < words_.size())
        options += (options.empty() ? "" : ",") + words_[++i];
      else if (word == "-t" && i + 1 < words_.size() && words_[i + 1] == "ext4")
        ++i;
      else if (is_device(word) || is_mount_point(word))
        ours = true;
      else
        fail();
    }
    if (!ours) fail();
    add_mount(options);
  }

  void add_mount(const std::string& options) {
    constexpr std::string_view kRemount = "remount";
    bool remount = false;
    bool as_first = false;
    std::string rest;
    for (std::size_t at = 0; at < options.size();) {
      const std::size_t end = std::min(options.find(',', at), options.size());
      const std::string option = options.substr(at, end - at);
      at = end + 1;
      if (option == kRemount)
        remount = true;
      else if (option == kFirstOptions)
        as_first = true;
      else
        rest += (rest.empty() ? "" : ",") + option;
    }
    Step& step = add(remount ? StepKind::remount : StepKind::mount, rest);
    step.plain = !as_first;
  }

  void umount() {
    if (words_.size() != 2 || !(is_mount_point(words_[1]) || is_device(words_[1]))) fail();
    add(StepKind::umount);
  }

  void sync() {
    if (words_.size() == 3 && words_[1] == "-f" && !is_mount_point(words_[2])) fail();
    if (words_.size() != 1 && words_.size() != 3) fail();
    add(StepKind::sync);
  }

  void echo() {
    if (words_.size() != 4 || words_[2] != ">" || words_[3] != "/proc/sys/vm/drop_caches") fail();
    add_drop_caches(words_[1]);
  }

  void sysctl() {
    constexpr std::string_view kKey = "vm.drop_caches=";
    const std::string& last = words_.back();
    if (!last.starts_with(kKey) || words_.size() > 3) fail();
    add_drop_caches(last.substr(kKey.size()));
  }

  void add_drop_caches(const std::string& value) {
    if (value != "1" && value != "2" && value != "3") fail();
    add(StepKind::drop_caches).number = value[0] - '0';
  }

  model::Position position_;
  const ShellNames& names_;
  std::string text_;
  std::vector<std::string> words_;
  std::vector<Step> steps_;
};

std::string without_spaces_around(std::string text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::string_view name(StepKind kind) {
  switch (kind) {
    case StepKind::mkfs:
      return "mkfs";
    case StepKind::tune2fs:
      return "tune2fs";
    case StepKind::mount:
      return "mount";
    case StepKind::remount:
      return "remount";
    case StepKind::umount:
      return "umount";
    case StepKind::run:
      return "run";
    case StepKind::drop_caches:
      return "drop_caches";
    case StepKind::sync:
      return "sync";
  }
  return "";
}

std::vector<Step> parse_shell_steps(const std::string& text, const model::Position& position,
                                    const ShellNames& names) {
  ShellParser parser(position, names);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t separator = std::min(text.find_first_of(";\n&", at), text.size());
    const bool both =
        separator + 1 < text.size() && text[separator] == '&' && text[separator + 1] == '&';
    if (separator < text.size() && text[separator] == '&' && !both)
      throw model::InputError(position,
                              "the administrator's step \"" + text + "\" is not understood");
    parser.command(without_spaces_around(text.substr(at, separator - at)));
    at = separator + (both ? 2 : 1);
  }
  return parser.take();
}

}  // namespace fcsim::replay
