// Files that hold what the command is to print.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/catch.h"
#include "tests/cli/helper.h"

namespace fcsim::test {

// FCSIM_UPDATE_GOLDEN=1 writes the files instead; look at the difference before committing it.
inline void check_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(FCSIM_SOURCE_DIR) + "/tests/cli/golden/" + name;
  if (const char* update = std::getenv("FCSIM_UPDATE_GOLDEN"); update != nullptr && *update == '1')
    std::ofstream(path, std::ios::binary) << text;
  INFO(path);
  CHECK(text == read_file(path));
}

}  // namespace fcsim::test
