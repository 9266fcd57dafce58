// Scenarios from text, in a folder of their own.
#pragma once

#include <fstream>
#include <string>

#include "model/common/error.h"
#include "sim/questions/scenario/scenario.h"
#include "tests/catch.h"

namespace fcsim::test {

inline std::string bundle(const std::string& name) {
  return std::string(FCSIM_SOURCE_DIR) + "/tests/bundles/" + name;
}

inline std::string scenario_file(const std::string& name) {
  return std::string(FCSIM_SOURCE_DIR) + "/tests/scenario/scenarios/" + name;
}

inline std::string write_scenario(const std::string& text) {
  const std::string path = std::string(FCSIM_BINARY_DIR) + "/test-scenario.toml";
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

inline questions::scenario::ScenarioResult run_file(const std::string& path) {
  questions::scenario::ScenarioRequest request;
  request.path = path;
  request.configuration.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  return questions::scenario::run_scenario(request);
}

inline questions::scenario::ScenarioResult run_text(const std::string& text) {
  return run_file(write_scenario(text));
}

// What an action says is wrong with the scenario, without the file's name: "3:1: unknown key ...".
template <class Action>
std::string complaint_of(const std::string& text, const Action& action) {
  const std::string path = write_scenario(text);
  try {
    action(path);
  } catch (const model::InputError& error) {
    const std::string what = error.what();
    return what.starts_with(path + ": ")  ? what.substr(path.size() + 2)
           : what.starts_with(path + ":") ? what.substr(path.size() + 1)
                                          : what;
  }
  return "";
}

inline std::string complaint_about(const std::string& text) {
  return complaint_of(text,
                      [](const std::string& path) { questions::scenario::read_scenario(path); });
}

inline std::string failure_of(const std::string& text) {
  return complaint_of(text, [](const std::string& path) { run_file(path); });
}

}  // namespace fcsim::test
