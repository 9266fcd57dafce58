#include "sim/questions/exposure/cut_check.h"

#include <cctype>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "traces/input.h"

namespace fcsim::questions::exposure {
namespace {

struct RecordPiece {
  long long offset = 0, length = 0;
  std::string what;  // a record's number, "z", or as it stands
  friend bool operator==(const RecordPiece&, const RecordPiece&) = default;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
    end = text.find(separator, at);
    parts.push_back(text.substr(at, end == std::string::npos ? end : end - at));
  }
  return parts;
}

bool is_number(const std::string& text) {
  for (const char c : text)
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) return false;
  return !text.empty();
}

// "0:96:1..3,96:32:z" record by record; neighbours of one record joined.
std::vector<RecordPiece> pieces_of(const std::string& content, const RecordNumbers& numbers) {
  std::vector<RecordPiece> pieces;
  const auto add = [&](RecordPiece piece) {
    if (!pieces.empty() && pieces.back().what == piece.what &&
        pieces.back().offset + pieces.back().length == piece.offset)
      pieces.back().length += piece.length;
    else
      pieces.push_back(std::move(piece));
  };
  if (content.empty()) return pieces;
  for (const std::string& run : split(content, ',')) {
    const std::vector<std::string> parts = split(run, ':');
    if (parts.size() != 3 || !is_number(parts[0]) || !is_number(parts[1])) {
      pieces.push_back({0, 0, run});  // a link's target
      continue;
    }
    const long long offset = std::stoll(parts[0]);
    const long long length = std::stoll(parts[1]);
    std::string what = parts[2];
    if (what.starts_with('@'))
      if (const auto found = numbers.find(what.substr(1)); found != numbers.end())
        what = found->second;
    const std::size_t dots = what.find("..");
    if (dots == std::string::npos) {
      add({offset, length, what});
      continue;
    }
    const long long low = std::stoll(what.substr(0, dots));
    const long long high = std::stoll(what.substr(dots + 2));
    const long long share = length / (high - low + 1);
    for (long long record = low; record <= high; ++record)
      add({offset + (record - low) * share, record < high ? share : length - share * (high - low),
           std::to_string(record)});
  }
  return pieces;
}

// path -> type, mode, nlink, size, blocks512, content
using Tree = std::map<std::string, std::vector<std::string>>;
constexpr std::size_t kContent = 5;

std::map<std::string, Tree> trees_of(const std::string& text) {
  std::map<std::string, Tree> trees;
  for (const std::string& line : split(text, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> fields = split(line, '\t');
    if (fields.size() == kContent + 3)
      trees[fields[0]][fields[1]].assign(fields.begin() + 2, fields.end());
  }
  return trees;
}

void add_records(const std::vector<RecordPiece>& pieces, std::set<std::string>& records) {
  for (const RecordPiece& piece : pieces)
    if (is_number(piece.what)) records.insert(piece.what);
}

void compare_trees(const std::string& point, const Tree& recorded, const Tree& predicted,
                   const RecordNumbers& numbers, CutCheck& check) {
  static constexpr const char* names[] = {"type", "mode", "links", "size", "blocks", "content"};
  std::set<std::string> there, said;
  const std::size_t before = check.differences.size();
  const auto differs = [&](const std::string& path, const std::string& what) {
    check.differences.push_back(point + " " + path + ": " + what);
  };
  for (const auto& [path, fields] : predicted) {
    const std::vector<RecordPiece> content = pieces_of(fields[kContent], numbers);
    add_records(content, said);
    const auto found = recorded.find(path);
    if (found == recorded.end()) {
      differs(path, "predicted to survive, is not there");
      continue;
    }
    for (std::size_t i = 0; i <= kContent; ++i) {
      const std::string& is = found->second[i];
      if (fields[i] == "-" || fields[i] == is) continue;
      if (i == kContent && content == pieces_of(is, {})) continue;
      differs(path, std::string(names[i]) + " predicted " + fields[i] + ", is " + is);
    }
  }
  for (const auto& [path, fields] : recorded) {
    add_records(pieces_of(fields[kContent], {}), there);
    if (predicted.count(path) == 0) differs(path, "is there, was not predicted");
  }
  std::set<std::string> written;
  for (const auto& [line, number] : numbers) written.insert(number);
  for (const std::string& record : written) {
    ++check.records;
    check.right += there.count(record) == said.count(record) ? 1 : 0;
  }
  ++check.points;
  check.same += check.differences.size() == before ? 1 : 0;
}

}  // namespace

RecordNumbers record_numbers(const std::string& trace) {
  RecordNumbers numbers;
  traces::LineInput input(traces::open_source(trace));
  std::string_view line;
  for (std::uint64_t number = 1; input.next(line); ++number) {
    const std::size_t quote = line.find(", \"0");
    if (quote == std::string_view::npos || line.find("write") == std::string_view::npos) continue;
    const std::string digits(line.substr(quote + 3, 10));
    if (is_number(digits)) numbers[std::to_string(number)] = std::to_string(std::stoll(digits));
  }
  return numbers;
}

CutCheck check_cuts(const std::string& recorded, const std::string& predicted,
                    const RecordNumbers& numbers) {
  CutCheck check;
  const std::map<std::string, Tree> truth = trees_of(recorded);
  for (const auto& [point, tree] : trees_of(predicted)) {
    const auto found = truth.find(point);
    compare_trees(point, found == truth.end() ? Tree{} : found->second, tree, numbers, check);
  }
  return check;
}

std::string read_survivors(const std::string& bundle) {
  for (const char* name : {"/survivors.tsv", "/survivors.tsv.zst"}) {
    if (!std::filesystem::exists(bundle + name)) continue;
    const std::unique_ptr<traces::ByteSource> source = traces::open_source(bundle + name);
    std::string text;
    for (std::string part; !(part = traces::read_head(*source, std::size_t{1} << 20U)).empty();)
      text += part;
    return text;
  }
  return "";
}

}  // namespace fcsim::questions::exposure
