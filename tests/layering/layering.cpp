// May each folder include what it includes? One table lists the allowed edges between all folders
// of sources. model/ also prints nothing, opens no file, reads no clock and starts no thread, and
// no kernel version is compared in code.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace {

struct Line {
  std::filesystem::path file;
  std::string place;
  std::string text;
};

std::vector<Line> lines_of(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path root = std::filesystem::path(FCSIM_SOURCE_DIR) / folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h" || extension == ".cpp") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Line> lines;
  for (const auto& file : files) {
    std::ifstream stream(file);
    std::size_t number = 0;
    for (std::string text; std::getline(stream, text);)
      lines.push_back({file, file.string() + ":" + std::to_string(++number), text});
  }
  return lines;
}

std::vector<std::string> matches(const std::vector<Line>& lines, const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<std::string> found;
  for (const Line& line : lines)
    if (std::regex_search(line.text, expression)) found.push_back(line.place + ": " + line.text);
  return found;
}

using Folders = std::vector<std::string>;

struct Row {
  std::string folder;
  Folders may_use;  // "model/" stands for every folder below model, itself included
};

// A row may name only folders of the rows above it, so that there are no cycles. Edges within a
// folder need no entry.
const std::vector<Row> kAllowed = {
    {"model/common", {}},
    {"model", {"model/common"}},
    {"model/jbd2", {"model", "model/common"}},
    {"model/fast_commit/range_tracking", {"model/common"}},
    {"model/fast_commit",
     {"model", "model/common", "model/jbd2", "model/fast_commit/range_tracking"}},
    {"model/ext4/allocation", {"model", "model/common"}},
    {"model/ext4",
     {"model", "model/common", "model/jbd2", "model/fast_commit/", "model/ext4/allocation"}},
    {"model/exposure", {"model", "model/common"}},
    {"traces", {"model/common"}},
    {"traces/strace", {"model/common", "traces"}},
    {"traces/fio", {"model/common", "traces"}},
    {"traces/binary", {"model/common", "traces"}},
    {"traces/resolve", {"model/common", "traces"}},
    {"traces/bundle",
     {"model/common", "traces", "traces/strace", "traces/fio", "traces/binary", "traces/resolve"}},
    {"sim/support", {"model/common"}},
    {"sim/configuration", {"model/common", "sim/support"}},
    {"sim/machine",
     {"model/common", "traces", "traces/resolve", "traces/bundle", "sim/support",
      "sim/configuration"}},
    {"sim/machine/geometry",
     {"model/common", "traces", "sim/support", "sim/configuration", "sim/machine"}},
    {"sim/machine/record/tracepoints",
     {"model/common", "traces", "traces/resolve", "sim/support", "sim/configuration",
      "sim/machine"}},
    {"sim/machine/record",
     {"model/common", "traces", "traces/binary", "sim/support", "sim/configuration", "sim/machine",
      "sim/machine/geometry", "sim/machine/record/tracepoints"}},
    {"sim/machine/live",
     {"model/common", "sim/support", "sim/configuration", "sim/machine", "sim/machine/record"}},
    {"sim/engine", {"model/", "sim/support", "sim/configuration", "sim/machine"}},
    {"sim/replay",
     {"model/", "traces/", "sim/support", "sim/configuration", "sim/machine", "sim/engine"}},
    {"sim/questions/compare",
     {"model/", "traces/", "sim/configuration", "sim/engine", "sim/replay"}},
    {"sim/questions/sweep", {"model/", "traces/", "sim/configuration", "sim/engine", "sim/replay"}},
    {"sim/questions/tune", {"model/", "traces/", "sim/configuration", "sim/engine", "sim/replay"}},
    {"sim/questions/explain",
     {"model/", "traces/", "sim/support", "sim/configuration", "sim/engine", "sim/replay",
      "sim/questions/compare", "sim/questions/tune"}},
    {"sim/questions/fit",
     {"model/", "traces/", "sim/support", "sim/configuration", "sim/engine", "sim/replay",
      "sim/questions/explain"}},
    {"sim/questions/scenario",
     {"model/", "traces/", "sim/configuration", "sim/machine", "sim/engine", "sim/replay"}},
    {"sim/questions/validate",
     {"model/", "traces/", "sim/support", "sim/configuration", "sim/machine/", "sim/engine",
      "sim/replay"}},
    {"sim/questions/convert", {"model/", "traces/", "sim/support", "sim/replay"}},
    {"sim/questions/batch",
     {"model/", "traces/", "sim/support", "sim/configuration", "sim/machine", "sim/engine",
      "sim/replay", "sim/questions/sweep"}},
    {"sim/questions/exposure",
     {"model/", "traces/", "sim/support", "sim/configuration", "sim/engine", "sim/replay"}},
    {"sim/questions/evaluate",
     {"model/", "sim/support", "sim/configuration", "sim/engine", "sim/replay",
      "sim/questions/compare", "sim/questions/exposure"}},
    {"sim/questions/overview",
     {"model/", "sim/configuration", "sim/engine", "sim/replay", "sim/questions/compare",
      "sim/questions/explain", "sim/questions/exposure", "sim/questions/sweep",
      "sim/questions/validate"}},
    {"sim/report",
     {"model/", "traces", "sim/support", "sim/configuration", "sim/machine/", "sim/engine",
      "sim/replay", "sim/questions/"}},
    {"sim/report/page",
     {"model/", "sim/support", "sim/configuration", "sim/engine", "sim/replay", "sim/questions/",
      "sim/report"}},
    {"sim/workload", {"model/common", "sim/support", "sim/configuration", "sim/machine"}},
    {"sim/command",
     {"model/common", "traces/", "sim/support", "sim/configuration", "sim/machine/", "sim/engine",
      "sim/replay", "sim/questions/", "sim/report", "sim/report/page", "sim/workload"}},
    {"sim", {"model/common", "sim/configuration", "sim/command"}},
};

// Edges that are to go: each is the wrong way round, and none may be added.
const std::set<std::pair<std::string, std::string>> kTemporary = {
    {"sim/engine", "sim/questions/validate"},
    {"sim/machine/geometry", "sim/report"},
    {"sim/questions/batch", "sim/report"},
    {"sim/questions/compare", "sim/report"},
    {"sim/machine/record/tracepoints", "sim/machine/record"},
    {"traces", "traces/binary"},
};

bool permits(const std::string& entry, const std::string& folder) {
  if (!entry.ends_with('/')) return entry == folder;
  return folder.starts_with(entry) || folder + '/' == entry;
}

const Row* row_of(const std::string& folder) {
  for (const Row& row : kAllowed)
    if (row.folder == folder) return &row;
  return nullptr;
}

bool allowed(const std::string& from, const std::string& to) {
  const Row* row = row_of(from);
  return row != nullptr &&
         std::any_of(row->may_use.begin(), row->may_use.end(),
                     [&](const std::string& entry) { return permits(entry, to); });
}

struct Edge {
  std::string from, to;
  std::string place;  // of the first include
};

// Every include of another folder of the source tree, once for each pair of folders.
std::vector<Edge> edges_of(const std::string& top) {
  const std::regex include(
      R"re(^\s*#\s*include\s*["<]((?:model|traces|sim|tests|bench)/[^">]*)[">])re");
  std::map<std::pair<std::string, std::string>, std::string> found;
  for (const Line& line : lines_of(top)) {
    std::smatch match;
    if (line.text.find('#') == std::string::npos) continue;
    if (!std::regex_search(line.text, match, include)) continue;
    const std::string from =
        std::filesystem::relative(line.file, FCSIM_SOURCE_DIR).parent_path().string();
    const std::string to = std::filesystem::path(match[1].str()).parent_path().string();
    if (from != to) found.emplace(std::pair(from, to), line.place + ": " + line.text);
  }
  std::vector<Edge> edges;
  for (const auto& [pair, place] : found) edges.push_back({pair.first, pair.second, place});
  return edges;
}

std::set<std::string> folders_of(const std::string& top) {
  std::set<std::string> folders;
  for (const Line& line : lines_of(top))
    folders.insert(std::filesystem::relative(line.file, FCSIM_SOURCE_DIR).parent_path().string());
  return folders;
}

const std::vector<std::string> kNone;

}  // namespace

TEST_CASE("the table of allowed edges has no cycle", "[layering]") {
  std::vector<std::string> above;
  for (const Row& row : kAllowed) {
    CHECK(std::find(above.begin(), above.end(), row.folder) == above.end());
    for (const std::string& entry : row.may_use) {
      INFO(row.folder << " may use " << entry);
      CHECK_FALSE(permits(entry, row.folder));
      CHECK(std::any_of(above.begin(), above.end(),
                        [&](const std::string& folder) { return permits(entry, folder); }));
      // Of what a "folder/" stands for, nothing may come later in the table.
      for (const Row& other : kAllowed)
        if (permits(entry, other.folder))
          CHECK(std::find(above.begin(), above.end(), other.folder) != above.end());
    }
    above.push_back(row.folder);
  }
}

TEST_CASE("every folder of sources has a row in the table", "[layering]") {
  for (const char* top : {"model", "traces", "sim"})
    for (const std::string& folder : folders_of(top)) {
      INFO(folder);
      CHECK(row_of(folder) != nullptr);
    }
}

TEST_CASE("folders include only what the table allows", "[layering]") {
  std::vector<std::string> wrong;
  for (const char* top : {"model", "traces", "sim"})
    for (const Edge& edge : edges_of(top))
      if (!allowed(edge.from, edge.to) && !kTemporary.contains({edge.from, edge.to}))
        wrong.push_back(edge.from + " -> " + edge.to + " (" + edge.place + ")");
  CHECK(wrong == kNone);
}

TEST_CASE("model has no clock, files, printing or threads", "[layering]") {
  CHECK(
      matches(
          lines_of("model"),
          R"re(^\s*#\s*include\s*<(iostream|fstream|ostream|cstdio|stdio\.h|chrono|ctime|time\.h|thread|mutex|atomic|filesystem|unistd\.h)>)re") ==
      kNone);
}

TEST_CASE("no kernel version is compared in code", "[layering]") {
  for (const char* folder : {"model", "traces", "sim"}) {
    CHECK(matches(lines_of(folder),
                  R"re(\b(release|profile|version)\w*\s*(==|!=|<=|>=|<|>)\s*"?\d)re") == kNone);
    CHECK(matches(lines_of(folder), R"re(KERNEL_VERSION|LINUX_VERSION)re") == kNone);
  }
}
