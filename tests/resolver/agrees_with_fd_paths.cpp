// Do the descriptor tables agree with the paths that strace -y printed, for every descriptor of
// every call in the recorded corpus?
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.h"
#include "traces/bundle/bundle.h"
#include "traces/bundle/manifest.h"
#include "traces/reader.h"
#include "traces/resolve/resolver.h"
#include "traces/strace/open.h"

namespace {

namespace filesystem = std::filesystem;
using fcsim::traces::Call;
using fcsim::traces::Event;

std::string mount_point_of(const std::string& environment) {
  std::ifstream file(environment);
  constexpr std::string_view kKey = "mount_point = \"";
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(kKey)) continue;
    return line.substr(kKey.size(), line.rfind('"') - kKey.size());
  }
  return {};
}

std::vector<std::string> bundles_below(const filesystem::path& root) {
  std::vector<std::string> bundles;
  for (const auto& entry : filesystem::recursive_directory_iterator(root)) {
    if (entry.is_directory() && fcsim::traces::bundle::is_bundle(entry.path().string())) {
      bundles.push_back(entry.path().string());
    }
  }
  std::sort(bundles.begin(), bundles.end());
  return bundles;
}

struct Agreement {
  std::uint64_t compared = 0;
  std::uint64_t operations = 0;
  std::vector<std::string> differences;  // the first few
  std::uint64_t different = 0;
  std::map<std::string, std::uint64_t> unsupported;
  std::vector<std::string> assumed;
};

// O_TMPFILE files are shown by a name "#INODE" that no directory has.
bool names_file(std::string_view path) {
  return path.starts_with('/') && !path.ends_with("(deleted)") &&
         path.find("/#") == std::string_view::npos;
}

class Comparison {
 public:
  explicit Comparison(const std::string& directory)
      : bundle_(fcsim::traces::bundle::find_bundle(directory)),
        resolver_({mount_point_of(bundle_.environment)},
                  fcsim::traces::bundle::read_manifest(bundle_.manifest)),
        reader_(fcsim::traces::strace::open_strace({bundle_.trace}, {})) {}

  Agreement run() {
    fcsim::traces::Event event;
    std::vector<fcsim::model::Operation> operations;
    while (reader_->next(event)) {
      operations.clear();
      const bool before = event.call == Call::close || event.call == Call::close_range;
      if (before) compare(event, event.fd, event.fd_path);
      resolver_.resolve(event, operations);
      agreement_.operations += operations.size();
      if (!before && event.call != Call::exit_group && event.result >= 0) {
        compare(event, event.fd, event.fd_path);
      }
    }
    agreement_.unsupported = resolver_.unsupported();
    agreement_.assumed = resolver_.assumed();
    return agreement_;
  }

 private:
  void compare(const fcsim::traces::Event& event, std::int32_t fd, std::string_view shown) {
    if (fd < 0 || !names_file(shown)) return;
    const std::string ours = resolver_.path_of_descriptor(event.pid, fd);
    if (ours.empty()) return;  // a descriptor from before the trace, seen for the first time
    ++agreement_.compared;
    if (ours == shown) return;
    // One file, told by another of its names.
    const auto file = resolver_.file_of_descriptor(event.pid, fd);
    if (file != fcsim::model::kNoFile && resolver_.file_at(shown) == file) return;
    ++agreement_.different;
    if (agreement_.differences.size() >= 3) return;
    agreement_.differences.push_back("line " + std::to_string(event.line) + ": descriptor " +
                                     std::to_string(fd) + " is " + std::string(shown) +
                                     ", the table has " + ours);
  }

  fcsim::traces::bundle::Bundle bundle_;
  fcsim::traces::resolve::Resolver resolver_;
  std::unique_ptr<fcsim::traces::TraceReader> reader_;
  Agreement agreement_;
};

}  // namespace

TEST_CASE("descriptor tables agree with -y over the corpus", "[resolver][shared]") {
  const filesystem::path root = filesystem::path(FCSIM_SOURCE_DIR) / ".." / "shared" / "corpus";
  std::uint64_t compared = 0;
  for (const std::string& bundle : bundles_below(root)) {
    INFO(bundle);
    const Agreement agreement = Comparison(bundle).run();
    compared += agreement.compared;
    for (const std::string& difference : agreement.differences) UNSCOPED_INFO(difference);
    CHECK(agreement.different == 0);
  }
  CHECK(compared > 0);
}
