// The forms in which the answer of `fcsim geometry` is given.
#include <locale>
#include <sstream>

#include "sim/machine/geometry/answer.h"
#include "sim/support/json.h"
#include "sim/support/text.h"

namespace fcsim::machine::geometry {
namespace {

struct ValueWriter {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return support::decimal(value, 6); }
  std::string operator()(const std::string& value) const { return support::json_string(value); }
  std::string operator()(const std::vector<std::string>& values) const {
    std::string text;
    for (const std::string& value : values)
      text += (text.empty() ? "" : ", ") + support::json_string(value);
    return "[" + text + "]";
  }
  std::string operator()(const std::vector<std::int64_t>&) const { return "[]"; }
  std::string operator()(const configuration::UnusableValue&) const { return "\"\""; }
};

// "name = value" for each key of the table that has a value, between `before` and `after`.
std::string rows(const GeometryAnswer& answer, std::string_view table, std::string_view between,
                 bool quoted_names, std::string_view separator) {
  configuration::Settings settings;
  settings.values = answer.configuration;
  std::string text;
  for (const configuration::Key& key : configuration::configuration_keys()) {
    if (key.table != table) continue;
    const auto value = value_of(key, settings);
    if (!value) continue;
    if (!text.empty()) text += separator;
    text += quoted_names ? support::json_string(key.name) : std::string(key.name);
    text += std::string(between) + std::visit(ValueWriter{}, *value);
  }
  return text;
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
  std::string text = "[filesystem]\n" + rows(answer, "filesystem", " = ", false, "\n") + "\n";
  if (answer.mount_known) text += "\n[mount]\n" + rows(answer, "mount", " = ", false, "\n") + "\n";
  return text;
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
  std::string statements;
  for (const std::string& statement : answer.statements)
    statements += (statements.empty() ? "\n    " : ",\n    ") + support::json_string(statement);
  const auto object = [&](const char* table) {
    return "{\n    " + rows(answer, table, ": ", true, ",\n    ") + "\n  }";
  };
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << "{\n  \"filesystem\": " << object("filesystem");
  if (answer.mount_known) text << ",\n  \"mount\": " << object("mount");
  if (is_xfs(answer)) {
    text << ",\n  \"kernel\": {\n    \"profile\": "
         << support::json_string(answer.configuration.kernel.profile) << "\n  }\n}\n";
    return text.str();
  }
  text << ",\n  \"fast_commit\": {\n    \"state\": "
       << support::json_string(to_string(answer.state))
       << ",\n    \"reason\": " << support::json_string(answer.reason)
       << ",\n    \"area_blocks\": " << answer.area_blocks
       << ",\n    \"usable_blocks\": " << answer.usable_blocks << "\n  },\n  \"jbd2\": {\n"
       << "    \"log_blocks\": " << answer.log_blocks
       << ",\n    \"max_transaction_blocks\": " << answer.max_transaction_blocks
       << "\n  },\n  \"kernel\": {\n    \"profile\": "
       << support::json_string(answer.configuration.kernel.profile) << "\n  },\n  \"statements\": ["
       << statements << (statements.empty() ? "" : "\n  ") << "]\n}\n";
  return text.str();
}

}  // namespace fcsim::machine::geometry
