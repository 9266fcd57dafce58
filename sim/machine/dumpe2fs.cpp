#include "sim/machine/dumpe2fs.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/common/error.h"
#include "sim/configuration/keys.h"
#include "sim/support/text.h"

namespace fcsim::machine {
namespace {

struct Field {
  std::string_view value;
  model::Position position;  // of the value
  std::string_view more;     // the next line, where a mail program broke the list of words
};

// What mails, patches and tables put before a line.
constexpr std::string_view kQuotation = "> \t+|";

// "Block count:              262144": names before the first colon, the first one of a name wins.
class Fields {
 public:
  Fields(std::string_view text, const std::string& name) : name_(name) {
    for (std::uint64_t line = 1; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::size_t begin = std::min(text.find_first_not_of(kQuotation), end);
      if (text.substr(begin).starts_with("Group 0:")) break;
      add(text.substr(0, end), begin, line);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  [[nodiscard]] const Field* find(std::string_view key) const {
    const auto found = fields_.find(key);
    return found == fields_.end() ? nullptr : &found->second;
  }

  [[nodiscard]] const Field& required(std::string_view key) const {
    if (const Field* field = find(key)) return *field;
    throw model::InputError({name_, 0, 0},
                            "expected the output of dumpe2fs -h (tune2fs -l leaves the journal "
                            "out), which has a line '" +
                                std::string(key) + ":'");
  }

 private:
  // `name_begin`: after the blanks and quotation marks.
  void add(std::string_view line, std::size_t name_begin, std::uint64_t number) {
    const std::size_t colon = line.find(':');
    Field* const before = std::exchange(last_, nullptr);
    if (colon == std::string_view::npos || colon < name_begin) {
      if (before != nullptr) before->more = line.substr(std::min(name_begin, line.size()));
      return;
    }
    const std::size_t begin = std::min(line.find_first_not_of(" \t", colon + 1), line.size());
    const std::size_t end = line.find_last_not_of(" \t\r");
    const std::string_view value =
        begin < line.size() ? line.substr(begin, end + 1 - begin) : std::string_view();
    const auto [at, fresh] = fields_.emplace(line.substr(name_begin, colon - name_begin),
                                             Field{value, {name_, number, begin + 1}, {}});
    if (fresh) last_ = &at->second;
  }

  const std::string& name_;
  std::map<std::string_view, Field> fields_;
  Field* last_ = nullptr;  // of the line before; null where that had none
};

// A list of words; what follows on a line of its own belongs to it.
std::vector<std::string> words_of_list(const Field& field) {
  std::vector<std::string> words = support::split(field.value, ' ');
  std::string_view more = field.more;
  while (more.ends_with('\r') || more.ends_with(' ')) more.remove_suffix(1);
  for (std::string& word : support::split(more, ' ')) words.push_back(std::move(word));
  return words;
}

std::int64_t number_of(const Field& field) {
  std::int64_t number = 0;
  const char* const end = field.value.data() + field.value.size();
  const auto result = std::from_chars(field.value.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end || number < 0)
    throw model::InputError(field.position,
                            "expected a whole number, found '" + std::string(field.value) + "'");
  return number;
}

// Gives the number to the key of [filesystem] after the key's own check.
void set_number(configuration::Settings& settings, std::string_view key_name, const Field& field) {
  const configuration::Key& key = *configuration::find_key("filesystem", key_name);
  const configuration::Value value = number_of(field);
  if (const auto wrong = complaint(key, value)) throw model::InputError(field.position, *wrong);
  key.set(settings, value);
}

void set_journal(const Fields& fields, configuration::Settings& settings) {
  model::FilesystemSettings& fs = settings.values.filesystem;
  if (!fs.has("has_journal")) return;
  if (fields.find("Journal inode") == nullptr && fields.find("Journal UUID") != nullptr)
    throw model::InputError(
        fields.find("Journal UUID")->position,
        "the journal is on another device, whose size decides: external journals are "
        "not supported");
  // Before 1.46 it was called the journal's length.
  const Field* blocks = fields.find("Total journal blocks");
  if (blocks == nullptr) blocks = fields.find("Journal length");
  if (blocks == nullptr) blocks = &fields.required("Total journal blocks");
  set_number(settings, "journal_blocks", *blocks);
  if (const Field* area = fields.find("Fast commit length"))
    set_number(settings, "fast_commit_blocks", *area);
}

}  // namespace

DumpedFilesystem parse_dumpe2fs(std::string_view text, const std::string& name) {
  const Fields fields(text, name);
  DumpedFilesystem result;
  configuration::Settings settings;
  model::FilesystemSettings& fs = settings.values.filesystem;
  fs.journal_blocks = fs.fast_commit_blocks = fs.flex_group_size = fs.extra_isize = 0;
  fs.features = words_of_list(fields.required("Filesystem features"));
  result.needs_recovery = fs.has("needs_recovery");
  std::erase(fs.features, "needs_recovery");
  std::erase(fs.features, "orphan_present");
  for (const auto& [key, line] : {std::pair{"block_size", "Block size"},
                                  {"block_count", "Block count"},
                                  {"blocks_per_group", "Blocks per group"},
                                  {"inode_count", "Inode count"},
                                  {"inodes_per_group", "Inodes per group"},
                                  {"inode_size", "Inode size"}})
    set_number(settings, key, fields.required(line));
  for (const auto& [key, line] : {std::pair{"extra_isize", "Desired extra isize"},
                                  {"flex_group_size", "Flex block group size"}})
    if (const Field* field = fields.find(line)) set_number(settings, key, *field);
  if (fs.inode_size > fs.block_size)
    throw model::InputError(fields.required("Inode size").position,
                            "an inode cannot be larger than a block");
  set_journal(fields, settings);
  if (const Field* options = fields.find("Default mount options"))
    for (const std::string& word : words_of_list(*options))
      result.default_options.push_back(word == "journal_data"             ? "data=journal"
                                       : word == "journal_data_ordered"   ? "data=ordered"
                                       : word == "journal_data_writeback" ? "data=writeback"
                                                                          : word);
  result.settings = fs;
  return result;
}

}  // namespace fcsim::machine
