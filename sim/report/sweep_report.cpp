#include "sim/report/sweep_report.h"

#include <algorithm>
#include <map>

#include "sim/report/named_counters.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

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

std::string point_of(const questions::sweep::Sweep& sweep, const questions::sweep::SweepRow& row) {
  std::string text;
  for (std::size_t i = 0; i < sweep.keys.size(); ++i)
    text += (i == 0 ? "" : " ") + sweep.keys[i] + "=" + row.values[i];
  return text;
}

// Each note once, with the first point that it was said of and how many others.
std::string notes_of(const questions::sweep::Sweep& sweep) {
  struct Said {
    std::string note, point;
    std::size_t others = 0;
  };
  std::vector<Said> said;
  for (const questions::sweep::SweepRow& row : sweep.rows)
    for (const std::string& note : row.outcome.configuration.notes) {
      const auto found =
          std::find_if(said.begin(), said.end(), [&](const Said& s) { return s.note == note; });
      if (found == said.end())
        said.push_back({note, point_of(sweep, row), 0});
      else
        ++found->others;
    }
  std::string text = said.empty() ? "" : "\nNotes\n";
  for (const Said& s : said)
    text += "  - " + s.note +
            (s.others != 0 ? " (" + std::to_string(s.others + 1) + " points)" : "") + "\n";
  return text;
}

std::map<std::string, std::uint64_t> counters_by_name(const engine::Prediction& prediction) {
  std::map<std::string, std::uint64_t> values;
  for (const NamedCounter& counter : named_counters(prediction))
    values[counter.group + "." + counter.name] = counter.value;
  for (const auto& [what, count] : prediction.unsupported) values["unsupported." + what] = count;
  return values;
}

// Every counter of any point, in the order in which they first come up.
std::vector<std::string> columns_of(const questions::sweep::Sweep& sweep) {
  std::vector<std::string> columns;
  std::map<std::string, bool> known;
  const auto add = [&](const std::string& name) {
    if (!known.emplace(name, true).second) return;
    columns.push_back(name);
  };
  for (const questions::sweep::SweepRow& row : sweep.rows) {
    if (row.outcome.error) continue;
    for (const NamedCounter& counter : named_counters(row.outcome.prediction))
      add(counter.group + "." + counter.name);
  }
  for (const questions::sweep::SweepRow& row : sweep.rows)
    for (const auto& [what, count] : row.outcome.prediction.unsupported) add("unsupported." + what);
  return columns;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
  return all;
}

}  // namespace

std::string sweep_text(const questions::sweep::Sweep& sweep) {
  std::vector<std::string> header = sweep.keys;
  for (const char* name : {"commits", "ineligible", "numblks", "transactions", "blocks_logged"})
    header.emplace_back(name);
  const std::vector<std::size_t> causes = occurring_causes(sweep);
  for (const std::size_t cause : causes) header.emplace_back(model::kCauseNames[cause]);
  TextTable table(header);
  for (const questions::sweep::SweepRow& row : sweep.rows) {
    std::vector<std::string> cells = row.values;
    if (row.outcome.error) {
      table.add_remark(std::move(cells), "refused: " + replay::message_of(row.outcome.error));
      continue;
    }
    const engine::Prediction& p = row.outcome.prediction;
    for (const std::uint64_t value :
         {p.commits, p.ineligible, p.numblks, p.transactions, p.blocks_logged})
      cells.push_back(std::to_string(value));
    for (const std::size_t cause : causes) cells.push_back(std::to_string(p.causes[cause]));
    table.add(std::move(cells));
  }
  return table.text() + notes_of(sweep);
}

std::string sweep_csv(const questions::sweep::Sweep& sweep) {
  const std::vector<std::string> columns = columns_of(sweep);
  std::string text;
  for (const std::string& key : sweep.keys) text += csv_field(key) + ",";
  text += "error,notes";
  for (const std::string& column : columns) text += "," + csv_field(column);
  text += "\n";
  for (const questions::sweep::SweepRow& row : sweep.rows) {
    const replay::Outcome& outcome = row.outcome;
    for (const std::string& value : row.values) text += csv_field(value) + ",";
    text += outcome.error ? csv_field(replay::message_of(outcome.error)) : "";
    text += "," + csv_field(joined(outcome.configuration.notes));
    const auto values = outcome.error ? std::map<std::string, std::uint64_t>()
                                      : counters_by_name(outcome.prediction);
    for (const std::string& column : columns) {
      const auto value = values.find(column);
      text += ",";
      if (value != values.end()) text += std::to_string(value->second);
    }
    text += "\n";
  }
  return text;
}

std::string sweep_json(const questions::sweep::Sweep& sweep) {
  std::string text = "[";
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
    const questions::sweep::SweepRow& row = sweep.rows[i];
    text += i == 0 ? "\n{\"settings\": {" : ",\n{\"settings\": {";
    for (std::size_t k = 0; k < sweep.keys.size(); ++k)
      text += (k == 0 ? "" : ", ") + json_string(sweep.keys[k]) + ": " + json_string(row.values[k]);
    text += "}, ";
    if (row.outcome.error) {
      text += "\"error\": " + json_string(replay::message_of(row.outcome.error)) + "}";
    } else {
      std::string prediction = json_report(row.outcome.configuration, row.outcome.prediction);
      prediction.pop_back();  // its line feed
      text += "\"prediction\": " + prediction + "}";
    }
  }
  return text + "\n]\n";
}

}  // namespace fcsim::report
