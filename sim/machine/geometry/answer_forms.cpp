// The forms in which the answer of `fcsim geometry` is given.
#include <sstream>

#include "sim/configuration/json.h"
#include "sim/configuration/toml_writer.h"
#include "sim/machine/geometry/answer.h"

namespace fcsim::machine::geometry {
namespace {

// Calls `take` with each key of the table that has a value, and with the value.
template <class Take>
void for_each_value(const GeometryAnswer& answer, std::string_view table, const Take& take) {
  configuration::Settings settings;
  settings.values = answer.configuration;
  for (const configuration::Key& key : configuration::configuration_keys()) {
    if (key.table != table) continue;
    if (const auto value = configuration::value_of(key, settings)) take(key.name, *value);
  }
}

void add_table(configuration::TomlWriter& writer, const GeometryAnswer& answer,
               std::string_view table) {
  writer.table("[" + std::string(table) + "]");
  for_each_value(answer, table, [&](std::string_view name, const configuration::Value& value) {
    writer.value(name, value);
  });
}

support::Json table_json(const GeometryAnswer& answer, std::string_view table) {
  support::Json object = support::Json::object();
  for_each_value(answer, table, [&](std::string_view name, const configuration::Value& value) {
    object[std::string(name)] = configuration::json_of(value);
  });
  return object;
}

bool is_xfs(const GeometryAnswer& answer) {
  return answer.configuration.filesystem.type == model::FilesystemType::xfs;
}

// What decides when XFS's log is written.
std::string xfs_words(const GeometryAnswer& answer) {
  const model::FilesystemSettings& fs = answer.configuration.filesystem;
  const model::MountSettings& mount = answer.configuration.mount;
  return "XFS: a sync call writes the log where something that it is about is not on disk\n"
         "log: " +
         std::to_string(fs.xfs.log_blocks) + " blocks (" +
         std::to_string(fs.xfs.log_blocks * fs.block_size / 1024) + " KiB); " +
         std::to_string(mount.logbufs) + " buffers of " + std::to_string(mount.logbsize_kib) +
         " KiB\nkernel rules: " + answer.configuration.kernel.profile + "\n";
}

std::string numbers_line(const GeometryAnswer& answer) {
  const std::uint64_t block = answer.configuration.filesystem.block_size;
  const auto size = [&](std::uint64_t blocks) {
    return std::to_string(blocks) + " blocks (" + std::to_string(blocks * block / 1024) + " KiB)";
  };
  std::string text;
  if (answer.area_blocks != 0)
    text += "area: " + size(answer.area_blocks) + "; the fast commits of one transaction can use " +
            std::to_string(answer.usable_blocks) + ", a block at least each\n";
  if (answer.log_blocks != 0)
    text += "log: " + size(answer.log_blocks) + "; largest transaction " +
            std::to_string(answer.max_transaction_blocks) + " blocks\n";
  return text;
}

std::string commented(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) result += "# " + line + "\n";
  return result;
}

}  // namespace

std::string geometry_toml(const GeometryAnswer& answer) {
  configuration::TomlWriter writer;
  add_table(writer, answer, "filesystem");
  if (answer.mount_known) add_table(writer, answer, "mount");
  return writer.result();
}

std::string geometry_text(const GeometryAnswer& answer) {
  if (is_xfs(answer)) return commented(xfs_words(answer)) + "\n" + geometry_toml(answer);
  std::string words = "fast commit: " + std::string(to_string(answer.state)) + ": " +
                      answer.reason + "\n" + numbers_line(answer) +
                      "kernel rules: " + answer.configuration.kernel.profile + "\n";
  for (const std::string& statement : answer.statements) words += "- " + statement + "\n";
  return commented(words) + "\n" + geometry_toml(answer);
}

std::string geometry_json(const GeometryAnswer& answer) {
  support::Json root = {{"filesystem", table_json(answer, "filesystem")}};
  if (answer.mount_known) root["mount"] = table_json(answer, "mount");
  root["kernel"]["profile"] = answer.configuration.kernel.profile;
  if (is_xfs(answer)) return support::json_text(root);
  root["fast_commit"] = {{"state", to_string(answer.state)},
                         {"reason", answer.reason},
                         {"area_blocks", answer.area_blocks},
                         {"usable_blocks", answer.usable_blocks}};
  root["jbd2"] = {{"log_blocks", answer.log_blocks},
                  {"max_transaction_blocks", answer.max_transaction_blocks}};
  root["statements"] = answer.statements;
  return support::json_text(root);
}

}  // namespace fcsim::machine::geometry
