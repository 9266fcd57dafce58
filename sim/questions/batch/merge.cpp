#include "sim/questions/batch/merge.h"

#include <filesystem>

#include "model/common/error.h"
#include "sim/questions/batch/result_database.h"

namespace fcsim::questions::batch {
namespace {

constexpr std::size_t kConflictsNamed = 10;

// What differs between two rows of one bundle and setting.
std::string difference(const ResultRow& a, const ResultRow& b) {
  const auto text = [](const std::optional<std::string>& value) {
    return value ? "'" + *value + "'" : std::string("none");
  };
  if (a.input_hash != b.input_hash)
    return "input_hash " + text(a.input_hash) + " and " + text(b.input_hash);
  if (a.configuration_hash != b.configuration_hash)
    return "configuration_hash '" + a.configuration_hash + "' and '" + b.configuration_hash + "'";
  if (a.fcsim_version != b.fcsim_version)
    return "fcsim_version '" + a.fcsim_version + "' and '" + b.fcsim_version + "'";
  if (a.error != b.error) return "error " + text(a.error) + " and " + text(b.error);
  return "the counters";
}

class Merge {
 public:
  explicit Merge(const std::string& output) : output_(ResultDatabase::create(output)) {}

  MergeResult run(std::vector<ResultDatabase>& inputs) {
    Transaction transaction = output_.begin();
    for (ResultDatabase& input : inputs) add(input);
    if (conflicts_ != 0) throw model::InputError({output_.path(), 0, 0}, conflict_message());
    result_.settings = output_.settings().size();
    transaction.commit();
    output_.finish();
    return result_;
  }

 private:
  void add(ResultDatabase& input) {
    std::vector<std::int64_t> numbers;
    const std::vector<SettingDescription> settings = input.settings();
    for (const SettingDescription& setting : settings)
      numbers.push_back(output_.setting_number(setting));
    input.for_each([&](const ResultRow& row) {
      ResultRow mine = row;
      mine.setting = numbers.at(static_cast<std::size_t>(row.setting - 1));
      ++result_.rows;
      const auto present = output_.find(mine.bundle, mine.setting);
      if (!present) {
        output_.put(mine);
        ++result_.added;
      } else if (*present != mine) {
        note(input, mine, *present, settings[static_cast<std::size_t>(row.setting - 1)]);
      }
    });
  }

  void note(const ResultDatabase& input, const ResultRow& row, const ResultRow& present,
            const SettingDescription& setting) {
    if (conflicts_++ >= kConflictsNamed) return;
    named_ += "\n  " + row.bundle + " with '" + setting.options + "' in " + input.path() + ": " +
              difference(present, row);
  }

  std::string conflict_message() const {
    std::string text = "nothing was merged: " + std::to_string(conflicts_) +
                       (conflicts_ == 1 ? " row conflicts:" : " rows conflict:") + named_;
    if (conflicts_ > kConflictsNamed)
      text += "\n  and " + std::to_string(conflicts_ - kConflictsNamed) + " more";
    return text;
  }

  ResultDatabase output_;
  MergeResult result_;
  std::uint64_t conflicts_ = 0;
  std::string named_;
};

}  // namespace

MergeResult merge_batches(const std::vector<std::string>& inputs, const std::string& output) {
  std::vector<ResultDatabase> databases;  // all are looked at before anything is written
  for (const std::string& input : inputs) {
    std::error_code not_there;
    if (std::filesystem::equivalent(input, output, not_there))
      throw model::InputError({input, 0, 0}, "is both input and output");
    databases.push_back(ResultDatabase::open(input));
  }
  return Merge(output).run(databases);
}

}  // namespace fcsim::questions::batch
