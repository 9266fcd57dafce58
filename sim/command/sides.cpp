#include "sim/command/sides.h"

#include <algorithm>

#include "model/common/error.h"
#include "sim/configuration/document.h"
#include "sim/configuration/keys.h"

namespace fcsim::command {
namespace {

// A profile's file begins with `summary` or `inherits`, outside of any table.
bool is_profile_file(const std::string& path) {
  for (const configuration::Entry& entry : configuration::read_document(path).entries)
    if (entry.table.empty() && (entry.key == "summary" || entry.key == "inherits")) return true;
  return false;
}

configuration::LoadRequest side(const char* option, const CommonOptions& common,
                                const std::vector<std::string>& given,
                                const std::vector<std::string>& settings) {
  configuration::LoadRequest request = common.load_request();
  for (const std::string& text : given) {
    if (text == "-") throw UsageError(std::string(option) + " -: expected a file or a profile");
    if (text.ends_with(".toml") && !is_profile_file(text))
      request.files.push_back(text);
    else
      request.profile = text;
  }
  request.settings.insert(request.settings.end(), settings.begin(), settings.end());
  return request;
}

// A file of rules without a kernel stands on the bundle's, or the default one: where the other side
// names a kernel, that is hardly what is asked for.
void check_kernels(const configuration::LoadRequest& named,
                   const configuration::LoadRequest& other) {
  if (named.profile.empty() || !other.profile.empty()) return;
  for (const std::string& file : other.files) {
    const std::vector<configuration::Entry> entries = configuration::read_document(file).entries;
    const auto names_kernel = [](const configuration::Entry& entry) {
      return entry.table == "kernel" && entry.key == "profile";
    };
    if (std::any_of(entries.begin(), entries.end(), names_kernel)) continue;
    for (const configuration::Entry& entry : entries)
      if (configuration::is_rule_table(entry.table))
        throw model::InputError(entry.position,
                                "this changes a kernel's rules and does not say which kernel's, "
                                "while the other side is '" +
                                    named.profile + "': begin the file with inherits = \"" +
                                    named.profile + "\"");
  }
}

}  // namespace

TwoSides two_sides(const CommonOptions& common, const std::vector<std::string>& a,
                   const std::vector<std::string>& b, const std::vector<std::string>& set_a,
                   const std::vector<std::string>& set_b) {
  TwoSides sides{side("-a", common, a, set_a), side("-b", common, b, set_b)};
  check_kernels(sides.a, sides.b);
  check_kernels(sides.b, sides.a);
  return sides;
}

}  // namespace fcsim::command
