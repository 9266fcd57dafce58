// The list of moments: a crash bundle's crash.toml, or plain text.
#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "model/common/error.h"
#include "sim/questions/exposure/exposure.h"

namespace fcsim::questions::exposure {
namespace {

std::vector<Cut> read_points(const std::string& path) {
  std::vector<Cut> cuts;
  toml::table document;
  try {
    document = toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    throw model::InputError({path, error.source().begin.line, error.source().begin.column},
                            std::string(error.description()));
  }
  const toml::array* const points = document["point"].as_array();
  if (points == nullptr) throw model::InputError({path, 0, 0}, "has no [[point]]");
  for (const toml::node& node : *points) {
    const toml::table& point = *node.as_table();
    const auto id = point["id"].value<std::int64_t>();
    const auto time = point["time"].value<double>();
    const auto kept = point["kept"].value<std::string>();
    if (!id || !time || !kept)
      throw model::InputError({path, point.source().begin.line, 1},
                              "expected id, time and kept in a [[point]]");
    if (*kept != "flushed" && *kept != "completed") continue;  // a random subset
    // A double holds a time of our days to a quarter of a microsecond; the file has microseconds.
    cuts.push_back(
        {static_cast<std::uint64_t>(*id),
         static_cast<model::Time>(std::llround(*time * 1e6)) * 1000,
         *kept == "flushed" ? model::exposure::Kept::flushed : model::exposure::Kept::completed});
  }
  return cuts;
}

}  // namespace

std::int64_t read_record_size(const std::string& path) {
  try {
    if (!path.ends_with(".toml")) return 0;
    return toml::parse_file(path)["crash"]["record_size"].value_or(std::int64_t{0});
  } catch (const toml::parse_error&) {
    return 0;  // read_cuts() says what is wrong
  }
}

std::optional<model::Time> read_flusher_wakeup(const std::string& path) {
  try {
    return toml::parse_file(path)["clock"]["flusher_wakeup_realtime_ns"].value<std::int64_t>();
  } catch (const toml::parse_error&) {
    return std::nullopt;  // the configuration's own reader has said what is wrong
  }
}

std::vector<Cut> read_cuts(const std::string& path) {
  if (path.ends_with(".toml")) return read_points(path);
  std::ifstream file(path);
  if (!file) throw model::InputError({path, 0, 0}, "cannot be opened");
  std::vector<Cut> cuts;
  std::string line;
  for (std::uint64_t number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    try {
      cuts.push_back({cuts.size(), parse_seconds(line), model::exposure::Kept::flushed});
    } catch (const std::invalid_argument& error) {
      throw model::InputError({path, number, 1}, error.what());
    }
  }
  return cuts;
}

}  // namespace fcsim::questions::exposure
