#include "sim/machine/xfs_info.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <utility>

#include "model/common/error.h"

namespace fcsim::machine {
namespace {

using XfsInfoSection =
    std::map<std::string, std::pair<std::string, std::uint64_t>>;  // value and line

// In the order in which xfs_info prints them.
constexpr std::array<std::string_view, 13> kXfsInfoFeatures = {
    "crc",     "finobt",      "sparse", "rmapbt",     "reflink",  "bigtime", "inobtcount",
    "nrext64", "projid32bit", "ftype",  "lazy-count", "exchange", "parent"};

std::string_view without_quote_marks(std::string_view line) {
  const std::size_t begin = line.find_first_not_of("> \t");
  return begin == std::string_view::npos ? std::string_view{} : line.substr(begin);
}

class XfsInfoParser {
 public:
  XfsInfoParser(std::string_view text, const std::string& name) : name_(name) {
    std::uint64_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      read(without_quote_marks(text.substr(begin, end - begin)), ++number);
      begin = end + 1;
    }
    last_line_ = number;
  }

  model::FilesystemSettings settings() const {
    model::FilesystemSettings fs;
    fs.type = model::FilesystemType::xfs;
    set(fs.inode_size, "meta-data", "isize");
    set(fs.xfs.ag_count, "meta-data", "agcount");
    set(fs.xfs.ag_blocks, "meta-data", "agsize");
    set(fs.xfs.sector_size, "meta-data", "sectsz");
    set(fs.block_size, "data", "bsize");
    set(fs.block_count, "data", "blocks");
    set(fs.xfs.stripe_unit_blocks, "data", "sunit");
    set(fs.xfs.directory_block_size, "naming", "bsize");
    set(fs.xfs.log_blocks, "log", "blocks");
    set(fs.xfs.log_sector_size, "log", "sectsz");
    set(fs.xfs.log_stripe_unit_blocks, "log", "sunit");
    for (const std::string_view feature : kXfsInfoFeatures)
      for (const auto& [section, values] : sections_)
        if (const auto found = values.find(std::string(feature)); found != values.end())
          if (found->second.first == "1") fs.features.emplace_back(feature);
    return fs;
  }

 private:
  // "data     =                       bsize=4096   blocks=262144, imaxpct=25": the word before the
  // first '=' names the section, none goes on with the last.
  void read(std::string_view line, std::uint64_t number) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return;
    const std::string_view head = line.substr(0, line.substr(0, equals).find_last_not_of(' ') + 1);
    if (!head.empty()) section_ = std::string(head);
    if (section_.empty()) return;
    line.remove_prefix(equals + 1);
    for (std::size_t begin = 0; (begin = line.find_first_not_of(" ,", begin)) < line.size();) {
      const std::size_t end = std::min(line.find_first_of(" ,", begin), line.size());
      const std::string_view word = line.substr(begin, end - begin);
      if (const std::size_t middle = word.find('='); middle != std::string_view::npos)
        sections_[section_][std::string(word.substr(0, middle))] = {
            std::string(word.substr(middle + 1)), number};
      begin = end;
    }
  }

  template <class Number>
  void set(Number& target, const std::string& section, const std::string& key) const {
    const auto values = sections_.find(section);
    const auto found =
        values == sections_.end() ? XfsInfoSection::const_iterator{} : values->second.find(key);
    if (values == sections_.end() || found == values->second.end())
      throw model::InputError({name_, last_line_, 0},
                              "expected " + key + "= in the part '" + section + "' of xfs_info");
    const auto& [text, line] = found->second;
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    if (const auto [at, error] = std::from_chars(text.data(), end, value);
        error != std::errc{} || at != end || value > std::numeric_limits<Number>::max())
      throw model::InputError({name_, line, 0},
                              "expected a number after " + key + "=, found '" + text + "'");
    target = static_cast<Number>(value);
  }

  std::string name_;
  std::string section_;
  std::map<std::string, XfsInfoSection> sections_;
  std::uint64_t last_line_ = 0;
};

}  // namespace

bool is_xfs_info(std::string_view text) {
  return without_quote_marks(text.substr(0, text.find('\n'))).starts_with("meta-data=");
}

model::FilesystemSettings parse_xfs_info(std::string_view text, const std::string& name) {
  return XfsInfoParser(text, name).settings();
}

}  // namespace fcsim::machine
