// Does what takes bytes from strangers answer the corpus, and damage to it, with an answer or an
// InputError? The same inputs at every run; libFuzzer looks for others (`./dev fuzz`).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/fuzz/targets.h"

namespace {

namespace fs = std::filesystem;

constexpr int kDamagedInputs = 300;

std::vector<std::string> corpus_of(const std::string& name) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(FCSIM_SOURCE_DIR "/tests/fuzz/corpus/" + name))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> inputs;
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return inputs;
}

// A few of: a byte becomes another, a piece goes, a piece is put in a second time, a piece of
// another input comes in.
std::string damaged(const std::vector<std::string>& corpus, std::mt19937_64& random) {
  std::string input = corpus[random() % corpus.size()];
  for (std::uint64_t changes = 1 + random() % 6; changes != 0; --changes) {
    const std::size_t at = random() % (input.size() + 1);
    const std::size_t size = random() % 32;
    switch (random() % 4) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(random());
        break;
      case 1:
        input.erase(at, size);
        break;
      case 2:
        input.insert(random() % (input.size() + 1), input.substr(at, size));
        break;
      default: {
        const std::string& other = corpus[random() % corpus.size()];
        input.insert(at, other.substr(random() % (other.size() + 1), size));
        break;
      }
    }
  }
  return input;
}

std::string hexadecimal(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

}  // namespace

TEST_CASE("the corpus of each target, and damage to it, is answered", "[fuzz]") {
  for (const fcsim::fuzz::Target& target : fcsim::fuzz::targets()) {
    const std::vector<std::string> corpus = corpus_of(target.name);
    INFO(target.name);
    REQUIRE_FALSE(corpus.empty());
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < corpus.size() + kDamagedInputs; ++i) {
      const std::string input = i < corpus.size() ? corpus[i] : damaged(corpus, random);
      INFO("input " << i << ": " << hexadecimal(input.substr(0, 4000)));
      CHECK_NOTHROW(target.run(input));
    }
  }
}

TEST_CASE("every folder of the corpus belongs to a target", "[fuzz]") {
  for (const auto& entry : fs::directory_iterator(FCSIM_SOURCE_DIR "/tests/fuzz/corpus")) {
    const auto is_this = [&](const fcsim::fuzz::Target& target) {
      return entry.path().filename() == target.name;
    };
    const auto targets = fcsim::fuzz::targets();
    INFO(entry.path());
    CHECK(std::any_of(targets.begin(), targets.end(), is_this));
  }
}
