// Are predictions what the kernel counted? Exactly, or within the spread of several recordings,
// but for what known_differences.toml lists with its cause.
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "sim/replay/bundle_search.h"
#include "sim/report/validation_report.h"
#include "tests/catch.h"
#include "tests/corpus/helper.h"
#include "tests/corpus/known_differences.h"

using namespace fcsim;

namespace {

constexpr const char* kListFile = FCSIM_SOURCE_DIR "/tests/corpus/known_differences.toml";

// Below ../shared/corpus.
constexpr const char* kSets[] = {
    "rules",
    "apps",
    "kernels/6.1",
    "kernels/6.12",
    "kernels/6.18",
    "patched/disjoint-1",
    "patched/disjoint-4",
    "patched/disjoint-16",
    "patched/disjoint-64",
    "patched/snapshot",
};

std::vector<questions::validate::BundleResult> validate(const std::string& folder) {
  questions::validate::ValidateRequest request = test::validate_request(folder);
  request.blocks = true;
  std::vector<questions::validate::BundleResult> results;
  questions::validate::validate(
      request, [&](const questions::validate::BundleResult& result) { results.push_back(result); });
  return results;
}

std::string text_of_all(const questions::validate::ValidateRequest& request) {
  std::string lines;
  report::ValidationText text(replay::find_bundles(request.paths));
  questions::validate::validate(request, [&](const questions::validate::BundleResult& result) {
    lines += text.line(result);
  });
  return lines + text.summary();
}

void check_set(const std::string& name, const std::string& folder) {
  const auto known = test::read_known_differences();
  const auto set = known.find(name);
  const test::KnownSet list = set == known.end() ? test::KnownSet{} : set->second;
  const std::vector<questions::validate::BundleResult> results = validate(folder);
  CHECK_FALSE(results.empty());
  INFO("the set " << name << " against tests/corpus/known_differences.toml");
  CHECK(test::check_differences(list, results) == "");
  CHECK(test::check_blocks(list, results) == "");
}

}  // namespace

TEST_CASE("the bundled recordings", "[corpus]") {
  check_set("bundles", test::bundles_folder());
}

TEST_CASE("the larger corpus", "[corpus][shared]") {
  const std::string corpus = test::corpus_folder();
  for (const char* set : kSets) check_set(set, corpus + "/" + set);
}

TEST_CASE("what an environment does not say, said, makes the case exact", "[corpus][shared]") {
  const std::string corpus = test::corpus_folder();
  for (const auto& [set, known] : test::read_known_differences())
    for (const auto& [name, difference] : known.cases) {
      const std::string bundle = corpus + "/" + set + "/" + name;
      if (difference.cure.empty()) continue;
      questions::validate::ValidateRequest request = test::validate_request(bundle);
      request.configuration.settings = {difference.cure};
      INFO(bundle << " with " << difference.cure);
      CHECK(questions::validate::validate_bundle(bundle, request).verdict ==
            questions::validate::Verdict::exact);
    }
}

// FCSIM_UPDATE_KNOWN=1 writes what is off now after the list's last comment; causes stay.
TEST_CASE("the list of known differences is written anew where asked for", "[corpus][shared]") {
  const char* const update = std::getenv("FCSIM_UPDATE_KNOWN");
  if (update == nullptr || *update != '1') return;
  const std::string corpus = test::corpus_folder();
  auto known = test::read_known_differences();
  std::ifstream before(kListFile, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(before), std::istreambuf_iterator<char>()};
  const std::size_t end = text.find("\n[difference.");
  if (end != std::string::npos) text.resize(end + 1);
  text += test::differences_text("bundles", known["bundles"], validate(test::bundles_folder()));
  for (const char* set : kSets)
    text += test::differences_text(set, known[set], validate(corpus + "/" + set));
  while (text.ends_with("\n\n")) text.pop_back();
  std::ofstream(kListFile, std::ios::binary) << text;
}

TEST_CASE("same bytes for any number of threads", "[corpus]") {
  questions::validate::ValidateRequest request = test::validate_request(test::bundles_folder());
  request.blocks = true;
  request.first_difference = true;
  request.threads = 1;
  const std::string once = text_of_all(request);
  request.threads = 3;
  CHECK(text_of_all(request) == once);
  CHECK(text_of_all(request) == once);
}
