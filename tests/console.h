// The console blocks of Markdown files: commands and what they are said to print.
#pragma once

#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/cli/helper.h"

namespace fcsim::test {

struct Example {
  std::string command;
  std::string output;
};

// The "$ command" lines of console blocks, each with the lines up to the next one.
inline std::vector<Example> console_examples(const std::string& file) {
  std::vector<Example> found;
  std::istringstream lines(read_file(file));
  bool in_block = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      in_block = line == "```console";
    } else if (in_block && line.starts_with("$ ")) {
      found.push_back({line.substr(2), ""});
    } else if (in_block && !found.empty()) {
      found.back().output += line + "\n";
    }
  }
  return found;
}

// A new folder in which the source tree's folders are seen by their names: what a command writes
// lands there and not in the source tree.
inline std::string console_folder(const std::string& name) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(FCSIM_BINARY_DIR) / "test-files" / "console" / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const auto& entry : fs::directory_iterator(FCSIM_SOURCE_DIR))
    if (entry.is_directory() && entry.path().filename() != "build" &&
        !entry.path().filename().string().starts_with('.'))
      fs::create_directory_symlink(entry.path(), folder / entry.path().filename());
  return folder.string();
}

// What the shell's command prints on standard output.
inline std::string shell_output(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  char buffer[4096];
  for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, pipe)) != 0;)
    output.append(buffer, count);
  pclose(pipe);
  return output;
}

// What a terminal would show: both streams.
inline std::string console_output(const std::string& folder, const std::string& command) {
  return shell_output("cd '" + folder + "' && PATH='" FCSIM_BINARY_DIR "':$PATH; exec 2>&1; " +
                      command);
}

// `file` is relative to the source tree.
inline void check_console_examples(const std::string& file, const std::vector<Example>& examples) {
  const std::string folder = console_folder(std::filesystem::path(file).stem().string());
  for (const Example& example : examples) {
    INFO(file << ": " << example.command);
    CHECK(console_output(folder, example.command) == example.output);
  }
}

}  // namespace fcsim::test
