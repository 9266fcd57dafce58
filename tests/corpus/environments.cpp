// Does the environment of every recording load?
#include <filesystem>

#include "sim/configuration/configuration.h"
#include "sim/replay/bundle_search.h"
#include "tests/catch.h"
#include "tests/corpus/helper.h"

using namespace fcsim;

TEST_CASE("every environment and truth of the corpus loads", "[corpus][shared]") {
  const std::string corpus = test::corpus_folder();
  std::size_t count = 0;
  for (const std::string& bundle : replay::find_bundles({corpus})) {
    INFO(bundle);
    configuration::LoadRequest request;
    request.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
    request.files = {bundle + "/env.toml"};
    CHECK_NOTHROW(configuration::load(request));
    CHECK_NOTHROW(machine::read_truth(bundle + "/truth.toml"));
    ++count;
  }
  CHECK(count != 0);
}
