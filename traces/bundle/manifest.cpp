#include "traces/bundle/manifest.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/common/error.h"
#include "model/common/name_hash.h"

namespace fcsim::traces::bundle {

using model::FileId;
using model::FileType;
using model::InitialExtent;
using model::InitialFile;
using model::InitialState;
using model::kNoFile;

namespace {

constexpr std::size_t kLeastFields = 7;
constexpr std::size_t kMostFields = 9;
constexpr std::size_t kExtents = 7;
constexpr std::size_t kLast = 8;  // attributes, or the times of an XFS bundle
constexpr std::uint32_t kModeMaximum = 07777;
constexpr std::size_t kNameMaximum = 255;
constexpr std::int64_t kSizeMaximum = std::int64_t{1} << 48;  // 2^32 blocks of 64 KiB

// One name as it stands in the manifest, its place in the tree not yet known.
struct Line {
  std::uint64_t number = 0;
  std::uint64_t path_column = 0;
  std::string path;
  InitialFile file;
};

class Parser {
 public:
  explicit Parser(const std::string& name) : name_(name) {}

  InitialState parse(std::string_view text) {
    std::uint64_t number = 0;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      ++number;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.empty() || line.starts_with('#')) continue;
      parse_line(line, number);
    }
    return build();
  }

 private:
  [[noreturn]] void fail(std::uint64_t line, std::uint64_t column, const std::string& what) const {
    throw model::InputError(model::Position{name_, line, column}, what);
  }

  template <typename Number>
  Number number(std::string_view text, std::uint64_t line, std::uint64_t column, const char* what,
                int base = 10) const {
    Number value{};
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || value < Number{0}) {
      fail(line, column, std::string("expected ") + what + ", found \"" + std::string(text) + "\"");
    }
    return value;
  }

  void parse_line(std::string_view text, std::uint64_t number_of_line);
  void parse_extents(std::string_view text, Line& line, std::uint64_t column) const;
  void parse_attributes(std::string_view text, Line& line, std::uint64_t column);
  void parse_times(std::string_view text, Line& line, std::uint64_t column) const;
  FileType parse_type(std::string_view text, std::uint64_t line) const;
  InitialState build();
  FileId parent_of(const Line& line, const std::unordered_map<std::string, FileId>& directories,
                   std::string& name) const;

  const std::string& name_;
  std::vector<Line> lines_;
  bool any_attributes_ = false;
};

// Three numbers with commas between; attributes are words.
static bool is_times(std::string_view text) {
  return text.find_first_not_of("-0123456789,") == std::string_view::npos &&
         text.find(',') != std::string_view::npos;
}

FileType Parser::parse_type(std::string_view text, std::uint64_t line) const {
  if (text == "d") return FileType::directory;
  if (text == "f") return FileType::regular;
  if (text == "l") return FileType::symlink;
  if (text == "o") return FileType::device;
  fail(line, 1, "expected a type d, f, l or o, found \"" + std::string(text) + "\"");
}

void Parser::parse_line(std::string_view text, std::uint64_t number_of_line) {
  std::array<std::string_view, kMostFields> fields;
  std::array<std::uint64_t, kMostFields> columns{};
  std::size_t count = 0;
  std::size_t at = 0;
  while (true) {
    const std::size_t tab = text.find('\t', at);
    if (count == kMostFields) fail(number_of_line, at + 1, "expected the end of the line");
    columns[count] = at + 1;
    fields[count++] = text.substr(at, tab == std::string_view::npos ? tab : tab - at);
    if (tab == std::string_view::npos) break;
    at = tab + 1;
  }
  if (count < kLeastFields) {
    fail(number_of_line, text.size() + 1,
         "expected type, mode, inode, nlink, size, blocks512 and path, separated by tabs");
  }
  const std::uint64_t n = number_of_line;
  Line line;
  line.number = line.file.line = n;
  line.file.type = parse_type(fields[0], n);
  line.file.mode = number<std::uint32_t>(fields[1], n, columns[1], "an octal mode", 8);
  if (line.file.mode > kModeMaximum) fail(n, columns[1], "expected a mode of at most 7777");
  line.file.inode = number<std::uint32_t>(fields[2], n, columns[2], "an inode number");
  line.file.links = number<std::uint32_t>(fields[3], n, columns[3], "a number of links");
  line.file.size = number<std::int64_t>(fields[4], n, columns[4], "a size in bytes");
  line.file.blocks512 =
      number<std::int64_t>(fields[5], n, columns[5], "a number of 512-byte blocks");
  if (line.file.size > kSizeMaximum) fail(n, columns[4], "expected a size of at most 256 TiB");
  line.path.assign(fields[6]);
  line.path_column = columns[6];
  if (line.path.starts_with("./")) line.path.erase(0, 2);
  if (line.path.empty() || line.path.front() == '/' || line.path.back() == '/') {
    fail(n, columns[6], "expected a path relative to the mount point");
  }
  if (count > kExtents) parse_extents(fields[kExtents], line, columns[kExtents]);
  if (count > kLast && is_times(fields[kLast]))
    parse_times(fields[kLast], line, columns[kLast]);
  else if (count > kLast)
    parse_attributes(fields[kLast], line, columns[kLast]);
  lines_.push_back(std::move(line));
}

void Parser::parse_attributes(std::string_view text, Line& line, std::uint64_t column) {
  any_attributes_ = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    const auto value = [&](std::string_view name, int base) {
      return number<std::uint32_t>(word.substr(name.size()), line.number, column + name.size(),
                                   base == 16 ? "a hexadecimal number" : "a number", base);
    };
    if (word.starts_with("flags="))
      line.file.flags = value("flags=", 16);
    else if (word.starts_with("project="))
      line.file.project = value("project=", 10);
    else if (word == "acl")
      line.file.access_acl = true;
    else if (word == "default-acl")
      line.file.default_acl = true;
    else if (word == "label")
      line.file.label = true;
    else
      fail(line.number, column,
           "expected flags=HEX, project=N, acl, default-acl or label, found \"" +
               std::string(word) + "\"");
    const std::size_t taken = std::min(word.size() + 1, text.size());
    text.remove_prefix(taken);
    column += taken;
  }
}

void Parser::parse_extents(std::string_view text, Line& line, std::uint64_t column) const {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t comma = text.find(',', at);
    std::string_view extent = text.substr(at, comma == std::string_view::npos ? comma : comma - at);
    const std::uint64_t where = column + at;
    at = comma == std::string_view::npos ? text.size() : comma + 1;
    InitialExtent parsed;
    if (extent.ends_with('s')) {
      parsed.shared = true;
      extent.remove_suffix(1);
    }
    if (extent.ends_with('u')) {
      parsed.unwritten = true;
      extent.remove_suffix(1);
    }
    const std::size_t first = extent.find(':');
    const std::size_t second =
        first == std::string_view::npos ? first : extent.find(':', first + 1);
    if (second == std::string_view::npos) {
      fail(line.number, where, "expected an extent logical:physical:length");
    }
    parsed.logical = number<std::uint32_t>(extent.substr(0, first), line.number, where,
                                           "a logical block number");
    parsed.physical =
        number<std::uint64_t>(extent.substr(first + 1, second - first - 1), line.number,
                              where + first + 1, "a physical block number");
    parsed.length = number<std::uint32_t>(extent.substr(second + 1), line.number,
                                          where + second + 1, "a length in blocks");
    if (parsed.length == 0) fail(line.number, where + second + 1, "expected a length above 0");
    if (parsed.length > std::numeric_limits<std::uint32_t>::max() - parsed.logical) {
      fail(line.number, where, "expected an extent within the 2^32 blocks of a file");
    }
    if (!line.file.extents.empty() &&
        parsed.logical < line.file.extents.back().logical + line.file.extents.back().length) {
      fail(line.number, where, "expected an extent behind the one before it");
    }
    line.file.extents.push_back(parsed);
  }
}

// "atime,mtime,ctime", each in ns.
void Parser::parse_times(std::string_view text, Line& line, std::uint64_t column) const {
  std::array<model::Time*, 3> times = {&line.file.atime, &line.file.mtime, &line.file.ctime};
  std::size_t at = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::size_t end = i + 1 < times.size() ? text.find(',', at) : text.size();
    if (end == std::string_view::npos) {
      fail(line.number, column, "expected three times: access, modification, change");
    }
    *times[i] = number<model::Time>(text.substr(at, end - at), line.number, column + at,
                                    "a time in nanoseconds");
    at = end + 1;
  }
  line.file.times_known = true;
}

FileId Parser::parent_of(const Line& line,
                         const std::unordered_map<std::string, FileId>& directories,
                         std::string& name) const {
  const std::size_t slash = line.path.rfind('/');
  const std::string parent = slash == std::string::npos ? "." : line.path.substr(0, slash);
  name = line.path.substr(slash == std::string::npos ? 0 : slash + 1);
  if (name.size() > kNameMaximum) {
    fail(line.number, line.path_column, "expected a name of at most 255 bytes");
  }
  const auto found = directories.find(parent);
  if (found == directories.end()) {
    fail(line.number, line.path_column,
         "expected the directory \"" + parent + "\" among the lines of this file");
  }
  return found->second;
}

InitialState Parser::build() {
  std::unordered_map<std::string, FileId> directories;
  std::unordered_map<std::uint32_t, FileId> by_inode;
  FileId next = model::kRootDirectory + 1;
  bool root_seen = false;
  for (Line& line : lines_) {
    const bool root = line.path == ".";
    if (root && (root_seen || line.file.type != FileType::directory)) {
      fail(line.number, line.path_column, "expected one directory \".\"");
    }
    root_seen = root_seen || root;
    const auto known = by_inode.find(line.file.inode);
    if (known != by_inode.end() && line.file.type == FileType::directory) {
      fail(line.number, 1, "expected a directory to have an inode of its own");
    }
    if (known != by_inode.end()) {
      line.file.file = known->second;
      line.file.extents.clear();
      continue;
    }
    line.file.file = root ? model::kRootDirectory : next++;
    by_inode.emplace(line.file.inode, line.file.file);
    if (line.file.type == FileType::directory &&
        !directories.emplace(line.path, line.file.file).second) {
      fail(line.number, line.path_column, "expected each path once");
    }
  }
  InitialState state;
  state.known = true;
  state.attributes_known = any_attributes_;
  state.source = name_;
  directories.emplace(".", model::kRootDirectory);
  for (Line& line : lines_) {
    if (line.path != ".") {
      line.file.parent = parent_of(line, directories, line.file.name);
      line.file.name_length = static_cast<std::uint16_t>(line.file.name.size());
      line.file.name_hash = model::hash_bytes(line.file.name);
    }
    state.files.push_back(std::move(line.file));
  }
  return state;
}

}  // namespace

InitialState parse_manifest(std::string_view text, const std::string& name) {
  return Parser(name).parse(text);
}

InitialState read_manifest(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw model::InputError(model::Position{path, 0, 0}, "cannot be opened for reading");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) throw model::InputError(model::Position{path, 0, 0}, "cannot be read");
  return parse_manifest(text, path);
}

}  // namespace fcsim::traces::bundle
