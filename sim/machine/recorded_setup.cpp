#include "sim/machine/recorded_setup.h"

#include <cstdlib>
#include <regex>

namespace fcsim::machine {
namespace {

// debugfs: set_inode_field FILE flags VALUE
void apply_debugfs_flags(const std::string& setup, const traces::resolve::Resolver& resolver,
                         model::InitialState& initial) {
  static const std::regex command(R"((?:sif|set_inode_field) (\S+) flags (0x[0-9a-fA-F]+|[0-9]+))");
  for (std::sregex_iterator it(setup.begin(), setup.end(), command), end; it != end; ++it) {
    const model::FileId file = resolver.file_at(resolver.mount_point() + "/" + (*it)[1].str());
    for (model::InitialFile& known : initial.files)
      if (known.file == file && file != model::kNoFile)
        known.flags = static_cast<std::uint32_t>(std::strtoul((*it)[2].str().c_str(), nullptr, 0));
  }
}

}  // namespace

void apply_setup(const std::string& setup, const traces::resolve::Resolver& resolver,
                 model::InitialState& initial) {
  if (setup.empty()) return;
  // "true" is what changes nothing.
  initial.warm = setup != "true" && setup.find("umount") == std::string::npos;
  apply_debugfs_flags(setup, resolver, initial);
}

}  // namespace fcsim::machine
