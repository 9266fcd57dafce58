// A survivors.tsv beside a prediction of it.
#pragma once

#include <charconv>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/helper.h"

namespace fcsim::test {

struct RecordPiece {
  long long offset = 0, length = 0;
  std::string what;  // record number, "z", or as it stands
  friend bool operator==(const RecordPiece&, const RecordPiece&) = default;
};

// The ten digits that the buffers of a trace's writes begin with, by line.
inline std::map<std::string, std::string> record_numbers(const std::string& trace) {
  std::map<std::string, std::string> numbers;
  std::istringstream lines(read_file(trace));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::size_t quote = line.find(", \"0");
    if (quote != std::string::npos && line.find("write") != std::string::npos)
      numbers[std::to_string(number)] = std::to_string(std::stoll(line.substr(quote + 3, 10)));
  }
  return numbers;
}

// "0:96:1..3,96:32:z" record by record; neighbours of one record joined. "@LINE" by `numbers`.
inline std::vector<RecordPiece> record_pieces(const std::string& content,
                                              const std::map<std::string, std::string>& numbers) {
  std::vector<RecordPiece> pieces;
  const auto add = [&](const RecordPiece& piece) {
    if (!pieces.empty() && pieces.back().what == piece.what &&
        pieces.back().offset + pieces.back().length == piece.offset)
      pieces.back().length += piece.length;
    else
      pieces.push_back(piece);
  };
  std::istringstream runs(content);
  for (std::string run; std::getline(runs, run, ',');) {
    const std::size_t first = run.find(':');
    const std::size_t second = run.find(':', first + 1);
    if (second == std::string::npos) {  // a link's target
      pieces.push_back({0, 0, run});
      continue;
    }
    const long long offset = std::stoll(run.substr(0, first));
    const long long length = std::stoll(run.substr(first + 1, second - first - 1));
    std::string what = run.substr(second + 1);
    if (what.starts_with('@')) {
      const auto found = numbers.find(what.substr(1));
      if (found != numbers.end()) what = found->second;
    }
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

// point and path -> type, mode, nlink, size, blocks512, content
using SurvivorTable = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

inline SurvivorTable survivor_table(const std::string& text) {
  SurvivorTable table;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string> fields;
    std::size_t at = 0;
    for (std::size_t tab = 0; tab != std::string::npos; at = tab + 1) {
      tab = line.find('\t', at);
      fields.push_back(line.substr(at, tab == std::string::npos ? tab : tab - at));
    }
    const std::pair<std::string, std::string> key{fields.at(0), fields.at(1)};
    table[key].assign(fields.begin() + 2, fields.end());
  }
  return table;
}

// One sentence a difference.
inline std::string survivor_differences(const SurvivorTable& truth, const SurvivorTable& predicted,
                                        const std::map<std::string, std::string>& numbers) {
  std::string out;
  for (const auto& [key, fields] : predicted) {
    const std::string where = key.first + " " + key.second + ": ";
    const auto found = truth.find(key);
    if (found == truth.end()) {
      out += where + "predicted to survive, is not there\n";
      continue;
    }
    for (std::size_t i = 0; i < 5; ++i)
      if (fields[i] != "-" && fields[i] != found->second[i])
        out += where + "predicted " + fields[i] + ", is " + found->second[i] + "\n";
    if (record_pieces(fields[5], numbers) != record_pieces(found->second[5], {}))
      out += where + "predicted " + fields[5] + ", is " + found->second[5] + "\n";
  }
  for (const auto& [key, fields] : truth)
    if (predicted.count(key) == 0)
      out += key.first + " " + key.second + ": is there, was not predicted\n";
  return out;
}

}  // namespace fcsim::test
