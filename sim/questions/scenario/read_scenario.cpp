#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "sim/configuration/document.h"
#include "sim/configuration/nearest.h"
#include "sim/machine/mount_options.h"
#include "sim/machine/options.h"
#include "sim/questions/scenario/scenario.h"

namespace fcsim::questions::scenario {
namespace {

namespace fs = std::filesystem;

constexpr std::array<StepKind, 8> kKinds = {
    StepKind::mkfs,   StepKind::tune2fs, StepKind::mount,       StepKind::remount,
    StepKind::umount, StepKind::run,     StepKind::drop_caches, StepKind::sync};

std::optional<StepKind> kind_of(const std::string& key) {
  for (const StepKind kind : kKinds)
    if (name(kind) == key) return kind;
  return std::nullopt;
}

[[noreturn]] void unknown_key(const configuration::Entry& entry,
                              const std::vector<std::string_view>& known) {
  throw model::InputError(entry.position,
                          "unknown key '" + entry.key + "'" +
                              (entry.table.empty() ? "" : " in [[" + entry.table + "]]") +
                              configuration::suggest_nearest(entry.key, known));
}

std::string text_of(const configuration::Entry& entry) {
  if (const auto* text = std::get_if<std::string>(&entry.value)) return *text;
  throw model::InputError(entry.position,
                          "'" + entry.key + "' expects a string, found " + describe(entry.value));
}

std::int64_t drop_caches_value(const configuration::Entry& entry) {
  if (const auto* yes = std::get_if<bool>(&entry.value); yes != nullptr && *yes) return 3;
  if (const auto* value = std::get_if<std::int64_t>(&entry.value))
    if (*value >= 1 && *value <= 3) return *value;
  throw model::InputError(entry.position, "'drop_caches' expects true (3) or 1, 2 or 3, found " +
                                              describe(entry.value));
}

void expect_true(const configuration::Entry& entry) {
  const auto* yes = std::get_if<bool>(&entry.value);
  if (yes == nullptr || !*yes)
    throw model::InputError(entry.position,
                            "'" + entry.key + "' expects true, found " + describe(entry.value));
}

class ScenarioReader {
 public:
  explicit ScenarioReader(const std::string& path)
      : document_(configuration::read_document(path)), folder_(fs::path(path).parent_path()) {
    scenario_.path = path;
  }

  Scenario read() {
    for (const configuration::TableHeader& header : document_.tables) {
      if (header.table != "step")
        throw model::InputError(header.position, "unknown table [" + header.table +
                                                     "]; a scenario has [[step]] tables");
      Step step;
      step.position = header.position;
      scenario_.steps.push_back(step);
    }
    given_.resize(scenario_.steps.size());
    for (const configuration::Entry& entry : document_.entries) {
      if (entry.table.empty())
        top_key(entry);
      else
        step_key(entry);
    }
    for (std::size_t i = 0; i < given_.size(); ++i)
      if (given_[i].empty())
        throw model::InputError(
            scenario_.steps[i].position,
            "an empty step; expected one of mkfs, tune2fs, mount, remount, umount, "
            "run, drop_caches, sync");
    if (scenario_.steps.empty())
      throw model::InputError({scenario_.path, 0, 0}, "no [[step]]: no scenario");
    return std::move(scenario_);
  }

 private:
  [[nodiscard]] std::string in_folder(const std::string& path) const {
    return (folder_ / path).lexically_normal().string();
  }

  void top_key(const configuration::Entry& entry) {
    if (entry.key == "mount_point") {
      scenario_.mount_point = text_of(entry);
    } else if (entry.key == "configuration") {
      if (const auto* files = std::get_if<std::vector<std::string>>(&entry.value))
        for (const std::string& file : *files)
          scenario_.configuration_files.push_back(in_folder(file));
      else
        scenario_.configuration_files.push_back(in_folder(text_of(entry)));
    } else {
      unknown_key(entry, {"mount_point", "configuration"});
    }
  }

  void step_key(const configuration::Entry& entry) {
    const std::optional<StepKind> kind = kind_of(entry.key);
    if (!kind) {
      std::vector<std::string_view> known;
      for (const StepKind each : kKinds) known.push_back(name(each));
      unknown_key(entry, known);
    }
    std::string& given = given_[entry.index];
    if (!given.empty())
      throw model::InputError(entry.position, "a step is one thing: '" + given + "' and '" +
                                                  entry.key + "' are two; begin another [[step]]");
    given = entry.key;
    Step& step = scenario_.steps[entry.index];
    step.kind = *kind;
    step.position = entry.position;
    take_value(entry, step);
  }

  // A name that the system cannot look up, for its length say, is of nothing that is there.
  [[nodiscard]] static bool is_there(const std::string& path) {
    std::error_code error;
    return fs::exists(path, error);
  }

  void take_value(const configuration::Entry& entry, Step& step) const {
    switch (step.kind) {
      case StepKind::umount:
      case StepKind::sync:
        return expect_true(entry);
      case StepKind::drop_caches:
        step.number = drop_caches_value(entry);
        return;
      case StepKind::run:
        step.text = in_folder(text_of(entry));
        if (!is_there(step.text))
          throw model::InputError(entry.position,
                                  "there is no trace or bundle '" + step.text + "'");
        return;
      default:
        step.text = text_of(entry);
    }
  }

  configuration::Document document_;
  fs::path folder_;
  Scenario scenario_;
  std::vector<std::string> given_;  // the key of each step
};

// What can be told before anything runs: a run of minutes must not end in a slip of the pen.
void check(const Scenario& scenario) {
  model::FilesystemSettings on_disk;
  model::MountSettings mount;
  bool mounted = false;
  for (const Step& step : scenario.steps) {
    const std::string key(name(step.kind));
    const bool wants_mounted = step.kind == StepKind::remount || step.kind == StepKind::umount ||
                               step.kind == StepKind::run;
    if (wants_mounted && !mounted)
      throw model::InputError(step.position,
                              key +
                                  ": the file system is not mounted; expected a step "
                                  "'mount' before");
    if (mounted && (step.kind == StepKind::mkfs || step.kind == StepKind::mount))
      throw model::InputError(step.position,
                              key +
                                  ": the file system is mounted; expected a step 'umount' "
                                  "before");
    if (step.kind == StepKind::mount) mounted = true;
    if (step.kind == StepKind::umount) mounted = false;
    if (step.kind == StepKind::mkfs)
      on_disk = machine::make_with_options(step.text, step.position, on_disk);
    if (step.kind == StepKind::tune2fs)
      machine::apply_tune2fs_options(step.text, step.position, mounted, on_disk);
    if (step.kind == StepKind::mount) machine::apply_mount_options(step.text, step.position, mount);
    if (step.kind == StepKind::remount) machine::check_remount_options(step.text, step.position);
  }
}

}  // namespace

Scenario read_scenario(const std::string& path) {
  Scenario scenario = ScenarioReader(path).read();
  check(scenario);
  return scenario;
}

}  // namespace fcsim::questions::scenario
