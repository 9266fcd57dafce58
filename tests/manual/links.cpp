// Do the links between the documents lead somewhere, in the source tree and where it is installed?
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/console.h"

namespace fs = std::filesystem;
using namespace fcsim;

namespace {

// The targets of "[text](target)" that are files.
std::vector<std::string> links(const fs::path& document) {
  const std::string text = test::read_file(document.string());
  std::vector<std::string> targets;
  for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
    const std::string target = text.substr(at + 2, text.find_first_of(")#", at) - at - 2);
    if (!target.empty() && target.find("://") == std::string::npos) targets.push_back(target);
  }
  return targets;
}

// How many links there are in README.md, CONTRIBUTING.md and docs/ below `root`.
std::size_t check_links(const fs::path& root) {
  std::vector<fs::path> documents = {root / "README.md", root / "CONTRIBUTING.md"};
  for (const auto& entry : fs::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") documents.push_back(entry.path());
  std::size_t count = 0;
  for (const fs::path& document : documents)
    for (const std::string& target : links(document)) {
      INFO(document.string() << ": " << target);
      CHECK(fs::exists(document.parent_path() / target));
      ++count;
    }
  return count;
}

}  // namespace

TEST_CASE("links lead somewhere", "[manual]") {
  CHECK(check_links(FCSIM_SOURCE_DIR) >= 25);
}

TEST_CASE("what is installed is whole: links, examples, compressed pages", "[manual]") {
  const std::string prefix = FCSIM_BINARY_DIR "/test-files/installed";
  fs::remove_all(prefix);
  REQUIRE(
      std::system(("cmake --install '" FCSIM_BINARY_DIR "' --prefix '" + prefix + "' >/dev/null")
                      .c_str()) == 0);
  const std::string manual = prefix + "/share/doc/fcsim";
  CHECK(check_links(manual) >= 25);
  CHECK(test::console_output(manual,
                             "FCSIM_CONFIG_DIR= ../../../bin/fcsim run "
                             "tests/bundles/art-fc128 | sed -n 2p") ==
        "6001 sync calls: 5813 fast commits, 188 full commits\n");
  CHECK(test::console_output(manual,
                             "../../../bin/fcsim run -c configs/devices/disk.toml "
                             "tests/scenario/scenarios/five-steps.toml >/dev/null") == "");
  CHECK(fs::exists(prefix + "/share/man/man1/fcsim.1.gz"));
  CHECK(fs::exists(manual + "/copyright"));
  CHECK(fs::exists(manual + "/changelog.gz"));
}
