// What people write, and what other programs say of a machine.
#include <algorithm>

#include "sim/configuration/document.h"
#include "sim/machine/dumpe2fs.h"
#include "sim/machine/mountinfo.h"
#include "sim/machine/truth.h"
#include "sim/questions/scenario/scenario.h"
#include "sim/questions/sweep/parameter.h"
#include "tests/fuzz/support.h"
#include "tests/fuzz/targets.h"
#include "traces/bundle/manifest.h"

namespace fcsim::fuzz {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

void manifest(std::string_view input) {
  answer([&] { (void)traces::bundle::parse_manifest(input, "manifest.tsv"); });
}

void truth(std::string_view input) {
  const MemoryFile file(input);
  answer([&] { (void)machine::read_truth(file.path()); });
}

void configuration(std::string_view input) {
  const MemoryFile file(input);
  answer([&] {
    configuration::LoadRequest request;
    request.files = {file.path()};
    request.directories = {source_path("configs")};
    (void)configuration::load(request);
  });
}

void settings(std::string_view input) {
  answer([&] {
    configuration::LoadRequest request;
    request.settings = lines_of(input);
    request.directories = {source_path("configs")};
    (void)configuration::load(request);
  });
}

void sweep(std::string_view input) {
  for (const std::string& line : lines_of(input))
    answer([&] { (void)questions::sweep::parse_parameter(line); });
}

void scenario(std::string_view input) {
  const MemoryFile file(input);
  answer([&] { (void)questions::scenario::read_scenario(file.path()); });
}

void dumpe2fs(std::string_view input) {
  answer([&] { (void)machine::parse_dumpe2fs(input, "dumpe2fs"); });
}

void mountinfo(std::string_view input) {
  answer([&] { (void)machine::parse_mountinfo(input); });
}

}  // namespace fcsim::fuzz
