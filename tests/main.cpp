// The main function of every test executable, for either version of Catch2.
//
// Tests that need more than the source tree carry a tag: [shared] those that read the recordings
// beside it (../shared), [root] those that need root and loop devices, [strace] those that trace,
// [programs] those that run programs which may not be installed. CTest runs them as tests of their
// own (SUITE-shared, ...). Where what one of them needs is missing, the reason is printed, and the
// status is kSkipped, which CTest shows as skipped.
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#if FCSIM_CATCH_VERSION == 3
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

namespace {

constexpr int kSkipped = 77;  // SKIP_RETURN_CODE in tests/CMakeLists.txt

const char* missing_for(const char* tags) {
  if (std::strcmp(tags, "[shared]") == 0 &&
      !std::filesystem::is_directory(FCSIM_SOURCE_DIR "/../shared/corpus"))
    return "there is no corpus of recordings at ../shared/corpus";
  if (std::strcmp(tags, "[root]") == 0) {
    if (geteuid() != 0) return "not root";
    if (!std::filesystem::exists("/dev/loop-control")) return "there are no loop devices";
  }
  return nullptr;
}

std::vector<std::string>& skipped() {
  static std::vector<std::string> reasons;
  return reasons;
}

}  // namespace

namespace fcsim::test {

void note_skipped(const std::string& reason) {
  skipped().push_back(Catch::getResultCapture().getCurrentTestName() + ": " + reason);
}

}  // namespace fcsim::test

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (const char* const reason = missing_for(argv[i]); reason != nullptr) {
      std::cout << "skipped: " << reason << '\n';
      return kSkipped;
    }
  const int status = Catch::Session().run(argc, argv);
  for (const std::string& reason : skipped()) std::cout << "skipped: " << reason << '\n';
  return status == 0 && !skipped().empty() ? kSkipped : status;
}
