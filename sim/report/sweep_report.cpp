#include "sim/report/sweep_report.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/report/json_parts.h"
#include "sim/report/latency_report.h"
#include "sim/support/text.h"

namespace fcsim::report {
namespace {

// The causes that happened at some point of the grid.
std::vector<std::size_t> occurring_causes(const questions::sweep::Sweep& sweep) {
  std::vector<std::size_t> causes;
  for (std::size_t cause = 0; cause < model::kCauses; ++cause)
    if (std::any_of(sweep.rows.begin(), sweep.rows.end(),
                    [&](const questions::sweep::SweepRow& row) {
                      return row.outcome.prediction.causes[cause] != 0;
                    }))
      causes.push_back(cause);
  return causes;
}

// Each note once, with the number of points that it was said of.
std::vector<std::string> notes_of(const questions::sweep::Sweep& sweep) {
  std::vector<std::pair<std::string, std::size_t>> notes;
  for (const questions::sweep::SweepRow& row : sweep.rows)
    for (const std::string& note : row.outcome.configuration.notes) {
      const auto found = std::find_if(notes.begin(), notes.end(),
                                      [&](const auto& known) { return known.first == note; });
      if (found == notes.end())
        notes.emplace_back(note, 1);
      else
        ++found->second;
    }
  std::vector<std::string> texts;
  for (const auto& [note, points] : notes)
    texts.push_back(note + (points != 1 ? " (" + std::to_string(points) + " points)" : ""));
  return texts;
}

std::map<std::string, std::uint64_t> counters_by_name(const engine::Prediction& prediction) {
  std::map<std::string, std::uint64_t> values;
  for (const model::NamedCounter& counter : named_counters(prediction))
    values[counter.full_name()] = counter.value;
  return values;
}

// Every counter of any point, in the order in which they first come up; what is unsupported last.
std::vector<std::string> columns_of(const questions::sweep::Sweep& sweep) {
  std::vector<std::string> columns;
  std::set<std::string> known;
  for (const bool unsupported : {false, true})
    for (const questions::sweep::SweepRow& row : sweep.rows) {
      if (row.outcome.error) continue;
      for (const model::NamedCounter& counter : named_counters(row.outcome.prediction))
        if ((counter.group == "unsupported") == unsupported &&
            known.insert(counter.full_name()).second)
          columns.push_back(counter.full_name());
    }
  return columns;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
  return all;
}

// Those that a table for people has room for.
constexpr std::uint64_t model::Counters::*kShown[] = {
    &model::Counters::commits, &model::Counters::ineligible, &model::Counters::numblks,
    &model::Counters::transactions, &model::Counters::blocks_logged};
constexpr const char* kShownNames[] = {"commits", "ineligible", "numblks", "transactions",
                                       "blocks_logged"};

}  // namespace

namespace {

bool predicts_latency(const questions::sweep::Sweep& sweep) {
  return std::any_of(sweep.rows.begin(), sweep.rows.end(),
                     [](const questions::sweep::SweepRow& row) {
                       return row.outcome.prediction.latency.times.count() != 0;
                     });
}

// Percentiles and sum of the times of sync calls, in the units of kLatencyColumns; empty where they
// were not predicted.
const std::vector<std::string> kLatencyColumns = {"p50 us", "p99 us", "total ms"};
std::vector<std::string> latency_cells(const engine::Latency& latency) {
  if (latency.times.count() == 0) return {"", "", ""};
  return {microseconds(latency.times.percentile(0.5)), microseconds(latency.times.percentile(0.99)),
          support::decimal(static_cast<double>(latency.times.total()) / 1e6, 1)};
}

}  // namespace

Document sweep_document(const questions::sweep::Sweep& sweep) {
  std::vector<std::string> header = sweep.keys;
  header.insert(header.end(), std::begin(kShownNames), std::end(kShownNames));
  const std::vector<std::size_t> causes = occurring_causes(sweep);
  for (const std::size_t cause : causes) header.emplace_back(model::kCauseNames[cause]);
  const bool latency = predicts_latency(sweep);
  if (latency) header.insert(header.end(), kLatencyColumns.begin(), kLatencyColumns.end());
  Table table(header);
  for (const questions::sweep::SweepRow& row : sweep.rows) {
    std::vector<std::string> cells = row.values;
    if (row.outcome.error) {
      table.add(std::move(cells), "refused: " + replay::message_of(row.outcome.error));
      continue;
    }
    const engine::Prediction& prediction = row.outcome.prediction;
    for (const auto member : kShown) cells.push_back(std::to_string(prediction.*member));
    for (const std::size_t cause : causes)
      cells.push_back(std::to_string(prediction.causes[cause]));
    if (latency)
      for (std::string& cell : latency_cells(prediction.latency)) cells.push_back(std::move(cell));
    table.add(std::move(cells));
  }
  Document document;
  document.table(std::move(table));
  document.list("Notes", notes_of(sweep));
  return document;
}

std::string sweep_csv(const questions::sweep::Sweep& sweep) {
  const std::vector<std::string> columns = columns_of(sweep);
  std::vector<std::string> header = sweep.keys;
  header.insert(header.end(), {"error", "notes"});
  header.insert(header.end(), columns.begin(), columns.end());
  const bool latency = predicts_latency(sweep);
  if (latency)
    header.insert(header.end(), {"latency.p50_us", "latency.p99_us", "latency.total_ms"});
  Table table(header);
  for (const questions::sweep::SweepRow& row : sweep.rows) {
    const replay::Outcome& outcome = row.outcome;
    std::vector<std::string> cells = row.values;
    cells.push_back(outcome.error ? replay::message_of(outcome.error) : "");
    cells.push_back(joined(outcome.configuration.notes));
    const auto values = outcome.error ? std::map<std::string, std::uint64_t>()
                                      : counters_by_name(outcome.prediction);
    for (const std::string& column : columns) {
      const auto value = values.find(column);
      cells.push_back(value == values.end() ? "" : std::to_string(value->second));
    }
    if (latency)
      for (std::string& cell : latency_cells(outcome.prediction.latency))
        cells.push_back(std::move(cell));
    table.add(std::move(cells));
  }
  return csv_of(table);
}

std::string sweep_json(const questions::sweep::Sweep& sweep) {
  support::Json points = support::Json::array();
  for (const questions::sweep::SweepRow& row : sweep.rows) {
    support::Json point;
    for (std::size_t k = 0; k < sweep.keys.size(); ++k)
      point["settings"][sweep.keys[k]] = row.values[k];
    if (row.outcome.error)
      point["error"] = replay::message_of(row.outcome.error);
    else
      point["prediction"] = prediction_json(row.outcome.configuration, row.outcome.prediction);
    points.push_back(std::move(point));
  }
  return support::json_text(points);
}

}  // namespace fcsim::report
