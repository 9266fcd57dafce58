// What each call costs under -o sync, -o dirsync, chattr +S and +D, cell by cell.
//
// A recording is one process that reads the kernel's counters before and after each call, and once
// more after an append and fsync of another file: cells.py beside this file makes it. cells.tsv
// has a row for each reading: cell, part, CLOCK_REALTIME in seconds, the counters' growth since the
// reading before. The prediction is read at the same moments.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "sim/configuration/configuration.h"
#include "sim/engine/engine.h"
#include "sim/replay/decoder.h"
#include "sim/replay/inputs.h"
#include "sim/replay/make_engine.h"
#include "tests/catch.h"
#include "tests/corpus/helper.h"

using namespace fcsim;

namespace {

struct Row {
  std::string cell, part, counted;
  model::Time at = 0;
};

std::vector<Row> read_rows(const std::string& path) {
  std::vector<Row> rows;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream fields(line);
    Row row;
    std::string seconds;
    std::getline(fields, row.cell, '\t');
    std::getline(fields, row.part, '\t');
    std::getline(fields, seconds, '\t');
    std::getline(fields, row.counted);
    const std::size_t point = seconds.find('.');
    row.at = std::stoll(seconds.substr(0, point)) * 1'000'000'000 +
             std::stoll(seconds.substr(point + 1)) * 1'000;
    rows.push_back(std::move(row));
  }
  return rows;
}

// As the recorder writes it: five counters and the reasons, by name.
std::string growth(const engine::Prediction& before, const engine::Prediction& after) {
  std::string text = std::to_string(after.commits - before.commits) + '\t' +
                     std::to_string(after.ineligible - before.ineligible) + '\t' +
                     std::to_string(after.numblks - before.numblks) + '\t' +
                     std::to_string(after.transactions - before.transactions) + '\t' +
                     std::to_string(after.requested - before.requested) + '\t';
  std::map<std::string, std::uint64_t> reasons;
  for (std::size_t i = 0; i < after.reasons.size(); ++i) {
    const std::uint64_t earlier = before.reasons.empty() ? 0 : before.reasons[i].second;
    if (after.reasons[i].second != earlier)
      reasons[after.reasons[i].first] = after.reasons[i].second - earlier;
  }
  std::string separator;
  for (const auto& [name, count] : reasons) {
    text += separator + name + '=' + std::to_string(count);
    separator = ",";
  }
  return text;
}

class Recording {
 public:
  explicit Recording(const std::string& folder)
      : inputs_(replay::find_inputs({folder})),
        configuration_(load(inputs_)),
        decoder_(inputs_, replay::decode_settings(configuration_, true)),
        engine_(replay::make_engine(configuration_.values, decoder_.initial(), options())) {}

  // Calls `check` with each row and what is predicted for it.
  template <class Check>
  void for_each_row(const std::vector<Row>& rows, const Check& check) {
    auto row = rows.begin();
    engine::Prediction last;
    const auto read_until = [&](model::Time time) {
      for (; row != rows.end() && row->at < time; ++row) {
        engine::Prediction now = engine_->read(row->at);
        check(*row, growth(last, now));
        last = std::move(now);
      }
    };
    replay::OperationChunk chunk;
    while (decoder_.next(chunk)) {
      for (const model::Operation& operation : chunk) {
        read_until(operation.start);
        engine_->replay(operation);
      }
    }
    read_until(decoder_.end() + 1);
    CHECK(row == rows.end());
  }

 private:
  static configuration::LoadedConfiguration load(const replay::Inputs& inputs) {
    configuration::LoadRequest request;
    request.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
    request.files = {inputs.environment};
    return configuration::load(request);
  }
  [[nodiscard]] engine::EngineOptions options() const {
    engine::EngineOptions options;
    if (const auto at = configuration_.start.manifest_at_s)
      options.listed_at = std::llround(*at * 1e6) * 1000;
    options.listing_moved = decoder_.moved_by_listing();
    return options;
  }

  replay::Inputs inputs_;
  configuration::LoadedConfiguration configuration_;
  replay::TraceDecoder decoder_;
  std::unique_ptr<engine::Engine> engine_;
};

void check_recording(const std::string& folder) {
  const std::vector<Row> rows = read_rows(folder + "/cells.tsv");
  REQUIRE_FALSE(rows.empty());
  std::string differences;
  Recording(folder).for_each_row(rows, [&](const Row& row, const std::string& predicted) {
    if (row.counted != predicted)
      differences +=
          row.cell + ' ' + row.part + ": " + predicted + ", the kernel " + row.counted + '\n';
  });
  INFO(folder);
  CHECK(differences == "");
}

std::vector<std::string> recordings() {
  const std::filesystem::path folder = std::string(FCSIM_SOURCE_DIR) + "/tests/calls/recordings";
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  REQUIRE_FALSE(paths.empty());
  return paths;
}

// Full commits whose blocks are not the kernel's yet; the number can only shrink.
std::uint64_t full_commits_off(const std::string& recording) {
  std::uint64_t off = 0;
  std::ifstream(recording + "/blocks_off") >> off;
  return off;
}

}  // namespace

TEST_CASE("each call costs what the kernel counted", "[calls]") {
  for (const std::string& recording : recordings())
    if (std::filesystem::exists(recording + "/cells.tsv")) check_recording(recording);
}

TEST_CASE("recordings of calls as a whole, with the blocks of every full commit", "[calls]") {
  for (const std::string& recording : recordings()) {
    questions::validate::ValidateRequest request = test::validate_request(recording);
    request.blocks = true;
    const questions::validate::BundleResult result =
        questions::validate::validate_bundle(recording, request);
    INFO(recording);
    CHECK(result.verdict == questions::validate::Verdict::exact);
    if (!result.blocks) continue;
    CHECK(result.blocks->equal + full_commits_off(recording) == result.blocks->full_commits);
  }
}
