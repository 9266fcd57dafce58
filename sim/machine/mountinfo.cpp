#include "sim/machine/mountinfo.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "sim/support/text.h"

namespace fcsim::machine {
namespace {

// Space, tab, line feed and backslash are written as octal numbers, "\\040".
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

// "7:0"
bool parse_numbers(std::string_view text, MountEntry& entry) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto whole = [](std::string_view digits, unsigned& number) {
    const auto end = digits.data() + digits.size();
    return std::from_chars(digits.data(), end, number).ptr == end && !digits.empty();
  };
  return whole(text.substr(0, colon), entry.major_number) &&
         whole(text.substr(colon + 1), entry.minor_number);
}

// Also the empty ones: a source may be "".
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  while (true) {
    const std::size_t end = line.find(' ');
    fields.emplace_back(line.substr(0, end));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

std::optional<MountEntry> parse_line(std::string_view line) {
  const std::vector<std::string> words = fields_of(line);
  const auto dash = std::find(words.begin(), words.end(), "-");
  if (dash - words.begin() < 6 || words.end() - dash < 4) return std::nullopt;
  MountEntry entry;
  if (!parse_numbers(words[2], entry)) return std::nullopt;
  entry.root = unescaped(words[3]);
  entry.mount_point = unescaped(words[4]);
  entry.type = dash[1];
  entry.source = unescaped(dash[2]);
  for (const std::string& list : {words[5], dash[3]})
    for (std::string& option : support::split(list, ','))
      entry.options.push_back(std::move(option));
  return entry;
}

}  // namespace

bool lies_below(const std::string& path, const std::string& mount_point) {
  if (mount_point == "/" || mount_point == path) return true;
  return path.starts_with(mount_point + "/");
}

std::vector<MountEntry> parse_mountinfo(std::string_view text) {
  std::vector<MountEntry> entries;
  for (const std::string& line : support::split(text, '\n'))
    if (auto entry = parse_line(line)) entries.push_back(std::move(*entry));
  return entries;
}

const MountEntry* mount_of(const std::vector<MountEntry>& entries, const std::string& path) {
  const MountEntry* best = nullptr;
  for (const MountEntry& entry : entries)
    if (lies_below(path, entry.mount_point) &&
        (best == nullptr || entry.mount_point.size() >= best->mount_point.size()))
      best = &entry;
  return best;
}

}  // namespace fcsim::machine
