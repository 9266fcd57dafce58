// Runs the built command as a user would.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace fcsim::test {

struct Outcome {
  int status = -1;  // exit status; 128 + signal when it was killed
  std::string output;
  std::string errors;
};

inline std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

inline std::string command() {
  return std::string(FCSIM_BINARY_DIR) + "/fcsim";
}

// `arguments` is a shell's text after the command's name; runs in the source tree. `before` comes
// in front: variables, or a pipe.
inline Outcome run(const std::string& arguments, const std::string& before = "") {
  static int number = 0;
  const std::string errors_file =
      std::string(FCSIM_BINARY_DIR) + "/test-errors-" + std::to_string(++number);
  const std::string line = "cd '" FCSIM_SOURCE_DIR "' && " + before + " '" + command() + "' " +
                           arguments + " 2>'" + errors_file + "'";
  Outcome outcome;
  std::FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return outcome;
  char buffer[4096];
  for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, pipe)) != 0;)
    outcome.output.append(buffer, count);
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.errors = read_file(errors_file);
  std::remove(errors_file.c_str());
  return outcome;
}

}  // namespace fcsim::test
