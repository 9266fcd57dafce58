// What the tests of public traces share.
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sim/replay/session.h"
#include "tests/catch.h"

namespace fcsim::test {

struct Counted {
  std::uint64_t commits = 0, ineligible = 0, numblks = 0, transactions = 0, requested = 0;
  friend bool operator==(const Counted&, const Counted&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Counted& c) {
    return out << c.commits << " fast, " << c.ineligible << " ineligible, " << c.numblks
               << " blocks, " << c.transactions << " full, " << c.requested << " requested";
  }
};

inline engine::Prediction predict(const std::string& input, const std::string& mount_point = "",
                                  const std::vector<std::string>& settings = {}) {
  replay::SessionRequest request;
  request.inputs = {input};
  request.mount_point = mount_point;
  request.configuration.settings = settings;
  request.configuration.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  return replay::predict(request).prediction;
}

inline Counted counted(const engine::Prediction& p) {
  return {p.commits, p.ineligible, p.numblks, p.transactions, p.requested};
}

inline std::string data(const std::string& name) {
  return std::string(FCSIM_SOURCE_DIR) + "/tests/wild/data/" + name;
}

// A file below the build folder that a test wrote.
inline std::string scratch(const std::string& name, const std::string& content) {
  std::string path = std::string(FCSIM_BINARY_DIR) + "/wild-" + name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

inline std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace fcsim::test
